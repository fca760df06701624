//! People who were asked under which name they want to play.

use chrono::{DateTime, Utc};

use crate::table::{GuestGame, PlayerId};
use pbmserv_mail::Address;

use super::numbers::Numbered;
use super::value::ToValue;
use super::{Error, Reader, Result, Store};

/// For how many days the question can be answered, and a mailbox is not asked again because of a mail.
pub const JOIN_DAYS: i64 = 30;

/// A question under which name somebody wants to play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Join {
    /// The number in the token of the letter.
    pub id: i64,
    /// Where the letter went, and the address of the account.
    pub address: Address,
    /// The name that the letter proposes.
    pub userid: String,
    pub asked_at: DateTime<Utc>,
    /// Who has joined.
    pub player: Option<PlayerId>,
}

impl Reader {
    /// The question with this number.
    pub fn join(&self, id: i64) -> Result<Option<Join>> {
        let sql = "SELECT id, address, userid, asked_at, player FROM joins WHERE id = $1";
        self.db.find(sql, &[&id], |row| {
            let address = Address::parse(row.get(1)?);
            Ok(Join {
                id,
                address: address.map_err(|_| Error::Corrupt(format!("join row {id} has no address")))?,
                userid: row.get(2)?,
                asked_at: row.get(3)?,
                player: row.get(4)?,
            })
        })
    }

    /// The game that its player has begun on a page and keeps with the account.
    pub fn kept_game(&self, join: i64) -> Result<Option<GuestGame>> {
        let sql = "SELECT game, turns FROM joins WHERE id = $1 AND turns IS NOT NULL";
        let found = self.db.find(sql, &[&join], |row| {
            let game = row.get::<Option<&str>>(0)?.and_then(pbmserv_games::find);
            Ok(game.and_then(|game| GuestGame::read(game, row.get(1).ok()?)))
        })?;
        Ok(found.flatten())
    }

    /// The number of the newest question to a mailbox.
    pub fn newest_join(&self, address: &Address) -> Result<Option<i64>> {
        let sql = "SELECT MAX(id) FROM joins WHERE limit_key = $1";
        self.db.one(sql, &[&address.limit_key()], |row| row.get(0))
    }

    /// How many questions went to a mailbox since a time.
    pub fn joins_since(&self, address: &Address, since: DateTime<Utc>) -> Result<u32> {
        let sql = "SELECT COUNT(*) FROM joins WHERE limit_key = $1 AND asked_at > $2";
        self.db
            .one(sql, &[&address.limit_key(), &since], |row| row.get(0))
    }
}

impl Store {
    /// Notes that somebody is asked. The letter finds the row as the newest of the mailbox.
    pub fn add_join(&self, address: &Address, userid: &str, now: DateTime<Utc>) -> Result<()> {
        let id = self.next_number_of(Numbered::Joins)?;
        let sql = "INSERT INTO joins (id, address, limit_key, userid, asked_at) VALUES ($1, $2, $3, $4, $5)";
        let values: [&dyn ToValue; 5] = [&id, &address.as_str(), &address.limit_key(), &userid, &now];
        self.db.write(sql, &values)?;
        Ok(())
    }

    /// Keeps a game with the newest question to a mailbox.
    pub fn keep_game(&self, address: &Address, game: &GuestGame) -> Result<()> {
        let sql = "UPDATE joins SET game = $1, turns = $2 WHERE id = (SELECT MAX(id) FROM joins WHERE limit_key = $3)";
        let values: [&dyn ToValue; 3] = [&game.game.facts.name, &game.text(), &address.limit_key()];
        self.db.write(sql, &values)?;
        Ok(())
    }

    /// Proposes another name in a question.
    pub fn propose_name(&self, join: i64, userid: &str) -> Result<()> {
        let sql = "UPDATE joins SET userid = $1 WHERE id = $2";
        self.db.write(sql, &[&userid, &join])?;
        Ok(())
    }

    /// Notes who has joined by a question.
    pub fn has_joined(&self, join: i64, player: PlayerId) -> Result<()> {
        let sql = "UPDATE joins SET player = $1 WHERE id = $2";
        self.db.write(sql, &[&player, &join])?;
        Ok(())
    }
}
