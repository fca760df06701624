-- The name in From, which says what the letter is about; empty: the name of the server.
ALTER TABLE outbox ADD COLUMN sender_name TEXT NOT NULL DEFAULT '';
-- Whether the subjects of a board's letters say the news; otherwise they stay the same.
ALTER TABLE preferences ADD COLUMN news_subjects INTEGER NOT NULL DEFAULT 0;
