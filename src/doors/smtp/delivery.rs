//! DATA: a message is read to its end, handed in, and answered when its effects are committed.

use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};
use tracing::info;

use super::admission::Share;
use super::data::DataReader;
use super::end::End;
use super::reply::Reply;
use super::session::Session;
use super::transaction::Transaction;
use crate::doors::{Intake, Message, Verdict};
use crate::mail::Envelope;

/// A message may be this many times too long before its end is no longer waited for.
const MOST_OVERLONG: usize = 10;
/// The buffer kept from one message of a session to the next.
const KEPT_BUFFER: usize = 16 * 1024;

/// What came after 354.
enum Received {
    /// A whole message, and its share of the memory.
    Whole(Arc<[u8]>, Share),
    /// A message that was read to its end and dropped.
    Refused(Reply),
}

impl<S, I> Session<S, I>
where
    S: AsyncRead + AsyncWrite + Unpin + Send,
    I: Intake,
{
    /// The transaction is over after this, whatever is answered (RFC 5321, 4.1.1.4).
    pub(super) async fn data(&mut self) -> Result<Reply, End> {
        let transaction = match self.transaction.take() {
            None => return Ok(Reply::new("503 5.5.1 Say MAIL and RCPT first")),
            Some(transaction) if transaction.is_for_nobody() => {
                self.transaction = Some(transaction);
                return Ok(Reply::new("554 5.5.1 There is no valid recipient"));
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
            Received::Refused(reply) => return Ok(reply),
        };
        // Nobody should wait for an earlier reply until the commit.
        self.wire.flush().await?;
        let verdicts = self.submit(transaction, &bytes);
        let Ok(verdicts) = timeout(self.limits.verdict_time(), verdicts).await else {
            info!(peer = self.peer, "a message was not handled in time");
            return Ok(Reply::new(
                "451 4.3.0 The message was not handled in time, please try again later",
            ));
        };
        if verdicts
            .iter()
            .any(|verdict| matches!(verdict, Verdict::Accepted(_)))
        {
            self.progress.accept();
        }
        Ok(Reply::verdict(&verdicts))
    }

    /// Reads a message to its end, whatever is wrong with it: only then do commands come again.
    ///
    /// NUL and other control characters are let through: what a mail's bytes mean is not the door's business.
    async fn receive(&mut self, declared: usize) -> Result<Received, End> {
        let deadline = Instant::now() + self.limits.message_time();
        let most = self.limits.max_message_bytes.saturating_mul(MOST_OVERLONG);
        let mut reader = DataReader::default();
        let mut text = std::mem::take(&mut self.buffer);
        text.reserve(declared.min(KEPT_BUFFER));
        let mut share = Share::none(&self.house.held);
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
                share = Share::none(&self.house.held);
            }
            if step.ended {
                break;
            }
            self.wire.more(come, deadline).await?;
        }
        // First, so that the answer does not depend on how the bytes were cut.
        if reader.is_bare() {
            let reply = Reply::new("554 5.6.0 Lines must end in CRLF: the message has a bare CR or LF");
            return Ok(Received::Refused(reply));
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

    /// Refuses a message that is too long by itself or together with the others.
    fn excess(&self, length: usize, share: &mut Share) -> Option<Reply> {
        if length > self.limits.max_message_bytes {
            return Some(self.too_long());
        }
        if !share.grow_to(length, &self.limits) {
            info!(peer = self.peer, "a message was put off: too many bytes are held");
            return Some(Reply::new(
                "452 4.3.1 Too much mail at the moment, please try again later",
            ));
        }
        None
    }

    /// Hands the message in once for each recipient, all at the same time, so that one commit holds them.
    async fn submit(&self, transaction: Transaction, bytes: &Arc<[u8]>) -> Vec<Verdict> {
        let intake = &self.house.intake;
        let (sender, recipients) = transaction.into_parts();
        let mut messages = recipients.into_iter().map(|recipient| Message {
            envelope: Envelope {
                sender: sender.clone(),
                recipient,
            },
            bytes: Arc::clone(bytes),
            mark: None,
        });
        if messages.len() == 1 {
            // The usual case needs no task of its own.
            return match messages.next() {
                Some(message) => vec![intake.submit(message).await],
                None => Vec::new(),
            };
        }
        let mut submissions = JoinSet::new();
        for (place, message) in messages.enumerate() {
            let intake = Arc::clone(intake);
            submissions.spawn(async move { (place, intake.submit(message).await) });
        }
        let mut verdicts = Vec::new();
        while let Some(ended) = submissions.join_next().await {
            verdicts.push(ended.unwrap_or_else(|_| {
                let why = "The handling of the message failed, please try again later";
                (usize::MAX, Verdict::TryLater(why.to_owned()))
            }));
        }
        // As the recipients were named, not as they were done.
        verdicts.sort_by_key(|&(place, _)| place);
        verdicts.into_iter().map(|(_, verdict)| verdict).collect()
    }
}
