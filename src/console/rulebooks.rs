//! The rulebooks that were in force: which, when, on which waters, and what differs between two.

use std::collections::{BTreeMap, BTreeSet};

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use toml::{Table, Value};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::problem::{Path, Query};
use super::waterway::ShownRulebook;
use super::{Console, Problem, Viewer};
use crate::rulebook::Rulebook;
use crate::store::LawPeriod;
use crate::time::EventTime;

/// What a table of a list is called by, the first that it has.
const NAMES: [&str; 3] = ["citation", "id", "name"];

pub(super) fn routes() -> OpenApiRouter<Console> {
    OpenApiRouter::new().routes(routes!(rulebooks)).routes(routes!(one)).routes(routes!(differences))
}

/// A rulebook that is or was in force.
#[derive(Debug, Serialize, ToSchema)]
struct ShownVersion {
    /// Content hash, as findings name it.
    version: String,
    name: String,
    edition: String,
    /// What its file was called.
    file: String,
    is_in_force: bool,
    /// When findings were judged by it, by the clock of the machine; the newest first.
    periods: Vec<Period>,
    /// The waterways of the map that was in force with it last.
    waterways: Vec<String>,
}

/// From when until when.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, ToSchema)]
struct Period {
    #[schema(value_type = String)]
    from: EventTime,
    /// Null while it lasts.
    #[schema(value_type = Option<String>)]
    to: Option<EventTime>,
}

/// The rulebooks that are and were in force, the newest first.
#[utoipa::path(get, path = "/rulebooks", tag = "law", responses((status = 200, body = [ShownVersion])))]
async fn rulebooks(State(console): State<Console>, _: Viewer) -> Result<Json<Vec<ShownVersion>>, Problem> {
    let in_force = console.law().rulebook.version.to_string();
    let shown = console.shelf().read(move |store| {
        let periods = store.law_periods()?;
        let mut shown = Vec::new();
        for (version, periods) in by_rulebook(&periods) {
            let (name, text) = store.rulebook(&version)?.unwrap_or_default();
            let table: Table = text.parse().unwrap_or_default();
            let word = |key: &str| table.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
            let last = periods.last().map(|period| period.law.clone()).unwrap_or_default();
            shown.push(ShownVersion {
                is_in_force: version == in_force,
                name: word("name"),
                edition: word("edition"),
                file: name.rsplit(['/', '\\']).next().unwrap_or_default().to_owned(),
                waterways: waterways(&store.law(&last)?.zones),
                periods: periods.iter().rev().map(|one| Period { from: one.from, to: one.to }).collect(),
                version,
            });
        }
        shown.sort_by_key(|one| std::cmp::Reverse(one.periods.first().map(|period| period.from)));
        Ok(shown)
    });
    Ok(Json(shown.await?))
}

/// The periods of each rulebook in order; where only the map changed in between, one goes on in the other.
fn by_rulebook(periods: &[LawPeriod]) -> BTreeMap<String, Vec<LawPeriod>> {
    let mut by_rulebook: BTreeMap<String, Vec<LawPeriod>> = BTreeMap::new();
    for period in periods {
        let of_it = by_rulebook.entry(period.rulebook_version.clone()).or_default();
        match of_it.last_mut().filter(|last| last.to == Some(period.from)) {
            Some(last) => (last.to, last.law) = (period.to, period.law.clone()),
            None => of_it.push(period.clone()),
        }
    }
    by_rulebook
}

/// The ids of the waterways that the files of a map draw.
fn waterways(files: &[crate::zones::ZoneFile]) -> Vec<String> {
    let mut ids = BTreeSet::new();
    for file in files {
        let Ok(collection) = crate::draft::Collection::parse(&file.bytes) else { continue };
        let is_water = |feature: &serde_json::Value| feature["properties"]["kind"] == "waterway";
        ids.extend(collection.features.into_iter().filter(|(_, feature)| is_water(feature)).map(|(id, _)| id));
    }
    ids.into_iter().collect()
}

/// The text of a rulebook that is or was in force.
async fn text(console: &Console, version: &str) -> Result<(String, String), Problem> {
    let asked = version.to_owned();
    let kept = console.shelf().read(move |store| store.rulebook(&asked)).await?;
    kept.ok_or_else(|| Problem::not_found("rulebook", version))
}

/// A rulebook that is or was in force, with the words of the law clause by clause.
#[utoipa::path(get, path = "/rulebooks/{version}", tag = "law", params(("version" = String, Path)),
    responses((status = 200, body = ShownRulebook), (status = 404, body = Problem), (status = 422, body = Problem)))]
async fn one(
    State(console): State<Console>,
    _: Viewer,
    Path(version): Path<String>,
) -> Result<Json<ShownRulebook>, Problem> {
    let (name, toml) = text(&console, &version).await?;
    let rulebook = Rulebook::from_toml(&name, &toml).map_err(|errors| {
        let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
        Problem::unusable("this Buoyline cannot read it any more").detail(errors.join("; "))
    })?;
    Ok(Json(ShownRulebook::of(&rulebook, toml)))
}

/// Which other one.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct With {
    /// The version to compare with.
    with: String,
}

/// Something that two rulebooks say otherwise.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
struct Difference {
    /// Where: the keys of the file, with the citation of a clause.
    at: Vec<String>,
    /// As the version of the address has it; null where it does not.
    before: Option<String>,
    /// As the other one has it.
    after: Option<String>,
}

