//! Limits for one peer, one session and all sessions together.

use std::time::Duration;

use super::network::Networks;

/// The limits of a listener. A change applies to new sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The clients of the SMTP door that are mail servers of the operator. They bring everybody's mail, so only
    /// the limits of a message and of a session without messages hold for them.
    pub trusted: Networks,
    /// The longest message in bytes, announced as SIZE in the reply to EHLO (RFC 1870).
    pub max_message_bytes: usize,
    /// The most recipients of one message. Further ones get reply 452; the others are kept (RFC 5321,
    /// 4.5.3.1.8).
    pub max_recipients: usize,
    /// The most concurrent connections. The last tenth is reserved for trusted clients.
    pub max_connections: usize,
    /// The most concurrent connections from one peer: an IPv4 address or an IPv6 /64.
    pub max_connections_per_peer: usize,
    /// New connections that one peer may open in a minute; 0 for no limit, here and in the next three. The network
    /// around it, an IPv4 /24 or an IPv6 /48, has four times as many.
    pub connections_a_minute: u32,
    /// Messages from one peer in a minute.
    pub messages_a_minute: u32,
    /// Recipients named by one peer in a minute.
    pub recipients_a_minute: u32,
    /// Commands and messages of one peer that are refused in a minute. After them its sessions end.
    pub refusals_a_minute: u32,
    /// Seconds before the greeting in which a client that already speaks is refused.
    pub greeting_seconds: u64,
    /// The most commands in a session since its last accepted message.
    pub max_commands: u32,
    /// The most refused commands and messages in a session since its last accepted message.
    pub max_errors: u32,
    /// The most commands in a session.
    pub max_session_commands: u32,
    /// Seconds after which a session ends, between two commands.
    pub session_seconds: u64,
    /// Seconds within which a session must bring an accepted message, from its beginning or from the last one.
    pub message_within_seconds: u64,
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
    /// The slowest rate of a message, once `silence_seconds` have passed (Postfix's smtpd_min_data_rate).
    pub min_bytes_a_second: usize,
    /// Seconds that handling a message may take before its sender is asked to try again.
    pub verdict_seconds: u64,
    /// Seconds that open sessions may take to end when the server stops.
    pub grace_seconds: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            trusted: Networks::private(),
            max_message_bytes: 1024 * 1024,
            max_recipients: 100,
            max_connections: 2000,
            max_connections_per_peer: 100,
            connections_a_minute: 60,
            messages_a_minute: 60,
            recipients_a_minute: 200,
            refusals_a_minute: 60,
            greeting_seconds: 1,
            max_commands: 1000,
            max_errors: 20,
            max_session_commands: 10_000,
            session_seconds: 3600,
            message_within_seconds: 600,
            max_line_bytes: 1000,
            max_held_bytes: 64 * 1024 * 1024,
            silence_seconds: 300,
            message_seconds: 600,
            min_bytes_a_second: 500,
            verdict_seconds: 300,
            grace_seconds: 10,
        }
    }
}

impl Limits {
    /// The limits while most connections are in use: those of Postfix under stress.
    pub(super) fn under_stress(&self) -> Self {
        Self {
            silence_seconds: self.silence_seconds.min(10),
            max_errors: self.max_errors.min(1),
            greeting_seconds: 0,
            ..self.clone()
        }
    }

    pub(super) fn silence(&self) -> Duration {
        seconds(self.silence_seconds)
    }

    pub(super) fn greeting_time(&self) -> Duration {
        seconds(self.greeting_seconds)
    }

    pub(super) fn session_time(&self) -> Duration {
        seconds(self.session_seconds)
    }

    pub(super) fn time_to_a_message(&self) -> Duration {
        seconds(self.message_within_seconds)
    }

    /// The time for a message of which this many bytes have come.
    pub(super) fn message_time(&self, come: usize) -> Duration {
        let earned = come.checked_div(self.min_bytes_a_second).unwrap_or(usize::MAX);
        let earned = seconds(u64::try_from(earned).unwrap_or(u64::MAX));
        seconds(self.message_seconds).min(self.silence() + earned)
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
    fn a_slow_message_has_less_time_than_a_fast_one_and_none_has_more_than_the_longest() {
        let limits = Limits::default();
        let time = |come| limits.message_time(come).as_secs();
        assert_eq!(
            [time(0), time(499), time(50_000), time(10_000_000)],
            [300, 300, 400, 600]
        );
        assert_eq!(limits.under_stress().message_time(5000).as_secs(), 20);
    }

    #[test]
    fn an_absurd_number_of_seconds_is_a_day() {
        assert_eq!(seconds(u64::MAX), Duration::from_secs(86_400));
    }
}
