-- Computer players are rows of `players` with numbers below zero: no sequence gives such a number, and they have neither a
-- password nor an address (src/table/computer.rs).

-- The boards whose computer is to move wait here until it has answered.
CREATE INDEX boards_by_computer ON boards (moved_at, id)
    WHERE (to_move = 0 AND first_player < 0) OR (to_move = 1 AND second_player < 0);

-- What the computer thinks of the position after its last turn, in thousandths for itself; NULL: nothing yet.
ALTER TABLE boards ADD COLUMN estimate INTEGER;

-- A receipt that waits a minute for the answer of a computer, which has the same news: 0 no; 1 yes; 2 yes, and the mail had words
-- for the computer.
ALTER TABLE outbox ADD COLUMN awaits INTEGER NOT NULL DEFAULT 0;
CREATE INDEX outbox_awaiting ON outbox (board) WHERE awaits > 0 AND state = 'waiting';

-- Advice that players have asked for and that is still to be thought about.
CREATE TABLE advice (
    id       INTEGER PRIMARY KEY,
    kind     TEXT    NOT NULL, -- hint, review
    board    INTEGER NOT NULL REFERENCES boards (id),
    player   INTEGER NOT NULL REFERENCES players (id),
    event    INTEGER NOT NULL, -- the position that it is for
    asked_at INTEGER NOT NULL,
    UNIQUE (kind, board, player)
) STRICT;

-- What a record says besides its turns: advice that was given, and turns that were taken back.
CREATE TABLE board_notes (
    board   INTEGER NOT NULL REFERENCES boards (id),
    ordinal INTEGER NOT NULL, -- the turn that it is about, from 1
    kind    TEXT    NOT NULL, -- hint, undo, review
    text    TEXT    NOT NULL,
    PRIMARY KEY (board, ordinal, kind)
) STRICT, WITHOUT ROWID;
