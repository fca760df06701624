-- The daily mails that can still be answered. Their tokens name them.
CREATE TABLE digest_letters (
    id            INTEGER PRIMARY KEY, -- stands in a token
    player        INTEGER NOT NULL REFERENCES players (id)
) STRICT;
CREATE INDEX digest_letters_by_player ON digest_letters (player, id);
INSERT INTO numbers (name, next) VALUES ('digests', 1);

-- The boards that each of them showed, as they stood then.
CREATE TABLE digest_boards (
    letter        INTEGER NOT NULL REFERENCES digest_letters (id),
    board         INTEGER NOT NULL REFERENCES boards (id),
    event         INTEGER NOT NULL, -- the board's newest
    is_waiting    INTEGER NOT NULL, -- for the reader's turn
    PRIMARY KEY (letter, board)
) STRICT, WITHOUT ROWID;
