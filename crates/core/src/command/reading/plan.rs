//! Finds the plan in what a player writes: after a turn, or in lines of its own.

use pbmserv_games::Match;

use crate::command::Word;
use crate::command::reading::trimmed::is_turn;
use crate::table::{Likeness, before_plan, likeness};

/// A text before its first `if`, and from there on, if that is written as a plan.
pub(crate) fn split_plan(text: &Word) -> (Word, Option<&str>) {
    let whole = (text.clone(), None);
    let Some(before) = before_plan(&text.text) else {
        return whole;
    };
    let plan = text.text[before.end..].trim_start_matches([' ', ';', ',', '.', '\n']);
    if likeness(plan, |_| true) == Likeness::Words {
        return whole;
    }
    let turn = Word {
        text: text.text[before.clone()].to_owned(),
        at: text.at.start..text.at.start + before.end,
    };
    (turn, Some(plan))
}

/// How many lines at the beginning of a text are a plan, with blank lines among them.
pub(crate) fn lines_of_plan(text: &str, game: &dyn Match) -> usize {
    let mut count = 0;
    for (at, line) in text.lines().enumerate() {
        if likeness(line, |turn| is_turn(turn, game)) > Likeness::Words {
            count = at + 1;
        } else if !line.trim().is_empty() {
            break;
        }
    }
    count
}

/// The lines of a plan in the words of a mail, and the other ones: those with which it begins, and below other words those that
/// are nothing else.
pub(crate) fn sorted<'a>(text: &'a str, game: &dyn Match) -> (Vec<&'a str>, Vec<&'a str>) {
    let head = lines_of_plan(text, game);
    let is_of_plan = |(at, line): &(usize, &str)| {
        *at < head || likeness(line, |turn| is_turn(turn, game)) == Likeness::Wholly
    };
    let (plan, words): (Vec<_>, Vec<_>) = text.lines().enumerate().partition(is_of_plan);
    let lines = |all: Vec<(usize, &'a str)>| all.into_iter().map(|(_, line)| line).collect();
    (lines(plan), lines(words))
}
