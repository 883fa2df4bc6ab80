-- A record and its job are one row, which is written once for itself, and what changes often is in no index: each row of an
-- index costs as much as one of the table.
CREATE TABLE webhook_records (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('created', 'scheduled', 'dispatched', 'delivered', 'failed')),
  code INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  delay_seconds INTEGER NOT NULL,
  -- The endpoint's URL, sealed: it may hold a user name and a password. Emptied with the payload.
  target BLOB NOT NULL,
  -- The accepted job, sealed, until its processing has ended.
  job BLOB,
  -- The object in the bucket that holds the uploaded bytes; NULL: none were uploaded, or the job has ended.
  bytes_key TEXT,
  -- The exact text that the notification carries.
  payload TEXT,
  attempts TEXT NOT NULL DEFAULT '[]',
  -- Entries of the retry schedule already used.
  retries INTEGER NOT NULL DEFAULT 0,
  -- Starts of processing; those that found no capacity, one after the other; the token of whoever holds the record now.
  starts INTEGER NOT NULL DEFAULT 0,
  put_backs INTEGER NOT NULL DEFAULT 0,
  claim TEXT,
  -- When the record wants attention next; NULL: never again.
  wake_at INTEGER,
  -- What the sweep does with the record next: hand it out, drop its payload and address, or delete it.
  stage TEXT NOT NULL CHECK (stage IN ('waiting', 'kept', 'emptied')),
  -- The sweep does so from this moment on. Of a record that waits it is also the moment up to which whoever was told of it
  -- is given to take it: nobody is told twice within that time. 0: nobody was told.
  sweep_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO webhook_records (id, account_id, status, code, created_at, updated_at, delay_seconds, target, job, bytes_key,
  payload, attempts, retries, starts, put_backs, claim, wake_at, stage, sweep_at)
SELECT w.id, account_id, status, code, created_at, updated_at, delay_seconds, target, j.job, j.bytes_key,
  payload, attempts, retries, starts, put_backs, claim, wake_at,
  CASE WHEN wake_at IS NOT NULL THEN 'waiting' WHEN payload IS NOT NULL THEN 'kept' ELSE 'emptied' END,
  CASE WHEN wake_at IS NOT NULL THEN max(wake_at, told_until)
    WHEN payload IS NOT NULL THEN updated_at + 7 * 86400000 ELSE created_at + 60 * 86400000 END
FROM webhooks AS w LEFT JOIN webhook_jobs AS j ON j.id = w.id;

DROP TABLE webhook_jobs;
DROP TABLE webhooks;
ALTER TABLE webhook_records RENAME TO webhooks;

CREATE INDEX webhooks_of_account ON webhooks (account_id, created_at, id);
CREATE INDEX webhooks_failed ON webhooks (account_id, created_at, id) WHERE status = 'failed';
-- The account and the age are there for lists of what waits, which look at all that does.
CREATE INDEX webhooks_to_sweep ON webhooks (stage, sweep_at, id, account_id, created_at);
-- Which key sealed an address is in its first bytes.
CREATE INDEX webhooks_by_head ON webhooks (substr(target, 1, 5));
