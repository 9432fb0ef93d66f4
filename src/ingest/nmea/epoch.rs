//! Sentences of the same time of day become one fix.
//!
//! A receiver says in several sentences what it knows of one instant: position and speed in RMC, dilution in GGA, errors
//! in GST. Those that carry the same time of day belong together, whichever talker says them; VTG and HDT carry none
//! and belong to the sentence with a time before them. An epoch ends where another time begins, and nothing of it is
//! carried into the next but the date. Each value is taken from the first sentence that has it; position from RMC
//! before GGA before GLL, motion from RMC before VTG.
//!
//! The day is, the first of these that there is: the date of RMC or ZDA in the epoch (out of old weeks where the time of
//! hearing or the user tells so); the day on which the line was heard, where a logger or a live feed says; the day of the
//! epoch before, or the next after midnight; the day that the user says for the first. Epochs before the first date are
//! held and dated by it.
//!
//! Where RMC comes once a second, a time without one gives no fix: some plotters send GGA and GLL of other
//! instants than RMC, and a track of both would go to and fro.

use chrono::NaiveDate;

use super::calendar::{Calendar, Day};
use super::gnss::{Said, Sentence};
use super::{Cause, Need};
use crate::ingest::{accuracy_m, accuracy_of_hdop_m, angle_deg, position, speed_mps};
use crate::observation::{Fix, Refusal, RefusalReason};
use crate::time::EventTime;
use crate::units::SpeedUnit;

/// The radius of 68 % confidence over the standard deviation each way: √(−2 ln 0.32).
const R68_OF_DEVIATION: f64 = 1.509_6;

/// How long after an RMC an epoch without one gives no fix, seconds.
const RMC_S: f64 = 10.0;

/// How many epochs are held until a date comes. ZDA comes once a minute where it comes at all.
const UNDATED_MAX: usize = 600;

/// What became of an epoch.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Settled {
    Fix(Fix),
    Refused(Refusal),
    Unused(Cause),
    Needs(Need),
}

/// Tells what became of an epoch, and in which line its position stood.
pub(super) type Tell<'a> = &'a mut dyn FnMut(u64, Settled);

/// Groups sentences into epochs.
#[derive(Debug)]
pub(super) struct Epochs {
    calendar: Calendar,
    open: Option<Epoch>,
    undated: Vec<Epoch>,
    last_rmc: Option<EventTime>,
    /// When the receiver last had a position.
    positioned: Option<EventTime>,
    /// By how much the dates are too early, where the user said the first one.
    days_behind: Option<i64>,
}

#[derive(Debug, Clone)]
struct Epoch {
    time_ns: i64,
    /// The day that RMC or ZDA say, and the one on which it was heard.
    day: Option<Day>,
    heard_on: Option<Day>,
    /// The line of its best position.
    line: u64,
    void: Option<&'static str>,
    rmc: Option<Source>,
    gga: Option<Source>,
    gll: Option<Source>,
    sog_kn: Option<f64>,
    cog_deg: Option<f64>,
    heading_deg: Option<f64>,
    hdop: Option<f64>,
    deviations_m: Option<(f64, f64)>,
}

/// A sentence with a position, or with the room for one.
#[derive(Debug, Clone, Copy)]
struct Source {
    lat_lon_deg: Option<(f64, f64)>,
}

impl Epochs {
    pub(super) fn new(calendar: Calendar) -> Self {
        Self { calendar, open: None, undated: Vec::new(), last_rmc: None, positioned: None, days_behind: None }
    }

    /// The time of the epoch that is open, where its day is known.
    pub(super) fn now(&self) -> Option<EventTime> {
        let open = self.open.as_ref()?;
        Some(self.calendar.day_of(open.time_ns, open.day.or(open.heard_on))?.plus_ns(open.time_ns))
    }

    /// When the receiver last had a position.
    pub(super) fn positioned(&self) -> Option<EventTime> {
        let is_positioned = self.open.as_ref().is_some_and(|open| open.void.is_none() && open.has_source());
        self.now().filter(|_| is_positioned).or(self.positioned)
    }

