-- All tables, as the first release has them.
--
-- Times are milliseconds since 1970 in UTC; days are counted since 1970 in UTC; truth values are 0 and 1. A seat is 0 for the first
-- player and 1 for the second. Addresses, userids and senders are looked up by their key, in lower case; beside it stands what was
-- written.

-- THE SERVICE

-- What is to be remembered of the service itself, such as whether it stopped cleanly.
CREATE TABLE notes (
    name          TEXT    PRIMARY KEY,
    value         TEXT    NOT NULL
) STRICT;

-- The next number of rows whose numbers stand in tokens. None is given twice: not to another row after the first was removed, and
-- not again after a backup was restored that does not know it.
CREATE TABLE numbers (
    name          TEXT    PRIMARY KEY, -- players, addresses, boards, proposals, digests, joins
    next          INTEGER NOT NULL
) STRICT;
INSERT INTO numbers (name, next) VALUES ('players', 1), ('addresses', 1), ('boards', 1), ('proposals', 1), ('digests', 1), ('joins', 1);

-- What the operator has changed by hand, and why.
CREATE TABLE audit (
    id            INTEGER PRIMARY KEY,
    at            INTEGER NOT NULL,
    who           TEXT    NOT NULL, -- the account on the machine
    verb          TEXT    NOT NULL, -- "board end", "user disable"
    about         TEXT    NOT NULL, -- "Pow2 101", "alice"
    what          TEXT    NOT NULL, -- in a sentence; no secret
    why           TEXT    NOT NULL
) STRICT;
CREATE INDEX audit_by_about ON audit (about, id);

-- PLAYERS

-- Accounts. Computer players are rows with numbers below zero: no sequence gives such a number, and they have neither a password
-- nor an address (crates/core/src/table/computer.rs).
CREATE TABLE players (
    id            INTEGER PRIMARY KEY,
    userid        TEXT    NOT NULL,
    userid_key    TEXT    NOT NULL UNIQUE,
    password_hash TEXT    NOT NULL,
    generation    INTEGER NOT NULL DEFAULT 0, -- raised to end the tokens given out before
    created_at    INTEGER NOT NULL,
    seen_at       INTEGER NOT NULL DEFAULT 0, -- the last mail proven to be theirs, within an hour: for `who`
    away_since    INTEGER, -- since when they have signed off, until the next signup; NULL: here
    disabled_at   INTEGER, -- since when the operator keeps the account closed; NULL: open
    expires_at    INTEGER, -- when an account without a confirmed address is removed; NULL: it stays
    deleted_at    INTEGER  -- when it was erased; the row stays for the finished games, under a name that nobody can have
) STRICT;
CREATE INDEX players_by_expiry ON players (expires_at, id) WHERE expires_at IS NOT NULL;
CREATE INDEX players_by_presence ON players (seen_at, id);

CREATE TABLE addresses (
    id            INTEGER PRIMARY KEY,
    player        INTEGER NOT NULL REFERENCES players (id),
    address       TEXT    NOT NULL,
    address_key   TEXT    NOT NULL,
    created_at    INTEGER NOT NULL,
    confirmed_at  INTEGER, -- NULL: nothing but the one question goes there
    replaced      INTEGER NOT NULL DEFAULT 0, -- it goes as soon as another address of the player is confirmed
    failed_days   INTEGER NOT NULL DEFAULT 0, -- on how many days mail to it failed for good; a mail from it sets both back
    failed_on     INTEGER, -- the last of these days
    UNIQUE (player, address_key)
) STRICT;
CREATE INDEX addresses_by_key ON addresses (address_key);

-- How a player wants their mail, and times shown; no row: the defaults.
CREATE TABLE preferences (
    player        INTEGER PRIMARY KEY REFERENCES players (id),
    html          INTEGER NOT NULL,
    picture       INTEGER NOT NULL,
    both_boards   INTEGER NOT NULL, -- HTML with a picture has the board as text, too
    reminders     INTEGER NOT NULL,
    digest        INTEGER NOT NULL, -- one mail a day in the place of all news
    broadcasts    INTEGER NOT NULL,
    width         INTEGER NOT NULL, -- columns of prose
    news_subjects INTEGER NOT NULL, -- the subjects of a board's letters say the news; otherwise they stay the same
    zone          TEXT    NOT NULL, -- of times, as in the tz database; empty: UTC
    is_hidden     INTEGER NOT NULL, -- the userid is left out of the pages for everybody
    shows_address INTEGER NOT NULL, -- those who are invited may see the address
    gazette       INTEGER NOT NULL, -- the gazette comes each week
    is_named      INTEGER NOT NULL, -- the gazette may name who has solved its position
    quiet         TEXT    NOT NULL DEFAULT '', -- days of the week without clocks: "Sat Sun"
    reminder_days TEXT    NOT NULL DEFAULT '', -- days before the end with reminders: "7 3"; '': as the terms say
    has_automatic_vacation INTEGER NOT NULL, -- a vacation begins by itself when the player would lose on time
    plays_forced    INTEGER NOT NULL -- the only turn that there is, in a game with dice, is played unasked
) STRICT;
CREATE INDEX preferences_by_gazette ON preferences (player) WHERE gazette = 1;

