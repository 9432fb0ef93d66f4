//! Where findings stand, for those who look through them, and what happened to them in order.

use std::collections::BTreeMap;

use rusqlite::{Row, ToSql, params};

use super::findings::status_name;
use super::{Outcome, Sqlite, StoreError};
use crate::findings::{Finding, Verdict};
use crate::time::EventTime;

/// A finding as it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Standing {
    /// Its id.
    pub id: String,
    /// The number of its newest revision, or of the one asked for, among everything that happened.
    pub seq: i64,
    /// Its waterway.
    pub waterway: String,
    /// `open` or `new` (nobody has said anything), `acknowledged`, `noted`, `warned`, `cited`, `dismissed`, or
    /// `withdrawn`.
    pub state: String,
    /// When that revision was made, by the clock of the machine.
    pub made_at: EventTime,
    /// The revision, as it was published.
    pub json: String,
}

/// What happened to a finding.
#[derive(Debug, Clone, PartialEq)]
pub enum Happened {
    /// A revision was made.
    Revision,
    /// An officer said what became of it.
    Outcome,
}

/// Something that happened, with its place in the order.
#[derive(Debug, Clone, PartialEq)]
pub enum Happening {
    /// A revision.
    Revision(Box<Standing>),
    /// An outcome: its place, itself, and the state of its finding by now.
    Outcome(i64, Outcome, String),
}

impl Happening {
    /// Its place in the order.
    pub fn seq(&self) -> i64 {
        match self {
            Self::Revision(standing) => standing.seq,
            Self::Outcome(seq, ..) => *seq,
        }
    }
}

/// Which findings are asked for. What is `None` or empty is not asked.
#[derive(Debug, Clone, Default)]
pub struct StandingQuery {
    /// Of this waterway.
    pub waterway: Option<String>,
    /// In one of these states.
    pub states: Vec<String>,
    /// With this verdict.
    pub verdict: Option<String>,
    /// Of one of these rules.
    pub rules: Vec<String>,
    /// Of this vessel, or with it as the other.
    pub vessel: Option<String>,
    /// Involving this feature.
    pub feature: Option<String>,
    /// Beginning at or after this instant.
    pub from: Option<EventTime>,
    /// Beginning at or before this instant.
    pub to: Option<EventTime>,
    /// With at least this confidence.
    pub min_confidence: Option<f64>,
    /// With the worst instant in this box: west, south, east and north edge, degrees; where west lies beyond east, it
    /// crosses the antimeridian.
    pub bbox: Option<[f64; 4]>,
    /// With the worst instant in the area of these corners (latitude, longitude, degrees); anywhere, where there are none.
    pub area: Vec<[f64; 2]>,
    /// By confidence instead of by beginning.
    pub by_confidence: bool,
    /// The least first.
    pub is_ascending: bool,
    /// How many at most.
    pub limit: usize,
    /// Behind this one: its key and its id.
    pub after: Option<(f64, String)>,
}

/// How many findings there are, by what can be asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// By state.
    pub by_state: BTreeMap<String, u64>,
    /// By verdict.
    pub by_verdict: BTreeMap<String, u64>,
    /// By rule.
    pub by_rule: BTreeMap<String, u64>,
}

const STATE: &str = "CASE WHEN s.status = 'withdrawn' THEN 'withdrawn' WHEN s.outcome IS NOT NULL THEN s.outcome
     WHEN s.status = 'open' THEN 'open' ELSE 'new' END";
const ROW: &str = "s.id, coalesce(e.seq, 0), s.waterway";
const JOINED: &str = "standing AS s JOIN finding AS f ON f.id = s.id AND f.revision = s.revision
     LEFT JOIN event AS e ON e.kind = 0 AND e.id = f.id AND e.n = f.revision";
