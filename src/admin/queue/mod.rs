//! `queue`: the mails to send and the mails taken. A doc comment of a verb or an argument is a line of the help.
#![expect(missing_docs, reason = "what is documented here is printed by --help")]

mod show;

use std::sync::Arc;

use clap::Subcommand;
use serde::{Deserialize, Serialize};

use crate::doors::{Intake, Message, Verdict};
use crate::engine::server::Server;
use crate::mail::{Given, envelope_from_header};
use crate::store::{Audited, State};

use super::audit::change_row;
use super::caller::Caller;
use super::caller::PerhapsWhy;
pub use show::QueueArgs;

#[derive(Clone, Debug, Subcommand, Serialize, Deserialize)]
pub enum QueueVerb {
    /// List mails to send, or mails received, newest first.
    List(QueueArgs),
    /// Show one mail to send with its text, or one received with its commands, secrets masked.
    Show {
        /// The number of the mail.
        number: i64,
        /// A mail received, not one to send.
        #[arg(long)]
        inbox: bool,
        /// Print one line of JSON.
        #[arg(long)]
        json: bool,
    },
    /// Try a mail again now: send it, or handle a received one again that failed.
    Retry {
        /// The number of the mail.
        number: i64,
        /// A mail received, not one to send.
        #[arg(long)]
        inbox: bool,
        #[command(flatten)]
        why: PerhapsWhy,
    },
    /// Give a mail up: do not send it, or do not retry a received one that failed.
    Drop {
        /// The number of the mail.
        number: i64,
        /// A mail received, not one to send.
        #[arg(long)]
        inbox: bool,
        #[command(flatten)]
        why: PerhapsWhy,
    },
    /// Do not send a waiting mail until it is retried.
    Hold {
        /// The number of the mail.
        number: i64,
        #[command(flatten)]
        why: PerhapsWhy,
    },
}

impl QueueVerb {
    pub(super) async fn run(self, server: &Arc<Server>, caller: Caller) -> anyhow::Result<String> {
        match self {
            Self::List(args) => show::list(server, &args),
            Self::Show { number, inbox, json } => show::show(server, number, inbox, json),
            Self::Retry {
                number,
                inbox: false,
                why,
            } => {
                let entry = caller.audited("queue retry", &number, "tried again now", why.why);
                let done = change_row(server, entry, move |store, now| store.retry_mail(number, now));
                anyhow::ensure!(
                    done.await?,
                    "there is no mail {number} that waits, is held, failed or was dropped and still has its text"
                );
                Ok(format!("mail {number} is tried again now\n"))
            }
            Self::Retry {
                number,
                inbox: true,
                why,
            } => {
                let entry = caller.audited("queue retry --inbox", &number, "handled again", why.why);
                retry_taken(server, number, entry).await
            }
            Self::Drop {
                number,
                inbox: false,
                why,
            } => {
                let entry = caller.audited("queue drop", &number, "taken out", why.why);
                let done = change_row(server, entry, move |store, now| store.drop_mail(number, now));
                anyhow::ensure!(done.await?, "there is no mail {number} that waits or is held");
                Ok(format!("mail {number} will not be sent\n"))
            }
            Self::Drop {
                number,
                inbox: true,
                why,
            } => {
                let entry = caller.audited("queue drop --inbox", &number, "set aside for good", why.why);
                let done = change_row(server, entry, move |store, _| {
                    store.settle_failed(number, State::Dropped, "taken out by the operator")
                });
                anyhow::ensure!(done.await?, "there is no received mail {number} that failed");
                drop(std::fs::remove_file(server.folder.failed_message(number)));
                Ok(format!("the received mail {number} will not be tried again\n"))
            }
            Self::Hold { number, why } => {
                let entry = caller.audited("queue hold", &number, "held back", why.why);
                let done = change_row(server, entry, move |store, _| store.hold_mail(number));
                anyhow::ensure!(done.await?, "there is no waiting mail {number}");
                Ok(format!("mail {number} is held; queue retry {number} sends it\n"))
            }
        }
    }
}

/// Handles a failed message as if it had just arrived.
async fn retry_taken(server: &Arc<Server>, number: i64, entry: Audited) -> anyhow::Result<String> {
    let kept = server.folder.failed_message(number);
    let bytes = std::fs::read(&kept)
        .map_err(|error| anyhow::anyhow!("the bytes of mail {number} are not stored (any more): {error}"))?;
    let envelope = envelope_from_header(&bytes, &Given::default(), &server.address)
        .map_err(|_| anyhow::anyhow!("the mail stored in {} has no envelope", kept.display()))?;
    let found = change_row(server, entry, move |store, _| store.let_come_again(number)).await?;
    anyhow::ensure!(found, "there is no received mail {number} that failed");
    let message = Message {
        envelope,
        bytes: bytes.into(),
        client: None,
        mark: None,
    };
    let taken = match server.door("retry").submit(message).await {
        Verdict::Accepted(taken) => taken,
        Verdict::Unusable(why) | Verdict::TryLater(why) => anyhow::bail!("mail {number}: {why}"),
    };
    let reason = format!("tried again as mail {taken}");
    let settled = server
        .engine
        .write(move |store, _| store.settle_failed(number, State::Dropped, &reason));
    settled.await?;
    drop(std::fs::remove_file(kept));
    let fate = server.reader()?.received_by_id(taken)?;
    let fate = fate.map(|row| row.state).unwrap_or_default();
    Ok(format!("mail {number} came again as mail {taken}: {fate}\n"))
}
