-- The turns of a board stand together, in the order in which they were played. Before, each stood where the table ended when it
-- was played, and an index led to it: to read a game of forty turns took forty pages, and to write one took two.
CREATE TABLE turns_now (
    board         INTEGER NOT NULL REFERENCES boards (id),
    ordinal       INTEGER NOT NULL, -- from 1, over both players
    seat          INTEGER NOT NULL, -- 0 the first player, 1 the second
    turn          TEXT    NOT NULL,
    played_at     INTEGER NOT NULL,
    event         INTEGER NOT NULL DEFAULT 0, -- 0: played before events were numbered
    PRIMARY KEY (board, ordinal)
) STRICT, WITHOUT ROWID;
INSERT INTO turns_now (board, ordinal, seat, turn, played_at, event)
    SELECT board, ordinal, seat, turn, played_at, event FROM turns ORDER BY board, ordinal;
DROP TABLE turns;
ALTER TABLE turns_now RENAME TO turns;

-- What is counted for limits stands in the order of days: new counts come to its end, old ones go from its beginning, and no other
-- index is needed. Before, each count stood in three places.
CREATE TABLE tallies_now (
    day           INTEGER NOT NULL, -- UTC, since 1970; a row is of no use the day after
    what          TEXT    NOT NULL, -- asked, challenged, said
    key           TEXT    NOT NULL, -- by whom, or by whom to whom
    count         INTEGER NOT NULL,
    PRIMARY KEY (day, what, key)
) STRICT, WITHOUT ROWID;
INSERT INTO tallies_now (day, what, key, count) SELECT day, what, key, count FROM tallies ORDER BY day, what, key;
DROP TABLE tallies;
ALTER TABLE tallies_now RENAME TO tallies;