    /// Takes what a sentence says in `line`; `reference` is about when it was heard, where that is known.
    pub(super) fn take(&mut self, said: Said, line: u64, reference: Option<EventTime>, tell: Tell<'_>) {
        let Some(time_ns) = said.time_ns else {
            return self.take_timeless(said, line, tell);
        };
        if self.open.as_ref().is_none_or(|open| open.time_ns != time_ns) {
            self.close(tell);
            self.open = Some(Epoch::at(time_ns, line));
        }
        let day =
            said.date.and_then(|date| self.day(date, reference).map_err(|need| tell(line, Settled::Needs(need))).ok());
        if let Some(open) = &mut self.open {
            open.day = open.day.or(day);
            open.heard_on = open.heard_on.or(reference.map(|t| Day::nearest(t, time_ns)));
            if said.sentence == Sentence::Rmc && open.rmc.is_some() {
                let detail = "a second RMC of the same time";
                tell(line, Settled::Refused(Refusal::new(RefusalReason::Duplicate, detail)));
            } else {
                open.add(&said, line);
            }
        }
    }

    /// The day that a sentence means by a date.
    fn day(&mut self, date: NaiveDate, reference: Option<EventTime>) -> Result<Day, Need> {
        let said = Day::of(date);
        if let Some(reference) = reference {
            return Ok(said.out_of_old_weeks(Day::at(reference)));
        }
        let Some(hint) = self.calendar.hint() else {
            return if said < Day::FIRST_ROLLOVER { Err(Need::DateOfOldWeeks(date)) } else { Ok(said) };
        };
        // What the user says is the first day; a receiver stays as far behind as it was then.
        let behind = *self.days_behind.get_or_insert_with(|| said.out_of_old_weeks(hint).days_after(said));
        Ok(said.plus_days(behind))
    }

    /// Takes a sentence without a time of day: VTG and HDT always, the others of a receiver that does not know it yet.
    fn take_timeless(&mut self, said: Said, line: u64, tell: Tell<'_>) {
        match (said.sentence, &mut self.open) {
            (Sentence::Vtg | Sentence::Hdt, Some(open)) => open.add(&said, line),
            (Sentence::Rmc, _) => {
                let refusal = match said.void {
                    Some(void) => Refusal::new(RefusalReason::NoPosition, void),
                    None => Refusal::new(RefusalReason::NoTime, "the RMC has no time"),
                };
                tell(line, Settled::Refused(refusal));
            }
            _ => tell(line, Settled::Unused(Cause::WithoutTime)),
        }
    }

    /// Ends the epoch that is open.
    pub(super) fn close(&mut self, tell: Tell<'_>) {
        let Some(mut epoch) = self.open.take() else { return };
        let Some(day) = self.calendar.day_of(epoch.time_ns, epoch.day.or(epoch.heard_on)) else {
            if self.undated.len() == UNDATED_MAX {
                self.give_up_undated(tell);
            }
            self.undated.push(epoch);
            return;
        };
        self.calendar.pass(day, epoch.time_ns);
        epoch.day = Some(day);
        if epoch.rmc.is_some() {
            self.last_rmc = Some(day.plus_ns(epoch.time_ns));
        }
        let mut undated = std::mem::take(&mut self.undated);
        let mut after = (day, epoch.time_ns);
        for held in undated.iter_mut().rev() {
            after = (after.0.of_previous(held.time_ns, after.1), held.time_ns);
            held.day = Some(after.0);
        }
        for epoch in undated.iter().chain([&epoch]) {
            self.settle(epoch, tell);
        }
    }

    /// Ends what is open or held, as at the end of a log.
    pub(super) fn finish(&mut self, tell: Tell<'_>) {
        self.close(tell);
        self.give_up_undated(tell);
    }

    /// No date has come.
    fn give_up_undated(&mut self, tell: Tell<'_>) {
        let undated = std::mem::take(&mut self.undated);
        let Some(first) = undated.iter().find(|epoch| epoch.has_source()) else { return };
        tell(first.line, Settled::Needs(Need::Date));
        for epoch in undated.iter().filter(|epoch| epoch.has_source()) {
            let refusal = Refusal::new(RefusalReason::NoTime, "nothing in the log says the date");
            tell(epoch.line, Settled::Refused(refusal));
        }
    }