-- How large a player wants the boards of a game as text.
CREATE TABLE displays (
    player        INTEGER NOT NULL REFERENCES players (id),
    game          TEXT    NOT NULL,
    display       TEXT    NOT NULL, -- small, large
    PRIMARY KEY (player, game)
) STRICT;

-- Whom a player wants to hear nothing of.
CREATE TABLE blocks (
    player        INTEGER NOT NULL REFERENCES players (id),
    blocked       INTEGER NOT NULL REFERENCES players (id),
    PRIMARY KEY (player, blocked)
) STRICT;
CREATE INDEX blocks_by_blocked ON blocks (blocked);

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

-- Wrong passwords, for the limits on guessing; a row is of no use after an hour.
CREATE TABLE guesses (
    id            INTEGER PRIMARY KEY,
    player        INTEGER NOT NULL REFERENCES players (id),
    sender_key    TEXT    NOT NULL,
    at            INTEGER NOT NULL
) STRICT;
CREATE INDEX guesses_by_player ON guesses (player, at);
CREATE INDEX guesses_by_time ON guesses (at);

-- The links of a player to the pages are keys. This many times the player has had new ones, which made the earlier ones invalid.
CREATE TABLE page_links (
    player        INTEGER PRIMARY KEY REFERENCES players (id),
    renewed       INTEGER NOT NULL
) STRICT;

-- CHALLENGES

-- Whether, and how many, boards of a game a player takes; no row: any number.
CREATE TABLE taking (
    player        INTEGER NOT NULL REFERENCES players (id),
    game          TEXT    NOT NULL,
    is_open       INTEGER NOT NULL,
    most          INTEGER, -- NULL: no limit
    PRIMARY KEY (player, game)
) STRICT;

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
    refill        TEXT    NOT NULL DEFAULT '', -- '': never; "+1": days a turn; "/10": all after each 10 turns
    since         INTEGER NOT NULL,
    PRIMARY KEY (player, game)
) STRICT;
CREATE INDEX seeks_by_game ON seeks (game, since, player);

-- Challenges in the name of a player whom nobody has proven to be: that player is asked by mail, and may confirm.
CREATE TABLE proposals (
    id            INTEGER PRIMARY KEY, -- stands in a token
    player        INTEGER NOT NULL REFERENCES players (id), -- who is asked: the first of the two
    opponent      INTEGER NOT NULL REFERENCES players (id),
    line          TEXT    NOT NULL, -- the challenge as a command
    asked_at      INTEGER NOT NULL,
    UNIQUE (player, line)
) STRICT;
CREATE INDEX proposals_by_opponent ON proposals (opponent);
CREATE INDEX proposals_by_time ON proposals (asked_at);

-- People who were asked by mail under which name they want to play: because they wrote without an account, or named their address
-- on a page. The answer makes the account. Each is asked once a month; a row goes after that.
CREATE TABLE joins (
    id            INTEGER PRIMARY KEY, -- stands in a token
    address       TEXT    NOT NULL,
    limit_key     TEXT    NOT NULL, -- one mailbox in all its spellings
    userid        TEXT    NOT NULL, -- the name that the letter proposes
    inviter       INTEGER REFERENCES players (id), -- who has invited them; NULL: nobody
    game          TEXT, -- the game that begins with the account; NULL: none
    options       TEXT NOT NULL DEFAULT '', -- the options of the challenge
    turns         TEXT, -- of a game that was played on a page: the revision of its rules, and its turns, a line each
    asked_at      INTEGER NOT NULL,
    player        INTEGER REFERENCES players (id) -- who has joined; NULL: not answered, or no
) STRICT;
CREATE INDEX joins_by_mailbox ON joins (limit_key, asked_at);
CREATE INDEX joins_by_time ON joins (asked_at);
CREATE INDEX joins_by_player ON joins (player) WHERE player IS NOT NULL;
CREATE INDEX joins_by_inviter ON joins (inviter, asked_at) WHERE inviter IS NOT NULL;

