//! One session: reads commands and replies, over any byte stream.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep};
use tracing::{debug, info};

use super::admission::MemoryBudget;
use super::client::Client;
use super::command::{self, Command, Hello, NEEDS_UTF8, NOT_OFFERED, Recipient};
use super::end::End;
use super::progress::Progress;
use super::rates::Event;
use super::reply::Reply;
use super::settings::Settings;
use super::tls::Tls;
use super::transaction::Transaction;
use super::wire::Wire;
use crate::Address;
use crate::doors::Intake;
use crate::doors::socket::Peer;
use crate::stream::Stream;

/// The pause before the refusal of a command, once half of the refusals that a session may have were used.
const ANNOYED: Duration = Duration::from_secs(1);

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
    /// The limits as they are now: those of the listener, or tighter ones under stress.
    pub(super) settings: Settings,
    /// The limits of the listener.
    calm_settings: Settings,
    is_stressed: bool,
    /// The peer, for the log.
    pub(super) peer: String,
    pub(super) client: Client,
    pub(super) transaction: Option<Transaction>,
    /// The buffer for the text of a message.
    pub(super) buffer: Vec<u8>,
    pub(super) progress: Progress,
    /// The certificate for STARTTLS; `None` if not offered, or already in use.
    tls: Option<Tls>,
    is_greeted: bool,
}

impl<I: Intake> Session<I> {
    pub(super) fn new(
        stream: Stream,
        peer: Peer,
        client: Client,
        shared: Arc<Shared<I>>,
        settings: Settings,
        tls: Option<Tls>,
        stop: watch::Receiver<bool>,
    ) -> Self {
        Self {
            wire: Wire::new(stream, stop, settings.silence()),
            shared,
            calm_settings: settings.clone(),
            settings,
            is_stressed: false,
            peer: peer.to_string(),
            client,
            transaction: None,
            buffer: Vec::new(),
            progress: Progress::begin(),
            tls,
            is_greeted: false,
        }
    }

