//! Tells by its form whether a line is typed as a turn or a command.

use crate::command::reading::hidden::is_number;
use crate::command::reading::places::is_like_a_turn;
use crate::command::{COMMANDS, InAnswer};
use pbmserv_mail::plain;

/// The most words of turns on one line, with a game and a board.
const WORDS_MAX: usize = 8;

/// The most words of a line that begins with a verb of an answer; prose is longer.
const VERB_WORDS_MAX: usize = 3;

/// Whether a line is a turn or a command, as far as its form says. The commands of an answer count too.
#[must_use]
pub fn is_typed(line: &str) -> bool {
    let line = plain(line);
    let words: Vec<&str> = line.split_whitespace().take(WORDS_MAX + 1).collect();
    let Some(first) = words.first() else {
        return false;
    };
    let is_of_a_turn = |word: &&str| {
        let word = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        is_like_a_turn(word) || is_number(word) || pbmserv_games::find(word).is_some()
    };
    let is_verb = |verb: &str| verb.eq_ignore_ascii_case(first.trim_end_matches(['.', '!', ',']));
    let mut in_answers = COMMANDS
        .iter()
        .filter(|command| command.in_answer != InAnswer::No);
    (words.len() <= WORDS_MAX && words.iter().all(is_of_a_turn))
        || (words.len() <= VERB_WORDS_MAX && in_answers.any(|command| is_verb(command.verb)))
        || (COMMANDS.begins_a_command(&line) && COMMANDS.read_line(&line).is_ok())
}
