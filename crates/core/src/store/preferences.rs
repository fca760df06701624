//! The players' mail preferences.

use chrono_tz::Tz;

use crate::table::{PlayerId, Preferences};

use super::memo::Rows;
use super::{Reader, Result, Store};

impl Reader {
    /// The player's mail preferences.
    pub fn preferences(&self, player: PlayerId) -> Result<Preferences> {
        let sql = "SELECT html, picture, both_boards, reminders, digest, broadcasts, width, news_subjects, \
                   zone, is_hidden, shows_address, gazette, is_named, quiet, reminder_days, \
                   has_automatic_vacation, plays_forced FROM preferences \
                   WHERE player = $1";
        self.db.memo.once(Rows::Preferences, player, |player| {
            let found = self.db.find(sql, &[player], |row| {
                Ok(Preferences {
                    html: row.get(0)?,
                    picture: row.get(1)?,
                    both_boards: row.get(2)?,
                    reminders: row.get(3)?,
                    digest: row.get(4)?,
                    broadcasts: row.get(5)?,
                    width: row.get(6)?,
                    news_subjects: row.get(7)?,
                    // A zone that a later table of zones no longer has counts as UTC.
                    zone: row.get::<&str>(8)?.parse().unwrap_or(Tz::UTC),
                    is_hidden: row.get(9)?,
                    shows_address: row.get(10)?,
                    gazette: row.get(11)?,
                    is_named: row.get(12)?,
                    quiet: row.get(13)?,
                    reminder_days: row.get(14)?,
                    has_automatic_vacation: row.get(15)?,
                    plays_forced: row.get(16)?,
                })
            })?;
            Ok(found.unwrap_or_default())
        })
    }

    /// The zone of the times that this player reads; UTC for everybody.
    pub fn zone(&self, reader: Option<PlayerId>) -> Result<Tz> {
        match reader {
            Some(player) => Ok(self.preferences(player)?.zone),
            None => Ok(Tz::UTC),
        }
    }
}

impl Store {
    /// Stores the player's mail preferences.
    pub fn set_preferences(&self, player: PlayerId, wanted: &Preferences) -> Result<()> {
        let sql = "INSERT INTO preferences (player, html, picture, both_boards, reminders, digest, broadcasts, width, \
                   news_subjects, zone, is_hidden, shows_address, gazette, is_named, quiet, reminder_days, has_automatic_vacation, \
                   plays_forced) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18) \
                   ON CONFLICT (player) DO UPDATE SET html = excluded.html, picture = excluded.picture, \
                   both_boards = excluded.both_boards, reminders = excluded.reminders, digest = excluded.digest, broadcasts = excluded.broadcasts, \
                   width = excluded.width, news_subjects = excluded.news_subjects, \
                   zone = excluded.zone, is_hidden = excluded.is_hidden, shows_address = excluded.shows_address, \
                   gazette = excluded.gazette, is_named = excluded.is_named, \
                   quiet = excluded.quiet, reminder_days = excluded.reminder_days, \
                   has_automatic_vacation = excluded.has_automatic_vacation, plays_forced = excluded.plays_forced";
        self.db.write(
            sql,
            &[
                &player,
                &wanted.html,
                &wanted.picture,
                &wanted.both_boards,
                &wanted.reminders,
                &wanted.digest,
                &wanted.broadcasts,
                &wanted.width,
                &wanted.news_subjects,
                &wanted.zone.name(),
                &wanted.is_hidden,
                &wanted.shows_address,
                &wanted.gazette,
                &wanted.is_named,
                &wanted.quiet.to_string(),
                &wanted.reminder_days.to_string(),
                &wanted.has_automatic_vacation,
                &wanted.plays_forced,
            ],
        )?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use chrono::Utc;

    use super::*;
    use crate::store::NewPlayer;
    use crate::store::place_of_tests::place;

    #[test]
    fn set_preferences_are_read_back_and_the_others_keep_their_defaults() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(place(folder.path())).unwrap();
        let player = NewPlayer {
            userid: "alice".into(),
            password_hash: "hash".into(),
            created_at: Utc::now(),
        };
        let alice = store.add_player(&player).unwrap();
        assert_eq!(store.preferences(alice).unwrap(), Preferences::default());
        for wanted in [
            Preferences {
                both_boards: true,
                digest: true,
                width: 40,
                quiet: "Sat Sun".parse().unwrap(),
                reminder_days: "7 3".parse().unwrap(),
                ..Preferences::default()
            },
            Preferences {
                html: false,
                picture: false,
                reminders: false,
                broadcasts: false,
                news_subjects: true,
                zone: Tz::Europe__Lisbon,
                is_hidden: true,
                gazette: true,
                is_named: true,
                has_automatic_vacation: true,
                plays_forced: false,
                ..Preferences::default()
            },
        ] {
            store.set_preferences(alice, &wanted).unwrap();
            assert_eq!(store.preferences(alice).unwrap(), wanted);
        }
    }
}
