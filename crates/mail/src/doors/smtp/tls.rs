//! The certificate of STARTTLS and its key (RFC 3207).

use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::client::WebPkiServerVerifier;
use tokio_rustls::rustls::client::danger::ServerCertVerifier;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::{self, PemObject};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use tokio_rustls::rustls::{CertificateError, Error, RootCertStore, ServerConfig};

use crate::stream::Stream;

/// The first second after the year 9999, the last year in a certificate (RFC 5280, section 4.1.2.5), since
/// 1970.
const END_OF_DAYS: u64 = 253_402_300_800;

/// The TLS configuration of a listener: TLS 1.2 or 1.3, without client certificates.
#[derive(Clone)]
pub struct Tls {
    acceptor: TlsAcceptor,
    expires_at: Option<DateTime<Utc>>,
}

/// The end of a certificate is worth a word so long before: its renewal has failed.
const LAST_DAYS: TimeDelta = TimeDelta::days(21);

/// The certificate or the key cannot be used; the message names the file and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadTls(String);

impl Tls {
    /// Reads both PEM files: the certificate, followed by its chain, and its key.
    ///
    /// # Errors
    /// [`BadTls`]: a file cannot be read or has other content, or the key does not belong to the certificate.
    pub fn load(certificate: &Path, key: &Path) -> Result<Self, BadTls> {
        let bad = |key: &str, file: &Path, why: &dyn fmt::Display, remedy: &str| {
            Err(BadTls(format!("smtp.{key}: {}: {why}: {remedy}", file.display())))
        };
        let bad_chain = |why: &dyn fmt::Display| {
            let remedy =
                "name a PEM file with the server's certificate, followed by its intermediate certificates";
            bad("certificate", certificate, why, remedy)
        };
        let bad_key = |why: &dyn fmt::Display| {
            let remedy = "name a PEM file with the certificate's private key, without a passphrase, that this account can read";
            bad("key", key, why, remedy)
        };
        let chain = CertificateDer::pem_file_iter(certificate)
            .and_then(Iterator::collect::<Result<Vec<CertificateDer<'static>>, _>>);
        let chain = match chain {
            Ok(chain) if chain.is_empty() => return bad_chain(&"it holds no certificate"),
            Ok(chain) => chain,
            Err(error) => return bad_chain(&Spoken(&error)),
        };
        let secret = match PrivateKeyDer::from_pem_file(key) {
            Ok(secret) => secret,
            Err(pem::Error::NoItemsFound) => return bad_key(&"it holds no private key"),
            Err(error) => return bad_key(&Spoken(&error)),
        };
        let provider = Arc::new(default_provider());
        let config = ServerConfig::builder_with_provider(provider.clone())
            .with_safe_default_protocol_versions()
            .map_err(|error| BadTls(format!("smtp.certificate: encryption cannot be set up: {error}")))?
            .with_no_client_auth();
        // Checked first, so that any later error concerns the certificate.
        if let Err(error) = provider.key_provider.load_private_key(secret.clone_key()) {
            return bad_key(&error);
        }
        match config.with_single_cert(chain, secret) {
            Ok(config) => Ok(Self {
                acceptor: TlsAcceptor::from(Arc::new(config)),
                expires_at: expiry(certificate),
            }),
            Err(Error::InconsistentKeys(_)) => {
                let why = format!("it is not the key of {}", certificate.display());
                bad("key", key, &why, "name the two files that belong together")
            }
            Err(error) => bad_chain(&error),
        }
    }

    /// When it expires; `None` if unknown.
    #[must_use]
    pub const fn expires_at(&self) -> Option<DateTime<Utc>> {
        self.expires_at
    }

    /// What to say of a certificate that expires then, with the remedy; `None`: it lasts for three weeks yet.
    #[must_use]
    pub fn ends(expires_at: DateTime<Utc>, now: DateTime<Utc>) -> Option<String> {
        let ends = match expires_at - now {
            left if left <= TimeDelta::zero() => "has expired",
            left if left < LAST_DAYS => "expires",
            _ => return None,
        };
        let day = expires_at.format("%Y-%m-%d");
        Some(format!(
            "{ends} on {day}: replace it, then send SIGHUP (systemctl reload pbmserv)"
        ))
    }

    /// Runs the server's side of the handshake.
    pub(super) async fn accept(&self, plain: Stream) -> io::Result<Stream> {
        Ok(Box::new(self.acceptor.accept(plain).await?))
    }
}

/// When the server's certificate in this file expires; `None` if unknown.
fn expiry(certificate: &Path) -> Option<DateTime<Utc>> {
    let own = CertificateDer::pem_file_iter(certificate).ok()?.next()?.ok()?;
    let mut roots = RootCertStore::empty();
    roots.add(own.clone()).ok()?;
    let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::new(default_provider()))
        .build()
        .ok()?;
    // If the certificate is checked at the end of the year 9999, the error contains its expiry date.
    let end = UnixTime::since_unix_epoch(Duration::from_secs(END_OF_DAYS));
    let name = ServerName::try_from("localhost").ok()?;
    match verifier.verify_server_cert(&own, &[], &name, &[], end) {
        Err(Error::InvalidCertificate(CertificateError::ExpiredContext { not_after, .. })) => {
            DateTime::from_timestamp(not_after.as_secs().try_into().ok()?, 0)
        }
        _ => None,
    }
}

impl fmt::Debug for Tls {
    /// Without the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tls")
    }
}

/// Displays an error in a PEM file without quoting the file.
struct Spoken<'a>(&'a pem::Error);

impl fmt::Display for Spoken<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            pem::Error::Io(error) => error.fmt(f),
            _ => f.write_str("it is not a PEM file"),
        }
    }
}
