//! The byte stream of a connection, whatever carries it.

use tokio::io::{AsyncRead, AsyncWrite};

/// A byte stream in both directions: TCP, a unix socket, TLS over either, or a test's.
pub(super) trait Duplex: AsyncRead + AsyncWrite + Send + Sync + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Sync + Unpin> Duplex for T {}

/// A stream that STARTTLS can replace.
pub(super) type Stream = Box<dyn Duplex>;
