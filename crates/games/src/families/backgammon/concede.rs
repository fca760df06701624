//! Giving up one game of a match: the side to move offers the game, and the other side accepts or plays on.

use super::board::{OFF, Position};
use super::game::{Game, State};
use crate::Refusal;

/// What a game that is given up counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Loss {
    /// The cube.
    Single = 1,
    /// Twice the cube.
    Gammon,
    /// Three times the cube.
    Backgammon,
}

impl Loss {
    /// The three, the least first.
    pub const ALL: [Self; 3] = [Self::Single, Self::Gammon, Self::Backgammon];

    /// How many times the cube.
    #[must_use]
    pub const fn times(self) -> u8 {
        self as u8
    }

    /// After `lose` or `won`.
    #[must_use]
    pub const fn named(self) -> &'static str {
        match self {
            Self::Single => "the game",
            Self::Gammon => "a gammon",
            Self::Backgammon => "a backgammon",
        }
    }

    /// The turn that offers it.
    #[must_use]
    pub const fn turn(self) -> &'static str {
        match self {
            Self::Single => "concede",
            Self::Gammon => "concede gammon",
            Self::Backgammon => "concede backgammon",
        }
    }
}

/// The loss that a text offers; `None`: it is another turn.
pub(super) fn offered(text: &str) -> Option<Loss> {
    let is_between = |c: char| c.is_whitespace() || matches!(c, ',' | '-');
    let words = text.split(is_between).map(str::to_ascii_lowercase);
    let words: Vec<String> = words.filter(|word| !word.is_empty()).take(6).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let of = match words.as_slice() {
        // "give up" is prose: who never gives up says so to the other player.
        ["concede", of @ ..] => of,
        _ => return None,
    };
    let of = match of {
        ["a" | "the" | "this", of @ ..] if !of.is_empty() => of,
        of => of,
    };
    match of {
        [] | ["single" | "game" | "normal" | "s" | "1"] | ["single", "game"] => Some(Loss::Single),
        ["gammon" | "g" | "2"] => Some(Loss::Gammon),
        ["backgammon" | "bg" | "b" | "3"] => Some(Loss::Backgammon),
        _ => None,
    }
}

impl Game {
    /// Whether the side to move may offer the game as this loss.
    ///
    /// # Errors
    /// It is no time for it, or the offer is one that makes no sense.
    pub fn may_concede(&self, loss: Loss) -> Result<(), Refusal> {
        if !matches!(
            self.state,
            State::NeedsRoll | State::RollOrDouble | State::ToPlay(_)
        ) {
            return Err(Refusal::illegal(self.refused(None)));
        }
        if self.length == 1 {
            return Err(Refusal::illegal(
                "There is only this game: to give it up, resign.",
            ));
        }
        if self.position == Position::start(self.variant()) {
            let reason = "A game is given up after its first play, not before.";
            return Err(Refusal::illegal(reason));
        }
        let has_borne_off = self.position.count(self.mover, OFF) > 0;
        if loss > Loss::Single && has_borne_off {
            let reason = format!(
                "You have borne off a checker, so you cannot lose {}.",
                loss.named()
            );
            return Err(Refusal::illegal(reason).or(vec![Loss::Single.turn().to_owned()]));
        }
        if loss.times() <= self.refused {
            let reason = match self.refused < Loss::Backgammon.times() {
                true => "Your opponent refused that in this turn: offer more, or go on.",
                false => "You cannot give the game up in this turn any more: go on.",
            };
            return Err(Refusal::illegal(reason));
        }
        Ok(())
    }

    /// The losses that the side to move may offer.
    #[must_use]
    pub fn concessions(&self) -> Vec<Loss> {
        let may = |loss: &Loss| self.may_concede(*loss).is_ok();
        Loss::ALL.into_iter().filter(may).collect()
    }
}
