//! What an operator sets of the door, and the limits for one peer, one session and all sessions together.

use std::path::PathBuf;
use std::time::Duration;

use super::network::Networks;

crate::section! {
    /// The section `[smtp]`: where the door listens, and its limits. A change of a limit applies to new sessions.
    #[derive(Debug, PartialEq, Eq)]
    pub struct Settings {
        /// Where the SMTP door listens; "" switches it off.
        listen: String = "127.0.0.1:2525".into(),
        /// The name in its greeting; "" for the domain of the server's address.
        hostname: String = String::new(),
        /// The certificate chain for STARTTLS, and its key, both PEM, such as Let's Encrypt's fullchain.pem and privkey.pem: the server's
        /// certificate first, then the intermediate ones. "" for no STARTTLS.
        certificate: PathBuf = PathBuf::new(),
        key: PathBuf = PathBuf::new(),
        /// The mail servers that deliver to this one, by address or network; the default is this machine and private networks. They bring
        /// everybody's mail, so they have no greeting pause, no rates, no limit of connections per peer and no end of a session that brings
        /// messages. The same holds for all clients of the LMTP door.
        trusted: Networks = Networks::private(),
        /// The longest message, in bytes; announced in EHLO, and applied at all doors (at the Maildir and IMAP doors after a restart).
        max_message_bytes: usize = 1024 * 1024,
        /// Connections at once in total, the last tenth for trusted ones. LimitNOFILE must be higher. While three quarters are in use,
        /// a session ends at its second refused command or after 10 seconds of silence.
        max_connections: usize = 2000,
        /// New connections, messages and refused commands of one peer, an IPv4 address or an IPv6 /64, in a minute; 0 for no limit. More are
        /// put off (421, 450). The network around a peer, an IPv4 /24 or an IPv6 /48, has four times as many.
        connections_a_minute: u32 = 60,
        messages_a_minute: u32 = 60,
        refusals_a_minute: u32 = 60,
        /// Seconds before the greeting. A client that speaks in them is refused: mail servers wait, many programs that send junk do not.
        greeting_seconds: u64 = 1,
        /// Seconds of silence after which a session ends.
        silence_seconds: u64 = 300,

        // What nobody needs to tune.

        /// The most recipients of one message. Further ones get reply 452; the others are kept (RFC 5321, 4.5.3.1.8).
        #[serde(skip)]
        max_recipients: usize = 100,
        /// The most concurrent connections from one peer.
        #[serde(skip)]
        max_connections_per_peer: usize = 100,
        /// Recipients named by one peer in a minute; 0 for no limit.
        #[serde(skip)]
        recipients_a_minute: u32 = 200,
        /// The most commands in a session since its last accepted message.
        #[serde(skip)]
        max_commands: u32 = 1000,
        /// The most refused commands and messages in a session since its last accepted message.
        #[serde(skip)]
        max_errors: u32 = 20,
        /// The most commands in a session.
        #[serde(skip)]
        max_session_commands: u32 = 10_000,
        /// Seconds after which a session ends, between two commands.
        #[serde(skip)]
        session_seconds: u64 = 3600,
        /// Seconds within which a session must bring an accepted message, from its beginning or from the last one.
        #[serde(skip)]
        message_within_seconds: u64 = 600,
        /// The longest command line in bytes with CRLF: 512 (RFC 5321, 4.5.3.1.4) plus room for parameters.
        #[serde(skip)]
        max_line_bytes: usize = 1000,
        /// The most bytes of all messages being received or handled, counted in steps of 16 KiB. One message of the maximum size
        /// always fits. The last quarter is reserved for messages of up to 64 KiB.
        #[serde(skip)]
        max_held_bytes: usize = 64 * 1024 * 1024,
        /// Seconds for a complete message, from 354 to its end.
        #[serde(skip)]
        message_seconds: u64 = 600,
        /// The slowest rate of a message, once silence_seconds have passed (Postfix's smtpd_min_data_rate).
        #[serde(skip)]
        min_bytes_a_second: usize = 500,
        /// Seconds that handling a message may take before its sender is asked to try again.
        #[serde(skip)]
        verdict_seconds: u64 = 300,
        /// Seconds that open sessions may take to end when the server stops.
        #[serde(skip)]
        grace_seconds: u64 = 10,
    }
}

impl Settings {
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
        let settings = Settings::default();
        let time = |come| settings.message_time(come).as_secs();
        assert_eq!(
            [time(0), time(499), time(50_000), time(10_000_000)],
            [300, 300, 400, 600]
        );
        assert_eq!(settings.under_stress().message_time(5000).as_secs(), 20);
    }

    #[test]
    fn an_absurd_number_of_seconds_is_a_day() {
        assert_eq!(seconds(u64::MAX), Duration::from_secs(86_400));
    }
}
