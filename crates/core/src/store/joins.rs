//! People who were asked under which name they want to play.

use chrono::{DateTime, Utc};
use pbmserv_games::Game;

use crate::table::{GuestGame, PlayerId};
use pbmserv_mail::Address;

use super::numbers::Numbered;
use super::value::ToValue;
use super::{Error, Reader, Result, Store};

/// For how many days the question can be answered, and a mailbox is not asked again because of a mail.
pub const JOIN_DAYS: i64 = 30;

/// A question under which name somebody wants to play.
#[derive(Clone, Debug)]
pub struct Join {
    /// The number in the token of the letter.
    pub id: i64,
    /// Where the letter went, and the address of the account.
    pub address: Address,
    /// The name that the letter proposes.
    pub userid: String,
    /// Who has invited them, and to what.
    pub invited: Option<InvitedTo>,
    pub asked_at: DateTime<Utc>,
    /// Who has joined.
    pub player: Option<PlayerId>,
}

/// The game that somebody is invited to.
#[derive(Clone, Debug)]
pub struct InvitedTo {
    pub by: PlayerId,
    pub game: &'static Game,
    /// The options of the challenge, blanks between.
    pub options: String,
}

impl Reader {
    /// The question with this number.
    pub fn join(&self, id: i64) -> Result<Option<Join>> {
        let sql =
            "SELECT id, address, userid, asked_at, player, inviter, game, options FROM joins WHERE id = $1";
        self.db.find(sql, &[&id], |row| {
            let address = Address::parse(row.get(1)?);
            let game = row.get::<Option<&str>>(6)?.and_then(pbmserv_games::find);
            let options: String = row.get(7)?;
            let invited = row.get::<Option<_>>(5)?.zip(game);
            Ok(Join {
                id,
                address: address.map_err(|_| Error::Corrupt(format!("join row {id} has no address")))?,
                userid: row.get(2)?,
                invited: invited.map(|(by, game)| InvitedTo { by, game, options }),
                asked_at: row.get(3)?,
                player: row.get(4)?,
            })
        })
    }

    /// The game that its player has begun on a page, and whose board has not begun.
    pub fn kept_game(&self, join: i64) -> Result<Option<GuestGame>> {
        let sql = "SELECT game, turns FROM joins WHERE id = $1 AND turns IS NOT NULL";
        let found = self.db.find(sql, &[&join], |row| {
            let game = row.get::<Option<&str>>(0)?.and_then(pbmserv_games::find);
            Ok(game.and_then(|game| GuestGame::read(game, row.get(1).ok()?, None)))
        })?;
        Ok(found.flatten())
    }

    /// The number of the newest question to a mailbox.
    pub fn newest_join(&self, address: &Address) -> Result<Option<i64>> {
        let sql = "SELECT MAX(id) FROM joins WHERE limit_key = $1";
        self.db.one(sql, &[&address.limit_key()], |row| row.get(0))
    }

    /// How many questions went to a mailbox since a time, but for invitations.
    pub fn joins_since(&self, address: &Address, since: DateTime<Utc>) -> Result<u32> {
        let sql = "SELECT COUNT(*) FROM joins WHERE limit_key = $1 AND asked_at > $2 AND inviter IS NULL";
        self.db
            .one(sql, &[&address.limit_key(), &since], |row| row.get(0))
    }
}

impl Reader {
    /// How many people a player has invited since a time.
    pub fn invited_since(&self, inviter: PlayerId, since: DateTime<Utc>) -> Result<u32> {
        let sql = "SELECT COUNT(*) FROM joins WHERE inviter = $1 AND asked_at > $2";
        self.db.one(sql, &[&inviter, &since], |row| row.get(0))
    }

    /// Whether nobody may invite the mailbox with this hash now.
    pub fn is_uninvited(&self, hash: &str, now: DateTime<Utc>) -> Result<bool> {
        let sql = "SELECT EXISTS (SELECT 1 FROM uninvited WHERE hash = $1 AND (until IS NULL OR until > $2))";
        self.db.one(sql, &[&hash, &now], |row| row.get(0))
    }

