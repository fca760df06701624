//! Opens a connection: TCP, encryption, greeting, login.

use std::time::Duration;

use data_encoding::BASE64;
use imap_proto::{Response, Status};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::account::{Account, Tls};
use super::connection::{Connection, Reply, quoted};
use super::error::{SessionError, words};
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
    let password = account
        .password()
        .map_err(|bad| SessionError::Operator(bad.to_string()))?;
    connection.allow(STEP_MAX_BYTES);
    let is_plain = [&account.user, &password]
        .iter()
        .all(|text| text.bytes().all(|b| (b' '..=b'~').contains(&b)));
    let tried = async {
        // A quoted string has no other characters (RFC 3501, section 9), but SASL PLAIN is UTF-8 (RFC 4616).
        if is_plain {
            let login = format!("LOGIN {} {}", quoted(&account.user), quoted(&password));
            connection.ask(&login, |_| {}).await
        } else {
            authenticate(&mut connection, &account.user, &password).await
        }
    };
    match step("the login", tried).await? {
        (Status::Ok, _) => Ok(connection),
        (Status::No, said) if is_temporary(&said) => Err(SessionError::Temporary(format!(
            "login is not possible now: {}",
            without_password(&said, &password)
        ))),
        (_, said) => Err(SessionError::Operator(format!(
            "the server refuses the user of imap.url with the password in imap.password_file: {}",
            without_password(&said, &password)
        ))),
    }
}

/// SASL PLAIN (RFC 4616).
async fn authenticate(
    connection: &mut Connection,
    user: &str,
    password: &str,
) -> Result<(Status, String), SessionError> {
    let tag = connection.send("AUTHENTICATE PLAIN").await?;
    match connection.reply(&tag, |_| {}).await? {
        Reply::GoOn => {
            let words = format!("\0{user}\0{password}");
            connection.send_line(&BASE64.encode(words.as_bytes())).await?;
            connection.end(&tag, |_| {}).await
        }
        Reply::Ended(status, said) => Ok((status, said)),
    }
}

/// Whether the same login may succeed later (RFC 5530).
fn is_temporary(said: &str) -> bool {
    let said = said.to_ascii_uppercase();
    ["UNAVAILABLE", "INUSE", "IN USE", "LIMIT", "SERVERBUG", "TOO MANY"]
        .iter()
        .any(|word| said.contains(word))
}

/// The server's words, with the password removed if the server repeats it.
fn without_password(said: &str, password: &str) -> String {
    words(&said.replace(password, "******"))
}
