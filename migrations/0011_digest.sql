-- When the next of the daily mails is due; a row for each player who wants them.
CREATE TABLE digests (
    player        INTEGER PRIMARY KEY REFERENCES players (id),
    due_at        INTEGER NOT NULL
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
