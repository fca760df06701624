-- The clock of a board: milliseconds of thinking, and since when the player to move thinks.
ALTER TABLE boards ADD COLUMN first_used INTEGER NOT NULL DEFAULT 0; -- in turns before the present one
ALTER TABLE boards ADD COLUMN second_used INTEGER NOT NULL DEFAULT 0;
ALTER TABLE boards ADD COLUMN thought INTEGER NOT NULL DEFAULT 0; -- in the present turn, before the clock was last started
ALTER TABLE boards ADD COLUMN clock_since INTEGER; -- since when it runs; NULL: it stands still, or the board is over
ALTER TABLE boards ADD COLUMN reminded INTEGER; -- how long the player had thought when reminded last in this turn
ALTER TABLE boards ADD COLUMN due_at INTEGER; -- when the clock has something to do; NULL: never

-- Boards that run already: their clocks began with the present turn. What there is to do is found at the first start.
UPDATE boards SET clock_since = moved_at, due_at = moved_at WHERE ended_at IS NULL;

CREATE INDEX boards_by_due ON boards (due_at, id) WHERE due_at IS NOT NULL;

-- The warnings that announced the end of a player's time, and the mails that brought them.
CREATE TABLE warnings (
    board         INTEGER NOT NULL REFERENCES boards (id),
    seat          INTEGER NOT NULL, -- 0 the first player, 1 the second
    total         INTEGER NOT NULL, -- 1: the thinking of the whole game, 0: of this turn; these go with the turn
    warned_at     INTEGER NOT NULL,
    first_mail    INTEGER NOT NULL, -- rows of outbox, from the first
    last_mail     INTEGER NOT NULL, -- to the last; less than the first: there was no address
    PRIMARY KEY (board, seat, total)
) STRICT;

-- Every vacation, for the days of the year.
CREATE TABLE vacations (
    id            INTEGER PRIMARY KEY,
    player        INTEGER NOT NULL REFERENCES players (id),
    begun_at      INTEGER NOT NULL,
    ends_at       INTEGER NOT NULL,
    is_over       INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX vacations_by_player ON vacations (player, is_over, ends_at);
CREATE INDEX vacations_by_end ON vacations (is_over, ends_at, id);
