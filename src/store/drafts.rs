//! Drafts of maps, and what was published of them.

use rusqlite::{Row, params};

use super::{Sqlite, StoreError};
use crate::time::EventTime;

/// A draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// Its id.
    pub id: String,
    /// Its waterway.
    pub waterway: String,
    /// What its maker calls it.
    pub title: String,
    /// The published file it began from.
    pub base: Vec<u8>,
    /// Counts up with each change.
    pub revision: u32,
    /// The file as it is drafted.
    pub body: Vec<u8>,
    /// Who began it.
    pub made_by: String,
    /// When.
    pub made_at: EventTime,
    /// Who changed it last.
    pub changed_by: String,
    /// When.
    pub changed_at: EventTime,
}

/// A version that was published, for at once or for a later day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MapVersion {
    /// The waterway.
    pub waterway: String,
    /// Counts up from 1 for each waterway; 0 in a new one.
    pub n: u32,
    /// Its content hash, as findings name it.
    pub version: String,
    /// The file.
    pub file: Vec<u8>,
    /// Who published it.
    pub author: String,
    /// Why.
    pub comment: String,
    /// When.
    pub made_at: EventTime,
    /// Why nobody looked at what would change, where nobody did.
    pub skip_reason: Option<String>,
    /// What changed, as JSON.
    pub changes: String,
    /// From when on it is to hold, where that was not at once.
    pub valid_from: Option<EventTime>,
    /// When it came into force, where it was published for a later day and has.
    pub came_at: Option<EventTime>,
    /// When and by whom it was withdrawn before that.
    pub withdrawn: Option<(EventTime, String)>,
}

impl MapVersion {
    /// When it came into force; `None` where it has not.
    pub fn since(&self) -> Option<EventTime> {
        if self.valid_from.is_some() { self.came_at } else { Some(self.made_at) }
    }

    /// Whether it is published for a day that has not come.
    pub fn is_coming(&self) -> bool {
        self.since().is_none() && self.withdrawn.is_none()
    }
}

/// A version that is published for a later day, with what it was made for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComingVersion {
    /// The waterway.
    pub waterway: String,
    /// Its number there.
    pub n: u32,
    /// From when on it is to hold.
    pub valid_from: EventTime,
    /// The published file it was made for.
    pub base: Vec<u8>,
    /// The file it makes of that.
    pub file: Vec<u8>,
}

const DRAFT: &str = "SELECT id, waterway, title, bytes, revision, body, made_by, made_at, changed_by, changed_at
     FROM draft JOIN file ON hash = base";
const VERSION: &str = "SELECT waterway, n, version, bytes, author, comment, made_at, skip_reason, changes,
       valid_from, came_at, withdrawn_at, withdrawn_by
     FROM map_version JOIN file ON hash = map_version.file";

fn draft(row: &Row<'_>) -> rusqlite::Result<Draft> {
    Ok(Draft {
        id: row.get(0)?,
        waterway: row.get(1)?,
        title: row.get(2)?,
        base: row.get(3)?,
        revision: row.get(4)?,
        body: row.get(5)?,
        made_by: row.get(6)?,
        made_at: EventTime::from_unix_ns(row.get(7)?),
        changed_by: row.get(8)?,
        changed_at: EventTime::from_unix_ns(row.get(9)?),
    })
}

fn version(row: &Row<'_>) -> rusqlite::Result<MapVersion> {
    Ok(MapVersion {
        waterway: row.get(0)?,
        n: row.get(1)?,
        version: row.get(2)?,
        file: row.get(3)?,
        author: row.get(4)?,
        comment: row.get(5)?,
        made_at: EventTime::from_unix_ns(row.get(6)?),
        skip_reason: row.get(7)?,
        changes: row.get(8)?,
        valid_from: time(row, 9)?,
        came_at: time(row, 10)?,
        withdrawn: time(row, 11)?.zip(row.get(12)?),
    })
}

fn time(row: &Row<'_>, at: usize) -> rusqlite::Result<Option<EventTime>> {
    Ok(row.get::<_, Option<i64>>(at)?.map(EventTime::from_unix_ns))
}

