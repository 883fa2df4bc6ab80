-- Batches of an account, as its objects have told of them last.
CREATE TABLE batches (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  -- What it is told to do, as JSON: connectors by their ids, and no secrets.
  batch TEXT NOT NULL,
  -- What has become of it, as JSON; NULL: nothing was heard of it yet.
  progress TEXT,
  -- Whether it is not over.
  is_open INTEGER NOT NULL,
  -- Objects that it works on at once, at most; whether it would work on more.
  slots INTEGER NOT NULL DEFAULT 0,
  wants INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE INDEX batches_of_account ON batches (account_id, created_at, id);
