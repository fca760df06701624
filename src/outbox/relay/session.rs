//! One SMTP connection to the relay, and what each failure on it means (RFC 5321, section 4.2.1).

use std::error::Error as _;
use std::future::Future;
use std::time::Duration;

use lettre::transport::smtp::Error;
use lettre::transport::smtp::authentication::{Credentials, DEFAULT_MECHANISMS};
use lettre::transport::smtp::client::{AsyncSmtpConnection, TlsParameters};
use lettre::transport::smtp::commands::Data;
use lettre::transport::smtp::extension::ClientId;
use lettre::transport::smtp::response::Severity;

use super::super::header::one_line;
use super::super::{Built, Failure, Outgoing};
use super::url::{RelayUrl, Tls};

/// Characters of a reply that are logged.
const LONGEST_REPLY_CHARS: usize = 300;
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
        let text = one_line(text, LONGEST_REPLY_CHARS);
        Self { stage, code, text }
    }

    fn of(stage: Stage, e: &Error) -> Self {
        let code = e.status().and_then(|code| code.to_string().parse().ok());
        let text = match (code, e.source()) {
            (Some(_), Some(reply)) => reply.to_string(),
            _ => e.to_string(),
        };
        Self::new(stage, code, &text)
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
    pub(super) hello: ClientId,
    /// `None` if the connection is never encrypted.
    pub(super) tls: Option<TlsParameters>,
    pub(super) credentials: Option<Credentials>,
    /// The time limit for one command.
    pub(super) timeout: Duration,
}

/// An open connection, greeted, encrypted and logged in as configured.
pub(super) struct Session {
    connection: AsyncSmtpConnection,
    mails: u32,
}

impl Session {
    pub(super) async fn open(server: &Server) -> Result<Self, StepError> {
        let wrapped = match server.url.tls {
            Tls::Wrapped => server.tls.clone(),
            Tls::Never | Tls::Opportunistic | Tls::Required => None,
        };
        let address = (server.url.host.as_str(), server.url.port);
        // If one of several addresses does not answer, there is time left to try the next.
        let each_address = Some(server.timeout / 3);
        let opening =
            AsyncSmtpConnection::connect_tokio1(address, each_address, &server.hello, wrapped, None);
        let mut connection = within(server.timeout, Stage::Connect, opening).await?;
        if let (Tls::Opportunistic | Tls::Required, Some(tls)) = (server.url.tls, &server.tls) {
            if connection.can_starttls() {
                let upgrade = connection.starttls(tls.clone(), &server.hello);
                within(server.timeout, Stage::Tls, upgrade).await?;
            } else if server.url.tls == Tls::Required {
                return Err(StepError::new(
                    Stage::Tls,
                    None,
                    "the relay does not offer encryption",
                ));
            }
        }
        if let Some(credentials) = &server.credentials {
            let login = connection.auth(DEFAULT_MECHANISMS, credentials);
            within(server.timeout, Stage::Auth, login).await?;
        }
        Ok(Self { connection, mails: 0 })
    }

    /// One mail transaction (RFC 5321, section 3.3).
    pub(super) async fn send(
        &mut self,
        built: &Built,
        mail: &Outgoing,
        timeout: Duration,
    ) -> Result<(), StepError> {
        self.mails += 1;
        let connection = &mut self.connection;
        let from = format!("MAIL FROM:<{}>\r\n", built.envelope_sender);
        within(timeout, Stage::Mail, connection.command(from)).await?;
        let to = format!("RCPT TO:<{}>\r\n", mail.to);
        within(timeout, Stage::Rcpt, connection.command(to)).await?;
        let go_ahead = within(timeout, Stage::Data, connection.command(Data)).await?;
        if !go_ahead.has_code(354) {
            return Err(StepError::new(
                Stage::Data,
                None,
                "the relay did not answer DATA with 354",
            ));
        }
        // In one write: a separate packet for the end of data would wait for the peer's delayed
        // acknowledgement, 40 ms for each mail.
        let data = transparent(&built.bytes);
        let taken = within(timeout * 5, Stage::Message, connection.command(data)).await?;
        if taken.code().severity != Severity::PositiveCompletion {
            return Err(StepError::new(
                Stage::Message,
                None,
                "the relay did not confirm that it accepted the message",
            ));
        }
        Ok(())
    }

    /// The number of mails begun on this connection.
    pub(super) fn mails(&self) -> u32 {
        self.mails
    }

    /// Resets a failed transaction; returns whether the connection can be reused.
    pub(super) async fn reset(&mut self, timeout: Duration) -> bool {
        let reset = self.connection.command("RSET\r\n");
        within(timeout, Stage::Mail, reset).await.is_ok()
    }

    /// Sends QUIT if the relay still answers, and closes.
    pub(super) async fn close(mut self) {
        let _ = tokio::time::timeout(FAREWELL, self.connection.quit()).await;
    }
}

/// The message as sent after DATA: dots at line starts doubled, and the end of data appended (RFC 5321,
/// section 4.5.2).
pub(super) fn transparent(bytes: &[u8]) -> String {
    // `build` makes pure ASCII.
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
    step: impl Future<Output = Result<T, Error>>,
) -> Result<T, StepError> {
    match tokio::time::timeout(limit, step).await {
        Ok(done) => done.map_err(|e| StepError::of(stage, &e)),
        Err(_) => {
            let text = format!("no answer within {} seconds", limit.as_secs_f32());
            Err(StepError::new(stage, None, &text))
        }
    }
}
