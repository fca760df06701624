//! The outcome of each command, for the log and the metrics.

use crate::command::{Line, Misread, RefusalKind};

/// One command and its outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommandResult {
    /// Its verb as in `COMMANDS`; `None` for a line that is not a command.
    pub verb: Option<&'static str>,
    /// The game and number of the board that it names.
    pub board: Option<(&'static str, i64)>,
    /// Whether it was carried out.
    pub outcome: CommandOutcome,
}

/// The outcome of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandOutcome {
    /// Carried out.
    Done,
    Refused(RefusalKind),
    /// Not carried out, because its mail is dropped.
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
