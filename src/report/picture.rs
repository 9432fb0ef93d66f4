//! The map picture: shore, structures, where the clause binds, and the tracks.

use std::fmt::Write as _;

use super::sheet::Picture;
use super::svg::{escaped, opened, path, round_below};
use crate::geo::{LocalFrame, Position, Vec2};
use crate::review::{Lead, Review, Track};
use crate::zones::{Feature, Waterway, ZoneKind};

/// Millimetres.
const WIDTH: f64 = 178.0;
const HEIGHT: f64 = 72.0;
/// What is seen around the tracks at least, metres.
const AROUND_M: f64 = 60.0;
/// Dots of fixes are no nearer to each other than this, millimetres.
const DOTS_APART: f64 = 2.4;
/// How broad a letter is, millimetres.
const LETTER: f64 = 1.5;
/// No picture shows less than this across, metres.
const ACROSS_MIN_M: f64 = 220.0;
/// The tracks this long before and after the finding are shown whole, milliseconds.
const SHOWN_MS: i64 = 20_000;

/// Metres around the worst instant become millimetres.
struct View {
    frame: LocalFrame,
    centre: Vec2,
    mm_per_m: f64,
}

impl View {
    fn mm(&self, p: Position) -> (f64, f64) {
        let at = self.frame.to_plane(p) - self.centre;
        (0.5 * WIDTH + at.east_m * self.mm_per_m, 0.5 * HEIGHT - at.north_m * self.mm_per_m)
    }

    /// A line or ring, without what lies far outside and cannot change what is seen: a lake may have a million corners.
    fn line(&self, positions: &[Position]) -> String {
        let all: Vec<(f64, f64)> = positions.iter().map(|p| self.mm(*p)).collect();
        let kept = all.iter().enumerate().filter(|(i, at)| {
            let beside = [i.checked_sub(1).and_then(|k| all.get(k)), all.get(i + 1)];
            let is_end = beside.iter().any(Option::is_none);
            is_end || beside.iter().flatten().any(|other| side(**other) != side(**at)) || side(**at) == [0, 0]
        });
        path(kept.map(|(_, at)| *at))
    }

    /// Whether something between two points may be seen, as broad as this, millimetres.
    fn sees_edge(&self, a: (f64, f64), b: (f64, f64), broad: f64) -> bool {
        let beyond = |p: f64, q: f64, size: f64| p.max(q) < -broad || p.min(q) > size + broad;
        !beyond(a.0, b.0, WIDTH) && !beyond(a.1, b.1, HEIGHT)
    }

    /// Whether something with this box may be seen.
    fn sees(&self, feature: &Feature) -> bool {
        let (mut low, mut high) = ((f64::MAX, f64::MAX), (f64::MIN, f64::MIN));
        feature.shape.each_edge(&mut |a, b| {
            for (x, y) in [self.mm(a), self.mm(b)] {
                low = (low.0.min(x), low.1.min(y));
                high = (high.0.max(x), high.1.max(y));
            }
        });
        let margin = 10.0;
        low.0 < WIDTH + margin && high.0 > -margin && low.1 < HEIGHT + margin && high.1 > -margin
    }
}

/// On which side of the frame, with a margin, a point lies: before it, beside nothing, or behind it, across and down.
fn side((x, y): (f64, f64)) -> [i8; 2] {
    let of = |at: f64, size: f64| if at < -20.0 { -1 } else { i8::from(at > size + 20.0) };
    [of(x, WIDTH), of(y, HEIGHT)]
}

