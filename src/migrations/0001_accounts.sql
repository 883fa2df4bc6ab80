CREATE TABLE accounts (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  plan TEXT NOT NULL,
  credits_total INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('active', 'suspended')),
  created_at TEXT NOT NULL
) STRICT;

-- Keys are kept as SHA-256 only; the hint is the end of the key, to tell keys apart in a list.
CREATE TABLE keys (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  hash TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  hint TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;

CREATE INDEX keys_of_account ON keys (account_id);
