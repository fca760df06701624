//! A mail that lists commands. Each is carried out or refused separately, and one transcript reports all of them.

use crate::command::{self, Addressee, Batch, Decision, InternalError, Letter, Line, RefusalKind, Undecided};
use crate::letters::{LetterKind, Transcript, wrap};
use crate::store::State;
use crate::table::{PlayerId, Preferences};

use super::apply;
use super::command_result::{CommandOutcome, CommandResult};
use super::message_run::{Handling, Next};
use super::trust::Trust;

/// The most commands of a list that are looked at without a proof of who wrote them: anybody can send them, in anybody's
/// name. A line with the right password is carried out wherever it stands.
const MAX_UNPROVEN: usize = 5;

/// Stands for the lines after those.
const TOO_MANY_UNPROVEN: &str =
    "Five commands may stand in a mail before one with a password: the others were not carried out.";

/// The result of one line of a list.
struct LineResult {
    /// The line, secrets masked.
    echo: String,
    /// The result in words.
    result: String,
    is_done: bool,
    proven: Option<PlayerId>,
}

impl LineResult {
    /// A line that was not carried out, and that proves nobody.
    const fn refused(echo: String, result: String) -> Self {
        Self {
            echo,
            result,
            is_done: false,
            proven: None,
        }
    }
}

