//! The door as a peer sees it, over loopback sockets.

mod conversation;
mod laws;
mod lmtp;
mod refusals;
mod smuggling;
mod socket;
mod starttls;
mod stopping;
mod strangers;
mod utf8;

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::{Admission, Door, Protocol, Settings, Tls, serve};
use crate::Address;
use crate::doors::Listener;
use crate::doors::{Intake, Message, Verdict};
use crate::stream::Stream;

/// Upper bound for any step of these tests.
const PATIENCE: Duration = Duration::from_secs(20);

/// Records messages and answers by their sender: `unusable@` and `later@` get those verdicts.
struct Recorder {
    messages: Mutex<Vec<Message>>,
    /// Handling a message takes a permit.
    gate: Semaphore,
    is_full: AtomicBool,
}

impl Recorder {
    fn open() -> Arc<Self> {
        Self::with_gate(Semaphore::MAX_PERMITS)
    }

    fn with_gate(permits: usize) -> Arc<Self> {
        Arc::new(Self {
            messages: Mutex::default(),
            gate: Semaphore::new(permits),
            is_full: AtomicBool::new(false),
        })
    }

    /// The messages handed in, as "sender>recipient,recipient:text".
    fn seen(&self) -> Vec<String> {
        let messages = self.messages.lock().unwrap();
        let line = |message: &Message| {
            let sender = message.envelope.sender.as_ref().map_or("", Address::as_str);
            let text = String::from_utf8_lossy(&message.bytes);
            let recipients: Vec<&str> = message.envelope.recipients.iter().map(Address::as_str).collect();
            format!("{sender}>{}:{text}", recipients.join(","))
        };
        messages.iter().map(line).collect()
    }
}

impl Intake for Recorder {
    fn is_ours(&self, recipient: &Address) -> bool {
        let own = ["pbmserv@host.example", "postmaster@host.example"];
        own.iter()
            .any(|own| recipient.is_delivered_to(&Address::parse(own).unwrap()))
    }

    fn domain(&self) -> &'static str {
        "host.example"
    }

    async fn can_answer(&self, sender: &Address, recipient: &Address) -> bool {
        sender.local() != "нет" || recipient.detail().is_some()
    }

    async fn has_room(&self) -> bool {
        !self.is_full.load(Ordering::Relaxed)
    }

    async fn submit(&self, message: Message) -> Verdict {
        let number = {
            let mut messages = self.messages.lock().unwrap();
            messages.push(message.clone());
            i64::try_from(messages.len()).unwrap()
        };
        self.gate.acquire().await.unwrap().forget();
        let who = message.envelope.sender.as_ref().map_or("", Address::local);
        match (who, message.envelope.recipients[0].detail()) {
            ("unusable", _) | (_, Some("unusable")) => Verdict::Unusable("It says nothing.".into()),
            ("later", _) | (_, Some("later")) => Verdict::TryLater("The disk is full.".into()),
            _ => Verdict::Accepted(number),
        }
    }
}

/// A listener on a free port.
struct Server {
    address: SocketAddr,
    intake: Arc<Recorder>,
    stop: watch::Sender<bool>,
    settings: watch::Sender<Settings>,
    tls: watch::Sender<Option<Tls>>,
    task: JoinHandle<()>,
}

impl Server {
    async fn start(settings: Settings) -> Self {
        Self::over(settings, Recorder::open()).await
    }

    async fn over(settings: Settings, intake: Arc<Recorder>) -> Self {
        Self::speaking(Protocol::Smtp, settings, intake).await
    }

    async fn speaking(protocol: Protocol, settings: Settings, intake: Arc<Recorder>) -> Self {
        Self::named("host.example", protocol, settings, intake).await
    }

    async fn named(hostname: &str, protocol: Protocol, settings: Settings, intake: Arc<Recorder>) -> Self {
        let listener = Listener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.tcp_address().unwrap();
        let (stop, stopped) = watch::channel(false);
        let (settings, limits_seen) = watch::channel(settings);
        let (tls, tls_seen) = watch::channel(None);
        let served = serve(Door {
            listener,
            protocol,
            hostname: hostname.into(),
            settings: limits_seen,
            tls: tls_seen,
            admission: Admission::default(),
            intake: Arc::clone(&intake),
            stop: stopped,
        });
        Self {
            address,
            intake,
            stop,
            settings,
            tls,
            task: tokio::spawn(served),
        }
    }

    /// A client that has not read the greeting.
    async fn connect(&self) -> Client {
        let stream = TcpStream::connect(self.address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        Client::over(Box::new(stream))
    }

    /// A client at this address that has not read the greeting.
    async fn connect_from(&self, address: [u8; 4]) -> Client {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind((address, 0).into()).unwrap();
        let stream = socket.connect(self.address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        Client::over(Box::new(stream))
    }

    /// A client that has said EHLO.
    async fn client(&self) -> Client {
        let mut client = self.connect().await;
        assert!(client.reply().await.starts_with("220 "));
        assert!(
            client
                .ask("EHLO me.example")
                .await
                .starts_with("250-host.example")
        );
        client
    }
}

struct Client {
    stream: Stream,
    heard: Vec<u8>,
}

impl Client {
    fn over(stream: Stream) -> Self {
        Self {
            stream,
            heard: Vec::new(),
        }
    }

    async fn say(&mut self, bytes: impl AsRef<[u8]>) {
        timeout(PATIENCE, self.stream.write_all(bytes.as_ref()))
            .await
            .unwrap()
            .unwrap();
    }

    /// The next reply, with all of its lines and without the last CRLF.
    async fn reply(&mut self) -> String {
        let mut from = 0;
        loop {
            let line_end = self.heard[from..].windows(2).position(|two| two == b"\r\n");
            let Some(length) = line_end else {
                let read = timeout(PATIENCE, self.stream.read_buf(&mut self.heard)).await;
                let count = read.expect("no reply came").unwrap();
                assert_ne!(
                    count,
                    0,
                    "closed after {:?}",
                    String::from_utf8_lossy(&self.heard)
                );
                continue;
            };
            let is_last = self.heard[from + 3] == b' ';
            from += length + 2;
            if is_last {
                let reply: Vec<u8> = self.heard.drain(..from).collect();
                return String::from_utf8(reply).unwrap().trim_end().to_owned();
            }
        }
    }

    async fn ask(&mut self, line: &str) -> String {
        self.say(format!("{line}\r\n")).await;
        self.reply().await
    }

    /// Sends a line and checks the beginning of the reply.
    async fn expect(&mut self, line: &str, beginning: &str) {
        let reply = self.ask(line).await;
        assert!(reply.starts_with(beginning), "{line}: {reply}");
    }

    /// A message from alice up to 354.
    async fn begin(&mut self) {
        self.expect("MAIL FROM:<alice@example.org>", "250 2.1.0").await;
        self.expect("RCPT TO:<pbmserv@host.example>", "250 2.1.5").await;
        self.expect("DATA", "354 ").await;
    }

    /// Everything until the server closes.
    async fn rest(&mut self) -> String {
        let read = timeout(PATIENCE, self.stream.read_to_end(&mut self.heard)).await;
        read.expect("the connection stays open").unwrap();
        String::from_utf8(std::mem::take(&mut self.heard)).unwrap()
    }
}
