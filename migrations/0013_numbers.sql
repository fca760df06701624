-- Numbers that stand in tokens are never given twice: not to another row after the first has been removed, and
-- not again after a backup was restored that does not know them.
CREATE TABLE numbers (
    name          TEXT    PRIMARY KEY, -- players, addresses, boards
    next          INTEGER NOT NULL
) STRICT;
INSERT INTO numbers (name, next) SELECT 'players', COALESCE(MAX(id), 0) + 1 FROM players;
INSERT INTO numbers (name, next) SELECT 'addresses', COALESCE(MAX(id), 0) + 1 FROM addresses;
INSERT INTO numbers (name, next) SELECT 'boards', COALESCE(MAX(id), 0) + 1 FROM boards;
