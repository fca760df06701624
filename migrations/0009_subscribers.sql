-- Who watches one board, and whether only its end; the rows go when the board ends.
CREATE TABLE watched_boards (
    board         INTEGER NOT NULL REFERENCES boards (id),
    player        INTEGER NOT NULL REFERENCES players (id),
    ends_only     INTEGER NOT NULL,
    PRIMARY KEY (board, player)
) STRICT;
CREATE INDEX watched_boards_by_player ON watched_boards (player, board);

-- Who watches all boards of a game.
CREATE TABLE watched_games (
    game          TEXT    NOT NULL,
    player        INTEGER NOT NULL REFERENCES players (id),
    ends_only     INTEGER NOT NULL,
    PRIMARY KEY (game, player)
) STRICT;
CREATE INDEX watched_games_by_player ON watched_games (player, game);

-- Whether a mail comes because its reader watches.
ALTER TABLE outbox ADD COLUMN is_watching INTEGER NOT NULL DEFAULT 0;
-- A file that goes with a mail; NULL: none.
ALTER TABLE outbox ADD COLUMN attachment_name TEXT;
ALTER TABLE outbox ADD COLUMN attachment TEXT;
