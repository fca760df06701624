//! Limits for one peer, one session and all sessions together.

use std::time::Duration;

use serde::Deserialize;

/// The limits of a listener. A change applies to new sessions.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// The longest message in bytes, announced as SIZE in the reply to EHLO (RFC 1870).
    pub max_message_bytes: usize,
    /// The most recipients of one message. Further ones get reply 452; the others are kept (RFC 5321,
    /// 4.5.3.1.8).
    pub max_recipients: usize,
    /// The most concurrent connections.
    pub max_connections: usize,
    /// The most concurrent connections from one peer: an IPv4 address or an IPv6 /64. This machine is exempt,
    /// because a local relay brings everybody's mail.
    pub max_connections_per_peer: usize,
    /// The most commands in a session since its last accepted message.
    pub max_commands: u32,
    /// The most refused commands and messages in a session since its last accepted message.
    pub max_errors: u32,
    /// The longest command line in bytes with CRLF: 512 (RFC 5321, 4.5.3.1.4) plus room for parameters.
    pub max_line_bytes: usize,
    /// The most bytes of all messages being received or handled, counted in steps of 16 KiB. One message of
    /// the maximum size always fits. The last quarter is reserved for messages of up to 64 KiB.
    pub max_held_bytes: usize,
    /// Seconds for a complete command line, between two reads of a message, and for sending replies (RFC
    /// 5321, 4.5.3.2.7 asks for five minutes).
    pub silence_seconds: u64,
    /// Seconds for a complete message, from 354 to its end.
    pub message_seconds: u64,
    /// Seconds that handling a message may take before its sender is asked to try again.
    pub verdict_seconds: u64,
    /// Seconds that open sessions may take to end when the server stops.
    pub grace_seconds: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_message_bytes: 1024 * 1024,
            max_recipients: 100,
            max_connections: 2000,
            max_connections_per_peer: 100,
            max_commands: 1000,
            max_errors: 20,
            max_line_bytes: 1000,
            max_held_bytes: 64 * 1024 * 1024,
            silence_seconds: 300,
            message_seconds: 600,
            verdict_seconds: 300,
            grace_seconds: 10,
        }
    }
}

impl Limits {
    pub(super) fn silence(&self) -> Duration {
        seconds(self.silence_seconds)
    }

    pub(super) fn message_time(&self) -> Duration {
        seconds(self.message_seconds)
    }

    pub(super) fn verdict_time(&self) -> Duration {
        seconds(self.verdict_seconds)
    }

    pub(super) fn grace(&self) -> Duration {
        seconds(self.grace_seconds)
    }
}

/// A configured number of seconds, at most a day, so that adding it to an instant never overflows.
fn seconds(configured: u64) -> Duration {
    Duration::from_secs(configured.min(86_400))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_sets_some_and_leaves_the_others() {
        let limits: Limits = toml::from_str("max_message_bytes = 5000").unwrap();
        let expected = Limits {
            max_message_bytes: 5000,
            ..Limits::default()
        };
        assert_eq!(limits, expected);
        assert!(toml::from_str::<Limits>("max_mesage_bytes = 5000").is_err());
    }

    #[test]
    fn an_absurd_number_of_seconds_is_a_day() {
        assert_eq!(seconds(u64::MAX), Duration::from_secs(86_400));
    }
}
