//! Whoever follows the compact form knows of each boat what the full form says.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::boat::{Boat, LimitShown, Nearest};
use super::compact::{Flat, STATES, Told};
use crate::observation::VesselId;
use crate::time::EventTime;
use crate::zones::ZoneKind;

/// What is known of a boat: what seldom changes, and its numbers.
type Followed = (Map<String, Value>, BTreeMap<String, i64>);

/// A client of the compact form, as simple as can be.
#[derive(Default)]
struct Client {
    limits: Vec<Value>,
    features: Vec<Value>,
    boats: BTreeMap<i64, Followed>,
}

impl Client {
    fn hear(&mut self, text: &str) {
        let event: Value = serde_json::from_str(text).expect("JSON");
        let list = |key: &str| event[key].as_array().cloned().unwrap_or_default();
        self.limits.extend(list("limits"));
        self.features.extend(list("features"));
        for pair in list("rest") {
            let rest = pair[1].as_object().expect("an object").clone();
            self.boats.entry(pair[0].as_i64().expect("a number")).or_default().0 = rest;
        }
        let mut n = 0;
        for (i, step) in list("n").iter().enumerate() {
            n += step.as_i64().expect("a step");
            let numbers = &mut self.boats.get_mut(&n).expect("a boat that began").1;
            for (name, column) in event["changes"].as_object().expect("columns") {
                match column[i].as_i64() {
                    Some(change) => *numbers.entry(name.clone()).or_default() += change,
                    None => drop(numbers.remove(name)),
                }
            }
        }
        for n in list("gone") {
            self.boats.remove(&n.as_i64().expect("a number"));
        }
    }

    /// A boat as the full form has it, as far as both say the same.
    fn boat(&self, id: &str) -> Option<Value> {
        let (rest, numbers) = self.boats.values().find(|(rest, _)| rest["id"] == id)?;
        let number = |name: &str, steps: f64| numbers.get(name).map(|n| *n as f64 / steps);
        let listed = |name: &str, list: &[Value], distance: &str| {
            let mut item = list[usize::try_from(*numbers.get(name)?).expect("an index")].clone();
            item["distance_m"] = number(distance, 10.0).into();
            Some(item)
        };
        Some(json!({
            "id": rest["id"], "name": rest.get("name"), "open": rest["open"],
            "t": EventTime::from_unix_ms(numbers["t_ms"]), "lat": number("lat_e6", 1e6), "lon": number("lon_e6", 1e6),
            "sog_mps": number("sog_cmps", 100.0), "cog_deg": number("cog_deg", 1.0), "heading_deg": number("heading_deg", 1.0),
            "accuracy_m": number("accuracy_dm", 10.0), "interval_s": number("interval_ds", 10.0),
            "state": STATES[usize::try_from(numbers["state"]).expect("an index")],
            "limit": listed("limit", &self.limits, "limit_dm"), "nearest": listed("nearest", &self.features, "nearest_dm"),
        }))
    }
}

/// The part of the full form that the client above puts together.
fn expected(boat: &Boat<'_>) -> Value {
    let full: Value = serde_json::from_str(boat.json().get()).expect("JSON");
    let keys = [
        "id",
        "name",
        "open",
        "t",
        "lat",
        "lon",
        "sog_mps",
        "cog_deg",
        "heading_deg",
        "accuracy_m",
        "interval_s",
        "state",
        "limit",
        "nearest",
    ];
    let mut part: Map<String, Value> = keys.iter().map(|key| ((*key).to_owned(), full[*key].clone())).collect();
    if let Some(limit) = part["limit"].as_object_mut() {
        limit.entry("distance_m").or_insert(Value::Null);
    }
    Value::Object(part)
}

#[test]
fn who_follows_the_columns_knows_each_boat() {
    let mut rng = fastrand::Rng::with_seed(4);
    let ids: Vec<VesselId> = (0..40).map(|i| VesselId::new(&format!("boat-{i}")).expect("an id")).collect();
    let docks: Vec<String> = (0..7).map(|i| format!("dock-{i}")).collect();
    let (mut told, mut client) = (Told::default(), Client::default());
    let mut shown: BTreeMap<usize, Value> = BTreeMap::new();
    for second in 0..60_i64 {
        let gone: Vec<usize> = shown.keys().copied().filter(|_| rng.f64() < 0.05).collect();
        gone.iter().for_each(|i| drop(shown.remove(i)));
        let mut flats = Vec::new();
        for i in (0..ids.len()).filter(|i| !gone.contains(i)) {
            if rng.f64() < 0.4 {
                continue;
            }
            let dock = &docks[rng.usize(..docks.len())];
            let mut known = |value: f64| (rng.f64() < 0.8).then_some(value);
            let t = EventTime::from_unix_ms(1_750_000_000_000 + second * 1_000 + i as i64);
            let boat = Boat {
                id: ids[i].as_str(),
                name: (i % 3 == 0).then_some("Nell"),
                class: None,
                length_m: None,
                t,
                received_at: t,
                lat: (47_600_000 + second) as f64 / 1e6,
                lon: (-117_400_000 - i as i64) as f64 / 1e6,
                sog_mps: known(3.25),
                cog_deg: known(359.0),
                is_derived: false,
                heading_deg: known(0.0),
                accuracy_m: known(5.0),
                interval_s: known(1.0),
                state: STATES[i % 4],
                limit: known(12.5).map(|distance_m| LimitShown {
                    speed_mps: 2.2352,
                    rule: "wake-zone",
                    clause: "c",
                    reason: "within 50 ft of a dock",
                    feature: Some(dock),
                    kind: Some(ZoneKind::Dock),
                    distance_m: (i % 2 == 0).then_some(distance_m),
                    other: None,
                }),
                nearest: known(20.0).map(|distance_m| Nearest { feature: dock, kind: ZoneKind::Dock, distance_m }),
                tow: None,
                permits: Vec::new(),
                open: if second % 7 == 3 { vec!["f"] } else { Vec::new() },
                not_judged: None,
            };
            shown.insert(i, expected(&boat));
            flats.push(Flat::of(&ids[i], &boat));
        }
        let gone: Vec<VesselId> = gone.iter().map(|&i| ids[i].clone()).collect();
        client.hear(&told.tell(EventTime::from_unix_ms(second), &flats, &gone));
        for (i, id) in ids.iter().enumerate() {
            assert_eq!(client.boat(id.as_str()), shown.get(&i).cloned(), "{id} at {second} s");
        }
    }
}
