//! A recording as live messages: what to publish where, and when.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::PathBuf;

use super::recording::{Place, ReadOptions, Recording, RecordingError, Sink};
use crate::ingest::native;
use crate::observation::{MarkChange, Observation, Refusal, VesselId};
use crate::time::EventTime;

/// A recording in the order of its times.
#[derive(Debug, Default)]
pub struct Script {
    /// What was observed.
    pub observations: Vec<Observation>,
    /// How many records are no observation, by reason.
    pub refused: BTreeMap<&'static str, u64>,
}

/// A message to publish.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// How long after the start, seconds of the recording.
    pub at_s: f64,
    /// Where.
    pub topic: String,
    /// What.
    pub payload: String,
    /// Whether the broker keeps it.
    pub retain: bool,
}

impl Script {
    /// Reads recordings and puts them in order of time; what has no time comes first.
    ///
    /// # Errors
    /// The recording that cannot be read, and why.
    pub fn read(tracks: &[PathBuf], options: &ReadOptions) -> Result<Self, (String, RecordingError)> {
        let mut script = Self::default();
        for path in tracks {
            let fail = |error| (path.display().to_string(), error);
            Recording::open(path, options).map_err(fail)?.read(options, &mut script).map_err(fail)?;
        }
        script.observations.sort_by_key(Observation::t);
        Ok(script)
    }

    /// The first and last time in it.
    pub fn period(&self) -> Option<(EventTime, EventTime)> {
        let mut times = self.observations.iter().filter_map(Observation::t);
        let first = times.next()?;
        Some((first, times.next_back().unwrap_or(first)))
    }

    /// The same, sailed by several boats, each `apart_s` behind the one before. One boat stays as it is.
    pub fn repeated(self, boats: usize, apart_s: f64) -> Self {
        if boats <= 1 {
            return self;
        }
        let mut observations = Vec::with_capacity(self.observations.len() * boats);
        for boat in 0..boats {
            let (later_s, name) = (boat as f64 * apart_s, format!("-{}", boat + 1));
            let sailed = self.observations.iter().map(|observation| of_boat(observation, &name, later_s));
            observations.extend(sailed.filter(|observation| boat == 0 || observation.vessel().is_some()));
        }
        observations.sort_by_key(Observation::t);
        Self { observations, refused: self.refused }
    }

    /// The messages, with all times moved so that the recording begins at `begins`; `None` leaves them as they are.
    pub fn lines(&self, begins: Option<EventTime>) -> impl Iterator<Item = Line> {
        let first = self.period().map_or(EventTime::MIN, |(first, _)| first);
        let moved_ns = begins.map_or(0, |begins| begins.unix_ns().saturating_sub(first.unix_ns()));
        self.observations.iter().map(move |observation| {
            let at_s = observation.t().map_or(0.0, |t| t.seconds_since(first));
            let (topic, retain) = topic(observation);
            Line { at_s, topic, payload: native::encode(&moved(observation, moved_ns)), retain }
        })
    }
}

impl Sink for Script {
    fn observation(&mut self, _: Place, observation: &Observation) -> ControlFlow<()> {
        self.observations.push(observation.clone());
        ControlFlow::Continue(())
    }

    fn refused(&mut self, _: Place, refusal: Refusal) {
        *self.refused.entry(refusal.reason.as_str()).or_default() += 1;
    }
}

fn of_boat(observation: &Observation, suffix: &str, later_s: f64) -> Observation {
    let named = |vessel: &VesselId| VesselId::from_foreign(&format!("{vessel}{suffix}")).unwrap_or(vessel.clone());
    let later = |observation: Observation| moved(&observation, (later_s * 1e9) as i64);
    match observation {
        Observation::Fix(vessel, fix) => {
            let mut fix = fix.clone();
            fix.towed_by = fix.towed_by.as_ref().map(named);
            later(Observation::Fix(named(vessel), fix))
        }
        Observation::Activity(vessel, activity) => later(Observation::Activity(named(vessel), activity.clone())),
        Observation::Profile(vessel, profile) => later(Observation::Profile(named(vessel), profile.clone())),
        other => other.clone(),
    }
}

fn moved(observation: &Observation, by_ns: i64) -> Observation {
    let moved = |t: &mut EventTime| *t = EventTime::from_unix_ns(t.unix_ns().saturating_add(by_ns));
    let mut observation = observation.clone();
    match &mut observation {
        Observation::Fix(_, fix) => moved(&mut fix.t),
        Observation::Activity(_, activity) => moved(&mut activity.t),
        Observation::Profile(_, profile) => profile.t.iter_mut().for_each(moved),
        Observation::Conditions(conditions) => moved(&mut conditions.t),
        Observation::Mark(mark) => {
            moved(&mut mark.t);
            if let MarkChange::Placed { until: Some(until), .. } = &mut mark.change {
                moved(until);
            }
        }
    }
    observation
}

