//! What the operator changes by hand: each change is written to the audit log in its own transaction, and the
//! players concerned are told.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use rand::RngExt;
use serde::{Deserialize, Serialize};

use crate::command::operator::operate;
use crate::command::{Context, Decision, Stop};
use crate::doors::{Intake, Message, Verdict};
use crate::engine::passwords;
use crate::engine::server::Server;
use crate::letters::columns;
use crate::mail::{Given, envelope_from_header};
use crate::store::{Audited, State, Store};

use super::ruling::{self, Ruling};

/// By whose hand, and why.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Hand {
    /// The account on the machine.
    pub who: String,
    /// The reason, which the players are told; may be empty where no player is concerned.
    pub why: String,
}

/// One change.
#[derive(Clone, Serialize, Deserialize)]
pub enum Operation {
    /// Tries a mail again now: one to send, or one taken whose handling failed.
    Retry {
        /// Its number.
        id: i64,
        /// Whether it is one taken.
        inbox: bool,
    },
    /// Takes a mail out: one to send, or one taken whose handling failed.
    Drop {
        /// Its number.
        id: i64,
        /// Whether it is one taken.
        inbox: bool,
    },
    /// Keeps a mail to send back.
    Hold {
        /// Its number.
        id: i64,
    },
    /// Makes an account.
    AddUser {
        /// The userid.
        userid: String,
        /// The address.
        address: String,
        /// The password; without one it is made up and told.
        password: Option<String>,
        /// Whether the address is the player's for certain.
        is_confirmed: bool,
    },
    /// Gives a player another password.
    Password {
        /// The userid.
        userid: String,
        /// The password; without one it is made up and told.
        password: Option<String>,
    },
    /// Gives a player another userid.
    Rename {
        /// The userid.
        from: String,
        /// The new one.
        to: String,
    },
    /// Closes an account.
    Disable {
        /// The userid.
        userid: String,
    },
    /// Opens an account again.
    Enable {
        /// The userid.
        userid: String,
    },
    /// Erases an account for good.
    Erase {
        /// The userid.
        userid: String,
    },
    /// Adds an address to an account.
    AddAddress {
        /// The userid.
        userid: String,
        /// The address.
        address: String,
        /// Whether it is the player's for certain.
        is_confirmed: bool,
    },
    /// Takes an address from an account.
    RemoveAddress {
        /// The userid.
        userid: String,
        /// The address.
        address: String,
    },
    /// Rules on a board.
    Board {
        /// The name of the game.
        game: String,
        /// The number.
        number: u32,
        /// What is ruled.
        ruling: Ruling,
    },
    /// Writes to all players.
    Announce {
        /// The words.
        text: String,
    },
}

impl Operation {
    /// Whether it may write letters.
    #[must_use]
    pub const fn may_write(&self) -> bool {
        !matches!(self, Self::Hold { .. } | Self::Drop { .. })
    }
}

/// What is noted of a change, before who and why.
pub(super) struct Note {
    verb: &'static str,
    about: String,
    what: String,
}

impl Note {
    pub(super) fn new(verb: &'static str, about: &(impl ToString + ?Sized), what: impl Into<String>) -> Self {
        Self {
            verb,
            about: about.to_string(),
            what: what.into(),
        }
    }

    fn by(&self, hand: &Hand, now: DateTime<Utc>) -> Audited {
        Audited {
            at: now.timestamp_millis(),
            who: hand.who.clone(),
            verb: self.verb.to_owned(),
            about: self.about.clone(),
            what: self.what.clone(),
            why: hand.why.clone(),
        }
    }
}

