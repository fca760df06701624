//! The server's side of TLS, for test servers of this machine.

use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{ServerConfig, ServerConnection, StreamOwned};

/// A self-signed certificate of `localhost`, valid until 2199: a daemon trusts it by `ca_file`.
pub(crate) fn certificate() -> PathBuf {
    file("localhost.crt")
}

/// The same of `hooks.example` and `ntfy.example`.
pub(crate) fn hooks() -> PathBuf {
    file("hooks.crt")
}

/// An accepted connection under TLS; the handshake happens with its first use.
pub(crate) fn encrypted(stream: TcpStream) -> StreamOwned<ServerConnection, TcpStream> {
    encrypted_by(stream, &certificate())
}

/// The same with this certificate.
pub(crate) fn encrypted_by(
    stream: TcpStream,
    certificate: &Path,
) -> StreamOwned<ServerConnection, TcpStream> {
    let chain = vec![CertificateDer::from_pem_file(certificate).unwrap()];
    let key = PrivateKeyDer::from_pem_file(certificate.with_extension("key")).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .unwrap();
    StreamOwned::new(ServerConnection::new(Arc::new(config)).unwrap(), stream)
}

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/daemon")
        .join(name)
}
