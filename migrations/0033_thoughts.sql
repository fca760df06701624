-- The positions that computers have begun to think about since an unclean stop. One that was begun twice without an end is
-- left alone, as a message is (`begun`): it ends the program.
CREATE TABLE thoughts (
    board   INTEGER NOT NULL REFERENCES boards (id),
    event   INTEGER NOT NULL, -- the one that made the position
    begun   INTEGER NOT NULL, -- how often
    is_left INTEGER NOT NULL DEFAULT 0, -- whether it is left alone and the player has been told
    PRIMARY KEY (board, event)
) STRICT, WITHOUT ROWID;
