//! Reads a reply to a mail about a board: first commands of that seat, without userid or password, then a comment for
//! the other player.
//!
//! The reader must tell commands from prose, since a reply may be only a comment. A line is exactly a command if it begins
//! with a verb and the rest fits that verb, or if it can be read as a turn. The first line that is neither ends the
//! commands. If the reply begins with none, `first_lines` looks for the one turn or verb in them.

use crate::command::reading::first_lines::Found;
use crate::command::reading::hidden;
use crate::command::reading::phrases::hedges;
use crate::command::reading::script::is_subject_of_a_letter;
use crate::command::reading::trimmed::{LONGEST_TURN_BYTES, read_turn};
use crate::command::reading::turn_text::{OfferWord, split_turns};
use crate::command::{Command, Commands, Doubt, InAnswer, Line, Script, Word};
use crate::games::{Kind, Match};
use crate::mail::plain;
use crate::table::{Board, Player};

/// The most commands in one reply.
const MOST_COMMANDS: usize = 10;

/// The commands of a reply.
#[derive(Debug, Default)]
pub struct SeatCommands {
    /// Each with the comment that belongs to it.
    pub commands: Vec<(Line, String)>,
    /// What may be meant as a turn or a command. Then there are no commands.
    pub doubt: Option<Doubt>,
}

impl SeatCommands {
    const fn doubtful(doubt: Doubt) -> Self {
        Self {
            commands: Vec::new(),
            doubt: Some(doubt),
        }
    }

    const fn is_empty(&self) -> bool {
        self.commands.is_empty() && self.doubt.is_none()
    }

    /// The same with this text below.
    fn with_text(mut self, text: &str) -> Self {
        if let Some((_, comment)) = self.commands.first_mut() {
            *comment = format!("{comment}\n{text}").trim().to_owned();
        }
        self
    }
}

impl Commands {
    /// Reads a reply from this player's seat: its text, or its cleaned subject if the text begins with no command.
    #[must_use]
    pub fn read_reply(
        &'static self,
        body: &str,
        subject: &str,
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
        let exact = seat.exact(body);
        if !exact.is_empty() && !seat.only_resembles(&exact) {
            return exact;
        }
        let is_another = matches!(
            self.read_script(subject, body),
            Script::Command(_) | Script::Batch(_)
        );
        let found = match is_another {
            true => Found::Nothing,
            false => seat.find(body),
        };
        if !exact.is_empty() {
            return match found {
                Found::One(one) if one.is_legal() => seat.taken(*one, body),
                Found::Doubt(doubt) if doubt.meant.len() > 1 || hedges(&doubt.line) => {
                    SeatCommands::doubtful(doubt)
                }
                // Its refusal says what is wrong with it.
                _ => exact,
            };
        }
        let by_subject = seat.exact(subject);
        if !by_subject.is_empty() {
            return match found {
                Found::One(one) if !one.is_command_of(&by_subject) => {
                    SeatCommands::doubtful(seat.doubt(&one))
                }
                _ => by_subject.with_text(&self.without_passwords(body)),
            };
        }
        match found {
            Found::One(one) => seat.taken(*one, body),
            Found::Doubt(doubt) => SeatCommands::doubtful(doubt),
            Found::Nothing if is_another || is_subject_of_a_letter(subject) => SeatCommands::default(),
            Found::Nothing => match seat.find(subject) {
                Found::One(one) => seat.taken(*one, subject).with_text(&self.without_passwords(body)),
                Found::Doubt(doubt) => SeatCommands::doubtful(doubt),
                Found::Nothing => SeatCommands::default(),
            },
        }
    }

    /// A text that somebody else will read: each line that is a complete command with a password is masked.
    #[must_use]
    pub fn without_passwords(&'static self, text: &str) -> String {
        self.masked(&text.lines().collect::<Vec<_>>())
    }

