//! The bytes of one connection, whatever carries them.

use tokio::io::{AsyncRead, AsyncWrite};

/// Bytes in both directions: TCP, a unix socket, either of them encrypted, or a test's own.
pub(super) trait Duplex: AsyncRead + AsyncWrite + Send + Sync + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Sync + Unpin> Duplex for T {}

/// A stream that STARTTLS can put another in the place of.
pub(super) type Stream = Box<dyn Duplex>;
