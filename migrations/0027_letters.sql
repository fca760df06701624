-- A letter is stored once: what its text and its HTML are made of when it is sent (src/letters/draft.rs). Letters from before
-- keep the text that they have, as a part of that. What only one state or a few kinds of mails need is NULL in the others.
CREATE TABLE outbox_now (
    id            INTEGER PRIMARY KEY,
    inbox         INTEGER REFERENCES inbox (id), -- the message that caused it
    kind          TEXT    NOT NULL, -- the letter's folder in templates/
    player        INTEGER REFERENCES players (id),
    board         INTEGER REFERENCES boards (id),
    about         INTEGER, -- the number in the token of Reply-To
    recipient     TEXT    NOT NULL,
    recipient_key TEXT    NOT NULL,
    limit_key     TEXT,    -- the recipient as limits count it: one mailbox in all its spellings; NULL: a kind without a limit
    message_id    TEXT    NOT NULL UNIQUE,
    in_reply_to   TEXT,
    refs          TEXT    NOT NULL DEFAULT '', -- Message-IDs, blanks between
    is_reply      INTEGER NOT NULL,
    list          TEXT,
    reply_to      TEXT,    -- what the token in Reply-To is for: "confirm"; NULL: the plain address
    unsubscribe   INTEGER, -- what an answer to its List-Unsubscribe ends: the number that the token there names
    is_watching   INTEGER NOT NULL DEFAULT 0, -- it comes because its reader watches
    is_unproven   INTEGER NOT NULL DEFAULT 0, -- an unproven message caused it: it is sent when no other mail is due
    sender_name   TEXT    NOT NULL DEFAULT '', -- the name in From; empty: the name of the server
    subject       TEXT    NOT NULL,
    created_at    INTEGER NOT NULL,
    state         TEXT    NOT NULL, -- waiting, held, sent, failed, dropped
    attempts      INTEGER NOT NULL DEFAULT 0,
    due_at        INTEGER NOT NULL,
    last_error    TEXT,
    settled_at    INTEGER,
    letter        BLOB     -- the packed draft; NULL: forgotten
) STRICT;

INSERT INTO outbox_now
    SELECT id, inbox, kind, player, board, about, recipient, recipient_key,
        CASE WHEN kind IN ('apology', 'dead', 'forgot', 'message', 'notdone', 'question') THEN limit_key END,
        message_id, in_reply_to, refs, is_reply, list, reply_to, unsubscribe, is_watching, is_unproven, sender_name, subject,
        created_at, state, attempts, due_at, last_error, settled_at,
        CASE WHEN body <> '' THEN CAST(json_object(
            'facts', json(COALESCE(facts, '{}')),
            'width', 72,
            'has_html', json(iif(facts IS NULL, 'false', 'true')),
            'has_text_board', json(iif(facts ->> '$.with_text_board', 'true', 'false')),
            'notice', COALESCE(facts ->> '$.notice', ''),
            'record', picture,
            'attachment', json(iif(attachment IS NULL, 'null', json_array(attachment_name, attachment))),
            'text', body
        ) AS BLOB) END
    FROM outbox ORDER BY id;
DROP TABLE outbox;
ALTER TABLE outbox_now RENAME TO outbox;

CREATE INDEX outbox_by_thread ON outbox (board, recipient_key, id);
CREATE INDEX outbox_by_inbox ON outbox (inbox);
-- Nearly all are sent, and nobody looks for those by their state.
CREATE INDEX outbox_by_turn ON outbox (state, is_unproven, due_at, id) WHERE state <> 'sent';
CREATE INDEX outbox_by_settling ON outbox (settled_at, state) WHERE settled_at IS NOT NULL;
CREATE INDEX outbox_by_limit ON outbox (limit_key, kind, created_at)
    WHERE kind IN ('apology', 'dead', 'forgot', 'message', 'notdone', 'question');

-- So are messages that were carried out.
DROP INDEX inbox_by_state;
CREATE INDEX inbox_by_state ON inbox (state, id) WHERE state <> 'done';
