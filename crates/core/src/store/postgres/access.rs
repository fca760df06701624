//! Opening a session: the host, TLS, the login, the settings.

use postgres_protocol::authentication::{self, sasl};
use postgres_protocol::message::backend::Message;
use postgres_protocol::message::frontend;
use std::io::{Read, Write};
use std::sync::Arc;
use std::time::Duration;

use bytes::BytesMut;
use fallible_iterator::FallibleIterator;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{CertificateError, ClientConnection, Error as TlsError, StreamOwned};

use super::error::{Report, broken, lost, unexpected};
use super::server::{Host, Server};
use super::stream::Stream;
use super::verify::Encryption;
use super::wire::Wire;
use crate::store::{Error, ErrorKind, Result};

/// The oldest version that the tests have run on.
const OLDEST: i64 = 150_000;

/// How long an answer to a statement may take. A mail server waits some minutes for its answer.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

/// Opens a session with the first host that takes writes.
pub(super) fn open(server: &Server) -> Result<Wire> {
    let mut fault = None;
    for host in &server.hosts {
        match open_at(server, host) {
            Ok(wire) => return Ok(wire),
            // Another host may be the one that takes writes, but the first says what is wrong.
            Err(error) => fault = fault.or(Some(error)),
        }
    }
    Err(fault.unwrap_or_else(unexpected))
}

fn open_at(server: &Server, host: &Host) -> Result<Wire> {
    let broken = |error: std::io::Error| broken(&error);
    let stream = Stream::connect(host, server.connect).map_err(broken)?;
    stream.wait_at_most(Some(server.log_in)).map_err(broken)?;
    let mut wire = Wire::new(encrypted(stream, server, host)?);
    let mut parameters = vec![
        ("user", server.user.as_str()),
        ("database", server.database.as_str()),
        ("application_name", "pbmserv"),
        ("client_encoding", "UTF8"),
    ];
    if let Some(options) = &server.options {
        parameters.push(("options", options));
    }
    frontend::startup_message(parameters, &mut wire.output).map_err(broken)?;
    wire.flush()?;
    log_in(&mut wire, server)?;
    wire.stream.wait_at_most(Some(PATIENCE)).map_err(broken)?;
    check(&mut wire)?;
    Ok(wire)
}

/// Asks the server for TLS.
fn encrypted(stream: Stream, server: &Server, host: &Host) -> Result<Stream> {
    let (mut socket, name) = match (stream, host) {
        (Stream::Tcp(socket), Host::Name(name, _)) if server.encryption != Encryption::Never => {
            (socket, name)
        }
        // A unix socket needs none.
        (stream, _) => return Ok(stream),
    };
    let mut request = BytesMut::new();
    frontend::ssl_request(&mut request);
    let mut answer = [0; 1];
    let asked = socket
        .write_all(&request)
        .and_then(|()| socket.read_exact(&mut answer));
    asked.map_err(|error| broken(&error))?;
    if answer != *b"S" {
        return match server.encryption {
            Encryption::Always => Err(lost(
                "the server has no TLS, which sslmode demands (off this machine it is verify-full unless the URL has one)",
            )),
            _ => Ok(Stream::Tcp(socket)),
        };
    }
    let name = ServerName::try_from(name.clone())
        .map_err(|_| lost("the host is not a name that a certificate can have"))?;
    let connection = ClientConnection::new(Arc::clone(&server.tls), name);
    let connection = connection.map_err(|error| lost(error.to_string()))?;
    let mut stream = StreamOwned::new(connection, socket);
    while stream.conn.is_handshaking() {
        let done = stream.conn.complete_io(&mut stream.sock);
        done.map_err(|error| lost(refused_by(&error)))?;
    }
    Ok(Stream::Tls(Box::new(stream)))
}

/// Why there is no TLS, in words of our own where the operator can mend it.
fn refused_by(error: &std::io::Error) -> String {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<TlsError>());
    let what = match inner {
        Some(TlsError::InvalidCertificate(
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
        )) => "its certificate is for another host: write the name that it bears",
        Some(TlsError::InvalidCertificate(
            CertificateError::Expired | CertificateError::ExpiredContext { .. },
        )) => "its certificate has expired: renew it",
        Some(TlsError::InvalidCertificate(_)) => {
            "its certificate is not signed by a known CA: name the file of that CA with sslrootcert=FILE"
        }
        _ => return format!("TLS: {error}"),
    };
    format!("TLS: {what}")
}

