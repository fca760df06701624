//! One session: reads commands and replies, over any byte stream.

use std::net::IpAddr;
use std::sync::Arc;

use tokio::sync::watch;
use tracing::{debug, info};

use super::admission::MemoryBudget;
use super::command::{self, Command, Hello, NOT_OFFERED, Recipient};
use super::end::End;
use super::limits::Limits;
use super::reply::Reply;
use super::tls::Tls;
use super::transaction::Transaction;
use super::wire::Wire;
use crate::doors::Intake;
use crate::doors::socket::Peer;
use crate::mail::Address;
use crate::stream::Stream;

/// What all sessions of a listener share.
pub(super) struct Shared<I> {
    pub(super) hostname: String,
    pub(super) protocol: Protocol,
    pub(super) intake: Arc<I>,
    pub(super) held: Arc<MemoryBudget>,
}

/// The protocol of a listener.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// RFC 5321: one reply for each message.
    Smtp,
    /// RFC 2033: another greeting command, and one reply for each recipient.
    Lmtp,
}

/// A session.
pub(super) struct Session<I> {
    pub(super) wire: Wire,
    pub(super) shared: Arc<Shared<I>>,
    pub(super) limits: Limits,
    /// The peer, for the log.
    pub(super) peer: String,
    /// The peer's address, if the peer is a sender's machine and not a mail server of our own network.
    pub(super) client: Option<IpAddr>,
    pub(super) transaction: Option<Transaction>,
    /// The buffer for the text of a message.
    pub(super) buffer: Vec<u8>,
    pub(super) progress: Progress,
    /// The certificate for STARTTLS; `None` if not offered, or already in use.
    tls: Option<Tls>,
    is_greeted: bool,
}

/// Counters against the limits.
#[derive(Debug, Default)]
pub(super) struct Progress {
    accepted: u64,
    /// Since the last accepted message.
    commands: u32,
    /// Since the last accepted message.
    errors: u32,
}

impl Progress {
    /// An accepted message resets the counters.
    pub(super) fn accept(&mut self) {
        *self = Self {
            accepted: self.accepted + 1,
            ..Self::default()
        };
    }
}

impl<I: Intake> Session<I> {
    pub(super) fn new(
        stream: Stream,
        peer: Peer,
        shared: Arc<Shared<I>>,
        limits: Limits,
        tls: Option<Tls>,
        stop: watch::Receiver<bool>,
    ) -> Self {
        Self {
            wire: Wire::new(stream, stop, limits.silence()),
            shared,
            limits,
            peer: peer.to_string(),
            client: peer.client(),
            transaction: None,
            buffer: Vec::new(),
            progress: Progress::default(),
            tls,
            is_greeted: false,
        }
    }

    /// Runs the session to its end.
    pub(super) async fn run(mut self) {
        let word = match self.shared.protocol {
            Protocol::Smtp => "ESMTP",
            Protocol::Lmtp => "LMTP",
        };
        let greeting = format!("{} {word} pbmserv", self.shared.hostname);
        self.wire.say(&Reply::with("220", &greeting));
        let end = loop {
            if let Err(end) = self.turn().await {
                break end;
            }
        };
        if end.is_limit() {
            info!(peer = self.peer, ?end, "a session was ended by a limit");
        }
        debug!(
            peer = self.peer,
            accepted = self.progress.accepted,
            ?end,
            "session ended"
        );
        if let Some(reply) = end.last_words() {
            self.wire.say(&reply);
        }
        self.wire.close(end.is_interruption()).await;
    }

    /// Reads one command and replies.
    async fn turn(&mut self) -> Result<(), End> {
        let line = self.wire.line(self.limits.max_line_bytes).await?;
        let command = line.map(command::read);
        self.progress.commands += 1;
        if self.progress.commands > self.limits.max_commands {
            return Err(End::TooManyCommands);
        }
        let reply = match command {
            Err(_) => Reply::new("500 5.5.2 The line is too long"),
            Ok(Err(refusal)) => refusal,
            Ok(Ok(Command::StartTls)) if self.tls.is_some() => return self.start_tls().await,
            Ok(Ok(command)) => self.obey(command).await?,
        };
        self.wire.say(&reply);
        if reply.is_refusal() {
            self.progress.errors += 1;
            if self.progress.errors > self.limits.max_errors {
                return Err(End::TooManyErrors);
            }
        }
        self.wire.flush_if_many().await
    }

