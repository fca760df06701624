//! DATA: reads a message to its end, hands it in, and replies after the commit of its effects.

use std::sync::Arc;

use tokio::time::{Instant, timeout};
use tracing::info;

use super::admission::MemoryPermit;
use super::data::DataReader;
use super::end::End;
use super::reply::Reply;
use super::session::{Protocol, Session};
use super::transaction::Transaction;
use crate::Envelope;
use crate::doors::{Intake, Message, Verdict};

/// A message may be this many times too long before the session is ended instead of reading on.
const MAX_OVERLONG: usize = 10;
/// The capacity of the buffer that is kept between messages.
const KEPT_BUFFER: usize = 16 * 1024;

/// The result of receiving.
enum Received {
    /// A complete message, and its share of the memory.
    Whole(Arc<[u8]>, MemoryPermit),
    /// The message was read to its end and dropped.
    Refused(Reply),
    /// The same, and what follows may be smuggled.
    Bare,
}

const BARE: Reply =
    Reply::new("554 5.6.0 Lines must end in CRLF: the message has a bare CR or LF, closing the connection");

impl<I: Intake> Session<I> {
    /// Whatever the reply, the transaction ends here (RFC 5321, 4.1.1.4). LMTP replies once for each accepted
    /// RCPT, in order, or once to DATA if there was none (RFC 2033, 4.2).
    pub(super) async fn data(&mut self) -> Result<Reply, End> {
        let transaction = match self.transaction.take() {
            None => return Ok(Reply::new("503 5.5.1 Say MAIL and RCPT first")),
            Some(transaction) if transaction.is_for_nobody() => {
                self.transaction = Some(transaction);
                return Ok(Reply::new(match self.shared.protocol {
                    Protocol::Smtp => "554 5.5.1 There is no valid recipient",
                    Protocol::Lmtp => "503 5.5.1 There is no valid recipient",
                }));
            }
            Some(transaction) => transaction,
        };
        self.wire.say(&Reply::new(
            "354 Go ahead, and end with a dot on a line of its own",
        ));
        let received = self.receive(transaction.size()).await;
        self.wire.shrink();
        let (bytes, _share) = match received? {
            Received::Whole(bytes, share) => (bytes, share),
            Received::Refused(reply) => return Ok(self.for_each_recipient(reply, transaction.accepted())),
            // Commands after it would be run that the client, or a server before it, took for text.
            Received::Bare => {
                let reply = self.for_each_recipient(BARE, transaction.accepted());
                self.wire.say(&reply);
                return Err(End::BareInMessage);
            }
        };
        // Earlier replies must not wait for the commit.
        self.wire.flush().await?;
        let accepted = transaction.accepted();
        let verdict = self.submit(transaction, &bytes).await;
        if matches!(verdict, Verdict::Accepted(_)) {
            self.progress.accept();
        }
        Ok(self.for_each_recipient(Reply::verdict(&verdict), accepted))
    }

    /// The reply to a message: in LMTP it is repeated for each accepted RCPT.
    fn for_each_recipient(&self, reply: Reply, accepted: usize) -> Reply {
        match self.shared.protocol {
            Protocol::Smtp => reply,
            Protocol::Lmtp => Reply::all(std::iter::repeat_n(&reply, accepted)),
        }
    }

    /// Reads a message to its end, even if it is already refused: only after the end do commands follow.
    ///
    /// NUL and other control characters are accepted, because the door does not interpret the mail.
    async fn receive(&mut self, declared: usize) -> Result<Received, End> {
        let began = Instant::now();
        let most = self.settings.max_message_bytes.saturating_mul(MAX_OVERLONG);
        let mut reader = DataReader::default();
        let mut text = std::mem::take(&mut self.buffer);
        text.reserve(declared.min(KEPT_BUFFER));
        let mut share = MemoryPermit::none(&self.shared.held);
        let mut refusal = None;
        let mut come: usize = 0;
        loop {
            let step = reader.take(self.wire.unread(), &mut text);
            self.wire.consume(step.taken);
            come = come.saturating_add(step.taken);
            if come > most {
                return Err(End::EndlessMessage);
            }
            if refusal.is_none() {
                refusal = self.excess(text.len(), &mut share);
            }
            if refusal.is_some() || reader.is_bare() {
                text = Vec::new();
                share = MemoryPermit::none(&self.shared.held);
            }
            if step.ended {
                break;
            }
            self.wire
                .more(come, began + self.settings.message_time(come))
                .await?;
        }
        // Checked first, so that the reply does not depend on how the bytes were split.
        if reader.is_bare() {
            return Ok(Received::Bare);
        }
        if let Some(reply) = refusal {
            return Ok(Received::Refused(reply));
        }
        let bytes = Arc::from(text.as_slice());
        if text.capacity() <= KEPT_BUFFER {
            text.clear();
            self.buffer = text;
        }
        Ok(Received::Whole(bytes, share))
    }

    /// Refuses a message that is too long alone or together with the others.
    fn excess(&self, length: usize, share: &mut MemoryPermit) -> Option<Reply> {
        if length > self.settings.max_message_bytes {
            return Some(self.too_long());
        }
        if !share.grow_to(length, &self.settings) {
            info!(
                peer = self.peer,
                "a message was deferred: all messages together use too much memory"
            );
            return Some(Reply::new(
                "452 4.3.1 Too much mail at the moment, please try again later",
            ));
        }
        None
    }

    /// Hands the message in, once however many recipients it has.
    async fn submit(&self, transaction: Transaction, bytes: &Arc<[u8]>) -> Verdict {
        const LATE: &str = "The message was not handled in time, please try again later";

        let (sender, recipients) = transaction.into_parts();
        let message = Message {
            envelope: Envelope { sender, recipients },
            client: self.client.address(),
            bytes: Arc::clone(bytes),
            mark: None,
        };
        let verdict = timeout(self.settings.verdict_time(), self.shared.intake.submit(message)).await;
        verdict.unwrap_or_else(|_| {
            info!(peer = self.peer, "a message was not handled in time");
            Verdict::TryLater(LATE.to_owned())
        })
    }
}
