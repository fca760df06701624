//! Tells by its form whether a line is typed as a turn or a command.

use crate::command::COMMANDS;
use crate::command::reading::hidden::is_number;
use crate::command::reading::places::is_like_a_turn;
use pbmserv_mail::plain;

/// The most words of turns on one line, with a game and a board.
const WORDS_MAX: usize = 8;

/// Whether a line is a turn or a command, as far as its beginning says. In an answer the userid, the game or the board is left
/// out, so that many a line is whole only there; prose that begins so counts too.
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
    let begins_with_a_verb = || {
        let verb = first.trim_end_matches(['.', '!', ',']);
        COMMANDS
            .iter()
            .any(|command| command.verb.eq_ignore_ascii_case(verb))
    };
    let names_a_board =
        || pbmserv_games::find(first).is_some() && words.get(1).is_some_and(|word| is_number(word));
    (words.len() <= WORDS_MAX && words.iter().all(is_of_a_turn))
        || begins_with_a_verb()
        || names_a_board()
        || COMMANDS.begins_a_command(&line)
}
