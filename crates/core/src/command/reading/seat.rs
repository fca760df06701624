//! The seat that an answer to a board's letter comes from, and one line of it as a command.

use pbmserv_games::Match;

use crate::command::reading::plan::{lines_of_plan, split_plan};
use crate::command::reading::tried::TryRequest;
use crate::command::reading::trimmed::is_turn;
use crate::command::reading::turn_text::{OfferWord, split_turns};
use crate::command::{Argument, Command, Commands, InAnswer, Line, Word};
use crate::table::{Board, Player};

/// The seat that a reply comes from.
#[derive(Clone, Copy)]
pub(super) struct AnsweringSeat<'a> {
    pub(super) commands: &'static Commands,
    pub(super) board: &'a Board,
    pub(super) player: &'a Player,
    /// The position that the letter has shown.
    pub(super) game: &'a dyn Match,
}

impl AnsweringSeat<'_> {
    /// Whether it is this player's turn in the position that the letter has shown.
    pub(super) fn is_to_move(&self) -> bool {
        let mover = self.game.to_move().filter(|_| self.board.end.is_none());
        mover.is_some() && mover == self.board.seat_of(self.player.id)
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
        let named = self.commands.iter().find(|command| is_named(command, verb));
        if let Some(command) = named
            && let Some(line) = self.command(command, words, rest)
        {
            return Some(line);
        }
        let whole = Word {
            text: words.to_owned(),
            at: 0..words.len(),
        };
        let (first, plan) = split_plan(&whole);
        let is_planned =
            plan.is_some_and(|plan| lines_of_plan(plan, self.game) == 1) && is_turn(&first.text, self.game);
        if lines_of_plan(words, self.game) == 1 {
            let plan = self
                .commands
                .iter()
                .find(|command| command.in_answer == InAnswer::Plan)?;
            return Some(self.write_out(plan, words, Some(whole)));
        }
        let turn = self.turn_command()?;
        let is_turn = is_planned || (rest.is_empty() && stands_for_a_turn(verb)) || is_turn(words, self.game);
        is_turn.then(|| self.write_out(turn, words, Some(end_of(words, words))))
    }

    /// A line that begins with the verb of this command; `None` if the rest of the line does not fit it.
    fn command(&self, command: &'static Command, words: &str, rest: &str) -> Option<Line> {
        let text = (!rest.is_empty()).then(|| end_of(words, rest));
        let is_meant = match command.in_answer {
            InAnswer::No => false,
            InAnswer::Private => {
                let words: Vec<&str> = rest.split_whitespace().collect();
                // What is stored of a mail has its commands, and not its text.
                return (command.is_meant)(&words).then(|| self.write_out(command, command.verb, None));
            }
            InAnswer::AllBelow => return Some(self.write_out(command, words, None)),
            InAnswer::Alone | InAnswer::OfBoard => rest.is_empty(),
            InAnswer::Text => !rest.is_empty(),
            InAnswer::Turns => is_for_later(rest, self.game),
            InAnswer::Plan => !rest.contains(' ') || lines_of_plan(rest, self.game) == 1,
            InAnswer::Line => TryRequest::of(&end_of(words, rest)).is_meant(|text| is_turn(text, self.game)),
            InAnswer::Turn => is_turn(rest, self.game),
        };
        is_meant.then(|| self.write_out(command, words, text))
    }

    /// The same command as if its player had written the board's number, the userid and the password.
    pub(super) fn write_out(&self, command: &'static Command, text: &str, rest: Option<Word>) -> Line {
        let word = |text: String| Word { text, at: 0..0 };
        let number = word(self.board.number.to_string());
        let fixed = command.arguments.iter().map(|argument| match argument {
            Argument::Board => number.clone(),
            Argument::Userid => word(self.player.userid.clone()),
            _ => word(String::new()),
        });
        let fixed = fixed.collect();
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
            is_in_own_words: false,
        }
    }
}

/// Whether a reply calls a command by this word. Another name than its verb counts only where nothing can go wrong:
/// `rules` alone is help on the game, but "Try again" is prose, and "decline" to the offer of a draw does not resign.
fn is_named(command: &Command, word: &str) -> bool {
    let is_alone = matches!(command.in_answer, InAnswer::Alone | InAnswer::OfBoard);
    let is_safe = (is_alone && !command.may_change()) || command.in_answer == InAnswer::Line;
    let aliases = command.aliases.iter().filter(|_| is_safe);
    command.in_answer != InAnswer::No
        && std::iter::once(&command.verb)
            .chain(aliases)
            .any(|name| name.eq_ignore_ascii_case(word))
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