-- Who is not to be invited by anybody: hashes of mailboxes under the server's key, so that nobody can read who they are.
CREATE TABLE uninvited (
    hash          TEXT PRIMARY KEY,
    until         INTEGER -- NULL: for ever, since the answer was no
) STRICT;
CREATE INDEX uninvited_by_end ON uninvited (until) WHERE until IS NOT NULL;

-- BOARDS

-- Boards are numbered from 101 in each game; a number is never given twice.
CREATE TABLE games (
    game          TEXT    PRIMARY KEY,
    next_number   INTEGER NOT NULL
) STRICT;

-- Its events are numbered: each turn, each turn taken back, each offer and each submitted turn. A letter knows the newest, so an
-- answer to an older letter is not played. The defaults are those of a board without turns.
CREATE TABLE boards (
    id              INTEGER PRIMARY KEY,
    game            TEXT    NOT NULL,
    number          INTEGER NOT NULL,
    options         TEXT    NOT NULL, -- "-exact -size=8", in the game's order
    rules           INTEGER NOT NULL, -- the revision of the rules it is played by
    first_player    INTEGER NOT NULL REFERENCES players (id),
    second_player   INTEGER NOT NULL REFERENCES players (id),
    rated           INTEGER NOT NULL,
    nag_days        INTEGER NOT NULL,
    forfeit_days    INTEGER NOT NULL,
    total_days      INTEGER, -- NULL: no limit on the sum of a player's thinking
    refill          TEXT    NOT NULL DEFAULT '', -- '': never; "+1": days a turn; "/10": all after each 10 turns
    started_at      INTEGER NOT NULL,

    turns           INTEGER NOT NULL DEFAULT 0, -- how many
    second_moved    INTEGER NOT NULL DEFAULT 0, -- the second player has played one of them
    moved_at        INTEGER NOT NULL, -- since when it is the turn of the player to move
    to_move         INTEGER, -- the seat; NULL: it is over
    result          TEXT,    -- first, second, draw, removed, void; NULL: it runs
    result_by       TEXT,    -- rules, resignation, forfeit, agreement, adjudication; of a removed board the seat that did not begin it: first, second
    ended_at        INTEGER, -- NULL: it runs

    -- The clock: milliseconds of thinking.
    first_used      INTEGER NOT NULL DEFAULT 0, -- in turns before the present one
    second_used     INTEGER NOT NULL DEFAULT 0,
    thought         INTEGER NOT NULL DEFAULT 0, -- in the present turn, before the clock was last started
    clock_since     INTEGER, -- since when it runs; NULL: it stands still, or the board is over
    reminded        INTEGER, -- how long the player had thought when reminded last in this turn
    calendar        TEXT    NOT NULL DEFAULT '', -- the days on which it stands still in this turn, and where: "Sat Sun Europe/Berlin"
    reminder_days   TEXT    NOT NULL DEFAULT '', -- the days before the end of this turn with reminders: "7 3"; '': as the terms say
    paused_until    INTEGER, -- until when both players pause; NULL: they do not
    due_at          INTEGER, -- when the clock has something to do; NULL: never

    offer           TEXT,    -- draw, undo, pause, rematch, until the other player answers; NULL: nothing
    offer_by        INTEGER, -- the seat
    -- What a player has planned: the number of turns from which it counts, and below it one answer a line, as players write them. Who
    -- is to move has no plan, so that a board holds that of one player only. The other player never sees it.
    plan            TEXT,    -- NULL: nothing
    plan_by         INTEGER, -- the seat
    -- The turn that the player to move has been shown, and that the word confirm plays; any other turn clears it.
    submitted       TEXT,    -- NULL: nothing

    position_event  INTEGER NOT NULL DEFAULT 1, -- the last turn, played or taken back
    offer_event     INTEGER NOT NULL DEFAULT 0, -- the newest offer; 0: none
    submitted_event INTEGER NOT NULL DEFAULT 0, -- the newest submitted turn; 0: none
    restored_event  INTEGER NOT NULL DEFAULT 0, -- restored from a backup; 0: never

    -- What the dice follow from, in a game that has some. Until the board is over nobody may read the seed.
    dice_seed       TEXT,    -- 64 hexadecimal digits; NULL: no dice
    dice_words      TEXT,    -- the word of each player: "plum quince"

    -- What the computer thinks of the position after its last turn, in thousandths for itself; NULL: nothing yet.
    estimate        INTEGER,
    UNIQUE (game, number)
) STRICT;
CREATE INDEX boards_by_first ON boards (first_player, game, ended_at);
CREATE INDEX boards_by_second ON boards (second_player, game, ended_at);
CREATE INDEX boards_by_pair ON boards (first_player, second_player, game, ended_at);
CREATE INDEX boards_by_state ON boards (game, ended_at);
CREATE INDEX boards_by_due ON boards (due_at, id) WHERE due_at IS NOT NULL;
-- The boards whose computer is to move wait here until it has answered.
CREATE INDEX boards_by_computer ON boards (moved_at, id)
    WHERE (to_move = 0 AND first_player < 0) OR (to_move = 1 AND second_player < 0);

