-- The first layout. Times are nanoseconds since 1970 in UTC; `t` is event time, `received_at` and `made_at` are the
-- clock of the machine. A layout that has been released is never changed, only followed by another file.

-- Every file of a map and every rulebook, kept whole, once for each content.
CREATE TABLE file (
  hash  BLOB PRIMARY KEY,
  bytes BLOB NOT NULL
) WITHOUT ROWID;

-- What has been in force: a map (its files, by name) and a rulebook.
CREATE TABLE law (
  version          TEXT PRIMARY KEY,
  map_version      TEXT NOT NULL,
  rulebook_version TEXT NOT NULL,
  rulebook_name    TEXT NOT NULL,
  rulebook         BLOB NOT NULL REFERENCES file (hash)
) WITHOUT ROWID;
CREATE TABLE law_file (
  law   TEXT NOT NULL REFERENCES law (version),
  place INTEGER NOT NULL,
  name  TEXT NOT NULL,
  hash  BLOB NOT NULL REFERENCES file (hash),
  PRIMARY KEY (law, place)
) WITHOUT ROWID;

CREATE TABLE source (n INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE topic  (n INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);

-- Everything that can change a verdict, in the order in which it was judged. The decoded fix stands beside the
-- message it came from; of a message with several observations the first row has the payload.
CREATE TABLE log (
  position     INTEGER PRIMARY KEY,
  kind         INTEGER NOT NULL,
  about        TEXT    NOT NULL,
  t            INTEGER NOT NULL,
  content      BLOB    NOT NULL,
  lat          REAL,
  lon          REAL,
  sog_mps      REAL,
  cog_deg      REAL,
  heading_deg  REAL,
  accuracy_m   REAL,
  body         BLOB,
  received_at  INTEGER NOT NULL,
  source       INTEGER REFERENCES source (n),
  topic        INTEGER REFERENCES topic (n),
  payload      BLOB,
  payload_hash BLOB
);
-- What an observation is told by: the same thing heard again changes nothing.
CREATE UNIQUE INDEX log_identity ON log (t, about, kind, content);
-- What a vessel last said it is, where it said so without a time.
CREATE INDEX log_profile ON log (about, position) WHERE kind = 2;
CREATE INDEX log_law ON log (position) WHERE kind = 5;

-- Messages that are no observation, with their bytes and the reason.
CREATE TABLE refused (
  n           INTEGER PRIMARY KEY,
  received_at INTEGER NOT NULL,
  source      TEXT NOT NULL,
  topic       TEXT NOT NULL,
  reason      TEXT NOT NULL,
  detail      TEXT NOT NULL,
  payload     BLOB NOT NULL
);

-- Findings with their history: each revision is a row that stays.
CREATE TABLE finding (
  id         TEXT    NOT NULL,
  revision   INTEGER NOT NULL,
  status     TEXT    NOT NULL,
  rule       TEXT    NOT NULL,
  clause     TEXT    NOT NULL,
  vessel     TEXT    NOT NULL,
  other      TEXT,
  waterway   TEXT    NOT NULL,
  start_t    INTEGER NOT NULL,
  end_t      INTEGER,
  verdict    TEXT    NOT NULL,
  confidence REAL    NOT NULL,
  is_amended INTEGER NOT NULL,
  position   INTEGER NOT NULL,
  made_at    INTEGER NOT NULL,
  json       TEXT    NOT NULL,
  PRIMARY KEY (id, revision)
) WITHOUT ROWID;
CREATE INDEX finding_start ON finding (start_t);
CREATE INDEX finding_vessel ON finding (vessel, start_t);

-- Revisions that no broker has acknowledged yet.
CREATE TABLE outbox (
  n        INTEGER PRIMARY KEY AUTOINCREMENT,
  id       TEXT    NOT NULL,
  revision INTEGER NOT NULL
);

-- The state of the judge after an entry of the log, a row for each waterway and one for what is on none.
CREATE TABLE checkpoint (
  position INTEGER PRIMARY KEY,
  law      TEXT    NOT NULL REFERENCES law (version),
  made_at  INTEGER NOT NULL
);
CREATE TABLE snapshot (
  position INTEGER NOT NULL REFERENCES checkpoint (position),
  place    INTEGER NOT NULL,
  bytes    BLOB    NOT NULL,
  PRIMARY KEY (position, place)
) WITHOUT ROWID;

CREATE TABLE lease (
  name   TEXT PRIMARY KEY,
  holder TEXT    NOT NULL,
  until  INTEGER NOT NULL
) WITHOUT ROWID;

-- Counts that outlive a restart.
CREATE TABLE counter (
  name  TEXT NOT NULL,
  label TEXT NOT NULL,
  value INTEGER NOT NULL,
  PRIMARY KEY (name, label)
) WITHOUT ROWID;
