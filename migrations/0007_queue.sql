-- The turns that a player has queued, one a line, to be played one after the other when it becomes their turn.
-- Who is to move has none, so that a board holds those of one player only. The other player never sees them.
ALTER TABLE boards ADD COLUMN queue TEXT; -- NULL: nothing
ALTER TABLE boards ADD COLUMN queue_by INTEGER; -- 0 the first player, 1 the second
-- The turn that the player to move has been shown, and that the word confirm plays; any other turn clears it.
ALTER TABLE boards ADD COLUMN submitted TEXT; -- NULL: nothing
