//! The text of an answer to a mail about a board: commands of that seat, without userid or password, and then
//! the words for the other player.

use crate::games::{Kind, Match};
use crate::table::{Board, Player};

use super::line::{begins_a_command, read_line};
use super::{Command, Line, MOVE, Rest, Word, chat, hidden, offers, preview, queue, resign, show, submit};
use crate::mail::plain;

/// The most commands of one answer.
const MOST_COMMANDS: usize = 10;

/// The longest line that is looked at as a turn, in bytes.
const LONGEST_TURN_BYTES: usize = 1000;

/// What an answer says.
#[derive(Debug, Default)]
pub struct Answer {
    /// The commands that its first paragraph begins with, each with the text that goes with it.
    pub commands: Vec<(Line, String)>,
}

/// Reads an answer from this player's seat.
#[must_use]
pub fn read(text: &str, board: &Board, player: &Player, game: &dyn Match) -> Answer {
    let lines: Vec<&str> = text.lines().collect();
    let mut next = lines.iter().take_while(|line| line.trim().is_empty()).count();
    let mut found = Vec::new();
    while let Some(line) = lines.get(next).filter(|_| found.len() < MOST_COMMANDS) {
        let plain = plain(line);
        let words = plain.trim();
        let (verb, rest) = words.split_once(' ').unwrap_or((words, ""));
        if verb.eq_ignore_ascii_case("chat") {
            let said = [&[rest], &lines[next + 1..]].concat().join("\n");
            found.push((line_of(&chat::CHAT, board, player, words, None), said));
            return Answer { commands: found };
        }
        let Some(command) = command(words, verb, rest, board, player, game) else {
            break;
        };
        found.push((command, String::new()));
        next += 1;
    }
    let comment = comment(&lines[next.min(lines.len())..]);
    if let Some((_, text)) = found.first_mut() {
        *text = comment;
    }
    Answer { commands: found }
}

/// One line of an answer as a command; `None` if it is none.
fn command(
    words: &str,
    verb: &str,
    rest: &str,
    board: &Board,
    player: &Player,
    game: &dyn Match,
) -> Option<Line> {
    let turn = |at: &str| Word {
        text: at.to_owned(),
        at: words.len() - at.len()..words.len(),
    };
    match (verb.to_ascii_lowercase().as_str(), rest.trim()) {
        ("resign", "") => Some(line_of(&resign::RESIGN, board, player, words, None)),
        ("show", "") => Some(line_of(&show::SHOW, board, player, words, None)),
        ("help", "") => Some(line_of(&super::help::HELP, board, player, words, None)),
        (word, "") if offers::Word::read(word).is_some() => {
            Some(line_of(&MOVE, board, player, words, Some(turn(words))))
        }
        ("preview", text) if !text.is_empty() => {
            Some(line_of(&preview::PREVIEW, board, player, words, Some(turn(text))))
        }
        ("queue", text) if is_for_later(text, game) => {
            let rest = (!text.is_empty()).then(|| turn(text));
            Some(line_of(&queue::QUEUE, board, player, words, rest))
        }
        ("submit", text) if is_for_later(text, game) => {
            let rest = (!text.is_empty()).then(|| turn(text));
            Some(line_of(&submit::SUBMIT, board, player, words, rest))
        }
        ("confirm", "") => Some(line_of(&submit::CONFIRM, board, player, words, None)),
        // Not every game has them: then their refusal says so.
        ("pass" | "swap", "") => Some(line_of(&MOVE, board, player, words, Some(turn(words)))),
        ("move", text) if is_turn(text, game) => Some(line_of(&MOVE, board, player, words, Some(turn(text)))),
        _ if is_turn(words, game) => Some(line_of(&MOVE, board, player, words, Some(turn(words)))),
        _ => None,
    }
}

/// Whether what stands behind `queue` or `submit` is meant for it: nothing, one word, or a turn among others.
/// Prose is not ("queue up, please").
fn is_for_later(text: &str, game: &dyn Match) -> bool {
    let word = Word {
        text: text.to_owned(),
        at: 0..text.len(),
    };
    !text.contains(' ') || queue::split(&word).iter().any(|turn| is_turn(&turn.text, game))
}

/// Whether a line is meant as a turn: it can be read as one, or has the look of one. Prose does not.
fn is_turn(text: &str, game: &dyn Match) -> bool {
    if text.is_empty() || text.len() > LONGEST_TURN_BYTES {
        return false;
    }
    let turn = text.split('#').next().unwrap_or_default().trim();
    match game.fork().play_all(turn) {
        Ok(_) => true,
        Err(refusal) => {
            let has_look = turn
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || " ,:@>-".contains(c))
                && turn
                    .split([' ', ',', ':', '-', '>', '@'])
                    .all(hidden::is_shaped_as_a_turn)
                && turn.contains(|c: char| c.is_ascii_digit());
            has_look || (refusal.kind != Kind::Unreadable && !turn.contains(' '))
        }
    }
}

/// A command of this seat, as if its player had written it out.
fn line_of(
    command: &'static Command,
    board: &Board,
    player: &Player,
    text: &str,
    rest: Option<Word>,
) -> Line {
    let word = |text: String| Word { text, at: 0..0 };
    let number = word(board.number.to_string());
    let fixed = match command.places.len() {
        0 => Vec::new(),
        1 => vec![number.clone()],
        _ => vec![number.clone(), word(player.userid.clone()), word(String::new())],
    };
    // Only `show` names its board behind the fixed places.
    let words = if command.places.is_empty() && command.rest == Rest::Words && command.verb == "show" {
        vec![number]
    } else {
        Vec::new()
    };
    Line {
        text: text.to_owned(),
        game: Some(board.game),
        command,
        verb: word(String::new()),
        form: None,
        fixed,
        words,
        rest,
        game_options: Vec::new(),
        server_options: Vec::new(),
        by_token: Some(player.id),
    }
}

/// The words for the other player; a whole command with a password in it is not for them.
fn comment(lines: &[&str]) -> String {
    let safe = |line: &&str| match read_line(&plain(line)) {
        Ok(read) if begins_a_command(line) && read.command.has_secret() => read.unjudged(),
        _ => (*line).to_owned(),
    };
    lines.iter().map(safe).collect::<Vec<_>>().join("\n")
}
