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
