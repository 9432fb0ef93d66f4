//! Boats of a stream in the compact form: columns of whole numbers, each the difference to what the same stream told of
//! that boat before. Most of them are small or nothing, so they pack well: some ten bytes for a boat that has moved.
//!
//! What seldom changes of a boat comes as an object when it does, and what many have in common (limits, features) is told
//! once and then named by its number. Numbers hold for one stream; another one begins anew.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::boat::{Boat, LimitShown, Nearest, Tow};
use crate::observation::{VesselClass, VesselId};
use crate::time::EventTime;
use crate::zones::ZoneKind;

/// The columns.
const COLUMNS: [&str; 13] = [
    "t_ms",
    "lat_e6",
    "lon_e6",
    "sog_cmps",
    "cog_deg",
    "heading_deg",
    "accuracy_dm",
    "interval_ds",
    "state",
    "limit_dm",
    "nearest_dm",
    "limit",
    "nearest",
];
/// Those that every boat brings along; the others are numbers of this stream.
const OWN: usize = COLUMNS.len() - 2;
/// What `state` counts.
pub(super) const STATES: [&str; 4] = ["under_way", "at_rest", "at_dock", "trolling"];

/// Boats at an instant, in the compact form: what changed since the stream told of them before.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Columns<'a> {
    #[schema(value_type = String)]
    at: EventTime,
    /// Limits that come up for the first time in this stream, as in a Boat without their distance. They are numbered from
    /// 0, in the order of the stream.
    #[schema(value_type = Vec<Object>)]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    limits: Vec<&'a RawValue>,
    /// Nearest features that come up for the first time in this stream, likewise.
    #[schema(value_type = Vec<Object>)]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    features: Vec<&'a RawValue>,
    /// What seldom changes of a boat, where it did: the number of the boat in this stream, and an object with `id`,
    /// `name`, `class`, `length_m`, `is_derived`, `tow`, `permits`, `open` and `not_judged` as in a Boat, in place of what
    /// was told before. A boat begins with it.
    #[schema(value_type = Vec<Vec<Object>>)]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rest: Vec<(i64, &'a RawValue)>,
    /// The numbers of the boats in the columns: the first, then each by how much it is more than the one before.
    n: Vec<i64>,
    /// A column by name, with a value for each of `n`: null where it is not known, else what has to be added to what was
    /// told of that boat before, or to 0 where that was not known. A column that is missing changed for none of them.
    ///
    /// `t_ms`: time of the newest fix, milliseconds since 1970. `lat_e6`, `lon_e6`: millionths of a degree. `sog_cmps`:
    /// cm/s. `cog_deg`, `heading_deg`: degrees. `accuracy_dm`, `limit_dm` and `nearest_dm` (the distances of limit and
    /// nearest feature): tenths of a metre. `interval_ds`: tenths of a second. `state`: 0 `under_way`, 1 `at_rest`,
    /// 2 `at_dock`, 3 `trolling`. `limit`, `nearest`: which of the limits and features of this stream.
    #[schema(value_type = Object)]
    changes: BTreeMap<&'static str, Vec<Option<i64>>>,
    /// The numbers of those who have gone, or left the box that was asked for. One that comes back begins anew under its
    /// number.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    gone: Vec<i64>,
}

/// A boat as columns, the same for all streams.
#[derive(Debug)]
pub(super) struct Flat {
    id: VesselId,
    own: [Option<i64>; OWN],
    limit: Option<Arc<RawValue>>,
    nearest: Option<Arc<RawValue>>,
    rest: Arc<RawValue>,
}

/// What a boat has beside numbers.
#[derive(Serialize)]
struct Rest<'a> {
    id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    class: Option<VesselClass>,
    #[serde(skip_serializing_if = "Option::is_none")]
    length_m: Option<f64>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_derived: bool,
    tow: Option<&'a Tow>,
    permits: &'a [&'a str],
    open: &'a [&'a str],
    #[serde(skip_serializing_if = "Option::is_none")]
    not_judged: Option<&'a str>,
}

