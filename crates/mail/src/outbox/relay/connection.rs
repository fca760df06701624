//! A connection to the relay: one command, one reply (RFC 5321, section 4.2), bounded in bytes. Time limits are the caller's
//! task.
//!
//! A reply that was read before its command was sent is an error, so the meaning of a reply never shifts to another command.

use std::io::{self, ErrorKind};

use data_encoding::BASE64;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};

use crate::login::{Mechanism, Secret};
use crate::stream::{Encryption, SentEarly, Stream, for_handshake, in_plain_words};

/// The most bytes of a reply, with all its lines. A line may have 512 (RFC 5321, section 4.5.3.1.5), and no reply needs
/// thirty of them.
const REPLY_MAX_BYTES: u64 = 16 * 1024;

/// The longest command, with the end of its line (RFC 5321, section 4.5.3.1.4).
const MAX_COMMAND_BYTES: usize = 510;

/// Why a command has failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum CommandError {
    /// The relay refuses it: 4yz or 5yz.
    #[error("{}", .0.text)]
    Refused(Reply),
    /// The relay answers 2yz for 3yz or the reverse.
    #[error("unexpected reply: {} {}", .0.code, .0.text)]
    Unexpected(Reply),
    #[error(transparent)]
    Early(#[from] SentEarly),
    #[error("the relay offers neither AUTH PLAIN nor AUTH LOGIN")]
    NoMechanism,
    #[error(transparent)]
    Network(io::Error),
}

impl From<io::Error> for CommandError {
    fn from(error: io::Error) -> Self {
        Self::Network(in_plain_words(&error))
    }
}

/// A reply of the relay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reply {
    pub(super) code: u16,
    /// The lines, without the code.
    pub(super) text: String,
}

/// What the relay offers in its reply to EHLO.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Offer {
    pub(super) starttls: bool,
    pub(super) smtputf8: bool,
    auth_plain: bool,
    auth_login: bool,
}

/// An open connection.
pub(super) struct Connection {
    stream: BufReader<Stream>,
}

impl Connection {
    /// Reads the greeting.
    pub(super) async fn greeted(stream: Stream) -> Result<Self, CommandError> {
        let mut connection = Self::over(stream);
        wanted(connection.reply().await?, 2)?;
        Ok(connection)
    }

    fn over(stream: Stream) -> Self {
        let stream = BufReader::new(stream);
        Self { stream }
    }

    /// EHLO.
    pub(super) async fn hello(&mut self, name: &str) -> Result<Offer, CommandError> {
        let reply = self.completed(&format!("EHLO {name}")).await?;
        Ok(Offer::read(&reply.text))
    }

    /// STARTTLS and the handshake (RFC 3207). All that the relay has said before is void: EHLO must follow.
    pub(super) async fn encrypted(mut self, encryption: &Encryption) -> Result<Self, CommandError> {
        self.completed("STARTTLS").await?;
        let plain = for_handshake(self.stream)?;
        Ok(Self::over(encryption.over(plain).await?))
    }

    /// AUTH (RFC 4954) with PLAIN (RFC 4616), or with LOGIN, which a few relays offer alone.
    pub(super) async fn log_in(
        &mut self,
        user: &str,
        password: &Secret,
        offer: &Offer,
    ) -> Result<(), CommandError> {
        let password = password.expose();
        if offer.auth_plain {
            let words = BASE64.encode(format!("\0{user}\0{password}").as_bytes());
            self.completed(&format!("AUTH PLAIN {words}")).await?;
        } else if offer.auth_login {
            self.intermediate("AUTH LOGIN").await?;
            self.intermediate(&BASE64.encode(user.as_bytes())).await?;
            self.completed(&BASE64.encode(password.as_bytes())).await?;
        } else {
            return Err(CommandError::NoMechanism);
        }
        Ok(())
    }

    /// AUTH with a token, whose mechanism the relay need not have offered: its refusal is the clearer answer.
    pub(super) async fn log_in_by_token(
        &mut self,
        mechanism: Mechanism,
        message: &str,
    ) -> Result<(), CommandError> {
        let whole = format!("AUTH {} {message}", mechanism.name());
        // A token may be longer than a command (RFC 4954, section 4), but not longer than an answer.
        let reply = if whole.len() <= MAX_COMMAND_BYTES {
            self.ask_any(&whole).await?
        } else {
            self.intermediate(&format!("AUTH {}", mechanism.name())).await?;
            self.ask_any(message).await?
        };
        match reply.code {
            334 => self.completed(mechanism.answer_to_refusal()).await.map(drop),
            _ => wanted(reply, 2).map(drop),
        }
    }

