//! An IMAP connection: sends commands and reads responses, with a limit on the bytes read.

use imap_proto::{Outcome, RequestId, Response, Status};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

use super::error::{SessionError, lost, words};
use super::frame::Frame;
use crate::stream::{SentEarly, Stream, for_handshake};

/// How the server answers a command.
pub(super) enum Reply {
    /// It waits for the next line of the command.
    GoOn,
    /// It has completed the command, with this status and text.
    Ended(Status, String),
}

/// A connection with a byte limit for reading. Time limits are the caller's task.
pub(super) struct Connection {
    stream: BufReader<Stream>,
    /// The response that was read last, or the incomplete next one.
    frame: Frame,
    allowance: usize,
    /// Begins each tag. It is random, so that no text of a mail can end a command.
    session: String,
    commands: u32,
    /// Whether a response to the current command could not be read.
    is_unreadable: bool,
}

impl Connection {
    pub(super) fn new(stream: Stream, allowance: usize) -> Self {
        Self {
            stream: BufReader::new(stream),
            frame: Frame::default(),
            allowance,
            session: format!("P{:08x}x", rand::random::<u32>()),
            commands: 0,
            is_unreadable: false,
        }
    }

    /// Sets how many bytes may be read from now on.
    pub(super) fn allow(&mut self, bytes: usize) {
        self.allowance = bytes;
    }

    /// The stream for the TLS handshake, after the answer to STARTTLS.
    ///
    /// # Errors
    /// If more was read than that answer.
    pub(super) fn for_handshake(self) -> Result<Stream, SentEarly> {
        for_handshake(self.stream)
    }

    /// Sends a command; returns its tag.
    pub(super) async fn send(&mut self, command: &str) -> Result<RequestId, SessionError> {
        self.commands = self.commands % 9999 + 1;
        self.is_unreadable = false;
        let tag = format!("{}{:04}", self.session, self.commands);
        self.send_line(&format!("{tag} {command}")).await?;
        Ok(RequestId(tag))
    }

    /// Sends a continuation line of a command.
    pub(super) async fn send_line(&mut self, line: &str) -> Result<(), SessionError> {
        let line = format!("{line}\r\n");
        self.stream.write_all(line.as_bytes()).await?;
        Ok(self.stream.flush().await?)
    }

