//! What is wrong with the dice before a play.

use super::plays::Roll;
use crate::Refusal;
use crate::kit::reading::shown;

/// A turn without dice where they are not known.
pub(super) fn no_dice(text: &str) -> Refusal {
    let reason = "The dice are not known here: write them before the turn, as in 31: 8/5 6/5.";
    match text.trim().starts_with(|c: char| c.is_ascii_digit()) || text.trim().starts_with("bar") {
        true => Refusal::illegal(reason),
        false => Refusal::unreadable(format!("\"{}\" is no turn. {reason}", shown(text.trim()))),
    }
}

/// Dice that cannot have been rolled here.
pub(super) fn impossible([one, other]: [u8; 2]) -> Refusal {
    Refusal::illegal(match Roll::new([one, other]) {
        Some(_) => "The dice of an opening roll differ: equal ones are rolled again.".to_owned(),
        None => format!("{one}{other} is no roll: a die shows 1 to 6."),
    })
}

/// Other dice than those that were rolled.
pub(super) fn other_dice([one, other]: [u8; 2], rolled: Option<Roll>) -> Refusal {
    Refusal::illegal(match rolled {
        Some(rolled) => format!("The roll is {rolled}, not {one}-{other}."),
        None => format!("Nothing is rolled yet, so {one}-{other} cannot be played."),
    })
}
