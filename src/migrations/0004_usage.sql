-- What each key did on each day, UTC. The account's meter writes the day's totals so far, again and again: whatever is
-- written twice changes nothing.
CREATE TABLE usage (
  account_id TEXT NOT NULL,
  key_id TEXT NOT NULL,
  day TEXT NOT NULL,
  requests INTEGER NOT NULL,
  errors INTEGER NOT NULL,
  pictures INTEGER NOT NULL,
  bytes_in INTEGER NOT NULL,
  bytes_out INTEGER NOT NULL,
  credits INTEGER NOT NULL,
  PRIMARY KEY (account_id, day, key_id)
) STRICT;

CREATE INDEX usage_by_day ON usage (day, account_id, key_id);
