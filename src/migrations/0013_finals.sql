-- Each row is written once for itself: no index of times and no hidden key, whose rows cost as much. Few rows are there at a
-- time, so that looking for those whose time has come reads little.
CREATE TABLE finals_by_key (
  -- The name of the object that the final will be.
  key TEXT PRIMARY KEY,
  delivery_id TEXT NOT NULL,
  job TEXT NOT NULL,
  -- The reserved credit, in the account's meter.
  lease INTEGER,
  starts INTEGER NOT NULL DEFAULT 0,
  -- From this moment on, milliseconds since 1970, whoever finds the row may start it.
  wake_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO finals_by_key (key, delivery_id, job, lease, starts, wake_at)
SELECT key, delivery_id, job, lease, starts, wake_at FROM delivery_finals;

DROP TABLE delivery_finals;

ALTER TABLE finals_by_key RENAME TO delivery_finals;
