//! Implements the doors' [`Intake`]: handles a message and logs the result.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use pbmserv_core::dispatch::Request;
use pbmserv_mail::doors::{Intake, Message, Verdict};
use pbmserv_mail::{Address, cut};

use super::meters;
use super::server::Server;
use super::{Report, Unavailable};

impl Server {
    async fn take(&self, door: &'static str, message: Message) -> Verdict {
        if !self.disk.has_room().await {
            self.meters.came_in(door, meters::DEFERRED);
            return Verdict::TryLater("the disk is nearly full".to_owned());
        }
        let started = std::time::Instant::now();
        let lane = match self.lanes.of(message.envelope.sender.as_ref()).await {
            Ok(lane) => lane,
            Err(unavailable) => {
                self.meters.came_in(door, meters::DEFERRED);
                return put_off(door, message.envelope.sender.as_ref(), &unavailable);
            }
        };
        let place = self.lanes.enter(lane).await;
        let request = match self.read_guarded(door, &message) {
            Ok(request) => request,
            Err(unusable) => return unusable,
        };
        drop(place);
        let commands = in_short(&request.script.unjudged());
        let envelope = request.sender.envelope.clone();
        match self.handle_in(lane, request, false, false).await {
            Ok(report) => {
                let took = started.elapsed();
                self.meters.message(took);
                let sender = masked_address(envelope.as_ref());
                log(door, &sender, &commands, &report, took);
                Verdict::Accepted(report.handled.id().unwrap_or_default())
            }
            Err(unavailable) => put_off(door, envelope.as_ref(), &unavailable),
        }
    }

    /// Parses a message. If it cannot be read, or reading it panics, the verdict refuses it.
    fn read_guarded(&self, door: &'static str, message: &Message) -> Result<Request, Verdict> {
        match catch_unwind(AssertUnwindSafe(|| self.read(door, message))) {
            Ok(Ok(request)) => Ok(request),
            Ok(Err(unreadable)) => {
                self.meters.came_in(door, meters::UNUSABLE);
                tracing::info!(door, sender = masked_address(message.envelope.sender.as_ref()), why = %unreadable, "mail unusable");
                Err(Verdict::Unusable(unreadable.to_string()))
            }
            // A retry would panic again, so the message is rejected: its sender learns of it.
            Err(_) => {
                tracing::error!(door, "reading a message panicked; the message is refused");
                self.meters.came_in(door, meters::UNUSABLE);
                let why = "the message cannot be read, through a fault of this server";
                Err(Verdict::Unusable(why.into()))
            }
        }
    }

    /// The intake of one door.
    #[must_use]
    pub fn door(self: &Arc<Self>, name: &'static str) -> Door {
        Door {
            server: self.clone(),
            name,
        }
    }
}

/// Logs a message that was handled.
fn log(door: &str, sender: &str, commands: &str, report: &Report, took: Duration) {
    let id = report.handled.id().unwrap_or_default();
    let (fate, why) = report.handled.fate();
    // A u128 would be a text in a log of JSON.
    let milliseconds = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
    let first = report.commands.first;
    let board = first.and_then(|first| first.board);
    let board = board.map(|(game, number)| format!("{game}.{number}"));
    tracing::info!(
        id,
        door,
        sender,
        fate,
        why = why.unwrap_or_default(),
        verb = first.and_then(|first| first.verb).unwrap_or_default(),
        board = board.unwrap_or_default(),
        commands = report.commands.count,
        command = commands,
        milliseconds,
        "mail"
    );
}

/// The server as one door sees it.
#[derive(Clone, Debug)]
pub struct Door {
    server: Arc<Server>,
    name: &'static str,
}

impl Intake for Door {
    fn is_ours(&self, recipient: &Address) -> bool {
        let own = self.server.own();
        let is_postmaster = recipient.local().eq_ignore_ascii_case("postmaster");
        own.has(recipient) || (is_postmaster && own.has_domain_of(recipient))
    }

    fn domain(&self) -> &str {
        self.server.address.domain()
    }

    async fn has_room(&self) -> bool {
        self.server.disk.has_room().await
    }

    /// A mail with a token is answered at the addresses of the token's account.
    async fn can_answer(&self, sender: &Address, recipient: &Address) -> bool {
        recipient.detail().is_some() || self.server.reach.takes(sender).await
    }

    async fn submit(&self, message: Message) -> Verdict {
        self.server.take(self.name, message).await
    }
}

/// The cause was already logged once, where it was found; it is not repeated for each mail.
fn put_off(door: &'static str, sender: Option<&Address>, unavailable: &Unavailable) -> Verdict {
    tracing::info!(door, sender = masked_address(sender), why = %unavailable, "mail deferred");
    Verdict::TryLater(unavailable.to_string())
}

/// The longest text of commands in the log, in bytes: a stranger's mail may hold a hundred.
const LOGGED_BYTES: usize = 200;

/// The beginning of a mail's commands, on one line.
fn in_short(commands: &str) -> String {
    let kept = cut::bytes(commands, LOGGED_BYTES);
    let dots = if kept.len() < commands.len() { "..." } else { "" };
    format!("{}{dots}", kept.replace('\n', "; "))
}

/// `a***@example.org`: enough for the operator to recognize the sender, and no more than a log should hold.
fn masked_address(address: Option<&Address>) -> String {
    let Some(address) = address else {
        return "<>".to_owned();
    };
    let first = cut::chars(address.local(), 1);
    format!("{first}***@{}", address.domain())
}