-- The truth about a board: its turns as text. The position is their replay. They stand together, in the order of playing.
CREATE TABLE turns (
    board         INTEGER NOT NULL REFERENCES boards (id),
    ordinal       INTEGER NOT NULL, -- from 1, over both players
    seat          INTEGER NOT NULL,
    turn          TEXT    NOT NULL,
    played_at     INTEGER NOT NULL,
    event         INTEGER NOT NULL,
    PRIMARY KEY (board, ordinal)
) STRICT, WITHOUT ROWID;

-- What a record says besides its turns: advice that was given, and turns that were taken back.
CREATE TABLE board_notes (
    board         INTEGER NOT NULL REFERENCES boards (id),
    ordinal       INTEGER NOT NULL, -- the turn that it is about, from 1
    kind          TEXT    NOT NULL, -- hint, undo, review
    text          TEXT    NOT NULL,
    PRIMARY KEY (board, ordinal, kind)
) STRICT, WITHOUT ROWID;

-- The warnings that announced the end of a player's time, and the mails that brought them.
CREATE TABLE warnings (
    board         INTEGER NOT NULL REFERENCES boards (id),
    seat          INTEGER NOT NULL,
    total         INTEGER NOT NULL, -- 1: the thinking of the whole game, 0: of this turn; these go with the turn
    warned_at     INTEGER NOT NULL,
    first_mail    INTEGER NOT NULL, -- rows of outbox, from the first
    last_mail     INTEGER NOT NULL, -- to the last; less than the first: there was no address
    PRIMARY KEY (board, seat, total)
) STRICT;

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

-- RATINGS: what the finished rated games come to. The truth is in boards, and all of this can be counted again from them.

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
    ordinal       INTEGER PRIMARY KEY,
    board         INTEGER NOT NULL UNIQUE REFERENCES boards (id),
    first_after   REAL    NOT NULL, -- the ratings of both after the game, for the chart of a player
    second_after  REAL    NOT NULL,
    gainless      INTEGER NOT NULL  -- whose rating it could not raise: 0 nobody's, 1 the first player's, 2 the second's, 3 both
) STRICT;

-- COMPANY: leagues, cups and ladders. Only facts stand here: tables, places and ranks are counted from them and from boards.

-- Who plays in the seasons of a game's league, until they leave.
CREATE TABLE league_members (
    game          TEXT    NOT NULL,
    player        INTEGER NOT NULL REFERENCES players (id),
    joined_at     INTEGER NOT NULL,
    PRIMARY KEY (game, player)
) STRICT;
CREATE INDEX league_members_by_player ON league_members (player, game);

-- The leagues that somebody has joined.
CREATE TABLE leagues (
    id            INTEGER PRIMARY KEY,
    game          TEXT    NOT NULL UNIQUE,
    season        INTEGER NOT NULL, -- the number of the last that began; 0: none
    due_at        INTEGER NOT NULL -- when the next one begins
) STRICT;
CREATE INDEX leagues_by_due ON leagues (due_at, id);

