-- Which key sealed a secret is in its first bytes: so those of an older key are found, and counted, without reading all.
CREATE INDEX webhooks_by_head ON webhooks (substr(target, 1, 5));
CREATE INDEX assets_by_head ON assets (substr(sealed, 1, 5));
