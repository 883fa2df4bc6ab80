-- Records that are finished and still have their body, by their last move: those whose body is dropped next.
CREATE INDEX webhooks_with_body ON webhooks (updated_at) WHERE wake_at IS NULL AND payload IS NOT NULL;
