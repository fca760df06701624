-- The zone of the player's times, as in the tz database; empty: UTC. And whether the userid is left out of the pages for everybody.
ALTER TABLE preferences ADD COLUMN zone TEXT NOT NULL DEFAULT '';
ALTER TABLE preferences ADD COLUMN is_hidden INTEGER NOT NULL DEFAULT 0;

-- The ratings of both players after the game, for the chart of a player. The ratings are counted again, which fills them in.
ALTER TABLE rated ADD COLUMN first_after REAL NOT NULL DEFAULT 0;
ALTER TABLE rated ADD COLUMN second_after REAL NOT NULL DEFAULT 0;
DELETE FROM notes WHERE name = 'ratings';
