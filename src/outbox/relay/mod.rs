//! Delivery to an SMTP relay, command by command, because the meaning of a failure depends on the command.

mod session;
mod url;

use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Certificate, TlsParameters};
use lettre::transport::smtp::extension::ClientId;

use session::{Server, Session, Stage};
use url::{RelayUrl, Tls};

use super::{Built, Failure, Outgoing};

pub use url::BadRelay;

/// Mails over one connection. Many relays close a connection after a hundred.
const MOST_PER_CONNECTION: u32 = 90;

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
    pub fn new(url: &str, password: Option<String>) -> Result<Self, BadRelay> {
        Self::with_root(url, password, None)
    }

    /// Like [`new`](Self::new), but also trusts this root certificate (PEM).
    ///
    /// # Errors
    /// [`BadRelay`].
    pub fn with_root(url: &str, password: Option<String>, root: Option<&[u8]>) -> Result<Self, BadRelay> {
        let url = RelayUrl::parse(url)?;
        let credentials = match (&url.user, password) {
            (Some(user), Some(password)) => Some(Credentials::new(user.clone(), password)),
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
        if credentials.is_some() && !url.is_safe_for_a_password() {
            return Err(BadRelay(
                "the password would go to the relay unencrypted: use smtps:// or ?tls=required".to_owned(),
            ));
        }
        let tls = match url.tls {
            Tls::Never => None,
            Tls::Opportunistic | Tls::Required | Tls::Wrapped => {
                let in_tls = |e| BadRelay(format!("TLS for the relay cannot be set up: {e}"));
                let mut builder = TlsParameters::builder(url.host.clone());
                if let Some(pem) = root {
                    builder = builder.add_root_certificate(Certificate::from_pem(pem).map_err(in_tls)?);
                }
                Some(builder.build().map_err(in_tls)?)
            }
        };
        let hello = url.hello.clone().map_or_else(ClientId::default, ClientId::Domain);
        Ok(Self {
            server: Server {
                url,
                hello,
                tls,
                credentials,
                timeout: Self::TIMEOUT,
            },
            kept: Mutex::default(),
        })
    }

    /// Changes the time limit for one command.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.server.timeout = timeout;
        self
    }

    /// Connects, encrypts and logs in as for a mail, then disconnects.
    ///
    /// # Errors
    /// The reply of the relay or the network error, in one line.
    pub async fn try_connection(&self) -> Result<(), Failure> {
        let session = Session::open(&self.server).await?;
        session.close().await;
        Ok(())
    }

    pub(super) async fn deliver(&self, built: &Built, mail: &Outgoing) -> Result<(), Failure> {
        let kept = self.kept().pop();
        let was_kept = kept.is_some();
        let mut session = match kept {
            Some(session) => session,
            None => Session::open(&self.server).await?,
        };
        let mut result = session.send(built, mail, self.server.timeout).await;
        if was_kept && result.as_ref().is_err_and(|e| e.stage == Stage::Mail) {
            session = Session::open(&self.server).await?;
            result = session.send(built, mail, self.server.timeout).await;
        }
        // After a refusal the connection can be reused. After a timeout or a network error it is dropped
        // without QUIT.
        let is_good = match &result {
            Ok(()) => true,
            Err(error) => error.code.is_some() && session.reset(self.server.timeout).await,
        };
        if is_good && session.mails() < MOST_PER_CONNECTION {
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