fn log_in(wire: &mut Wire, server: &Server) -> Result<()> {
    let broken = |error: std::io::Error| broken(&error);
    let refused = |message: String| Error::Database {
        kind: ErrorKind::NotAllowed,
        message,
    };
    let password = || {
        server
            .password()
            .map_err(refused)?
            .ok_or_else(|| refused("the server asks for a password, and none is configured".to_owned()))
    };
    let mut scram = None;
    loop {
        match wire.receive()? {
            Message::AuthenticationCleartextPassword => {
                frontend::password_message(password()?.expose().as_bytes(), &mut wire.output)
                    .map_err(broken)?;
            }
            Message::AuthenticationMd5Password(body) => {
                let password = password()?;
                let hash = authentication::md5_hash(
                    server.user.as_bytes(),
                    password.expose().as_bytes(),
                    body.salt(),
                );
                frontend::password_message(hash.as_bytes(), &mut wire.output).map_err(broken)?;
            }
            Message::AuthenticationSasl(body) => {
                let mut mechanisms = body.mechanisms();
                let mut knows = false;
                while let Some(mechanism) = mechanisms.next().map_err(broken)? {
                    knows |= mechanism == sasl::SCRAM_SHA_256;
                }
                if !knows {
                    return Err(refused(
                        "the server wants a login that pbmserv does not know".to_owned(),
                    ));
                }
                let password = password()?;
                let new =
                    sasl::ScramSha256::new(password.expose().as_bytes(), sasl::ChannelBinding::unsupported());
                frontend::sasl_initial_response(sasl::SCRAM_SHA_256, new.message(), &mut wire.output)
                    .map_err(broken)?;
                scram = Some(new);
            }
            Message::AuthenticationSaslContinue(body) => {
                let scram = scram.as_mut().ok_or_else(unexpected)?;
                scram.update(body.data()).map_err(broken)?;
                frontend::sasl_response(scram.message(), &mut wire.output).map_err(broken)?;
            }
            Message::AuthenticationSaslFinal(body) => {
                let scram = scram.as_mut().ok_or_else(unexpected)?;
                scram.finish(body.data()).map_err(broken)?;
            }
            Message::AuthenticationOk | Message::BackendKeyData(_) => {}
            Message::ReadyForQuery(_) => return Ok(()),
            Message::ErrorResponse(body) => {
                wire.is_over = true;
                return Err(Report::of(&body).into_error());
            }
            _ => {
                wire.is_over = true;
                return Err(unexpected());
            }
        }
        wire.flush()?;
    }
}

/// Checks what every session needs.
fn check(wire: &mut Wire) -> Result<()> {
    let sql = "SELECT current_setting('server_version_num')::bigint, current_setting('server_encoding'), \
               current_setting('transaction_read_only')";
    let mut found = None;
    let (statement, _) = wire.execute(sql, &[], &mut |body| found = Some(body))?;
    let row = super::Row::new(statement, found.ok_or_else(unexpected)?);
    let row = crate::store::row::Row::Postgres(row);
    let (version, encoding, is_read_only): (i64, &str, &str) = (row.get(0)?, row.get(1)?, row.get(2)?);
    let refused = |message: String| {
        Err(Error::Database {
            kind: ErrorKind::NotAllowed,
            message,
        })
    };
    if version < OLDEST {
        return refused(format!(
            "PostgreSQL {} is too old: pbmserv needs 15 or newer",
            version / 10_000
        ));
    }
    if encoding != "UTF8" {
        return refused(format!(
            "the database has the encoding {encoding}, and pbmserv needs UTF8: createdb --encoding=UTF8 --template=template0"
        ));
    }
    if is_read_only == "on" {
        return refused("the server takes no writes: it is a standby".to_owned());
    }
    Ok(())
}