    /// Makes a fix of an epoch whose day is known, or says why there is none.
    fn settle(&mut self, epoch: &Epoch, tell: Tell<'_>) {
        let (Some(day), true) = (epoch.day, epoch.has_source()) else { return };
        let t = day.plus_ns(epoch.time_ns);
        if epoch.rmc.is_none() && self.last_rmc.is_some_and(|rmc| t.seconds_since(rmc).abs() <= RMC_S) {
            return tell(epoch.line, Settled::Unused(Cause::BesideRmc));
        }
        match epoch.fix(t) {
            Ok(fix) => {
                self.positioned = Some(t);
                tell(epoch.line, Settled::Fix(fix));
            }
            Err(refusal) => tell(epoch.line, Settled::Refused(refusal)),
        }
    }
}

impl Epoch {
    const fn at(time_ns: i64, line: u64) -> Self {
        Self {
            time_ns,
            day: None,
            heard_on: None,
            line,
            void: None,
            rmc: None,
            gga: None,
            gll: None,
            sog_kn: None,
            cog_deg: None,
            heading_deg: None,
            hdop: None,
            deviations_m: None,
        }
    }

    fn add(&mut self, said: &Said, line: u64) {
        let source = Some(Source { lat_lon_deg: said.lat_lon_deg });
        match said.sentence {
            Sentence::Rmc => {
                (self.rmc, self.line) = (source, line);
                // What RMC says goes before a VTG that came earlier.
                self.sog_kn = said.sog_kn.or(self.sog_kn);
                self.cog_deg = said.cog_deg.or(self.cog_deg.filter(|_| said.sog_kn.is_none()));
            }
            Sentence::Gga if self.gga.is_none() => {
                if self.rmc.is_none() {
                    self.line = line;
                }
                self.gga = source;
            }
            Sentence::Gll if self.gll.is_none() => {
                if self.rmc.is_none() && self.gga.is_none() {
                    self.line = line;
                }
                self.gll = source;
            }
            Sentence::Vtg if said.void.is_none() && self.sog_kn.is_none() => {
                (self.sog_kn, self.cog_deg) = (said.sog_kn, said.cog_deg);
            }
            _ => {}
        }
        if said.sentence != Sentence::Vtg {
            self.void = self.void.or(said.void);
        }
        self.heading_deg = self.heading_deg.or(said.heading_deg);
        self.hdop = self.hdop.or(said.hdop);
        self.deviations_m = self.deviations_m.or(said.deviations_m);
    }

    /// Whether there was a sentence that could have had a position.
    fn has_source(&self) -> bool {
        self.rmc.is_some() || self.gga.is_some() || self.gll.is_some()
    }

    fn fix(&self, t: EventTime) -> Result<Fix, Refusal> {
        if let Some(void) = self.void {
            return Err(Refusal::new(RefusalReason::NoPosition, void));
        }
        let sources = [self.rmc, self.gga, self.gll];
        let (lat_deg, lon_deg) = sources.iter().flatten().find_map(|source| source.lat_lon_deg).unzip();
        Ok(Fix {
            sog_mps: speed_mps(self.sog_kn, SpeedUnit::Kn),
            cog_deg: angle_deg(self.cog_deg),
            heading_deg: angle_deg(self.heading_deg),
            accuracy_m: self.accuracy_m(),
            ..Fix::new(t, position(lat_deg, lon_deg)?)
        })
    }

    /// The radius of 68 % confidence: of the deviations (GST), else of the dilution (GGA), else none.
    fn accuracy_m(&self) -> Option<f64> {
        let of_each_way_m = |(lat_m, lon_m): (f64, f64)| libm::sqrt((lat_m * lat_m + lon_m * lon_m) / 2.0);
        let of_deviations = self.deviations_m.map(of_each_way_m).map(|deviation_m| R68_OF_DEVIATION * deviation_m);
        accuracy_m(of_deviations).or(accuracy_of_hdop_m(self.hdop))
    }
}
