//! What the operator's verbs ask for, and where it is done.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use crate::config::Config;
use crate::daemon::control;
use crate::doors::{Intake, Message, Verdict};
use crate::engine::Clock;
use crate::engine::folder::data_folder;
use crate::engine::sending::sender;
use crate::engine::server::{Closing, NotOpened, Server};
use crate::mail::{Given, envelope_from_header};
use crate::outbox::{Health, Queue};
use crate::store::Store;

use super::change::{self, Hand, Operation};
use super::{backup, boards, mail, queue, stats, users};

/// What is asked of the server.
#[derive(Clone, Serialize, Deserialize)]
pub enum Request {
    /// One message from the pipe.
    Ingest {
        /// The envelope sender, if it was given; empty for the null sender.
        sender: Option<String>,
        /// The envelope recipient, if it was given.
        recipient: Option<String>,
        /// The message in base64.
        message: String,
    },
    /// What a mail with this subject does.
    Mail {
        /// The sender.
        from: String,
        /// The subject.
        subject: String,
        /// The text.
        body: String,
        /// Whether it is undone again.
        is_rehearsal: bool,
    },
    /// The players.
    Users {
        /// As JSON.
        json: bool,
    },
    /// One player.
    User {
        /// The userid.
        userid: String,
        /// As JSON.
        json: bool,
    },
    /// The boards.
    Boards {
        /// Of this game only.
        game: Option<String>,
        /// The finished ones too.
        all: bool,
        /// As JSON.
        json: bool,
    },
    /// One board.
    Board {
        /// The name of the game.
        game: String,
        /// The number.
        number: u32,
        /// As JSON.
        json: bool,
    },
    /// How much the server holds and has done; as JSON if asked.
    Stats(bool),
    /// The messages taken or the mails to send.
    Queue(Show),
    /// One mail to send, or one taken.
    QueueShow {
        /// Its number.
        id: i64,
        /// Whether it is one taken.
        inbox: bool,
        /// As JSON.
        json: bool,
    },
    /// A change by the operator's hand.
    Change(Operation, Hand),
    /// The log of those changes.
    Audit {
        /// About one player, board or mail only.
        about: Option<String>,
        /// At most so many, newest first.
        limit: u32,
        /// As JSON.
        json: bool,
    },
    /// Copies the database and the key to this folder; all but the newest so many are removed, if that is bounded.
    Backup(String, Option<usize>),
}

/// Which rows of the queue are shown.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Show {
    /// Messages taken, not mails to send.
    pub inbox: bool,
    /// Rows of this state only.
    pub state: Option<String>,
    /// At most so many, newest first.
    pub limit: u32,
    /// As JSON.
    pub json: bool,
}

/// What came of it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Answer {
    /// The exit code.
    pub code: u8,
    /// For standard output.
    pub out: String,
    /// For standard error.
    pub err: String,
}

impl Answer {
    /// It was done.
    #[must_use]
    pub fn done(out: impl Into<String>) -> Self {
        Self {
            code: 0,
            out: out.into(),
            err: String::new(),
        }
    }

    /// It was refused or failed, in one sentence.
    #[must_use]
    pub fn failed(err: impl Into<String>) -> Self {
        Self {
            code: 1,
            out: String::new(),
            err: err.into(),
        }
    }

    fn with_code(self, code: u8) -> Self {
        Self { code, ..self }
    }
}

/// Try again later: what a mail transfer agent keeps a message for (sysexits, `EX_TEMPFAIL`).
const TRY_LATER: u8 = 75;

/// The message is of no use (sysexits, `EX_DATAERR`).
const UNUSABLE: u8 = 65;

/// Does what is asked, in the process that holds the data folder.
pub async fn run(server: &Arc<Server>, request: Request) -> Answer {
    let done = match request {
        Request::Ingest {
            sender,
            recipient,
            message,
        } => {
            return ingest(server, sender.as_deref(), recipient.as_deref(), &message).await;
        }
        Request::Mail {
            from,
            subject,
            body,
            is_rehearsal,
        } => mail::run(server, &from, &subject, &body, is_rehearsal).await,
        Request::Users { json } => users::list(server, json),
        Request::User { userid, json } => users::show(server, &userid, json),
        Request::Boards { game, all, json } => boards::list(server, game.as_deref(), all, json),
        Request::Board { game, number, json } => boards::show(server, &game, number, json),
        Request::Stats(json) => stats::run(server, json),
        Request::Queue(show) => queue::list(server, &show),
        Request::QueueShow { id, inbox, json } => queue::show(server, id, inbox, json),
        Request::Change(operation, hand) => change::run(server, operation, hand).await,
        Request::Audit { about, limit, json } => change::audit(server, about.as_deref(), limit, json),
        Request::Backup(folder, keep) => {
            // A large database takes its time, and the doors need theirs.
            let copying = server.clone();
            let copied = tokio::task::spawn_blocking(move || backup::run(&copying, folder.as_ref(), keep));
            let copied = copied.await.unwrap_or_else(|error| Err(error.into()));
            if copied.is_ok() {
                note_backup(server).await;
            }
            copied
        }
    };
    match done {
        Ok(out) => Answer::done(out),
        Err(error) => Answer::failed(format!("{error:#}")),
    }
}

