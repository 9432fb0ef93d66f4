//! What native messages become, and what refuses them.

use super::*;
use crate::observation::{
    Activity, Fix, Light, MarkChange, NavStatus, RefusalReason, TowingState, VesselClass, Weather,
};
use crate::time::EventTime;
use crate::units::KNOT_MPS;
use crate::zones::{Shape, ZoneKind};

fn decoded(json: impl AsRef<[u8]>) -> Vec<Result<Observation, Refusal>> {
    let mut results = Vec::new();
    decode(json.as_ref(), Envelope::default(), |result| results.push(result));
    results
}

fn one(json: &str) -> Result<Observation, Refusal> {
    let mut results = decoded(json);
    assert_eq!(results.len(), 1, "{json}");
    results.remove(0)
}

fn fix(json: &str) -> Fix {
    match one(json).expect(json) {
        Observation::Fix(_, fix) => fix,
        other => panic!("{json} became {other:?}"),
    }
}

fn activity(json: &str) -> Activity {
    match one(json).expect(json) {
        Observation::Activity(_, activity) => *activity,
        other => panic!("{json} became {other:?}"),
    }
}

/// The reason and a part of the detail with which a message is refused.
#[track_caller]
fn refused(json: &str, reason: RefusalReason, detail: &str) {
    let refusal = one(json).expect_err(json);
    assert_eq!(refusal.reason, reason, "{json}: {refusal}");
    assert!(refusal.detail.contains(detail), "{json}: {refusal}");
}

/// A fix with one more member.
fn fix_with(member: &str) -> String {
    format!(r#"{{"type":"fix","vessel":"a","t":"2026-07-04T20:00:00Z","lat":47.5,"lon":-117.5,{member}}}"#)
}

#[test]
fn a_whole_fix_is_read() {
    let json = r#"{"type":"fix","vessel":"mmsi:366999712","t":"2026-07-04T20:15:03.250Z","lat":47.65,"lon":-117.08,
        "sog_kn":20,"cog_deg":0,"heading_deg":359.9,"accuracy_m":2.5,"nav_status":"under_way","towed_by":"b-1",
        "lights":["masthead","flashing_blue"],"later":{"key":[1,{"x":null}]}}"#;
    let observation = one(json).expect("a fix");
    assert_eq!(observation.vessel().map(|v| v.as_str()), Some("mmsi:366999712"));
    let Observation::Fix(_, fix) = observation else { panic!("no fix") };
    assert_eq!(fix.t, EventTime::parse_rfc3339("2026-07-04T20:15:03.250Z").expect("time"));
    assert_eq!((fix.position.lat_deg(), fix.position.lon_deg()), (47.65, -117.08));
    assert_eq!(fix.sog_mps, Some(20.0 * KNOT_MPS));
    assert_eq!((fix.cog_deg, fix.heading_deg, fix.accuracy_m), (Some(0.0), Some(359.9), Some(2.5)));
    assert_eq!(fix.nav_status, Some(NavStatus::UnderWay));
    assert_eq!(fix.towed_by.expect("a tow").as_str(), "b-1");
    assert_eq!(fix.lights.as_deref(), Some(&[Light::Masthead, Light::FlashingBlue][..]));
}

#[test]
fn not_reported_is_none() {
    for member in ["\"sog_kn\":null", "\"sog_kn\":102.3", "\"sog_kn\":-1", "\"cog_deg\":360.0", "\"heading_deg\":511"] {
        let fix = fix(&fix_with(member));
        assert_eq!((fix.sog_mps, fix.cog_deg, fix.heading_deg), (None, None, None), "{member}");
    }
    assert_eq!(fix(&fix_with("\"accuracy_m\":0")).accuracy_m, None);
    assert_eq!(fix(&fix_with("\"accuracy_m\":-3")).accuracy_m, None);
    assert_eq!(fix(&fix_with("\"sog_kn\":102.2")).sog_mps, Some(102.2 * KNOT_MPS));
    assert_eq!(fix(&fix_with("\"lights\":[]")).lights.as_deref(), Some(&[][..]));
}

