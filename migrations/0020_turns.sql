-- Mail that unproven messages cause is sent when no other mail is due.
ALTER TABLE outbox ADD COLUMN is_unproven INTEGER NOT NULL DEFAULT 0;
DROP INDEX outbox_by_due;
CREATE INDEX outbox_by_turn ON outbox (state, is_unproven, due_at, id);
