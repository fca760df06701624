//! What is wrong with the dice before a play.

use super::plays::Roll;
use crate::Refusal;
use crate::kit::reading::shown;

/// A turn without dice where they are not known.
pub(super) fn no_dice(text: &str) -> Refusal {
    let reason = "The dice are not known here: write them before the turn, as in 31: 8/5 6/5.";
    match is_like_a_play(text) {
        true => Refusal::illegal(reason),
        false => Refusal::unreadable(format!("\"{}\" is no turn. {reason}", shown(text.trim()))),
    }
}

/// Whether a text is meant as a play, however it is to be read: dice, or none, and ways of checkers.
#[must_use]
pub fn is_like_a_play(text: &str) -> bool {
    let is_number = |part: &str| (1..=2).contains(&part.len()) && part.bytes().all(|c| c.is_ascii_digit());
    let is_point = |point: &str| {
        let point = point.trim_end_matches('*');
        is_number(point)
            || ["bar", "off", "b", "o"]
                .iter()
                .any(|name| name.eq_ignore_ascii_case(point))
    };
    let is_way = |way: &str| {
        let way = way.trim_end_matches('*');
        let way = match way.split_once('(') {
            Some((way, times)) if is_number(times.trim_end_matches(')')) => way,
            _ => way,
        };
        way.contains('/') && way.split('/').all(is_point)
    };
    let (dice, play) = text.split_once(':').unwrap_or(("", text));
    let is_between = |c: char| c.is_whitespace() || c == ',' || c == ';';
    let mut ways = play.split(is_between).filter(|way| !way.is_empty()).peekable();
    dice.bytes().all(|c| c.is_ascii_digit() || c == b'-') && ways.peek().is_some() && ways.all(is_way)
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