-- A contest is one division of a league in one season, or a cup.
CREATE TABLE contests (
    id            INTEGER PRIMARY KEY,
    game          TEXT    NOT NULL,
    season        INTEGER, -- of a league; NULL: it is a cup
    division      INTEGER, -- from 1, the strongest
    name          TEXT, -- of a cup; NULL: it is a division
    name_key      TEXT    UNIQUE,
    format        TEXT    NOT NULL, -- league, swiss, knockout, groups
    rounds        INTEGER NOT NULL, -- of a Swiss system; 0: as many as it takes
    seats         INTEGER NOT NULL, -- how many may take part
    options       TEXT    NOT NULL, -- "-exact -size=8", in the game's order
    nag_days      INTEGER NOT NULL,
    forfeit_days  INTEGER NOT NULL,
    total_days    INTEGER,
    refill        TEXT    NOT NULL DEFAULT '', -- '': never; "+1": days a turn; "/10": all after each 10 turns
    made_by       INTEGER REFERENCES players (id), -- NULL: by the calendar
    is_private    INTEGER NOT NULL, -- only who is invited may join
    begins_at     INTEGER NOT NULL,
    begun_at      INTEGER, -- NULL: it has not begun
    ended_at      INTEGER, -- NULL: it is not over
    announced_round    INTEGER NOT NULL, -- the last round of which the players got letters
    due_at        INTEGER -- when it is to be looked at; NULL: when a board of it ends
) STRICT;
CREATE INDEX contests_by_due ON contests (due_at, id) WHERE due_at IS NOT NULL;
CREATE INDEX contests_by_game ON contests (game, season, division);
CREATE INDEX contests_by_maker ON contests (made_by, ended_at) WHERE made_by IS NOT NULL;

-- Who takes part in a contest.
CREATE TABLE entrants (
    contest       INTEGER NOT NULL REFERENCES contests (id),
    player        INTEGER NOT NULL REFERENCES players (id),
    joined_at     INTEGER NOT NULL,
    number        INTEGER, -- from 1, by the rating when it began; NULL: it has not begun
    rating        REAL    NOT NULL, -- when it began
    left_at       INTEGER, -- NULL: they take part
    PRIMARY KEY (contest, player)
) STRICT;
CREATE INDEX entrants_by_player ON entrants (player, contest);

-- Who is invited to a private cup.
CREATE TABLE cup_guests (
    contest       INTEGER NOT NULL REFERENCES contests (id),
    player        INTEGER NOT NULL REFERENCES players (id),
    PRIMARY KEY (contest, player)
) STRICT;
CREATE INDEX cup_guests_by_player ON cup_guests (player, contest);

-- Who plays whom in a contest: each game, and each bye.
CREATE TABLE pairings (
    id            INTEGER PRIMARY KEY,
    contest       INTEGER NOT NULL REFERENCES contests (id),
    round         INTEGER NOT NULL, -- from 1
    in_group      INTEGER NOT NULL, -- from 1; 0: in none
    first         INTEGER NOT NULL, -- the numbers of the entrants
    second        INTEGER, -- NULL: the first has a bye
    board         INTEGER UNIQUE REFERENCES boards (id), -- NULL: it has not begun
    ruling        TEXT, -- the operator's: first, second, draw, none, void; NULL: as the board ends
    ruled_at      INTEGER
) STRICT;
CREATE INDEX pairings_by_contest ON pairings (contest, id);
CREATE INDEX pairings_to_begin ON pairings (contest, id) WHERE board IS NULL AND second IS NOT NULL AND ruling IS NULL;

-- When somebody was on the ladder of a game.
CREATE TABLE ladder_members (
    id            INTEGER PRIMARY KEY,
    game          TEXT    NOT NULL,
    player        INTEGER NOT NULL REFERENCES players (id),
    joined_at     INTEGER NOT NULL,
    left_at       INTEGER -- NULL: they are on it
) STRICT;
CREATE INDEX ladder_members_by_game ON ladder_members (game, id);
CREATE INDEX ladder_members_by_player ON ladder_members (player, game);

-- The boards on which somebody plays for a place on a ladder: the second player has challenged the first.
CREATE TABLE ladder_boards (
    board         INTEGER PRIMARY KEY REFERENCES boards (id),
    game          TEXT    NOT NULL
) STRICT;
CREATE INDEX ladder_boards_by_game ON ladder_boards (game, board);

-- COMPUTERS

-- Advice that players have asked for and that is still to be thought about.
CREATE TABLE advice (
    id            INTEGER PRIMARY KEY,
    kind          TEXT    NOT NULL, -- hint, review
    board         INTEGER NOT NULL REFERENCES boards (id),
    player        INTEGER NOT NULL REFERENCES players (id),
    event         INTEGER NOT NULL, -- the position that it is for
    asked_at      INTEGER NOT NULL,
    UNIQUE (kind, board, player)
) STRICT;

