//! Finds the plan in what a player writes: after a turn, or in lines of its own.

use pbmserv_games::Match;

use crate::command::Word;
use crate::command::reading::trimmed::is_turn;
use crate::table::{before_plan, is_plan};

/// A text before its first `if`, and from there on, if that is written as a plan.
pub(crate) fn split_plan(text: &Word) -> (Word, Option<&str>) {
    let whole = (text.clone(), None);
    let Some(before) = before_plan(&text.text) else {
        return whole;
    };
    let plan = text.text[before.end..].trim_start_matches([' ', ';', ',', '.', '\n']);
    if !is_plan(plan, |_| true) {
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
        if is_plan(line, |turn| is_turn(turn, game)) {
            count = at + 1;
        } else if !line.trim().is_empty() {
            break;
        }
    }
    count
}
