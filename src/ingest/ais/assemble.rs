//! Messages of several sentences: their parts, in whatever order they come, become one payload.

use compact_str::CompactString;

use super::{AisFault, Payload};
use crate::time::EventTime;

/// How many messages may wait for parts at once; the oldest gives way.
const OPEN_MAX: usize = 64;
/// A message whose parts are farther apart than this many lines is given up. Sequence numbers come round after ten.
const LINES_MAX: u64 = 500;
/// The same in seconds, where the times of the parts are known.
const WAIT_S_MAX: f64 = 5.0;
/// The most characters that one part is kept with: a sentence of 82 characters carries 62.
const PART_BYTES_MAX: usize = 256;

/// What the parts of one message have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// How many parts there are, 2 to 9.
    pub total: u8,
    /// The sequential message id, `None` where empty.
    pub sequence: Option<u8>,
    /// The radio channel as written.
    pub channel: CompactString,
    /// Talker and formatter, as in `AIVDM`: several receivers may share a log.
    pub address: CompactString,
    /// The group of the tag block (`g:`), where there is one.
    pub group: Option<u32>,
    /// The source of the tag block (`s:`), where there is one.
    pub source: CompactString,
}

/// One part.
#[derive(Debug, Clone, Copy)]
pub struct Part<'a> {
    /// Which one, from 1.
    pub number: u8,
    /// Its characters.
    pub armoured: &'a [u8],
    /// How many of its last bits only fill up.
    pub fill: u8,
    /// The line it stands in.
    pub line: u64,
    /// When it was received, where that is known.
    pub received: Option<EventTime>,
}

/// What became of a part.
#[derive(Debug, PartialEq, Eq)]
pub enum Whole {
    /// Other parts are missing.
    Waiting,
    /// It repeats one that is there.
    Repeated,
    /// The message is whole: it was first received at this time, where that is known.
    Message(Option<EventTime>),
}

/// Messages that wait for parts.
#[derive(Debug, Default)]
pub struct Assembler {
    open: Vec<Open>,
}

#[derive(Debug)]
struct Open {
    key: Key,
    line: u64,
    received: Option<EventTime>,
    parts: Vec<Option<(Box<[u8]>, u8)>>,
}

impl Assembler {
    /// Takes a part; where that makes its message whole, `payload` becomes its bits. `lost` is told of each message
    /// given up: the line of its first part, and how many of its parts there were of how many.
    ///
    /// # Errors
    /// Where the characters or the length of the whole stand for nothing.
    pub fn take(
        &mut self,
        key: &Key,
        part: Part<'_>,
        payload: &mut Payload,
        lost: &mut dyn FnMut(u64, usize, usize),
    ) -> Result<Whole, AisFault> {
        if part.armoured.len() > PART_BYTES_MAX {
            return Err(AisFault::TooLong);
        }
        self.give_up(&part, lost);
        let index = usize::from(part.number) - 1;
        let mut at = self.open.iter().position(|open| open.key == *key);
        if let Some(i) = at
            && let Some((armoured, fill)) = &self.open[i].parts[index]
        {
            if (&**armoured, *fill) == (part.armoured, part.fill) {
                return Ok(Whole::Repeated);
            }
            // The number has come round: this part is of the next message.
            tell(&self.open.remove(i), lost);
            at = None;
        }
        let i = at.unwrap_or_else(|| {
            if self.open.len() == OPEN_MAX {
                tell(&self.open.remove(0), lost);
            }
            let parts = vec![None; usize::from(key.total)];
            self.open.push(Open { key: key.clone(), line: part.line, received: part.received, parts });
            self.open.len() - 1
        });
        let open = &mut self.open[i];
        open.parts[index] = Some((part.armoured.into(), part.fill));
        // The time belongs to the first part; the others are often without.
        open.received =
            if part.number == 1 { part.received.or(open.received) } else { open.received.or(part.received) };
        if open.parts.iter().any(Option::is_none) {
            return Ok(Whole::Waiting);
        }
        let open = self.open.remove(i);
        payload.clear();
        for (armoured, fill) in open.parts.iter().flatten() {
            payload.push(armoured, *fill)?;
        }
        Ok(Whole::Message(open.received))
    }

    /// Gives up all messages that still wait, as at the end of a log.
    pub fn finish(&mut self, lost: &mut dyn FnMut(u64, usize, usize)) {
        self.open.drain(..).for_each(|open| tell(&open, lost));
    }

