-- What an account may spend in a period, as JSON, and where its operator is told of that, sealed; NULL: no bounds, and nobody.
ALTER TABLE accounts ADD COLUMN limits TEXT;
ALTER TABLE accounts ADD COLUMN alerts BLOB;
-- Which key sealed an address is in its first bytes.
CREATE INDEX accounts_by_head ON accounts (substr(alerts, 1, 5));
