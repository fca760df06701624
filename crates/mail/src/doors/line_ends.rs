//! A connection on which only CRLF ends a line. Of a bare LF one program makes two lines and the next one makes one, so that a
//! request behind a proxy could hold another.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// A connection whose bare LFs are read as NUL: no header of HTTP may have one, so that the request is refused.
#[derive(Debug)]
pub(super) struct LineEnds<I> {
    inner: I,
    /// The last byte that was read.
    last: u8,
}

impl<I> LineEnds<I> {
    pub(super) const fn of(inner: I) -> Self {
        Self { inner, last: 0 }
    }

    fn read(&mut self, bytes: &mut [u8]) {
        for byte in bytes {
            let before = std::mem::replace(&mut self.last, *byte);
            if *byte == b'\n' && before != b'\r' {
                *byte = 0;
            }
        }
    }
}

impl<I: AsyncRead + Unpin> AsyncRead for LineEnds<I> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(context, buffer))?;
        self.read(buffer.filled_mut().get_mut(before..).unwrap_or_default());
        Poll::Ready(Ok(()))
    }
}

impl<I: AsyncWrite + Unpin> AsyncWrite for LineEnds<I> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write_vectored(context, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_line_feed_is_read_as_nul_wherever_a_read_ends() {
        let mut connection = LineEnds::of(());
        let read: Vec<u8> = [&b"a\r"[..], b"\nb\n", b"\n\r\nc\rd\r", b"\n"]
            .into_iter()
            .flat_map(|part| {
                let mut part = part.to_vec();
                connection.read(&mut part);
                part
            })
            .collect();
        assert_eq!(read, b"a\r\nb\0\0\r\nc\rd\r\n");
    }
}
