//! Opens a connection: TCP, encryption, greeting, login.

use std::time::Duration;

use data_encoding::BASE64;
use imap_proto::{Response, Status};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::account::{Account, Tls};
use super::connection::{Connection, Reply, quoted};
use super::error::{SessionError, words};
use crate::login::{NoSecret, Secret};
use crate::stream::Stream;

/// Time limit for each step.
const STEP: Duration = Duration::from_secs(30);
/// The most bytes that the server may send in each step.
const STEP_MAX_BYTES: usize = 64 * 1024;

/// Connects and logs in.
pub(super) async fn connect(account: &Account) -> Result<Connection, SessionError> {
    let address = (account.host.as_str(), account.port);
    let socket = step("the connection", async { Ok(TcpStream::connect(address).await?) }).await?;
    // Commands are small, and each is written at once: no need to wait for more (Nagle).
    socket.set_nodelay(true)?;
    let socket: Stream = Box::new(socket);
    let connection = match account.tls {
        Tls::Never => greeted(socket).await?,
        Tls::Wrapped => greeted(encrypted(account, socket).await?).await?,
        Tls::Starttls => {
            let mut plain = greeted(socket).await?;
            let (status, _) = step("STARTTLS", plain.ask("STARTTLS", |_| {})).await?;
            if status != Status::Ok {
                // Nothing else is sent to a server that does not encrypt, least of all the password.
                return Err(SessionError::Operator(
                    "the server does not offer STARTTLS: use imaps:// in imap.url, if it offers that"
                        .to_owned(),
                ));
            }
            let socket = plain.for_handshake()?;
            Connection::new(encrypted(account, socket).await?, STEP_MAX_BYTES)
        }
    };
    login(account, connection).await
}

/// Runs one step, with a time limit.
async fn step<T>(what: &str, step: impl Future<Output = Result<T, SessionError>>) -> Result<T, SessionError> {
    timeout(STEP, step).await.unwrap_or_else(|_| {
        Err(SessionError::Temporary(format!(
            "{what} took longer than {} seconds",
            STEP.as_secs()
        )))
    })
}

async fn encrypted(account: &Account, socket: Stream) -> Result<Stream, SessionError> {
    let handshake = account.encryption.over(socket);
    step("the encryption", async {
        handshake.await.map_err(|error| match error.kind() {
            // The certificate is wrong, or the peer does not speak TLS.
            std::io::ErrorKind::InvalidData => {
                SessionError::Operator(format!("TLS with the server of imap.url failed: {error}"))
            }
            _ => error.into(),
        })
    })
    .await
}

async fn greeted(socket: Stream) -> Result<Connection, SessionError> {
    let mut connection = Connection::new(socket, STEP_MAX_BYTES);
    match step("the greeting", connection.greeting()).await? {
        Response::Data {
            status: Status::Ok, ..
        } => {}
        Response::Data { outcome, .. } => {
            let said = words(outcome.information.as_deref().unwrap_or_default());
            return Err(SessionError::Temporary(format!(
                "the server refuses the connection: {said}"
            )));
        }
        _ => {
            return Err(SessionError::Temporary(
                "the server's greeting is not IMAP".into(),
            ));
        }
    }
    Ok(connection)
}

async fn login(account: &Account, mut connection: Connection) -> Result<Connection, SessionError> {
    let missing = |why: NoSecret| SessionError::Operator(why.to_string());
    let secret = account.login.secret().await.map_err(missing)?;
    let refused = match try_to_log_in(account, &mut connection, &secret).await {
        Ok(()) => return Ok(connection),
        Err(SessionError::Operator(refused)) => refused,
        Err(other) => return Err(other),
    };
    match account.login.another(&secret).await.map_err(missing)? {
        Some(other) => try_to_log_in(account, &mut connection, &other).await?,
        None => return Err(SessionError::Operator(refused)),
    }
    Ok(connection)
}

async fn try_to_log_in(
    account: &Account,
    connection: &mut Connection,
    secret: &Secret,
) -> Result<(), SessionError> {
    connection.allow(STEP_MAX_BYTES);
    let (user, password) = (&account.user, secret.expose());
    let is_plain = [user, password]
        .iter()
        .all(|text| text.bytes().all(|b| (b' '..=b'~').contains(&b)));
    let mechanism = account.login.auth().token_mechanism();
    let message = match mechanism {
        Some(mechanism) => mechanism.message(user, secret, &account.host, account.port),
        // SASL PLAIN (RFC 4616).
        None => BASE64.encode(format!("\0{user}\0{password}").as_bytes()),
    };
    let tried = async {
        match mechanism {
            Some(mechanism) => {
                let refusal = mechanism.answer_to_refusal();
                authenticate(connection, mechanism.name(), &message, refusal).await
            }
            // A quoted string has no other characters (RFC 3501, section 9), but SASL PLAIN is UTF-8.
            None if is_plain => {
                let login = format!("LOGIN {} {}", quoted(user), quoted(password));
                connection.ask(&login, |_| {}).await
            }
            None => authenticate(connection, "PLAIN", &message, "*").await,
        }
    };
    match step("the login", tried).await? {
        (Status::Ok, _) => Ok(()),
        (Status::No, said) if is_temporary(&said) => Err(SessionError::Temporary(format!(
            "login is not possible now: {}",
            words(&secret.removed_from(&said, &message))
        ))),
        (_, said) => Err(SessionError::Operator(format!(
            "the server refuses the user of imap.url with what {} gives: {}",
            account.login.key(),
            words(&secret.removed_from(&said, &message))
        ))),
    }
}

/// AUTHENTICATE (RFC 3501, section 6.2.2). `refusal` is the answer to a challenge after the message: with it the server's refusal
/// is heard, or the exchange is cancelled.
async fn authenticate(
    connection: &mut Connection,
    mechanism: &str,
    message: &str,
    refusal: &str,
) -> Result<(Status, String), SessionError> {
    let tag = connection.send(&format!("AUTHENTICATE {mechanism}")).await?;
    for line in [message, refusal] {
        match connection.reply(&tag, |_| {}).await? {
            Reply::GoOn => connection.send_line(line).await?,
            Reply::Ended(status, said) => return Ok((status, said)),
        }
    }
    connection.end(&tag, |_| {}).await
}

/// Whether the same login may succeed later (RFC 5530).
fn is_temporary(said: &str) -> bool {
    let said = said.to_ascii_uppercase();
    ["UNAVAILABLE", "INUSE", "IN USE", "LIMIT", "SERVERBUG", "TOO MANY"]
        .iter()
        .any(|word| said.contains(word))
}
