//! The expected state after some mails, computed from the mails alone, with the rules of the games.

use std::collections::{BTreeMap, BTreeSet};

use pbmserv_games::{Options, Seat};

use super::{Deed, Mail, Table};
use crate::foreseen::{End, Progress, Stand, TurnRow};

/// A board.
pub(crate) struct Board {
    pub(crate) progress: Progress,
    /// The queued turns, and their player.
    pub(crate) queue: Option<(Seat, String)>,
    /// How it may stand too, if a computer has not answered yet.
    pub(crate) before_answers: Vec<(Stand, Vec<TurnRow>)>,
    /// Whether a computer has played on it: then it does not count for the ratings.
    has_computer: bool,
}

/// All players and boards.
#[derive(Default)]
pub(crate) struct World {
    pub(crate) players: BTreeSet<String>,
    /// Players who want plain text only.
    pub(crate) plain: BTreeSet<String>,
    /// The number of boards of a game that two players have begun.
    pub(crate) begun: BTreeMap<(&'static str, [String; 2]), usize>,
    /// The boards on which something has happened.
    pub(crate) boards: BTreeMap<Table, Board>,
    pub(crate) displays: BTreeMap<(String, &'static str), &'static str>,
    /// Finished boards of people, those of each pair of players in the order of their ends.
    pub(crate) finished: Vec<Table>,
}

impl World {
    /// After these mails, those of each pair in their order.
    ///
    /// # Errors
    /// A mail is missing on which a later one depends; in a sentence.
    pub(crate) fn after<'a>(mails: impl Iterator<Item = &'a Mail>) -> Result<Self, String> {
        let mut world = Self::default();
        for mail in mails {
            for deed in &mail.deeds {
                world
                    .happen(deed)
                    .map_err(|why| format!("{} cannot have been done: {why}", mail.id))?;
            }
        }
        Ok(world)
    }

    /// The board of this game with this number, if something has happened on it.
    pub(crate) fn board_of(&self, game: &str, number: u32) -> Option<&Board> {
        let mut boards = self.boards.iter();
        let found = boards.find(|(table, _)| table.0 == game && table.1 == number);
        found.map(|(_, board)| board)
    }

    fn board(&mut self, table: Table) -> &mut Board {
        self.boards.entry(table).or_insert_with(|| {
            let game = pbmserv_games::find(table.0).unwrap();
            Board {
                progress: Progress::begin(game, Options::none(game.facts)),
                queue: None,
                before_answers: Vec::new(),
                has_computer: false,
            }
        })
    }

    fn happen(&mut self, deed: &Deed) -> Result<(), String> {
        match deed {
            Deed::Signup(userid) => {
                self.players.insert(userid.clone());
            }
            Deed::PlainText(userid) => {
                self.plain.insert(userid.clone());
            }
            Deed::Begin(game, players) => *self.begun.entry((game, players.clone())).or_default() += 1,
            Deed::Turn(table, seat, turn) => {
                let board = self.board(*table);
                if board.progress.to_move() != Some(*seat) {
                    return Err(format!("{table:?}: {turn} is not that player's to play"));
                }
                board
                    .progress
                    .play(turn)
                    .map_err(|refusal| format!("{table:?}: {refusal}"))?;
                board.queue = board.queue.take().filter(|(owner, _)| owner != seat);
                // A player who moves has the answers.
                board.before_answers.clear();
                board.progress.end = board.progress.end_by_rules();
                if board.progress.end.is_some() && !board.has_computer {
                    self.finished.push(*table);
                }
            }
            Deed::Answer(table, seat, turn) => {
                let board = self.board(*table);
                if board.progress.to_move() != Some(*seat) {
                    return Err(format!("{table:?}: {turn} is not that computer's to play"));
                }
                let before = (board.progress.stand(), board.progress.rows());
                board.before_answers.push(before);
                board.has_computer = true;
                board
                    .progress
                    .play(turn)
                    .map_err(|refusal| format!("{table:?}: {refusal}"))?;
                board.progress.end = board.progress.end_by_rules();
            }
            Deed::Queue(table, seat, turn) => self.board(*table).queue = Some((*seat, turn.clone())),
            Deed::Resign(table, seat) => {
                let board = self.board(*table);
                board.queue = None;
                board.before_answers.clear();
                board.progress.end = Some(End::Finished(Some(seat.other()), "resignation"));
                if !board.has_computer {
                    self.finished.push(*table);
                }
            }
            // The letters of the mail are checked for them.
            Deed::Say(_) => {}
            Deed::Display(userid, game, display) => {
                self.displays.insert((userid.clone(), game), display);
            }
        }
        Ok(())
    }
}
