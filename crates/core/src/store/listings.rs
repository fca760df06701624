//! Lists for the operator, each read in a few statements whatever its length.

use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;

use serde::Serialize;

use crate::table::PlayerId;

use super::addresses::FAILED_DAYS;
use super::outbox::UNSENT;
use super::{MailState, Reader, Result};

/// A player in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlayerRow {
    /// In the player's own capitals.
    pub userid: String,
    /// `active`, `away` or `disabled`; `computer` for a computer player.
    pub state: &'static str,
    /// In the order in which they were added.
    pub addresses: Vec<PlayersAddress>,
    /// The number of running boards.
    pub running: u32,
    /// When the account was created, in milliseconds since 1970.
    pub created_at: i64,
}

/// The player's state as one word: `active`, `away` or `disabled`.
#[must_use]
pub const fn player_state(is_away: bool, is_disabled: bool) -> &'static str {
    match (is_disabled, is_away) {
        (true, _) => "disabled",
        (false, true) => "away",
        (false, false) => "active",
    }
}

/// An address in a list of players.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlayersAddress {
    /// As the player wrote it.
    pub address: String,
    /// Whether its owner confirmed it.
    pub is_confirmed: bool,
    /// Whether the server stopped writing to it after too many failures.
    pub is_failing: bool,
}

/// Totals of the server, for the operator.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Stats {
    /// Active players.
    pub players: u32,
    /// Active players with a running board.
    pub playing: u32,
    /// Boards by game.
    pub boards: Vec<GameStats>,
    /// All turns ever played.
    pub turns: u64,
    /// Messages received in the last day, by state.
    pub taken_in_a_day: BTreeMap<String, u32>,
    /// Mails by state; sent ones only from the last day.
    pub mails: BTreeMap<String, u32>,
    /// The size of the database in bytes.
    pub bytes: u64,
}

/// The number of boards of one game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GameStats {
    /// The name of the game.
    pub game: String,
    /// Running boards.
    pub running: u32,
    /// Finished boards.
    pub over: u32,
}

impl Reader {
    /// All players with the details of a list, sorted by userid.
    pub fn player_rows(&self) -> Result<Vec<PlayerRow>> {
        let mut addresses: HashMap<PlayerId, Vec<PlayersAddress>> = HashMap::new();
        let sql = "SELECT player, address, confirmed_at IS NOT NULL, failed_days FROM addresses ORDER BY id";
        self.db.each(sql, &[], |row| {
            let shown = PlayersAddress {
                address: row.get(1)?,
                is_confirmed: row.get(2)?,
                is_failing: row.get::<u32>(3)? >= FAILED_DAYS,
            };
            addresses.entry(row.get(0)?).or_default().push(shown);
            Ok(ControlFlow::Continue(()))
        })?;
        let running = self.running_by_player()?;
        let sql = "SELECT id, userid, away_since IS NOT NULL, disabled_at IS NOT NULL, created_at FROM players \
                   WHERE deleted_at IS NULL ORDER BY userid_key";
        self.db.all(sql, &[], |row| {
            let id = row.get(0)?;
            Ok(PlayerRow {
                userid: row.get(1)?,
                state: match id {
                    PlayerId(..0) => "computer",
                    _ => player_state(row.get(2)?, row.get(3)?),
                },
                addresses: addresses.remove(&id).unwrap_or_default(),
                running: running.get(&id).copied().unwrap_or_default(),
                created_at: row.get(4)?,
            })
        })
    }

    /// The number of running boards of each player; players without one are missing.
    fn running_by_player(&self) -> Result<HashMap<PlayerId, u32>> {
        let sql = "SELECT first_player, second_player FROM boards WHERE ended_at IS NULL";
        let mut running = HashMap::new();
        self.db.each(sql, &[], |row| {
            for player in [row.get(0)?, row.get(1)?] {
                *running.entry(player).or_default() += 1;
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(running)
    }

    /// The numbers of running and finished boards of each game, in one pass over an index.
    pub(super) fn boards_by_game(&self) -> Result<Vec<GameStats>> {
        let sql = "SELECT game, COUNT(*) - COUNT(ended_at), COUNT(ended_at) FROM boards GROUP BY game ORDER BY game";
        self.db.all(sql, &[], |row| {
            Ok(GameStats {
                game: row.get(0)?,
                running: row.get(1)?,
                over: row.get(2)?,
            })
        })
    }

    /// The totals of the server.
    pub fn stats(&self, day_ago_millis: i64) -> Result<Stats> {
        let here = "SELECT COUNT(*) FROM players p \
                    WHERE id > 0 AND deleted_at IS NULL AND away_since IS NULL AND disabled_at IS NULL";
        let playing = format!(
            "{here} AND (EXISTS (SELECT 1 FROM boards WHERE first_player = p.id AND ended_at IS NULL) \
             OR EXISTS (SELECT 1 FROM boards WHERE second_player = p.id AND ended_at IS NULL))"
        );
        let turns: i64 = self.db.one(
            "SELECT CAST(COALESCE(SUM(turns), 0) AS BIGINT) FROM boards",
            &[],
            |row| row.get(0),
        )?;
        Ok(Stats {
            players: self.db.one(here, &[], |row| row.get(0))?,
            playing: self.db.one(&playing, &[], |row| row.get(0))?,
            boards: self.boards_by_game()?,
            turns: u64::try_from(turns).unwrap_or_default(),
            taken_in_a_day: self.taken_since(day_ago_millis)?,
            mails: self.mails_by_state(day_ago_millis)?,
            bytes: self.db.pages()?.bytes,
        })
    }

    /// Messages received since `millis`, by state. Reads only the newest rows.
    fn taken_since(&self, millis: i64) -> Result<BTreeMap<String, u32>> {
        let sql = "SELECT state, received_at FROM inbox ORDER BY id DESC";
        let mut taken = BTreeMap::new();
        self.db.each(sql, &[], |row| {
            if row.get::<i64>(1)? <= millis {
                return Ok(ControlFlow::Break(()));
            }
            *taken.entry(row.get(0)?).or_default() += 1;
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(taken)
    }

    /// Unsent mails by state, and those sent since `millis`.
    fn mails_by_state(&self, millis: i64) -> Result<BTreeMap<String, u32>> {
        let mut mails = BTreeMap::new();
        let sql = format!("SELECT COUNT(*) FROM outbox WHERE state = $1 AND {UNSENT}");
        for state in [
            MailState::Waiting,
            MailState::Held,
            MailState::Failed,
            MailState::Dropped,
        ] {
            let count = self.db.one(&sql, &[&state.word()], |row| row.get(0))?;
            mails.insert(state.word().to_owned(), count);
        }
        let sql = "SELECT COUNT(*) FROM outbox WHERE settled_at > $1 AND state = $2";
        let sent = MailState::Sent.word();
        let count = self.db.one(sql, &[&millis, &sent], |row| row.get(0))?;
        mails.insert(sent.to_owned(), count);
        mails.retain(|_, count| *count > 0);
        Ok(mails)
    }
}
