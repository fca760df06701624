//! `queue`: the mails to send and the mails taken. A doc comment of a verb or an argument is a line of the help.
#![expect(missing_docs, reason = "what is documented here is printed by --help")]

mod retry;
mod show;

use std::sync::Arc;

use clap::Subcommand;
use serde::{Deserialize, Serialize};

use crate::engine::server::Server;
use pbmserv_core::store::State;

use super::audit::change_row;
use super::caller::Caller;
use super::caller::PerhapsWhy;
pub use retry::Retry;
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
    /// Try mails again now: send them, or handle received ones again that failed.
    Retry(Retry),
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
            Self::Retry(retry) => retry.run(server, caller).await,
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
