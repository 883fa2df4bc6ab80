-- What accounts save for later requests. The bytes of watermarks are in R2; everything secret is sealed.
CREATE TABLE assets (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  kind TEXT NOT NULL CHECK (kind IN ('watermark', 'keyfile', 'connector')),
  name TEXT NOT NULL,
  -- What may be shown, as JSON.
  details TEXT NOT NULL,
  sealed BLOB,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

CREATE INDEX assets_of_account ON assets (account_id, kind, created_at DESC, id);
