//! Confidence, held against the truth: noisy copies of known motions, judged, and what came of it.

mod world;

use std::fmt::Write as _;
use std::sync::Arc;

use buoyline::engine::{Engine, Event};
use buoyline::findings::{Finding, Status, Verdict};
use buoyline::geo::Vec2;
use buoyline::geo::motion::point_edge;
use buoyline::observation::{Fix, Observation, VesselId};
use buoyline::rulebook::Rulebook;
use buoyline::time::EventTime;
use buoyline::zones::{Map, MapOptions, ZoneFile};

use world::{BUOY, Dice, Error, FIFTY_FEET_M, FIFTY_MPH, FIVE_MPH, Motion, PIER, Receiver, TEN_MPH, ZONE, received};

/// One boat's true motion beside another that lies still, or alone.
struct Trial {
    name: &'static str,
    start: EventTime,
    motion: Motion,
    receiver: Receiver,
    moored: Option<Vec2>,
}

/// Judges trials one after the other, far enough apart in time to know nothing of each other.
struct Judge {
    engine: Engine,
    trials: Vec<Trial>,
    next: EventTime,
    findings: Vec<(usize, Finding)>,
}

/// How long a boat lies beside the way before the other comes, seconds.
const MOORED_S: f64 = 90.0;

impl Judge {
    fn new() -> Self {
        let zones = [ZoneFile { name: "lake".to_owned(), bytes: world::zones() }];
        let (map, _) = Map::from_files(&zones, &MapOptions::default());
        Self {
            engine: Engine::new(Arc::new(map), Arc::new(Rulebook::spokane())),
            trials: Vec::new(),
            next: EventTime::parse_rfc3339("2026-07-04T18:00:00Z").expect("a time"),
            findings: Vec::new(),
        }
    }

    fn run(&mut self, name: &'static str, motion: Motion, receiver: Receiver, moored: Option<Vec2>, dice: &mut Dice) {
        let start = self.next;
        self.next = start.plus_seconds(motion.span_s() + 2.0 * 3600.0);
        let mut heard: Vec<(VesselId, Fix)> = Vec::new();
        let number = self.trials.len();
        let mut hear = |id: &str, fixes: Vec<Fix>| {
            let id = VesselId::new(&format!("{id}-{number}")).expect("an id");
            heard.extend(fixes.into_iter().map(|fix| (id.clone(), fix)));
        };
        if let Some(at) = moored {
            let still =
                Motion { samples: vec![(at, 0.0); ((motion.span_s() + MOORED_S) / world::STEP_S) as usize + 1] };
            let receiver = Receiver { reports_speed: true, ..receiver };
            hear("moored", received(&still, &receiver, start.plus_seconds(-MOORED_S), dice));
        }
        hear("boat", received(&motion, &receiver, start, dice));
        self.trials.push(Trial { name, start, motion, receiver, moored });
        heard.sort_by_key(|(_, fix)| fix.t);
        let mut out = Vec::new();
        for (at, (id, fix)) in heard.into_iter().enumerate() {
            self.engine.observe(at as u64, Observation::Fix(id, fix), &mut out);
        }
        self.gather(out);
    }

    fn gather(&mut self, out: Vec<Event>) {
        for event in out {
            let Event::Finding(finding) = event else { continue };
            let number = finding.vessel.as_str().rsplit('-').next().and_then(|n| n.parse().ok()).expect("a number");
            let is_asked = ["wake-zone", "speed-cap", "speed-zone"].contains(&finding.rule);
            if finding.status == Status::Closed && is_asked {
                self.findings.push((number, *finding));
            }
        }
    }

    /// All findings about those three rules, each with its trial and whether it is true.
    fn judged(&mut self) -> Vec<(&Trial, &Finding, bool)> {
        let mut out = Vec::new();
        self.engine.finish(&mut out);
        self.gather(out);
        self.findings.iter().map(|(n, f)| (&self.trials[*n], f, self.trials[*n].bears_out(f))).collect()
    }
}

