-- How a player wants their mail; truth values are 0 and 1.
CREATE TABLE preferences (
    player        INTEGER PRIMARY KEY REFERENCES players (id),
    html          INTEGER NOT NULL,
    picture       INTEGER NOT NULL,
    reminders     INTEGER NOT NULL,
    digest        INTEGER NOT NULL, -- one mail a day in the place of all news
    broadcasts    INTEGER NOT NULL,
    width         INTEGER NOT NULL  -- columns of prose
) STRICT;
