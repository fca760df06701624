//! What players ask for on pages, handed to the engine as mails are.

use std::net::IpAddr;

use pbmserv_core::command::Line;
use pbmserv_core::dispatch::{Asked, Handled, Request, has_something_to_end};
use pbmserv_core::store::{Reader, State};
use pbmserv_core::table::{BoardLetter, Player};

use super::server::Server;
use super::{Report, Unavailable};

/// A command that a player gives on a page.
#[derive(Clone, Copy)]
pub struct Pressed<'a> {
    /// The key of the page's link.
    pub key: &'a str,
    /// Its player.
    pub player: &'a Player,
    /// The command.
    pub line: &'a Line,
    /// Words for the other player.
    pub words: &'a str,
    /// The board as the page has shown it.
    pub shown: Option<BoardLetter>,
    /// The number of the form, which the page has made.
    pub form: &'a str,
    /// Who sent it.
    pub client: IpAddr,
}

/// What became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pressing {
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
        let request = Request::of_click(token, Some(client), &self.address);
        let request = request.map_err(|error| Unavailable(error.to_string()))?;
        let report = self.handle(request, false, false).await?;
        let id = report.handled.id().unwrap_or_default();
        let (fate, _) = report.handled.fate();
        tracing::info!(id, door = "web", fate, "unsubscribed by a click");
        Ok(Unsubscribed::Now)
    }

    /// Has a command carried out, all of it or nothing, and committed.
    ///
    /// # Errors
    /// [`Unavailable`]: nothing was changed; try again later.
    pub async fn press(&self, pressed: Pressed<'_>) -> Result<Pressing, Unavailable> {
        if !self.disk.has_room().await {
            return Err(Unavailable("the disk is nearly full".to_owned()));
        }
        let asked = Asked {
            key: pressed.key.to_owned(),
            line: pressed.line.clone(),
            words: pressed.words.to_owned(),
            shown: pressed.shown,
        };
        let client = Some(pressed.client);
        let request = Request::of_page(
            asked,
            pressed.player,
            pressed.form,
            client,
            &self.address,
            &self.key,
        )
        .map_err(|error| Unavailable(error.to_string()))?;
        let (verb, mark) = (pressed.line.command.verb, request.mark());
        let Report { handled, .. } = self.handle(request, false, false).await?;
        let (id, (fate, _)) = (handled.id().unwrap_or_default(), handled.fate());
        tracing::info!(id, door = "web", userid = %pressed.player.userid, verb, fate, "asked on a page");
        let (state, reason) = match handled {
            Handled::Duplicate(id) => return self.before(id, mark).await,
            Handled::Recorded(recorded) => (recorded.state.word().to_owned(), recorded.reason),
            Handled::Counted(state, reason) => (state.word().to_owned(), Some(reason)),
            Handled::Check(_) | Handled::Unasked => (String::new(), None),
        };
        Ok(match state == State::Done.word() {
            true => Pressing::Done(mark),
            false => not_done(&state, reason),
        })
    }

    /// What became of a form that was sent before, when it came first.
    async fn before(&self, id: i64, mark: String) -> Result<Pressing, Unavailable> {
        let found = self.readers.ask(move |reader| reader.received_by_id(id)).await;
        Ok(match found.map_err(|error| Unavailable(error.to_string()))? {
            Some(row) if row.state != State::Done.word() => not_done(&row.state, row.reason),
            _ => Pressing::Before(mark),
        })
    }
}

/// Why nothing was done. What is recorded of a failure is for the operator.
fn not_done(state: &str, reason: Option<String>) -> Pressing {
    let reason = reason.filter(|_| state != State::Failed.word());
    Pressing::Refused(reason.unwrap_or_else(|| {
        "That could not be done: the server failed, which is in its log. Nothing was changed.".to_owned()
    }))
}
