-- What the console keeps: who may do what, what officers made of findings, drafts of maps. Names of people stay where
-- they did something, also when their account has gone.

-- Where each finding stands: its newest revision, and the last outcome that was not reversed.
CREATE TABLE standing (
  id         TEXT    PRIMARY KEY,
  revision   INTEGER NOT NULL,
  waterway   TEXT    NOT NULL,
  rule       TEXT    NOT NULL,
  vessel     TEXT    NOT NULL,
  other      TEXT,
  status     TEXT    NOT NULL,
  verdict    TEXT    NOT NULL,
  confidence REAL    NOT NULL,
  start_t    INTEGER NOT NULL,
  end_t      INTEGER,
  outcome    TEXT
) WITHOUT ROWID;
INSERT INTO standing
  SELECT id, revision, waterway, rule, vessel, other, status, verdict, confidence, start_t, end_t, NULL FROM finding AS this
  WHERE revision = (SELECT max(revision) FROM finding AS other WHERE other.id = this.id);
CREATE INDEX standing_start ON standing (start_t, id);
CREATE INDEX standing_vessel ON standing (vessel, start_t);

-- Everything that happened to findings, in one order that listeners can resume from: a revision (kind 0, n its number)
-- or an outcome (kind 1, n its number).
CREATE TABLE event (
  seq      INTEGER PRIMARY KEY AUTOINCREMENT,
  waterway TEXT    NOT NULL,
  kind     INTEGER NOT NULL,
  id       TEXT    NOT NULL,
  n        INTEGER NOT NULL
);
INSERT INTO event (waterway, kind, id, n) SELECT waterway, 0, id, revision FROM finding ORDER BY made_at, position, id, revision;
CREATE UNIQUE INDEX event_of ON event (kind, id, n);
CREATE INDEX event_waterway ON event (waterway, seq);

-- What officers made of findings. Rows are added, never changed; one that reverses another names it.
CREATE TABLE outcome (
  n         INTEGER PRIMARY KEY AUTOINCREMENT,
  finding   TEXT    NOT NULL,
  action    TEXT    NOT NULL,
  reason    TEXT,
  text      TEXT,
  by_whom   TEXT    NOT NULL,
  made_at   INTEGER NOT NULL,
  stored_at INTEGER NOT NULL,
  reverses  INTEGER REFERENCES outcome (n)
);
CREATE INDEX outcome_finding ON outcome (finding, n);
CREATE TRIGGER outcome_stays BEFORE UPDATE ON outcome BEGIN SELECT raise(ABORT, 'outcomes are never changed'); END;
CREATE TRIGGER outcome_remains BEFORE DELETE ON outcome BEGIN SELECT raise(ABORT, 'outcomes are never removed'); END;

-- Rules that are quiet for a vessel: its findings are made and kept, and not shown as new.
CREATE TABLE quiet (
  n        INTEGER PRIMARY KEY AUTOINCREMENT,
  vessel   TEXT    NOT NULL,
  rule     TEXT    NOT NULL,
  from_t   INTEGER NOT NULL,
  until_t  INTEGER NOT NULL,
  by_whom  TEXT    NOT NULL,
  made_at  INTEGER NOT NULL,
  ended_at INTEGER,
  ended_by TEXT
);

-- Who stated what at the console: marks, tows, conditions. What was stated stands in the log as well.
CREATE TABLE statement (
  n       INTEGER PRIMARY KEY AUTOINCREMENT,
  made_at INTEGER NOT NULL,
  by_whom TEXT    NOT NULL,
  kind    TEXT    NOT NULL,
  about   TEXT    NOT NULL,
  body    TEXT    NOT NULL
);
CREATE INDEX statement_about ON statement (kind, about, n);
CREATE TRIGGER statement_stays BEFORE UPDATE ON statement BEGIN SELECT raise(ABORT, 'statements are never changed'); END;
CREATE TRIGGER statement_remains BEFORE DELETE ON statement BEGIN SELECT raise(ABORT, 'statements are never removed'); END;

-- Who may do what. A password is kept as an Argon2id hash, a session and a token as a SHA-256 hash.
CREATE TABLE account (
  name       TEXT    PRIMARY KEY,
  role       TEXT    NOT NULL,
  password   TEXT    NOT NULL,
  made_at    INTEGER NOT NULL,
  made_by    TEXT    NOT NULL,
  changed_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE session (
  hash    BLOB    PRIMARY KEY,
  account TEXT    NOT NULL REFERENCES account (name) ON DELETE CASCADE,
  csrf    TEXT    NOT NULL,
  made_at INTEGER NOT NULL,
  until   INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX session_account ON session (account);
CREATE TABLE token (
  n       INTEGER PRIMARY KEY AUTOINCREMENT,
  hash    BLOB    NOT NULL UNIQUE,
  name    TEXT    NOT NULL,
  role    TEXT    NOT NULL,
  made_by TEXT    NOT NULL,
  made_at INTEGER NOT NULL,
  until   INTEGER,
  used_at INTEGER
);

-- Who looked at what, and did what. Rows are added, never changed.
CREATE TABLE audit (
  n       INTEGER PRIMARY KEY AUTOINCREMENT,
  at      INTEGER NOT NULL,
  who     TEXT    NOT NULL,
  action  TEXT    NOT NULL,
  about   TEXT    NOT NULL,
  purpose TEXT,
  detail  TEXT
);
CREATE INDEX audit_at ON audit (at);
CREATE TRIGGER audit_stays BEFORE UPDATE ON audit BEGIN SELECT raise(ABORT, 'the audit log is never changed'); END;
CREATE TRIGGER audit_remains BEFORE DELETE ON audit BEGIN SELECT raise(ABORT, 'the audit log is never removed'); END;

-- Drafts of maps. `revision` counts up with each change, for those who edit at the same time; `base` is the file of the
-- published map that the draft began from.
CREATE TABLE draft (
  id         TEXT    PRIMARY KEY,
  waterway   TEXT    NOT NULL,
  title      TEXT    NOT NULL,
  base       BLOB    NOT NULL REFERENCES file (hash),
  revision   INTEGER NOT NULL,
  body       BLOB    NOT NULL,
  made_by    TEXT    NOT NULL,
  made_at    INTEGER NOT NULL,
  changed_by TEXT    NOT NULL,
  changed_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX draft_waterway ON draft (waterway, changed_at);

-- What was published of a waterway's map, by whom and why; the file itself is kept under its hash.
CREATE TABLE map_version (
  waterway    TEXT    NOT NULL,
  n           INTEGER NOT NULL,
  version     TEXT    NOT NULL,
  file        BLOB    NOT NULL REFERENCES file (hash),
  author      TEXT    NOT NULL,
  comment     TEXT    NOT NULL,
  made_at     INTEGER NOT NULL,
  valid_from  INTEGER,
  skip_reason TEXT,
  changes     TEXT    NOT NULL,
  PRIMARY KEY (waterway, n)
) WITHOUT ROWID;