/// What another rulebook says otherwise, by key; what it leaves out is last. Comments and the
/// order of lines are no difference.
#[utoipa::path(get, path = "/rulebooks/{version}/diff", tag = "law", params(("version" = String, Path), With),
    responses((status = 200, body = [Difference]), (status = 404, body = Problem)))]
async fn differences(
    State(console): State<Console>,
    _: Viewer,
    Path(version): Path<String>,
    Query(With { with }): Query<With>,
) -> Result<Json<Vec<Difference>>, Problem> {
    let (before, after) = (text(&console, &version).await?.1, text(&console, &with).await?.1);
    let read = |text: &str| {
        let table: Table = text.parse().map_err(|error: toml::de::Error| {
            Problem::unusable("a rulebook cannot be read").detail(error.to_string())
        })?;
        Ok::<_, Problem>(table)
    };
    Ok(Json(compared(&read(&before)?, &read(&after)?)))
}

fn compared(before: &Table, after: &Table) -> Vec<Difference> {
    let (mut old, mut new) = (Vec::new(), Vec::new());
    flatten(&mut Vec::new(), &Value::Table(before.clone()), &mut old);
    flatten(&mut Vec::new(), &Value::Table(after.clone()), &mut new);
    let (old_by, new_by): (BTreeMap<_, _>, BTreeMap<_, _>) =
        (old.iter().cloned().collect(), new.iter().cloned().collect());
    let mut differences = Vec::new();
    for (at, after) in &new {
        let before = old_by.get(at);
        if before != Some(after) {
            differences.push(Difference { at: at.clone(), before: before.cloned(), after: Some(after.clone()) });
        }
    }
    for (at, before) in old.iter().filter(|(at, _)| !new_by.contains_key(at)) {
        differences.push(Difference { at: at.clone(), before: Some(before.clone()), after: None });
    }
    differences
}

/// Everything that a file says, each with where it stands.
fn flatten(at: &mut Vec<String>, value: &Value, out: &mut Vec<(Vec<String>, String)>) {
    match value {
        Value::Table(table) => {
            for (key, value) in table {
                at.push(key.clone());
                flatten(at, value, out);
                at.pop();
            }
        }
        Value::Array(list) if list.iter().any(Value::is_table) => {
            let mut names: BTreeMap<String, usize> = BTreeMap::new();
            for (place, value) in list.iter().enumerate() {
                let name = NAMES.iter().find_map(|key| value.get(key).and_then(Value::as_str));
                let name = name.map_or_else(|| format!("{}", place + 1), str::to_owned);
                // Of clauses of one citation each is told by its number among them.
                let count = names.entry(name.clone()).or_default();
                *count += 1;
                at.push(if *count > 1 { format!("{name} ({count})") } else { name });
                flatten(at, value, out);
                at.pop();
            }
        }
        Value::String(text) => out.push((at.clone(), text.clone())),
        other => out.push((at.clone(), other.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_told_by_clause_and_key() {
        let read = |text: &str| text.parse::<Table>().expect("TOML");
        let before = read(
            "name = \"a\"\n[motion]\nmax_gap = \"15 s\"\n[[rules.wake-zone.clause]]\ncitation = \"(1)\"\nlimit = \"5 mph\"\n\
             [[rules.wake-zone.clause]]\ncitation = \"(2)\"\nlimit = \"5 mph\"\nkinds = [\"dock\"]",
        );
        let after = read(
            "# moved about\n[motion]\nmax_gap = \"15 s\"\n[[rules.wake-zone.clause]]\ncitation = \"(2)\"\nlimit = \"6 mph\"\n\
             kinds = [\"dock\"]\n[[rules.wake-zone.clause]]\ncitation = \"(1)\"\nlimit = \"5 mph\"",
        );
        assert_eq!(compared(&before, &before), []);
        let clause = ["rules", "wake-zone", "clause", "(2)", "limit"].map(str::to_owned).to_vec();
        let told = |at: Vec<String>, before: Option<&str>, after: Option<&str>| Difference {
            at,
            before: before.map(str::to_owned),
            after: after.map(str::to_owned),
        };
        assert_eq!(
            compared(&before, &after),
            [told(clause, Some("5 mph"), Some("6 mph")), told(vec!["name".to_owned()], Some("a"), None)]
        );
    }

    #[test]
    fn a_rulebook_goes_on_where_only_the_map_changed() {
        let at = |s: f64| EventTime::from_unix_ms(0).plus_seconds(s);
        let period = |law: &str, rulebook: &str, from: f64, to: Option<f64>| LawPeriod {
            law: law.to_owned(),
            rulebook_version: rulebook.to_owned(),
            from: at(from),
            to: to.map(at),
        };
        let periods = [
            period("1", "a", 0.0, Some(10.0)),
            period("2", "a", 10.0, Some(20.0)),
            period("3", "b", 20.0, Some(30.0)),
            period("2", "a", 30.0, None),
        ];
        let told = by_rulebook(&periods);
        assert_eq!(told["a"], [period("2", "a", 0.0, Some(20.0)), period("2", "a", 30.0, None)]);
        assert_eq!(told["b"], [period("3", "b", 20.0, Some(30.0))]);
    }
}
