//! Programs that answer our letters without any sign that they are programs: they are known by what they do.
//!
//! A person whose answer was not understood twice reads what we wrote. A program writes again at once, and every answer of ours
//! brings the next. So a third mail about a board within minutes that holds no turn and no command is recorded, and gets no
//! answer: that ends the loop, and leaves the player the answers of the day. A turn or a command is carried out at any time.

use chrono::TimeDelta;

use crate::command::InternalError;
use crate::letters::LetterKind;

use super::message_run::Handling;
use super::steps::Step;

/// Why such a message is not answered.
pub(super) const REPEATING: &str =
    "it says nothing, as the two before it within minutes: a program may have written it";

/// The reason in the record of a message without a command.
pub(super) const NO_COMMAND: &str = "no command";

/// What is more apart is not taken for the answers of a program.
const MINUTES: i64 = 10;

/// As many refusals in a row about one board say that nothing was found in the answer.
const MOST: u32 = 2;

/// As many ask in a row what is meant, or are about no board and caused by replies: people do mend what they wrote.
const MAX_QUESTIONS: u32 = 5;

impl Handling<'_> {
    /// Whether a step that is no command repeats the two messages before it.
    pub(super) fn is_repeating(&self, step: &Step<'_>) -> Result<bool, InternalError> {
        let since = self.now - TimeDelta::minutes(MINUTES);
        let of_board = match step {
            Step::Expected(board, player, ..) => Some((board, player, MOST)),
            Step::Doubtful(board, player, _) => Some((board, player, MAX_QUESTIONS)),
            _ => None,
        };
        if let Some((board, player, most)) = of_board {
            let before = self.store.last_answered(board.id, player.id, most, since)?;
            let is_nothing = |reason: &Option<String>| reason.as_deref() == Some(NO_COMMAND);
            return Ok(before.len() >= most as usize && before.iter().all(is_nothing));
        }
        let mail = &self.request.mail;
        if !step.is_no_command() || mail.answers().next().is_none() {
            return Ok(false);
        }
        // The addresses that an answer may go to.
        let sender = &self.request.sender;
        let mut refused = 0;
        for address in sender.from.iter().chain(&sender.envelope) {
            refused = refused.max(self.store.sent_since(address, &[LetterKind::NotDone], since)?);
        }
        Ok(refused >= MAX_QUESTIONS)
    }
}
