-- What was kept as empty objects in the bucket: a row costs a fourth of an object, and reading it costs nothing.

-- Purges that work under way may not know of, for as long as any work that had begun before may last.
CREATE TABLE delivery_purges (
  delivery_id TEXT NOT NULL,
  -- The hash that names the original; `all` stands for all originals of the delivery.
  original TEXT NOT NULL,
  purged_at INTEGER NOT NULL,
  PRIMARY KEY (delivery_id, original)
) STRICT, WITHOUT ROWID;

-- Finals as they are known by the bytes of their originals: the result that the same request for the same bytes has.
CREATE TABLE delivery_twins (
  -- `<hash of the bytes>/<request>/<delivery>`
  name TEXT PRIMARY KEY,
  -- The name of the result's object.
  key TEXT NOT NULL,
  made_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- When the clock looks into a part of the bucket again: listing one costs as much as writing an object.
CREATE TABLE sweeps (
  part TEXT PRIMARY KEY,
  -- Milliseconds since 1970.
  due_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