-- The positions that computers have begun to think about since an unclean stop. One that was begun twice without an end is
-- left alone, as a message is (`begun`): it ends the program.
CREATE TABLE thoughts (
    board         INTEGER NOT NULL REFERENCES boards (id),
    event         INTEGER NOT NULL, -- the one that made the position
    begun         INTEGER NOT NULL, -- how often
    is_left       INTEGER NOT NULL DEFAULT 0, -- it is left alone, and the player has been told
    PRIMARY KEY (board, event)
) STRICT, WITHOUT ROWID;

-- MAIL THAT COMES IN

-- One row a message taken. What it said is kept with secrets masked, for 90 days.
CREATE TABLE inbox (
    id            INTEGER PRIMARY KEY,
    identity      BLOB    UNIQUE, -- the digest that a second copy would share; NULL: nothing to tell it by
    received_at   INTEGER NOT NULL,
    door          TEXT    NOT NULL,
    sender        TEXT,    -- the envelope sender; NULL: the null sender
    recipient     TEXT    NOT NULL,
    header_from   TEXT,
    message_id    TEXT,
    commands      TEXT    NOT NULL DEFAULT '',
    state         TEXT    NOT NULL, -- done, refused, ignored, dropped, failed
    reason        TEXT,
    proven        INTEGER NOT NULL DEFAULT 0 -- a password or a token showed who wrote
) STRICT;
-- Nearly all are done, and nobody looks for those by their state.
CREATE INDEX inbox_by_state ON inbox (state, id) WHERE state <> 'done';

-- The identities of messages whose rows are gone after 90 days, so that a copy is still known: the first 16 bytes of the digest.
CREATE TABLE remembered (
    digest        BLOB    PRIMARY KEY,
    inbox         INTEGER NOT NULL -- the number that the message had
) STRICT, WITHOUT ROWID;

-- Which messages were begun since an unclean stop, and how often: one that was begun twice is set aside.
CREATE TABLE begun (
    digest        BLOB    PRIMARY KEY,
    times         INTEGER NOT NULL,
    at            INTEGER NOT NULL
) STRICT;

-- What was counted for a limit, day by day. New counts come to the end, old ones go from the beginning.
CREATE TABLE tallies (
    day           INTEGER NOT NULL, -- a row is of no use the day after
    what          TEXT    NOT NULL, -- such as asked, challenged, said (crates/core/src/store/tallies.rs)
    key           TEXT    NOT NULL, -- by whom, or by whom to whom
    count         INTEGER NOT NULL,
    PRIMARY KEY (day, what, key)
) STRICT, WITHOUT ROWID;

-- MAIL THAT GOES OUT

-- A letter is stored once: what its text and its HTML are made of when it is sent (crates/core/src/letters/draft.rs). What only one state or a
-- few kinds of mails need is NULL in the others.
CREATE TABLE outbox (
    id            INTEGER PRIMARY KEY,
    kind          TEXT    NOT NULL, -- the letter's folder in templates/
    inbox         INTEGER REFERENCES inbox (id), -- the message that caused it
    player        INTEGER REFERENCES players (id),
    board         INTEGER REFERENCES boards (id),
    cause         INTEGER NOT NULL DEFAULT 0, -- the player who caused it; below zero: a source that proved nobody; they take turns
    is_unproven   INTEGER NOT NULL DEFAULT 0, -- an unproven message caused it: it is sent when no other mail is due
    is_watching   INTEGER NOT NULL DEFAULT 0, -- it comes because its reader watches
    is_last       INTEGER NOT NULL DEFAULT 0, -- it goes to somebody who is no player any more: nothing of it is kept

    recipient     TEXT    NOT NULL,
    recipient_key TEXT    NOT NULL,
    limit_key     TEXT,    -- one mailbox in all its spellings, as limits count it; NULL: a kind without a limit
    sender_name   TEXT    NOT NULL DEFAULT '', -- the name in From; empty: the name of the server
    subject       TEXT    NOT NULL,
    message_id    TEXT    NOT NULL UNIQUE,
    in_reply_to   TEXT,
    refs          TEXT    NOT NULL DEFAULT '', -- Message-IDs, blanks between
    is_reply      INTEGER NOT NULL,
    list          TEXT,
    reply_to      TEXT,    -- what the token in Reply-To is for: "confirm"; NULL: the plain address
    about         INTEGER, -- the number in that token
    unsubscribe   INTEGER, -- what an answer to its List-Unsubscribe ends: the number that the token there names
    letter        BLOB,    -- the packed draft; NULL: forgotten

    created_at    INTEGER NOT NULL,
    state         TEXT    NOT NULL, -- waiting, held, sent, failed, dropped
    -- What makes it needless if it comes within a minute: 0 nothing; 1 the letter with the answer of a computer takes the place of
    -- this receipt; 2 the same, and the mail had words for the computer; 3 its reader sees on a page what it shows.
    awaits        INTEGER NOT NULL DEFAULT 0,
    attempts      INTEGER NOT NULL DEFAULT 0,
    due_at        INTEGER NOT NULL,
    last_error    TEXT,
    settled_at    INTEGER
) STRICT;
CREATE INDEX outbox_by_thread ON outbox (board, recipient_key, id);
CREATE INDEX outbox_by_inbox ON outbox (inbox);
-- Nearly all are sent, and nobody looks for those by their state.
CREATE INDEX outbox_by_turn ON outbox (state, is_unproven, due_at, id) WHERE state <> 'sent';
CREATE INDEX outbox_by_cause ON outbox (state, is_unproven, cause, due_at, id) WHERE state <> 'sent';
CREATE INDEX outbox_awaiting ON outbox (board) WHERE awaits > 0 AND state = 'waiting';
-- What was sent in the last day is counted without a look at all that was ever sent.
CREATE INDEX outbox_by_settling ON outbox (settled_at, state) WHERE settled_at IS NOT NULL;
-- Of the mails to a mailbox those of a few kinds are counted for a limit; the others, nearly all, need no place here.
CREATE INDEX outbox_by_limit ON outbox (limit_key, kind, created_at)
    WHERE kind IN ('apology', 'dead', 'forgot', 'join', 'message', 'notdone', 'question');

