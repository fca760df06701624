//! Delivery to an SMTP relay, command by command, because the meaning of a failure depends on the command.

mod connection;
mod session;
mod url;

use std::fmt;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio_rustls::rustls::RootCertStore;

use session::{Server, Session, Stage, StepError};
use url::{RelayUrl, Tls, is_host};

use super::{Built, Failure, Outgoing, Reach};
use crate::login::Login;
use crate::stream::{Encryption, roots_of, system_roots};

pub use url::BadRelay;

/// Mails over one connection. Many relays close a connection after a hundred.
const MAX_PER_CONNECTION: u32 = 90;

/// A relay: an MTA that accepts all our mails and delivers them.
///
/// Connections are kept and reused; concurrent deliveries open several. If a reused connection fails at MAIL,
/// the relay has closed it, so one new connection is tried.
pub struct Relay {
    server: Server,
    kept: Mutex<Vec<Session>>,
}

impl Relay {
    /// The default time limit for one command. The message itself may take five times as long.
    pub const TIMEOUT: Duration = Duration::from_secs(60);

    /// The relay at this URL: `smtps://USER@HOST:PORT`, `smtp://HOST:PORT?tls=required`, `smtp://HOST`. A
    /// path, if present, is our name in EHLO.
    ///
    /// # Errors
    /// [`BadRelay`]: what to change in the configuration. A password is never sent over an unencrypted
    /// connection.
    pub fn new(url: &str, login: Option<Login>) -> Result<Self, BadRelay> {
        let url = RelayUrl::parse(url)?;
        let login = match (&url.user, login) {
            (Some(user), Some(login)) => Some((user.clone(), login)),
            (None, None) => None,
            (Some(_), None) => {
                return Err(BadRelay(
                    "the relay's URL names a user, but there is no password: put it into the password file"
                        .to_owned(),
                ));
            }
            (None, Some(_)) => {
                return Err(BadRelay(
                    "there is a password for the relay, but its URL names no user: write smtps://user@host"
                        .to_owned(),
                ));
            }
        };
        if login.is_some() && !url.is_safe_for_a_password() {
            return Err(BadRelay(
                "the password would go to the relay unencrypted: use smtps:// or ?tls=required".to_owned(),
            ));
        }
        let roots = match url.tls {
            Tls::Never => RootCertStore::empty(),
            Tls::Opportunistic | Tls::Required | Tls::Wrapped => system_roots(),
        };
        let encryption = Encryption::with(&url.host, roots)
            .map_err(|error| BadRelay(format!("the relay's URL cannot be used: {error}")))?;
        Ok(Self {
            server: Server {
                hello: url.hello.clone().unwrap_or_else(own_name),
                url,
                encryption,
                login,
                timeout: Self::TIMEOUT,
                reach: Reach::default(),
            },
            kept: Mutex::default(),
        })
    }

    /// Trusts the CAs of this file in the place of the system's.
    ///
    /// # Errors
    /// The file cannot be read, or has no certificate.
    pub fn trusting(mut self, ca_file: &Path) -> Result<Self, BadRelay> {
        let roots = roots_of(ca_file).map_err(BadRelay)?;
        self.server.encryption = Encryption::with(&self.server.url.host, roots)
            .map_err(|error| BadRelay(format!("the relay's URL cannot be used: {error}")))?;
        Ok(self)
    }

    /// Changes the time limit for one command.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.server.timeout = timeout;
        self
    }

    /// Says there which addresses it takes, after each EHLO.
    #[must_use]
    pub fn reporting_to(mut self, reach: &Reach) -> Self {
        reach.begin();
        self.server.reach = reach.clone();
        self
    }

    /// Connects, encrypts and logs in as for a mail, then disconnects. Returns whether it takes addresses in any script.
    ///
    /// # Errors
    /// The reply of the relay or the network error, in one line.
    pub async fn try_connection(&self) -> Result<bool, Failure> {
        let session = Session::open(&self.server).await?;
        let offers_utf8 = session.offers_utf8();
        session.close().await;
        Ok(offers_utf8)
    }

    /// Connects whenever somebody waits to know which addresses it takes.
    pub async fn answer(&self) {
        let reach = &self.server.reach;
        loop {
            reach.asked().await;
            if let Err(failure) = self.try_connection().await {
                tracing::debug!("the relay cannot be asked for SMTPUTF8: {failure}");
                reach.unanswered();
            }
        }
    }

    pub(super) async fn deliver(&self, built: &Built, mail: &Outgoing) -> Result<(), Failure> {
        let (from, to) = (built.envelope_sender.on_the_wire(), mail.to.on_the_wire());
        self.send(&from, &to, &built.bytes).await
    }

    /// Sends a message (lines ending in CRLF) from and to these addresses. It is ASCII, but for fields that are not if one of
    /// these addresses is not.
    ///
    /// # Errors
    /// [`Failure`].
    pub async fn send(&self, from: &str, to: &str, message: &[u8]) -> Result<(), Failure> {
        let limit = self.server.timeout;
        let kept = self.kept().pop();
        let was_kept = kept.is_some();
        let mut session = match kept {
            Some(session) => session,
            None => Session::open(&self.server).await?,
        };
        let mut result = session.send(from, to, message, limit).await;
        // What it offered may have changed too, and an old offer is seen without a word to a connection that may be closed.
        let is_old = |error: &StepError| matches!(error.stage, Stage::Mail | Stage::Script);
        if was_kept && result.as_ref().is_err_and(is_old) {
            session = Session::open(&self.server).await?;
            result = session.send(from, to, message, limit).await;
        }
        // After a refusal the connection can be reused. After a timeout or a network error it is dropped
        // without QUIT.
        let is_good = match &result {
            Ok(()) => true,
            // Nothing was said.
            Err(error) if error.stage == Stage::Script => true,
            Err(error) => error.code.is_some() && session.reset(limit).await,
        };
        if is_good && session.mails() < MAX_PER_CONNECTION {
            self.kept().push(session);
        } else if is_good {
            session.close().await;
        }
        Ok(result?)
    }

    pub(super) async fn rest(&self) {
        let kept = std::mem::take(&mut *self.kept());
        for session in kept {
            session.close().await;
        }
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, Vec<Session>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// This machine's name, or the literal of its own address (RFC 5321, section 4.1.4).
fn own_name() -> String {
    let system = rustix::system::uname();
    let name = system.nodename().to_str().ok().filter(|name| is_host(name));
    name.unwrap_or("[127.0.0.1]").to_owned()
}

impl fmt::Debug for Relay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Relay")
            .field("host", &self.server.url.host)
            .field("port", &self.server.url.port)
            .field("tls", &self.server.url.tls)
            .field("user", &self.server.url.user)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