/// The picture. `metric` says whether the scale is in metres.
pub(super) fn picture(lead: &Lead, review: &Review, peak: Position, metric: bool) -> Option<Picture> {
    let place = lead.place()?;
    let view = view_of(review, peak, lead);
    let about = "map of the place";
    let mut out = opened("map", WIDTH, HEIGHT, about);
    let _ = writeln!(
        out,
        r##"
<defs><clipPath id="frame"><rect width="{WIDTH}" height="{HEIGHT}"/></clipPath>
<pattern id="land" width="2" height="2" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="2" height="2" fill="#f4f0e6"/><path d="M0 0V2" stroke="#cfc8b6" stroke-width=".25"/></pattern></defs>
<g clip-path="url(#frame)"><rect width="{WIDTH}" height="{HEIGHT}" fill="url(#land)"/>"##
    );
    let (water, cut) = (water(place, &view), format!("water-{}", lead.id));
    let _ = writeln!(
        out,
        r##"<clipPath id="{cut}"><path d="{water}" clip-rule="evenodd"/></clipPath><path d="{water}" fill="#fff" fill-rule="evenodd"/><g clip-path="url(#{cut})">"##
    );
    let involved: Vec<&str> =
        lead.json["features"].as_array().into_iter().flatten().filter_map(|id| id.as_str()).collect();
    strip(&mut out, lead, place, &view, &involved);
    out += "</g>";
    shoreline(&mut out, place, &view, &water);
    structures(&mut out, place, &view, &involved);
    tracks(&mut out, lead, review, &view);
    worst(&mut out, lead, place, &view, peak);
    out += "</g>\n";
    furniture(&mut out, &view, metric);
    let svg = out + "</svg>";
    Some(Picture { svg, about: about.to_owned(), width_mm: WIDTH, height_mm: HEIGHT })
}

