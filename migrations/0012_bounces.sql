-- On how many different days (UTC) mail to an address failed for good, and the last of them in days since 1970. Both
-- go when a mail comes from it.
ALTER TABLE addresses ADD COLUMN failed_days INTEGER NOT NULL DEFAULT 0;
ALTER TABLE addresses ADD COLUMN failed_on INTEGER;

-- What was counted for a limit, day by day (UTC, in days since 1970); a row is of no use the day after.
CREATE TABLE tallies (
    what          TEXT    NOT NULL, -- asked, challenged, said
    key           TEXT    NOT NULL, -- by whom, or by whom to whom
    day           INTEGER NOT NULL,
    count         INTEGER NOT NULL,
    PRIMARY KEY (what, key, day)
) STRICT;
CREATE INDEX tallies_by_day ON tallies (day);

-- The recipient as limits count it: one mailbox in all its spellings.
ALTER TABLE outbox ADD COLUMN limit_key TEXT;
DROP INDEX outbox_by_recipient;
CREATE INDEX outbox_by_limit ON outbox (limit_key, created_at);

-- What is emptied after 90 days is found without a look at all that was emptied before.
CREATE INDEX inbox_with_text ON inbox (received_at) WHERE commands <> '' OR header_from IS NOT NULL;
CREATE INDEX outbox_with_text ON outbox (created_at) WHERE body <> '';
