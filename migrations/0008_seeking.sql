-- Open challenges, one a player and game.
CREATE TABLE seeks (
    player        INTEGER NOT NULL REFERENCES players (id),
    game          TEXT    NOT NULL,
    left_over     INTEGER NOT NULL, -- how many boards may still begin; from 1
    options       TEXT    NOT NULL, -- "-exact -size=8", in the game's order
    rated         INTEGER NOT NULL,
    nag_days      INTEGER NOT NULL,
    forfeit_days  INTEGER NOT NULL,
    total_days    INTEGER,
    since         INTEGER NOT NULL,
    PRIMARY KEY (player, game)
) STRICT;
CREATE INDEX seeks_by_game ON seeks (game, since, player);

-- Whether, and how many, boards of a game a player takes; no row: any number.
CREATE TABLE taking (
    player        INTEGER NOT NULL REFERENCES players (id),
    game          TEXT    NOT NULL,
    is_open       INTEGER NOT NULL,
    most          INTEGER, -- NULL: no limit
    PRIMARY KEY (player, game)
) STRICT;
