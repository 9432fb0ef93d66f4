//! Line after line, with what has to be remembered between them.

use chrono::{FixedOffset, NaiveDate, NaiveTime, Timelike};

use super::calendar::Calendar;
use super::epoch::{Epochs, Settled};
use super::frame::{Frame, FrameFault, Frames};
use super::gnss::{SECOND_NS, Said};
use super::messages::{Messages, Taken};
use super::stamp::{self, Stamp};
use super::vessels::Vessels;
use super::{Cause, Need};
use crate::ingest::ais::{Body, Message, Mmsi, PositionReport, StationKind};
use crate::observation::{Observation, Refusal, RefusalReason, VesselId};
use crate::time::EventTime;

/// A time of another line serves this many lines after it.
const CLOCK_LINES: u64 = 1000;
/// A `$PGHP` line is about the message after it, of nine lines at most.
const PGHP_LINES: u64 = 9;
/// The own receiver is the source of the own position until it has had none for so long, seconds.
const OWN_GPS_S: f64 = 60.0;

/// What the user says about a log because it does not say so itself.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Whose the fixes of the own receiver are.
    pub vessel: Option<VesselId>,
    /// The day of the first time of day.
    pub date: Option<NaiveDate>,
    /// The offset from UTC of times in front of lines.
    pub utc_offset: Option<FixedOffset>,
}

/// What came out of a line.
#[derive(Debug, Clone, PartialEq)]
pub enum Entry {
    /// A fix or a profile.
    Observation(Observation),
    /// What should have been one, and why it is none.
    Refused(Cause, Refusal),
    /// What is none and should not have been.
    Unused(Cause),
    /// The log has to be asked for something. A recording should not be read further; a live feed may go on.
    Needs(Need),
}

/// Takes what comes out, with the line it stood in, counted from 1. Fixes of the own receiver come out once a line
/// with another time follows, so that lines may step back a little.
pub type Out<'a> = &'a mut dyn FnMut(u64, Entry);

/// Reads lines of NMEA 0183, AIS among them.
#[derive(Debug)]
pub struct Reader {
    settings: Settings,
    line: u64,
    epochs: Epochs,
    messages: Messages,
    vessels: Vessels,
    /// The newest time heard of, and its line.
    clock: Option<(EventTime, u64)>,
    pghp: Option<(EventTime, u64)>,
    lead_calendar: Calendar,
    own_mmsi: Option<Mmsi>,
}

impl Reader {
    /// A reader at the beginning of a log.
    pub fn new(settings: Settings) -> Self {
        let calendar = Calendar::new(settings.date);
        Self {
            settings,
            line: 0,
            epochs: Epochs::new(calendar.clone()),
            messages: Messages::default(),
            vessels: Vessels::default(),
            clock: None,
            pghp: None,
            lead_calendar: calendar,
            own_mmsi: None,
        }
    }

    /// Takes the next line, without or with its line end. `received` is when it arrived, for a live feed.
    pub fn line(&mut self, line: &[u8], received: Option<EventTime>, out: Out<'_>) {
        self.line += 1;
        if line.first() == Some(&b'#') {
            return out(self.line, Entry::Unused(Cause::Comment));
        }
        for frame in Frames::of(line) {
            match frame {
                Ok(frame) => self.frame(&frame, received, out),
                Err(fault) => {
                    let cause = match fault {
                        FrameFault::NoSentence => Cause::NoSentence,
                        fault if fault.is_checksum() => Cause::BadChecksum,
                        _ => Cause::Damaged,
                    };
                    out(self.line, Entry::Refused(cause, Refusal::unparsable(fault.to_string())));
                }
            }
        }
    }

    /// Passes over a line that was too long to be given.
    pub fn skip_line(&mut self, detail: String, out: Out<'_>) {
        self.line += 1;
        out(self.line, Entry::Refused(Cause::Damaged, Refusal::unparsable(detail)));
    }

    /// Gives the epoch that is open, as where a message of a live feed holds whole epochs.
    pub fn end_epoch(&mut self, out: Out<'_>) {
        let vessel = &self.settings.vessel;
        self.epochs.close(&mut |line, settled| out(line, entry(settled, vessel)));
    }

    /// Gives what waits for more: the last epoch, and messages of which parts are missing. Lines may still follow.
    pub fn finish(&mut self, out: Out<'_>) {
        let vessel = &self.settings.vessel;
        self.epochs.finish(&mut |line, settled| out(line, entry(settled, vessel)));
        self.messages.finish(&mut |line, parts, of| out(line, incomplete(parts, of)));
    }

