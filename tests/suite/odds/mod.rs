//! Confidence, held against the truth: noisy copies of known motions, judged, and what came of it.

mod skiing;
mod takeoff;
pub mod world;

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
            self.engine.observe(at as u64, &Observation::Fix(id, fix), &mut out);
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
    if std::env::var_os("BUOYLINE_ODDS_DETAIL").is_some() {
        for (name, tenths) in by {
            text += &tenths.table(&name);
        }
    }
    (all, text)
}

/// How far the share of true findings of a tenth may be from their mean confidence, above and below, on top
/// of what chance does, and how far on average over all findings. Saying too little is the smaller fault.
const TOO_SURE: f64 = 0.1;
const TOO_SHY: f64 = 0.15;
const ON_AVERAGE: f64 = 0.05;

#[test]
fn as_many_findings_are_true_as_their_confidence_says() {
    for (error, trials) in [(Error::Independent, 700), (Error::Realistic, 2000), (Error::Lasting, 700)] {
        let (tenths, text) = tenths(error, 20_260_704, trials);
        println!("{text}");
        assert!(tenths.breaches > 100 && tenths.share_of_breaches() >= 0.97, "{text}");
        if error != Error::Realistic {
            continue;
        }
        let (mut off, mut all) = (0.0, 0.0);
        for (n, sum, true_n) in tenths.rows {
            assert!(n >= 15, "{text}");
            let n = n as f64;
            let (mean, share) = (sum / n, true_n as f64 / n);
            let chance = 2.0 * (mean * (1.0 - mean) / n).sqrt();
            assert!(
                share > mean - TOO_SURE - chance && share < mean + TOO_SHY + chance,
                "{mean:.2}: {share:.2}\n{text}"
            );
            off += n * (share - mean).abs();
            all += n;
        }
        assert!(off / all < ON_AVERAGE, "{:.3} off on average\n{text}", off / all);
    }
}

/// A fleet that keeps the law: hours on the water, findings of each verdict.
struct Fleet {
    hours: f64,
    breaches: usize,
    alerts: usize,
    worst: Vec<String>,
    /// Alerts by what the boat did.
    by: std::collections::BTreeMap<String, usize>,
}

impl Fleet {
    fn per_100_hours(&self, n: usize) -> f64 {
        100.0 * n as f64 / self.hours
    }
}

/// Seventy feet: nobody of the fleet is faster than 4.5 mph nearer than this to anything, metres.
const SEVENTY_FEET_M: f64 = 70.0 * 0.3048;
const LAWFUL_MPS: f64 = 4.5 * 0.447_04;

