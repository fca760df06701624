-- When an account without a confirmed address is removed; NULL: it stays.
ALTER TABLE players ADD COLUMN expires_at INTEGER;
CREATE INDEX players_by_expiry ON players (expires_at, id) WHERE expires_at IS NOT NULL;
UPDATE players SET expires_at = created_at + 604800000
    WHERE deleted_at IS NULL
    AND NOT EXISTS (SELECT 1 FROM addresses WHERE addresses.player = players.id AND confirmed_at IS NOT NULL);