    fn frame(&mut self, frame: &Frame<'_>, received: Option<EventTime>, out: Out<'_>) {
        match frame.formatter() {
            Some([b'V', b'D', b'M' | b'O']) => self.encapsulated(frame, received, out),
            Some(formatter) => match Said::read(frame) {
                Some(Ok(said)) => self.satellite(frame, said, received, out),
                Some(Err(refusal)) => out(self.line, Entry::Refused(Cause::Unreadable, refusal)),
                None => out(self.line, Entry::Unused(Cause::Sentence(printable(formatter)))),
            },
            None if frame.address == b"PGHP" => match pghp(frame) {
                Some(t) => {
                    self.pghp = Some((t, self.line));
                    self.clock = self.pghp;
                }
                None => {
                    let detail =
                        "the $PGHP sentence has no year, month, day, hour, minute, second and millisecond after its 1";
                    out(self.line, Entry::Refused(Cause::Unreadable, Refusal::unparsable(detail)));
                }
            },
            None => out(self.line, Entry::Unused(Cause::Proprietary)),
        }
    }

    fn satellite(&mut self, frame: &Frame<'_>, said: Said, received: Option<EventTime>, out: Out<'_>) {
        let reference = self.stamped(frame).ok().flatten().or(received);
        let vessel = &self.settings.vessel;
        self.epochs.take(said, self.line, reference, &mut |line, settled| out(line, entry(settled, vessel)));
        if let Some(now) = self.epochs.now() {
            self.clock = Some((now, self.line));
        }
    }

    /// The time that the line itself says it was received at.
    fn stamped(&mut self, frame: &Frame<'_>) -> Result<Option<EventTime>, Need> {
        if let Some(received) = frame.tag.and_then(|tag| tag.received) {
            return Ok(Some(received));
        }
        if let Some((t, line)) = self.pghp
            && self.line - line <= PGHP_LINES
        {
            return Ok(Some(t));
        }
        if let Some(Stamp::Instant(t)) = stamp::find(frame.tail) {
            return Ok(Some(t));
        }
        let shown = || format!("\"{}\"", frame.lead.trim_ascii().escape_ascii());
        let local = match stamp::find(frame.lead) {
            None => return Ok(None),
            Some(Stamp::Instant(t)) => return Ok(Some(t)),
            Some(Stamp::NoZone(local)) => local,
            Some(Stamp::NoDate(time)) => self.lead_date(time).ok_or_else(|| Need::LeadDate(shown()))?,
        };
        let zone = self.settings.utc_offset.ok_or_else(|| Need::UtcOffset(shown()))?;
        Ok(stamp::instant(local, zone))
    }

    /// The date of a time of day in front of a line, carried over midnight.
    fn lead_date(&mut self, time: NaiveTime) -> Option<chrono::NaiveDateTime> {
        let time_ns = i64::from(time.num_seconds_from_midnight()) * SECOND_NS + i64::from(time.nanosecond());
        let day = self.lead_calendar.day_of(time_ns, None)?;
        self.lead_calendar.pass(day, time_ns);
        Some(day.plus_ns(time_ns).to_chrono().naive_utc())
    }

    /// When a line was received, as exactly as that is known.
    fn received(&mut self, frame: &Frame<'_>, received: Option<EventTime>) -> Result<Option<EventTime>, Need> {
        let clock = self.clock.filter(|(_, line)| self.line - line <= CLOCK_LINES).map(|(t, _)| t);
        let stamped = self.stamped(frame);
        if let Ok(Some(t)) = stamped {
            self.clock = Some((t, self.line));
            return Ok(Some(t));
        }
        match received.or(clock) {
            Some(t) => Ok(Some(t)),
            None => stamped,
        }
    }

    fn encapsulated(&mut self, frame: &Frame<'_>, received: Option<EventTime>, out: Out<'_>) {
        let line = self.line;
        let received = match self.received(frame, received) {
            Ok(received) => received,
            Err(need) => return out(line, Entry::Needs(need)),
        };
        let taken = self.messages.take(frame, line, received, &mut |line, parts, of| out(line, incomplete(parts, of)));
        if !matches!(taken, Ok(Taken::Waiting)) {
            self.pghp = None;
        }
        match taken {
            Ok(Taken::Message(message, received)) => {
                let is_own = frame.address == b"AIVDO";
                self.message(&message, is_own, received, out);
            }
            Ok(Taken::Waiting) => {}
            Ok(Taken::Repeated) => out(line, Entry::Unused(Cause::RepeatedPart)),
            Err(refusal) => out(line, Entry::Refused(Cause::Unreadable, refusal)),
        }
    }

