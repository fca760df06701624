//! A player's mail program: raw SMTP lines over a socket.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use super::{PATIENCE, SERVER};

/// A session.
pub(crate) struct Client {
    stream: BufReader<TcpStream>,
}

impl Client {
    /// Connects and sends EHLO.
    pub(crate) fn connect(port: u16) -> io::Result<Self> {
        let mut client = Self::open(port)?;
        let greeting = client.reply()?;
        if !greeting.starts_with("220") {
            return Err(io::Error::other(greeting));
        }
        client.say("EHLO home.example")?;
        Ok(client)
    }

    /// Connects and sends nothing.
    pub(crate) fn open(port: u16) -> io::Result<Self> {
        Self::over(TcpStream::connect(("127.0.0.1", port))?)
    }

    /// The same from this address of the loopback network.
    pub(crate) fn open_from(address: [u8; 4], port: u16) -> io::Result<Self> {
        Self::over(stream_from(address, port)?)
    }

    fn over(stream: TcpStream) -> io::Result<Self> {
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream: BufReader::new(stream),
        })
    }

    /// One command and its reply.
    pub(crate) fn say(&mut self, line: &str) -> io::Result<String> {
        self.write(format!("{line}\r\n").as_bytes())?;
        self.reply()
    }

    /// Everything until the server closes the connection.
    pub(crate) fn rest(&mut self) -> String {
        let mut bytes = Vec::new();
        // A reset ends it too.
        let _ = self.stream.read_to_end(&mut bytes);
        String::from_utf8(bytes).unwrap()
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.get_mut().write_all(bytes)
    }

    /// The next reply, all its lines.
    pub(crate) fn reply(&mut self) -> io::Result<String> {
        let mut reply = String::new();
        loop {
            let from = reply.len();
            if self.stream.read_line(&mut reply)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            if reply.as_bytes().get(from + 3) != Some(&b'-') {
                return Ok(reply.trim_end().to_owned());
            }
        }
    }

    /// Sends MAIL, RCPT and DATA; the error is the refusal of one of them.
    pub(crate) fn begin(&mut self, sender: &str) -> io::Result<()> {
        self.begin_to(sender, &[SERVER])
    }

    /// The same to these recipients.
    pub(crate) fn begin_to(&mut self, sender: &str, recipients: &[&str]) -> io::Result<()> {
        let mut lines = vec![format!("MAIL FROM:<{sender}>")];
        lines.extend(
            recipients
                .iter()
                .map(|recipient| format!("RCPT TO:<{recipient}>")),
        );
        lines.push("DATA".to_owned());
        for line in lines {
            let reply = self.say(&line)?;
            if !reply.starts_with(['2', '3']) {
                return Err(io::Error::other(reply));
            }
        }
        Ok(())
    }

    /// Sends a message with its final dot, and returns the reply.
    pub(crate) fn send(&mut self, sender: &str, message: &[u8]) -> io::Result<String> {
        self.begin(sender)?;
        self.write(&stuffed(message))?;
        self.reply()
    }

    /// The same to these recipients.
    pub(crate) fn send_to(
        &mut self,
        sender: &str,
        recipients: &[&str],
        message: &[u8],
    ) -> io::Result<String> {
        self.begin_to(sender, recipients)?;
        self.write(&stuffed(message))?;
        self.reply()
    }

    /// Sends a message with its final dot, and closes the connection without waiting for the reply.
    pub(crate) fn send_and_go(mut self, sender: &str, message: &[u8]) -> io::Result<()> {
        self.begin(sender)?;
        self.write(&stuffed(message))
    }
}

/// A connection from this address of the loopback network.
pub(crate) fn stream_from(address: [u8; 4], port: u16) -> io::Result<TcpStream> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()?;
    let stream = runtime.block_on(async {
        let socket = tokio::net::TcpSocket::new_v4()?;
        socket.bind((address, 0).into())?;
        socket.connect(([127, 0, 0, 1], port).into()).await?.into_std()
    })?;
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    Ok(stream)
}

/// A message with its dots doubled and the final one (RFC 5321, 4.5.2).
pub(crate) fn stuffed(message: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(message.len() + 8);
    for line in message.split_inclusive(|&byte| byte == b'\n') {
        if line.starts_with(b".") {
            out.push(b'.');
        }
        out.extend_from_slice(line);
    }
    out.extend_from_slice(b".\r\n");
    out
}

/// A message of plain text.
pub(crate) fn message(from: &str, id: &str, subject: &str, text: &str) -> Vec<u8> {
    let text = text.replace('\n', "\r\n");
    format!("From: {from}\r\nTo: {SERVER}\r\nMessage-ID: <{id}>\r\nSubject: {subject}\r\n\r\n{text}\r\n")
        .into_bytes()
}

/// Sends one message in a new session; it must be accepted.
pub(crate) fn send(port: u16, from: &str, id: &str, subject: &str, text: &str) {
    let mut client = Client::connect(port).unwrap();
    let reply = client.send(from, &message(from, id, subject, text)).unwrap();
    assert!(reply.starts_with("250"), "{reply}");
}