#[test]
fn positions_and_times_are_refused_by_reason() {
    let t = r#""t":"2026-07-04T20:00:00Z""#;
    for (members, reason, detail) in [
        (format!(r#"{t},"lat":47.5"#), RefusalReason::NoPosition, "`lon` is missing or null"),
        (format!(r#"{t},"lat":null,"lon":1.0"#), RefusalReason::NoPosition, "`lat` is missing or null"),
        (format!(r#"{t},"lat":91,"lon":1.0"#), RefusalReason::BadPosition, "latitude 91 is not between"),
        (format!(r#"{t},"lat":1.0,"lon":181"#), RefusalReason::BadPosition, "longitude 181 is not between"),
        (format!(r#"{t},"lat":0,"lon":0.0"#), RefusalReason::BadPosition, "exactly 0"),
        (r#""lat":47.5,"lon":1.0"#.into(), RefusalReason::NoTime, "`t` is missing or null"),
        (r#""t":"yesterday","lat":47.5,"lon":1.0"#.into(), RefusalReason::NoTime, "\"yesterday\" is no time"),
        (r#""t":1796022001,"lat":47.5,"lon":1.0"#.into(), RefusalReason::NoTime, "`t` is 1796022001; it should be"),
        (r#""t":"2026-07-04T20:00:00","lat":47.5,"lon":1.0"#.into(), RefusalReason::NoTime, "with a zone"),
    ] {
        refused(&format!(r#"{{"type":"fix","vessel":"a",{members}}}"#), reason, detail);
    }
}

#[test]
fn wrong_values_name_key_value_and_mend() {
    for (member, detail) in [
        ("\"sog_kn\":\"20\"", "`sog_kn` is \"20\"; it should be a number of knots, such as 8.2"),
        ("\"nav_status\":\"flying\"", "`nav_status` is \"flying\"; it should be one of under_way, anchored"),
        ("\"lights\":[\"disco\"]", "`lights` is [\"disco\"]; it should be a list of any of all_round_white"),
        ("\"lights\":\"stern\"", "`lights` is \"stern\"; it should be a list"),
        ("\"towed_by\":\"a b\"", "`towed_by`: \"a b\" is no vessel id"),
        ("\"towed_by\":7", "`towed_by` is 7; it should be a string"),
        ("\"lat\":47.6", "duplicate field `lat`"),
        ("\"sog_kn\":1e999", "no JSON: number out of range"),
    ] {
        refused(&fix_with(member), RefusalReason::Unparsable, detail);
    }
    let json = r#"{"type":"fix","vessel":"a b","t":"2026-07-04T20:00:00Z","lat":47.5,"lon":1}"#;
    refused(json, RefusalReason::Unparsable, "`vessel`: \"a b\" is no vessel id");
    let json = r#"{"type":"fix","t":"2026-07-04T20:00:00Z","lat":47.5,"lon":1}"#;
    refused(json, RefusalReason::Unparsable, "`vessel` is missing");
    let json = r#"{"type":"fix","vessel":"a","t":"2026-07-04T20:00:00Z","lat":"47","lon":1}"#;
    refused(json, RefusalReason::Unparsable, "`lat` is \"47\"; it should be a number of degrees");
}

#[test]
fn what_is_no_message_says_so() {
    for (json, detail) in [
        ("", "no JSON"),
        ("{", "no JSON"),
        ("not json at all", "no JSON"),
        ("null", "null is no message"),
        ("42", "42 is no message"),
        ("\"text\"", "\"text\" is no message"),
        ("{}", "`type` is missing; it should be one of fix, activity, vessel, mark, conditions"),
        ("{\"type\":7}", "`type` is 7"),
        ("{\"type\":\"weather_balloon\",\"vessel\":\"a\"}", "`type` is \"weather_balloon\"; it should be one of fix"),
        ("{\"type\":\"fix\"} x", "no JSON"),
    ] {
        refused(json, RefusalReason::Unparsable, detail);
    }
    let results = decoded(b"{\"type\":\"fix\",\"x\":\"\xff\"}");
    assert_eq!(results.len(), 1);
    assert_eq!(results[0].as_ref().expect_err("no UTF-8").detail, "no UTF-8 after byte 19");
}

#[test]
fn one_bad_message_of_an_array_does_not_sink_the_others() {
    let good = fix_with("\"sog_kn\":1");
    let json = format!(" [{good}, 7, {{\"type\":\"fix\"}},\n{good}, [{good}]]");
    let fine: Vec<_> = decoded(&json).iter().map(Result::is_ok).collect();
    assert_eq!(fine, [true, false, false, true, false]);
    assert!(decoded("[]").is_empty());

    let broken = format!("[{good},{good},{{\"type\"");
    let results = decoded(&broken);
    assert_eq!(results.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, true, false]);
    assert!(results[2].as_ref().expect_err("broken").detail.starts_with("no JSON array of messages"));
    assert_eq!(decoded(format!("[{good}] x")).len(), 2);
}

#[test]
fn the_topic_says_what_the_message_leaves_out() {
    let envelope = Envelope { kind: Some(MessageKind::Fix), id: Some("from-topic") };
    let mut vessels = Vec::new();
    for json in [
        r#"{"t":"2026-07-04T20:00:00Z","lat":47.5,"lon":1}"#,
        r#"{"vessel":"own-word","t":"2026-07-04T20:00:00Z","lat":47.5,"lon":1}"#,
    ] {
        decode(json.as_bytes(), envelope, |result| {
            vessels.push(result.expect("a fix").vessel().expect("a vessel").to_string());
        });
    }
    assert_eq!(vessels, ["from-topic", "own-word"]);
}

#[test]
fn activities_tell_none_from_nothing_said() {
    let base = r#"{"type":"activity","vessel":"a","t":"2026-07-04T20:00:00Z""#;
    let silent = activity(&format!("{base}}}"));
    assert_eq!((silent.towing, silent.observer_age, silent.lights), (None, None, None));
    let none = activity(&format!(r#"{base},"towing":null,"observer_age":null}}"#));
    assert_eq!((none.towing, none.observer_age), (Some(None), Some(None)));
    let some = activity(&format!(
        r#"{base},"towing":{{"state":"up","rope_m":23.0,"persons":1}},"observer_age":34,"warning_flag":true}}"#
    ));
    let towing = some.towing.flatten().expect("a tow");
    assert_eq!((towing.state, towing.rope_m, towing.persons), (TowingState::Up, Some(23.0), Some(1)));
    assert_eq!((some.observer_age, some.warning_flag), (Some(Some(34.0)), Some(true)));

    for (member, detail) in [
        (r#""towing":{"state":"flying"}"#, "`towing.state` is \"flying\"; it should be one of up, down"),
        (r#""towing":{"state":"up","rope_m":"23"}"#, "`towing.rope_m` is \"23\"; it should be a number of metres"),
        (r#""towing":{"state":"up","rope_m":-1}"#, "`towing.rope_m` is -1; it should be 0 to 1000 metres"),
        (r#""towing":{"rope_m":20}"#, "missing field `state`"),
        (r#""towing":true"#, "`towing` is true; it should be null or an object with state, rope_m, persons"),
        (r#""observer_age":"ten""#, "`observer_age` is \"ten\""),
        (r#""warning_flag":"yes""#, "`warning_flag` is \"yes\"; it should be true or false"),
        (r#""persons_aboard":-1"#, "`persons_aboard` is -1; it should be a whole number"),
    ] {
        refused(&format!("{base},{member}}}"), RefusalReason::Unparsable, detail);
    }
    refused(r#"{"type":"activity","vessel":"a"}"#, RefusalReason::NoTime, "`t` is missing");
}

#[test]
fn profiles_and_conditions_are_read() {
    let json = r#"{"type":"vessel","vessel":"a","name":"Ann","mmsi":"366999712","class":"pwc","length_m":3.2}"#;
    let Ok(Observation::Profile(_, profile)) = one(json) else { panic!("no profile") };
    assert_eq!((profile.t, profile.class, profile.length_m), (None, Some(VesselClass::Pwc), Some(3.2)));
    let json = r#"{"type":"vessel","vessel":"a","class":"submarine"}"#;
    refused(json, RefusalReason::Unparsable, "`class` is \"submarine\"; it should be one of motorboat, pwc");
    let json = r#"{"type":"vessel","vessel":"a","mmsi":366999712}"#;
    refused(json, RefusalReason::Unparsable, "`mmsi` is 366999712; it should be a string");

    let base = r#"{"type":"conditions","waterway":"lake","t":"2026-07-04T20:00:00Z""#;
    let Ok(Observation::Conditions(conditions)) = one(&format!(r#"{base},"visibility_m":80,"weather":"heavy_rain"}}"#))
    else {
        panic!("no conditions")
    };
    assert_eq!((conditions.visibility_m, conditions.weather), (Some(80.0), Some(Weather::HeavyRain)));
    refused(&format!(r#"{base},"weather":"hail"}}"#), RefusalReason::Unparsable, "one of clear, fog, mist");
    refused(&format!(r#"{base},"visibility_m":-1}}"#), RefusalReason::Unparsable, "`visibility_m` is -1");
    let json = r#"{"type":"conditions","t":"2026-07-04T20:00:00Z"}"#;
    refused(json, RefusalReason::Unparsable, "`waterway` is missing");
}

#[test]
fn marks_are_placed_and_taken_in() {
    let change = |members: &str| {
        let json = format!(r#"{{"type":"mark","id":"flag-1","t":"2026-06-20T09:47:36.992Z"{members}}}"#);
        one(&json).map(|observation| match observation {
            Observation::Mark(mark) => mark.change,
            other => panic!("{json} became {other:?}"),
        })
    };
    let placed = change(r#","kind":"dive_flag","lon":23.76,"lat":61.51,"until":"2026-06-20T10:00:00Z""#);
    let Ok(MarkChange::Placed { kind, shape: Shape::Point(at), until }) = placed else { panic!("not placed") };
    assert_eq!((kind, at.lat_deg(), until.is_some()), (ZoneKind::DiveFlag, 61.51, true));

    let ring = "[[1,1],[1.1,1],[1.1,1.1],[1,1]]";
    for (geometry, fine) in [
        (r#"{"type":"Point","coordinates":[1,2,3]}"#.to_owned(), true),
        (r#"{"type":"LineString","coordinates":[[1,2],[1,3]]}"#.to_owned(), true),
        (format!(r#"{{"type":"Polygon","coordinates":[{ring}]}}"#), true),
        (format!(r#"{{"type":"MultiPolygon","coordinates":[[{ring}],[{ring}]]}}"#), true),
        (r#"{"type":"Polygon","coordinates":[[[1,1],[1.1,1],[1.1,1.1]]]}"#.to_owned(), false),
        (r#"{"type":"Polygon","coordinates":[]}"#.to_owned(), false),
        (r#"{"type":"LineString","coordinates":[[1,2]]}"#.to_owned(), false),
        (r#"{"type":"Point","coordinates":[1]}"#.to_owned(), false),
        (r#"{"type":"Point","coordinates":[1,91]}"#.to_owned(), false),
        (r#"{"type":"MultiPoint","coordinates":[[1,2],[1,3]]}"#.to_owned(), true),
        (r#"{"type":"MultiPoint","coordinates":[]}"#.to_owned(), false),
        (
            r#"{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[1,2]},{"type":"LineString","coordinates":[[1,2],[1,3]]}]}"#
                .to_owned(),
            true,
        ),
        (r#"{"type":"GeometryCollection","geometries":[]}"#.to_owned(), false),
        (r#"{"type":"Blob"}"#.to_owned(), false),
        ("7".to_owned(), false),
    ] {
        let result = change(&format!(r#","kind":"swim_area","geometry":{geometry}"#));
        assert_eq!(result.is_ok(), fine, "{geometry}: {result:?}");
    }

    assert_eq!(change(r#","kind":null"#), Ok(MarkChange::Removed));
    assert_eq!(change(r#","kind":null,"lat":1,"lon":1"#), Ok(MarkChange::Removed));
    assert_eq!(change(""), Ok(MarkChange::Removed));
    let refusal = change(r#","lat":1,"lon":1"#).expect_err("no kind");
    assert!(refusal.detail.starts_with("`kind` is missing"), "{refusal}");
    let refusal = change(r#","kind":"ufo","lat":1,"lon":1"#).expect_err("no such kind");
    assert!(refusal.detail.contains("\"ufo\"; it should be null or one of waterway, shoreline"), "{refusal}");
    assert_eq!(change(r#","kind":"swimmer""#).expect_err("nowhere").reason, RefusalReason::NoPosition);
}

#[test]
fn deep_nesting_is_refused_or_ignored_without_harm() {
    let deep = "[".repeat(100_000);
    assert_eq!(decoded(&deep).iter().filter(|r| r.is_ok()).count(), 0);
    let ignored = fix_with(&format!("\"x\":{}{}", "[".repeat(50_000), "]".repeat(50_000)));
    assert_eq!(decoded(&ignored).len(), 1);
    let value = format!(r#"{{"type":"mark","geometry":{}"#, "{\"a\":".repeat(100_000));
    assert!(one(&value).is_err());
}

proptest::proptest! {
    #[test]
    fn no_bytes_panic(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200)) {
        decoded(&bytes);
    }

    #[test]
    fn no_damage_to_a_message_panics(at in 0usize..400, byte in 0u8..=255, cut in 0usize..400) {
        let whole = fix_with("\"sog_kn\":8.2,\"nav_status\":\"moored\",\"lights\":[\"stern\"]");
        let mut bytes = format!("[{whole},{whole}]").into_bytes();
        let len = bytes.len();
        bytes[at % len] = byte;
        bytes.truncate(len - cut % len);
        decoded(&bytes);
    }
}
