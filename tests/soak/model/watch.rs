//! Watching.

use super::hear::Mail;
use super::{Done, Model, No, Out, To, Verdict};
use crate::deed::{Watched, Who};

impl Model {
    /// What is watched and by whom, in the order of the server's search.
    fn target(
        &self,
        mail: &Mail<'_>,
        what: Watched,
        who: &Who,
        is_player_first: bool,
    ) -> Result<(usize, Option<usize>), No> {
        let board = match what {
            Watched::Board(at) => self.board(at).map(Some),
            Watched::Game(_) => Ok(None),
        };
        let player = self.writer(mail, who);
        if is_player_first {
            let player = player?;
            return Ok((player, board.map_err(|no| no.to(player))?));
        }
        let board = board?;
        Ok((player?, board))
    }

    fn watches(&self, player: usize, what: Watched, board: Option<usize>) -> Option<bool> {
        match (board, what) {
            (Some(board), _) => self.boards[board].watchers.get(&player).copied(),
            (None, what) => self.watchers[what.game()].get(&player).copied(),
        }
    }

    /// `subscribe`, or `notify` for the ends only.
    pub(super) fn watch(&mut self, mail: &Mail<'_>, what: Watched, who: &Who, ends_only: bool) -> Verdict {
        let (player, board) = self.target(mail, what, who, ends_only)?;
        let no = |mark| Err(No::because(mark).to(player));
        if self.accounts[player].away {
            return no("has signed off: write signup");
        }
        if let Some(board) = board {
            if self.boards[board].end().is_some() {
                return no("is over: no more mails of it come");
            }
            if self.boards[board].seat_of(player).is_some() {
                return no("and gets its mails already");
            }
        }
        if self.watches(player, what, board).is_none() {
            let games = self
                .watchers
                .iter()
                .filter(|game| game.contains_key(&player))
                .count();
            if self.accounts[player].watches.len() + games >= 50 {
                return no("watches 50 boards and games already");
            }
        }
        match board {
            Some(board) => {
                self.boards[board].watchers.insert(player, ends_only);
                self.accounts[player].watches.insert(board, ends_only);
            }
            None => {
                self.watchers[what.game()].insert(player, ends_only);
            }
        }
        Ok(match (board, ends_only) {
            (_, true) => Done::by(player, "done", "is told how"),
            (None, false) => Done::by(player, "done", "watches all boards of"),
            (Some(_), false) => Done {
                out: vec![Out {
                    can_wait: true,
                    ..Out::answer(To::Player(player), "board")
                }],
                ..Done::by(player, "board", "watches * from now on")
            },
        })
    }

    pub(super) fn unwatch(&mut self, mail: &Mail<'_>, what: Watched, who: &Who) -> Verdict {
        let (player, board) = self.target(mail, what, who, false)?;
        if self.watches(player, what, board).is_none() {
            return Err(No::because("does not watch").to(player));
        }
        match board {
            Some(board) => {
                self.boards[board].watchers.remove(&player);
                self.accounts[player].watches.remove(&board);
            }
            None => {
                self.watchers[what.game()].remove(&player);
            }
        }
        Ok(Done::by(player, "done", "does not watch * any more"))
    }
}
