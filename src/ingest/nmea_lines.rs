//! Lines of NMEA 0183 and AIS as messages: one sentence or a block of lines in each, with or without tag blocks.
//!
//! What the lines mean is told in [`super::nmea`]. Each vessel that the topic names has a reader of its own, which keeps
//! the epoch that is open, dates and parts of AIS messages; so a vessel without a name in its topic shares one with all
//! such. The arrival stands in for the time of a line that has none. A block of several lines is a whole epoch, and its
//! fix comes with it; where each sentence is a message of its own, a fix comes with the first sentence of the next
//! epoch. A kept ("retained") message is read by itself and without its arrival.

use std::collections::BTreeMap;

use super::decoder::{Decode, Decoded, Format, Message, Sample, Speaker, wrong_vessel};
use super::nmea::{Cause, Entry, Need, Reader, Settings};
use crate::observation::{Observation, Refusal, RefusalReason, VesselId};
use crate::time::EventTime;

pub(super) const FORMAT: Format = Format {
    name: "nmea",
    topic: "nmea/{vessel}/#",
    recognise,
    settings: &[],
    build: |_| Box::new(NmeaLines { readers: BTreeMap::new() }),
};

/// Readers that are kept. Beyond that, the one that has waited longest gives what it has and goes.
const READERS_MAX: usize = 1024;

fn recognise(sample: &Sample<'_>) -> bool {
    let text = sample.payload.trim_ascii_start();
    matches!(text, [b'$' | b'!' | b'\\', ..]) && text.contains(&b',')
}

/// The readers, by the vessel whose lines they read, and when each read its last.
struct NmeaLines {
    readers: BTreeMap<Option<VesselId>, (Reader, EventTime)>,
}

impl Decode for NmeaLines {
    fn decode(&mut self, message: &Message<'_>, speaker: &Speaker<'_>, each: &mut dyn FnMut(Decoded)) {
        let vessel = speaker.vessel(None).ok();
        let mut is_any = false;
        let mut counted = |decoded| {
            is_any = true;
            each(decoded);
        };
        if message.retained {
            let mut reader = reader_of(vessel);
            lines(&mut reader, message.payload, None, &mut counted);
            finish(&mut reader, &mut counted);
        } else {
            let reader = self.reader(vessel, message.received_at, &mut counted);
            if lines(reader, message.payload, Some(message.received_at), &mut counted) > 1 {
                reader.end_epoch(&mut |_, entry| counted(decoded(entry)));
            }
        }
        if !is_any {
            each(Decoded::Aside("part"));
        }
    }

    fn finish(&mut self, each: &mut dyn FnMut(Decoded)) {
        for (reader, _) in self.readers.values_mut() {
            finish(reader, each);
        }
    }
}

impl NmeaLines {
    /// The reader of a vessel's lines.
    fn reader(&mut self, vessel: Option<VesselId>, at: EventTime, each: &mut dyn FnMut(Decoded)) -> &mut Reader {
        if self.readers.len() >= READERS_MAX && !self.readers.contains_key(&vessel) {
            let oldest = self.readers.iter().min_by_key(|(_, (_, read_at))| *read_at).map(|(vessel, _)| vessel.clone());
            if let Some((mut reader, _)) = oldest.and_then(|vessel| self.readers.remove(&vessel)) {
                finish(&mut reader, each);
            }
        }
        let (reader, read_at) = self.readers.entry(vessel.clone()).or_insert_with(|| (reader_of(vessel), at));
        *read_at = at;
        reader
    }
}

fn reader_of(vessel: Option<VesselId>) -> Reader {
    Reader::new(Settings { vessel, ..Settings::default() })
}

/// Reads the lines of a payload, and says how many there were.
fn lines(reader: &mut Reader, payload: &[u8], received: Option<EventTime>, each: &mut dyn FnMut(Decoded)) -> usize {
    let lines = payload.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
    lines.map(|line| reader.line(line, received, &mut |_, entry| each(decoded(entry)))).count()
}

fn finish(reader: &mut Reader, each: &mut dyn FnMut(Decoded)) {
    reader.finish(&mut |_, entry| each(decoded(entry)));
}

/// What an entry of a reader is.
pub(super) fn decoded(entry: Entry) -> Decoded {
    match entry {
        Entry::Observation(observation) => Decoded::Observation(observation),
        Entry::Refused(_, refusal) => Decoded::Refused(refusal),
        Entry::Unused(cause) => Decoded::Aside(name(cause)),
        Entry::Needs(Need::Vessel) => Decoded::Refused(wrong_vessel(
            "nothing says whose position it is; write `{vessel}` at its place in the source's `topic`, or say `vessel`",
        )),
        Entry::Needs(need) => Decoded::Refused(Refusal::new(RefusalReason::NoTime, need.to_string())),
    }
}

/// The observation of a reader, if it is of the vessel for which the message may speak.
pub(super) fn spoken_for(decoded: Decoded, speaker: &Speaker<'_>) -> Decoded {
    let Decoded::Observation(observation) = decoded else { return decoded };
    let Some(vessel) = observation.vessel() else { return Decoded::Observation(observation) };
    match speaker.vessel(Some(vessel.as_str())) {
        Err(refusal) => Decoded::Refused(refusal),
        Ok(vessel) => Decoded::Observation(match observation {
            Observation::Fix(_, fix) => Observation::Fix(vessel, fix),
            Observation::Profile(_, profile) => Observation::Profile(vessel, profile),
            other => other,
        }),
    }
}

/// The name under which a line or sentence that gives no observation is counted.
fn name(cause: Cause) -> &'static str {
    match cause {
        Cause::BaseStation => "ais_base_station",
        Cause::CoastStation => "ais_coast_station",
        Cause::AidToNavigation => "ais_aid_to_navigation",
        Cause::Aircraft => "ais_aircraft",
        Cause::DistressBeacon => "ais_distress_beacon",
        Cause::AisType(_) => "ais_other_type",
        Cause::OwnTransponder => "own_ais_beside_gps",
        Cause::WithoutTime => "before_any_time",
        Cause::BesideRmc => "position_beside_rmc",
        Cause::RepeatedPart => "repeated_part",
        _ => "other_sentence",
    }
}
