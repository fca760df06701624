-- When the player last wrote a mail that was proven to be theirs, within an hour: `who` lists those who are here.
ALTER TABLE players ADD COLUMN seen_at INTEGER NOT NULL DEFAULT 0;
UPDATE players SET seen_at = MAX(
    created_at,
    COALESCE((SELECT MAX(moved_at) FROM boards WHERE first_player = players.id), 0),
    COALESCE((SELECT MAX(moved_at) FROM boards WHERE second_player = players.id), 0)
);
CREATE INDEX players_by_presence ON players (seen_at, id);