-- Addresses whose owner told the mail provider that our mail is unwanted. The row goes when a mail comes from there.
CREATE TABLE complaints (
    address_key   TEXT    PRIMARY KEY,
    kind          TEXT    NOT NULL, -- the Feedback-Type of the report (RFC 5965, section 7.3), such as abuse
    at            INTEGER NOT NULL
) STRICT;

-- When the next of the daily mails is due; a row for each player who wants them.
CREATE TABLE digests (
    player        INTEGER PRIMARY KEY REFERENCES players (id),
    due_at        INTEGER NOT NULL,
    since         INTEGER NOT NULL -- when the last one was made: contests that have ended since stand in the next
) STRICT;
CREATE INDEX digests_by_due ON digests (due_at, player);

-- What happened on the boards of these players since the last one.
CREATE TABLE digest_news (
    id            INTEGER PRIMARY KEY,
    player        INTEGER NOT NULL REFERENCES players (id),
    board         INTEGER NOT NULL REFERENCES boards (id),
    sentence      TEXT    NOT NULL,
    said_by       TEXT, -- the userid of who wrote something with it
    said          TEXT
) STRICT;
CREATE INDEX digest_news_by_player ON digest_news (player, id);

-- The daily mails that can still be answered. Their tokens name them.
CREATE TABLE digest_letters (
    id            INTEGER PRIMARY KEY, -- stands in a token
    player        INTEGER NOT NULL REFERENCES players (id)
) STRICT;
CREATE INDEX digest_letters_by_player ON digest_letters (player, id);

-- The boards that each of them showed, as they stood then.
CREATE TABLE digest_boards (
    letter        INTEGER NOT NULL REFERENCES digest_letters (id),
    board         INTEGER NOT NULL REFERENCES boards (id),
    event         INTEGER NOT NULL, -- the board's newest
    is_waiting    INTEGER NOT NULL, -- for the reader's turn
    PRIMARY KEY (letter, board)
) STRICT, WITHOUT ROWID;

-- THE GAZETTE

-- Its issues by their numbers. One is planned as long as somebody reads it. Who plays is looked up when an issue is shown, so that
-- nobody is named who was erased or has the userid left out since.
CREATE TABLE gazettes (
    id            INTEGER PRIMARY KEY, -- from 1
    since         INTEGER NOT NULL, -- it tells of what happened after this
    due_at        INTEGER, -- when there is something to do for it; NULL: it is out
    is_sought     INTEGER NOT NULL DEFAULT 0, -- the game and the position are looked for since
    found_at      INTEGER, -- when that had ended; NULL: not yet
    published_at  INTEGER, -- NULL: it is planned
    -- The game of the week, and its turn that decided most; NULL: none was found.
    game          INTEGER REFERENCES boards (id),
    game_turn     INTEGER, -- from 1, over both players
    game_better   TEXT,    -- what would have been better
    game_lost     INTEGER, -- by how much, in thousandths of the expected result
    -- The position to solve; NULL: none was found.
    riddle        INTEGER REFERENCES boards (id),
    riddle_played INTEGER, -- how many turns of the board are played in it
    riddle_needs  INTEGER, -- in how many of its turns the player to move wins
    riddle_wins   TEXT     -- the first turns that do, a line each
) STRICT;
CREATE INDEX gazettes_by_due ON gazettes (due_at, id) WHERE due_at IS NOT NULL;