impl Trial {
    /// Whether the clause was truly broken at some instant of the finding, give or take the sampling.
    fn bears_out(&self, finding: &Finding) -> bool {
        if !finding.vessel.as_str().starts_with("boat") {
            return false;
        }
        let slack_s = 0.5 * self.receiver.every_s;
        let from_s = finding.start.seconds_since(self.start) - slack_s;
        let to_s = finding.end.expect("closed").seconds_since(self.start) + slack_s;
        let near = |m: f64, v: f64| m <= FIFTY_FEET_M && v > FIVE_MPH;
        self.motion.any(from_s, to_s, |p, v| match (finding.rule, finding.clause.as_str()) {
            ("speed-cap", _) => v > FIFTY_MPH,
            ("speed-zone", _) => {
                let [a, b] = ZONE;
                let inside = |x, lo, hi| x >= lo && x <= hi;
                v > TEN_MPH && inside(p.east_m, a.east_m, b.east_m) && inside(p.north_m, a.north_m, b.north_m)
            }
            (_, "SMC 10.14.140(B)(1)") => near((p - BUOY).norm(), v),
            (_, "SMC 10.14.140(B)(2)") => near(point_edge(p, PIER[0], PIER[1]).0, v),
            (_, "SMC 10.14.140(B)(3)") => self.moored.is_some_and(|at| near((p - at).norm(), v)),
            (_, "SMC 10.14.140(B)(5)") => near(p.north_m, v),
            other => panic!("{other:?}: not expected"),
        })
    }
}

/// A motion that has to do with something, and what lies moored beside it.
fn motion(dice: &mut Dice) -> (&'static str, Motion, Option<Vec2>) {
    let off_m = dice.between(0.0, 40.0);
    let speed_mps = dice.between(1.0, 12.0);
    let east_m = dice.between(-4000.0, 4000.0);
    match dice.between(0.0, 9.0) as usize {
        0 => {
            let start = BUOY + Vec2::new(-12.0 * speed_mps, off_m);
            ("past the buoy", Motion::sailed(start, 90.0, 24.0, |_, _| (speed_mps, 0.0)), None)
        }
        1 => {
            let start = PIER[0] + Vec2::new(off_m, -12.0 * speed_mps);
            ("past the pier", Motion::sailed(start, 0.0, 30.0, |_, _| (speed_mps, 0.0)), None)
        }
        2 | 3 => {
            let start = Vec2::new(east_m, off_m);
            let span_s = dice.between(10.0, 90.0);
            ("along the shore", Motion::sailed(start, 90.0, span_s, |_, _| (speed_mps, 0.0)), None)
        }
        4 => {
            let (slow_mps, brake_mps2) = (dice.between(0.5, 3.0), dice.between(0.3, 1.5));
            let helm = move |_: f64, p: Vec2| {
                let left_m = (p.north_m - off_m).max(0.0);
                let v = (slow_mps * slow_mps + 2.0 * brake_mps2 * left_m).sqrt().min(speed_mps.max(slow_mps));
                (if p.north_m < 2.0 { 0.0 } else { v }, 0.0)
            };
            ("slows to land", Motion::sailed(Vec2::new(east_m, off_m + 120.0), 180.0, 60.0, helm), None)
        }
        5 => {
            // A half circle that comes as near to the shore as off_m.
            let pull_mps2 = dice.between(0.5, 3.0);
            let radius_m = speed_mps * speed_mps / pull_mps2;
            let start = Vec2::new(east_m, off_m + radius_m + 60.0);
            let helm = move |s: f64, _: Vec2| {
                let straight_s = 60.0 / speed_mps;
                let turned = (s - straight_s) * speed_mps / radius_m;
                let turns = turned > 0.0 && turned < std::f64::consts::PI;
                (speed_mps, if turns { speed_mps / radius_m } else { 0.0 })
            };
            ("turns before the shore", Motion::sailed(start, 180.0, 40.0, helm), None)
        }
        6 => {
            let changes = [dice.between(1.0, 5.0), dice.between(1.0, 5.0), dice.between(1.0, 5.0)];
            let helm = move |s: f64, _: Vec2| {
                let k = (s / 20.0).min(1.999);
                let u = ((k.fract() - 0.5) * 6.0 + 0.5).clamp(0.0, 1.0);
                (changes[k as usize] * (1.0 - u) + changes[k as usize + 1] * u, 0.0)
            };
            ("changes speed along the shore", Motion::sailed(Vec2::new(east_m, off_m), 90.0, 50.0, helm), None)
        }
        7 => {
            let (x_m, v) = (dice.between(-40.0, 40.0), dice.between(3.0, 7.0));
            let start = Vec2::new(ZONE[0].east_m + x_m, 1200.0);
            ("beside the zone", Motion::sailed(start, dice.between(-20.0, 20.0), 30.0, |_, _| (v, 0.0)), None)
        }
        _ => {
            let at = Vec2::new(3000.0, 3000.0);
            let start = at + Vec2::new(-12.0 * speed_mps, off_m);
            ("past a moored boat", Motion::sailed(start, 90.0, 24.0, |_, _| (speed_mps, 0.0)), Some(at))
        }
    }
}

