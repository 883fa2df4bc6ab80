-- Results of accounts by how they look: one row for each of the four bands of a hash, found by it, and no index beside.
CREATE TABLE alike_looks (
  -- The number of the band, times 65,536, and its 16 bits.
  band INTEGER NOT NULL,
  account_id TEXT NOT NULL,
  -- All 64 bits, as 16 hexadecimal digits.
  phash TEXT NOT NULL,
  name TEXT NOT NULL,
  -- The id of the answer.
  id TEXT NOT NULL,
  kept_at INTEGER NOT NULL,
  PRIMARY KEY (band, account_id, phash, name)
) STRICT, WITHOUT ROWID;
