//! Accounts, sessions and tokens. Secrets are kept as hashes only; making and checking them is not done here.

use std::fmt;
use std::str::FromStr;

use rusqlite::{OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};

use super::{Sqlite, StoreError};
use crate::time::EventTime;

/// What somebody may do; each may do what those before may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Look at the lake, its findings and what was recorded.
    Viewer,
    /// Say what became of findings, put out marks, look at the record of a vessel.
    Officer,
    /// Change the map.
    Manager,
    /// Give accounts and tokens, and see who looked at what.
    Admin,
}

impl Role {
    /// All of them, from the one who may least.
    pub const ALL: [Self; 4] = [Self::Viewer, Self::Officer, Self::Manager, Self::Admin];

    /// As it is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Officer => "officer",
            Self::Manager => "manager",
            Self::Admin => "admin",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Role {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|role| role.as_str() == text);
        known.ok_or_else(|| format!("{text:?} is no role; known are viewer, officer, manager and admin"))
    }
}

/// An account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// Its name.
    pub name: String,
    /// What it may do.
    pub role: Role,
    /// The hash of its password.
    pub password: String,
    /// When it was made.
    pub made_at: EventTime,
    /// By whom.
    pub made_by: String,
    /// When its password or role last changed.
    pub changed_at: EventTime,
}

/// Somebody who has logged in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Whose it is.
    pub account: String,
    /// What that account may do now.
    pub role: Role,
    /// What requests that change something have to carry.
    pub csrf: String,
    /// When it ends.
    pub until: EventTime,
}

/// A token of another program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// Its number.
    pub n: i64,
    /// What it is for.
    pub name: String,
    /// What it may do.
    pub role: Role,
    /// Who gave it.
    pub made_by: String,
    /// When.
    pub made_at: EventTime,
    /// When it ends, if it does.
    pub until: Option<EventTime>,
    /// When it was last used.
    pub used_at: Option<EventTime>,
}

fn role(row: &Row<'_>, column: usize) -> rusqlite::Result<Role> {
    let text: String = row.get(column)?;
    text.parse().map_err(|error: String| {
        rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, error.into())
    })
}

fn time(row: &Row<'_>, column: usize) -> rusqlite::Result<EventTime> {
    row.get(column).map(EventTime::from_unix_ns)
}

fn account(row: &Row<'_>) -> rusqlite::Result<Account> {
    Ok(Account {
        name: row.get(0)?,
        role: role(row, 1)?,
        password: row.get(2)?,
        made_at: time(row, 3)?,
        made_by: row.get(4)?,
        changed_at: time(row, 5)?,
    })
}

