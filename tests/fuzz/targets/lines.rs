//! Lines of NMEA 0183 and the payloads of AIS.

use buoyline::ingest::ais::{Body, Message, Payload};
use buoyline::ingest::nmea::{Entry, Frames, Reader, Settings};
use buoyline::observation::VesselId;
use buoyline::time::EventTime;

use crate::laws;
use crate::runner::Outcome;

/// A line that cannot be framed is counted in its turn; what lines give does not depend on those that follow; and a
/// log that is given twice is read twice the same.
pub fn nmea(input: &[u8]) -> Outcome {
    // The first byte says what is known about the log.
    let (known, log) = input.split_first().unwrap_or((&0, &[]));
    let settings = Settings {
        vessel: (known & 1 == 0).then(|| VesselId::new("boat-1").expect("an id")),
        date: (known & 2 == 0).then(|| chrono::NaiveDate::from_ymd_opt(2018, 8, 20).expect("a date")),
        utc_offset: (known & 4 == 0).then(|| chrono::FixedOffset::east_opt(3600).expect("an offset")),
    };
    let received = (known & 8 == 0).then(|| EventTime::from_unix_ms(1_796_022_002_000));
    let lines: Vec<&[u8]> = log.split_inclusive(|b| *b == b'\n').collect();
    let read = |lines: &[&[u8]], is_finished: bool| {
        let mut reader = Reader::new(settings.clone());
        let mut entries = Vec::new();
        for line in lines {
            reader.line(line, received, &mut |line, entry| entries.push((line, entry)));
        }
        if is_finished {
            reader.finish(&mut |line, entry| entries.push((line, entry)));
        }
        entries
    };
    let whole = read(&lines, true);
    let half = read(&lines[..lines.len() / 2], false);
    if format!("{half:?}") != format!("{:?}", &whole[..half.len().min(whole.len())]) {
        return Err("what follows changed what came before".to_owned());
    }
    for (number, line) in (1..).zip(&lines) {
        let faults = Frames::of(line).filter(Result::is_err).count();
        let counted = whole.iter().filter(|(at, entry)| *at == number && matches!(entry, Entry::Refused(..))).count();
        if counted < faults && line.first() != Some(&b'#') {
            return Err(format!("{faults} faults in line {number}, and {counted} counted"));
        }
    }
    let said = whole.iter().map(|(at, entry)| match entry {
        _ if *at == 0 || *at > lines.len() as u64 => Err(format!("something of line {at} of {}", lines.len())),
        Entry::Observation(observation) => laws::accepted(observation),
        Entry::Refused(cause, refusal) => Ok(format!("{cause} {}", laws::refused(refusal)?)),
        Entry::Unused(cause) => Ok(format!("unused {cause}")),
        Entry::Needs(need) => Ok(format!("needs {need}")),
    });
    said.collect()
}

/// A payload in two parts is the payload; values lie where their message says, texts are clean.
pub fn ais(input: &[u8]) -> Outcome {
    let (fill, armoured) = input.split_first().unwrap_or((&b'0', &[]));
    let fill = fill.wrapping_sub(b'0');
    let whole = Payload::from_armoured(armoured, fill).and_then(|payload| Message::decode(&payload));
    let (first, second) = armoured.split_at(armoured.len() / 2);
    let mut parts = Payload::default();
    let in_parts = parts.push(first, 0).and_then(|()| parts.push(second, fill)).and_then(|()| Message::decode(&parts));
    // Which of several faults is named first may differ.
    if whole.as_ref().ok() != in_parts.as_ref().ok() {
        return Err(format!("whole it is {whole:?}, in parts {in_parts:?}"));
    }
    let message = match whole {
        Ok(message) => message,
        Err(fault) => return Ok(vec![fault.to_string()]),
    };
    let is_below = |value: Option<f64>, most: f64| value.is_none_or(|value| value.abs() <= most && value.is_finite());
    let texts: Vec<&str> = match &message.body {
        Body::Position(r, vessel) => {
            let is_there = is_below(r.lat_deg, 90.0) && is_below(r.lon_deg, 180.0);
            if !is_there
                || !is_below(r.sog_kn, 1022.0)
                || !is_below(r.cog_deg, 360.0)
                || !is_below(r.heading_deg, 360.0)
            {
                return Err(format!("out of range: {message:?}"));
            }
            vessel.iter().filter_map(|vessel| vessel.name.as_deref()).collect()
        }
        Body::Static(r) => [&r.name, &r.call_sign, &r.destination].into_iter().filter_map(|t| t.as_deref()).collect(),
        _ => Vec::new(),
    };
    match texts.iter().find(|text| text.is_empty() || text.contains('@') || text.trim_end() != **text) {
        Some(text) => Err(format!("a text that is none or not trimmed: {text:?}")),
        None => {
            Ok(vec![format!("type {} {:?}", char::from(b'a' + message.kind), std::mem::discriminant(&message.body))])
        }
    }
}