/// Makes one change; gives what to print.
pub(super) async fn run(server: &Arc<Server>, operation: Operation, hand: Hand) -> anyhow::Result<String> {
    match operation {
        Operation::Retry { id, inbox: false } => {
            let note = Note::new("queue retry", &id, "tried again now");
            let done = row(server, note, hand, move |store, now| store.retry_mail(id, now)).await?;
            anyhow::ensure!(
                done,
                "there is no mail {id} that waits, is held, failed or was dropped and still has its text"
            );
            Ok(format!("mail {id} is tried again now\n"))
        }
        Operation::Retry { id, inbox: true } => retry_taken(server, id, hand).await,
        Operation::Drop { id, inbox: false } => {
            let note = Note::new("queue drop", &id, "taken out");
            let done = row(server, note, hand, move |store, now| store.drop_mail(id, now)).await?;
            anyhow::ensure!(done, "there is no mail {id} that waits or is held");
            Ok(format!("mail {id} will not be sent\n"))
        }
        Operation::Drop { id, inbox: true } => {
            let note = Note::new("queue drop --inbox", &id, "set aside for good");
            let done = row(server, note, hand, move |store, _| {
                store.settle_failed(id, State::Dropped, "taken out by the operator")
            });
            anyhow::ensure!(done.await?, "there is no taken mail {id} that failed");
            drop(std::fs::remove_file(server.folder.failed_message(id)));
            Ok(format!("the taken mail {id} will not be tried again\n"))
        }
        Operation::Hold { id } => {
            let note = Note::new("queue hold", &id, "held back");
            let done = row(server, note, hand, move |store, _| store.hold_mail(id)).await?;
            anyhow::ensure!(done, "there is no waiting mail {id}");
            Ok(format!("mail {id} is held; queue retry {id} sends it\n"))
        }
        Operation::AddUser {
            userid,
            address,
            password,
            is_confirmed,
        } => {
            let (hash, told) = new_password(password).await?;
            let note = Note::new(
                "user add",
                &userid,
                format!("account made with the address {address}"),
            );
            let decided =
                move |context: &Context<'_>| operate::add(context, &userid, &address, hash, is_confirmed);
            change(server, note, hand, decided).await.map(|out| out + &told)
        }
        Operation::Password { userid, password } => {
            let (hash, told) = new_password(password).await?;
            let note = Note::new("user passwd", &userid, "another password");
            let why = hand.why.clone();
            let decided = move |context: &Context<'_>| operate::password(context, &userid, hash, &why);
            change(server, note, hand, decided).await.map(|out| out + &told)
        }
        Operation::Rename { from, to } => {
            let note = Note::new("user rename", &from, format!("the userid is {to} now"));
            let why = hand.why.clone();
            change(server, note, hand, move |context| {
                operate::rename(context, &from, &to, &why)
            })
            .await
        }
        Operation::Disable { userid } => {
            let note = Note::new("user disable", &userid, "account closed");
            let why = hand.why.clone();
            change(server, note, hand, move |context| {
                operate::disable(context, &userid, &why)
            })
            .await
        }
        Operation::Enable { userid } => {
            let note = Note::new("user enable", &userid, "account open again");
            let why = hand.why.clone();
            change(server, note, hand, move |context| {
                operate::enable(context, &userid, &why)
            })
            .await
        }
        Operation::Erase { userid } => {
            // Whoever is erased is not named in the log either.
            let id = server.reader()?.player(&userid)?.map(|player| player.id.0);
            let about = format!("deleted-{}", id.unwrap_or_default());
            let note = Note::new("user erase", &about, "account erased");
            let why = hand.why.clone();
            change(server, note, hand, move |context| {
                operate::erase(context, &userid, &why)
            })
            .await
        }
        Operation::AddAddress {
            userid,
            address,
            is_confirmed,
        } => {
            let note = Note::new("user address add", &userid, "one address more");
            let decided =
                move |context: &Context<'_>| operate::add_address(context, &userid, &address, is_confirmed);
            change(server, note, hand, decided).await
        }
        Operation::RemoveAddress { userid, address } => {
            let note = Note::new("user address remove", &userid, "one address fewer");
            let decided = move |context: &Context<'_>| operate::remove_address(context, &userid, &address);
            change(server, note, hand, decided).await
        }
        Operation::Board { game, number, ruling } => ruling::run(server, &game, number, ruling, hand).await,
        Operation::Announce { text } => {
            let note = Note::new("announce", "all", text.trim().lines().next().unwrap_or_default());
            change(server, note, hand, move |context| {
                operate::announce(context, &text)
            })
            .await
        }
    }
}

