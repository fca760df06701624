//! One SMTP connection to the relay, and what each failure on it means (RFC 5321, section 4.2.1).

use std::future::Future;
use std::io;
use std::time::Duration;

use tokio::net::{TcpStream, lookup_host};
use tokio::time::timeout;

use super::super::header::one_line;
use super::super::{Failure, Reach};
use super::connection::{CommandError, Connection, Offer};
use super::url::{RelayUrl, Tls};
use crate::login::{Login, NoSecret, Secret};
use crate::stream::{Encryption, Stream};

/// Characters of a reply that are logged.
const MAX_REPLY_CHARS: usize = 300;
/// Time limit for QUIT.
const FAREWELL: Duration = Duration::from_secs(2);

/// The step of a delivery that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// Name resolution, connection, encryption, greeting, EHLO.
    Connect,
    /// STARTTLS.
    Tls,
    /// AUTH.
    Auth,
    /// Before MAIL: the relay does not offer what the addresses need.
    Script,
    /// MAIL: the relay decides whether it serves us at all.
    Mail,
    /// RCPT.
    Rcpt,
    /// DATA, until the reply 354.
    Data,
    /// The message, until its reply.
    Message,
}

impl Stage {
    fn name(self) -> &'static str {
        match self {
            Self::Connect => "connecting",
            Self::Tls => "STARTTLS",
            Self::Auth => "AUTH",
            Self::Script => "EHLO",
            Self::Mail => "MAIL",
            Self::Rcpt => "RCPT",
            Self::Data => "DATA",
            Self::Message => "the message",
        }
    }
}

/// A failed step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StepError {
    pub(super) stage: Stage,
    /// The reply code; `None` for a timeout, a lost connection or an unreadable reply.
    pub(super) code: Option<u16>,
    text: String,
}

impl StepError {
    pub(super) fn new(stage: Stage, code: Option<u16>, text: &str) -> Self {
        let text = one_line(text, MAX_REPLY_CHARS);
        Self { stage, code, text }
    }

    fn of(stage: Stage, error: &CommandError) -> Self {
        let code = match error {
            CommandError::Refused(reply) => Some(reply.code),
            _ => None,
        };
        Self::new(stage, code, &error.to_string())
    }
}

impl From<StepError> for Failure {
    /// Only a permanent refusal of this recipient or this message ends a mail. A failure before RCPT says
    /// nothing about the mail: if the relay does not let us in or refuses our sender, the operator must act.
    /// The same holds for later replies that complain about the session: not understood (500, 502), bad
    /// sequence (503), no mail here (521, RFC 7504), log in or encrypt first (530 to 538, RFC 4954).
    fn from(error: StepError) -> Self {
        let StepError { stage, code, text } = error;
        let name = stage.name();
        let why = code.map_or_else(
            || format!("relay, {name}: {text}"),
            |code| format!("relay, {name}: {code} {text}"),
        );
        match (stage, code) {
            (Stage::Script, _) => Self::Unsupported(why),
            (Stage::Connect | Stage::Tls | Stage::Auth | Stage::Mail, _) => Self::Down(why),
            (_, Some(500 | 502 | 503 | 521 | 530 | 534 | 535 | 538)) => Self::Temporary(why),
            (_, Some(500..=599)) => Self::Permanent(why),
            _ => Self::Temporary(why),
        }
    }
}

/// How to open a session.
pub(super) struct Server {
    pub(super) url: RelayUrl,
    /// Our name in EHLO.
    pub(super) hello: String,
    pub(super) encryption: Encryption,
    /// The user and how to log in.
    pub(super) login: Option<(String, Login)>,
    /// The time limit for one command.
    pub(super) timeout: Duration,
    /// Where it says which addresses the relay takes.
    pub(super) reach: Reach,
}

impl Server {
    /// Connects, and encrypts at once if TLS is wrapped; to the reply to EHLO.
    async fn connect(&self) -> Result<(Connection, Offer), CommandError> {
        let mut stream = self.tcp().await?;
        if self.url.tls == Tls::Wrapped {
            stream = self.encryption.over(stream).await?;
        }
        let mut connection = Connection::greeted(stream).await?;
        let offer = connection.hello(&self.hello).await?;
        Ok((connection, offer))
    }

    async fn tcp(&self) -> io::Result<Stream> {
        let mut failure = io::Error::other("the relay's name has no address");
        for address in lookup_host((self.url.host.as_str(), self.url.port)).await? {
            // If one of several addresses does not answer, there is time left to try the next.
            match timeout(self.timeout / 3, TcpStream::connect(address)).await {
                Ok(Ok(stream)) => {
                    // Each command and the message is written at once: no need to wait for more (Nagle).
                    stream.set_nodelay(true)?;
                    return Ok(Box::new(stream));
                }
                Ok(Err(error)) => failure = error,
                Err(_) => failure = io::ErrorKind::TimedOut.into(),
            }
        }
        Err(failure)
    }

    /// STARTTLS, to the reply to the second EHLO. What the relay has offered before it is void.
    async fn encrypt(&self, connection: Connection) -> Result<(Connection, Offer), CommandError> {
        let mut connection = connection.encrypted(&self.encryption).await?;
        let offer = connection.hello(&self.hello).await?;
        Ok((connection, offer))
    }
}

/// An open connection, greeted, encrypted and logged in as configured.
pub(super) struct Session {
    connection: Connection,
    mails: u32,
    offer: Offer,
}

