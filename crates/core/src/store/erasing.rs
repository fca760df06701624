//! Erasing an account: what names its player goes from every row at once.
//!
//! What stays: counts of a mailbox, until the day is over; the row of the player, under a name that nobody can have, since boards refer to it; keyed hashes of addresses that
//! are never written to again; and, until they are forgotten, the mails of others that name the player.

use chrono::{DateTime, Utc};

use crate::table::PlayerId;

use super::{Result, Store};

/// Stands in the audit log where a name or an address was.
const ERASED: &str = "erased";

/// What belongs to the player alone.
const OWN_ROWS: [&str; 28] = [
    "DELETE FROM complaints WHERE address_key IN (SELECT address_key FROM addresses WHERE player = $1)",
    "DELETE FROM addresses WHERE player = $1",
    "DELETE FROM displays WHERE player = $1",
    "DELETE FROM preferences WHERE player = $1",
    "DELETE FROM page_links WHERE player = $1",
    "DELETE FROM digests WHERE player = $1",
    "DELETE FROM digest_news WHERE player = $1",
    "DELETE FROM digest_boards WHERE letter IN (SELECT id FROM digest_letters WHERE player = $1)",
    "DELETE FROM digest_letters WHERE player = $1",
    "DELETE FROM guesses WHERE player = $1",
    "DELETE FROM vacations WHERE player = $1",
    "DELETE FROM blocks WHERE player = $1",
    "DELETE FROM blocks WHERE blocked = $1",
    "DELETE FROM taking WHERE player = $1",
    "DELETE FROM league_members WHERE player = $1",
    "DELETE FROM cup_guests WHERE player = $1",
    "DELETE FROM proposals WHERE player = $1 OR opponent = $1",
    "DELETE FROM advice WHERE player = $1",
    "DELETE FROM joins WHERE player = $1 OR inviter = $1",
    "DELETE FROM gazette_posts WHERE player = $1",
    "DELETE FROM gazette_answers WHERE player = $1",
    "DELETE FROM own_notes WHERE player = $1",
    "DELETE FROM tries WHERE player = $1",
    "DELETE FROM notices WHERE player = $1",
    "DELETE FROM notice_targets WHERE player = $1",
    "DELETE FROM player_notes WHERE player = $1 OR other = $1",
    "DELETE FROM turn_comments WHERE player = $1",
    "DELETE FROM open_comments WHERE player = $1",
];

/// The letters to the player. Their numbers are not given out again, since a bounce names its mail by the number; and those of
/// some kinds count for the limits of the mailbox, whoever has it.
const LETTERS_TO_THEM: &str = "UPDATE outbox SET sender_name = '', subject = '', recipient = '', recipient_key = '', letter = NULL, \
    settled_at = COALESCE(settled_at, created_at), \
    state = CASE WHEN state IN ('waiting', 'held') THEN 'dropped' ELSE state END \
    WHERE player = $1 AND is_last = 0";

/// What letters about the player's boards say of them.
const LETTERS_OF_BOARDS: &str = "UPDATE outbox SET sender_name = '', letter = NULL \
    WHERE state NOT IN ('waiting', 'held') \
    AND board IN (SELECT id FROM boards WHERE first_player = $1 OR second_player = $1)";

/// The letters to others whose subject or sender names the player.
const LETTERS_THAT_NAME: &str = "UPDATE outbox SET sender_name = '', subject = '', letter = NULL \
    WHERE state NOT IN ('waiting', 'held') \
    AND (' ' || lower(subject) || ' ' LIKE $1 ESCAPE '!' OR ' ' || lower(sender_name) || ' ' LIKE $1 ESCAPE '!')";

