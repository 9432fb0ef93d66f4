//! The charts: speed and distance over time, each with its limit as a line.

use std::fmt::Write as _;

use chrono_tz::Tz;

use super::picture::span_ms;
use super::sheet::{Drawn, Picture};
use super::svg::{escaped, opened, path, round_below};
use crate::geo::{LocalFrame, Position, Vec2, distance_m};
use crate::review::{Lead, Review, Track};
use crate::time::EventTime;

/// Millimetres.
const WIDTH: f64 = 178.0;
const HEIGHT: f64 = 27.0;
const LEFT: f64 = 13.0;
const RIGHT: f64 = 3.0;
const TOP: f64 = 4.5;
const BOTTOM: f64 = 5.0;
/// Half of a time of day as it is written.
const HALF_CLOCK: f64 = 6.5;
/// A skier is shown where one was seen within this of a fix, milliseconds.
const SKIER_MS: i64 = 2_000;

/// A line of values over time.
struct Line {
    /// Milliseconds and value; `None` where nothing is known.
    points: Vec<(i64, Option<f64>)>,
}

/// What a chart shows.
struct Chart<'a> {
    title: String,
    unit: &'a str,
    line: Line,
    /// The error of the line, the same unit.
    error: Option<f64>,
    limit: Line,
    /// The side of the limit that is beyond it.
    beyond_is_above: bool,
    gaps: Vec<(i64, i64)>,
}

/// The speed of the vessel, with the limit in force.
pub(super) fn speed(lead: &Lead, review: &Review, error_mps: Option<f64>, zone: Tz) -> Option<Picture> {
    let track = subject(lead, review)?;
    let unit = lead.rulebook.texts.speed;
    let fixes = &track.fixes;
    let of = |value: Option<f64>| value.map(|mps| unit.of_mps(mps));
    let line = |values: &[Option<f64>]| Line {
        points: fixes.t_ms.iter().zip(values).map(|(t_ms, value)| (*t_ms, of(*value))).collect(),
    };
    let chart = Chart {
        title: format!("Speed over ground, {}; limit in force dashed", unit.symbol()),
        unit: unit.symbol(),
        line: line(&fixes.sog_mps),
        error: error_mps.map(|mps| unit.of_mps(mps)),
        limit: line(&fixes.limit_mps),
        beyond_is_above: true,
        gaps: gaps(track),
    };
    Some(chart.picture(lead, review, zone))
}

/// The distance to what the finding is about, with the one that decides; nothing where no distance is asked.
pub(super) fn distance(lead: &Lead, review: &Review, error_m: Option<f64>, zone: Tz) -> Option<Drawn> {
    let track = subject(lead, review)?;
    let unit = lead.rulebook.texts.distance;
    let fixes = &track.fixes;
    let place = |i: usize| Position::from_lat_lon(fixes.lat[i], fixes.lon[i]).ok();
    let values: Vec<(i64, Option<f64>)> = (0..fixes.t_ms.len())
        .map(|i| (fixes.t_ms[i], place(i).and_then(|p| away_m(lead, review, p, fixes.t_ms[i])).map(|m| unit.of_m(m))))
        .collect();
    let to = match (&lead.other, lead.json["peak"]["feature"].as_str()) {
        (Some(other), _) if is_of_skier(lead) => format!("the skier of {other}"),
        (Some(other), _) => format!("vessel {other}"),
        (None, Some(id)) => crate::review::feature_name(lead, id),
        (None, None) => return Some(Drawn::Nothing("The clause asks for no distance.")),
    };
    let limit = lead.number("limit", "distance_m").map(|m| unit.of_m(m));
    let limit = Line { points: fixes.t_ms.iter().map(|t_ms| (*t_ms, limit)).collect() };
    let chart = Chart {
        title: format!("Distance to {to}, {}; the one that decides dashed", unit.symbol()),
        unit: unit.symbol(),
        line: Line { points: values },
        error: error_m.map(|m| unit.of_m(m)),
        limit,
        beyond_is_above: false,
        gaps: gaps(track),
    };
    Some(Drawn::Picture(chart.picture(lead, review, zone)))
}

fn subject<'r>(lead: &Lead, review: &'r Review) -> Option<&'r Track> {
    review.vessels.iter().find(|track| track.id == lead.vessel.as_str())
}

fn gaps(track: &Track) -> Vec<(i64, i64)> {
    track.gaps.iter().map(|gap| (gap.from_ms, gap.to_ms)).collect()
}