-- Who is still to be sent the newest issue.
CREATE TABLE gazette_posts (
    player        INTEGER PRIMARY KEY REFERENCES players (id),
    gazette       INTEGER NOT NULL REFERENCES gazettes (id),
    due_at        INTEGER NOT NULL
) STRICT;
CREATE INDEX gazette_posts_by_due ON gazette_posts (due_at, player);

-- The first answer of each reader to the position of an issue.
CREATE TABLE gazette_answers (
    gazette       INTEGER NOT NULL REFERENCES gazettes (id),
    player        INTEGER NOT NULL REFERENCES players (id),
    turn          TEXT    NOT NULL,
    is_right      INTEGER NOT NULL,
    at            INTEGER NOT NULL,
    PRIMARY KEY (gazette, player)
) STRICT, WITHOUT ROWID;
CREATE INDEX gazette_answers_by_player ON gazette_answers (player);

-- NOTES

-- What a player has written on a board for themselves. No letter to another player and no page of another player has it.
CREATE TABLE own_notes (
    player        INTEGER NOT NULL REFERENCES players (id),
    board         INTEGER NOT NULL REFERENCES boards (id),
    words         TEXT    NOT NULL,
    PRIMARY KEY (player, board)
) STRICT, WITHOUT ROWID;

-- Lines of turns that a player has kept, to look at again. They are as private as a note.
CREATE TABLE tries (
    player        INTEGER NOT NULL REFERENCES players (id),
    board         INTEGER NOT NULL REFERENCES boards (id),
    name          TEXT NOT NULL,
    begins_after  INTEGER NOT NULL,
    line          TEXT NOT NULL,
    PRIMARY KEY (player, board, name)
) STRICT, WITHOUT ROWID;

-- Where a player wants notices of turns. Nothing but a code goes there until the code has come back.
CREATE TABLE notice_targets (
    player        INTEGER PRIMARY KEY REFERENCES players (id),
    target        TEXT    NOT NULL, -- a web address, which is as good as a password there, or a mail address
    form          TEXT    NOT NULL, -- mail, text, json
    asked_at      INTEGER NOT NULL, -- the code is made of it
    is_on         INTEGER NOT NULL, -- the code has come back
    failures      INTEGER NOT NULL, -- in a row
    due_at        INTEGER  -- when the next one may be posted; NULL: none waits
) STRICT;
CREATE INDEX notice_targets_by_due ON notice_targets (due_at, player) WHERE due_at IS NOT NULL;

-- Boards that wait for a player, until a web address was told.
CREATE TABLE notices (
    player        INTEGER NOT NULL REFERENCES players (id),
    board         INTEGER NOT NULL REFERENCES boards (id),
    made_at       INTEGER NOT NULL,
    PRIMARY KEY (player, board)
) STRICT, WITHOUT ROWID;

-- What its players have written on the turns of a finished game: both read it, and everybody once both have agreed.
CREATE TABLE turn_comments (
    board         INTEGER NOT NULL REFERENCES boards (id),
    ordinal       INTEGER NOT NULL, -- the turn, from 1, over both players
    player        INTEGER NOT NULL REFERENCES players (id),
    words         TEXT    NOT NULL,
    written_at    INTEGER NOT NULL,
    PRIMARY KEY (board, ordinal, player)
) STRICT, WITHOUT ROWID;
CREATE INDEX turn_comments_by_player ON turn_comments (player);

-- Who has agreed that everybody may read them.
CREATE TABLE open_comments (
    player        INTEGER NOT NULL REFERENCES players (id),
    board         INTEGER NOT NULL REFERENCES boards (id),
    PRIMARY KEY (player, board)
) STRICT, WITHOUT ROWID;

-- What a player has written on another for themselves: as private as a note on a board.
CREATE TABLE player_notes (
    player        INTEGER NOT NULL REFERENCES players (id),
    other         INTEGER NOT NULL REFERENCES players (id),
    words         TEXT    NOT NULL,
    PRIMARY KEY (player, other)
) STRICT, WITHOUT ROWID;
CREATE INDEX player_notes_by_other ON player_notes (other);
