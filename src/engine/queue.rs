//! Implements the sender's [`Queue`]: a separate connection reads the outbox, the engine writes it.

use std::sync::{Arc, Mutex, PoisonError};

use chrono::{DateTime, Utc};

use pbmserv_core::dispatch::{page_key, seat_generation, token};
use pbmserv_core::letters::{Draft, LetterKind};
use pbmserv_core::store::{MailState, Outgoing, Purpose, Reader, Reply, Result, Served};
use pbmserv_mail::Key;
use pbmserv_mail::outbox::{self, Outcome, Queue, QueueError, SettledMail};

use super::Engine;
use super::exports::Exports;
use super::meters::{self, Meters};
use super::pages::Pages;
use super::web_links::WebLinks;

/// The outbox.
#[derive(Debug)]
pub struct OutboxQueue {
    reader: Arc<Mutex<Reader>>,
    engine: Engine,
    key: Arc<Key>,
    pages: Arc<Pages>,
    meters: Meters,
    web: WebLinks,
    exports: Exports,
    /// Only the sender asks, one batch after the other.
    served: Mutex<Served>,
}

impl OutboxQueue {
    /// `key` makes the tokens of `Reply-To`, `pages` the text and HTML parts.
    #[must_use]
    pub(super) fn new(
        reader: Reader,
        engine: Engine,
        key: Arc<Key>,
        pages: Arc<Pages>,
        meters: Meters,
        web: WebLinks,
        exports: Exports,
    ) -> Self {
        Self {
            reader: Arc::new(Mutex::new(reader)),
            engine,
            key,
            pages,
            meters,
            web,
            exports,
            served: Mutex::default(),
        }
    }

    /// Puts the token where this purpose needs it.
    fn with_token(&self, mail: Outgoing, reply: &Reply) -> Outgoing {
        let purpose = reply.purpose;
        // These are asked before the account has a generation, or is there at all.
        let generation = match purpose {
            Purpose::Confirm | Purpose::Join => 0,
            Purpose::Seat => seat_generation(reply.player, reply.generation),
            _ => reply.generation,
        };
        let about = (purpose, reply.row);
        let own = page_key(&self.key, about, reply.player, reply.generation, reply.renewed);
        let mail = match own {
            Some(key) if purpose == Purpose::Export => self.web.exporting(mail, &key),
            Some(key) => self.web.linked(mail, &format!("k/{key}/")),
            None => mail,
        };
        let token = token(&self.key, purpose, reply.row, generation);
        match purpose {
            // It is a link alone.
            Purpose::Page | Purpose::Export => mail,
            Purpose::Join => Outgoing {
                reply_detail: Some(token.clone()),
                ..self.web.joining(mail, &token)
            },
            // The player copies this token by hand into a new mail, so it appears in the text.
            Purpose::Reset => Outgoing {
                draft: mail.draft.map(|draft| draft.with_token(&token)),
                ..mail
            },
            Purpose::Leave => Outgoing {
                unsubscribe_url: self.web.unsubscribing(&token),
                unsubscribe_detail: Some(token),
                ..mail
            },
            Purpose::Seat | Purpose::Digest | Purpose::Gazette => Outgoing {
                reply_detail: Some(token),
                draft: mail.draft.map(Draft::for_one_reader),
                ..mail
            },
            _ => Outgoing {
                reply_detail: Some(token),
                ..mail
            },
        }
    }

    /// The mail as who has sent the command reads it, without a mail program: the link that was asked for stands in it.
    #[must_use]
    pub fn printed(&self, mail: Outgoing, replies: &[Reply]) -> Outgoing {
        let is_link = brings_a_link(&mail);
        let own = replies.iter().filter(|_| is_link);
        self.written(own.fold(mail, |mail, reply| self.with_token(mail, reply)))
    }

    /// The mail with its text, without HTML: for listings and reports.
    #[must_use]
    pub fn written(&self, mail: Outgoing) -> Outgoing {
        // Its file is made when it is sent.
        let mail = match LetterKind::of(&mail.kind) {
            Some(LetterKind::Export) => Outgoing {
                draft: mail.draft.map(Draft::with_file),
                ..mail
            },
            _ => mail,
        };
        let is_unlinked = |draft: &Draft| draft.links.home.is_empty();
        let mail = match brings_a_link(&mail) && mail.draft.as_ref().is_some_and(is_unlinked) {
            // The key is made when it is sent.
            true => self.web.linked(mail, "k/.../"),
            false => mail,
        };
        let text = mail.draft.as_ref().map(|draft| self.text(&mail.kind, draft));
        Outgoing {
            text: text.unwrap_or_default(),
            ..mail
        }
    }