/// How far a position is from the other vessel at that time, or from the feature of the worst instant.
fn away_m(lead: &Lead, review: &Review, p: Position, t_ms: i64) -> Option<f64> {
    if let Some(other) = &lead.other {
        let track = review.vessels.iter().find(|track| track.id == other.as_str())?;
        let times = &track.fixes.t_ms;
        let near = (0..times.len()).min_by_key(|&i| (times[i] - t_ms).abs())?;
        let there = Position::from_lat_lon(track.fixes.lat[near], track.fixes.lon[near]).ok()?;
        if is_of_skier(lead) {
            return skier(track, t_ms).map(|skier| distance_m(p, skier));
        }
        return Some(distance_m(p, there));
    }
    // A skier of its own is what came near.
    let own = review.vessels.iter().find(|track| track.id == lead.vessel.as_str()).filter(|_| is_of_skier(lead));
    let p = own.and_then(|track| skier(track, t_ms)).unwrap_or(p);
    let id = lead.json["peak"]["feature"].as_str()?;
    let feature = lead.place()?.features.iter().find(|feature| &*feature.id == id)?;
    let is_water = matches!(feature.kind, crate::zones::ZoneKind::Waterway);
    if !is_water && feature.region.as_ref().is_some_and(|region| region.contains(p)) {
        return Some(0.0);
    }
    let frame = LocalFrame::at(p);
    let mut nearest_m = f64::INFINITY;
    feature.shape.each_edge(&mut |a, b| {
        let (m, _) = crate::geo::motion::point_edge(Vec2::default(), frame.to_plane(a), frame.to_plane(b));
        nearest_m = nearest_m.min(m);
    });
    nearest_m.is_finite().then_some(nearest_m)
}

/// Whether it was a skier that came near, or was come near to.
fn is_of_skier(lead: &Lead) -> bool {
    lead.json["peak"]["skier"].is_object()
}

/// Where the skier of a vessel was, by the nearest time.
fn skier(track: &Track, t_ms: i64) -> Option<Position> {
    let skier = track.skier.as_ref()?;
    let near = (0..skier.t_ms.len()).min_by_key(|&i| (skier.t_ms[i] - t_ms).abs())?;
    let is_then = (skier.t_ms[near] - t_ms).abs() <= SKIER_MS;
    Position::from_lat_lon(skier.lat[near], skier.lon[near]).ok().filter(|_| is_then)
}

