-- What the HTML part of a waiting mail is made of when it is sent; NULL once it was, or if it is plain text alone.
ALTER TABLE outbox ADD COLUMN facts TEXT; -- the letter's struct, as JSON
ALTER TABLE outbox ADD COLUMN picture TEXT; -- the record of the game as it stood, of which a picture is drawn
-- What an answer to its List-Unsubscribe ends: the number that the token there names.
ALTER TABLE outbox ADD COLUMN unsubscribe INTEGER;
