-- Versions of a map that are published for a later day (`valid_from`): the file they were made for, so that what changed
-- meanwhile can be merged in; when they came into force; by whom and when they were withdrawn before that.
ALTER TABLE map_version ADD COLUMN base BLOB REFERENCES file (hash);
ALTER TABLE map_version ADD COLUMN came_at INTEGER;
ALTER TABLE map_version ADD COLUMN withdrawn_at INTEGER;
ALTER TABLE map_version ADD COLUMN withdrawn_by TEXT;
CREATE INDEX map_version_coming ON map_version (valid_from, n)
  WHERE valid_from IS NOT NULL AND came_at IS NULL AND withdrawn_at IS NULL;

-- Keys that the daemon makes once for itself.
CREATE TABLE secret (
  name  TEXT PRIMARY KEY,
  bytes BLOB NOT NULL
) WITHOUT ROWID;
