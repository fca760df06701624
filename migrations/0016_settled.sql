-- What was sent in the last day is counted without a look at all that was ever sent.
CREATE INDEX outbox_by_settling ON outbox (settled_at, state) WHERE settled_at IS NOT NULL;
