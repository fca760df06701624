//! What the server does with one message: it reads it, and hands it to the engine as often as the engine needs another hash or
//! the word of a name server for it.
//!
//! ```text
//!            +--> engine decides --+--> recorded, duplicate, counted: the report
//!            |                     |
//!            |   From is verified <+-- unasked: who wrote it must be known
//!            |          |          |
//!            +----------+          +-- check: a password is not checked yet
//!            |                               |
//!            |   no permit for this hash: wait for one (HashQueue), decide again,
//!            +<--            since those before it may have used up a limit
//!            |                               |
//!            +<-- permit: hash, keep the proof +
//! ```
//!
//! Each round either ends, verifies `From` (once), gets a permit, or proves one password, so the loop ends; `MAX_DECIDED` is for an
//! account that changes meanwhile.

use std::sync::Arc;

use pbmserv_core::dispatch::{Arrived, Handled, Request};
use pbmserv_core::store::Outgoing;
use pbmserv_mail::Unreadable;
use pbmserv_mail::doors::{Mark, Message};

use super::lanes::Lane;
use super::passwords::{CheckError, HashPermit};
use super::server::Server;
use super::{Job, Report, Unavailable, meters};

/// How often a message is decided. Twenty passwords, each decided once before its turn and once in it, need fewer, unless
/// an account changes meanwhile.
const MAX_DECIDED: u32 = 64;

impl Server {
    /// Parses a message.
    ///
    /// # Errors
    /// Why it cannot be read, in one sentence.
    pub fn read(&self, door: &'static str, message: &Message) -> Result<Request, Unreadable> {
        let arrived = Arrived {
            door,
            client: message.client,
            envelope: &message.envelope,
            bytes: &message.bytes,
            mark: message.mark.map(Mark::digest),
        };
        Request::read(arrived, &self.identity, &self.witness, &self.pages.words())
    }

    /// Cuts out of a message what it repeats of our letters. Their facts are read for that, since each word of them is known
    /// then.
    async fn without_letters(&self, request: Request) -> Result<Request, Unavailable> {
        if request.page.is_some() || !request.mail.may_repeat_letters() {
            return Ok(request);
        }
        let read = self
            .readers
            .ask(move |reader| Ok((request.quoted(reader)?, request)));
        let (quoted, mut request) = read.await?;
        if quoted.is_empty() {
            return Ok(request);
        }
        let (pages, own) = (self.pages.clone(), self.own().clone());
        let cut = tokio::task::spawn_blocking(move || {
            request.cut_letters(&pages.words_of(&quoted), &own);
            request
        });
        cut.await.map_err(|error| Unavailable(error.to_string()))
    }

    /// Hands a message to the engine, and computes the hashes that it needs.
    ///
    /// # Errors
    /// [`Unavailable`]: nothing was changed; try again later.
    pub async fn handle(
        &self,
        request: Request,
        is_rehearsal: bool,
        wants_letters: bool,
    ) -> Result<Report, Unavailable> {
        let lane = self.lanes.of(request.sender.envelope.as_ref()).await;
        let lane = lane.inspect_err(|_| {
            if !is_rehearsal {
                self.meters.came_in(request.door, meters::DEFERRED);
            }
        })?;
        self.handle_in(lane, request, is_rehearsal, wants_letters).await
    }

    /// The same for a message whose lane is known.
    pub(super) async fn handle_in(
        &self,
        lane: Lane,
        request: Request,
        is_rehearsal: bool,
        wants_letters: bool,
    ) -> Result<Report, Unavailable> {
        let door = request.door;
        let handled = self
            .handle_uncounted(lane, request, is_rehearsal, wants_letters)
            .await;
        if !is_rehearsal {
            let fate = handled
                .as_ref()
                .map_or(meters::DEFERRED, |report| report.handled.fate().0);
            self.meters.came_in(door, fate);
        }
        handled
    }

    /// The letters that a message has caused, after computers have answered it: those that [`handle`](Self::handle) reports
    /// may be receipts that wait for that.
    ///
    /// # Errors
    /// [`Unavailable`]: the answer could not be stored or read.
    pub async fn answered(&self, inbox: i64) -> Result<Vec<Outgoing>, Unavailable> {
        self.thinking.about(inbox).await?;
        let letters = self.readers.ask(move |reader| reader.caused_by(inbox)).await?;
        Ok(letters
            .into_iter()
            .map(|(letter, replies)| self.rows.printed(letter, &replies))
            .collect())
    }

    async fn handle_uncounted(
        &self,
        lane: Lane,
        request: Request,
        is_rehearsal: bool,
        wants_letters: bool,
    ) -> Result<Report, Unavailable> {
        let unavailable = |error: CheckError| Unavailable(error.to_string());
        let mut request = Arc::new(self.without_letters(request).await?);
        let mut proofs = self
            .passwords
            .recall(&request.script)
            .await
            .map_err(unavailable)?;
        let mut permit: Option<HashPermit> = None;
        for _ in 0..MAX_DECIDED {
            let job = Job {
                request: request.clone(),
                proofs: proofs.clone(),
                is_rehearsal,
                wants_letters,
            };
            let mut report = {
                let _place = self.lanes.enter(lane).await;
                self.engine.handle(job).await?
            };
            let letters = std::mem::take(&mut report.letters);
            report.letters = letters
                .into_iter()
                .map(|letter| self.rows.written(letter))
                .collect();
            let unchecked = match &report.handled {
                Handled::Check(unchecked) => unchecked,
                Handled::Unasked => {
                    let from = request.sender.from.as_ref();
                    let is_known = match from {
                        Some(from) => self.lanes.is_player(from).await?,
                        None => false,
                    };
                    let is_authentic = self.senders.is_authentic(&request, is_known).await;
                    // The engine drops its share before it answers.
                    let Some(own) = Arc::get_mut(&mut request) else {
                        return Err(Unavailable("the message is still being handled".into()));
                    };
                    own.verified(is_authentic);
                    continue;
                }
                Handled::Recorded(_) | Handled::Duplicate(_) | Handled::Counted(..) => return Ok(report),
            };
            permit = permit.filter(|permit| permit.is_for(unchecked));
            if permit.is_some() {
                let checked = self.passwords.check(unchecked, &mut proofs).await;
                checked.map_err(unavailable)?;
                continue;
            }
            let own = self.passwords.permit(unchecked, &request.sender.source()).await;
            let own = own.map_err(unavailable)?;
            // It is decided again before anything is hashed, since those before it may have used up a limit.
            permit = Some(own).filter(|_| !self.passwords.recall_one(unchecked, &mut proofs));
        }
        Err(Unavailable(
            "the account changed while its password was checked".into(),
        ))
    }
}
