//! What officers made of findings, what they wish to be quiet about, and what they stated.

use std::fmt;
use std::str::FromStr;

use rusqlite::{OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};

use super::standing::Happened;
use super::{Sqlite, StoreError};
use crate::time::EventTime;

/// What an officer does with a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Has seen it.
    Acknowledge,
    /// Notes something.
    Note,
    /// Warned the operator.
    Warn,
    /// Wrote a citation.
    Cite,
    /// Takes it for nothing.
    Dismiss,
    /// Takes back an earlier outcome.
    Reverse,
}

impl Action {
    const ALL: [Self; 6] = [Self::Acknowledge, Self::Note, Self::Warn, Self::Cite, Self::Dismiss, Self::Reverse];

    /// As it is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Acknowledge => "acknowledge",
            Self::Note => "note",
            Self::Warn => "warn",
            Self::Cite => "cite",
            Self::Dismiss => "dismiss",
            Self::Reverse => "reverse",
        }
    }

    /// The state that a finding is in because of it; none for what takes something back.
    const fn state(self) -> Option<&'static str> {
        Some(match self {
            Self::Acknowledge => "acknowledged",
            Self::Note => "noted",
            Self::Warn => "warned",
            Self::Cite => "cited",
            Self::Dismiss => "dismissed",
            Self::Reverse => return None,
        })
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Action {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|action| action.as_str() == text);
        known.ok_or_else(|| format!("{text:?} is no action"))
    }
}

/// An outcome that is to be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewOutcome {
    /// The finding.
    pub finding: String,
    /// What is done with it.
    pub action: Action,
    /// Why.
    pub reason: Option<String>,
    /// In own words.
    pub text: Option<String>,
    /// Who.
    pub by: String,
    /// When the officer did it; it may have been sent later.
    pub made_at: EventTime,
    /// When it is stored.
    pub stored_at: EventTime,
    /// The outcome that it takes back.
    pub reverses: Option<i64>,
}

/// An outcome as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// Its number.
    pub n: i64,
    /// What it says.
    pub said: NewOutcome,
}

/// A rule that is quiet for a vessel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quiet {
    /// Its number; 0 in a new one.
    pub n: i64,
    /// The vessel.
    pub vessel: String,
    /// The rule.
    pub rule: String,
    /// Findings that begin from here on.
    pub from: EventTime,
    /// Findings that begin before this.
    pub until: EventTime,
    /// Who wished it.
    pub by: String,
    /// When.
    pub made_at: EventTime,
}

const OUTCOME: &str = "n, finding, action, reason, text, by_whom, made_at, stored_at, reverses";

fn outcome(row: &Row<'_>) -> rusqlite::Result<Outcome> {
    let action: String = row.get(2)?;
    let action = action.parse().map_err(|error: String| {
        rusqlite::Error::FromSqlConversionFailure(2, rusqlite::types::Type::Text, error.into())
    })?;
    let said = NewOutcome {
        finding: row.get(1)?,
        action,
        reason: row.get(3)?,
        text: row.get(4)?,
        by: row.get(5)?,
        made_at: EventTime::from_unix_ns(row.get(6)?),
        stored_at: EventTime::from_unix_ns(row.get(7)?),
        reverses: row.get(8)?,
    };
    Ok(Outcome { n: row.get(0)?, said })
}

impl Sqlite {
    /// Adds an outcome to a finding, and brings the state of the finding up to it; the same outcome sent twice (by the
    /// same person, with the same instant and action) is one. `None` where there is no such finding. Call it within a
    /// transaction.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn add_outcome(&mut self, new: &NewOutcome) -> Result<Option<Outcome>, StoreError> {
        let waterway = self
            .connection
            .query_row("SELECT waterway FROM standing WHERE id = ?1", [&new.finding], |row| row.get::<_, String>(0))
            .optional();
        let Some(waterway) = self.ok(waterway)? else { return Ok(None) };
        let sql = format!(
            "SELECT {OUTCOME} FROM outcome WHERE finding = ?1 AND by_whom = ?2 AND made_at = ?3 AND action = ?4"
        );
        let there = self
            .connection
            .query_row(&sql, params![new.finding, new.by, new.made_at.unix_ns(), new.action.as_str()], outcome)
            .optional();
        if let Some(there) = self.ok(there)? {
            return Ok(Some(there));
        }
        let added = self.connection.prepare_cached(
            "INSERT INTO outcome (finding, action, reason, text, by_whom, made_at, stored_at, reverses)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        );
        let n = self.ok(self.ok(added)?.insert(params![
            new.finding,
            new.action.as_str(),
            new.reason,
            new.text,
            new.by,
            new.made_at.unix_ns(),
            new.stored_at.unix_ns(),
            new.reverses
        ]))?;
        let all = self.outcomes_of(&new.finding)?;
        let state = state_after(&all);
        self.ok(self
            .connection
            .execute("UPDATE standing SET outcome = ?2 WHERE id = ?1", params![new.finding, state]))?;
        self.happened(&waterway, Happened::Outcome, &new.finding, n)?;
        Ok(Some(Outcome { n, said: new.clone() }))
    }

