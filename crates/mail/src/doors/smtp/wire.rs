//! Buffered input and output of a connection. Every wait has a time limit.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::watch;
use tokio::time::{Instant, timeout, timeout_at};

use crate::stream::Stream;

use super::end::End;
use super::reply::Reply;
use super::tls::Tls;

/// The first input buffer: enough for commands, cheap for an idle connection.
const SMALL: usize = 1024;
/// The input buffer for a message of ordinary length.
const MEDIUM: usize = 4 * 1024;
/// The input buffer for a long message, and the length at which it is used.
const LARGE: usize = 32 * 1024;
/// Replies are sent when the input is empty, or when this many bytes have accumulated.
const MAX_REPLIES: usize = 16 * 1024;
/// A line without an end is read up to this length.
const ENDLESS: usize = 64 * 1024;

/// A connection with its buffers. Replies are held back until the input is empty, so one write answers a
/// whole group of pipelined commands (RFC 2920).
pub(super) struct Wire {
    stream: Stream,
    input: Vec<u8>,
    /// Where the unread part of `input` begins.
    start: usize,
    output: Vec<u8>,
    stop: watch::Receiver<bool>,
    silence: Duration,
}

/// The line was longer than allowed. It was read to its end and dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooLong;

impl Wire {
    pub(super) fn new(stream: Stream, stop: watch::Receiver<bool>, silence: Duration) -> Self {
        Self {
            stream,
            input: Vec::new(),
            start: 0,
            output: Vec::new(),
            stop,
            silence,
        }
    }

    /// Appends a reply to the output buffer.
    pub(super) fn say(&mut self, reply: &Reply) {
        self.output.extend_from_slice(reply.as_bytes());
        self.output.extend_from_slice(b"\r\n");
    }

    /// Changes the time limit of every wait.
    pub(super) fn set_silence(&mut self, silence: Duration) {
        self.silence = silence;
    }

    /// Whether the peer speaks within this time, before it was greeted.
    ///
    /// # Errors
    /// The session's end.
    pub(super) async fn is_early(&mut self, pause: Duration) -> Result<bool, End> {
        match self.fill(Instant::now() + pause, true).await {
            Ok(()) => Ok(true),
            Err(End::Silent) => Ok(false),
            Err(end) => Err(end),
        }
    }

    /// Reads the next line with its line end, within the idle timeout and before `bound`.
    ///
    /// # Errors
    /// The session's end. That includes a stop of the server while no line is there.
    pub(super) async fn line(
        &mut self,
        longest: usize,
        bound: Instant,
    ) -> Result<Result<&[u8], TooLong>, End> {
        let deadline = bound.min(Instant::now() + self.silence);
        // Bytes already dropped from a line that is too long.
        let mut dropped = 0;
        // There is no line end before this index.
        let mut searched = 0;
        loop {
            let unread = self.unread();
            let found = unread[searched..].iter().position(|&byte| byte == b'\n');
            let length = found.map_or(unread.len(), |at| searched + at + 1);
            if dropped + length > ENDLESS {
                return Err(End::EndlessLine);
            }
            if found.is_some() {
                let from = self.start;
                self.start += length;
                return Ok(if dropped + length > longest {
                    Err(TooLong)
                } else {
                    Ok(&self.input[from..from + length])
                });
            }
            if dropped + length > longest {
                dropped += length;
                searched = 0;
                self.consume(length);
            } else {
                searched = length;
            }
            self.fill(deadline, true).await?;
        }
    }

    /// The received bytes that were not consumed.
    pub(super) fn unread(&self) -> &[u8] {
        self.input.get(self.start..).unwrap_or_default()
    }

    /// Consumes this many bytes.
    pub(super) fn consume(&mut self, count: usize) {
        self.start = (self.start + count).min(self.input.len());
    }

