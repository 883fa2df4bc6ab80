-- Webhook records: what was accepted, where it stands, what the endpoint said. Times are milliseconds since 1970, UTC.
CREATE TABLE webhooks (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('created', 'scheduled', 'dispatched', 'delivered', 'failed')),
  code INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  delay_seconds INTEGER NOT NULL,
  -- The endpoint's URL, sealed: it may hold a user name and a password.
  target BLOB NOT NULL,
  -- The exact text that the notification carries.
  payload TEXT,
  attempts TEXT NOT NULL DEFAULT '[]',
  -- Entries of the retry schedule already used.
  retries INTEGER NOT NULL DEFAULT 0,
  -- Starts of processing; the token of whoever holds the record now.
  starts INTEGER NOT NULL DEFAULT 0,
  claim TEXT,
  -- When the record wants attention next; NULL: never again. Everything that recovers work reads this column only.
  wake_at INTEGER
) STRICT;

CREATE INDEX webhooks_of_account ON webhooks (account_id, created_at, id);
CREATE INDEX webhooks_of_account_by_status ON webhooks (account_id, status, created_at, id);
CREATE INDEX webhooks_awake ON webhooks (wake_at, id) WHERE wake_at IS NOT NULL;
CREATE INDEX webhooks_by_age ON webhooks (created_at);

-- Accepted jobs, sealed, until their processing has ended.
CREATE TABLE webhook_jobs (
  id TEXT PRIMARY KEY,
  job BLOB NOT NULL,
  -- The object in the bucket that holds the uploaded bytes; NULL: none were uploaded.
  bytes_key TEXT
) STRICT;

-- What notifications of an account are signed with, sealed.
CREATE TABLE webhook_secrets (
  account_id TEXT PRIMARY KEY,
  secret BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  previous BLOB,
  previous_until INTEGER
) STRICT;
