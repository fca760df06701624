//! The byte stream of a connection, whatever carries it, and its encryption where we are the client: to the relay and to the
//! IMAP server.

use std::io;
use std::path::Path;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite, BufReader};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{CertificateError, ClientConfig, Error, RootCertStore};

/// A byte stream in both directions: TCP, a unix socket, TLS over either, or a test's.
pub(crate) trait Duplex: AsyncRead + AsyncWrite + Send + Sync + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Sync + Unpin> Duplex for T {}

/// A stream that STARTTLS can replace.
pub(crate) type Stream = Box<dyn Duplex>;

/// The server has sent more than its answer to STARTTLS before the handshake. It has no reason to: the rest is probably
/// another's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the server sent more than its answer to STARTTLS: someone may be changing the connection")]
pub(crate) struct SentEarly;

/// The stream for the handshake, after the answer to STARTTLS was read. Nothing that was read before the handshake may be
/// believed after it (RFC 3207, section 4.2; RFC 9051, section 6.2.1), so the reader and its buffer end here.
pub(crate) fn for_handshake(reader: BufReader<Stream>) -> Result<Stream, SentEarly> {
    if reader.buffer().is_empty() {
        Ok(reader.into_inner())
    } else {
        Err(SentEarly)
    }
}

/// The client's side of TLS with one server, whose certificate must be valid for its name.
#[derive(Clone)]
pub(crate) struct Encryption {
    connector: TlsConnector,
    name: ServerName<'static>,
}

/// Why there can be no TLS with a server.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum NoEncryption {
    #[error("the host is not a name that a certificate can have")]
    Name,
    #[error("TLS cannot be set up: {0}")]
    Library(#[from] Error),
}

impl Encryption {
    /// TLS with this host, trusting these root certificates.
    pub(crate) fn with(host: &str, roots: RootCertStore) -> Result<Self, NoEncryption> {
        let name = ServerName::try_from(host.to_owned()).map_err(|_| NoEncryption::Name)?;
        let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots)
            .with_no_client_auth();
        let connector = TlsConnector::from(Arc::new(config));
        Ok(Self { connector, name })
    }

    /// The handshake.
    ///
    /// # Errors
    /// `InvalidData` if the certificate is wrong, or if the peer does not speak TLS.
    pub(crate) async fn over(&self, stream: Stream) -> io::Result<Stream> {
        let connecting = self.connector.connect(self.name.clone(), stream).await;
        Ok(Box::new(connecting.map_err(|error| in_plain_words(&error))?))
    }
}

/// An error of a connection, without the words of the library that encrypts it.
pub(crate) fn in_plain_words(error: &io::Error) -> io::Error {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref());
    let words = match inner {
        Some(Error::InvalidCertificate(wrong)) => match wrong {
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
                "its certificate has expired"
            }
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                "its certificate is not valid yet: is the clock of this machine right?"
            }
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                "its certificate is for another name"
            }
            CertificateError::UnknownIssuer => {
                "its certificate cannot be trusted: this machine does not know who signed it"
            }
            _ => "its certificate cannot be trusted: perhaps it has signed itself",
        },
        Some(Error::AlertReceived(_)) => "it has refused the encryption",
        Some(Error::InvalidMessage(_) | Error::InappropriateMessage { .. }) => "what it sends is not TLS",
        Some(Error::PeerIncompatible(_)) => "it offers no encryption that is safe",
        Some(_) => "the encryption has failed",
        // Without the farewell of TLS (close_notify).
        None if error.to_string().contains("close_notify") => "it has closed the connection",
        None => return io::Error::new(error.kind(), error.to_string()),
    };
    io::Error::new(error.kind(), words)
}

/// The certificates of a file in PEM, such as that of a CA of one's own.
///
/// # Errors
/// It cannot be read, or has none: a phrase with its name.
pub fn roots_of(file: &Path) -> Result<RootCertStore, String> {
    let fault = |why: &dyn std::fmt::Display| format!("{}: {why}", file.display());
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(file).map_err(|error| fault(&error))? {
        let certificate = certificate.map_err(|error| fault(&error))?;
        roots.add(certificate).map_err(|error| fault(&error))?;
    }
    match roots.is_empty() {
        true => Err(fault(&"it has no certificate")),
        false => Ok(roots),
    }
}

/// The system's root certificates; unreadable ones are left out.
pub fn system_roots() -> RootCertStore {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    roots
}
