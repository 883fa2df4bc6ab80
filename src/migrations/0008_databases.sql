-- Where the records of an account lie: the name of a binding. Accounts and keys themselves are in DB alone.
ALTER TABLE accounts ADD COLUMN database TEXT NOT NULL DEFAULT 'DB';

-- How large each database was when the sweep last looked; in DB alone.
CREATE TABLE databases (
  name TEXT PRIMARY KEY,
  bytes INTEGER NOT NULL,
  measured_at INTEGER NOT NULL
) STRICT;

-- Assets lie beside the other records of their account: they can not refer to a row of accounts any more.
CREATE TABLE assets_of_any_account (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('watermark', 'keyfile', 'connector')),
  name TEXT NOT NULL,
  -- What may be shown, as JSON.
  details TEXT NOT NULL,
  sealed BLOB,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

INSERT INTO assets_of_any_account (id, account_id, kind, name, details, sealed, created_at, updated_at)
SELECT id, account_id, kind, name, details, sealed, created_at, updated_at FROM assets;

DROP TABLE assets;

ALTER TABLE assets_of_any_account RENAME TO assets;

CREATE INDEX assets_of_account ON assets (account_id, kind, created_at DESC, id);
CREATE INDEX assets_by_head ON assets (substr(sealed, 1, 5));

-- The list of all accounts, newest first.
CREATE INDEX accounts_by_age ON accounts (created_at DESC, id);
