-- The identities of messages whose rows are gone after 90 days, so that a copy is still known: the first 16 bytes of the digest.
CREATE TABLE remembered (
    digest        BLOB    PRIMARY KEY,
    inbox         INTEGER NOT NULL -- the number that the message had
) STRICT, WITHOUT ROWID;

-- What is old is found in the order of the numbers.
DROP INDEX IF EXISTS inbox_with_text;
