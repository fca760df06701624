-- What the finished rated games come to. The truth is in boards: all of this can be counted anew from them.

CREATE TABLE ratings (
    player            INTEGER NOT NULL REFERENCES players (id),
    game              TEXT    NOT NULL,
    rating            REAL    NOT NULL, -- these three as of the last game: idle time is added when they are used
    deviation         REAL    NOT NULL,
    volatility        REAL    NOT NULL,
    won               INTEGER NOT NULL,
    lost              INTEGER NOT NULL,
    drawn             INTEGER NOT NULL,
    rated_at          INTEGER NOT NULL, -- the end of the last game
    established_until INTEGER NOT NULL, -- when idle time alone will have made the rating uncertain again
    PRIMARY KEY (player, game)
) STRICT;
CREATE INDEX ratings_by_rank ON ratings (game, rating DESC, player);

-- The games that were counted, in their order: two may have ended at the same time.
CREATE TABLE rated (
    ordinal           INTEGER PRIMARY KEY,
    board             INTEGER NOT NULL UNIQUE REFERENCES boards (id)
) STRICT;

-- The games of two players against each other.
CREATE INDEX boards_by_pair ON boards (first_player, second_player, game, ended_at);