impl Sqlite {
    /// All accounts, by name.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn accounts(&self) -> Result<Vec<Account>, StoreError> {
        self.rows("SELECT name, role, password, made_at, made_by, changed_at FROM account ORDER BY name", [], account)
    }

    /// One account.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn account(&self, name: &str) -> Result<Option<Account>, StoreError> {
        self.row(
            "SELECT name, role, password, made_at, made_by, changed_at FROM account WHERE name = ?1",
            [name],
            account,
        )
    }

    /// Makes an account; `false` where there is one of that name.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn add_account(&mut self, new: &Account) -> Result<bool, StoreError> {
        let added = self.connection.execute(
            "INSERT OR IGNORE INTO account (name, role, password, made_at, made_by, changed_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![
                new.name,
                new.role.as_str(),
                new.password,
                new.made_at.unix_ns(),
                new.made_by,
                new.changed_at.unix_ns()
            ],
        );
        Ok(self.ok(added)? > 0)
    }

    /// Changes role, password or both, and ends the account's sessions; `false` where there is no such account.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn change_account(
        &mut self,
        name: &str,
        role: Option<Role>,
        password: Option<&str>,
        now: EventTime,
    ) -> Result<bool, StoreError> {
        let changed = self.connection.execute(
            "UPDATE account SET role = coalesce(?2, role), password = coalesce(?3, password), changed_at = ?4
             WHERE name = ?1",
            params![name, role.map(Role::as_str), password, now.unix_ns()],
        );
        let changed = self.ok(changed)? > 0;
        self.ok(self.connection.execute("DELETE FROM session WHERE account = ?1", [name]))?;
        Ok(changed)
    }

    /// Takes an account and its sessions away; `false` where there is none.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn remove_account(&mut self, name: &str) -> Result<bool, StoreError> {
        Ok(self.ok(self.connection.execute("DELETE FROM account WHERE name = ?1", [name]))? > 0)
    }

    /// Begins a session, and forgets those that have ended.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn begin_session(&mut self, hash: &[u8], session: &Session, now: EventTime) -> Result<(), StoreError> {
        self.ok(self.connection.execute("DELETE FROM session WHERE until <= ?1", [now.unix_ns()]))?;
        let added = self.connection.execute(
            "INSERT INTO session (hash, account, csrf, made_at, until) VALUES (?1, ?2, ?3, ?4, ?5)",
            params![hash, session.account, session.csrf, now.unix_ns(), session.until.unix_ns()],
        );
        self.ok(added).map(drop)
    }

    /// The session with this hash, where it has not ended.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn session(&self, hash: &[u8], now: EventTime) -> Result<Option<Session>, StoreError> {
        let mut statement = self.ok(self.connection.prepare_cached(
            "SELECT account, role, csrf, until FROM session JOIN account ON name = account
             WHERE hash = ?1 AND until > ?2",
        ))?;
        let session = statement.query_row(params![hash, now.unix_ns()], |row| {
            Ok(Session { account: row.get(0)?, role: role(row, 1)?, csrf: row.get(2)?, until: time(row, 3)? })
        });
        self.ok(session.optional())
    }

    /// Ends a session.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn end_session(&mut self, hash: &[u8]) -> Result<(), StoreError> {
        self.ok(self.connection.execute("DELETE FROM session WHERE hash = ?1", [hash])).map(drop)
    }

    /// All tokens, in the order in which they were given.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn tokens(&self) -> Result<Vec<Token>, StoreError> {
        self.rows("SELECT n, name, role, made_by, made_at, until, used_at FROM token ORDER BY n", [], token)
    }

    /// Keeps a token under its hash; its number.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn add_token(&mut self, hash: &[u8], new: &Token) -> Result<i64, StoreError> {
        let added = self.connection.prepare_cached(
            "INSERT INTO token (hash, name, role, made_by, made_at, until) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        );
        self.ok(self.ok(added)?.insert(params![
            hash,
            new.name,
            new.role.as_str(),
            new.made_by,
            new.made_at.unix_ns(),
            new.until.map(EventTime::unix_ns)
        ]))
    }

    /// The token with this hash, where it has not ended.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn token(&self, hash: &[u8], now: EventTime) -> Result<Option<Token>, StoreError> {
        self.row(
            "SELECT n, name, role, made_by, made_at, until, used_at FROM token
             WHERE hash = ?1 AND (until IS NULL OR until > ?2)",
            params![hash, now.unix_ns()],
            token,
        )
    }

    /// Notes that a token was used.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn token_used(&mut self, n: i64, now: EventTime) -> Result<(), StoreError> {
        let noted = self.connection.execute("UPDATE token SET used_at = ?2 WHERE n = ?1", params![n, now.unix_ns()]);
        self.ok(noted).map(drop)
    }

    /// Takes a token away; `false` where there is none.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn remove_token(&mut self, n: i64) -> Result<bool, StoreError> {
        Ok(self.ok(self.connection.execute("DELETE FROM token WHERE n = ?1", [n]))? > 0)
    }
}

fn token(row: &Row<'_>) -> rusqlite::Result<Token> {
    Ok(Token {
        n: row.get(0)?,
        name: row.get(1)?,
        role: role(row, 2)?,
        made_by: row.get(3)?,
        made_at: time(row, 4)?,
        until: row.get::<_, Option<i64>>(5)?.map(EventTime::from_unix_ns),
        used_at: row.get::<_, Option<i64>>(6)?.map(EventTime::from_unix_ns),
    })
}