    async fn obey(&mut self, command: Command) -> Result<Reply, End> {
        Ok(match command {
            Command::Hello(hello) => self.hello(hello),
            Command::Mail { sender, size } => self.mail(sender, size),
            Command::Rcpt(recipient) => self.rcpt(recipient),
            Command::Data => self.data().await?,
            Command::Rset => {
                self.transaction = None;
                Reply::new("250 2.0.0 Forgotten")
            }
            Command::Noop => Reply::new("250 2.0.0 Yes"),
            Command::Vrfy => Reply::new("252 2.1.5 Addresses are not verified, but a message will be tried"),
            Command::Help => Reply::new(match self.shared.protocol {
                Protocol::Smtp => "214 2.0.0 EHLO HELO MAIL RCPT DATA RSET NOOP QUIT VRFY HELP (RFC 5321)",
                Protocol::Lmtp => "214 2.0.0 LHLO MAIL RCPT DATA RSET NOOP QUIT VRFY HELP (RFC 2033)",
            }),
            Command::StartTls => NOT_OFFERED,
            Command::Quit => return Err(End::Quit),
            Command::Foreign => return Err(End::Foreign),
        })
    }

    /// RFC 2033, 4.1: a peer that speaks the other protocol learns it before it sends a message.
    fn hello(&mut self, hello: Hello) -> Reply {
        match (self.shared.protocol, hello) {
            (Protocol::Smtp, Hello::Lhlo) => return Reply::new("500 5.5.1 This is SMTP: say EHLO"),
            (Protocol::Lmtp, Hello::Ehlo | Hello::Helo) => {
                return Reply::new("500 5.5.1 This is LMTP: say LHLO");
            }
            _ => {}
        }
        self.is_greeted = true;
        self.transaction = None;
        let Shared { hostname, .. } = &*self.shared;
        match hello {
            Hello::Helo => Reply::with("250", hostname),
            Hello::Ehlo | Hello::Lhlo => {
                Reply::extensions(hostname, self.limits.max_message_bytes, self.tls.is_some())
            }
        }
    }

    /// Encrypts the connection and forgets everything said before in plain text (RFC 3207, 4.2).
    ///
    /// Bytes that followed the command in plain text would be taken for encrypted ones, so they end the
    /// session.
    async fn start_tls(&mut self) -> Result<(), End> {
        let Some(tls) = self.tls.take() else { return Ok(()) };
        if !self.wire.unread().is_empty() {
            return Err(End::Injection);
        }
        self.wire.say(&Reply::new("220 2.0.0 Go ahead"));
        self.wire.encrypt(&tls).await?;
        self.is_greeted = false;
        self.transaction = None;
        Ok(())
    }

    fn mail(&mut self, sender: Option<Address>, size: usize) -> Reply {
        if !self.is_greeted {
            return Reply::new(match self.shared.protocol {
                Protocol::Smtp => "503 5.5.1 Say EHLO first",
                Protocol::Lmtp => "503 5.5.1 Say LHLO first",
            });
        }
        if self.transaction.is_some() {
            return Reply::new("503 5.5.1 There is a sender already; RSET forgets it");
        }
        if size > self.limits.max_message_bytes {
            return self.too_long();
        }
        self.transaction = Some(Transaction::new(sender, size));
        Reply::new("250 2.1.0 Sender noted")
    }

    fn rcpt(&mut self, recipient: Recipient) -> Reply {
        const NOBODY: Reply = Reply::new("550 5.1.1 There is no such mailbox here");

        let Some(transaction) = &mut self.transaction else {
            return Reply::new("503 5.5.1 Say MAIL first");
        };
        let address = match recipient {
            Recipient::Mailbox(address) => address,
            Recipient::Postmaster => match Address::parse(&format!("postmaster@{}", self.shared.hostname)) {
                Ok(address) => address,
                Err(_) => return NOBODY,
            },
        };
        if !self.shared.intake.is_ours(&address) {
            return if address.domain().eq_ignore_ascii_case(&self.shared.hostname) {
                NOBODY
            } else {
                Reply::new("550 5.7.1 This server takes mail for itself only and relays none")
            };
        }
        match transaction.add(address, self.limits.max_recipients) {
            Ok(()) => Reply::new("250 2.1.5 Recipient noted"),
            Err(_) => {
                let sentence = format!("A message has at most {} recipients", self.limits.max_recipients);
                Reply::with("452 4.5.3", &sentence)
            }
        }
    }

    pub(super) fn too_long(&self) -> Reply {
        let sentence = format!("A message has at most {} bytes", self.limits.max_message_bytes);
        Reply::with("552 5.3.4", &sentence)
    }
}
