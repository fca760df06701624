-- The links of a player to the pages are keys. This many times the player has had new ones, which made the earlier ones invalid.
CREATE TABLE page_links (
    player        INTEGER PRIMARY KEY REFERENCES players (id),
    renewed       INTEGER NOT NULL
) STRICT;