impl Session {
    pub(super) async fn open(server: &Server) -> Result<Self, StepError> {
        let limit = server.timeout;
        let (mut connection, mut offer) = within(limit, Stage::Connect, server.connect()).await?;
        match server.url.tls {
            Tls::Opportunistic | Tls::Required if offer.starttls => {
                (connection, offer) = within(limit, Stage::Tls, server.encrypt(connection)).await?;
            }
            Tls::Required => {
                let text = "the relay does not offer encryption";
                return Err(StepError::new(Stage::Tls, None, text));
            }
            Tls::Never | Tls::Opportunistic | Tls::Wrapped => {}
        }
        if let Some((user, login)) = &server.login {
            log_in(&mut connection, server, user, login, &offer).await?;
        }
        server.reach.learn(offer.smtputf8);
        Ok(Self {
            connection,
            mails: 0,
            offer,
        })
    }

    /// Whether the relay takes addresses in any script.
    pub(super) fn offers_utf8(&self) -> bool {
        self.offer.smtputf8
    }

    /// One mail transaction (RFC 5321, section 3.3).
    pub(super) async fn send(
        &mut self,
        from: &str,
        to: &str,
        message: &[u8],
        limit: Duration,
    ) -> Result<(), StepError> {
        let needs_utf8 = !(from.is_ascii() && to.is_ascii());
        if needs_utf8 && !self.offer.smtputf8 {
            let text = "the relay does not offer SMTPUTF8, so it takes no address outside US-ASCII";
            return Err(StepError::new(Stage::Script, None, text));
        }
        self.mails += 1;
        let connection = &mut self.connection;
        // A relay with SMTPUTF8 has 8BITMIME too (RFC 6531, section 3.1).
        let parameters = if needs_utf8 { " BODY=8BITMIME SMTPUTF8" } else { "" };
        let from = format!("MAIL FROM:<{from}>{parameters}");
        within(limit, Stage::Mail, connection.completed(&from)).await?;
        let to = format!("RCPT TO:<{to}>");
        within(limit, Stage::Rcpt, connection.completed(&to)).await?;
        within(limit, Stage::Data, connection.intermediate("DATA")).await?;
        let data = transparent(message);
        within(limit * 5, Stage::Message, connection.message(&data)).await?;
        Ok(())
    }

    /// The number of mails begun on this connection.
    pub(super) fn mails(&self) -> u32 {
        self.mails
    }

    /// Resets a failed transaction; returns whether the connection can be reused.
    pub(super) async fn reset(&mut self, limit: Duration) -> bool {
        let reset = self.connection.completed("RSET");
        within(limit, Stage::Mail, reset).await.is_ok()
    }

    /// Sends QUIT if the relay still answers, and closes.
    pub(super) async fn close(mut self) {
        let _ = timeout(FAREWELL, self.connection.completed("QUIT")).await;
    }
}

/// Logs in; with another secret if the relay refuses the one that was kept.
async fn log_in(
    connection: &mut Connection,
    server: &Server,
    user: &str,
    login: &Login,
    offer: &Offer,
) -> Result<(), StepError> {
    let secret = login.secret().await?;
    let refused = match try_to_log_in(connection, server, user, login, &secret, offer).await {
        Err(error) if error.code.is_some_and(|code| code / 100 == 5) => error,
        other => return other,
    };
    match login.another(&secret).await? {
        Some(other) => try_to_log_in(connection, server, user, login, &other, offer).await,
        None => Err(refused),
    }
}

async fn try_to_log_in(
    connection: &mut Connection,
    server: &Server,
    user: &str,
    login: &Login,
    secret: &Secret,
    offer: &Offer,
) -> Result<(), StepError> {
    let limit = server.timeout;
    let mut message = String::new();
    let done = match login.auth().token_mechanism() {
        Some(mechanism) => {
            message = mechanism.message(user, secret, &server.url.host, server.url.port);
            let tried = connection.log_in_by_token(mechanism, &message);
            within(limit, Stage::Auth, tried).await
        }
        None => within(limit, Stage::Auth, connection.log_in(user, secret, offer)).await,
    };
    done.map_err(|error| StepError {
        text: secret.removed_from(&error.text, &message),
        ..error
    })
}

impl From<NoSecret> for StepError {
    fn from(error: NoSecret) -> Self {
        Self::new(Stage::Auth, None, &error.to_string())
    }
}

/// The message as sent after DATA: dots at line starts doubled, and the end of data appended (RFC 5321,
/// section 4.5.2).
pub(super) fn transparent(bytes: &[u8]) -> String {
    // Messages are pure ASCII.
    let text = String::from_utf8_lossy(bytes);
    let mut data = text.replace("\r\n.", "\r\n..");
    if data.starts_with('.') {
        data.insert(0, '.');
    }
    if !data.ends_with("\r\n") {
        data.push_str("\r\n");
    }
    data.push_str(".\r\n");
    data
}

/// Awaits one step, with a time limit.
async fn within<T>(
    limit: Duration,
    stage: Stage,
    step: impl Future<Output = Result<T, CommandError>>,
) -> Result<T, StepError> {
    match timeout(limit, step).await {
        Ok(done) => done.map_err(|e| StepError::of(stage, &e)),
        Err(_) => {
            let text = format!("no answer within {} seconds", limit.as_secs_f32());
            Err(StepError::new(stage, None, &text))
        }
    }
}