/// So that a monitoring sees how old the last backup is. The backup is good without.
async fn note_backup(server: &Server) {
    if let Err(error) = server.engine.write(Store::set_backed_up).await {
        tracing::warn!(%error, "the time of the backup could not be noted");
    }
}

async fn ingest(
    server: &Arc<Server>,
    sender: Option<&str>,
    recipient: Option<&str>,
    message: &str,
) -> Answer {
    let Ok(bytes) = data_encoding::BASE64.decode(message.as_bytes()) else {
        return Answer::failed("the message cannot be read").with_code(TRY_LATER);
    };
    let envelope = match envelope_from_header(&bytes, &Given { sender, recipient }, &server.address) {
        Ok(envelope) => envelope,
        Err(_) => {
            return Answer::failed("the sender or the recipient is no mail address").with_code(UNUSABLE);
        }
    };
    let door = server.door("pipe");
    if !door.is_ours(&envelope.recipient) {
        let sentence = format!(
            "{} is not the address of this server, {}",
            envelope.recipient, server.address
        );
        return Answer::failed(sentence).with_code(UNUSABLE);
    }
    match door
        .submit(Message {
            envelope,
            bytes: bytes.into(),
            mark: None,
        })
        .await
    {
        Verdict::Accepted(_) => Answer::done(""),
        Verdict::Unusable(why) => Answer::failed(why).with_code(UNUSABLE),
        Verdict::TryLater(why) => Answer::failed(why).with_code(TRY_LATER),
    }
}

/// Has the daemon do it, or does it when none runs. Then, if it may have written letters, they are delivered
/// before this returns, as far as they can be.
///
/// # Errors
/// The data folder cannot be used.
pub async fn ask_or_do(config: &Config, request: Request) -> anyhow::Result<Answer> {
    let folder = data_folder(config)?;
    let patience = match request {
        // A large database takes its time.
        Request::Backup(..) => Duration::from_secs(24 * 3600),
        _ => Duration::from_secs(config.limits.control_seconds),
    };
    // A daemon that starts or stops at this moment holds the lock without answering: it is waited for.
    let mut last = None;
    for pause_millis in [0, 50, 200, 500, 1000, 2000] {
        tokio::time::sleep(Duration::from_millis(pause_millis)).await;
        match control::ask(&folder.socket(), &request, patience).await {
            Ok(answer) => return Ok(answer),
            Err(error) if error.kind() == std::io::ErrorKind::TimedOut => anyhow::bail!(
                "the pbmserv that uses {} has not answered within {} seconds",
                config.server.data.display(),
                patience.as_secs()
            ),
            Err(_) => {}
        }
        match Server::open(config, Clock::machine(), None) {
            Ok((server, closing)) => return Ok(do_here(config, server, closing, request).await),
            Err(NotOpened::InUse(error)) => last = Some(error),
            Err(NotOpened::Wrong(error)) => return Err(error),
        }
    }
    Err(last.unwrap_or_else(|| anyhow::anyhow!("the data folder is in use")))
}

async fn do_here(config: &Config, server: Arc<Server>, closing: Closing, request: Request) -> Answer {
    let writes = match &request {
        Request::Ingest { .. } | Request::Mail { .. } => true,
        Request::Change(operation, _) => operation.may_write(),
        _ => false,
    };
    let answer = run(&server, request).await;
    if writes && let Err(error) = deliver(config, &server).await {
        tracing::error!("the letters wait in the outbox: {error:#}");
    }
    drop(server);
    if tokio::task::spawn_blocking(move || closing.wait()).await.is_err() {
        tracing::error!("the engine did not stop cleanly");
    }
    answer
}

/// How long a verb without a daemon spends on delivering.
const DELIVERY: Duration = Duration::from_secs(20);

async fn deliver(config: &Config, server: &Arc<Server>) -> anyhow::Result<()> {
    let (health, _seen) = watch::channel(Health::default());
    let (stop, stopping) = watch::channel(false);
    let running = tokio::spawn(sender(config, server, &Clock::machine(), health)?.run(stopping));
    let until = tokio::time::Instant::now() + DELIVERY;
    loop {
        let due = server.rows.due(server.now(), 1).await?;
        if due.is_empty() || tokio::time::Instant::now() > until {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    stop.send_replace(true);
    Ok(running.await?)
}