/// What is asked for beside states, verdict and rules. Times are ?5 and ?6; the box is ?7 to ?10, the edges of the area
/// are ?11, of which an odd number lies east of what is in it.
const ASKED: &str = "(?1 IS NULL OR s.waterway = ?1) AND (?2 IS NULL OR s.vessel = ?2 OR s.other = ?2)
     AND (?3 IS NULL OR s.confidence >= ?3)
     AND (?4 IS NULL OR EXISTS (SELECT 1 FROM json_each(f.json, '$.features') WHERE value = ?4))
     AND s.start_t >= ?5 AND s.start_t <= ?6
     AND (?7 IS NULL OR (json_extract(f.json, '$.peak.lat') BETWEEN ?8 AND ?10
          AND CASE WHEN ?7 <= ?9 THEN json_extract(f.json, '$.peak.lon') BETWEEN ?7 AND ?9
                   ELSE json_extract(f.json, '$.peak.lon') >= ?7 OR json_extract(f.json, '$.peak.lon') <= ?9 END))
     AND (?11 IS NULL OR (
       SELECT count(*) % 2 FROM (
         SELECT json_extract(value, '$[0]') AS lat_a, json_extract(value, '$[1]') AS lon_a,
                json_extract(value, '$[2]') AS lat_b, json_extract(value, '$[3]') AS lon_b,
                json_extract(f.json, '$.peak.lat') AS lat, json_extract(f.json, '$.peak.lon') AS lon
         FROM json_each(?11))
       WHERE (lat_a > lat) != (lat_b > lat)
         AND lon < lon_a + (lon_b - lon_a) * (lat - lat_a) / (lat_b - lat_a)) = 1)";

fn standing(row: &Row<'_>) -> rusqlite::Result<Standing> {
    Ok(Standing {
        id: row.get(0)?,
        seq: row.get(1)?,
        waterway: row.get(2)?,
        state: row.get(3)?,
        made_at: EventTime::from_unix_ns(row.get(4)?),
        json: row.get(5)?,
    })
}

impl StandingQuery {
    /// The edges of the area as JSON; `None` where there is none.
    fn edges(&self) -> Option<String> {
        let (last, area) = (self.area.last()?, &self.area);
        let before = std::iter::once(last).chain(area);
        let edges: Vec<[f64; 4]> = before.zip(area).map(|(a, b)| [a[0], a[1], b[0], b[1]]).collect();
        serde_json::to_string(&edges).ok()
    }

    fn period(&self) -> (i64, i64) {
        (self.from.map_or(i64::MIN, EventTime::unix_ns), self.to.map_or(i64::MAX, EventTime::unix_ns))
    }

    /// The key of a finding in the order asked for: what `after` wants beside its id.
    pub fn key(&self, standing: &Standing) -> Option<f64> {
        let finding: serde_json::Value = serde_json::from_str(&standing.json).ok()?;
        if self.by_confidence {
            return finding["confidence"].as_f64();
        }
        EventTime::parse_rfc3339(finding["start"].as_str()?).ok().map(|t| t.unix_ms() as f64)
    }
}

impl Sqlite {
    /// Notes how a finding stands with its newest revision.
    pub(super) fn stands(&self, finding: &Finding) -> Result<(), StoreError> {
        let mut statement = self.ok(self.connection.prepare_cached(
            "INSERT INTO standing (id, revision, waterway, rule, vessel, other, status, verdict, confidence, start_t, end_t)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
             ON CONFLICT (id) DO UPDATE SET revision = ?2, status = ?7, verdict = ?8, confidence = ?9, start_t = ?10, end_t = ?11
             WHERE ?2 > revision",
        ))?;
        let written = statement.execute(params![
            finding.id,
            finding.revision,
            finding.waterway.as_str(),
            finding.rule,
            finding.vessel.as_str(),
            finding.other.as_ref().map(|other| other.as_str()),
            status_name(finding.status),
            if finding.verdict == Verdict::Breach { "breach" } else { "possible" },
            finding.confidence,
            finding.start.unix_ns(),
            finding.end.map(EventTime::unix_ns),
        ]);
        self.ok(written).map(drop)
    }