/// Carries out a decision and notes it, in one transaction.
pub(super) async fn change(
    server: &Server,
    note: Note,
    hand: Hand,
    decide: impl FnOnce(&Context<'_>) -> Result<Decision, Stop> + Send + 'static,
) -> anyhow::Result<String> {
    let told = format!("{}: {}\n", note.about, note.what);
    let done = server.engine.act(move |handler, store, now| {
        let done = handler.operate(store, now, decide)?;
        if done.is_ok() {
            store.add_audited(now, &note.by(&hand, now))?;
        }
        Ok(done)
    });
    match done.await? {
        Ok(()) => Ok(told),
        Err(refused) => anyhow::bail!("{}", refused.sentence),
    }
}

/// Changes one row and notes it, in one transaction; false if there is no such row.
async fn row(
    server: &Server,
    note: Note,
    hand: Hand,
    work: impl FnOnce(&Store, DateTime<Utc>) -> crate::store::Result<bool> + Send + 'static,
) -> anyhow::Result<bool> {
    let done = server.engine.write(move |store, now| {
        let done = work(store, now)?;
        if done {
            store.add_audited(now, &note.by(&hand, now))?;
        }
        Ok(done)
    });
    Ok(done.await?)
}

/// A message whose handling failed comes again, as when it first came.
async fn retry_taken(server: &Arc<Server>, id: i64, hand: Hand) -> anyhow::Result<String> {
    let kept = server.folder.failed_message(id);
    let bytes = std::fs::read(&kept)
        .map_err(|error| anyhow::anyhow!("the bytes of mail {id} are not kept (any more): {error}"))?;
    let envelope = envelope_from_header(&bytes, &Given::default(), &server.address)
        .map_err(|_| anyhow::anyhow!("the mail kept in {} has no envelope", kept.display()))?;
    let note = Note::new("queue retry --inbox", &id, "handled again");
    let found = row(server, note, hand, move |store, _| store.let_come_again(id)).await?;
    anyhow::ensure!(found, "there is no taken mail {id} that failed");
    let message = Message {
        envelope,
        bytes: bytes.into(),
        mark: None,
    };
    let taken = match server.door("retry").submit(message).await {
        Verdict::Accepted(taken) => taken,
        Verdict::Unusable(why) | Verdict::TryLater(why) => anyhow::bail!("mail {id}: {why}"),
    };
    let reason = format!("tried again as mail {taken}");
    let settled = server
        .engine
        .write(move |store, _| store.settle_failed(id, State::Dropped, &reason));
    settled.await?;
    drop(std::fs::remove_file(kept));
    let fate = server.reader()?.received_by_id(taken)?;
    let fate = fate.map(|row| row.state).unwrap_or_default();
    Ok(format!("mail {id} came again as mail {taken}: {fate}\n"))
}

/// The hash of a password that is given or made up; and, if made up, what to tell of it.
async fn new_password(given: Option<String>) -> anyhow::Result<(String, String)> {
    let (password, told) = match given {
        Some(password) => {
            let length = password.chars().count();
            let is_good =
                (6..=100).contains(&length) && !password.contains(['"', ':', ' ', '\t', '\n', '\r']);
            anyhow::ensure!(
                is_good,
                "a password has 6 to 100 characters, without blanks, quotes or colons"
            );
            (password, String::new())
        }
        None => {
            let random: [u8; 10] = rand::rng().random();
            let password = data_encoding::BASE32_NOPAD_NOCASE.encode(&random).to_lowercase();
            let told = format!("the password is {password}\n");
            (password, told)
        }
    };
    let hash = tokio::task::spawn_blocking(move || passwords::hash(&password)).await??;
    Ok((hash, told))
}

/// The audit log, newest first.
pub(super) fn audit(server: &Server, about: Option<&str>, limit: u32, json: bool) -> anyhow::Result<String> {
    let found = server.reader()?.audited(about, limit)?;
    if json {
        return Ok(format!("{}\n", serde_json::to_string(&found)?));
    }
    let mut rows = vec![
        ["When", "Who", "Verb", "About", "What", "Why"]
            .map(str::to_owned)
            .to_vec(),
    ];
    for row in found {
        let at = DateTime::<Utc>::from_timestamp_millis(row.at).unwrap_or_default();
        rows.push(vec![
            at.format("%Y-%m-%d %H:%M").to_string(),
            row.who,
            row.verb,
            row.about,
            row.what,
            row.why,
        ]);
    }
    Ok(format!("{}\n", columns(&rows)))
}
