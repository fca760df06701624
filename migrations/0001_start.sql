-- Times are milliseconds since 1970 in UTC; truth values are 0 and 1.
-- Addresses and userids are looked up by their lower-case key; beside it stands what was written.

CREATE TABLE players (
    id            INTEGER PRIMARY KEY,
    userid        TEXT    NOT NULL,
    userid_key    TEXT    NOT NULL UNIQUE,
    password_hash TEXT    NOT NULL,
    generation    INTEGER NOT NULL DEFAULT 0, -- raised to end the tokens given out before
    created_at    INTEGER NOT NULL
) STRICT;

CREATE TABLE addresses (
    id            INTEGER PRIMARY KEY,
    player        INTEGER NOT NULL REFERENCES players (id),
    address       TEXT    NOT NULL,
    address_key   TEXT    NOT NULL,
    confirmed_at  INTEGER, -- NULL: nothing but the one question goes there
    created_at    INTEGER NOT NULL,
    UNIQUE (player, address_key)
) STRICT;
CREATE INDEX addresses_by_key ON addresses (address_key);

CREATE TABLE displays (
    player        INTEGER NOT NULL REFERENCES players (id),
    game          TEXT    NOT NULL,
    display       TEXT    NOT NULL, -- small, large
    PRIMARY KEY (player, game)
) STRICT;

-- Wrong passwords, for the limits on guessing; a row is of no use after an hour.
CREATE TABLE guesses (
    id            INTEGER PRIMARY KEY,
    player        INTEGER NOT NULL REFERENCES players (id),
    sender_key    TEXT    NOT NULL,
    at            INTEGER NOT NULL
) STRICT;
CREATE INDEX guesses_by_player ON guesses (player, at);
CREATE INDEX guesses_by_time ON guesses (at);

-- Boards are numbered from 101 in each game; a number is never given twice.
CREATE TABLE games (
    game          TEXT    PRIMARY KEY,
    next_number   INTEGER NOT NULL
) STRICT;

CREATE TABLE boards (
    id            INTEGER PRIMARY KEY,
    game          TEXT    NOT NULL,
    number        INTEGER NOT NULL,
    options       TEXT    NOT NULL, -- "-exact -size=8", in the game's order
    rules         INTEGER NOT NULL, -- the revision of the rules it is played by
    first_player  INTEGER NOT NULL REFERENCES players (id),
    second_player INTEGER NOT NULL REFERENCES players (id),
    rated         INTEGER NOT NULL,
    nag_days      INTEGER NOT NULL,
    forfeit_days  INTEGER NOT NULL,
    total_days    INTEGER, -- NULL: no limit on the sum of a player's thinking
    turns         INTEGER NOT NULL DEFAULT 0,
    second_moved  INTEGER NOT NULL DEFAULT 0, -- whether the second player has played one of them
    to_move       INTEGER, -- 0 the first player, 1 the second, NULL when it is over
    result        TEXT,    -- first, second, draw, removed; NULL while it runs
    result_by     TEXT,    -- rules, resignation, forfeit, agreement, adjudication, declined
    started_at    INTEGER NOT NULL,
    moved_at      INTEGER NOT NULL, -- since when the player to move thinks
    ended_at      INTEGER,
    UNIQUE (game, number)
) STRICT;
CREATE INDEX boards_by_first ON boards (first_player, game, ended_at);
CREATE INDEX boards_by_second ON boards (second_player, game, ended_at);
CREATE INDEX boards_by_state ON boards (game, ended_at);

-- The truth about a board: its turns as text. The position is their replay.
CREATE TABLE turns (
    board         INTEGER NOT NULL REFERENCES boards (id),
    ordinal       INTEGER NOT NULL, -- from 1, over both players
    seat          INTEGER NOT NULL, -- 0 the first player, 1 the second
    turn          TEXT    NOT NULL,
    played_at     INTEGER NOT NULL,
    PRIMARY KEY (board, ordinal)
) STRICT;

-- One row a message taken. What it said is kept with secrets masked, for 90 days; the identity for ever.
CREATE TABLE inbox (
    id            INTEGER PRIMARY KEY,
    identity      BLOB    UNIQUE, -- the digest that a second copy would share; NULL: nothing to tell it by
    received_at   INTEGER NOT NULL,
    door          TEXT    NOT NULL,
    sender        TEXT,    -- the envelope sender; NULL: the null sender
    sender_key    TEXT,
    recipient     TEXT    NOT NULL,
    header_from   TEXT,
    message_id    TEXT,
    commands      TEXT    NOT NULL DEFAULT '',
    state         TEXT    NOT NULL, -- done, refused, ignored, dropped, failed
    reason        TEXT,
    proven        INTEGER NOT NULL DEFAULT 0 -- a password or a token showed who wrote
) STRICT;
CREATE INDEX inbox_by_sender ON inbox (sender_key, received_at);
CREATE INDEX inbox_by_state ON inbox (state, id);

-- Which messages were begun since an unclean stop, and how often: one that was begun twice is set aside.
CREATE TABLE begun (
    digest        BLOB    PRIMARY KEY,
    times         INTEGER NOT NULL,
    at            INTEGER NOT NULL
) STRICT;

CREATE TABLE outbox (
    id            INTEGER PRIMARY KEY,
    inbox         INTEGER REFERENCES inbox (id), -- the message that caused it
    kind          TEXT    NOT NULL, -- the letter's folder in templates/
    player        INTEGER REFERENCES players (id),
    board         INTEGER REFERENCES boards (id),
    about         INTEGER, -- for the question "is this your address?": the row of addresses
    recipient     TEXT    NOT NULL,
    recipient_key TEXT    NOT NULL,
    message_id    TEXT    NOT NULL UNIQUE,
    in_reply_to   TEXT,
    refs          TEXT    NOT NULL DEFAULT '', -- Message-IDs, blanks between
    is_reply      INTEGER NOT NULL,
    list          TEXT,
    reply_to      TEXT,    -- what the token in Reply-To is for: "confirm"; NULL: the plain address
    subject       TEXT    NOT NULL,
    body          TEXT    NOT NULL,
    created_at    INTEGER NOT NULL,
    state         TEXT    NOT NULL, -- waiting, held, sent, failed, dropped
    attempts      INTEGER NOT NULL DEFAULT 0,
    due_at        INTEGER NOT NULL,
    last_error    TEXT,
    settled_at    INTEGER
) STRICT;
CREATE INDEX outbox_by_due ON outbox (state, due_at, id);
CREATE INDEX outbox_by_recipient ON outbox (recipient_key, kind, created_at);
CREATE INDEX outbox_by_thread ON outbox (board, recipient_key, id);
CREATE INDEX outbox_by_inbox ON outbox (inbox);

-- What is to be remembered of the service itself, such as whether it stopped cleanly.
CREATE TABLE notes (
    name          TEXT    PRIMARY KEY,
    value         TEXT    NOT NULL
) STRICT;
