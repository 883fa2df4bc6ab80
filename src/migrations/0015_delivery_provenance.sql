-- What becomes of the manifests of originals in the results of a delivery, where addresses do not say it.
ALTER TABLE deliveries ADD COLUMN provenance TEXT NOT NULL DEFAULT 'auto' CHECK (provenance IN ('auto', 'drop', 'keep', 'sign'));
