//! When a position was measured, from when it was received.

use crate::time::EventTime;

/// The instant of a position report that says in which second of a minute it was measured.
///
/// A report carries the UTC second (0 to 59) of its position and nothing else of the time (M.1371-5 table 48), so a
/// receiver's clock has to say the minute. The instant is the one nearest to `received` that has this second and no
/// fraction: from 30 s before `received` (included) to 30 s after (not included). What it corrects: the seconds a
/// message takes through receivers and networks, up to half a minute. What it cannot: a delay beyond that, which puts
/// a fix whole minutes off, and the fraction of the second, which nobody sends.
///
/// In recordings of shore networks nine in ten reports are of 4 s before to 2 s after they were received.
pub fn refined(received: EventTime, second: u8) -> EventTime {
    const SECOND_NS: i64 = 1_000_000_000;
    const MINUTE_NS: i64 = 60 * SECOND_NS;
    let received_ns = received.unix_ns();
    let into_minute_ns = received_ns.rem_euclid(MINUTE_NS);
    let mut later_ns = i64::from(second) * SECOND_NS - into_minute_ns;
    if later_ns >= MINUTE_NS / 2 {
        later_ns -= MINUTE_NS;
    } else if later_ns < -MINUTE_NS / 2 {
        later_ns += MINUTE_NS;
    }
    EventTime::from_unix_ns(received_ns.saturating_add(later_ns))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_nearest_second_is_taken() {
        for (received, second, t) in [
            ("2018-09-04T12:00:05.700Z", 4, "2018-09-04T12:00:04.000Z"),
            ("2018-09-04T12:00:05.700Z", 6, "2018-09-04T12:00:06.000Z"),
            ("2018-09-04T12:00:01.000Z", 58, "2018-09-04T11:59:58.000Z"),
            ("2018-09-04T23:59:58.000Z", 1, "2018-09-05T00:00:01.000Z"),
            ("2018-09-04T12:00:30.000Z", 0, "2018-09-04T12:00:00.000Z"),
            ("2018-09-04T12:00:29.999Z", 0, "2018-09-04T12:00:00.000Z"),
            ("2018-09-04T12:00:30.001Z", 0, "2018-09-04T12:01:00.000Z"),
        ] {
            let received = EventTime::parse_rfc3339(received).expect("a time");
            assert_eq!(refined(received, second).to_string(), t, "{received} {second}");
        }
    }

    proptest! {
        #[test]
        fn never_farther_than_half_a_minute(received_ns in any::<i64>(), second in 0_u8..60) {
            let received = EventTime::from_unix_ns(received_ns);
            let t = refined(received, second);
            let later_ns = i128::from(t.unix_ns()) - i128::from(received_ns);
            prop_assert!((-30_000_000_000..30_000_000_000).contains(&later_ns));
            prop_assert!(t.unix_ns().rem_euclid(60_000_000_000) == i64::from(second) * 1_000_000_000
                || t == EventTime::MIN || t == EventTime::MAX);
        }
    }
}
