-- Of the mails to a mailbox those of a few kinds are counted for a limit; the others, nearly all, need no place here.
DROP INDEX outbox_by_limit;
CREATE INDEX outbox_by_limit ON outbox (limit_key, kind, created_at)
    WHERE kind IN ('apology', 'dead', 'forgot', 'message', 'notdone', 'question');
