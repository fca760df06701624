//! Boards against a computer. What it plays is the server's choice; the model knows what follows from it.

use pbmserv_games::Seat;

use super::{Model, No, Out, Standing, To, Verdict};
use crate::deed::At;

/// The computer that people play.
pub(crate) const BOT: &str = "bot-easy";

/// Its place among the players: it has no account here.
pub(crate) const COMPUTER: usize = usize::MAX;

/// A turn of a computer.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) at: At,
    pub(crate) turn: String,
    /// Whether a receipt waited for it: then its letter answers a turn, and does not wait for the daily mail.
    pub(crate) had_receipt: bool,
}

impl Model {
    /// A computer plays a turn. Returns its letters.
    pub(crate) fn computer_plays(&mut self, answer: &Answer) -> Vec<(String, &'static str, bool)> {
        let board = self.by_place[&answer.at];
        let seat = self.boards[board].to_move().unwrap();
        assert_eq!(
            self.boards[board].at(seat),
            COMPUTER,
            "{answer:?} is not its to play"
        );
        self.make_turn(board, seat, &answer.turn).unwrap();
        self.end_by_rules(board);
        let mut out = self.to_all(board, None);
        let reader = self.boards[board].at(seat.other());
        let to_reader = To::Player(reader);
        for letter in out.iter_mut().filter(|letter| letter.to == to_reader) {
            letter.can_wait = !answer.had_receipt;
        }
        if self.boards[board].end().is_some() {
            self.unwatch_ended(board);
        }
        let mut rows = self.post(&out, None, Standing::Proven);
        // In the place of the receipt it answers the mail, and counts as that one did.
        let own = &self.accounts[reader].addresses;
        for (address, _, is_answer) in &mut rows {
            *is_answer = answer.had_receipt && own.iter().any(|own| own.text == *address);
        }
        rows.sort();
        rows
    }

    /// Whether a player has blocked another.
    pub(super) fn blocks(&self, player: usize, other: usize) -> bool {
        let account = self.accounts.get(player);
        account.is_some_and(|account| account.blocks.contains(&other))
    }

    /// Whether a seat's clock stands still.
    pub(super) fn is_timeless(&self, board: usize, seat: Seat) -> bool {
        let account = self.accounts.get(self.boards[board].at(seat));
        account.is_none_or(|account| account.vacation.is_some())
    }

    /// Advice that nobody gives in the soak: only the receipt comes.
    pub(super) fn advise(&mut self, player: usize, mark: &str) -> Verdict {
        let key = format!("hinted {player}");
        if self.tally(&key) >= super::HINTS_A_DAY {
            return Err(No::because("You have had enough advice today"));
        }
        self.count(key, 1);
        Ok(super::Done {
            proven: Some(player),
            out: vec![Out::answer(To::Player(player), "done")],
            mark: mark.to_owned(),
        })
    }
}
