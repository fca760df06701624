//! TLS with a server of PostgreSQL, as `sslmode` has it:
//! <https://www.postgresql.org/docs/current/libpq-ssl.html#LIBPQ-SSL-PROTECTION>.

use std::path::Path;
use std::sync::Arc;

use tokio_rustls::rustls::client::WebPkiServerVerifier;
use tokio_rustls::rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use tokio_rustls::rustls::crypto::CryptoProvider;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::crypto::{verify_tls12_signature, verify_tls13_signature};
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
};

use pbmserv_mail::stream::{roots_of, system_roots};

/// Whether the connection is encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encryption {
    Never,
    /// If the server offers it.
    Preferred,
    Always,
}

/// What of the server's certificate is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Check {
    Nothing,
    /// Who has signed it.
    Signer,
    /// The same, and its name.
    Name,
}

/// What `sslmode` means; `None`: nothing. Without it only a server on this machine may refuse TLS, or have a certificate that
/// nobody vouches for: anybody on the way to another one could do the same, and would be given the password.
pub(super) fn mode(word: Option<&str>, has_root: bool, is_here: bool) -> Option<(Encryption, Check)> {
    let default = if is_here { "prefer" } else { "verify-full" };
    Some(match word.unwrap_or(default) {
        "disable" => (Encryption::Never, Check::Nothing),
        "allow" | "prefer" => (Encryption::Preferred, Check::Nothing),
        // With a root certificate of its own, as libpq has it.
        "require" if has_root => (Encryption::Always, Check::Signer),
        "require" => (Encryption::Always, Check::Nothing),
        "verify-ca" => (Encryption::Always, Check::Signer),
        "verify-full" => (Encryption::Always, Check::Name),
        _ => return None,
    })
}

/// The client's side of TLS. The roots are those of this file, otherwise those of the system.
pub(super) fn config(check: Check, root: Option<&Path>) -> Result<ClientConfig, String> {
    let provider = Arc::new(default_provider());
    let roots = match root {
        _ if check == Check::Nothing => RootCertStore::empty(),
        Some(path) => roots_of(path).map_err(|why| format!("sslrootcert: {why}"))?,
        None => system_roots(),
    };
    let config = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    let signer = match check {
        Check::Name => return Ok(config.with_root_certificates(roots).with_no_client_auth()),
        Check::Signer => {
            let whole = WebPkiServerVerifier::builder_with_provider(roots.into(), provider.clone()).build();
            Some(whole.map_err(|error| error.to_string())?)
        }
        Check::Nothing => None,
    };
    Ok(config
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(AnyName { signer, provider }))
        .with_no_client_auth())
}

/// Checks who has signed the certificate, but not the name in it; without `signer` nothing: `prefer` and `require` protect
/// only from those who listen.
#[derive(Debug)]
struct AnyName {
    signer: Option<Arc<WebPkiServerVerifier>>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for AnyName {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        chain: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Some(signer) = &self.signer else {
            return Ok(ServerCertVerified::assertion());
        };
        match signer.verify_server_cert(certificate, chain, name, ocsp, now) {
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            verdict => verdict,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}
