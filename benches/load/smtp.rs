//! One SMTP connection that sends one mail after another, each after the reply to the one before.

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};

use pbmserv_mail::doors::Message;

/// A connection after EHLO.
pub(crate) struct Session {
    replies: BufReader<OwnedReadHalf>,
    lines: OwnedWriteHalf,
}

impl Session {
    pub(crate) async fn open(server: &str) -> Self {
        let stream = TcpStream::connect(server).await.unwrap();
        stream.set_nodelay(true).unwrap();
        let (replies, lines) = stream.into_split();
        let replies = BufReader::new(replies);
        let mut session = Self { replies, lines };
        session.expect("220").await;
        session.say("EHLO load.example\r\n", "250").await;
        session
    }

    /// Sends a mail; returns when the server has accepted it. The envelope goes in one packet, since both measured
    /// servers announce PIPELINING (RFC 2920).
    pub(crate) async fn send(&mut self, message: &Message) {
        let (sender, recipient) = (
            message.envelope.sender.as_ref().unwrap(),
            &message.envelope.recipients[0],
        );
        let envelope = format!("MAIL FROM:<{sender}>\r\nRCPT TO:<{recipient}>\r\nDATA\r\n");
        self.say(&envelope, "250").await;
        self.expect("250").await;
        self.expect("354").await;
        // None of our lines begins with a dot.
        self.lines
            .write_all(&[&message.bytes, &b".\r\n"[..]].concat())
            .await
            .unwrap();
        self.expect("250").await;
    }

    async fn say(&mut self, line: &str, code: &str) {
        self.lines.write_all(line.as_bytes()).await.unwrap();
        self.expect(code).await;
    }

    /// Reads a reply to its last line.
    async fn expect(&mut self, code: &str) {
        loop {
            let mut line = String::new();
            self.replies.read_line(&mut line).await.unwrap();
            assert!(line.starts_with(code), "{code} was expected: {line:?}");
            if line.as_bytes().get(3) != Some(&b'-') {
                return;
            }
        }
    }
}
