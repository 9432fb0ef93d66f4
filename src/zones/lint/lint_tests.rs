//! For each lint a map that it finds nothing on, and one on which it says this, and where.

use serde_json::Value;

use crate::units::{Length, LengthUnit};
use crate::zones::{Asks, Duty, DutyPlace, KindSet, Map, MapLaw, MapOptions, ZoneFault, ZoneFile, ZoneKind};

/// A lake of about 1.5 by 2.2 km near Spokane with corners every 20 m or so, and what else there is on it.
fn lake(holes: &[&str], others: &[String]) -> String {
    map(&water(&rectangle([-117.52, 47.80], [-117.50, 47.82], 100), holes), others)
}

fn map(water: &str, others: &[String]) -> String {
    let features = std::iter::once(water.to_owned()).chain(others.iter().cloned()).collect::<Vec<_>>().join(",\n");
    format!("{{\"type\":\"FeatureCollection\",\"features\":[\n{features}\n]}}")
}

fn water(outer: &str, holes: &[&str]) -> String {
    let rings = std::iter::once(outer).chain(holes.iter().copied()).collect::<Vec<_>>().join(",");
    feature("lake", r#""kind":"waterway""#, "Polygon", &format!("[{rings}]"))
}

fn feature(id: &str, properties: &str, geometry: &str, coordinates: &str) -> String {
    let id = if id.is_empty() { String::new() } else { format!(r#""id":"{id}","#) };
    format!(
        r#"{{"type":"Feature",{id}"properties":{{{properties}}},"geometry":{{"type":"{geometry}","coordinates":{coordinates}}}}}"#
    )
}

fn point(id: &str, properties: &str, at: [f64; 2]) -> String {
    feature(id, properties, "Point", &position(at))
}

fn area(id: &str, properties: &str, ring: &str) -> String {
    feature(id, properties, "Polygon", &format!("[{ring}]"))
}

fn line(id: &str, properties: &str, positions: &[[f64; 2]]) -> String {
    feature(id, properties, "LineString", &list(positions))
}

fn position([lon, lat]: [f64; 2]) -> String {
    format!("[{lon:.7},{lat:.7}]")
}

fn list(positions: &[[f64; 2]]) -> String {
    format!("[{}]", positions.iter().map(|&p| position(p)).collect::<Vec<_>>().join(","))
}

/// A closed ring with so many steps a side.
fn rectangle(low: [f64; 2], high: [f64; 2], steps: u32) -> String {
    let corners = [low, [high[0], low[1]], high, [low[0], high[1]], low];
    let mut ring = Vec::new();
    for side in corners.windows(2) {
        for step in 0..steps {
            let share = f64::from(step) / f64::from(steps);
            ring.push([0, 1].map(|i| side[0][i] + (side[1][i] - side[0][i]) * share));
        }
    }
    ring.push(low);
    list(&ring)
}

fn feet(feet: f64) -> Length {
    Length::new(feet, LengthUnit::Ft)
}

fn duty(citation: &str, of: ZoneKind, asks: Asks, place: DutyPlace) -> Duty {
    Duty { citation: citation.to_owned(), of: KindSet::only(of), asks, place }
}

/// As the rulebook of Spokane asks.
fn law() -> MapLaw {
    let white = || Asks::Light("a quick flashing white light".to_owned());
    let yellow = Asks::Light("a quick flashing yellow light".to_owned());
    let permit = Asks::Permit("a marine permit".to_owned());
    MapLaw {
        shore_within: Some(feet(50.0)),
        utc_offset_h: Some(-8.0),
        duties: vec![
            duty("SMC 10.14.200(E)", ZoneKind::MooringBuoy, white(), DutyPlace::OutsideBuoyLine),
            duty("SMC 10.14.210(A)", ZoneKind::Dock, white(), DutyPlace::Beyond(feet(50.0))),
            duty("SMC 10.14.210(B)", ZoneKind::Course, permit, DutyPlace::Anywhere),
            duty("SMC 10.14.210(C)", ZoneKind::Course, yellow, DutyPlace::Anywhere),
            duty("Wis. Stat. 30.61(6)(a)", ZoneKind::Float, white(), DutyPlace::Beyond(feet(200.0))),
        ],
        rules: vec!["speed-cap", "wake-zone", "ski-hours"],
    }
}

fn faults(text: &str) -> Vec<ZoneFault> {
    let file = ZoneFile { name: "lake.geojson".to_owned(), bytes: text.as_bytes().to_vec() };
    Map::check(&[file], &MapOptions::default(), &law()).1
}

/// The JSON value that begins at a line and column.
fn standing_at(text: &str, line: usize, column: usize) -> Value {
    let rest: Vec<char> = text.lines().skip(line - 1).flat_map(|line| line.chars().chain(['\n'])).collect();
    let rest: String = rest[column - 1..].iter().collect();
    serde_json::Deserializer::from_str(&rest).into_iter().next().expect("a value").expect("whole")
}

/// The JSON value at a path such as `features[3].properties.lit`.
fn value_at(text: &str, path: Option<&str>) -> Value {
    let document: Value = serde_json::from_str(text).expect("JSON");
    let pointer = path.unwrap_or_default().replace(['.', '['], "/").replace(']', "");
    document.pointer(&format!("/{pointer}")).expect("the path leads somewhere").clone()
}

/// The clean map raises nothing of the lint, the other exactly one fault with these words, each with a place.
#[track_caller]
fn check(lint: &str, clean: &str, faulty: &str, said: &[&str]) {
    let of = |text: &str| faults(text).into_iter().filter(|f| f.lint == Some(lint)).collect::<Vec<_>>();
    let on_clean = of(clean);
    assert!(on_clean.is_empty(), "{lint} says of a clean map: {}", on_clean[0]);
    let found = of(faulty);
    assert_eq!(found.len(), said.len(), "{lint}: {:?}", found.iter().map(ToString::to_string).collect::<Vec<_>>());
    for (fault, said) in found.iter().zip(said) {
        let (Some(line), Some(column), Some(_)) = (fault.line, fault.column, fault.position) else {
            panic!("without a place: {fault:?}");
        };
        assert_eq!(fault.to_string().replacen(&format!(":{line}:{column}"), "", 1), *said);
        assert_eq!(standing_at(faulty, line, column), value_at(faulty, fault.path.as_deref()), "{fault:?}");
    }
}

/// A zone in the middle of the lake.
fn zone(id: &str, limit: &str, more: &str, west: f64) -> String {
    let properties = format!(r#""kind":"speed_zone","speed_limit":"{limit}"{more}"#);
    area(id, &properties, &rectangle([west, 47.81], [west + 0.004, 47.812], 3))
}

#[test]
fn every_lint_is_listed_for_those_who_draw_maps() {
    let readme = include_str!("../../../zones/README.md");
    for lint in super::ALL {
        assert!(readme.contains(&format!("`{}`", lint.id)), "{} is not in zones/README.md", lint.id);
    }
}

#[test]
fn a_clean_map_gives_no_words() {
    let island = rectangle([-117.511, 47.809], [-117.510, 47.810], 5);
    let others = [
        point("b1", r#""kind":"safety_buoy","line":"south","order":1"#, [-117.5181234, 47.8021234]),
        point("b2", r#""kind":"safety_buoy","line":"south","order":2"#, [-117.5151234, 47.8021235]),
        point("b3", r#""kind":"safety_buoy","line":"south","order":3"#, [-117.5121234, 47.8021236]),
        zone("slow", "5 mph", "", -117.518),
        line("dock", r#""kind":"dock","lit":true"#, &[[-117.5199999, 47.8101234], [-117.5196999, 47.8101234]]),
    ];
    let found = faults(&lake(&[&island], &others));
    assert!(found.is_empty(), "{}", found[0]);
}

#[test]
fn repeated_positions_are_told_once() {
    let dock = |positions: &[[f64; 2]]| lake(&[], &[line("dock", r#""kind":"dock","lit":true"#, positions)]);
    let (a, b) = ([-117.5199999, 47.8101234], [-117.5196999, 47.8101234]);
    check(
        "duplicate-vertices",
        &dock(&[a, b]),
        &dock(&[a, a, b, b, b]),
        &["note: lake.geojson: feature 1 \"dock\": 3 positions repeat the one before, the first of them here\n  \
           at features[1].geometry.coordinates[1]: remove the repeated positions (QGIS: Remove duplicate vertices); what is judged stays the same"],
    );
}

#[test]
fn a_spike_is_told_where_its_tip_is() {
    let swim = |ring: &[[f64; 2]]| lake(&[], &[area("beach", r#""kind":"swim_area""#, &list(ring))]);
    let (a, b, c, d) = ([-117.519, 47.811], [-117.518, 47.811], [-117.518, 47.812], [-117.519, 47.812]);
    let (out, back) = ([-117.517, 47.8115], [-117.518, 47.8115001]);
    check(
        "spike",
        &swim(&[a, b, c, d, a]),
        &swim(&[a, b, [-117.518, 47.8115], out, back, c, d, a]),
        &[
            "warning: lake.geojson: feature 1 \"beach\": a spike: the line runs 75 m out to this corner and straight back\n  \
           at features[1].geometry.coordinates[0][3]: remove the corner if nothing is there; draw a pier with its width, or as a dock",
        ],
    );
}

#[test]
fn a_sliver_is_told() {
    let island = |height: f64| {
        let ring = rectangle([-117.511, 47.809], [-117.510, 47.809 + height], 1);
        lake(&[&ring], &[])
    };
    check(
        "sliver",
        &island(1e-4),
        &island(1e-6),
        &["warning: lake.geojson: feature 0 \"lake\": this island is a sliver, 11 cm wide on average\n  \
           at features[0].geometry.coordinates[1]: remove it, or draw it with its width; an overlay of two layers often leaves slivers behind"],
    );
}

#[test]
fn heights_and_collections_are_told_once_a_file() {
    let with_heights = lake(
        &[],
        &[feature(
            "dock",
            r#""kind":"dock","lit":true"#,
            "LineString",
            "[[-117.5199999,47.8101234,0],[-117.5198999,47.8101234,0]]",
        )],
    );
    let plain = lake(&[], &[]);
    check(
        "elevation",
        &plain,
        &with_heights,
        &[
            "note: lake.geojson: feature 1 \"dock\": positions with a third number, in 1 feature: it is taken as a height and not used\n  \
           at features[1].geometry.coordinates: nothing has to be done; QGIS leaves it out where the layer is saved without Z values",
        ],
    );
    let collection = r#"{"type":"Feature","id":"dock","properties":{"kind":"dock","lit":true},"geometry":{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[-117.5199999,47.8101234]}]}}"#;
    let found = faults(&lake(&[], &[collection.to_owned()]));
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].reason, "drawn as a GeometryCollection, which many map programs drop when they save: dock");
}

#[test]
fn few_decimals_are_told_by_kind() {
    let buoys = |at: [&str; 3]| {
        let buoy =
            |(i, at): (usize, &str)| feature(&format!("b{i}"), r#""kind":"mooring_buoy","lit":true"#, "Point", at);
        let buoys: Vec<String> = at.into_iter().enumerate().map(buoy).collect();
        lake(&[], &buoys)
    };
    check(
        "few-decimals",
        // One position may end in zeros by chance.
        &buoys(["[-117.51,47.81]", "[-117.5123456,47.8112345]", "[-117.513,47.812]"]),
        &buoys(["[-117.5123,47.8112]", "[-117.5145,47.8134]", "[-117.5156,47.814]"]),
        &[
            "warning: lake.geojson: feature 1 \"b0\": positions are rounded: those of all 3 features of kind mooring_buoy to 4 decimals, steps of 11 m\n  \
           at features[1].geometry.coordinates: save it again with 7 decimals from where it was drawn (QGIS: COORDINATE_PRECISION 7)",
        ],
    );
}

#[test]
fn a_shore_too_coarse_for_the_rules_is_told() {
    let coarse = map(&water(&rectangle([-117.52, 47.80], [-117.50, 47.82], 10), &[]), &[]);
    check(
        "coarse-shore",
        &lake(&[], &[]),
        &coarse,
        &[
            "warning: lake.geojson: feature 0 \"lake\": the corners of the shoreline are 186 m apart on average, 222 m at the most (from here on): too coarse for a rule about 50 ft from the shore\n  \
           at features[0].geometry.coordinates[0][10]: use a shoreline of a larger scale (1:5,000 or better); findings near the shore are only leads until then",
        ],
    );
}

#[test]
fn gaps_and_bare_shores_are_told() {
    let sides = |gap: f64, last: f64| {
        let shore = |id: &str, positions: &[[f64; 2]]| line(id, r#""kind":"shoreline""#, positions);
        let (sw, se, ne, nw) = ([-117.52, 47.80], [-117.50, 47.80], [-117.50, 47.82], [-117.52, 47.82]);
        let west = [-117.52, 47.81];
        let after = [-117.52, 47.81 + gap];
        lake(&[], &[shore("a", &[west, sw, se, ne]), shore("b", &[ne, nw, [-117.52, 47.82 - last], after])])
    };
    let clean = sides(0.0, 0.002);
    check(
        "shore-gap",
        &clean,
        &sides(0.0005, 0.002),
        &[
            "warning: lake.geojson: feature 1 \"a\": a gap of 56 m in the shoreline, from here to [-117.52, 47.8105] of \"b\"\n  \
           at features[1].geometry.coordinates[0]: draw the missing piece, or let the two ends meet; no rule sees a shore in a gap",
        ],
    );
    let island = line(
        "island",
        r#""kind":"shoreline""#,
        &[[-117.511, 47.809], [-117.510, 47.809], [-117.510, 47.810], [-117.511, 47.809]],
    );
    let found: Vec<ZoneFault> =
        faults(&lake(&[], &[island])).into_iter().filter(|fault| fault.lint == Some("bare-shore")).collect();
    assert_eq!(found.len(), 1);
    assert!(
        found[0].reason.starts_with("100 % of the water's edge (7.4 km) has no shoreline beside it"),
        "{}",
        found[0]
    );
    assert!(found[0].mend.contains("make it a hole of the waterway"), "{}", found[0]);
    assert!(faults(&clean).iter().all(|fault| fault.lint != Some("bare-shore")));
}

#[test]
fn islands_without_a_shoreline_are_told_each_with_its_place() {
    let bank = || {
        let ring = [[-117.52, 47.80], [-117.50, 47.80], [-117.50, 47.82], [-117.52, 47.82], [-117.52, 47.80]];
        line("bank", r#""kind":"shoreline""#, &ring)
    };
    let far = rectangle([-117.512, 47.809], [-117.511, 47.810], 5);
    // So near the bank that the bank's shoreline is beside it.
    let near = rectangle([-117.51995, 47.810], [-117.51980, 47.8101], 2);
    let shore_of = |ring: &str| feature("shore", r#""kind":"shoreline""#, "LineString", ring);
    let island = "has no shoreline beside it, and no rule sees a shore there";
    let of = |text: &str| -> Vec<ZoneFault> {
        faults(text).into_iter().filter(|fault| fault.lint == Some("bare-shore")).collect()
    };
    let found = of(&lake(&[&far, &near], &[bank()]));
    assert_eq!(found.len(), 2, "{found:?}");
    for (fault, ring) in found.iter().zip(["coordinates[1]", "coordinates[2]"]) {
        assert!(fault.reason.starts_with("this island of the water") && fault.reason.contains(island), "{fault}");
        assert!(fault.path.as_deref().is_some_and(|path| path.contains(ring)), "{fault}");
        assert!(fault.position.is_some() && fault.mend.contains("remove the shoreline features"), "{fault}");
    }
    assert!(of(&lake(&[&far, &near], &[])).is_empty(), "without shoreline features every edge is shore");
    assert!(of(&lake(&[&far, &near], &[bank(), shore_of(&far), shore_of(&near)])).is_empty());
}

#[test]
fn what_lies_on_land_is_told() {
    let swim = |west: f64| {
        lake(&[], &[area("beach", r#""kind":"swim_area""#, &rectangle([west, 47.811], [west + 0.001, 47.812], 2))])
    };
    check(
        "on-land",
        &swim(-117.5205),
        &swim(-117.5215),
        &["warning: lake.geojson: feature 1 \"beach\": the swim_area lies on land: 37 m from its water\n  \
           at features[1].geometry.coordinates: move it onto the water, or correct the waterway where the water has changed"],
    );
}

#[test]
fn lines_over_land_are_told() {
    let island = rectangle([-117.512, 47.809], [-117.511, 47.811], 5);
    let course = |lat: f64| {
        let way = [[-117.515, lat], [-117.508, lat]];
        lake(&[&island], &[line("round", r#""kind":"circulation""#, &way)])
    };
    check(
        "line-over-land",
        &course(47.812),
        &course(47.81),
        &["warning: lake.geojson: feature 1 \"round\": the circulation line crosses 75 m of land\n  \
           at features[1].geometry.coordinates: draw it around the land; boats keep it on their left"],
    );
    let buoys = |lat: f64| {
        let buoy = |id: &str, lon: f64| point(id, r#""kind":"safety_buoy""#, [lon, lat]);
        lake(&[&island], &[buoy("b1", -117.5135), buoy("b2", -117.5095)])
    };
    check(
        "line-over-land",
        &buoys(47.8131234),
        &buoys(47.8101234),
        &["warning: lake.geojson: feature 1 \"b1\": buoy line \"line-of-b1\" crosses 75 m of land\n  \
           at features[1]: say which buoys belong together with \"line\" and \"order\", or draw a buoy_line"],
    );
}

#[test]
fn limits_that_differ_in_one_place_are_told_unless_they_take_turns() {
    let zones = |more: [&str; 2], west: f64| {
        lake(&[], &[zone("slow", "5 mph", more[0], -117.515), zone("fast", "8 kn", more[1], west)])
    };
    let overlap = zones(["", ""], -117.513);
    let said = "warning: lake.geojson: feature 2 \"fast\": speed zones \"slow\" (5 mph) and \"fast\" (8 kn) overlap on 3.3 ha; both hold there, so the lower limit decides\n  \
                at features[2]: draw them side by side, or give them times that take turns, if the higher limit is meant to hold";
    for clean in [
        zones(["", ""], -117.511),
        zones([r#","hours":"from 08:00 to 20:00""#, r#","hours":"from 20:00 to 08:00""#], -117.513),
        zones(
            [r#","valid_from":"05-01","valid_until":"09-30""#, r#","valid_from":"10-01","valid_until":"04-30""#],
            -117.513,
        ),
        zones([r#","valid_until":"2026-01-01T00:00:00Z""#, r#","valid_from":"2026-01-02T00:00:00Z""#], -117.513),
    ] {
        check("conflicting-limits", &clean, &overlap, &[said]);
    }
    let touching_seasons = zones(
        [r#","valid_from":"05-01","valid_until":"10-01""#, r#","valid_from":"10-01","valid_until":"04-30""#],
        -117.513,
    );
    check("conflicting-limits", &lake(&[], &[]), &touching_seasons, &[said]);
}

#[test]
fn a_strip_drawn_by_hand_is_told() {
    // Along the west shore; 15.24 m are 2.036e-4 degrees of longitude here.
    let strip = |width: &dyn Fn(u32) -> f64| {
        let shore = (0..10).map(|i| [-117.52, 47.805 + 0.001 * f64::from(i)]);
        let off = (0..10).rev().map(|i| [-117.52 + width(i), 47.805 + 0.001 * f64::from(i)]);
        let mut ring: Vec<[f64; 2]> = shore.chain(off).collect();
        ring.push(ring[0]);
        lake(&[], &[area("strip", r#""kind":"speed_zone","speed_limit":"5 mph""#, &list(&ring))])
    };
    check(
        "drawn-strip",
        // A bay closed off is no strip.
        &strip(&|i| 1e-4 * f64::from(1 + i)),
        &strip(&|_| 2.036e-4),
        &[
            "warning: lake.geojson: feature 1 \"strip\": this speed_zone is a strip along the shore, 50 ft wide: it looks drawn by hand where the rulebook keeps 50 ft from the shore by itself\n  \
           at features[1]: remove it unless a sign stands for it: the rule measures from the shoreline exactly, the strip only as well as it was drawn",
        ],
    );
    let mercator = faults(&strip(&|_| 2.036e-4 * 0.672));
    assert!(
        mercator.iter().any(|fault| fault.reason.contains("34 ft wide")
            && fault.reason.ends_with("Web Mercator map, where a metre is less than a metre")),
        "{mercator:?}"
    );
}

#[test]
fn ids_that_will_not_stay_are_told() {
    let docks = |ids: [&str; 6]| {
        let dock = |(i, id): (usize, &str)| {
            point(id, r#""kind":"dock","lit":true"#, [-117.5199999, 47.8051234 + 0.001 * i as f64])
        };
        let docks: Vec<String> = ids.into_iter().enumerate().map(dock).collect();
        map(&water(&rectangle([-117.52, 47.80], [-117.50, 47.82], 100), &[]).replace("\"lake\"", "\"0\""), &docks)
    };
    check(
        "unstable-id",
        &docks(["17", "18", "23", "24", "25", "31"]),
        &docks(["1", "2", "3", "4", "5", "6"]),
        &[
            "note: lake.geojson: feature 0 \"0\": the ids only count the features of the file, so they change when one is added or removed\n  \
           at features[0]: give each an \"id\" that stays when others are added or removed, such as the number on its sign",
        ],
    );
    check(
        "unstable-id",
        &lake(&[], &[]),
        &lake(&[], &[point("", r#""kind":"dock","lit":true"#, [-117.5199999, 47.8051234])]),
        &[
            "note: lake.geojson: feature 1 \"dock-1\": 1 feature without an id; findings name them by their place in the file, this one \"dock-1\"\n  \
           at features[1]: give each an \"id\" that stays when others are added or removed, such as the number on its sign",
        ],
    );
    // The one that the file calls so keeps the name.
    let docks = ["", "dock-1"].map(|id| point(id, r#""kind":"dock","lit":true"#, [-117.5199999, 47.8051234]));
    let text = lake(&[], &docks);
    let file = ZoneFile { name: "lake.geojson".to_owned(), bytes: text.into_bytes() };
    let (lake, told) = Map::check(&[file], &MapOptions::default(), &law());
    let ids: Vec<&str> = lake.waterways[0].features.iter().map(|feature| &*feature.id).collect();
    assert_eq!(ids[1..3], ["dock-1-2", "dock-1"]);
    assert!(told[0].to_string().contains("this one \"dock-1-2\""), "{}", told[0]);
}

#[test]
fn a_whole_map_the_wrong_way_round_is_told_where_that_is_sure() {
    let at = |low: [f64; 2]| map(&water(&rectangle(low, [low[0] + 0.02, low[1] + 0.02], 100), &[]), &[]);
    // Boston as it is lies three hours off Spokane's clocks, which is no fault.
    for clean in [[-117.52, 47.80], [-71.10, 42.36], [12.5, 54.1], [5.1, 52.4]] {
        check(
            "swapped-map",
            &at(clean),
            &at([42.36, -71.10]),
            &[
                "warning: lake.geojson: feature 0 \"lake\": the water lies at latitude -71.1, where no boats go; longitude and latitude look swapped: [42.36, -71.1]\n  \
               at features[0].geometry.coordinates[0][0]: GeoJSON writes longitude first: [-71.1, 42.36]",
            ],
        );
    }
    let berlin = MapLaw { utc_offset_h: Some(1.0), ..law() };
    let said = |low: [f64; 2]| {
        let file = ZoneFile { name: "lake.geojson".to_owned(), bytes: at(low).into_bytes() };
        let (_, faults) = Map::check(&[file], &MapOptions::default(), &berlin);
        faults.into_iter().any(|fault| fault.lint == Some("swapped-map"))
    };
    assert!(!said([13.2, 52.4]), "as it is");
    assert!(!said([52.4, 13.2]), "two and a half hours of sun are no proof");
    let far = MapLaw { utc_offset_h: Some(0.0), ..law() };
    let file = ZoneFile { name: "lake.geojson".to_owned(), bytes: at([57.3, -4.5]).into_bytes() };
    let (_, faults) = Map::check(&[file], &MapOptions::default(), &far);
    assert!(faults.iter().any(|fault| fault.reason.contains("4 hours of sun from the rulebook's clocks")), "Loch Ness");
}

#[test]
fn a_permit_that_lifts_what_is_no_rule_is_told() {
    let permit = |lifts: &str| {
        let properties = format!(r#""kind":"permit_area","permit":"P-1","lifts":[{lifts}]"#);
        lake(&[], &[area("race", &properties, &rectangle([-117.518, 47.81], [-117.514, 47.812], 3))])
    };
    let said = |lifts: &str, mend: &str| {
        format!(
            "warning: lake.geojson: feature 1 \"race\": the permit lifts {lifts}, which is no rule: it lifts nothing by that\n  \
             at features[1].properties.lifts: {mend}"
        )
    };
    let near = said("\"speed_cap\"", "write \"speed-cap\", if that is meant");
    check("unknown-lift", &permit(r#""speed-cap","ski-hours""#), &permit(r#""speed_cap""#), &[near.as_str()]);
    let far = said("\"everything\"", "name rules by their ids: speed-cap, wake-zone, ski-hours");
    check("unknown-lift", &permit(r#""wake-zone""#), &permit(r#""wake-zone","everything""#), &[far.as_str()]);
}

#[test]
fn the_laws_own_duties_are_told_with_their_clause() {
    let buoys = ["b1", "b2", "b3"].map(|id| {
        let lon = -117.518 + 0.003 * f64::from(id.as_bytes()[1] - b'1');
        point(id, &format!(r#""kind":"safety_buoy","line":"south","order":{}"#, &id[1..]), [lon, 47.8021234])
    });
    let with = |other: String| lake(&[], &[&buoys[..], &[other]].concat());
    let mooring =
        |lat: f64, lit: &str| with(point("m1", &format!(r#""kind":"mooring_buoy"{lit}"#), [-117.5151234, lat]));
    check(
        "duty",
        &mooring(47.8011234, r#","lit":false"#),
        &mooring(47.8041234, r#","lit":false"#),
        &[
            "warning: lake.geojson: feature 4 \"m1\": the mooring_buoy lies outside the buoy line and is unlit; SMC 10.14.200(E) asks for a quick flashing white light\n  \
           at features[4].properties.lit: tell its owner to light it or move it inside; then set \"lit\": true, or move it here",
        ],
    );
    check("duty", &mooring(47.8041234, r#","lit":true"#), &mooring(47.8011234, ""), &[]);

    // 20 m and 10 m from the west shore; 2 m of either lie on land.
    let dock = |lon: f64, lit: &str| {
        with(line("pier", &format!(r#""kind":"dock"{lit}"#), &[[-117.5200267, 47.8101234], [lon, 47.8101234]]))
    };
    check(
        "duty",
        &dock(-117.5198664, r#","lit":false"#),
        &dock(-117.5197329, r#","lit":false"#),
        &[
            "warning: lake.geojson: feature 4 \"pier\": the dock reaches 66 ft from the shoreline and is unlit; SMC 10.14.210(A) asks for a quick flashing white light\n  \
           at features[4].properties.lit: tell its owner; set \"lit\": true once the light is there",
        ],
    );
    check(
        "duty",
        &dock(-117.5197329, r#","lit":true"#),
        &dock(-117.5197329, ""),
        &[
            "note: lake.geojson: feature 4 \"pier\": the map does not say whether the dock, which reaches 66 ft from the shoreline, is lit; SMC 10.14.210(A) asks for a quick flashing white light\n  \
           at features[4].properties: add \"lit\": true or false to each, as seen at night",
        ],
    );
    let course = |more: &str| {
        with(line("slalom", &format!(r#""kind":"course"{more}"#), &[[-117.512, 47.8101234], [-117.508, 47.8101234]]))
    };
    check(
        "duty",
        &course(r#","permit":"MP-7","lit":true"#),
        &course(r#","lit":false"#),
        &[
            "warning: lake.geojson: feature 4 \"slalom\": the map names no permit of the course; SMC 10.14.210(B) asks for a marine permit\n  \
             at features[4].properties: add \"permit\" with its number, or ask the owner for it",
            "warning: lake.geojson: feature 4 \"slalom\": the course is unlit; SMC 10.14.210(C) asks for a quick flashing yellow light\n  \
             at features[4].properties.lit: tell its owner; set \"lit\": true once the light is there",
        ],
    );
    let float = |lon: f64| with(point("raft", r#""kind":"float","lit":false"#, [lon, 47.8101234]));
    check(
        "duty",
        &float(-117.5193),
        &float(-117.519),
        &[
            "warning: lake.geojson: feature 4 \"raft\": the float lies 246 ft from the shoreline and is unlit; Wis. Stat. 30.61(6)(a) asks for a quick flashing white light\n  \
           at features[4].properties.lit: tell its owner; set \"lit\": true once the light is there",
        ],
    );
}
