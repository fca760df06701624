//! How far a session has come, against its limits in time and commands.
//!
//! The limits are checked between commands only, so no message is cut by them; it has a rate of its own.

use tokio::time::Instant;

use super::end::End;
use super::settings::Settings;

/// Counters against the limits.
#[derive(Debug)]
pub(super) struct Progress {
    began: Instant,
    pub(super) accepted: u64,
    all_commands: u32,
    /// When the last message was accepted, or the session began.
    since: Instant,
    /// Since then.
    commands: u32,
    /// Since then.
    pub(super) errors: u32,
}

impl Progress {
    pub(super) fn begin() -> Self {
        let now = Instant::now();
        Self {
            began: now,
            accepted: 0,
            all_commands: 0,
            since: now,
            commands: 0,
            errors: 0,
        }
    }

    /// A message was accepted.
    pub(super) fn accept(&mut self) {
        *self = Self {
            accepted: self.accepted + 1,
            since: Instant::now(),
            commands: 0,
            errors: 0,
            ..*self
        };
    }

    /// Until when the session may wait for a command, and why it ends then.
    pub(super) fn bound(&self, settings: &Settings, is_trusted: bool) -> (Instant, End) {
        let message = self.since + settings.time_to_a_message();
        let session = self.began + settings.session_time();
        if session < message && !is_trusted {
            (session, End::OldSession)
        } else {
            (message, End::NoMessage)
        }
    }

    /// Counts a command.
    ///
    /// # Errors
    /// It was one too many.
    pub(super) fn command(&mut self, settings: &Settings, is_trusted: bool) -> Result<(), End> {
        self.commands += 1;
        self.all_commands = self.all_commands.saturating_add(1);
        if self.commands > settings.max_commands {
            return Err(End::TooManyCommands);
        }
        if self.all_commands > settings.max_session_commands && !is_trusted {
            return Err(End::LongSession);
        }
        Ok(())
    }
}