    /// A line, and the reply whatever it is.
    async fn ask_any(&mut self, line: &str) -> Result<Reply, CommandError> {
        self.tell(&format!("{line}\r\n")).await?;
        Ok(self.reply().await?)
    }

    /// A command that the relay completes (2yz).
    pub(super) async fn completed(&mut self, command: &str) -> Result<Reply, CommandError> {
        self.ask(&format!("{command}\r\n"), 2).await
    }

    /// A command that the relay waits to be continued (3yz).
    pub(super) async fn intermediate(&mut self, command: &str) -> Result<Reply, CommandError> {
        self.ask(&format!("{command}\r\n"), 3).await
    }

    /// The message with its end of data, after DATA.
    pub(super) async fn message(&mut self, data: &str) -> Result<Reply, CommandError> {
        self.ask(data, 2).await
    }

    async fn ask(&mut self, words: &str, wanted_digit: u16) -> Result<Reply, CommandError> {
        self.tell(words).await?;
        wanted(self.reply().await?, wanted_digit)
    }

    async fn tell(&mut self, words: &str) -> Result<(), CommandError> {
        if !self.stream.buffer().is_empty() {
            return Err(unreadable("the relay sent a reply to no command").into());
        }
        self.stream.write_all(words.as_bytes()).await?;
        Ok(self.stream.flush().await?)
    }

    async fn reply(&mut self) -> io::Result<Reply> {
        let mut stream = (&mut self.stream).take(REPLY_MAX_BYTES);
        let mut texts = Vec::new();
        let mut first = None;
        loop {
            let mut line = Vec::new();
            stream.read_until(b'\n', &mut line).await?;
            if !line.ends_with(b"\n") && stream.limit() == 0 {
                return Err(unreadable("the relay's reply is too long"));
            }
            if !line.ends_with(b"\n") {
                let closed = "the relay has closed the connection";
                return Err(io::Error::new(ErrorKind::UnexpectedEof, closed));
            }
            let read = reply_line(&line).filter(|(code, ..)| code == first.get_or_insert(*code));
            let Some((code, is_last, text)) = read else {
                return Err(unreadable("the relay's reply is not SMTP"));
            };
            texts.push(String::from_utf8_lossy(text).into_owned());
            if is_last {
                let text = texts.join("\n");
                return Ok(Reply { code, text });
            }
        }
    }
}

/// The code of a line of a reply, whether the line is the last, and its text (RFC 5321, section 4.2).
fn reply_line(line: &[u8]) -> Option<(u16, bool, &[u8])> {
    let line = line.strip_suffix(b"\r\n")?;
    let (digits, rest) = line.split_at_checked(3)?;
    let code = match digits {
        [b'2'..=b'5', b'0'..=b'9', b'0'..=b'9'] => digits
            .iter()
            .fold(0, |code, digit| code * 10 + u16::from(digit - b'0')),
        _ => return None,
    };
    match rest {
        [] => Some((code, true, rest)),
        [b' ', text @ ..] => Some((code, true, text)),
        [b'-', text @ ..] => Some((code, false, text)),
        _ => None,
    }
}

fn wanted(reply: Reply, first_digit: u16) -> Result<Reply, CommandError> {
    match reply.code / 100 {
        digit if digit == first_digit => Ok(reply),
        4 | 5 => Err(CommandError::Refused(reply)),
        _ => Err(CommandError::Unexpected(reply)),
    }
}

fn unreadable(what: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, what)
}

