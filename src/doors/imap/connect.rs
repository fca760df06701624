//! The way to the server: a connection, its encryption, the greeting, the login.

use std::time::Duration;

use async_imap::error::Error;
use async_imap::imap_proto::{Response, Status};
use async_imap::{Authenticator, Client, Session};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;

use super::account::{Account, Tls};
use super::metered::{Io, Metered};
use super::trouble::{Trouble, lost, words};

/// How long a connection, and each step up to the login, may take.
const STEP: Duration = Duration::from_secs(30);
/// How much a server may say at each of these steps.
const STEP_MAX_BYTES: usize = 64 * 1024;

/// Connects and logs in.
pub(super) async fn connect(account: &Account) -> Result<Session<Metered>, Trouble> {
    let address = (account.host.as_str(), account.port);
    let socket = step("the connection", async { Ok(TcpStream::connect(address).await?) }).await?;
    // Commands are small and whole: none should wait for another.
    socket.set_nodelay(true)?;
    let client = match account.tls {
        Tls::Never => greeted(socket).await?,
        Tls::Wrapped => greeted(encrypted(account, socket).await?).await?,
        Tls::Starttls => {
            let mut client = greeted(socket).await?;
            let asked = client.run_command_and_check_ok("STARTTLS", None);
            step("STARTTLS", async { Ok(asked.await) })
                .await?
                .map_err(|error| {
                    match error {
                        // Nothing else is said to a server that will not encrypt, the password least of all.
                        Error::No(_) | Error::Bad(_) => Trouble::Operator(
                            "the server does not encrypt (STARTTLS): use imaps:// in imap.url, if it can that".to_owned(),
                        ),
                        error => error.into(),
                    }
                })?;
            // What the server had sent already is dropped with the client: it was not encrypted.
            let socket = client.into_inner().into_inner();
            Client::new(Metered::new(encrypted(account, socket).await?, STEP_MAX_BYTES))
        }
    };
    login(account, client).await
}

/// One step, in its time.
async fn step<T>(what: &str, step: impl Future<Output = Result<T, Trouble>>) -> Result<T, Trouble> {
    timeout(STEP, step).await.unwrap_or_else(|_| {
        Err(Trouble::Passing(format!(
            "{what} took longer than {} seconds",
            STEP.as_secs()
        )))
    })
}

async fn encrypted(account: &Account, socket: impl Io + 'static) -> Result<impl Io + 'static, Trouble> {
    let name = ServerName::try_from(account.host.clone()).map_err(|_| {
        Trouble::Operator("the host of imap.url is no name that a certificate can have".into())
    })?;
    let handshake = TlsConnector::from(account.trusted.clone()).connect(name, socket);
    step("the encryption", async {
        handshake.await.map_err(|error| match error.kind() {
            // The certificate is wrong, or what speaks there is no TLS.
            std::io::ErrorKind::InvalidData => Trouble::Operator(format!(
                "no encrypted connection to the server of imap.url: {error}"
            )),
            _ => error.into(),
        })
    })
    .await
}

async fn greeted(socket: impl Io + 'static) -> Result<Client<Metered>, Trouble> {
    let mut client = Client::new(Metered::new(socket, STEP_MAX_BYTES));
    let greeting = step("the greeting", async { Ok(client.read_response().await?) }).await?;
    let Some(greeting) = greeting else {
        return Err(Trouble::Passing(lost()));
    };
    match greeting.parsed() {
        Response::Data {
            status: Status::Ok, ..
        } => {}
        Response::Data { outcome, .. } => {
            let said = words(outcome.information.as_deref().unwrap_or_default());
            return Err(Trouble::Passing(format!("the server turns us away: {said}")));
        }
        _ => return Err(Trouble::Passing("the server does not greet as IMAP does".into())),
    }
    drop(greeting);
    Ok(client)
}

async fn login(account: &Account, mut client: Client<Metered>) -> Result<Session<Metered>, Trouble> {
    let password = account
        .password()
        .map_err(|bad| Trouble::Operator(bad.to_string()))?;
    client.get_mut().allow(STEP_MAX_BYTES);
    let is_plain = [&account.user, &password]
        .iter()
        .all(|text| text.bytes().all(|b| (b' '..=b'~').contains(&b)));
    let tried = async {
        // A quoted string holds no other characters (RFC 3501, section 9); SASL PLAIN is UTF-8 (RFC 4616).
        let done = if is_plain {
            client.login(&account.user, &password).await
        } else {
            let words = format!("\0{}\0{password}", account.user);
            client.authenticate("PLAIN", Plain(words)).await
        };
        Ok(done.map_err(|(error, _)| error))
    };
    match step("the login", tried).await? {
        Ok(session) => Ok(session),
        Err(Error::No(said)) if is_passing(&said) => Err(Trouble::Passing(format!(
            "no login now: {}",
            told(&said, &password)
        ))),
        Err(Error::No(said) | Error::Bad(said)) => Err(Trouble::Operator(format!(
            "the server refuses the user of imap.url with the password in imap.password_file: {}",
            told(&said, &password)
        ))),
        Err(error) => Err(error.into()),
    }
}

/// Whether a refused login may succeed later, unchanged (RFC 5530).
fn is_passing(said: &str) -> bool {
    let said = said.to_ascii_uppercase();
    ["UNAVAILABLE", "INUSE", "IN USE", "LIMIT", "SERVERBUG", "TOO MANY"]
        .iter()
        .any(|word| said.contains(word))
}

/// What the server said, should it ever repeat the password without that.
fn told(said: &str, password: &str) -> String {
    words(&said.replace(password, "******"))
}

/// SASL PLAIN (RFC 4616).
struct Plain(String);

impl Authenticator for Plain {
    type Response = String;

    fn process(&mut self, _challenge: &[u8]) -> String {
        std::mem::take(&mut self.0)
    }
}
