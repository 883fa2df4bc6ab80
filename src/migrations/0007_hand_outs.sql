-- Until when whoever was told of a record (by a message, or at its acceptance) is given to take it: nobody is told twice
-- within that time. 0: nobody was told, or it was taken since.
ALTER TABLE webhooks ADD COLUMN told_until INTEGER NOT NULL DEFAULT 0;
-- Starts that found no capacity, one after the other: each waits longer than the one before.
ALTER TABLE webhooks ADD COLUMN put_backs INTEGER NOT NULL DEFAULT 0;

-- What the sweep looks at: records that want attention and of which nobody was told, in the order in which they will.
DROP INDEX webhooks_awake;
CREATE INDEX webhooks_untold ON webhooks (max(wake_at, told_until), id) WHERE wake_at IS NOT NULL;
