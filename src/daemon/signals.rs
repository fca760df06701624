//! The signals that the daemon takes.

use tokio::signal::unix::{Signal, SignalKind, signal};

/// What a signal asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ServeSignal {
    /// SIGTERM or SIGINT.
    Stop,
    /// SIGHUP: read the configuration again.
    Reload,
}

/// The signals, once they are taken.
pub(super) struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hangup: Signal,
}

impl Signals {
    /// Takes them from now on.
    pub(super) fn take() -> std::io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    /// The next one.
    pub(super) async fn next(&mut self) -> ServeSignal {
        tokio::select! {
            _ = self.terminate.recv() => ServeSignal::Stop,
            _ = self.interrupt.recv() => ServeSignal::Stop,
            _ = self.hangup.recv() => ServeSignal::Reload,
        }
    }
}
