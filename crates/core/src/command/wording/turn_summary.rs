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

/// What the dice and the turns of both players were worth to them, in thousandths of the expected result: how much better than
/// the average the dice were, and how much the turns gave away.
pub(crate) fn luck_and_skill(board: &Board, luck: [i32; 2], lost: [i32; 2]) -> String {
    let of = |seat: Seat| {
        let (luck, lost) = (luck[seat.index()] / 20, lost[seat.index()] / 20);
        let gave = if luck < 0 { "cost" } else { "gave" };
        let userid = &board.at(seat).userid;
        let luck = luck.abs();
        format!("The dice {gave} {userid} {luck} points in 100; turns that were not the best cost {lost}.")
    };
    Seat::BOTH.map(of).join(" ")
}

/// A turn, or several of one player in a row, with what they did besides what their texts say.
pub struct TurnSummary {
    turn: String,
    /// In a game with dice what was done, in words, each without the player; empty in others.
    rolled: Vec<String>,
    effects: Vec<String>,
}

impl TurnSummary {
    /// These turns, played in this position.
    pub fn of(before: &dyn Match, texts: &[String]) -> Self {
        let mut effects = before.effects(texts);
        let mut said = |text: &String| match text.contains("concede") && !effects.is_empty() {
            // That says all.
            true => effects.remove(0),
            false => rolled(text),
        };
        Self {
            turn: texts.join(","),
            rolled: match before.facts().has_dice {
                true => texts.iter().map(&mut said).collect(),
                false => Vec::new(),
            },
            effects,
        }
    }

    /// `alice played m13-m5:l4, placed a piece and aged m1 and m5.`
    #[must_use]
    pub fn sentence(&self, player: &str) -> String {
        format!("{}.", self.clauses(player, "played", "", None))
    }

    /// The same without its full stop; `did` stands before the turn, `on` after it. The end is the last thing that the player did.
    pub(crate) fn clauses(&self, player: &str, did: &str, on: &str, end: Option<&str>) -> String {
        let (first, more) = match self.rolled.split_first() {
            Some((first, more)) => (Some(first.replacen("played", did, 1)), more),
            None => (None, &[][..]),
        };
        let played = match self.turn.as_str() {
            _ if first.is_some() => format!("{player} {}{on}", first.unwrap_or_default()),
            "pass" => format!("{player} passed{on}"),
            turn => format!("{player} {did} {turn}{on}"),
        };
        let effects = self.effects.iter().map(String::as_str);
        let more = more.iter().map(String::as_str);
        list(
            std::iter::once(played.as_str())
                .chain(more)
                .chain(effects)
                .chain(end),
        )
    }
}

/// What a turn of a game with dice did, after the name of the player: `played 8/5 6/5 with 3-1`.
fn rolled(text: &str) -> String {
    let (dice, play) = match text.split_once(':') {
        Some((dice, play)) => (dice, play),
        None => ("", text),
    };
    let with = match dice.as_bytes() {
        [one, other] => {
            let (high, low) = (char::from(*one.max(other)), char::from(*one.min(other)));
            format!(" with {high}-{low}")
        }
        _ => String::new(),
    };
    match play {
        "roll" => "said roll".to_owned(),
        "double" => "doubled".to_owned(),
        "take" => "took the cube".to_owned(),
        "drop" => "dropped".to_owned(),
        "pass" => format!("could not move{with}"),
        "accept" => "accepted".to_owned(),
        "refuse" => "refused".to_owned(),
        play => format!("played {}{with}", play.replace(',', " ")),
    }
}

/// Turns of one player in a row, and what brought them.
pub(crate) struct TurnReport {
    pub seat: Seat,
    pub origin: Origin,
    pub summary: TurnSummary,
}

/// What brought a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The first that the letter reports.
    Played,
    /// A computer's, after the turn before.
    Answered,
    FromQueue,
    AsPlanned,
    /// The only legal turn, which nobody was asked for.
    Forced,
}

/// Describes turns that were played one after the other.
pub(crate) fn report(board: &Board, turns: &[TurnReport]) -> Sentence {
    let on = format!(" on {}", board.name());
    Sentence::of(board, |names| {
        let sentence = |(at, turn): (usize, &TurnReport)| {
            let (first, seat) = (names.first(turn.seat), turn.seat);
            let clauses = |end: Option<&str>| match turn.origin {
                Origin::Played => turn.summary.clauses(first, "played", &on, end),
                Origin::Answered => turn.summary.clauses(first, "answered", "", end),
                Origin::FromQueue => format!(
                    "Then {}",
                    turn.summary
                        .clauses(names.name(seat), "played", " from the queue", end)
                ),
                Origin::AsPlanned | Origin::Forced => format!(
                    "Then {}",
                    turn.summary.clauses(names.name(seat), "played", "", end)
                ),
            };
            match at + 1 == turns.len() {
                true => ended(board, names, seat, clauses),
                false => format!("{}.", clauses(None)),
            }
        };
        let mut sentences: Vec<String> = turns.iter().enumerate().map(sentence).collect();
        let planned = |seat: Seat| {
            let is_planned = |turn: &TurnReport| turn.seat == seat && turn.origin == Origin::AsPlanned;
            turns.iter().any(is_planned)
        };
        match Seat::BOTH.map(planned) {
            [true, true] => sentences.push("Both had planned this.".to_owned()),
            [true, false] => sentences.push(format!("{} had planned this.", names.first(Seat::First))),
            [false, true] => sentences.push(format!("{} had planned this.", names.first(Seat::Second))),
            [false, false] => {}
        }
        sentences.join(" ")
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
