-- Who signs what results say of where they are from is saved as watermarks and connectors are.
CREATE TABLE assets_of_any_kind (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('watermark', 'keyfile', 'connector', 'signer')),
  name TEXT NOT NULL,
  -- What may be shown, as JSON.
  details TEXT NOT NULL,
  sealed BLOB,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

INSERT INTO assets_of_any_kind (id, account_id, kind, name, details, sealed, created_at, updated_at)
SELECT id, account_id, kind, name, details, sealed, created_at, updated_at FROM assets;

DROP TABLE assets;

ALTER TABLE assets_of_any_kind RENAME TO assets;

CREATE INDEX assets_of_account ON assets (account_id, kind, created_at DESC, id);
CREATE INDEX assets_by_head ON assets (substr(sealed, 1, 5));
