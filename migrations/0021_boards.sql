-- Whether HTML with a picture has the board as text too.
ALTER TABLE preferences ADD COLUMN both_boards INTEGER NOT NULL DEFAULT 0;