    pub(super) fn masked(&'static self, lines: &[&str]) -> String {
        let safe = |line: &&str| match self.read_line(&plain(line)) {
            Ok(read) if self.begins_a_command(line) && read.command.has_secret() => read.unjudged(),
            _ => (*line).to_owned(),
        };
        lines.iter().map(safe).collect::<Vec<_>>().join("\n")
    }
}

/// The seat that a reply comes from.
#[derive(Clone, Copy)]
pub(super) struct AnsweringSeat<'a> {
    pub(super) commands: &'static Commands,
    pub(super) board: &'a Board,
    pub(super) player: &'a Player,
    pub(super) game: &'a dyn Match,
}

impl AnsweringSeat<'_> {
    /// The commands with which a text begins, and the words below them.
    fn exact(&self, text: &str) -> SeatCommands {
        let lines: Vec<&str> = text.lines().collect();
        let mut next = lines.iter().take_while(|line| line.trim().is_empty()).count();
        let mut found = Vec::new();
        while let Some(line) = lines.get(next).filter(|_| found.len() < MOST_COMMANDS) {
            let plain = plain(line);
            let words = plain.trim();
            let Some(command) = self.line(words) else {
                break;
            };
            next += 1;
            if command.command.in_answer == InAnswer::AllBelow {
                let (_, rest) = words.split_once(' ').unwrap_or((words, ""));
                let said = [&[rest], &lines[next..]].concat();
                if let Some(doubt) = self.turn_in_chat(&said).filter(|_| found.is_empty()) {
                    return SeatCommands::doubtful(doubt);
                }
                found.push((command, said.join("\n")));
                return SeatCommands {
                    commands: found,
                    doubt: None,
                };
            }
            found.push((command, String::new()));
        }
        let comment = self.commands.masked(&lines[next.min(lines.len())..]);
        if let Some((_, text)) = found.first_mut() {
            *text = comment;
        }
        SeatCommands {
            commands: found,
            doubt: None,
        }
    }

    /// Whether the first command is a text that has the look of a turn, and is none.
    fn only_resembles(&self, exact: &SeatCommands) -> bool {
        let Some((line, _)) = exact.commands.first() else {
            return false;
        };
        let is_turn =
            |turn: &Word| stands_for_a_turn(&turn.text) || read_turn(&turn.text, self.game).is_some();
        line.command.in_answer == InAnswer::Turn && !line.turns.as_ref().is_some_and(is_turn)
    }

    /// Whether it is this player's turn.
    pub(super) fn is_to_move(&self) -> bool {
        self.board.to_move.is_some() && self.board.to_move == self.board.seat_of(self.player.id)
    }

    /// The command that plays turns.
    pub(super) fn turn_command(&self) -> Option<&'static Command> {
        let mut commands = self.commands.iter().copied();
        commands.find(|command| command.in_answer == InAnswer::Turn)
    }

    /// One line of a reply as a command; `None` if it is not one.
    pub(super) fn line(&self, words: &str) -> Option<Line> {
        let (verb, rest) = words.split_once(' ').unwrap_or((words, ""));
        let rest = rest.trim();
        let named = self
            .commands
            .iter()
            .find(|command| command.in_answer != InAnswer::No && command.verb.eq_ignore_ascii_case(verb));
        if let Some(command) = named
            && let Some(line) = self.command(command, words, rest)
        {
            return Some(line);
        }
        let turn = self.turn_command()?;
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
    pub(super) fn write_out(&self, command: &'static Command, text: &str, rest: Option<Word>) -> Line {
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

/// Whether a word stands for a turn.
pub(super) fn stands_for_a_turn(word: &str) -> bool {
    OfferWord::read(word).is_some() || is_pass_or_swap(word)
}

/// Whether a word is a turn in some games. In the others its refusal says so.
pub(super) fn is_pass_or_swap(word: &str) -> bool {
    ["pass", "swap"].iter().any(|one| one.eq_ignore_ascii_case(word))
}

/// The last part of a line, as a word.
pub(super) fn end_of(line: &str, end: &str) -> Word {
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
            has_look || (refusal.kind != Kind::Unreadable && !turn.contains(' '))
        }
    }
}