impl Offer {
    /// Reads the lines of a reply to EHLO; the first is the relay's name.
    fn read(text: &str) -> Self {
        let mut offer = Self::default();
        for line in text.lines().skip(1) {
            let line = line.to_ascii_uppercase();
            let mut words = line.split_ascii_whitespace();
            match words.next() {
                Some("STARTTLS") => offer.starttls = true,
                Some("SMTPUTF8") => offer.smtputf8 = true,
                Some("AUTH") => words.for_each(|mechanism| match mechanism {
                    "PLAIN" => offer.auth_plain = true,
                    "LOGIN" => offer.auth_login = true,
                    _ => {}
                }),
                _ => {}
            }
        }
        offer
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tokio::io::{DuplexStream, duplex};

    use super::*;
    use crate::login::Login;

    /// A connection whose relay says this, ahead of time.
    async fn hearing(words: &str) -> (Connection, DuplexStream) {
        let (ours, mut relay) = duplex(1 << 20);
        relay.write_all(words.as_bytes()).await.unwrap();
        (Connection::over(Box::new(ours)), relay)
    }

    async fn reply_of(words: &str) -> Result<(u16, String), String> {
        let (mut connection, relay) = hearing(words).await;
        drop(relay);
        let reply = connection.reply().await;
        reply
            .map(|reply| (reply.code, reply.text))
            .map_err(|error| error.to_string())
    }

    #[tokio::test]
    async fn a_reply_is_one_code_and_its_lines() {
        for (words, code, text) in [
            ("250 ok\r\n", 250, "ok"),
            ("250\r\n", 250, ""),
            ("550-no\r\n550-such\r\n550 user\r\n", 550, "no\nsuch\nuser"),
            ("421 4.3.2 closing\r\n250 more", 421, "4.3.2 closing"),
        ] {
            assert_eq!(reply_of(words).await, Ok((code, text.to_owned())), "{words}");
        }
    }

    #[tokio::test]
    async fn what_is_no_reply_is_an_error() {
        let long = "2".repeat(20_000);
        let many = "250-go on\r\n".repeat(2_000);
        for (words, error) in [
            ("250 ok\n", "is not SMTP"),
            ("25 ok\r\n", "is not SMTP"),
            ("150 ok\r\n", "is not SMTP"),
            ("650 ok\r\n", "is not SMTP"),
            ("2500 ok\r\n", "is not SMTP"),
            ("\r\n", "is not SMTP"),
            ("250-ok\r\n550 no\r\n", "is not SMTP"),
            ("250 o", "has closed the connection"),
            ("250-ok\r\n", "has closed the connection"),
            (&long, "is too long"),
            (&many, "is too long"),
        ] {
            let found = reply_of(words).await.unwrap_err();
            assert!(found.contains(error), "{found}: {words}");
        }
    }

    #[tokio::test]
    async fn a_reply_to_no_command_is_not_taken_for_one() {
        let (mut connection, _relay) = hearing("250 ok\r\n250 ok\r\n").await;
        connection.completed("NOOP").await.unwrap();
        let error = connection.completed("NOOP").await.unwrap_err();
        assert_eq!(error.to_string(), "the relay sent a reply to no command");
    }

    #[tokio::test]
    async fn one_byte_before_the_handshake_ends_the_connection() {
        for more in ["2", "250 ok\r\n"] {
            let (connection, _relay) = hearing(&format!("220 go\r\n{more}")).await;
            let roots = tokio_rustls::rustls::RootCertStore::empty();
            let encryption = Encryption::with("relay.example", roots).unwrap();
            let error = connection.encrypted(&encryption).await.err().unwrap();
            assert!(matches!(error, CommandError::Early(_)), "{error}");
        }
    }

    #[tokio::test]
    async fn a_relay_with_login_alone_is_logged_in_to() {
        let (mut connection, mut relay) = duplex_pair();
        let login = Login::with_password("delivery", "hunter2");
        let password = login.secret().await.unwrap();
        let conversation = async {
            let offer = connection.hello("us.example").await.unwrap();
            connection.log_in("us@er", &password, &offer).await.unwrap();
        };
        let answers = async {
            for (command, reply) in [
                (
                    "EHLO us.example",
                    "250-relay\r\n250-auth GSSAPI login\r\n250 SIZE",
                ),
                ("AUTH LOGIN", "334 VXNlcm5hbWU6"),
                ("dXNAZXI=", "334 UGFzc3dvcmQ6"),
                ("aHVudGVyMg==", "235 welcome"),
            ] {
                let mut line = String::new();
                relay.read_line(&mut line).await.unwrap();
                assert_eq!(line, format!("{command}\r\n"));
                relay.write_all(format!("{reply}\r\n").as_bytes()).await.unwrap();
            }
        };
        tokio::join!(conversation, answers);
        let none = connection
            .log_in("us@er", &password, &Offer::default())
            .await
            .unwrap_err();
        assert!(matches!(none, CommandError::NoMechanism));
    }

    fn duplex_pair() -> (Connection, BufReader<DuplexStream>) {
        let (ours, relay) = duplex(4096);
        (Connection::over(Box::new(ours)), BufReader::new(relay))
    }

    proptest! {
        #[test]
        fn no_line_breaks_the_reader(line in proptest::collection::vec(any::<u8>(), 0..20)) {
            if let Some((code, _, text)) = reply_line(&line) {
                prop_assert!((200..600).contains(&code) && text.len() + 5 <= line.len());
            }
        }
    }
}