    fn message(&mut self, message: &Message, is_own: bool, received: Option<EventTime>, out: Out<'_>) {
        let line = self.line;
        let unused = match message.mmsi.kind() {
            StationKind::None => {
                let detail = format!("MMSI {} is none; it should be 1 to 999999999", message.mmsi.number());
                return out(line, Entry::Refused(Cause::NoIdentity, Refusal::unparsable(detail)));
            }
            kind @ (StationKind::Vessel | StationKind::CoastStation) => match message.body {
                Body::Position(..) if message.kind == 9 => Some(Cause::Aircraft),
                Body::Position(..) | Body::Static(_) if kind == StationKind::CoastStation => Some(Cause::CoastStation),
                Body::Position(..) | Body::Static(_) => None,
                Body::BaseStation(_) => Some(Cause::BaseStation),
                Body::Aid(_) => Some(Cause::AidToNavigation),
                Body::Other => Some(Cause::AisType(message.kind)),
            },
            StationKind::Aircraft => Some(Cause::Aircraft),
            StationKind::AidToNavigation => Some(Cause::AidToNavigation),
            StationKind::DistressBeacon => Some(Cause::DistressBeacon),
        };
        if let Some(cause) = unused {
            return out(line, Entry::Unused(cause));
        }
        if is_own && self.own_mmsi.is_none() {
            self.own_mmsi = Some(message.mmsi);
        }
        match &message.body {
            Body::Position(report, vessel) => {
                self.position(message.mmsi, report, received, out);
                if let Some(vessel) = vessel {
                    self.learn(message.mmsi, |profile| vessel.add_to(profile), received, out);
                }
            }
            Body::Static(vessel) => self.learn(message.mmsi, |profile| vessel.add_to(profile), received, out),
            Body::BaseStation(_) | Body::Aid(_) | Body::Other => {}
        }
    }

    fn position(&mut self, mmsi: Mmsi, report: &PositionReport, received: Option<EventTime>, out: Out<'_>) {
        let line = self.line;
        let Some(received) = received else {
            let detail = "nothing in the log says when the message was received: \
                 record with tag blocks, times in front of lines, or the own receiver's sentences";
            return out(line, Entry::Refused(Cause::NoTime, Refusal::new(RefusalReason::NoTime, detail)));
        };
        let is_own = self.own_vessel(mmsi).is_some();
        let own_gps = self.epochs.positioned().filter(|_| is_own);
        if own_gps.is_some_and(|t| received.seconds_since(t) <= OWN_GPS_S) {
            self.learn(mmsi, |_| {}, Some(received), out);
            return out(line, Entry::Unused(Cause::OwnTransponder));
        }
        match report.fix(received) {
            Ok(fix) => {
                let vessel = self.own_vessel(mmsi).unwrap_or_else(|| mmsi.vessel_id());
                out(line, Entry::Observation(Observation::Fix(vessel, fix)));
            }
            Err(refusal) => out(line, Entry::Refused(Cause::NoPosition, refusal)),
        }
    }

    fn learn(
        &mut self,
        mmsi: Mmsi,
        add: impl FnOnce(&mut crate::observation::Profile),
        received: Option<EventTime>,
        out: Out<'_>,
    ) {
        if let Some(mut profile) = self.vessels.learn(mmsi, add) {
            profile.t = received;
            let vessel = self.own_vessel(mmsi).unwrap_or_else(|| mmsi.vessel_id());
            out(self.line, Entry::Observation(Observation::Profile(vessel, Box::new(profile))));
        }
    }

    /// The own boat, where that is who has this identity and its receiver is in the log.
    fn own_vessel(&self, mmsi: Mmsi) -> Option<VesselId> {
        let is_own = self.own_mmsi == Some(mmsi) && self.epochs.positioned().is_some();
        self.settings.vessel.clone().filter(|_| is_own)
    }
}

/// What becomes of an epoch, with the name of the boat.
fn entry(settled: Settled, vessel: &Option<VesselId>) -> Entry {
    match settled {
        Settled::Fix(fix) => match vessel {
            Some(vessel) => Entry::Observation(Observation::Fix(vessel.clone(), fix)),
            None => Entry::Needs(Need::Vessel),
        },
        Settled::Refused(refusal) => {
            let cause = match refusal.reason {
                RefusalReason::NoTime => Cause::NoTime,
                RefusalReason::Duplicate => Cause::Duplicate,
                _ => Cause::NoPosition,
            };
            Entry::Refused(cause, refusal)
        }
        Settled::Unused(cause) => Entry::Unused(cause),
        Settled::Needs(need) => Entry::Needs(need),
    }
}

fn incomplete(parts: usize, of: usize) -> Entry {
    let detail = format!("{parts} of {of} parts of an AIS message came: it cannot be read without the rest");
    Entry::Refused(Cause::Incomplete, Refusal::unparsable(detail))
}

/// `$PGHP,1,year,month,day,hour,minute,second,millisecond,…` in UTC, as written by base stations of Gatehouse.
fn pghp(frame: &Frame<'_>) -> Option<EventTime> {
    let mut numbers = frame.fields().map(|field| std::str::from_utf8(field).ok()?.parse::<u32>().ok());
    let mut next = || numbers.next().flatten();
    next().filter(|version| *version == 1)?;
    let date = NaiveDate::from_ymd_opt(i32::try_from(next()?).ok()?, next()?, next()?)?;
    let time = NaiveTime::from_hms_milli_opt(next()?, next()?, next()?, next()?)?;
    EventTime::from_chrono(date.and_time(time).and_utc())
}

/// A formatter with what cannot be shown replaced, so that noise does not make ever new ones.
fn printable(formatter: [u8; 3]) -> [u8; 3] {
    formatter.map(|byte| if byte.is_ascii_alphanumeric() { byte } else { b'?' })
}
