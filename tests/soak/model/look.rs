//! Commands that only show something.

use super::hear::Mail;
use super::{Done, Model, No, Out, To, Verdict};
use crate::deed::Deed;
use crate::foreseen::End;

impl Model {
    pub(super) fn look(&self, mail: &Mail<'_>, deed: &Deed) -> Verdict {
        match deed {
            Deed::List(None) => Done::answer("listing", "games are played here"),
            Deed::List(Some(_)) => Done::answer("listing", "list"),
            Deed::Who(_) => Done::answer("listing", "who wrote in the last four weeks take"),
            Deed::MyGames => {
                let is_known = self.known(mail.from).is_some() || !mail.proven.borrow().is_empty();
                let mark = if is_known {
                    "You have"
                } else {
                    "games are played here"
                };
                Done::answer("listing", mark)
            }
            Deed::Standings(_) => Done::answer("listing", "standings"),
            Deed::Games(_, words) => {
                for word in words
                    .split(' ')
                    .filter(|word| !["", "all", "active", "inactive"].contains(word))
                {
                    self.player(word)?;
                }
                Done::answer("listing", "games")
            }
            Deed::All { userid, shows, .. } => {
                let player = self.player(userid)?;
                // A single board is shown as in mails about it.
                match *shows && self.shown(player, deed).len() == 1 {
                    true => Done::answer("board", "as it stands"),
                    false => Done::answer("listing", "all"),
                }
            }
            Deed::History(_, userids) => {
                let mut players = Vec::new();
                for userid in userids {
                    players.push(self.player(userid)?);
                }
                match players.as_slice() {
                    [one, other] if one == other => Err(No::because("Nobody plays against themselves")),
                    _ => Done::answer("listing", "history"),
                }
            }
            Deed::Record(at) => {
                let board = self.board(*at)?;
                match self.boards[board].end() {
                    Some(End::Removed) => Err(No::because("was removed: it has no record")),
                    Some(End::Void) => Err(No::because("is void: it has no record")),
                    _ => Ok(Done {
                        out: vec![Out {
                            has_file: true,
                            ..Out::answer(To::Sender, "done")
                        }],
                        mark: "The record * is attached as".into(),
                        ..Done::default()
                    }),
                }
            }
            Deed::Show(at) => {
                self.board(*at)?;
                Done::answer("board", "as it stands")
            }
            Deed::ShowAs(at, who) => {
                let player = self.writer(mail, who)?;
                self.board(*at).map_err(|no| no.to(player))?;
                Ok(Done::by(player, "board", "as it stands"))
            }
            Deed::Preview { game, board, .. } => {
                if let Some(number) = board {
                    self.board(crate::deed::At {
                        game: *game,
                        number: *number,
                    })?;
                }
                Done::answer("listing", "A preview of")
            }
            other => unreachable!("{other:?} is no command that only tells"),
        }
    }

    /// The number of boards that `all show` shows.
    pub(super) fn shown(&self, player: usize, deed: &Deed) -> Vec<usize> {
        let Deed::All { selector, .. } = deed else {
            return Vec::new();
        };
        let is_shown = |board: &super::Board| match *selector {
            "next" => board.to_move().is_some_and(|seat| board.at(seat) == player),
            "all" => true,
            "inactive" => board.end().is_some(),
            _ => board.end().is_none(),
        };
        let boards = self.boards.iter().enumerate();
        let own = boards.filter(|(_, board)| board.players.contains(&player) && is_shown(board));
        own.map(|(number, _)| number).collect()
    }
}