    /// Reads the first response. Only here a BYE means that the server refuses the connection.
    pub(super) async fn greeting(&mut self) -> Result<Response<'_>, SessionError> {
        self.fill().await?;
        Ok(self.frame.response()?)
    }

    /// Reads until the next response is complete.
    async fn fill(&mut self) -> Result<(), SessionError> {
        if self.frame.is_complete() {
            self.frame = Frame::default();
        }
        while !self.frame.is_complete() {
            if self.allowance == 0 || self.frame.announced() > self.allowance {
                return Err(SessionError::Temporary(
                    "the server sends more than was requested".to_owned(),
                ));
            }
            let bytes = self.stream.fill_buf().await?;
            if bytes.is_empty() {
                return Err(SessionError::Temporary(lost()));
            }
            let taken = self.frame.take(bytes.get(..self.allowance).unwrap_or(bytes));
            self.stream.consume(taken);
            self.allowance -= taken;
        }
        Ok(())
    }

    /// Reads the next response. It is cancel-safe: after a cancellation the next call continues.
    ///
    /// # Errors
    /// Also if the server sends BYE.
    pub(super) async fn read(&mut self) -> Result<Response<'_>, SessionError> {
        self.fill().await?;
        self.response()
    }

    fn response(&self) -> Result<Response<'_>, SessionError> {
        let response = self.frame.response()?;
        if let Response::Data {
            status: Status::Bye,
            outcome,
        } = &response
        {
            let said = words(outcome.information.as_deref().unwrap_or_default());
            return Err(SessionError::Temporary(format!(
                "the server ends the session (BYE): {said}"
            )));
        }
        Ok(response)
    }

    /// Whether a response to the last command could not be read, though its end could.
    pub(super) const fn is_unreadable(&self) -> bool {
        self.is_unreadable
    }

    /// Reads until the server answers the command of this tag. `hear` is called with each readable response,
    /// including the last.
    pub(super) async fn reply(
        &mut self,
        tag: &RequestId,
        mut hear: impl FnMut(&Response<'_>) + Send,
    ) -> Result<Reply, SessionError> {
        loop {
            self.fill().await?;
            if self.frame.is_unreadable_data() {
                self.is_unreadable = true;
                continue;
            }
            let response = self.response()?;
            hear(&response);
            match response {
                Response::Continue(_) => return Ok(Reply::GoOn),
                Response::Done {
                    tag: ended,
                    status,
                    outcome,
                } if ended == *tag => return Ok(Reply::Ended(status, said(outcome))),
                _ => {}
            }
        }
    }

    /// Reads until the command of this tag is completed.
    pub(super) async fn end(
        &mut self,
        tag: &RequestId,
        mut hear: impl FnMut(&Response<'_>) + Send,
    ) -> Result<(Status, String), SessionError> {
        loop {
            if let Reply::Ended(status, said) = self.reply(tag, &mut hear).await? {
                return Ok((status, said));
            }
        }
    }

    /// Sends a command and reads until it is completed.
    pub(super) async fn ask(
        &mut self,
        command: &str,
        hear: impl FnMut(&Response<'_>) + Send,
    ) -> Result<(Status, String), SessionError> {
        let tag = self.send(command).await?;
        self.end(&tag, hear).await
    }
}

fn said(outcome: Outcome<'_>) -> String {
    outcome.information.unwrap_or_default().into_owned()
}

/// A name as a quoted string (RFC 3501, section 9).
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::io::{AsyncReadExt, DuplexStream, duplex};
    use tokio::time::timeout;

    use super::*;

    fn connected(allowance: usize) -> (Connection, DuplexStream) {
        let (ours, server) = duplex(4096);
        let mut connection = Connection::new(Box::new(ours), allowance);
        connection.session = "A".to_owned();
        (connection, server)
    }

    async fn error_of(text: &str, allowance: usize) -> SessionError {
        let (mut connection, mut server) = connected(allowance);
        server.write_all(text.as_bytes()).await.unwrap();
        drop(server);
        connection.read().await.unwrap_err()
    }

    fn temporary(why: &str) -> SessionError {
        SessionError::Temporary(why.to_owned())
    }

    #[tokio::test]
    async fn what_could_not_be_read_is_not_quoted() {
        assert_eq!(
            error_of("* move 101 alice secret\r\n", 100).await,
            temporary("the server sends an unreadable response")
        );
    }

    #[tokio::test]
    async fn no_more_is_read_than_is_allowed() {
        for text in ["* OK 345678901\r\n", "* 1 FETCH (BODY[] {4000000000}\r\nabc"] {
            assert_eq!(
                error_of(text, 15).await,
                temporary("the server sends more than was requested"),
                "{text}"
            );
        }
    }

    #[tokio::test]
    async fn a_connection_that_ends_is_lost_and_not_empty() {
        for text in ["", "* OK", "* 1 FETCH (BODY[] {9}\r\nabc"] {
            assert_eq!(
                error_of(text, 100).await,
                temporary("the server has closed the connection"),
                "{text}"
            );
        }
        assert_eq!(
            error_of("* BYE  for\tnow\r\n", 100).await,
            temporary("the server ends the session (BYE): for now")
        );
    }

    #[tokio::test]
    async fn a_response_that_was_waited_for_in_vain_is_not_lost() {
        let (mut connection, mut server) = connected(100);
        server.write_all(b"* 12 EXI").await.unwrap();
        let waited = timeout(Duration::from_millis(10), connection.read()).await;
        assert!(waited.is_err());
        server
            .write_all(b"STS\r\nA0001 OK [UIDNEXT 3] done\r\n")
            .await
            .unwrap();
        let mut heard = Vec::new();
        let (status, said) = connection
            .ask("NOOP", |response| heard.push(format!("{response:?}")))
            .await
            .unwrap();
        assert_eq!((status, said.as_str()), (Status::Ok, "done"));
        assert_eq!(heard[0], "MailboxData(Exists(12))");
        let mut sent = [0; 12];
        server.read_exact(&mut sent).await.unwrap();
        assert_eq!(&sent, b"A0001 NOOP\r\n");
    }

    #[tokio::test]
    async fn after_data_that_cannot_be_read_the_end_of_the_command_is_found() {
        let (mut connection, mut server) = connected(1000);
        server
            .write_all(
                b"* 1 FETCH (INTERNALDATE NIL)\r\n* 2 FETCH (UID 2 BODY[] {3}\r\nabc\r\n)\r\n* 3 EXISTS\r\nA0001 OK done\r\nA0002 OK done\r\n",
            )
            .await
            .unwrap();
        let mut heard = 0;
        let ended = connection.ask("UID FETCH 1:3", |_| heard += 1).await.unwrap();
        assert_eq!((ended.0, heard), (Status::Ok, 2), "EXISTS and the end");
        assert!(connection.is_unreadable());
        connection.ask("NOOP", |_| {}).await.unwrap();
        assert!(!connection.is_unreadable());
    }

    #[tokio::test]
    async fn only_the_end_of_this_command_is_its_end() {
        let (mut connection, mut server) = connected(100);
        server
            .write_all(b"A9999 NO other\r\n+ \r\nA0001 BAD this {3}\r\n")
            .await
            .unwrap();
        let (status, said) = connection.ask("NOOP", |_| {}).await.unwrap();
        assert_eq!((status, said.as_str()), (Status::Bad, "this {3}"));
    }
}