impl Sqlite {
    /// The drafts of a waterway, the one changed last first.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn drafts(&self, waterway: &str) -> Result<Vec<Draft>, StoreError> {
        let sql = format!("{DRAFT} WHERE waterway = ?1 ORDER BY changed_at DESC, id");
        self.rows(&sql, [waterway], draft)
    }

    /// A draft.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn draft(&self, id: &str) -> Result<Option<Draft>, StoreError> {
        let sql = format!("{DRAFT} WHERE id = ?1");
        self.row(&sql, [id], draft)
    }

    /// Keeps a new draft, its revision 1.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn add_draft(&mut self, draft: &Draft) -> Result<(), StoreError> {
        let base = self.keep_file(&draft.base)?;
        let added = self.connection.execute(
            "INSERT INTO draft (id, waterway, title, base, revision, body, made_by, made_at, changed_by, changed_at)
             VALUES (?1, ?2, ?3, ?4, 1, ?5, ?6, ?7, ?6, ?7)",
            params![draft.id, draft.waterway, draft.title, base, draft.body, draft.made_by, draft.made_at.unix_ns()],
        );
        self.ok(added).map(drop)
    }

    /// Changes a draft that still has this revision; whether it had.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn change_draft(
        &mut self,
        id: &str,
        revision: u32,
        body: &[u8],
        by: &str,
        at: EventTime,
    ) -> Result<bool, StoreError> {
        let changed = self.connection.execute(
            "UPDATE draft SET body = ?3, revision = revision + 1, changed_by = ?4, changed_at = ?5
             WHERE id = ?1 AND revision = ?2",
            params![id, revision, body, by, at.unix_ns()],
        );
        Ok(self.ok(changed)? > 0)
    }

    /// Has a draft go on with this file from another published one.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn rebase_draft(
        &mut self,
        id: &str,
        published: &[u8],
        body: &[u8],
        by: &str,
        at: EventTime,
    ) -> Result<(), StoreError> {
        let base = self.keep_file(published)?;
        let changed = self.connection.execute(
            "UPDATE draft SET base = ?2, body = ?3, revision = revision + 1, changed_by = ?4, changed_at = ?5 WHERE id = ?1",
            params![id, base, body, by, at.unix_ns()],
        );
        self.ok(changed).map(drop)
    }

    /// Removes a draft; whether it was there.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn remove_draft(&mut self, id: &str) -> Result<bool, StoreError> {
        Ok(self.ok(self.connection.execute("DELETE FROM draft WHERE id = ?1", [id]))? > 0)
    }

    /// What was published of a waterway, the newest first.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn map_versions(&self, waterway: &str) -> Result<Vec<MapVersion>, StoreError> {
        let sql = format!("{VERSION} WHERE waterway = ?1 ORDER BY n DESC");
        self.rows(&sql, [waterway], version)
    }

    /// One version that was published, by its number.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn map_version(&self, waterway: &str, n: u32) -> Result<Option<MapVersion>, StoreError> {
        let sql = format!("{VERSION} WHERE waterway = ?1 AND n = ?2");
        self.row(&sql, params![waterway, n], version)
    }

    /// Notes a version that is published, and gives it its number; `base` is the file it was made for, where it is to
    /// hold from a later day on.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn add_map_version(&mut self, new: &MapVersion, base: Option<&[u8]>) -> Result<u32, StoreError> {
        let file = self.keep_file(&new.file)?;
        let base = base.map(|base| self.keep_file(base)).transpose()?;
        let mut statement = self.ok(self.connection.prepare_cached(
            "INSERT INTO map_version (waterway, n, version, file, author, comment, made_at, skip_reason, changes, valid_from, base)
             VALUES (?1, (SELECT coalesce(max(n), 0) + 1 FROM map_version WHERE waterway = ?1),
                     ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
             RETURNING n",
        ))?;
        let MapVersion { waterway, version, author, comment, skip_reason, changes, .. } = new;
        let (made_at, valid_from) = (new.made_at.unix_ns(), new.valid_from.map(EventTime::unix_ns));
        let noted = params![waterway, version, file, author, comment, made_at, skip_reason, changes, valid_from, base];
        self.ok(statement.query_row(noted, |row| row.get(0)))
    }

    /// The versions of all waterways that are published for a later day and neither came into force nor were withdrawn,
    /// in the order in which they come.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn coming_versions(&self) -> Result<Vec<ComingVersion>, StoreError> {
        let sql = "SELECT waterway, n, valid_from, before.bytes, after.bytes FROM map_version
             JOIN file AS before ON before.hash = base JOIN file AS after ON after.hash = map_version.file
             WHERE valid_from IS NOT NULL AND came_at IS NULL AND withdrawn_at IS NULL
             ORDER BY valid_from, made_at, waterway, n";
        self.rows(sql, [], |row| {
            Ok(ComingVersion {
                waterway: row.get(0)?,
                n: row.get(1)?,
                valid_from: EventTime::from_unix_ns(row.get(2)?),
                base: row.get(3)?,
                file: row.get(4)?,
            })
        })
    }

    /// Notes that a version that was published for a later day has come into force as this file, in which changes of
    /// others may have been merged; `false` where it was withdrawn before, or has come already.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn version_came(
        &mut self,
        (waterway, n): (&str, u32),
        version: &str,
        file: &[u8],
        at: EventTime,
    ) -> Result<bool, StoreError> {
        let file = self.keep_file(file)?;
        let changed = self.connection.execute(
            "UPDATE map_version SET version = ?3, file = ?4, came_at = ?5
             WHERE waterway = ?1 AND n = ?2 AND valid_from IS NOT NULL AND came_at IS NULL AND withdrawn_at IS NULL",
            params![waterway, n, version, file, at.unix_ns()],
        );
        Ok(self.ok(changed)? > 0)
    }

    /// Withdraws a version that is published for a later day; `false` where it was withdrawn or has come into force.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn withdraw_version(&mut self, waterway: &str, n: u32, by: &str, at: EventTime) -> Result<bool, StoreError> {
        let changed = self.connection.execute(
            "UPDATE map_version SET withdrawn_at = ?3, withdrawn_by = ?4
             WHERE waterway = ?1 AND n = ?2 AND valid_from IS NOT NULL AND came_at IS NULL AND withdrawn_at IS NULL",
            params![waterway, n, at.unix_ns(), by],
        );
        Ok(self.ok(changed)? > 0)
    }
}