    /// The text of a letter whose row has this word for its kind.
    #[must_use]
    pub fn text(&self, kind: &str, draft: &Draft) -> String {
        self.pages.text(LetterKind::of(kind), draft)
    }

    async fn look<T: Send + 'static>(
        &self,
        query: impl FnOnce(&Reader) -> Result<T> + Send + 'static,
    ) -> std::result::Result<T, QueueError> {
        let reader = self.reader.clone();
        let looked = tokio::task::spawn_blocking(move || {
            query(&reader.lock().unwrap_or_else(PoisonError::into_inner))
        });
        let result = looked.await.map_err(|error| QueueError(error.to_string()))?;
        result.map_err(|error| QueueError(error.to_string()))
    }
}

/// Whether a mail is the one with the link to all pages of its reader.
fn brings_a_link(mail: &Outgoing) -> bool {
    LetterKind::of(&mail.kind) == Some(LetterKind::PageLink)
}

impl Queue for OutboxQueue {
    type Draft = Option<Draft>;

    async fn due(&self, now: DateTime<Utc>, limit: usize) -> std::result::Result<Vec<Outgoing>, QueueError> {
        // Before they are read: what is sent was committed by a server that had the engine, on the standby too.
        self.is_ours().await?;
        let limit = u32::try_from(limit).unwrap_or(u32::MAX);
        let mut served = *self.served.lock().unwrap_or_else(PoisonError::into_inner);
        let look = move |reader: &Reader| Ok((reader.due(now, limit, &mut served)?, served));
        let (found, served) = self.look(look).await?;
        *self.served.lock().unwrap_or_else(PoisonError::into_inner) = served;
        let with_tokens = |(mail, replies): (Outgoing, Vec<Reply>)| {
            let mail = self.web.for_everybody(mail);
            replies
                .iter()
                .fold(mail, |mail, reply| self.with_token(mail, reply))
        };
        Ok(found.into_iter().map(with_tokens).collect())
    }

    async fn next_due(&self) -> std::result::Result<Option<DateTime<Utc>>, QueueError> {
        self.look(Reader::next_due).await
    }

    async fn waiting(&self) -> std::result::Result<u64, QueueError> {
        let waiting = self.look(|reader| reader.outbox_in(MailState::Waiting)).await?;
        Ok(u64::from(waiting.mails))
    }

    async fn settle(&self, outcomes: Vec<SettledMail>) -> std::result::Result<(), QueueError> {
        let sendings = meters::sendings(outcomes.iter().map(|settled| &settled.outcome));
        let written = self.engine.act(move |handler, store, now| {
            for SettledMail { id, outcome } in outcomes {
                match outcome {
                    Outcome::Sent => store.mail_sent(id, now)?,
                    Outcome::Deferred { until, why } => store.mail_deferred(id, until, &why)?,
                    Outcome::Refused { why } => handler.mail_refused(store, id, &why, now)?,
                    Outcome::Failed { why } => {
                        store.mail_failed(id, &why, now)?;
                    }
                }
            }
            Ok(())
        });
        written.await.map_err(|error| QueueError(error.to_string()))?;
        self.meters.went_out(sendings);
        Ok(())
    }

    async fn is_ours(&self) -> std::result::Result<(), QueueError> {
        let confirmed = self.engine.confirm().await;
        confirmed.map_err(|error| QueueError(error.to_string()))
    }

    async fn render(&self, mail: Outgoing) -> std::result::Result<outbox::Outgoing, String> {
        let mail = match LetterKind::of(&mail.kind) {
            Some(LetterKind::Export) => self.exports.attached(mail).await?,
            _ => mail,
        };
        let (pages, letter) = (self.pages.clone(), mail.clone());
        match tokio::task::spawn_blocking(move || pages.render(letter)).await {
            Ok(rendered) => rendered,
            // Only while the program ends.
            Err(_) => self.pages.render(mail),
        }
    }
}
