//! The sentence about a turn: who played it, and what it did.
//!
//! What a turn did comes from the rules (`effects`), which compare the position before with the one after: only when a letter is
//! decided or help is asked for, so listing and playing turns do not pay for it.

use pbmserv_games::kit::words::list;
use pbmserv_games::{Match, Outcome, Seat};

use crate::command::wording::sentence::{Names, Sentence};
use crate::table::{Board, End};

/// What a turn cost its player, in thousandths of the expected result. From a lost position to a won one it is two thousand.
pub(crate) fn cost_of_turn(by: &str, played: &str, better: &str, lost: i32) -> String {
    format!(
        "{by} played {played}; {better} was better by {} points in 100",
        lost / 20
    )
}

/// A turn, or several of one player in a row, with what they did besides what their texts say.
pub struct TurnSummary {
    turn: String,
    effects: Vec<String>,
}

impl TurnSummary {
    /// These turns, played in this position.
    pub fn of(before: &dyn Match, texts: &[String]) -> Self {
        Self {
            turn: texts.join(","),
            effects: before.effects(texts),
        }
    }

    /// `alice played m13-m5:l4 on Pow2 Board 101, placed a piece and aged m1 and m5`; `on` stands after the turn. The end
    /// is the last thing that the player did.
    pub fn clauses(&self, player: &str, on: &str, end: Option<&str>) -> String {
        let played = match self.turn.as_str() {
            "pass" => format!("{player} passed{on}"),
            turn => format!("{player} played {turn}{on}"),
        };
        self.list(&played, end)
    }

    /// `bot-easy answered m13-m5:l4, placed a piece and aged m1 and m5`.
    fn answer(&self, player: &str, end: Option<&str>) -> String {
        let played = match self.turn.as_str() {
            "pass" => format!("{player} passed"),
            turn => format!("{player} answered {turn}"),
        };
        self.list(&played, end)
    }

    fn list(&self, played: &str, end: Option<&str>) -> String {
        let effects = self.effects.iter().map(String::as_str);
        list(std::iter::once(played).chain(effects).chain(end))
    }
}

/// Describes the turn of the player in this seat, and the queued turns that answered it.
pub(crate) fn sentence(
    board: &Board,
    seat: Seat,
    told: &TurnSummary,
    answer: Option<&TurnSummary>,
) -> Sentence {
    let on = format!(" on {}", board.name());
    let answer = answer.filter(|answer| !answer.turn.is_empty());
    Sentence::of(board, |names| {
        let player = names.first(seat);
        let Some(answer) = answer else {
            return ended(board, names, seat, |end| told.clauses(player, &on, end));
        };
        let then = ended(board, names, seat.other(), |end| {
            answer.clauses(names.name(seat.other()), " from the queue", end)
        });
        format!("{}. Then {then}", told.clauses(player, &on, None))
    })
}

/// Describes the turn of the computer in this seat, and the turn that it answers.
pub(crate) fn answered(board: &Board, seat: Seat, told: &TurnSummary, answer: &TurnSummary) -> Sentence {
    let on = format!(" on {}", board.name());
    Sentence::of(board, |names| {
        let own = told.clauses(names.first(seat.other()), &on, None);
        let then = ended(board, names, seat, |end| answer.answer(names.first(seat), end));
        format!("{own}. {then}")
    })
}

/// Ends the sentence about the last turn, which the player in this seat played, with the result of the game if it is over.
fn ended(board: &Board, names: &Names<'_>, seat: Seat, clauses: impl Fn(Option<&str>) -> String) -> String {
    let outcome = board.end.and_then(|end| match end {
        End::Finished(ending) => Some(ending.outcome),
        End::Removed(_) | End::Void => None,
    });
    match outcome {
        None => format!("{}.", clauses(None)),
        Some(Outcome::Won(winner)) if winner == seat => {
            format!("{}.", clauses(Some(names.does(seat, "have won", "has won"))))
        }
        Some(Outcome::Won(winner)) => format!("{}, and {}.", clauses(None), names.won(winner)),
        Some(Outcome::Drawn) => format!("{}, and the game is a draw.", clauses(None)),
    }
}
