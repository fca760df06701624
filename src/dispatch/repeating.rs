//! Programs that answer our letters without any sign that they are programs: they are known by what they do.
//!
//! A person whose answer was not understood twice reads what we wrote. A program writes again at once, and every answer of ours
//! brings the next. So a third answer that holds no turn and no command, within minutes, is recorded and gets none: that ends
//! the loop, and leaves the player the answers of the day.

use chrono::TimeDelta;

use crate::command::InternalError;

use super::handling::Handling;
use super::steps::Step;

/// Why such a message is not answered.
pub(super) const REPEATING: &str =
    "it says nothing, as the two before it within minutes: a program may have written it";

/// The reason in the record of a message without a command.
pub(super) const NO_COMMAND: &str = "no command";

/// What is more apart is not taken for the answers of a program.
const MINUTES: i64 = 20;

/// As many refusals about no board go to one address in that time, if replies cause them.
const MOST_WITHOUT_BOARD: u32 = 5;

impl Handling<'_> {
    /// Whether a step that is no command repeats the two messages before it.
    pub(super) fn is_repeating(&self, step: &Step<'_>) -> Result<bool, InternalError> {
        let since = self.now - TimeDelta::minutes(MINUTES);
        if let Step::Expected(board, player, _) | Step::Doubtful(board, player, _) = step {
            let before = self.store.last_answered(board.id, player.id, since)?;
            let is_nothing = |reason: &Option<String>| reason.as_deref() == Some(NO_COMMAND);
            return Ok(before.len() == 2 && before.iter().all(is_nothing));
        }
        let mail = &self.request.mail;
        if !step.is_no_command() || mail.answers().next().is_none() {
            return Ok(false);
        }
        // The addresses that an answer may go to.
        let sender = &self.request.sender;
        let mut refused = 0;
        for address in sender.from.iter().chain(&sender.envelope) {
            refused = refused.max(self.store.sent_since(address, &["notdone"], since)?);
        }
        Ok(refused >= MOST_WITHOUT_BOARD)
    }
}