    /// Notes that something happened to a finding.
    pub(super) fn happened(&self, waterway: &str, what: Happened, id: &str, n: i64) -> Result<i64, StoreError> {
        let kind = if what == Happened::Revision { 0 } else { 1 };
        let mut statement = self
            .ok(self.connection.prepare_cached("INSERT INTO event (waterway, kind, id, n) VALUES (?1, ?2, ?3, ?4)"))?;
        self.ok(statement.insert(params![waterway, kind, id, n]))
    }

    /// The findings that are asked for, in the order asked for.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn standings(&self, query: &StandingQuery) -> Result<Vec<Standing>, StoreError> {
        // Milliseconds are what is written; rows between two of them are told apart by their ids.
        let key = if query.by_confidence { "round(s.confidence, 3)" } else { "(s.start_t + 500000) / 1000000" };
        let (order, behind) = if query.is_ascending { ("ASC", ">") } else { ("DESC", "<") };
        let sql = format!(
            "SELECT {ROW}, {STATE}, f.made_at, f.json FROM {JOINED} WHERE {ASKED}
               AND (?12 = '' OR instr(?12, ',' || ({STATE}) || ',') > 0)
               AND (?13 IS NULL OR s.verdict = ?13)
               AND (?14 = '' OR instr(?14, ',' || s.rule || ',') > 0)
               AND (?15 IS NULL OR ({key}, s.id) {behind} (?15, ?16))
             ORDER BY {key} {order}, s.id {order} LIMIT ?17"
        );
        let mut statement = self.ok(self.connection.prepare_cached(&sql))?;
        let (from, to) = query.period();
        let (states, rules) = (listed(&query.states), listed(&query.rules));
        let (after, id) = query.after.clone().unzip();
        let limit = query.limit as i64;
        let [west, south, east, north] = query.bbox.map_or([None; 4], |edges| edges.map(Some));
        let edges = query.edges();
        let asked: [&dyn ToSql; 17] = [
            &query.waterway,
            &query.vessel,
            &query.min_confidence,
            &query.feature,
            &from,
            &to,
            &west,
            &south,
            &east,
            &north,
            &edges,
            &states,
            &query.verdict,
            &rules,
            &after,
            &id,
            &limit,
        ];
        self.ok(statement.query_map(&asked[..], standing).and_then(Iterator::collect))
    }

    /// How many there are of those that are asked for, whatever their state, verdict and rule.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn standing_counts(&self, query: &StandingQuery) -> Result<Counts, StoreError> {
        let sql = format!(
            "SELECT {STATE} AS state, s.verdict, s.rule, count(*) FROM {JOINED} WHERE {ASKED}
             GROUP BY state, s.verdict, s.rule"
        );
        let mut statement = self.ok(self.connection.prepare_cached(&sql))?;
        let (from, to) = query.period();
        let [west, south, east, north] = query.bbox.map_or([None; 4], |edges| edges.map(Some));
        let (StandingQuery { waterway, vessel, min_confidence, feature, .. }, edges) = (query, query.edges());
        let asked = params![waterway, vessel, min_confidence, feature, from, to, west, south, east, north, edges];
        let rows = statement
            .query_map(asked, |row| {
                Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?, row.get(3)?))
            })
            .and_then(Iterator::collect::<Result<Vec<(String, String, String, i64)>, _>>);
        let mut counts = Counts::default();
        for (state, verdict, rule, n) in self.ok(rows)? {
            let n = n.unsigned_abs();
            *counts.by_state.entry(state).or_default() += n;
            *counts.by_verdict.entry(verdict).or_default() += n;
            *counts.by_rule.entry(rule).or_default() += n;
        }
        Ok(counts)
    }

    /// When findings of a waterway began since an instant, and whether they are breaches; without those withdrawn or
    /// dismissed.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn began_since(&self, waterway: &str, from: EventTime) -> Result<Vec<(EventTime, bool)>, StoreError> {
        self.rows(
            "SELECT start_t, verdict = 'breach' FROM standing
             WHERE waterway = ?1 AND start_t >= ?2 AND status != 'withdrawn' AND coalesce(outcome, '') != 'dismissed'",
            params![waterway, from.unix_ns()],
            |row| Ok((EventTime::from_unix_ns(row.get(0)?), row.get(1)?)),
        )
    }

    /// How many findings of each vessel began in a period; without those withdrawn or dismissed.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn findings_by_vessel(&self, from: EventTime, to: EventTime) -> Result<BTreeMap<String, u64>, StoreError> {
        self.rows(
            "SELECT vessel, count(*) FROM standing
             WHERE start_t >= ?1 AND start_t <= ?2 AND status != 'withdrawn' AND coalesce(outcome, '') != 'dismissed'
             GROUP BY vessel",
            params![from.unix_ns(), to.unix_ns()],
            |row| Ok((row.get(0)?, row.get::<_, i64>(1)?.unsigned_abs())),
        )
    }

    /// One finding as it stands.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn standing(&self, id: &str) -> Result<Option<Standing>, StoreError> {
        let sql = format!("SELECT {ROW}, {STATE}, f.made_at, f.json FROM {JOINED} WHERE s.id = ?1");
        self.row(&sql, [id], standing)
    }

    /// All revisions of a finding, in order, each with when it was made.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn revisions_of(&self, id: &str) -> Result<Vec<(EventTime, String)>, StoreError> {
        self.rows("SELECT made_at, json FROM finding WHERE id = ?1 ORDER BY revision", [id], |row| {
            Ok((EventTime::from_unix_ns(row.get(0)?), row.get(1)?))
        })
    }

    /// The place of the last thing that happened to any finding; 0 where nothing did.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn last_happening(&self) -> Result<i64, StoreError> {
        let mut statement = self.ok(self.connection.prepare_cached("SELECT coalesce(max(seq), 0) FROM event"))?;
        self.ok(statement.query_row([], |row| row.get(0)))
    }

    /// What happened on a waterway behind a place in the order, up to `limit`.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn happenings(&self, waterway: &str, after: i64, limit: usize) -> Result<Vec<Happening>, StoreError> {
        let mut statement = self.ok(self.connection.prepare_cached(
            "SELECT seq, kind, id, n FROM event WHERE waterway = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3",
        ))?;
        let rows = statement
            .query_map(params![waterway, after, limit as i64], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
            })
            .and_then(Iterator::collect::<Result<Vec<(i64, i64, String, i64)>, _>>);
        let mut happenings = Vec::new();
        for (seq, kind, id, n) in self.ok(rows)? {
            let happening = match kind {
                0 => self.revision(seq, &id, n)?.map(|standing| Happening::Revision(Box::new(standing))),
                _ => {
                    let state = self.standing(&id)?.map(|standing| standing.state).unwrap_or_default();
                    self.outcome(n)?.map(|outcome| Happening::Outcome(seq, outcome, state))
                }
            };
            happenings.extend(happening);
        }
        Ok(happenings)
    }

    /// A revision, with the state that its finding has by now.
    fn revision(&self, seq: i64, id: &str, revision: i64) -> Result<Option<Standing>, StoreError> {
        let sql = format!(
            "SELECT s.id, ?1, s.waterway, {STATE}, f.made_at, f.json
             FROM standing AS s JOIN finding AS f ON f.id = s.id WHERE s.id = ?2 AND f.revision = ?3"
        );
        self.row(&sql, params![seq, id, revision], standing)
    }
}

/// A list as one text, each item between two commas; nothing for an empty one.
fn listed(items: &[String]) -> String {
    if items.is_empty() { String::new() } else { format!(",{},", items.join(",")) }
}