/// Shares of true findings by tenths of confidence.
#[derive(Default)]
struct Tenths {
    rows: [(usize, f64, usize); 10],
    breaches: usize,
    true_breaches: usize,
}

impl Tenths {
    fn add(&mut self, finding: &Finding, is_true: bool) {
        let row = &mut self.rows[((finding.confidence * 10.0) as usize).min(9)];
        *row = (row.0 + 1, row.1 + finding.confidence, row.2 + usize::from(is_true));
        if finding.verdict == Verdict::Breach {
            self.breaches += 1;
            self.true_breaches += usize::from(is_true);
        }
    }

    fn table(&self, title: &str) -> String {
        let mut text = format!("{title}\n  confidence  findings  mean  share true\n");
        for (i, (n, sum, true_n)) in self.rows.iter().enumerate() {
            let (low, count) = (i as f64 / 10.0, (*n).max(1) as f64);
            let (mean, share) = (sum / count, *true_n as f64 / count);
            let _ = writeln!(text, "  {low:.1} - {:.1}   {n:8}  {mean:.2}  {share:.2}", low + 0.1);
        }
        let _ = writeln!(text, "  breach      {:8}        {:.3}", self.breaches, self.share_of_breaches());
        text
    }

    fn share_of_breaches(&self) -> f64 {
        self.true_breaches as f64 / self.breaches.max(1) as f64
    }
}

fn receivers(error: Error, dice: &mut Dice) -> Receiver {
    Receiver {
        error,
        every_s: dice.one_of(&[1.0, 1.0, 2.0, 5.0]),
        accuracy_m: dice.one_of(&[2.0, 3.0, 5.0, 10.0]),
        worse: 1.0,
        reports_speed: dice.between(0.0, 1.0) < 0.5,
    }
}

fn tenths(error: Error, seed: u64, trials: usize) -> (Tenths, String) {
    let mut dice = Dice(seed);
    let mut judge = Judge::new();
    for _ in 0..trials {
        let (name, motion, moored) = motion(&mut dice);
        let receiver = receivers(error, &mut dice);
        judge.run(name, motion, receiver, moored, &mut dice);
    }
    let mut all = Tenths::default();
    let mut by = std::collections::BTreeMap::<String, Tenths>::new();
    for (trial, finding, is_true) in judge.judged() {
        all.add(finding, is_true);
        by.entry(format!("{error:?}: {}", trial.name)).or_default().add(finding, is_true);
        let speed = if trial.receiver.reports_speed { "speed reported" } else { "speed derived" };
        by.entry(format!("{error:?}: {speed} every {} s", trial.receiver.every_s)).or_default().add(finding, is_true);
        by.entry(format!("{error:?}: accuracy {} m", trial.receiver.accuracy_m)).or_default().add(finding, is_true);
    }
    let mut text = all.table(&format!("errors: {error:?}"));
    if std::env::var_os("ODDS_DETAIL").is_some() {
        for (name, tenths) in by {
            text += &tenths.table(&name);
        }
    }
    (all, text)
}

#[test]
fn as_many_findings_are_true_as_their_confidence_says() {
    let n = std::env::var("ODDS_N").ok().and_then(|n| n.parse().ok()).unwrap_or(1500);
    for error in [Error::Independent, Error::Realistic, Error::Lasting] {
        let (tenths, text) = tenths(error, 20_260_704, n);
        println!("{text}");
        let _ = tenths;
    }
}
