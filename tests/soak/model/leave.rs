//! A reply to `List-Unsubscribe` ends unrequested mail.

use pbmserv_core::table::{PlayerId, Unasked};
use pbmserv_games::GAMES;

use super::hear::{Mail, expected};
use super::{Expected, Model, Out, Standing, To};

/// The index of a row with this number; rows are numbered from 1 and never removed.
pub(crate) fn place(number: i64) -> usize {
    usize::try_from(number - 1).unwrap()
}

impl Model {
    pub(super) fn leave(&mut self, mail: &Mail<'_>, player: PlayerId, unasked: Unasked) -> Expected {
        let player = place(player.0);
        let mut out = Vec::new();
        let account = &mut self.accounts[player];
        let is_changed = match unasked {
            Unasked::Reminders => std::mem::replace(&mut account.wants.reminders, false),
            Unasked::Broadcasts => std::mem::replace(&mut account.wants.broadcasts, false),
            Unasked::Digest => {
                account.digest_due = None;
                if std::mem::take(&mut account.news) > 0 && account.wants.digest {
                    out.push(Out::news(To::Player(player), "digest"));
                }
                std::mem::replace(&mut account.wants.digest, false)
            }
            Unasked::MessagesOf(by) => account.blocks.insert(place(by.0)),
            Unasked::Board(board) => {
                let board = place(board.0);
                self.boards[board].watchers.remove(&player);
                account.watches.remove(&board).is_some()
            }
            Unasked::Game(game) => {
                let game = GAMES.iter().position(|known| known == game).unwrap();
                self.watchers[game].remove(&player).is_some()
            }
        };
        let mut left = expected("done");
        if is_changed {
            out.push(Out::answer(To::Player(player), "done"));
            left.rows = self.post(&out, Some(mail.from), Standing::Proven);
            left.rows.sort();
        }
        left
    }
}
