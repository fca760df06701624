-- What one player has offered the other and the other has not answered yet.
ALTER TABLE boards ADD COLUMN offer TEXT; -- draw, undo; NULL: nothing
ALTER TABLE boards ADD COLUMN offer_by INTEGER; -- 0 the first player, 1 the second
