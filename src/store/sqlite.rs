//! One SQLite file behind all traits of a store.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, OptionalExtension, Params, Row};

use super::{StoreError, schema};

/// How long a write waits for another process to finish its own.
const BUSY: Duration = Duration::from_secs(5);
/// Statements kept prepared: more than there are.
const STATEMENTS: usize = 64;
/// Memory for pages, KiB.
const CACHE_KIB: i64 = 32_768;

/// How long the write-ahead log grows before a commit moves what is left of it into the file and it begins anew, pages.
/// That holds up the commit, so most of it is moved beside: see [`Sqlite::move_log`].
const WAL_PAGES: i64 = 8_000;

/// When a commit counts as durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sync {
    /// On the disk: survives a power failure.
    #[default]
    Full,
    /// With the operating system: survives the end of the process, not a power failure.
    Process,
}

/// A store in one SQLite file.
#[derive(Debug)]
pub struct Sqlite {
    pub(super) connection: Connection,
    path: PathBuf,
    sync: Sync,
}

impl Sqlite {
    /// Opens a store for writing, makes it where there is none, and brings its layout up to date.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn open(path: &Path, sync: Sync) -> Result<Self, StoreError> {
        let connection = Connection::open(path).map_err(|source| database(path, source))?;
        let mut store = Self { connection, path: path.to_owned(), sync };
        store.prepare(Some(sync)).map_err(|source| database(path, source))?;
        schema::migrate(&mut store)?;
        Ok(store)
    }

    /// Opens a store for reading beside whoever writes it.
    ///
    /// # Errors
    /// [`StoreError`], also where there is none.
    pub fn open_to_read(path: &Path) -> Result<Self, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags).map_err(|source| database(path, source))?;
        let store = Self { connection, path: path.to_owned(), sync: Sync::Process };
        store.prepare(None).map_err(|source| database(path, source))?;
        schema::check(&store)?;
        Ok(store)
    }

    /// A store in memory.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn in_memory() -> Result<Self, StoreError> {
        Self::open(Path::new(":memory:"), Sync::Process)
    }

    fn prepare(&self, sync: Option<Sync>) -> rusqlite::Result<()> {
        self.connection.busy_timeout(BUSY)?;
        self.connection.set_prepared_statement_cache_capacity(STATEMENTS);
        self.connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
        if let Some(sync) = sync {
            self.connection.pragma_update(None, "journal_mode", "WAL")?;
            self.set_sync(sync)?;
            self.connection.pragma_update(None, "wal_autocheckpoint", WAL_PAGES)?;
            self.connection.pragma_update(None, "foreign_keys", "ON")?;
        }
        Ok(())
    }

    fn set_sync(&self, sync: Sync) -> rusqlite::Result<()> {
        // In WAL mode NORMAL may lose the last commits when the power fails; FULL does not.
        self.connection.pragma_update(None, "synchronous", if sync == Sync::Full { "FULL" } else { "NORMAL" })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Begins a transaction: everything until [`Sqlite::commit`] is written whole or not at all.
    ///
    /// # Errors
    /// [`StoreError`], where another process has been writing for too long.
    pub fn begin(&mut self) -> Result<(), StoreError> {
        self.run("BEGIN IMMEDIATE")
    }

    /// Ends a transaction; when this returns, it is durable.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn commit(&mut self) -> Result<(), StoreError> {
        self.run("COMMIT")
    }

    /// Undoes a transaction, if one is open.
    pub fn roll_back(&mut self) {
        if !self.connection.is_autocommit()
            && let Err(error) = self.connection.execute_batch("ROLLBACK")
        {
            tracing::warn!(%error, "a transaction could not be undone");
        }
    }

    /// Writes all of it or nothing.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn whole<T>(&mut self, write: impl FnOnce(&mut Self) -> Result<T, StoreError>) -> Result<T, StoreError> {
        self.begin()?;
        let written = write(self).and_then(|value| self.commit().map(|()| value));
        if written.is_err() {
            self.roll_back();
        }
        written
    }

    /// Reads several things as they are at one instant, whoever writes meanwhile.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn at_once<T>(&self, read: impl FnOnce(&Self) -> Result<T, StoreError>) -> Result<T, StoreError> {
        self.ok(self.connection.execute_batch("BEGIN"))?;
        let came = read(self);
        self.ok(self.connection.execute_batch("COMMIT"))?;
        came
    }

    /// As [`Sqlite::whole`], of something that can be made again from what is durable: it need not be on the disk at once.
    /// It is there as soon as something behind it is.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn whole_soon<T>(&mut self, write: impl FnOnce(&mut Self) -> Result<T, StoreError>) -> Result<T, StoreError> {
        self.ok(self.set_sync(Sync::Process))?;
        let written = self.whole(write);
        self.ok(self.set_sync(self.sync))?;
        written
    }

    /// Moves what can be moved of the write-ahead log into the file, while others go on reading and writing. On a
    /// connection of its own this takes from the one that writes what would hold it up later.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn move_log(&self) -> Result<(), StoreError> {
        self.ok(self.connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(())))
    }

    /// Bytes of the file, without what waits in its write-ahead log.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn size_bytes(&self) -> Result<u64, StoreError> {
        let number = |pragma| self.connection.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0));
        let (pages, page_bytes) = (self.ok(number("page_count"))?, self.ok(number("page_size"))?);
        Ok(pages.unsigned_abs() * page_bytes.unsigned_abs())
    }

    /// A key that the daemon keeps for itself under a name; this one, where there is none yet.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn secret(&mut self, name: &str, fresh: &[u8]) -> Result<Vec<u8>, StoreError> {
        self.ok(self
            .connection
            .execute("INSERT OR IGNORE INTO secret VALUES (?1, ?2)", rusqlite::params![name, fresh]))?;
        let kept = self.connection.query_row("SELECT bytes FROM secret WHERE name = ?1", [name], |row| row.get(0));
        self.ok(kept)
    }

    fn run(&mut self, sql: &str) -> Result<(), StoreError> {
        self.ok(self.connection.execute_batch(sql))
    }

    /// All rows of a query, each as `read` has it.
    pub(super) fn rows<T, All: FromIterator<T>>(
        &self,
        sql: &str,
        asked: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<All, StoreError> {
        let mut statement = self.ok(self.connection.prepare_cached(sql))?;
        self.ok(statement.query_map(asked, read).and_then(Iterator::collect))
    }

    /// The first row of a query, if there is one.
    pub(super) fn row<T>(
        &self,
        sql: &str,
        asked: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, StoreError> {
        let mut statement = self.ok(self.connection.prepare_cached(sql))?;
        self.ok(statement.query_row(asked, read).optional())
    }

    /// The value, or the error with the store's name.
    pub(super) fn ok<T>(&self, result: rusqlite::Result<T>) -> Result<T, StoreError> {
        result.map_err(|source| database(&self.path, source))
    }
}

fn database(path: &Path, source: rusqlite::Error) -> StoreError {
    StoreError::Database { path: path.display().to_string(), source }
}