    /// Runs the session to its end.
    pub(super) async fn run(mut self) {
        let end = self.conversation().await;
        if end.is_limit() {
            self.client.may(Event::Refusal, self.settings.refusals_a_minute);
            if self.client.is_log_due() {
                info!(peer = self.peer, ?end, "a session was ended by a limit");
            }
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

    /// Greets and obeys.
    async fn conversation(&mut self) -> End {
        match self.greet().await {
            Ok(()) => loop {
                if let Err(end) = self.next_command().await {
                    break end;
                }
            },
            Err(end) => end,
        }
    }

    /// A program that sends without listening, as many that send junk do, is refused (postscreen's pregreet
    /// test). It costs a mail server nothing but the pause: it waits for the greeting (RFC 5321, 4.3.1), and
    /// for five minutes (4.5.3.2.1).
    async fn greet(&mut self) -> Result<(), End> {
        self.adapt_to_stress();
        if !self.client.is_trusted() && self.wire.is_early(self.settings.greeting_time()).await? {
            return Err(End::Early);
        }
        let word = match self.shared.protocol {
            Protocol::Smtp => "ESMTP",
            Protocol::Lmtp => "LMTP",
        };
        let greeting = format!("{} {word} pbmserv", self.shared.hostname);
        self.wire.say(&Reply::with("220", &greeting));
        Ok(())
    }

    fn adapt_to_stress(&mut self) {
        let is_stressed = self.client.is_under_stress(&self.calm_settings);
        if is_stressed == self.is_stressed {
            return;
        }
        self.is_stressed = is_stressed;
        self.settings = match is_stressed {
            true => self.calm_settings.under_stress(),
            false => self.calm_settings.clone(),
        };
        self.wire.set_silence(self.settings.silence());
    }

    /// Reads one command and replies.
    async fn next_command(&mut self) -> Result<(), End> {
        self.adapt_to_stress();
        let (bound, end) = self.progress.bound(&self.settings, self.client.is_trusted());
        let command = match self.wire.line(self.settings.max_line_bytes, bound).await {
            Err(End::Silent) if Instant::now() >= bound => return Err(end),
            line => line?.map(command::read),
        };
        // Commands that are there already do not wait.
        if Instant::now() >= bound {
            return Err(end);
        }
        self.progress.command(&self.settings, self.client.is_trusted())?;
        let reply = match command {
            Err(_) => Reply::new("500 5.5.2 The line is too long"),
            Ok(Err(refusal)) => refusal,
            Ok(Ok(Command::StartTls)) if self.tls.is_some() => return self.start_tls().await,
            Ok(Ok(command)) => self.obey(command).await?,
        };
        if reply.is_refusal() {
            self.refuse(&reply).await?;
        } else {
            self.wire.say(&reply);
        }
        self.wire.flush_if_many().await
    }

    /// Replies to a command or a message that is refused through the client's fault.
    async fn refuse(&mut self, reply: &Reply) -> Result<(), End> {
        self.progress.errors += 1;
        let is_annoying = self.progress.errors > self.settings.max_errors.div_ceil(2);
        if is_annoying && !self.client.is_trusted() && !self.is_stressed {
            sleep(ANNOYED).await;
        }
        self.wire.say(reply);
        let may_go_on = self.client.may(Event::Refusal, self.settings.refusals_a_minute);
        if !may_go_on || self.progress.errors > self.settings.max_errors {
            return Err(End::TooManyErrors);
        }
        Ok(())
    }

    async fn obey(&mut self, command: Command) -> Result<Reply, End> {
        Ok(match command {
            Command::Hello(hello) => self.hello(hello),
            Command::Mail {
                sender,
                size,
                is_utf8,
            } => self.mail(sender, size, is_utf8).await,
            Command::Rcpt(recipient) => self.rcpt(recipient).await,
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
            Command::BareLineEnd => return Err(End::BareInCommand),
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
                Reply::extensions(hostname, self.settings.max_message_bytes, self.tls.is_some())
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

    async fn mail(&mut self, sender: Option<Address>, size: usize, is_utf8: bool) -> Reply {
        if !self.is_greeted {
            return Reply::new(match self.shared.protocol {
                Protocol::Smtp => "503 5.5.1 Say EHLO first",
                Protocol::Lmtp => "503 5.5.1 Say LHLO first",
            });
        }
        if self.transaction.is_some() {
            return Reply::new("503 5.5.1 There is a sender already; RSET forgets it");
        }
        if size > self.settings.max_message_bytes {
            return self.too_long();
        }
        if !self.shared.intake.has_room().await {
            return Reply::new("452 4.3.1 The disk is nearly full, please try again later");
        }
        if !self.client.may(Event::Message, self.settings.messages_a_minute) {
            return Reply::new("450 4.7.1 Too many messages from your network, please try again in a minute");
        }
        self.transaction = Some(Transaction::new(sender, size, is_utf8));
        Reply::new("250 2.1.0 Sender noted")
    }

    async fn rcpt(&mut self, recipient: Recipient) -> Reply {
        const NOBODY: Reply = Reply::new("550 5.1.1 There is no such mailbox here");

        let Some(transaction) = &mut self.transaction else {
            return Reply::new("503 5.5.1 Say MAIL first");
        };
        let Shared { hostname, intake, .. } = &*self.shared;
        let address = match recipient {
            Recipient::Mailbox(address) if !is_postmaster(&address, hostname) => address,
            _ => match Address::parse(&format!("postmaster@{}", intake.domain())) {
                Ok(address) => address,
                Err(_) => return NOBODY,
            },
        };
        if !transaction.permits(&address) {
            return NEEDS_UTF8;
        }
        if !intake.is_ours(&address) {
            return if address.is_in(hostname) {
                NOBODY
            } else {
                Reply::new("550 5.7.1 This server takes mail for itself only and relays none")
            };
        }
        if !self
            .client
            .may(Event::Recipient, self.settings.recipients_a_minute)
        {
            return Reply::new(
                "450 4.7.1 Too many recipients from your network, please try again in a minute",
            );
        }
        if let Some(sender) = transaction.sender()
            && !intake.can_answer(sender, &address).await
        {
            return Reply::new(UNANSWERABLE);
        }
        match transaction.add(address, self.settings.max_recipients) {
            Ok(()) => Reply::new("250 2.1.5 Recipient noted"),
            Err(_) => {
                let sentence = format!(
                    "A message has at most {} recipients",
                    self.settings.max_recipients
                );
                Reply::with("452 4.5.3", &sentence)
            }
        }
    }

    pub(super) fn too_long(&self) -> Reply {
        let sentence = format!("A message has at most {} bytes", self.settings.max_message_bytes);
        Reply::with("552 5.3.4", &sentence)
    }
}

/// The sender's own mail server tells the sender, who has no other way to learn it.
const UNANSWERABLE: &str = "550 5.6.7 This server cannot answer an address outside US-ASCII, since its relay has no \
    SMTPUTF8: please write from another address";

/// Whether the mailbox is the postmaster of the server's host (RFC 5321, 4.5.1).
fn is_postmaster(address: &Address, hostname: &str) -> bool {
    address.local().eq_ignore_ascii_case("postmaster") && address.is_in(hostname)
}