/// Half an hour of a lawful boat.
fn lawful(dice: &mut Dice) -> (&'static str, Motion, Option<Vec2>) {
    let span_s = 1800.0;
    let east_m = dice.between(-4000.0, 1000.0);
    let off_m = dice.between(1.0, 20.0);
    match dice.between(0.0, 8.0) as usize {
        0 => {
            ("at rest at the pier", Motion::sailed(PIER[0] + Vec2::new(2.0, 9.0), 0.0, span_s, |_, _| (0.0, 0.0)), None)
        }
        1 => {
            let start = Vec2::new(east_m, off_m);
            ("just under 5 mph along the shore", Motion::sailed(start, 90.0, span_s, |_, _| (LAWFUL_MPS, 0.0)), None)
        }
        2 => {
            // Out and home at 12 m/s; slow from 70 ft on.
            let brake_mps2 = dice.between(0.5, 1.5);
            let helm = move |s: f64, p: Vec2| {
                let left_m = p.north_m - SEVENTY_FEET_M;
                let v = (LAWFUL_MPS * LAWFUL_MPS + 2.0 * brake_mps2 * left_m.max(0.0)).sqrt().min(12.0);
                // Turns about at the far end and near the shore.
                let turns = (s % 120.0) > 110.0 && p.north_m > 200.0;
                (if p.north_m < 3.0 { 0.0 } else { v }, if turns { 0.1 } else { 0.0 })
            };
            ("slows to land", Motion::sailed(Vec2::new(east_m, 900.0), 180.0, span_s, helm), None)
        }
        3 => {
            let v = dice.between(20.0, 22.0);
            let helm = move |s: f64, _: Vec2| (v, if (s % 60.0) > 45.0 { 0.21 } else { 0.0 });
            ("just under 50 mph far off", Motion::sailed(Vec2::new(0.0, 6000.0), 0.0, span_s, helm), None)
        }
        4 => {
            let v = dice.between(4.0, 12.0);
            let start = Vec2::new(-5000.0, SEVENTY_FEET_M + dice.between(0.5, 10.0));
            ("fast along the shore outside 70 ft", Motion::sailed(start, 90.0, 9000.0 / v, |_, _| (v, 0.0)), None)
        }
        5 => {
            // Round and round in the zone, just under its limit.
            let start = Vec2::new(-2000.0, 1300.0);
            ("just under 10 mph in the zone", Motion::sailed(start, 90.0, span_s, |_, _| (0.95 * TEN_MPH, 0.02)), None)
        }
        6 => {
            let at = Vec2::new(3000.0, 3000.0);
            let start = at + Vec2::new(-dice.between(2.0, 10.0), 0.0);
            ("just under 5 mph about a moored boat", Motion::sailed(start, 0.0, span_s, |_, _| (1.9, 0.19)), Some(at))
        }
        _ => {
            let helm = |s: f64, _: Vec2| (1.0 + libm::sin(0.1 * s), 0.05 * libm::sin(0.03 * s));
            ("pottering about the buoy", Motion::sailed(BUOY + Vec2::new(-10.0, -5.0), 90.0, span_s, helm), None)
        }
    }
}

fn fleet(error: Error, seed: u64, boats: usize) -> Fleet {
    let mut dice = Dice(seed);
    let mut judge = Judge::new();
    for _ in 0..boats {
        let (name, motion, moored) = lawful(&mut dice);
        let receiver = Receiver { accuracy_m: dice.one_of(&[3.0, 5.0]), ..receivers(error, &mut dice) };
        judge.run(name, motion, receiver, moored, &mut dice);
    }
    let hours = judge.trials.iter().map(|trial| trial.motion.span_s()).sum::<f64>() / 3600.0;
    let mut fleet = Fleet { hours, breaches: 0, alerts: 0, worst: Vec::new(), by: Default::default() };
    for (trial, finding, is_true) in judge.judged() {
        assert!(!is_true, "{} breaks {}", trial.name, finding.clause);
        if !finding.below_min_confidence {
            fleet.alerts += 1;
            let speed = if trial.receiver.reports_speed { "reported" } else { "derived" };
            *fleet.by.entry(format!("{}, speed {speed}", trial.name)).or_default() += 1;
        }
        if finding.verdict == Verdict::Breach {
            fleet.breaches += 1;
            fleet
                .worst
                .push(format!("{}, {:?}: {:.3} {}", trial.name, trial.receiver, finding.confidence, finding.text));
        }
    }
    fleet
}

#[test]
fn a_lawful_fleet_gets_next_to_no_breach() {
    for (error, boats) in [(Error::Independent, 60), (Error::Realistic, 120), (Error::Lasting, 30)] {
        let fleet = fleet(error, 8, boats);
        println!(
            "{error:?}: {:.0} boat-hours, {} breach, {} above min_confidence: {:?}",
            fleet.hours, fleet.breaches, fleet.alerts, fleet.by
        );
        // One in a hundred boat-hours, of boats most of which keep just under a limit all the time.
        assert!(fleet.breaches as f64 <= (fleet.hours / 100.0).ceil(), "{:#?}", fleet.worst);
        // Only who keeps within 10 % of a limit for half an hour is now and then likelier over it than not.
        let clear: usize = fleet.by.iter().filter(|(what, _)| !what.contains("just under")).map(|(_, n)| n).sum();
        assert!(fleet.per_100_hours(clear) <= 5.0, "{error:?}: {:?}", fleet.by);
    }
}

const COPIES: usize = 40;

