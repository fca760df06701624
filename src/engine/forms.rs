//! Forms of pages, handed to the engine as mails are.

use std::net::IpAddr;

use pbmserv_core::command::{COMMANDS, PageRequest};
use pbmserv_core::dispatch::{Click, Handled, Request, has_something_to_end};
use pbmserv_core::store::{Reader, State};
use pbmserv_core::table::{GuestGame, Player};

use pbmserv_mail::Address;

use super::server::Server;
use super::{Report, Unavailable};

/// What became of a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FormOutcome {
    /// It is carried out; the mark finds what was recorded of it.
    Done(String),
    /// The same form was carried out before, with this mark: nothing was done again.
    Before(String),
    /// Nothing was changed; the sentence says why.
    Refused(String),
}

/// What became of a click that unsubscribes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsubscribed {
    /// The mails have ended.
    Now,
    /// They had ended before: nothing was done.
    Before,
    /// The link is none of ours, or has ended: nothing was done.
    Unknown,
}

impl Server {
    /// Ends mails of the kind that this token of `List-Unsubscribe` names. The engine is asked only if there is something to
    /// end, so that nothing is written for what a stranger sends.
    ///
    /// # Errors
    /// [`Unavailable`]: nothing was changed; try again later.
    pub async fn leave(&self, token: &str, client: IpAddr) -> Result<Unsubscribed, Unavailable> {
        let (key, claimed) = (self.key.clone(), token.to_owned());
        let look = move |reader: &Reader| has_something_to_end(reader, &key, &claimed);
        match self.readers.ask(look).await? {
            None => return Ok(Unsubscribed::Unknown),
            Some(false) => return Ok(Unsubscribed::Before),
            Some(true) => {}
        }
        let request = Request::of_click(token, client, &self.address);
        let report = self.handle(request, false, false).await?;
        let id = report.handled.id().unwrap_or_default();
        let (fate, _) = report.handled.fate();
        tracing::info!(id, door = "web", fate, "unsubscribed by a click");
        Ok(Unsubscribed::Now)
    }

    /// Has the reader of an address asked under which name they want to play, and keeps a game for them; `Err`: nothing was sent,
    /// and why.
    ///
    /// # Errors
    /// [`Unavailable`]: nothing was sent; try again later.
    pub async fn ask_for_name(
        &self,
        address: Address,
        name: String,
        game: Option<GuestGame>,
        client: IpAddr,
    ) -> Result<Result<(), String>, Unavailable> {
        let click = Click::AskForName { address, name, game };
        self.click(click, None, client).await
    }

    /// Makes the account that the token of a letter stands for, with this name or the one that is proposed; `Err`: none was made, and
    /// why. Who has joined by the token before is let in again.
    ///
    /// # Errors
    /// [`Unavailable`]: nothing was changed; try again later.
    pub async fn join(
        &self,
        token: &str,
        name: Option<String>,
        client: IpAddr,
    ) -> Result<Result<(), String>, Unavailable> {
        self.click(Click::Join(name), Some(token), client).await
    }

    async fn click(
        &self,
        click: Click,
        token: Option<&str>,
        client: IpAddr,
    ) -> Result<Result<(), String>, Unavailable> {
        if !self.disk.has_room().await {
            return Err(Unavailable("the disk is nearly full".to_owned()));
        }
        let request = Request::of_join(click, token, client, &self.address);
        let report = self.handle(request, false, false).await?;
        let (fate, reason) = report.handled.fate();
        tracing::info!(
            id = report.handled.id().unwrap_or_default(),
            door = "web",
            fate,
            "asked to join"
        );
        let reason = reason.filter(|_| fate != State::Failed.word()).unwrap_or(FAILED);
        Ok(match fate == State::Done.word() {
            true => Ok(()),
            false => Err(reason.to_owned()),
        })
    }

    /// Has what a form asks for carried out, all of it or nothing, and committed; once, however often the form is sent.
    ///
    /// # Errors
    /// [`Unavailable`]: nothing was changed; try again later.
    pub async fn press(&self, page: PageRequest) -> Result<FormOutcome, Unavailable> {
        let line = match COMMANDS.read_page(&page) {
            Ok(line) => line,
            Err(misread) => return Ok(FormOutcome::Refused(misread.refused.sentence())),
        };
        let (userid, verb) = (page.by.userid.clone(), page.verb);
        let request = Request::of_page(page, line, &self.address, &self.key);
        self.carried_out(request, &userid, verb).await
    }

    /// Says no to the question in this row, which its player is asked.
    ///
    /// # Errors
    /// [`Unavailable`]: nothing was changed; try again later.
    pub async fn say_no(
        &self,
        row: i64,
        player: &Player,
        client: IpAddr,
    ) -> Result<FormOutcome, Unavailable> {
        let request = Request::of_no(row, player, client, &self.address, &self.key);
        self.carried_out(request, &player.userid, "no").await
    }

    async fn carried_out(
        &self,
        request: Request,
        userid: &str,
        verb: &'static str,
    ) -> Result<FormOutcome, Unavailable> {
        if !self.disk.has_room().await {
            return Err(Unavailable("the disk is nearly full".to_owned()));
        }
        let mark = request.mark();
        let Report { handled, .. } = self.handle(request, false, false).await?;
        let (id, (fate, _)) = (handled.id().unwrap_or_default(), handled.fate());
        tracing::info!(id, door = "web", userid, verb, fate, "asked on a page");
        let (state, reason) = match handled {
            Handled::Duplicate(id) => return self.before(id, mark).await,
            Handled::Recorded(recorded) => (recorded.state.word().to_owned(), recorded.reason),
            Handled::Counted(state, reason) => (state.word().to_owned(), Some(reason)),
            Handled::Check(_) | Handled::Unasked => (String::new(), None),
        };
        Ok(match state == State::Done.word() {
            true => FormOutcome::Done(mark),
            false => not_done(&state, reason),
        })
    }

    /// What became of a form that was sent before, when it came first.
    async fn before(&self, id: i64, mark: String) -> Result<FormOutcome, Unavailable> {
        let found = self.readers.ask(move |reader| reader.received_by_id(id)).await;
        Ok(match found.map_err(|error| Unavailable(error.to_string()))? {
            Some(row) if row.state != State::Done.word() => not_done(&row.state, row.reason),
            _ => FormOutcome::Before(mark),
        })
    }
}

const FAILED: &str = "That could not be done: the server failed, which is in its log. Nothing was changed.";

/// Why nothing was done. What is recorded of a failure is for the operator.
fn not_done(state: &str, reason: Option<String>) -> FormOutcome {
    let reason = reason.filter(|_| state != State::Failed.word());
    FormOutcome::Refused(reason.unwrap_or_else(|| FAILED.to_owned()))
}
