-- Batches that new objects of a bucket are worked on by, as the platform's notifications tell of them.
CREATE TABLE bucket_events (
  bucket TEXT NOT NULL,
  -- The platform's account that has the bucket; empty: any, where stores on private addresses are allowed.
  account TEXT NOT NULL,
  batch_id TEXT NOT NULL,
  PRIMARY KEY (bucket, account, batch_id)
) STRICT, WITHOUT ROWID;
