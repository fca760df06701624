-- The events of a board are numbered, and a letter knows the newest: an answer to an older letter is not played. All
-- letters sent before have no number.
ALTER TABLE boards ADD COLUMN position_event INTEGER NOT NULL DEFAULT 1;  -- the last turn, played or taken back
ALTER TABLE boards ADD COLUMN offer_event INTEGER NOT NULL DEFAULT 0;     -- the newest offer
ALTER TABLE boards ADD COLUMN submitted_event INTEGER NOT NULL DEFAULT 0; -- the newest submitted turn
ALTER TABLE boards ADD COLUMN restored_event INTEGER NOT NULL DEFAULT 0;  -- restored from a backup
ALTER TABLE turns ADD COLUMN event INTEGER NOT NULL DEFAULT 0;            -- 0: played before events were numbered
