-- What the operator has changed by hand, and why.
CREATE TABLE audit (
    id            INTEGER PRIMARY KEY,
    at            INTEGER NOT NULL,
    who           TEXT    NOT NULL, -- the account on the machine
    verb          TEXT    NOT NULL, -- "board end", "user disable"
    about         TEXT    NOT NULL, -- "Pow2 101", "alice"
    what          TEXT    NOT NULL, -- in a sentence; no secret
    why           TEXT    NOT NULL
) STRICT;
CREATE INDEX audit_by_about ON audit (about, id);

-- Since when the operator keeps an account closed; NULL: open.
ALTER TABLE players ADD COLUMN disabled_at INTEGER;