impl Handling<'_> {
    /// Handles the commands of a list in order. A refused command does not undo those before it.
    pub(super) fn take_batch(&mut self, batch: &Batch) -> Result<Next, InternalError> {
        let (mut results, mut unproven, mut skipped) = (Vec::new(), 0, 0);
        let mut boards = Vec::new();
        for entry in &batch.entries {
            let is_over = unproven >= MAX_UNPROVEN;
            let one = match &entry.read {
                Err(misread) => {
                    self.handler.results.push(CommandResult::of_misread(misread));
                    let tell = |refused: &_, echo: &command::Echo| {
                        LineResult::refused(echo.text.clone(), command::in_short(refused))
                    };
                    command::misread(&self.context(""), misread, tell)?
                }
                Ok(_) if is_over && self.must_ask() => return Ok(Next::Ask),
                Ok(line) if is_over && !line.command.run.is_proven() && !self.is_proven => {
                    let outcome = CommandOutcome::Refused(RefusalKind::Impossible);
                    self.handler.results.push(CommandResult::of(line, outcome));
                    LineResult::refused(line.unjudged(), String::new())
                }
                Ok(line) => match self.take_line(line, &entry.text, &mut boards)? {
                    Ok(result) => result,
                    Err(next) => return Ok(next),
                },
            };
            self.note_events()?;
            self.is_proven |= one.proven.is_some();
            self.prove(one.proven)?;
            self.commands.push(one.echo.clone());
            if !self.is_proven {
                unproven += 1;
                if is_over {
                    skipped += 1;
                    continue;
                }
            }
            results.push(one);
        }
        let commands = results.len() + skipped;
        let errors = skipped + results.iter().filter(|result| !result.is_done).count();
        let mut sentence = sentence(commands, errors);
        if skipped > 0 {
            // Not at the end: a long transcript is cut there.
            sentence = format!("{sentence} {TOO_MANY_UNPROVEN}");
        }
        if errors > 0 || batch.cut.is_some() {
            self.state = Some((State::Refused, format!("{errors} of {commands} commands refused")));
        }
        // If a line authenticated a player, the transcript goes to that player's addresses, otherwise to the sender.
        let proven = results.iter().find_map(|result| result.proven);
        if !self.is_proven
            && let Some(why) = self.dropped_unless_proven
        {
            self.state = Some((State::Dropped, why.to_owned()));
            return Ok(Next::End);
        }
        let to = proven.map_or(Addressee::Sender, Addressee::Player);
        let lines = results
            .iter()
            .map(|result| format!("> {}\n{}", result.echo, result.result.trim_end()));
        let transcript = Transcript {
            commands,
            errors,
            sentence,
            text: lines.collect::<Vec<_>>().join("\n\n"),
            cut: batch.cut.unwrap_or_default().to_owned(),
        };
        let letter = Letter {
            to,
            ..Letter::answer(transcript.into())
        };
        self.post_gathered()?;
        self.post(&letter)?;
        // A transcript cannot be answered with a turn.
        for board in boards {
            if self.is_to_move(&board)? {
                self.post(&board)?;
            }
        }
        Ok(Next::End)
    }

    /// Whether the reader of a letter about a board is to move there.
    fn is_to_move(&self, letter: &Letter) -> Result<bool, InternalError> {
        let board = match letter.board {
            Some((game, number)) => self.store.board(game, number)?,
            None => None,
        };
        let Some((board, seat)) = board.and_then(|board| board.to_move.map(|seat| (board, seat))) else {
            return Ok(false);
        };
        let mover = board.at(seat).id;
        Ok(match &letter.to {
            Addressee::Player(player) => *player == mover,
            Addressee::Sender => self.context("").known_senders()?.contains(&mover),
            Addressee::Mailbox { .. }
            | Addressee::Newcomer(_)
            | Addressee::Former(_)
            | Addressee::Elsewhere { .. } => false,
        })
    }

    /// Handles one line; `boards` collects the letters to its writer about boards. The inner error is what must be done
    /// first.
    fn take_line(
        &mut self,
        line: &Line,
        text: &str,
        boards: &mut Vec<Letter>,
    ) -> Result<Result<LineResult, Next>, InternalError> {
        let context = self.context(text);
        let decision = match command::decide(&context, line) {
            Ok(decision) => decision,
            // Whatever it decides is dropped below.
            Err(Undecided::PasswordUnchecked(hash)) if self.is_in_vain(&hash) => Decision::default(),
            Err(Undecided::PasswordUnchecked(hash)) => return Ok(Err(Next::Check(hash))),
            Err(Undecided::InternalError(fault)) => return Err(fault),
            Err(Undecided::Refused(refused)) => {
                if refused.proven.is_none() && self.must_ask() {
                    return Ok(Err(Next::Ask));
                }
                let echo = command::echo_of(&context, line, &refused)?.text;
                if let Some(player) = refused.wrong_password_of {
                    self.add_guess(player)?;
                }
                self.handler
                    .results
                    .push(CommandResult::of(line, CommandOutcome::Refused(refused.kind)));
                return Ok(Ok(LineResult {
                    proven: refused.proven,
                    ..LineResult::refused(echo, command::in_short(&refused))
                }));
            }
        };
        self.is_proven |= decision.proven.is_some();
        if self.must_ask() {
            return Ok(Err(Next::Ask));
        }
        let outcome = match (self.is_proven, self.dropped_unless_proven) {
            (false, Some(_)) => CommandOutcome::Dropped,
            _ => CommandOutcome::Done,
        };
        self.handler.results.push(CommandResult::of(line, outcome));
        if !self.is_proven
            && let Some(why) = self.dropped_unless_proven
        {
            // The lines with a password are carried out even so.
            let result = format!("Not done: a command without a password is not carried out now: {why}.");
            return Ok(Ok(LineResult::refused(line.masked(), result)));
        }
        // A transcript has no attachments, and a stranger gets one answer.
        let is_stranger = !self.is_proven && self.unproven == Trust::Stranger;
        if is_stranger && decision.letters.iter().any(|letter| letter.attachment.is_some()) {
            let result = "Not done: a file is sent in answer to a mail with this command alone.";
            return Ok(Ok(LineResult::refused(line.masked(), result.to_owned())));
        }
        let proven = decision.proven;
        let result = self.carry_out_in_batch(decision, boards)?;
        Ok(Ok(LineResult {
            echo: line.masked(),
            result,
            is_done: true,
            proven,
        }))
    }

    /// Carries out a decision. Returns its answer to the writer for the transcript, and posts all other letters, and each
    /// board that is shown to the player who is to move. What changes a board is also kept in `boards`, until its reader gets a
    /// newer letter about it: a player who is to move after the last line gets it.
    fn carry_out_in_batch(
        &mut self,
        decision: Decision,
        boards: &mut Vec<Letter>,
    ) -> Result<String, InternalError> {
        self.note(&decision);
        for change in &decision.changes {
            apply::apply(self.store, change, self.now)?;
        }
        let is_for_the_writer = |letter: &Letter| match &letter.to {
            Addressee::Sender => true,
            Addressee::Player(_) => letter.is_answer,
            Addressee::Mailbox { .. }
            | Addressee::Newcomer(_)
            | Addressee::Former(_)
            | Addressee::Elsewhere { .. } => false,
        };
        // The transcript has one sentence for a command with an effect, and the whole answer for a query.
        let proven = decision.proven;
        let is_shown = decision.changes.is_empty() && decision.letters.iter().all(is_for_the_writer);
        let mut answer = String::new();
        for letter in decision.letters {
            let is_another = |kept: &Letter| (kept.board, &kept.to) != (letter.board, &letter.to);
            if !is_for_the_writer(&letter) {
                boards.retain(is_another);
                match letter.weight {
                    Some(_) => self.gather(proven, letter),
                    None => self.post(&letter)?,
                }
                continue;
            }
            let width = match &letter.to {
                Addressee::Player(player) => self.store.preferences(*player)?.width,
                _ => Preferences::default().width,
            };
            let written = self
                .handler
                .letters
                .write(&letter.content, width)
                .map_err(|error| InternalError::Letter(error.to_string()))?;
            let first = written.text.split("\n\n").next().unwrap_or_default();
            if letter.attachment.is_some() {
                // A transcript has no attachments.
                self.post(&letter)?;
                answer.push_str(first);
                continue;
            }
            if letter.content.kind != LetterKind::Board {
                answer.push_str(if is_shown { &written.text } else { first });
                continue;
            }
            if !is_shown {
                answer.push_str(first);
                boards.retain(is_another);
                // What was to be sent before shows the board as it is now, and can be answered.
                if letter.weight.is_none() || !self.gathered.overtake(&letter) {
                    boards.push(letter);
                }
            } else if self.is_to_move(&letter)? {
                let width = usize::try_from(width).unwrap_or(Preferences::WIDEST as usize);
                let said = format!("{first}\nIt comes in another mail, which you can answer with a turn.");
                answer.push_str(&wrap(&said, width));
                boards.retain(is_another);
                self.post(&letter)?;
            } else {
                answer.push_str(&written.text);
            }
        }
        Ok(if answer.is_empty() {
            "Done.".to_owned()
        } else {
            answer
        })
    }
}

fn sentence(commands: usize, errors: usize) -> String {
    let was = |count: usize| if count == 1 { "was" } else { "were" };
    match (commands - errors.min(commands), errors) {
        (0, 0) => "Nothing was done.".to_owned(),
        (0, _) => format!("None of the {commands} commands in your mail was done."),
        (_, 0) => format!("The {commands} commands in your mail were done."),
        (done, errors) => format!(
            "{done} of the {commands} commands in your mail {} done, {errors} {} not.",
            was(done),
            was(errors)
        ),
    }
}