    /// Gives up what is too old to belong to `part`.
    fn give_up(&mut self, part: &Part<'_>, lost: &mut dyn FnMut(u64, usize, usize)) {
        self.open.retain(|open| {
            let is_far = part.line.saturating_sub(open.line) > LINES_MAX;
            let is_old = matches!((part.received, open.received), (Some(now), Some(then))
                if now.seconds_since(then) > WAIT_S_MAX);
            if is_far || is_old {
                tell(open, lost);
            }
            !(is_far || is_old)
        });
    }
}

fn tell(open: &Open, lost: &mut dyn FnMut(u64, usize, usize)) {
    lost(open.line, open.parts.iter().flatten().count(), open.parts.len());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(channel: &str) -> Key {
        Key {
            total: 2,
            sequence: Some(3),
            channel: channel.into(),
            address: "AIVDM".into(),
            group: None,
            source: CompactString::default(),
        }
    }

    fn part(number: u8, armoured: &str, line: u64, received_s: i64) -> Part<'_> {
        let received = Some(EventTime::from_unix_ms(received_s * 1000));
        Part { number, armoured: armoured.as_bytes(), fill: 0, line, received }
    }

    struct Bench {
        assembler: Assembler,
        payload: Payload,
        lost: Vec<(u64, usize, usize)>,
    }

    impl Bench {
        fn new() -> Self {
            Self { assembler: Assembler::default(), payload: Payload::default(), lost: Vec::new() }
        }

        fn take(&mut self, key: &Key, part: Part<'_>) -> Result<Whole, AisFault> {
            let lost = &mut |line, parts, of| self.lost.push((line, parts, of));
            self.assembler.take(key, part, &mut self.payload, lost)
        }
    }

    #[test]
    fn parts_come_in_any_order_and_ships_apart() {
        let mut bench = Bench::new();
        let first = EventTime::from_unix_ms(1000);
        assert_eq!(bench.take(&key("A"), part(2, "55", 1, 1)), Ok(Whole::Waiting));
        assert_eq!(bench.take(&key("B"), part(1, "ww", 2, 2)), Ok(Whole::Waiting));
        assert_eq!(bench.take(&key("A"), part(1, "00", 3, 1)), Ok(Whole::Message(Some(first))));
        assert_eq!((bench.payload.unsigned(0, 12), bench.payload.unsigned(12, 12)), (0, 0b000_101_000_101));
        assert_eq!(bench.take(&key("B"), part(2, "00", 4, 2)), Ok(Whole::Message(Some(EventTime::from_unix_ms(2000)))));
        assert_eq!(bench.payload.unsigned(0, 12), 0xfff);
        assert!(bench.lost.is_empty());
    }

    #[test]
    fn what_never_becomes_whole_is_told() {
        let mut bench = Bench::new();
        assert_eq!(bench.take(&key("A"), part(1, "00", 1, 0)), Ok(Whole::Waiting));
        assert_eq!(bench.take(&key("A"), part(1, "00", 2, 1)), Ok(Whole::Repeated));
        assert_eq!(bench.take(&key("A"), part(1, "11", 3, 2)), Ok(Whole::Waiting), "the next message");
        assert_eq!(bench.take(&key("A"), part(2, "11", 4, 8)), Ok(Whole::Waiting), "six seconds later");
        assert_eq!(bench.take(&key("B"), part(2, "11", 900, 8)), Ok(Whole::Waiting), "many lines later");
        let lost = &mut |line, parts, of| bench.lost.push((line, parts, of));
        bench.assembler.finish(lost);
        assert_eq!(bench.lost, [(1, 1, 2), (3, 1, 2), (4, 1, 2), (900, 1, 2)]);
    }

    #[test]
    fn a_flood_of_parts_is_bounded() {
        let mut bench = Bench::new();
        for line in 0..100_000 {
            let key = Key { group: Some(line), ..key("A") };
            assert_eq!(bench.take(&key, part(1, "00", u64::from(line), 0)), Ok(Whole::Waiting));
            assert!(bench.assembler.open.len() <= OPEN_MAX);
        }
        assert_eq!(bench.lost.len(), 100_000 - OPEN_MAX);
        let long = "0".repeat(PART_BYTES_MAX + 1);
        assert_eq!(bench.take(&key("A"), part(1, &long, 0, 0)), Err(AisFault::TooLong));
    }
}
