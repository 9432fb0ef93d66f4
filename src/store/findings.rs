//! Findings with their history, and the outbox.

use std::collections::BTreeMap;

use rusqlite::{OptionalExtension, params};

use super::standing::Happened;
use super::{Findings, Sqlite, StoreError};
use crate::findings::{Finding, Status, Verdict};
use crate::observation::WaterwayId;
use crate::time::EventTime;

/// A revision of a finding, as it is kept and published.
#[derive(Debug, Clone)]
pub struct Kept {
    /// What it says.
    pub finding: Finding,
    /// The same as one line of JSON: what is published.
    pub json: String,
    /// The entry of the log that led to it.
    pub position: u64,
    /// When it was made, by the clock of the machine.
    pub made_at: EventTime,
    /// Whether it mends, after the fact, what had been published.
    pub is_amended: bool,
}

/// The newest revision of a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stands {
    /// What was published.
    pub json: String,
    /// The entry of the log that led to it.
    pub position: u64,
    /// Whether nothing is left of it.
    pub is_withdrawn: bool,
    /// Whether it mends, after the fact, what had been published.
    pub is_amended: bool,
}

/// A revision that is to be published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Letter {
    /// Its number in the outbox.
    pub n: i64,
    /// The finding.
    pub id: String,
    /// Which revision of it.
    pub revision: u32,
    /// Its waterway.
    pub waterway: String,
    /// Its rule.
    pub rule: String,
    /// Its vessel.
    pub vessel: String,
    /// What is published.
    pub json: String,
}

impl Letter {
    /// Where it is published.
    pub fn topic(&self) -> String {
        format!("buoyline/findings/{}/{}/{}", self.waterway, self.rule, self.vessel)
    }
}

/// Where a finding stands, as the contract writes it.
pub(super) const fn status_name(status: Status) -> &'static str {
    match status {
        Status::Open => "open",
        Status::Closed => "closed",
        Status::Withdrawn => "withdrawn",
    }
}

impl Findings for Sqlite {
    fn keep_findings(&mut self, findings: &[Kept]) -> Result<u64, StoreError> {
        let mut differing = 0;
        for kept in findings {
            if self.keep_finding(kept)? {
                let mut statement =
                    self.ok(self.connection.prepare_cached("INSERT INTO outbox (id, revision) VALUES (?1, ?2)"))?;
                self.ok(statement.execute(params![kept.finding.id, kept.finding.revision]))?;
                continue;
            }
            let mut statement =
                self.ok(self.connection.prepare_cached("SELECT json FROM finding WHERE id = ?1 AND revision = ?2"))?;
            let there: Option<String> = self.ok(statement
                .query_row(params![kept.finding.id, kept.finding.revision], |row| row.get(0))
                .optional())?;
            differing += u64::from(there.is_some_and(|json| json != kept.json));
        }
        Ok(differing)
    }

    fn outbox(&self, after: i64, limit: usize) -> Result<Vec<Letter>, StoreError> {
        self.rows(
            "SELECT n, id, revision, waterway, rule, vessel, json FROM outbox JOIN finding USING (id, revision)
             WHERE n > ?1 ORDER BY n LIMIT ?2",
            params![after, limit as i64],
            |row| {
                Ok(Letter {
                    n: row.get(0)?,
                    id: row.get(1)?,
                    revision: row.get(2)?,
                    waterway: row.get(3)?,
                    rule: row.get(4)?,
                    vessel: row.get(5)?,
                    json: row.get(6)?,
                })
            },
        )
    }

    fn published(&mut self, letters: &[i64]) -> Result<(), StoreError> {
        let mut statement = self.ok(self.connection.prepare_cached("DELETE FROM outbox WHERE n = ?1"))?;
        for n in letters {
            self.ok(statement.execute([n]))?;
        }
        Ok(())
    }
}

impl Sqlite {
    fn keep_finding(&self, kept: &Kept) -> Result<bool, StoreError> {
        let Kept { finding, json, position, made_at, is_amended } = kept;
        let mut statement = self.ok(self.connection.prepare_cached(
            "INSERT OR IGNORE INTO finding (id, revision, status, rule, clause, vessel, other, waterway, start_t, end_t,
                                            verdict, confidence, is_amended, position, made_at, json)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)",
        ))?;
        let written = statement.execute(params![
            finding.id,
            finding.revision,
            status_name(finding.status),
            finding.rule,
            finding.clause,
            finding.vessel.as_str(),
            finding.other.as_ref().map(|other| other.as_str()),
            finding.waterway.as_str(),
            finding.start.unix_ns(),
            finding.end.map(EventTime::unix_ns),
            if finding.verdict == Verdict::Breach { "breach" } else { "possible" },
            finding.confidence,
            is_amended,
            *position as i64,
            made_at.unix_ns(),
            json,
        ]);
        if self.ok(written)? == 0 {
            return Ok(false);
        }
        self.stands(finding)?;
        self.happened(finding.waterway.as_str(), Happened::Revision, &finding.id, finding.revision.into())?;
        Ok(true)
    }

    /// What stands last under each id, as JSON lines with status and revision, of findings that began in a period.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn findings_between(
        &self,
        from: EventTime,
        to: EventTime,
    ) -> Result<BTreeMap<String, (u32, String, String)>, StoreError> {
        // A later revision takes the place of the one before it.
        self.rows(
            "SELECT id, revision, status, json FROM finding WHERE start_t >= ?1 AND start_t <= ?2
             ORDER BY id, revision",
            params![from.unix_ns(), to.unix_ns()],
            |row| Ok((row.get::<_, String>(0)?, (row.get(1)?, row.get(2)?, row.get(3)?))),
        )
    }

    /// How the findings of some waterways stand that began in a period.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn standing_between(
        &self,
        waterways: &[WaterwayId],
        from: EventTime,
        to: EventTime,
    ) -> Result<Vec<Stands>, StoreError> {
        let waterways: Vec<&str> = waterways.iter().map(WaterwayId::as_str).collect();
        let waterways = serde_json::to_string(&waterways).expect("a list of texts is JSON");
        self.rows(
            "SELECT f.json, f.position, f.status = 'withdrawn', f.is_amended
             FROM standing AS s JOIN finding AS f USING (id, revision)
             WHERE s.start_t >= ?1 AND s.start_t <= ?2 AND s.waterway IN (SELECT value FROM json_each(?3))",
            params![from.unix_ns(), to.unix_ns(), waterways],
            |row| {
                Ok(Stands {
                    json: row.get(0)?,
                    position: row.get::<_, i64>(1)?.unsigned_abs(),
                    is_withdrawn: row.get(2)?,
                    is_amended: row.get(3)?,
                })
            },
        )
    }

    /// The findings that are open, as JSON lines.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn open_findings(&self) -> Result<Vec<String>, StoreError> {
        self.rows(
            "SELECT f.json FROM standing AS s JOIN finding AS f USING (id, revision) WHERE s.status = 'open'
             ORDER BY id",
            [],
            |row| row.get(0),
        )
    }

    /// All revisions, as (id, revision, JSON line), in order.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn revisions(&self) -> Result<Vec<(String, u32, String)>, StoreError> {
        self.rows("SELECT id, revision, json FROM finding ORDER BY id, revision", [], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })
    }

    /// How many revisions wait to be published.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn outbox_len(&self) -> Result<u64, StoreError> {
        let mut statement = self.ok(self.connection.prepare_cached("SELECT count(*) FROM outbox"))?;
        let count: i64 = self.ok(statement.query_row([], |row| row.get(0)))?;
        Ok(count.unsigned_abs())
    }
}
