//! Boards against a computer: what it plays, and how many letters its turns have.
//!
//! Its turns follow from those of its opponent: the same position of the same board is answered by the same turn on every
//! machine, before a kill and after it. When it answers, nobody knows beforehand.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;

use pbmserv_games::Match;
use pbmserv_games::bots::{self, Level};

use super::checker::{Remains, Rows};
use super::{Table, digest};

/// The computer that the pairs play.
pub(crate) const COMPUTER: &str = "bot-easy";

static NEVER: AtomicBool = AtomicBool::new(false);

/// What the computer plays on a board after so many turns.
pub(crate) fn answer((game, number): Table, turns: usize, position: &dyn Match) -> String {
    let name = digest(format!("{game} {number} {turns}").as_bytes());
    let seed = u64::from_be_bytes(name[..8].try_into().unwrap());
    bots::think(position, Level::Easy, seed, &NEVER).unwrap().turn
}

/// By game and number, how many of something a board has.
pub(super) type Counts = HashMap<(String, u32), i64>;

impl Remains<'_> {
    /// The turns that computers have played on each board.
    fn turns_of_computers(&self) -> rusqlite::Result<Counts> {
        let sql = "SELECT game, number, COUNT(*) FROM turns JOIN boards ON boards.id = board \
                   WHERE (seat = 0 AND first_player < 0) OR (seat = 1 AND second_player < 0) GROUP BY board";
        let rows: Rows<_> = self.rows(sql, |row| Ok(((row.get(0)?, row.get(1)?), row.get(2)?)));
        Ok(rows?.into_iter().collect())
    }

    /// Each turn of a computer has one letter, and no letter has none. Returns the number of these turns.
    pub(super) fn answered(&self, letters: &Counts, faults: &mut Vec<String>) -> rusqlite::Result<usize> {
        let turns = self.turns_of_computers()?;
        if turns != *letters {
            faults.push(format!(
                "the letters about turns of computers are {letters:?}, and these turns {turns:?}"
            ));
        }
        Ok(usize::try_from(turns.values().sum::<i64>()).unwrap())
    }

    /// How many boards wait for a computer.
    pub(super) fn waiting(&self) -> rusqlite::Result<usize> {
        let sql = format!("SELECT COUNT(*) FROM boards WHERE {WAITING}");
        let count: i64 = self.conn.query_row(&sql, [], |row| row.get(0))?;
        Ok(usize::try_from(count).unwrap())
    }
}

/// Which boards wait for a computer.
pub(crate) const WAITING: &str = "(to_move = 0 AND first_player < 0) OR (to_move = 1 AND second_player < 0)";
