//! Reads a reply to a mail about a board: first commands of that seat, without userid or password, then a comment for
//! the other player.
//!
//! The reader must tell commands from prose, since a reply may be only a comment. A line is exactly a command if it begins
//! with a verb and the rest fits that verb, or if it can be read as a turn. The first line that is neither ends the
//! commands. If the reply begins with none, `first_lines` looks for the one turn or verb in them.

use pbmserv_games::Match;

use crate::command::reading::first_lines::{FirstLines, SeatCommands};
use crate::command::reading::phrases::hedges;
use crate::command::reading::plan::{lines_of_plan, split_plan};
use crate::command::reading::script::is_subject_of_a_letter;
use crate::command::reading::seat::{AnsweringSeat, stands_for_a_turn};
use crate::command::reading::trimmed::read_turn;
use crate::command::{Commands, InAnswer, Line, Script, Word};
use crate::table::{Board, Player};
use pbmserv_mail::plain;

/// The most commands in one reply.
const MAX_COMMANDS: usize = 10;

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
        let subject = if is_subject_of_a_letter(subject) {
            ""
        } else {
            subject
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
            true => FirstLines::Nothing,
            false => seat.find(body),
        };
        if !exact.is_empty() {
            return match found {
                FirstLines::One(one) if one.is_legal() => seat.taken(*one, body),
                FirstLines::Doubt(doubt) if doubt.meant.len() > 1 || hedges(&doubt.line) => {
                    SeatCommands::doubtful(doubt)
                }
                // Its refusal says what is wrong with it.
                _ => exact,
            };
        }
        let by_subject = seat.exact(subject);
        if !by_subject.is_empty() {
            return match found {
                FirstLines::One(one) if !one.is_command_of(&by_subject) => {
                    SeatCommands::doubtful(seat.doubt(&one))
                }
                _ => by_subject.with_text(&self.without_passwords(body)),
            };
        }
        match found {
            FirstLines::One(one) => seat.taken(*one, body),
            FirstLines::Doubt(doubt) => SeatCommands::doubtful(doubt),
            FirstLines::Nothing if is_another || subject.is_empty() => SeatCommands::default(),
            FirstLines::Nothing => match seat.find(subject) {
                FirstLines::One(one) => seat.taken(*one, subject).with_text(&self.without_passwords(body)),
                FirstLines::Doubt(doubt) => SeatCommands::doubtful(doubt),
                FirstLines::Nothing => SeatCommands::default(),
            },
        }
    }

    /// A reply from this player's seat that is words alone, as a chat.
    #[must_use]
    pub fn words_of_reply(
        &'static self,
        words: &str,
        board: &Board,
        player: &Player,
        game: &dyn Match,
    ) -> Option<(Line, String)> {
        let mut commands = self.iter().copied();
        let chat = commands.find(|command| command.in_answer == InAnswer::AllBelow)?;
        let seat = AnsweringSeat {
            commands: self,
            board,
            player,
            game,
        };
        Some((
            seat.write_out(chat, chat.verb, None),
            self.without_passwords(words),
        ))
    }

    /// A text that somebody else will read: each line that is a complete command with a password is masked.
    #[must_use]
    pub fn without_passwords(&'static self, text: &str) -> String {
        self.masked(&text.lines().collect::<Vec<_>>())
    }

    pub(super) fn masked(&'static self, lines: &[&str]) -> String {
        // Most lines are words: what begins no command is not read as one, since that would look for the nearest.
        let safe = |line: &&str| match self.begins_a_command(line).then(|| self.read_line(&plain(line))) {
            Some(Ok(read)) if read.command.has_secret() => read.unjudged(),
            _ => (*line).to_owned(),
        };
        lines.iter().map(safe).collect::<Vec<_>>().join("\n")
    }
}

impl AnsweringSeat<'_> {
    /// The commands with which a text begins, and the words below them.
    fn exact(&self, text: &str) -> SeatCommands {
        let lines: Vec<&str> = text.lines().collect();
        let mut next = lines.iter().take_while(|line| line.trim().is_empty()).count();
        let mut found = Vec::new();
        while let Some(line) = lines.get(next).filter(|_| found.len() < MAX_COMMANDS) {
            let line = match self.uncapitalised(plain(line).trim()) {
                Ok(line) => line,
                Err(doubt) => return SeatCommands::doubtful(doubt),
            };
            let words = line.as_str();
            // Below a turn or a plan it belongs to that.
            if !found.is_empty() && lines_of_plan(words, self.game) == 1 {
                break;
            }
            let Some(command) = self.line(words) else {
                break;
            };
            next += 1;
            let in_answer = command.command.in_answer;
            if matches!(in_answer, InAnswer::AllBelow | InAnswer::Private) {
                let (_, rest) = words.split_once(' ').unwrap_or((words, ""));
                let said = [&[rest], &lines[next..]].concat();
                if in_answer == InAnswer::AllBelow
                    && let Some(doubt) = self.turn_in_chat(&said).filter(|_| found.is_empty())
                {
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
        let is_turn = |turn: &Word| {
            let (turn, plan) = split_plan(turn);
            if plan.is_some_and(|plan| lines_of_plan(plan, self.game) == 0) {
                return false;
            }
            stands_for_a_turn(&turn.text) || read_turn(&turn.text, self.game).is_some()
        };
        line.command.in_answer == InAnswer::Turn && !line.turns.as_ref().is_some_and(is_turn)
    }
}
