-- A former address: it goes as soon as another address of the player is confirmed.
ALTER TABLE addresses ADD COLUMN replaced INTEGER NOT NULL DEFAULT 0;

-- Since when a player has signed off, until the next signup; NULL: here.
ALTER TABLE players ADD COLUMN away_since INTEGER;
-- When the account was erased. The row stays for the finished games, under a name that nobody can have.
ALTER TABLE players ADD COLUMN deleted_at INTEGER;

-- Whom a player wants to hear nothing of.
CREATE TABLE blocks (
    player        INTEGER NOT NULL REFERENCES players (id),
    blocked       INTEGER NOT NULL REFERENCES players (id),
    PRIMARY KEY (player, blocked)
) STRICT;
CREATE INDEX blocks_by_blocked ON blocks (blocked);