impl Chart<'_> {
    fn picture(&self, lead: &Lead, review: &Review, zone: Tz) -> Picture {
        let svg = self.svg(lead, review, zone);
        Picture { svg, about: self.title.clone(), width_mm: WIDTH, height_mm: HEIGHT }
    }

    fn svg(&self, lead: &Lead, review: &Review, zone: Tz) -> String {
        let end_ms = (review.to.unix_ms() - review.from.unix_ms()).max(1);
        let known = self.line.points.iter().chain(&self.limit.points).filter_map(|(_, value)| *value);
        let most = known.fold(0.0, f64::max).max(1.0) * 1.12;
        let step = round_below(most / 2.5);
        let x = |t_ms: i64| LEFT + (WIDTH - LEFT - RIGHT) * t_ms as f64 / end_ms as f64;
        let y = |value: f64| HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value.clamp(0.0, most) / most;
        let mut out = opened("chart", WIDTH, HEIGHT, &self.title);
        let _ = write!(out, r##"<text x="{LEFT}" y="3" class="l">{}</text>"##, escaped(&self.title));
        let (from_ms, to_ms) = span_ms(lead, review);
        let _ = writeln!(
            out,
            r##"<rect x="{:.2}" y="{TOP}" width="{:.2}" height="{:.2}" fill="#eee"/>"##,
            x(from_ms),
            (x(to_ms) - x(from_ms)).max(0.4),
            HEIGHT - TOP - BOTTOM
        );
        for (a, b) in &self.gaps {
            let _ = writeln!(
                out,
                r##"<rect x="{:.2}" y="{TOP}" width="{:.2}" height="{:.2}" fill="none" stroke="#999" stroke-width=".2" stroke-dasharray=".6 .6"/><text x="{:.2}" y="{:.2}" class="l">{:.0} s gap, not judged</text>"##,
                x(*a),
                x(*b) - x(*a),
                HEIGHT - TOP - BOTTOM,
                x(*a) + 0.6,
                TOP + 3.0,
                (b - a) as f64 / 1e3
            );
        }
        let mut value = 0.0;
        while value <= most {
            let _ = writeln!(
                out,
                r##"<path d="M{LEFT} {0:.2}H{1:.2}" stroke="#bbb" stroke-width=".15"/><text x="{2:.2}" y="{3:.2}" text-anchor="end" class="l">{value} {4}</text>"##,
                y(value),
                WIDTH - RIGHT,
                LEFT - 0.8,
                y(value) + 1.0,
                escaped(self.unit)
            );
            value += step;
        }
        self.times(&mut out, review, end_ms, zone, &x);
        if let Some(error) = self.error {
            for part in self.line.parts(&self.gaps) {
                let upper = part.iter().map(|(t, v)| (x(*t), y(v + error)));
                let lower = part.iter().rev().map(|(t, v)| (x(*t), y((v - error).max(0.0))));
                let _ =
                    writeln!(out, r##"<path d="{}Z" fill="#9db8c7" fill-opacity=".4"/>"##, path(upper.chain(lower)));
            }
        }
        for part in self.limit.parts(&self.gaps) {
            let mut d = String::new();
            for (i, (t, v)) in part.iter().enumerate() {
                let _ = if i == 0 {
                    write!(d, "M{:.2} {:.2}", x(*t), y(*v))
                } else {
                    write!(d, "H{:.2}V{:.2}", x(*t), y(*v))
                };
            }
            let _ = writeln!(
                out,
                r##"<path d="{d}" fill="none" stroke="#7a4200" stroke-width=".55" stroke-dasharray="2 .8"/>"##
            );
        }
        for part in self.line.parts(&self.gaps) {
            let d = path(part.iter().map(|(t, v)| (x(*t), y(*v))));
            let _ = writeln!(out, r##"<path d="{d}" fill="none" stroke="#14506e" stroke-width=".5"/>"##);
            for (t, v) in &part {
                let is_beyond =
                    self.limit.at(*t).is_some_and(|limit| if self.beyond_is_above { *v > limit } else { *v <= limit });
                let (fill, r) = if is_beyond { ("#a3103a", 0.75) } else { ("#14506e", 0.4) };
                let _ = writeln!(out, r##"<circle cx="{:.2}" cy="{:.2}" r="{r}" fill="{fill}"/>"##, x(*t), y(*v));
            }
        }
        let peak_ms = lead.peak_t.unix_ms() - review.from.unix_ms();
        let _ = writeln!(
            out,
            r##"<path d="M{0:.2} {TOP}V{1:.2}" stroke="#000" stroke-width=".3"/><text x="{2:.2}" y="{3:.2}" class="l" stroke="#fff" stroke-width=".9" paint-order="stroke">worst</text>"##,
            x(peak_ms),
            HEIGHT - BOTTOM,
            x(peak_ms) + 0.6,
            TOP + 2.9
        );
        let _ = writeln!(
            out,
            r##"<rect x="{LEFT}" y="{TOP}" width="{:.2}" height="{:.2}" fill="none" stroke="#000" stroke-width=".3"/></svg>"##,
            WIDTH - LEFT - RIGHT,
            HEIGHT - TOP - BOTTOM
        );
        out
    }

    fn times(&self, out: &mut String, review: &Review, end_ms: i64, zone: Tz, x: &dyn Fn(i64) -> f64) {
        let steps_ms = [5_000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_800_000, 3_600_000];
        let step_ms = steps_ms.into_iter().find(|step| end_ms / step <= 7).unwrap_or(3_600_000);
        let from_ms = review.from.unix_ms();
        let mut t_ms = (from_ms + step_ms - 1).div_euclid(step_ms) * step_ms;
        let mut is_first = true;
        while t_ms <= from_ms + end_ms {
            let clock = EventTime::from_unix_ms(t_ms).to_chrono().with_timezone(&zone);
            let text = if is_first { clock.format("%H:%M:%S %Z") } else { clock.format("%H:%M:%S") };
            let at = x(t_ms - from_ms);
            // The last one may stand too near to the edge to be in the middle.
            let (anchor, text_x) = if at > WIDTH - HALF_CLOCK { ("end", WIDTH) } else { ("middle", at) };
            let _ = writeln!(
                out,
                r##"<text x="{text_x:.2}" y="{:.2}" text-anchor="{anchor}" class="l">{text}</text><path d="M{at:.2} {:.2}v.8" stroke="#000" stroke-width=".2"/>"##,
                HEIGHT - 1.0,
                HEIGHT - BOTTOM
            );
            is_first = false;
            t_ms += step_ms;
        }
    }
}

impl Line {
    /// Unbroken parts: values that follow each other without a gap.
    fn parts(&self, gaps: &[(i64, i64)]) -> Vec<Vec<(i64, f64)>> {
        let mut parts: Vec<Vec<(i64, f64)>> = vec![Vec::new()];
        for (t_ms, value) in &self.points {
            let after_gap = gaps.iter().any(|(_, to)| to == t_ms);
            if (value.is_none() || after_gap) && parts.last().is_some_and(|part| !part.is_empty()) {
                parts.push(Vec::new());
            }
            if let (Some(value), Some(part)) = (value, parts.last_mut()) {
                part.push((*t_ms, *value));
            }
        }
        parts.retain(|part| !part.is_empty());
        parts
    }

    fn at(&self, t_ms: i64) -> Option<f64> {
        self.points.iter().find(|(t, _)| *t == t_ms).and_then(|(_, value)| *value)
    }
}
