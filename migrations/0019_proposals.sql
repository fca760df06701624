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
INSERT INTO numbers (name, next) VALUES ('proposals', 1);