impl Flat {
    /// Of a boat.
    pub fn of(id: &VesselId, boat: &Boat<'_>) -> Self {
        let whole = |value: Option<f64>, steps: f64| value.map(|value| (value * steps).round() as i64);
        let own = [
            Some(boat.t.unix_ms()),
            whole(Some(boat.lat), 1e6),
            whole(Some(boat.lon), 1e6),
            whole(boat.sog_mps, 100.0),
            whole(boat.cog_deg, 1.0),
            whole(boat.heading_deg, 1.0),
            whole(boat.accuracy_m, 10.0),
            whole(boat.interval_s, 10.0),
            STATES.iter().position(|state| *state == boat.state).map(|at| at as i64),
            whole(boat.limit.as_ref().and_then(|limit| limit.distance_m), 10.0),
            whole(boat.nearest.as_ref().map(|nearest| nearest.distance_m), 10.0),
        ];
        let rest = Rest {
            id: boat.id,
            name: boat.name,
            class: boat.class,
            length_m: boat.length_m,
            is_derived: boat.is_derived,
            tow: boat.tow.as_ref(),
            permits: &boat.permits,
            open: &boat.open,
            not_judged: boat.not_judged,
        };
        Self {
            id: id.clone(),
            own,
            limit: boat.limit.as_ref().map(|limit| raw(&LimitShown { distance_m: None, ..limit.clone() })),
            nearest: boat.nearest.as_ref().map(|Nearest { feature, kind, .. }| raw(&Feature { feature, kind: *kind })),
            rest: raw(&rest),
        }
    }
}

/// A nearest feature without its distance.
#[derive(Serialize)]
struct Feature<'a> {
    feature: &'a str,
    kind: ZoneKind,
}

fn raw(value: &impl Serialize) -> Arc<RawValue> {
    let text = serde_json::to_string(value).expect("it has only keys that are text");
    RawValue::from_string(text).map(Arc::from).expect("what was just written is JSON")
}

/// What a stream has told so far.
#[derive(Debug, Default)]
pub(super) struct Told {
    boats: BTreeMap<VesselId, ToldBoat>,
    limits: Table,
    features: Table,
}

/// What was told of a boat.
#[derive(Debug)]
struct ToldBoat {
    n: i64,
    numbers: [Option<i64>; COLUMNS.len()],
    rest: Option<Arc<RawValue>>,
}

/// What is told once, by its number.
#[derive(Debug, Default)]
struct Table(BTreeMap<String, i64>);

impl Table {
    /// The number of an item; one that is new is added to `new`.
    fn number<'a>(&mut self, item: &'a RawValue, new: &mut Vec<&'a RawValue>) -> i64 {
        if let Some(n) = self.0.get(item.get()) {
            return *n;
        }
        let n = self.0.len() as i64;
        self.0.insert(item.get().to_owned(), n);
        new.push(item);
        n
    }
}

impl Told {
    /// What is to be told of boats, as JSON; from then on it is told.
    pub fn tell<'a>(&mut self, at: EventTime, boats: impl IntoIterator<Item = &'a Flat>, gone: &[VesselId]) -> String {
        let (mut limits, mut features, mut rest) = (Vec::new(), Vec::new(), Vec::new());
        let mut rows = Vec::new();
        for flat in boats {
            let limit = flat.limit.as_deref().map(|limit| self.limits.number(limit, &mut limits));
            let nearest = flat.nearest.as_deref().map(|nearest| self.features.number(nearest, &mut features));
            let next = self.boats.len() as i64;
            let none = || ToldBoat { n: next, numbers: Default::default(), rest: None };
            let told = self.boats.entry(flat.id.clone()).or_insert_with(none);
            if told.rest.as_deref().map(RawValue::get) != Some(flat.rest.get()) {
                told.rest = Some(flat.rest.clone());
                rest.push((told.n, &*flat.rest));
            }
            let mut numbers = [None; COLUMNS.len()];
            numbers[..OWN].copy_from_slice(&flat.own);
            numbers[OWN..].copy_from_slice(&[limit, nearest]);
            rows.push((told.n, std::mem::replace(&mut told.numbers, numbers), numbers));
        }
        rows.sort_unstable_by_key(|(n, ..)| *n);
        let mut changes = BTreeMap::new();
        for (at, name) in COLUMNS.iter().enumerate() {
            if rows.iter().any(|(_, before, now)| before[at] != now[at]) {
                let change = |before: Option<i64>, now: Option<i64>| now.map(|now| now - before.unwrap_or(0));
                let column = rows.iter().map(|(_, before, now)| change(before[at], now[at])).collect();
                changes.insert(*name, column);
            }
        }
        let mut last = 0;
        let n = rows.iter().map(|(n, ..)| n - std::mem::replace(&mut last, *n)).collect();
        let mut left = Vec::new();
        for id in gone {
            if let Some(told) = self.boats.get_mut(id) {
                (told.numbers, told.rest) = (Default::default(), None);
                left.push(told.n);
            }
        }
        let columns = Columns { at, limits, features, rest, n, changes, gone: left };
        serde_json::to_string(&columns).expect("columns have only keys that are text")
    }
}
