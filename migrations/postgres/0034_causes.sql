-- Letters are sent in turn by what has caused them.
ALTER TABLE outbox ADD COLUMN cause BIGINT NOT NULL DEFAULT 0; -- the player who caused it; below zero: a source that proved nobody
UPDATE outbox SET cause = COALESCE(player, 0) WHERE state <> 'sent';
CREATE INDEX outbox_by_cause ON outbox (state, is_unproven, cause, due_at, id) WHERE state <> 'sent';

-- Whose rating a game could not raise: 1 that of the first player, 2 that of the second one, 3 neither. Games that ended before
-- count as they did.
ALTER TABLE rated ADD COLUMN gainless BIGINT NOT NULL DEFAULT 0;