/// Where an observation is published, and whether the broker keeps it.
fn topic(observation: &Observation) -> (String, bool) {
    match observation {
        Observation::Fix(vessel, _) => (format!("buoyline/vessels/{vessel}/fix"), false),
        Observation::Activity(vessel, _) => (format!("buoyline/vessels/{vessel}/activity"), false),
        Observation::Profile(vessel, _) => (format!("buoyline/vessels/{vessel}/profile"), true),
        Observation::Mark(mark) => (format!("buoyline/marks/{}", mark.id), true),
        Observation::Conditions(conditions) => (format!("buoyline/conditions/{}", conditions.waterway), false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ingest::{Decoded, Decoder, Message, Settings};

    const RECORDED: &str = r#"
{"type":"fix","vessel":"a","t":"2020-07-04T20:15:03.250Z","lat":47.5,"lon":-117.4,"sog_kn":12.5,"cog_deg":90,"heading_deg":91,"accuracy_m":3,"nav_status":"trolling","lights":["stern"]}
{"type":"fix","vessel":"a","t":"2020-07-04T20:15:04.250Z","lat":47.5,"lon":-117.5}
{"type":"activity","vessel":"a","t":"2020-07-04T20:15:04Z","towing":{"state":"down","rope_m":20.5,"persons":1},"observer_age":null,"siren":true}
{"type":"activity","vessel":"a","t":"2020-07-04T20:15:05Z","towing":null,"persons_aboard":3}
{"type":"vessel","vessel":"a","class":"pwc","length_m":3.25,"name":"Wasp","year":2001}
{"type":"mark","id":"flag-1","t":"2020-07-04T20:15:04Z","kind":"dive_flag","lat":47.25,"lon":-117.5,"until":"2020-07-04T21:15:04Z"}
{"type":"mark","id":"flag-1","t":"2020-07-04T20:15:09Z","kind":null}
{"type":"conditions","waterway":"long-lake","t":"2020-07-04T20:15:04Z","weather":"fog","visibility_m":80.5}
"#;

    fn script() -> Script {
        let mut script = Script::default();
        let options = ReadOptions::default();
        let recording = Recording::from_reader("-", RECORDED.trim().as_bytes(), &options).expect("a recording");
        recording.read(&options, &mut script).expect("read");
        script.observations.sort_by_key(Observation::t);
        script
    }

    /// What a daemon makes of the messages.
    fn heard(lines: impl Iterator<Item = Line>) -> Vec<Observation> {
        let mut decoder = Decoder::new("native", Settings::default()).expect("a decoder");
        let received_at = EventTime::parse_rfc3339("2026-01-01T00:00:00Z").expect("a time");
        let mut heard = Vec::new();
        for line in lines {
            let message =
                Message { topic: &line.topic, payload: line.payload.as_bytes(), received_at, retained: line.retain };
            decoder.decode(&message, |decoded| match decoded {
                Decoded::Observation(observation) => heard.push(observation),
                other => panic!("{line:?}: {other:?}"),
            });
        }
        heard
    }

    #[test]
    fn what_is_published_is_heard_as_it_was_recorded() {
        let script = script();
        assert_eq!(heard(script.lines(None)), script.observations);
        assert_eq!(script.observations.len(), 8);
    }

    #[test]
    fn times_can_be_moved_and_boats_multiplied() {
        let begins = EventTime::parse_rfc3339("2025-01-01T00:00:00Z").expect("a time");
        let script = script();
        let (first, last) = script.period().expect("a period");
        let heard = heard(script.lines(Some(begins)));
        let times: Vec<f64> = heard.iter().filter_map(|o| Some(o.t()?.seconds_since(begins))).collect();
        assert_eq!((times[0], times[times.len() - 1]), (0.0, last.seconds_since(first)));

        let fleet = script.repeated(3, 60.0);
        let vessels: std::collections::BTreeSet<&str> =
            fleet.observations.iter().filter_map(|o| Some(o.vessel()?.as_str())).collect();
        assert_eq!(vessels.into_iter().collect::<Vec<_>>(), ["a-1", "a-2", "a-3"]);
        assert_eq!(fleet.observations.len(), 5 * 3 + 3);
        assert_eq!(fleet.period().expect("a period").1.seconds_since(last), 116.0);
    }
}