impl Store {
    /// Erases a player at their wish, or the operator's: nothing names them any more.
    pub fn erase_player(&self, player: PlayerId, now: DateTime<Utc>) -> Result<()> {
        let mut names: Vec<String> = Vec::new();
        for row in self.addresses(player)? {
            names.push(row.address.as_str().to_ascii_lowercase());
        }
        self.forget_messages(&names)?;
        if let Some(known) = self.player_by_id(player)? {
            let userid = known.userid.to_ascii_lowercase();
            let sql = "DELETE FROM digest_news WHERE lower(said_by) = $1";
            self.db.write(sql, &[&userid])?;
            // Who was named in a command of anybody's.
            let sql = "UPDATE inbox SET commands = '' WHERE ' ' || lower(commands) || ' ' LIKE $1 ESCAPE '!'";
            let pattern = format!("% {} %", userid.replace('_', "!_"));
            self.db.write(sql, &[&pattern])?;
            self.db.write(LETTERS_THAT_NAME, &[&pattern])?;
            names.push(userid);
        }
        self.forget_in_audit(&names)?;
        for sql in [LETTERS_OF_BOARDS, LETTERS_TO_THEM] {
            self.db.write(sql, &[&player])?;
        }
        self.delete_player(player, now)?;
        self.db.erases();
        Ok(())
    }

    /// Removes the userid, password, addresses and settings of a player. The row stays, because boards refer to it. It
    /// gets a userid that no new account can take. Mails are kept for their time.
    pub fn delete_player(&self, player: PlayerId, now: DateTime<Utc>) -> Result<()> {
        for sql in OWN_ROWS {
            self.db.write(sql, &[&player])?;
        }
        self.end_interest(player)?;
        let sql = "UPDATE players SET userid = $1, userid_key = $1, password_hash = '', away_since = NULL, \
                   deleted_at = $2, expires_at = NULL, generation = generation + 1 WHERE id = $3";
        self.db.write(sql, &[&player.erased_userid(), &now, &player])
    }

    /// Takes the sender off the messages that came from these addresses. The rows stay, so that a second copy is known.
    fn forget_messages(&self, addresses: &[String]) -> Result<()> {
        for address in addresses {
            let sql = "UPDATE inbox SET sender = $1, header_from = NULL, message_id = NULL, commands = '', reason = NULL \
                       WHERE lower(sender) = $2 OR lower(header_from) = $2";
            self.db.write(sql, &[&ERASED, address])?;
        }
        Ok(())
    }

    /// Puts a word in the place of these names wherever they stand in the audit log.
    fn forget_in_audit(&self, names: &[String]) -> Result<()> {
        let rows = self
            .db
            .all("SELECT id, about, what, why FROM audit", &[], |row| {
                Ok((
                    row.get::<i64>(0)?,
                    [row.get::<String>(1)?, row.get(2)?, row.get(3)?],
                ))
            })?;
        for (id, texts) in rows {
            let [about, what, why] = texts.each_ref().map(|text| without(text, names));
            if [&about, &what, &why] != texts.each_ref() {
                let sql = "UPDATE audit SET about = $1, what = $2, why = $3 WHERE id = $4";
                self.db.write(sql, &[&about, &what, &why, &id])?;
            }
        }
        Ok(())
    }
}

/// A text with [`ERASED`] in the place of each of these words, which are in lower case.
fn without(text: &str, words: &[String]) -> String {
    let is_part = |c: char| c.is_alphanumeric() || "@.+-_".contains(c);
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(begin) = rest.find(is_part) {
        out.push_str(&rest[..begin]);
        rest = &rest[begin..];
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        // A sentence may end behind it.
        let bare = word.trim_end_matches('.');
        match words.iter().any(|known| *known == bare.to_lowercase()) {
            true => out.push_str(&format!("{ERASED}{}", &word[bare.len()..])),
            false => out.push_str(word),
        }
        rest = after;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::without;

    #[test]
    fn a_name_is_replaced_as_a_whole_word() {
        let words = ["al".to_owned(), "al@example.org".to_owned()];
        assert_eq!(
            without("Al asked (al@example.org), finally: al.", &words),
            "erased asked (erased), finally: erased."
        );
        assert_eq!(without("the final answer", &words), "the final answer");
    }
}
