//! What became of each command, for the log and for what is counted.

use crate::command::{Line, Misread, RefusalKind};

/// What became of one command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommandResult {
    /// Its verb, as the registry has it; `None` for a line that is no command.
    pub verb: Option<&'static str>,
    /// The board it names.
    pub board: Option<(&'static str, i64)>,
    /// What became of it.
    pub outcome: CommandOutcome,
}

/// What becomes of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandOutcome {
    /// It is done.
    Done,
    /// It is refused.
    Refused(RefusalKind),
    /// Nobody has looked at it further, since its mail is dropped.
    Dropped,
}

impl CommandResult {
    pub(super) fn of(line: &Line, outcome: CommandOutcome) -> Self {
        Self {
            verb: Some(line.command.verb),
            board: line.board(),
            outcome,
        }
    }

    pub(super) fn of_misread(misread: &Misread) -> Self {
        Self {
            verb: misread.command.map(|(_, command)| command.verb),
            board: None,
            outcome: CommandOutcome::Refused(misread.refused.kind),
        }
    }
}