    /// Reads more of a message of which this many bytes have arrived.
    ///
    /// # Errors
    /// The session's end. A stop of the server does not interrupt a message.
    pub(super) async fn more(&mut self, come: usize, deadline: Instant) -> Result<(), End> {
        let room = if come < LARGE { MEDIUM } else { LARGE };
        if self.input.capacity() < room {
            self.input.reserve_exact(room - self.input.len());
        }
        self.fill(deadline.min(Instant::now() + self.silence), false)
            .await
    }

    /// Frees the buffer of a long message.
    pub(super) fn shrink(&mut self) {
        if self.input.capacity() > MEDIUM {
            self.input.drain(..self.start);
            self.start = 0;
            self.input.shrink_to(MEDIUM);
        }
    }

    async fn fill(&mut self, deadline: Instant, stoppable: bool) -> Result<(), End> {
        self.flush().await?;
        self.input.drain(..self.start);
        self.start = 0;
        if self.input.len() == self.input.capacity() {
            self.input.reserve_exact(SMALL);
        }
        let Self {
            stream, input, stop, ..
        } = self;
        let read = async {
            tokio::select! {
                biased;
                // A dropped `stop` sender also means stop.
                _ = stop.wait_for(|stop| *stop), if stoppable => Err(End::Stopping),
                read = stream.read_buf(input) => match read {
                    Ok(0) | Err(_) => Err(End::Gone),
                    Ok(_) => Ok(()),
                },
            }
        };
        timeout_at(deadline, read).await.unwrap_or(Err(End::Silent))
    }

    /// Sends the replies and encrypts the connection. The handshake must finish within the idle timeout.
    ///
    /// # Errors
    /// The session's end. The connection is closed then.
    pub(super) async fn encrypt(&mut self, tls: &Tls) -> Result<(), End> {
        self.flush().await?;
        let plain = std::mem::replace(&mut self.stream, Box::new(tokio::io::empty()));
        let Self { stream, stop, .. } = self;
        let shake = async {
            tokio::select! {
                biased;
                _ = stop.wait_for(|stop| *stop) => Err(End::Gone),
                shaken = tls.accept(plain) => shaken.map_err(|_| End::Handshake),
            }
        };
        *stream = timeout(self.silence, shake)
            .await
            .unwrap_or(Err(End::Handshake))?;
        Ok(())
    }

    /// Sends the replies if many have accumulated, which bounds their memory.
    pub(super) async fn flush_if_many(&mut self) -> Result<(), End> {
        if self.output.len() > MAX_REPLIES {
            self.flush().await
        } else {
            Ok(())
        }
    }

    /// Sends the replies.
    ///
    /// # Errors
    /// The session's end: the peer has disconnected or does not read.
    pub(super) async fn flush(&mut self) -> Result<(), End> {
        if self.output.is_empty() {
            return Ok(());
        }
        let sent = timeout(self.silence, async {
            self.stream.write_all(&self.output).await?;
            self.stream.flush().await
        });
        let end = match sent.await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(End::Gone),
            Err(_) => Err(End::Deaf),
        };
        // Also after a failure: bytes that were partly sent must not be sent again.
        self.output.clear();
        end
    }

    /// Closes the connection. With `linger`, input is still read for a moment: closing a socket with unread
    /// bytes resets it, and the peer would not see the last reply.
    pub(super) async fn close(mut self, linger: bool) {
        const LINGER: Duration = Duration::from_secs(2);
        const MAX_READ: usize = 1024 * 1024;

        let last_words = async {
            self.stream.write_all(&self.output).await?;
            self.stream.shutdown().await
        };
        if !matches!(timeout(LINGER, last_words).await, Ok(Ok(()))) || !linger {
            return;
        }
        let drained = async {
            let mut read = 0;
            while read < MAX_READ {
                self.input.clear();
                match self.stream.read_buf(&mut self.input).await {
                    Ok(0) | Err(_) => break,
                    Ok(count) => read += count,
                }
            }
        };
        // With or without an error, the connection is closed now.
        let _ = timeout(LINGER, drained).await;
    }
}