    /// All outcomes of a finding, in order.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn outcomes_of(&self, finding: &str) -> Result<Vec<Outcome>, StoreError> {
        let sql = format!("SELECT {OUTCOME} FROM outcome WHERE finding = ?1 ORDER BY n");
        self.rows(&sql, [finding], outcome)
    }

    /// One outcome.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn outcome(&self, n: i64) -> Result<Option<Outcome>, StoreError> {
        let sql = format!("SELECT {OUTCOME} FROM outcome WHERE n = ?1");
        self.row(&sql, [n], outcome)
    }

    /// Begins to be quiet about something; its number.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn add_quiet(&mut self, new: &Quiet) -> Result<i64, StoreError> {
        let added = self.connection.prepare_cached(
            "INSERT INTO quiet (vessel, rule, from_t, until_t, by_whom, made_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        );
        self.ok(self.ok(added)?.insert(params![
            new.vessel,
            new.rule,
            new.from.unix_ns(),
            new.until.unix_ns(),
            new.by,
            new.made_at.unix_ns()
        ]))
    }

    /// Ends it; `false` where it has ended, or there is none.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn end_quiet(&mut self, n: i64, by: &str, now: EventTime) -> Result<bool, StoreError> {
        let ended = self.connection.execute(
            "UPDATE quiet SET ended_at = ?3, ended_by = ?2 WHERE n = ?1 AND ended_at IS NULL",
            params![n, by, now.unix_ns()],
        );
        Ok(self.ok(ended)? > 0)
    }

    /// What is quiet at some instant or later, and has not been ended.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn quiet_from(&self, t: EventTime) -> Result<Vec<Quiet>, StoreError> {
        self.rows(
            "SELECT n, vessel, rule, from_t, until_t, by_whom, made_at FROM quiet
             WHERE ended_at IS NULL AND until_t > ?1 ORDER BY n",
            [t.unix_ns()],
            |row| {
                Ok(Quiet {
                    n: row.get(0)?,
                    vessel: row.get(1)?,
                    rule: row.get(2)?,
                    from: EventTime::from_unix_ns(row.get(3)?),
                    until: EventTime::from_unix_ns(row.get(4)?),
                    by: row.get(5)?,
                    made_at: EventTime::from_unix_ns(row.get(6)?),
                })
            },
        )
    }

    /// Notes who stated what.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn add_statement(
        &mut self,
        kind: &str,
        about: &str,
        by: &str,
        body: &str,
        now: EventTime,
    ) -> Result<i64, StoreError> {
        let added = self
            .connection
            .prepare_cached("INSERT INTO statement (made_at, by_whom, kind, about, body) VALUES (?1, ?2, ?3, ?4, ?5)");
        self.ok(self.ok(added)?.insert(params![now.unix_ns(), by, kind, about, body]))
    }

    /// The last statement of a kind about each thing: who, when, and what.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn last_statements(&self, kind: &str) -> Result<Vec<(String, String, EventTime, String)>, StoreError> {
        let mut statement = self.ok(self.connection.prepare_cached(
            "SELECT about, by_whom, made_at, body FROM statement
             WHERE n IN (SELECT max(n) FROM statement WHERE kind = ?1 GROUP BY about) ORDER BY about",
        ))?;
        let rows = statement
            .query_map([kind], |row| Ok((row.get(0)?, row.get(1)?, EventTime::from_unix_ns(row.get(2)?), row.get(3)?)));
        self.ok(rows.and_then(Iterator::collect))
    }
}

/// The state after a history: that of the last outcome that was not taken back.
fn state_after(all: &[Outcome]) -> Option<&'static str> {
    let is_reversed = |n: i64| all.iter().any(|other| other.said.reverses == Some(n));
    all.iter().rev().filter(|outcome| !is_reversed(outcome.n)).find_map(|outcome| outcome.said.action.state())
}