    /// Whether a player has finished a game, or played so many turns.
    pub fn has_played(&self, player: PlayerId, turns: i64) -> Result<bool> {
        // The sum of whole numbers is a decimal one in PostgreSQL.
        let of_seat = |seat: &str, own: &str| -> Result<(bool, i64)> {
            let sql = format!(
                "SELECT COALESCE(MAX(CASE WHEN result IN ('first', 'second', 'draw') THEN 1 ELSE 0 END), 0), \
                 CAST(COALESCE(SUM({own}), 0) AS BIGINT) FROM boards WHERE {seat} = $1"
            );
            self.db
                .one(&sql, &[&player], |row| Ok((row.get::<i64>(0)? > 0, row.get(1)?)))
        };
        let (is_over, first) = of_seat("first_player", "(turns + 1) / 2")?;
        let (has_ended, second) = of_seat("second_player", "turns / 2")?;
        Ok(is_over || has_ended || first + second >= turns)
    }
}

impl Store {
    /// Notes that nobody may invite the mailbox with this hash, until a time or for ever.
    pub fn uninvite(&self, hash: &str, until: Option<DateTime<Utc>>) -> Result<()> {
        let sql = "INSERT INTO uninvited (hash, until) VALUES ($1, $2) ON CONFLICT (hash) DO UPDATE SET until = \
                   CASE WHEN uninvited.until IS NULL THEN NULL ELSE excluded.until END";
        self.db.write(sql, &[&hash, &until])?;
        Ok(())
    }

    /// Notes that somebody is asked. The letter finds the row as the newest of the mailbox.
    pub fn add_join(
        &self,
        address: &Address,
        userid: &str,
        invited: Option<&InvitedTo>,
        now: DateTime<Utc>,
    ) -> Result<()> {
        let id = self.next_number_of(Numbered::Joins)?;
        let sql = "INSERT INTO joins (id, address, limit_key, userid, asked_at, inviter, game, options) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
        let by = invited.map(|invited| invited.by);
        let game = invited.map(|invited| invited.game.facts.name);
        let options = invited.map_or("", |invited| &invited.options);
        let (address, key) = (address.as_str(), address.limit_key());
        let values: [&dyn ToValue; 8] = [&id, &address, &key, &userid, &now, &by, &game, &options];
        self.db.write(sql, &values)?;
        Ok(())
    }

    /// Keeps a game with the newest question to a mailbox, whose reader may be a player already.
    pub fn keep_game(&self, address: &Address, game: &GuestGame, player: Option<PlayerId>) -> Result<()> {
        let sql = "UPDATE joins SET game = $1, turns = $2, player = $3 \
                   WHERE id = (SELECT MAX(id) FROM joins WHERE limit_key = $4)";
        let values: [&dyn ToValue; 4] = [&game.game.facts.name, &game.text(), &player, &address.limit_key()];
        self.db.write(sql, &values)?;
        Ok(())
    }

    /// Proposes another name in a question.
    pub fn propose_name(&self, join: i64, userid: &str) -> Result<()> {
        let sql = "UPDATE joins SET userid = $1 WHERE id = $2";
        self.db.write(sql, &[&userid, &join])?;
        Ok(())
    }

    /// Notes that the game of a question has begun.
    pub fn game_has_begun(&self, join: i64) -> Result<()> {
        let sql = "UPDATE joins SET game = NULL WHERE id = $1";
        self.db.write(sql, &[&join])?;
        Ok(())
    }

    /// Notes who has joined by a question.
    pub fn has_joined(&self, join: i64, player: PlayerId) -> Result<()> {
        let sql = "UPDATE joins SET player = $1 WHERE id = $2";
        self.db.write(sql, &[&player, &join])?;
        Ok(())
    }
}
