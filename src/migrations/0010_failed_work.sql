-- Milliseconds of processor time that failed work took.
ALTER TABLE usage ADD COLUMN failed_ms INTEGER NOT NULL DEFAULT 0;

-- One key of many: its days without those of the others.
CREATE INDEX usage_of_key ON usage (key_id, day);

-- In the order of the operator's lists, so that a page of a day with many accounts sorts nothing.
DROP INDEX usage_by_day;
CREATE INDEX usage_by_day ON usage (day DESC, account_id, key_id);
DROP INDEX delivery_usage_by_day;
CREATE INDEX delivery_usage_by_day ON delivery_usage (day DESC, account_id, delivery_id);
