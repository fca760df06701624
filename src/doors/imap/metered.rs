//! A connection that gives no more bytes than were asked for, whatever the server sends.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Bytes both ways: a socket, or TLS over one.
pub(super) trait Io: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Io for T {}

/// A connection with an allowance for what it may still read.
pub(super) struct Metered {
    inner: Box<dyn Io>,
    allowance: usize,
}

impl Metered {
    pub(super) fn new(inner: impl Io + 'static, allowance: usize) -> Self {
        Self {
            inner: Box::new(inner),
            allowance,
        }
    }

    /// From now on so many bytes may be read.
    pub(super) fn allow(&mut self, bytes: usize) {
        self.allowance = bytes;
    }

    pub(super) fn into_inner(self) -> Box<dyn Io> {
        self.inner
    }
}

impl fmt::Debug for Metered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metered")
            .field("allowance", &self.allowance)
            .finish_non_exhaustive()
    }
}

impl AsyncRead for Metered {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.allowance == 0 {
            let error = io::Error::new(
                io::ErrorKind::FileTooLarge,
                "the server sends more than was asked for",
            );
            return Poll::Ready(Err(error));
        }
        let before = buf.filled().len();
        let read = Pin::new(&mut self.inner).poll_read(cx, buf);
        let more = buf.filled().len() - before;
        self.allowance = self.allowance.saturating_sub(more);
        read
    }
}

impl AsyncWrite for Metered {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}
