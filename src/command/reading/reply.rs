//! Reads a reply to a mail about a board: first commands of that seat, without userid or password, then a comment for
//! the other player.
//!
//! The reader must tell commands from prose, since a reply may be only a comment. A line is a command if it begins with
//! a verb and the rest fits that verb, or if it can be read as a turn. The first line that is neither ends the
//! commands.

use crate::command::reading::hidden;
use crate::command::reading::turn_text::{OfferWord, split_turns};
use crate::command::{Command, Commands, InAnswer, Line, Word};
use crate::games::{Kind, Match};
use crate::mail::plain;
use crate::table::{Board, Player};

/// The most commands in one reply.
const MOST_COMMANDS: usize = 10;

/// A longer line is not tried as a turn.
const LONGEST_TURN_BYTES: usize = 1000;

/// The commands of a reply.
#[derive(Debug, Default)]
pub struct SeatCommands {
    /// Each with the comment that belongs to it.
    pub commands: Vec<(Line, String)>,
}

impl Commands {
    /// Reads a reply from this player's seat.
    #[must_use]
    pub fn read_reply(
        &'static self,
        text: &str,
        board: &Board,
        player: &Player,
        game: &dyn Match,
    ) -> SeatCommands {
        let seat = AnsweringSeat {
            commands: self,
            board,
            player,
            game,
        };
        let lines: Vec<&str> = text.lines().collect();
        let mut next = lines.iter().take_while(|line| line.trim().is_empty()).count();
        let mut found = Vec::new();
        while let Some(line) = lines.get(next).filter(|_| found.len() < MOST_COMMANDS) {
            let plain = plain(line);
            let words = plain.trim();
            let Some(command) = seat.line(words) else {
                break;
            };
            next += 1;
            if command.command.in_answer == InAnswer::AllBelow {
                let (_, rest) = words.split_once(' ').unwrap_or((words, ""));
                let said = [&[rest], &lines[next..]].concat().join("\n");
                found.push((command, said));
                return SeatCommands { commands: found };
            }
            found.push((command, String::new()));
        }
        let comment = self.masked(&lines[next.min(lines.len())..]);
        if let Some((_, text)) = found.first_mut() {
            *text = comment;
        }
        SeatCommands { commands: found }
    }

    /// A text that somebody else will read: each line that is a complete command with a password is masked.
    #[must_use]
    pub fn without_passwords(&'static self, text: &str) -> String {
        self.masked(&text.lines().collect::<Vec<_>>())
    }

    fn masked(&'static self, lines: &[&str]) -> String {
        let safe = |line: &&str| match self.read_line(&plain(line)) {
            Ok(read) if self.begins_a_command(line) && read.command.has_secret() => read.unjudged(),
            _ => (*line).to_owned(),
        };
        lines.iter().map(safe).collect::<Vec<_>>().join("\n")
    }
}

/// Whether a reply calls a command by this word. Another name than its verb counts only where nothing can go wrong:
/// `rules` alone is help on the game, but "Try again" is prose, and "decline" to the offer of a draw does not resign.
fn is_named(command: &Command, word: &str) -> bool {
    let is_alone = matches!(command.in_answer, InAnswer::Alone | InAnswer::OfBoard);
    let is_safe = is_alone && !command.may_change();
    let aliases = command.aliases.iter().filter(|_| is_safe);
    command.in_answer != InAnswer::No
        && std::iter::once(&command.verb)
            .chain(aliases)
            .any(|name| name.eq_ignore_ascii_case(word))
}

/// The seat that a reply comes from.
struct AnsweringSeat<'a> {
    commands: &'static Commands,
    board: &'a Board,
    player: &'a Player,
    game: &'a dyn Match,
}

impl AnsweringSeat<'_> {
    /// One line of a reply as a command; `None` if it is not one.
    fn line(&self, words: &str) -> Option<Line> {
        let (verb, rest) = words.split_once(' ').unwrap_or((words, ""));
        let rest = rest.trim();
        let named = self.commands.iter().find(|command| is_named(command, verb));
        if let Some(command) = named
            && let Some(line) = self.command(command, words, rest)
        {
            return Some(line);
        }
        let turn = self
            .commands
            .iter()
            .find(|command| command.in_answer == InAnswer::Turn)?;
        // In a game without a pass or a swap the refusal of the turn says so.
        let stands_for_a_turn = |word: &str| {
            OfferWord::read(word).is_some()
                || ["pass", "swap"].iter().any(|one| one.eq_ignore_ascii_case(word))
        };
        let is_turn = (rest.is_empty() && stands_for_a_turn(verb)) || is_turn(words, self.game);
        is_turn.then(|| self.write_out(turn, words, Some(end_of(words, words))))
    }

    /// A line that begins with the verb of this command; `None` if the rest of the line does not fit it.
    fn command(&self, command: &'static Command, words: &str, rest: &str) -> Option<Line> {
        let text = (!rest.is_empty()).then(|| end_of(words, rest));
        let is_meant = match command.in_answer {
            InAnswer::No => false,
            InAnswer::AllBelow => return Some(self.write_out(command, words, None)),
            InAnswer::Alone | InAnswer::OfBoard => rest.is_empty(),
            InAnswer::Text => !rest.is_empty(),
            InAnswer::Turns => is_for_later(rest, self.game),
            InAnswer::Turn => is_turn(rest, self.game),
        };
        is_meant.then(|| self.write_out(command, words, text))
    }

    /// The same command as if its player had written the board's number, the userid and the password.
    fn write_out(&self, command: &'static Command, text: &str, rest: Option<Word>) -> Line {
        let word = |text: String| Word { text, at: 0..0 };
        let number = word(self.board.number.to_string());
        let fixed = match command.arguments.len() {
            0 => Vec::new(),
            1 => vec![number.clone()],
            _ => vec![
                number.clone(),
                word(self.player.userid.clone()),
                word(String::new()),
            ],
        };
        Line {
            text: text.to_owned(),
            game: Some(self.board.game),
            commands: self.commands,
            command,
            verb: word(String::new()),
            form: None,
            fixed,
            words: match command.in_answer {
                InAnswer::OfBoard => vec![number],
                _ => Vec::new(),
            },
            turns: rest,
            game_options: Vec::new(),
            server_options: Vec::new(),
            by_token: Some(self.player.id),
        }
    }
}

/// The last part of a line, as a word.
fn end_of(line: &str, end: &str) -> Word {
    Word {
        text: end.to_owned(),
        at: line.len() - end.len()..line.len(),
    }
}

/// Whether the text after `queue` or `submit` fits it: nothing, one word, or at least one turn. Prose does not
/// ("queue up, please").
fn is_for_later(text: &str, game: &dyn Match) -> bool {
    let word = Word {
        text: text.to_owned(),
        at: 0..text.len(),
    };
    !text.contains(' ') || split_turns(&word).iter().any(|turn| is_turn(&turn.text, game))
}

/// Whether a line is meant as a turn: it can be read as one, or it has only short words and a digit, as turns have.
/// Then its refusal is more useful than a comment with a misspelt turn.
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
            // After the end every word is refused for that reason.
            let is_refused_as_a_turn = game.to_move().is_some() && refusal.kind != Kind::Unreadable;
            has_look || (is_refused_as_a_turn && !turn.contains(' '))
        }
    }
}
