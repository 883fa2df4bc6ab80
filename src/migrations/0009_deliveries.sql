-- Public windows of accounts: which originals addresses may ask for, and what may be done to them.
CREATE TABLE deliveries (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  name TEXT NOT NULL,
  -- Lists and objects as JSON, as the caller wrote them.
  sources TEXT NOT NULL,
  presets TEXT NOT NULL,
  unsigned TEXT NOT NULL,
  refine INTEGER NOT NULL,
  ttl INTEGER NOT NULL,
  -- 1: any source, everything unsigned. The interface never writes it.
  is_open INTEGER NOT NULL DEFAULT 0,
  -- What addresses are signed with, sealed, and what they were signed with before, until a moment.
  signing BLOB,
  previous BLOB,
  previous_until INTEGER,
  -- Results that were made before this moment, milliseconds since 1970, are forgotten.
  purged_at INTEGER NOT NULL DEFAULT 0,
  -- Counts purges: part of the names under which edge caches know results.
  edition INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

CREATE INDEX deliveries_of_account ON deliveries (account_id, created_at DESC, id);
-- Which key sealed a pair is in its first bytes.
CREATE INDEX deliveries_by_head ON deliveries (substr(signing, 1, 5));
CREATE INDEX deliveries_by_previous_head ON deliveries (substr(previous, 1, 5));

-- Finals that are being made: whoever inserts the row makes it, so that there is one in the world. Nothing in a job is
-- secret: all of it stands in a public address.
CREATE TABLE delivery_finals (
  -- The name of the object that the final will be.
  key TEXT PRIMARY KEY,
  delivery_id TEXT NOT NULL,
  job TEXT NOT NULL,
  -- The reserved credit, in the account's meter.
  lease INTEGER,
  starts INTEGER NOT NULL DEFAULT 0,
  -- From this moment on, milliseconds since 1970, whoever finds the row may start it.
  wake_at INTEGER NOT NULL
) STRICT;

CREATE INDEX delivery_finals_awake ON delivery_finals (wake_at);

-- What each delivery did on each day, UTC. Isolates add what they counted.
CREATE TABLE delivery_usage (
  account_id TEXT NOT NULL,
  delivery_id TEXT NOT NULL,
  day TEXT NOT NULL,
  finals INTEGER NOT NULL,
  drafts INTEGER NOT NULL,
  stored_hits INTEGER NOT NULL,
  delivered_bytes INTEGER NOT NULL,
  PRIMARY KEY (account_id, day, delivery_id)
) STRICT;

CREATE INDEX delivery_usage_by_day ON delivery_usage (day);

-- Where the sweep of results goes on: the name of the object it saw last.
CREATE TABLE delivery_sweep (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  key TEXT NOT NULL
) STRICT;
