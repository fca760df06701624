//! Whole tables as the operator lists them, each in a few statements however long it is.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use crate::table::PlayerId;

use super::addresses::FAILED_DAYS;
use super::{MailState, Reader, Result};

/// A player in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlayerRow {
    /// The userid.
    pub userid: String,
    /// active, away or disabled.
    pub state: &'static str,
    /// The addresses, in the order in which they were added.
    pub addresses: Vec<PlayersAddress>,
    /// How many boards run.
    pub running: u32,
    /// When the account was made, in milliseconds since 1970.
    pub created_at: i64,
}

/// Whether a player can do anything, in a word: active, away or disabled.
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
    /// The address.
    pub address: String,
    /// Whether its owner has confirmed it.
    pub is_confirmed: bool,
    /// Whether mail to it failed so often that it is not written to until a mail comes from it.
    pub is_failing: bool,
}

/// How much a server holds and has done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Stats {
    /// Players who are here.
    pub players: u32,
    /// Of these, those who have a board running.
    pub playing: u32,
    /// The boards of each game.
    pub boards: Vec<GameStats>,
    /// Turns ever played.
    pub turns: u64,
    /// Mails taken in the last day, by what became of them.
    pub taken_in_a_day: BTreeMap<String, u32>,
    /// Mails to send, by where they stand; those sent only of the last day.
    pub mails: BTreeMap<String, u32>,
    /// The size of the database, in bytes.
    pub bytes: u64,
}

/// How many boards of a game there are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GameStats {
    /// The name of the game.
    pub game: String,
    /// How many run.
    pub running: u32,
    /// How many are over.
    pub over: u32,
}

impl Reader {
    /// All players with what a list shows of them, in the order of their userids.
    ///
    /// # Errors
    /// SQLite's.
    pub fn player_rows(&self) -> Result<Vec<PlayerRow>> {
        let mut addresses: HashMap<i64, Vec<PlayersAddress>> = HashMap::new();
        let mut statement = self.conn.prepare_cached(
            "SELECT player, address, confirmed_at IS NOT NULL, failed_days FROM addresses ORDER BY id",
        )?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let shown = PlayersAddress {
                address: row.get(1)?,
                is_confirmed: row.get(2)?,
                is_failing: row.get::<_, u32>(3)? >= FAILED_DAYS,
            };
            addresses.entry(row.get(0)?).or_default().push(shown);
        }
        let running = self.running_by_player()?;
        let sql = "SELECT id, userid, away_since IS NOT NULL, disabled_at IS NOT NULL, created_at FROM players \
                   WHERE deleted_at IS NULL ORDER BY userid_key";
        let mut statement = self.conn.prepare_cached(sql)?;
        let found = statement.query_map([], |row| {
            let (id, is_away, is_disabled): (i64, bool, bool) = (row.get(0)?, row.get(2)?, row.get(3)?);
            Ok(PlayerRow {
                userid: row.get(1)?,
                state: player_state(is_away, is_disabled),
                addresses: addresses.remove(&id).unwrap_or_default(),
                running: running.get(&PlayerId(id)).copied().unwrap_or_default(),
                created_at: row.get(4)?,
            })
        })?;
        Ok(found.collect::<rusqlite::Result<_>>()?)
    }

    /// How many boards each player has running; those who have none are not in it.
    fn running_by_player(&self) -> Result<HashMap<PlayerId, u32>> {
        let sql = "SELECT first_player, second_player FROM boards WHERE ended_at IS NULL";
        let mut statement = self.conn.prepare_cached(sql)?;
        let mut rows = statement.query([])?;
        let mut running = HashMap::new();
        while let Some(row) = rows.next()? {
            for player in [row.get(0)?, row.get(1)?] {
                *running.entry(PlayerId(player)).or_default() += 1;
            }
        }
        Ok(running)
    }

    /// How many boards of each game run and are over: one pass over an index.
    pub(super) fn boards_by_game(&self) -> Result<Vec<GameStats>> {
        let mut statement = self.conn.prepare_cached(
            "SELECT game, COUNT(*) - COUNT(ended_at), COUNT(ended_at) FROM boards GROUP BY game ORDER BY game",
        )?;
        let boards = statement.query_map([], |row| {
            Ok(GameStats {
                game: row.get(0)?,
                running: row.get(1)?,
                over: row.get(2)?,
            })
        })?;
        Ok(boards.collect::<rusqlite::Result<_>>()?)
    }

    /// How much the server holds and has done.
    ///
    /// # Errors
    /// SQLite's.
    pub fn stats(&self, day_ago_millis: i64) -> Result<Stats> {
        let one = |sql: &str| self.conn.query_row(sql, [], |row| row.get::<_, i64>(0));
        let here = "SELECT COUNT(*) FROM players p \
                    WHERE deleted_at IS NULL AND away_since IS NULL AND disabled_at IS NULL";
        let players = one(here)?;
        let playing = one(&format!(
            "{here} AND (EXISTS (SELECT 1 FROM boards WHERE first_player = p.id AND ended_at IS NULL) \
             OR EXISTS (SELECT 1 FROM boards WHERE second_player = p.id AND ended_at IS NULL))"
        ))?;
        let boards = self.boards_by_game()?;
        let taken_in_a_day = self.taken_since(day_ago_millis)?;
        let mails = self.mails_by_state(day_ago_millis)?;
        let bytes = one("PRAGMA page_count")? * one("PRAGMA page_size")?;
        Ok(Stats {
            players: u32::try_from(players).unwrap_or_default(),
            playing: u32::try_from(playing).unwrap_or_default(),
            boards,
            turns: u64::try_from(one("SELECT COALESCE(SUM(turns), 0) FROM boards")?).unwrap_or_default(),
            taken_in_a_day,
            mails,
            bytes: u64::try_from(bytes).unwrap_or_default(),
        })
    }

    /// The newest messages by what became of them: as many are looked at as came since then.
    fn taken_since(&self, millis: i64) -> Result<BTreeMap<String, u32>> {
        let sql = "SELECT state, received_at FROM inbox ORDER BY id DESC";
        let mut statement = self.conn.prepare_cached(sql)?;
        let mut rows = statement.query([])?;
        let mut taken = BTreeMap::new();
        while let Some(row) = rows.next()? {
            if row.get::<_, i64>(1)? <= millis {
                break;
            }
            *taken.entry(row.get(0)?).or_default() += 1;
        }
        Ok(taken)
    }

    /// The mails that are not sent by where they stand, and those that were sent since then.
    fn mails_by_state(&self, millis: i64) -> Result<BTreeMap<String, u32>> {
        let mut mails = BTreeMap::new();
        let mut statement = self
            .conn
            .prepare_cached("SELECT COUNT(*) FROM outbox WHERE state = $1")?;
        for state in [
            MailState::Waiting,
            MailState::Held,
            MailState::Failed,
            MailState::Dropped,
        ] {
            let count: u32 = statement.query_row([state.word()], |row| row.get(0))?;
            mails.insert(state.word().to_owned(), count);
        }
        // An expression keeps the index of states out: most are sent, and few since then.
        let sql = "SELECT COUNT(*) FROM outbox WHERE settled_at > $1 AND state || '' = $2";
        let mut statement = self.conn.prepare_cached(sql)?;
        let sent = statement.query_row((millis, MailState::Sent.word()), |row| row.get(0))?;
        mails.insert(MailState::Sent.word().to_owned(), sent);
        mails.retain(|_, count| *count > 0);
        Ok(mails)
    }
}