/// The spread of confidence over noisy copies of one motion: what 5 %, 50 % and 95 % stay below.
fn spread(motion: &Motion, receiver: Receiver, clause: &str, moored: Option<Vec2>) -> [f64; 3] {
    let mut dice = Dice(77);
    let mut judge = Judge::new();
    for _ in 0..COPIES {
        judge.run("offender", motion.clone(), receiver, moored, &mut dice);
    }
    let mut highest = vec![0.0_f64; COPIES];
    judge.judged();
    for (number, finding) in &judge.findings {
        if finding.clause.contains(clause) && finding.vessel.as_str().starts_with("boat") {
            highest[*number] = highest[*number].max(finding.confidence);
        }
    }
    highest.sort_by(f64::total_cmp);
    [highest[COPIES / 20], highest[COPIES / 2], highest[COPIES - 1 - COPIES / 20]]
}

#[test]
fn clear_offenders_are_named() {
    let good = Receiver { error: Error::Realistic, every_s: 1.0, accuracy_m: 3.0, worse: 1.0, reports_speed: true };
    let poor = Receiver { accuracy_m: 5.0, reports_speed: false, ..good };
    let pier = Motion::sailed(PIER[0] + Vec2::new(30.0 * 0.3048, -10.0), 0.0, 10.0, |_, _| (12.0 * 0.447_04, 0.0));
    let buoy = Motion::sailed(BUOY + Vec2::new(-160.0, 2.0), 90.0, 20.0, |_, _| (40.0 * 0.447_04, 0.0));
    let shore = |mph: f64, m: f64| Motion::sailed(Vec2::new(2000.0, m), 90.0, 60.0, move |_, _| (mph * 0.447_04, 0.0));
    let still = Motion::sailed(PIER[0] + Vec2::new(3.0, 5.0), 0.0, 300.0, |_, _| (0.0, 0.0));
    let slower = |every_s: f64| Receiver { every_s, ..good };
    // What it is, its copies' confidence, and the least that 95 % and half of the copies reach.
    let offenders = [
        ("12 mph 30 ft off a pier, speed reported", spread(&pier, good, "(B)(2)", None), [0.95, 0.99]),
        ("12 mph 30 ft off a pier, speed derived, 5 m", spread(&pier, poor, "(B)(2)", None), [0.8, 0.95]),
        ("40 mph past a buoy, speed reported", spread(&buoy, good, "(B)(1)", None), [0.99, 0.99]),
        ("40 mph past a buoy, speed derived, 5 m", spread(&buoy, poor, "(B)(1)", None), [0.95, 0.99]),
        ("40 mph past a buoy, every 5 s", spread(&buoy, slower(5.0), "(B)(1)", None), [0.95, 0.99]),
        ("40 mph past a buoy, every 10 s", spread(&buoy, slower(10.0), "(B)(1)", None), [0.6, 0.8]),
        ("8 mph 20 ft off the shore, derived, 5 m", spread(&shore(8.0, 6.1), poor, "(B)(5)", None), [0.95, 0.99]),
        ("6 mph 20 ft off the shore, derived, 5 m", spread(&shore(6.0, 6.1), poor, "(B)(5)", None), [0.9, 0.95]),
    ];
    for (name, [low, median, high], [least_low, least_median]) in offenders {
        println!("{name:45} {low:.3} {median:.3} {high:.3}");
        assert!(low >= least_low && median >= least_median, "{name}: {low:.3} {median:.3}");
    }
    // A boat at rest beside a pier, 20 m of spread at a stated accuracy of 5 m.
    let rough = |error, reports_speed| Receiver { error, worse: 2.5, reports_speed, ..poor };
    for error in [Error::Independent, Error::Realistic] {
        for reports_speed in [true, false] {
            let [low, median, high] = spread(&still, rough(error, reports_speed), "(B)(2)", None);
            println!("at rest, {error:?}, speed reported: {reports_speed} {low:.3} {median:.3} {high:.3}");
            assert!(high < 0.95 && (high < 0.01 || !reports_speed), "{error:?} {reports_speed}: {high}");
        }
    }
}