/// What the picture is drawn with.
pub(super) fn key() -> Picture {
    let marks = [
        (r##"<path d="M0 0H7" stroke="#14506e" stroke-width=".6"/>"##, "within the limit"),
        (
            r##"<path d="M0 0H7" stroke="#a3103a" stroke-width="1.7"/><path d="M0 0H7" stroke="#fff" stroke-width=".6"/>"##,
            "beyond it",
        ),
        (r##"<path d="M0 0H7" stroke="#777" stroke-width=".3" stroke-dasharray=".8 .8"/>"##, "gap"),
        (r##"<path d="M0 0H7" stroke="#555" stroke-width=".5" stroke-dasharray="1.6 .6 .4 .6"/>"##, "other vessel"),
        (r##"<circle cx="6" r=".45" fill="#222"/>"##, "fix"),
        (r##"<circle cx="6" r=".5" fill="#fff" stroke="#222" stroke-width=".2"/>"##, "fix, speed by path"),
        (r##"<circle cx="5" r="1.5" fill="none" stroke="#000" stroke-width=".5"/>"##, "worst instant"),
        (r##"<path d="M0 0H7" stroke="#c9c2ad" stroke-opacity=".5" stroke-width="2.6"/>"##, "where the clause binds"),
    ];
    let about = "key: ".to_owned() + &marks.map(|(_, what)| what).join("; ");
    let (across, height) = (4, 7.2);
    let mut out = opened("key", WIDTH, height, &about);
    for (i, (mark, what)) in marks.iter().enumerate() {
        let (x, y) = ((i % across) as f64 * WIDTH / across as f64, 2.0 + 3.5 * (i / across) as f64);
        let _ = writeln!(
            out,
            r##"<g transform="translate({x:.2} {y:.2})">{mark}<text x="8.4" y="1" class="l">{what}</text></g>"##
        );
    }
    let svg = out + "</svg>";
    Picture { svg, about, width_mm: WIDTH, height_mm: height }
}

fn view_of(review: &Review, peak: Position, lead: &Lead) -> View {
    let frame = LocalFrame::at(peak);
    let (mut low, mut high) = (Vec2::default(), Vec2::default());
    let (start_ms, end_ms) = span_ms(lead, review);
    for track in &review.vessels {
        for (i, t_ms) in track.fixes.t_ms.iter().enumerate() {
            if *t_ms < start_ms - SHOWN_MS || *t_ms > end_ms + SHOWN_MS {
                continue;
            }
            let at = frame.to_plane(position(track, i));
            low = Vec2::new(low.east_m.min(at.east_m), low.north_m.min(at.north_m));
            high = Vec2::new(high.east_m.max(at.east_m), high.north_m.max(at.north_m));
        }
    }
    let around = Vec2::new(AROUND_M, AROUND_M);
    let size = (high + around) - (low - around);
    let mm_per_m = (WIDTH / size.east_m.max(ACROSS_MIN_M)).min(HEIGHT / size.north_m);
    View { frame, centre: (low + high) * 0.5, mm_per_m }
}

/// The finding on the clock of a review.
pub(super) fn span_ms(lead: &Lead, review: &Review) -> (i64, i64) {
    let ms = |t: crate::time::EventTime| t.unix_ms() - review.from.unix_ms();
    (ms(lead.start), ms(lead.end))
}

fn position(track: &Track, i: usize) -> Position {
    Position::from_lat_lon(track.fixes.lat[i], track.fixes.lon[i]).unwrap_or(Position::NULL_ISLAND)
}

/// The water, as a path that is filled and that what lies on it is cut by.
fn water(place: &Waterway, view: &View) -> String {
    let mut d = String::new();
    for rings in place.water().shape.polygons() {
        for ring in rings {
            d += &view.line(ring);
            d.push('Z');
        }
    }
    d
}

fn shoreline(out: &mut String, place: &Waterway, view: &View, water: &str) {
    let mut d = water.to_owned();
    for (_, feature) in place.of_kind(ZoneKind::Shoreline).filter(|(_, feature)| view.sees(feature)) {
        feature.shape.each_line(&mut |line| d += &view.line(line));
    }
    let _ = writeln!(out, r##"<path d="{d}" fill="none" stroke="#222" stroke-width=".45"/>"##);
}

/// Where the clause binds: a line as broad as twice the distance around every feature of the kinds involved, so it is
/// exactly what is judged.
fn strip(out: &mut String, lead: &Lead, place: &Waterway, view: &View, involved: &[&str]) {
    let Some(radius_m) = lead.number("limit", "distance_m").filter(|_| lead.other.is_none()) else { return };
    let kinds: Vec<ZoneKind> =
        place.features.iter().filter(|feature| involved.contains(&&*feature.id)).map(|feature| feature.kind).collect();
    let mut d = String::new();
    let broad = 2.0 * radius_m * view.mm_per_m;
    for feature in place.features.iter().filter(|feature| kinds.contains(&feature.kind) && view.sees(feature)) {
        feature.shape.each_edge(&mut |a, b| {
            let (a, b) = (view.mm(a), view.mm(b));
            if view.sees_edge(a, b, broad) {
                d += &path([a, b]);
            }
        });
    }
    let _ = writeln!(
        out,
        r##"<g opacity=".5"><path d="{d}" fill="none" stroke="#c9c2ad" stroke-width="{broad:.2}" stroke-linecap="round" stroke-linejoin="round"/></g>"##
    );
}

fn structures(out: &mut String, place: &Waterway, view: &View, involved: &[&str]) {
    for feature in place.features.iter().filter(|feature| view.sees(feature)) {
        let is_involved = involved.contains(&&*feature.id);
        let width = if is_involved { 0.7 } else { 0.35 };
        match feature.kind {
            ZoneKind::Waterway | ZoneKind::Shoreline | ZoneKind::Circulation => continue,
            ZoneKind::InshoreArea
            | ZoneKind::SpeedZone
            | ZoneKind::SwimArea
            | ZoneKind::PermitArea
            | ZoneKind::MooringArea => {
                let dash = if feature.kind == ZoneKind::SwimArea { "1 .6" } else { "2.4 1" };
                feature.shape.each_line(&mut |line| {
                    let _ = writeln!(
                        out,
                        r##"<path d="{}" fill="none" stroke="#555" stroke-width="{width}" stroke-dasharray="{dash}"/>"##,
                        view.line(line)
                    );
                });
            }
            ZoneKind::BuoyLine => feature.shape.each_line(&mut |line| {
                let _ = writeln!(
                    out,
                    r##"<path d="{}" fill="none" stroke="#333" stroke-width=".5" stroke-dasharray="3 1 .6 1"/>"##,
                    view.line(line)
                );
            }),
            _ => {
                let mut has_line = false;
                feature.shape.each_line(&mut |line| {
                    has_line = true;
                    let _ = writeln!(
                        out,
                        r##"<path d="{}" fill="#6b5a44" fill-opacity=".55" stroke="#222" stroke-width="{width}"/>"##,
                        view.line(line)
                    );
                });
                if !has_line {
                    feature.shape.each_edge(&mut |a, _| {
                        let (x, y) = view.mm(a);
                        let _ = writeln!(
                            out,
                            r##"<circle cx="{x:.2}" cy="{y:.2}" r="1.1" fill="#fff" stroke="#222" stroke-width="{width}"/>"##
                        );
                    });
                }
            }
        }
        if is_involved {
            let mut at = None;
            feature.shape.each_edge(&mut |a, _| {
                at.get_or_insert(view.mm(a));
            });
            if let Some((x, y)) = at.filter(|(x, y)| (0.0..WIDTH - 20.0).contains(x) && (4.0..HEIGHT).contains(y)) {
                let name = feature.name.as_deref().unwrap_or(&feature.id);
                if !matches!(feature.kind, ZoneKind::InshoreArea) {
                    label(out, x + 1.8, y - 1.4, name);
                }
            }
        }
    }
}

/// A name beside a place, inside of the frame.
fn label(out: &mut String, x: f64, y: f64, text: &str) {
    let broad = LETTER * text.chars().count() as f64;
    let (x, y) = (x.min(WIDTH - broad).max(1.0), y.clamp(3.5, HEIGHT - 1.5));
    let _ = writeln!(
        out,
        r##"<text x="{x:.2}" y="{y:.2}" class="l" stroke="#fff" stroke-width=".9" paint-order="stroke">{}</text>"##,
        escaped(text)
    );
}

/// The tracks: thin within the limit, doubled beyond it, dashed over gaps; a dot for every fix.
fn tracks(out: &mut String, lead: &Lead, review: &Review, view: &View) {
    let (start_ms, end_ms) = span_ms(lead, review);
    for track in &review.vessels {
        let is_subject = track.id == lead.vessel.as_str();
        let fixes = &track.fixes;
        let over = |i: usize| {
            let (speed, limit) = (fixes.sog_mps[i], fixes.limit_mps[i]);
            speed.zip(limit).is_some_and(|(speed, limit)| speed > limit)
        };
        for i in 1..fixes.t_ms.len() {
            let (a, b) = (view.mm(position(track, i - 1)), view.mm(position(track, i)));
            let is_gap = track.gaps.iter().any(|gap| gap.to_ms == fixes.t_ms[i]);
            let is_in = fixes.t_ms[i] > start_ms && fixes.t_ms[i - 1] < end_ms;
            let d = path([a, b]);
            let _ = match (is_gap, is_subject, is_subject && is_in && (over(i) || over(i - 1))) {
                (true, ..) => {
                    writeln!(out, r##"<path d="{d}" stroke="#777" stroke-width=".3" stroke-dasharray=".8 .8"/>"##)
                }
                (_, false, _) => {
                    writeln!(
                        out,
                        r##"<path d="{d}" stroke="#555" stroke-width=".5" stroke-dasharray="1.6 .6 .4 .6"/>"##
                    )
                }
                (_, _, true) => writeln!(
                    out,
                    r##"<path d="{d}" stroke="#a3103a" stroke-width="1.7"/><path d="{d}" stroke="#fff" stroke-width=".6"/>"##
                ),
                (_, _, false) => writeln!(out, r##"<path d="{d}" stroke="#14506e" stroke-width=".6"/>"##),
            };
        }
        let mut last: Option<(f64, f64)> = None;
        for i in 0..fixes.t_ms.len() {
            let (x, y) = view.mm(position(track, i));
            // Dots that would cover each other, and the line, are left out.
            if last.is_some_and(|(a, b)| (x - a).hypot(y - b) < DOTS_APART) {
                continue;
            }
            last = Some((x, y));
            let _ = if fixes.is_derived[i] {
                writeln!(
                    out,
                    r##"<circle cx="{x:.2}" cy="{y:.2}" r=".5" fill="#fff" stroke="#222" stroke-width=".2"/>"##
                )
            } else {
                writeln!(out, r##"<circle cx="{x:.2}" cy="{y:.2}" r=".45" fill="#222"/>"##)
            };
        }
        for refused in &track.refused {
            let Ok(p) = Position::from_lat_lon(refused.lat, refused.lon) else { continue };
            let (x, y) = view.mm(p);
            let _ = writeln!(
                out,
                r##"<path d="M{:.2} {:.2}l1.4 1.4m0 -1.4l-1.4 1.4" stroke="#777" stroke-width=".3"/>"##,
                x - 0.7,
                y - 0.7
            );
        }
        if let Some(skier) = &track.skier {
            for i in 0..skier.t_ms.len() {
                if skier.t_ms[i] < start_ms || skier.t_ms[i] > end_ms {
                    continue;
                }
                let Ok(p) = Position::from_lat_lon(skier.lat[i], skier.lon[i]) else { continue };
                let (x, y) = view.mm(p);
                let _ = writeln!(
                    out,
                    r##"<circle cx="{x:.2}" cy="{y:.2}" r=".8" fill="none" stroke="#222" stroke-width=".25" stroke-dasharray=".5 .4"/>"##
                );
            }
        }
        if let Some(i) = fixes.t_ms.iter().position(|t_ms| *t_ms >= start_ms - SHOWN_MS / 2) {
            let (x, y) = view.mm(position(track, i));
            if (0.0..WIDTH).contains(&x) && (0.0..HEIGHT).contains(&y) {
                label(out, x + 1.5, y + 3.6, track.name.as_deref().unwrap_or(&track.id));
            }
        }
    }
}

/// The worst instant: a ring, and the way to what is near.
fn worst(out: &mut String, lead: &Lead, place: &Waterway, view: &View, peak: Position) {
    let (x, y) = view.mm(peak);
    let id = lead.json["peak"]["feature"].as_str();
    let feature = id.and_then(|id| place.features.iter().find(|feature| &*feature.id == id));
    if let Some(feature) = feature.filter(|_| lead.number("peak", "distance_m").is_some()) {
        let frame = LocalFrame::at(peak);
        let mut nearest: Option<Vec2> = None;
        feature.shape.each_edge(&mut |a, b| {
            let (_, point) = crate::geo::motion::point_edge(Vec2::default(), frame.to_plane(a), frame.to_plane(b));
            if nearest.is_none_or(|so_far| point.norm() < so_far.norm()) {
                nearest = Some(point);
            }
        });
        if let Some(p) = nearest.and_then(|point| frame.to_position(point)) {
            let _ = writeln!(
                out,
                r##"<path d="{}" stroke="#000" stroke-width=".35" stroke-dasharray="1 .5"/>"##,
                path([(x, y), view.mm(p)])
            );
        }
    }
    let _ = writeln!(
        out,
        r##"<circle cx="{x:.2}" cy="{y:.2}" r="2" fill="none" stroke="#fff" stroke-width="1.1"/><circle cx="{x:.2}" cy="{y:.2}" r="2" fill="none" stroke="#000" stroke-width=".5"/>"##
    );
}

/// Frame, north and scale.
fn furniture(out: &mut String, view: &View, metric: bool) {
    let (unit, unit_m) = if metric { ("m", 1.0) } else { ("ft", crate::units::FOOT_M) };
    let value = round_below(50.0 / view.mm_per_m / unit_m);
    let long = value * unit_m * view.mm_per_m;
    let (x, y) = (5.0, HEIGHT - 5.0);
    let _ = writeln!(
        out,
        r##"<g><rect x="{:.2}" y="{:.2}" width="{:.2}" height="7" fill="#fff" fill-opacity=".85"/><path d="M{x} {:.2}v1.6h{long:.2}v-1.6" fill="none" stroke="#000" stroke-width=".4"/><text x="{:.2}" y="{:.2}" class="l">{value} {unit}</text></g>"##,
        x - 2.0,
        y - 4.2,
        long + 18.0,
        y - 1.0,
        x + long + 1.5,
        y + 0.6,
    );
    let _ = writeln!(
        out,
        r##"<g transform="translate({:.1} 12)"><circle r="5.6" fill="#fff" fill-opacity=".85"/><path d="M0 -4.6L1.7 2.4L0 1.2L-1.7 2.4Z" fill="#000"/><text y="5" text-anchor="middle" class="l">N</text></g>
<rect x=".2" y=".2" width="{:.1}" height="{:.1}" fill="none" stroke="#000" stroke-width=".4"/>"##,
        WIDTH - 9.0,
        WIDTH - 0.4,
        HEIGHT - 0.4
    );
}
