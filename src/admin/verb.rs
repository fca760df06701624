//! The verbs in the order of `--help`. A doc comment here is a line of the help.
#![expect(missing_docs, reason = "what is documented here is printed by --help")]

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, Parser, Subcommand};
use serde::{Deserialize, Serialize};

use crate::config::Config;
use crate::engine::server::Server;
use pbmserv_core::command::operator::operate;

use super::adopt::Adopt;
use super::backup::Backup;
use super::board::BoardVerb;
use super::caller::{Caller, PerhapsWhy};
use super::check::Check;
use super::compact::Compact;
use super::contest::Contest;
use super::init::Wanted;
use super::key::KeyVerb;
use super::new_game::NewGame;
use super::perft::Perft;
use super::progress::CopyReporter;
use super::queue::QueueVerb;
use super::replay::Replay;
use super::show::Show;
use super::solve::Solve;
use super::store::StoreVerb;
use super::think::Think;
use super::user::UserVerb;
use super::verify::Verify;
use super::{audit, ingest, mail, stats};

/// A play-by-mail game server.
#[derive(Debug, Parser)]
#[command(version, about, max_term_width = 100)]
pub struct Cli {
    /// The configuration file. Default: the one that PBMSERV_CONFIG names, or /etc/pbmserv.toml if it is there.
    #[arg(long, short, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Say on standard error which configuration and which data folder are used.
    #[arg(long, short, global = true)]
    pub verbose: bool,
    #[command(subcommand)]
    pub verb: Verb,
}

// A verb that serde skips runs in the process that was started for it, see `main.rs`. The others run where the data
// folder is open, see `Verb::run`.
#[derive(Clone, Debug, Subcommand, Serialize, Deserialize)]
pub enum Verb {
    /// Create the first configuration, the data folder and a director's account. Asks for values that no flag gives.
    #[serde(skip)]
    Init(Box<Wanted>),
    /// Run the server.
    #[serde(skip)]
    Serve,
    /// Show in a minute two players who sign up, make a mistake and play a whole game by mail.
    #[serde(skip)]
    Demo(Demo),
    /// Handle one mail from standard input. Exit code: 0 done, 65 unusable, 75 try again later.
    Ingest {
        /// The envelope sender; empty for bounces. Default: Return-Path, or From.
        #[arg(long, allow_hyphen_values = true)]
        sender: Option<String>,
        /// The envelope recipient. Default: X-Original-To or Delivered-To.
        #[arg(long, allow_hyphen_values = true)]
        recipient: Option<String>,
    },
    /// Handle a mail with this subject, and print the letters that answer it.
    Mail {
        /// The sender's address.
        from: String,
        /// The subject.
        command: String,
        /// The text of the mail.
        #[arg(default_value = "")]
        body: String,
        /// Print the letters only: change nothing and send nothing.
        #[arg(long)]
        dry_run: bool,
    },
    /// Check a record of a game and print its final board.
    #[serde(skip)]
    Replay(Replay),
    /// Check the dice of a finished game by its record.
    #[serde(skip)]
    Verify(Verify),
    /// Draw the final board of a record as a picture.
    #[serde(skip)]
    Show(Show),
    /// Count the sequences of legal turns: depth, number, seconds, turns a second. Each depth is printed when it is counted. A
    /// game that is over before a depth is no sequence of it.
    #[serde(skip)]
    Perft(Perft),
    /// Let computer players play against one another on all cores: print wins, draws and losses, the score and the time.
    #[serde(skip)]
    Match(Contest),
    /// Say what a computer player would play at the end of a record: the turn, the result it expects, and the best line.
    #[serde(skip)]
    Think(Think),
    /// Solve a small position of a game: print its class (N, P, O or X) and winning turns.
    #[serde(skip)]
    Solve(Solve),
    /// Begin a new game in the sources: its folder, with tests that say what is still to be done.
    #[serde(skip)]
    NewGame(NewGame),
    /// List players, and change their accounts.
    #[command(subcommand)]
    User(UserVerb),
    /// List boards, and rule on them.
    #[command(subcommand)]
    Board(BoardVerb),
    /// List mails to send and mails received; retry, drop or hold them.
    #[command(subcommand)]
    Queue(QueueVerb),
    /// Check everything the server needs, and print how to fix each fault.
    #[serde(skip)]
    Check(Check),
    /// What the running server knows of its own health. Asked by `check`.
    #[command(skip)]
    Health,
    /// Send a text from standard input to all players.
    Announce {
        #[command(flatten)]
        why: PerhapsWhy,
    },
    /// Print the numbers of players, boards and mails, and the mails of the last day.
    Stats {
        /// Print one line of JSON.
        #[arg(long)]
        json: bool,
    },
    /// Print the audit log: the changes by the operator, newest first.
    Audit {
        /// Only entries about this player, board ("Pow2 101") or mail.
        about: Option<String>,
        /// At most this many entries.
        #[arg(long, default_value_t = 50)]
        limit: u32,
        /// Print one line of JSON.
        #[arg(long)]
        json: bool,
    },
    /// Print shell completions.
    #[serde(skip)]
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Write the manual pages into a folder, or print the first one.
    #[serde(skip)]
    Man {
        /// An existing folder.
        folder: Option<PathBuf>,
    },
    /// Back up the database and the key to a new folder. The server may run: then it makes the backup, and goes on with it
    /// after a Ctrl-C here.
    Backup(Backup),
    /// Replace the database with a backup. The server must not run.
    #[serde(skip)]
    Restore {
        /// The backup: a folder that `backup` has created.
        folder: PathBuf,
    },
    /// Make a copied or moved data folder that of this machine, if it is the only server now. The server must not run.
    #[serde(skip)]
    Adopt(Adopt),
    /// Give the room that the database does not use back to the disk. The server must not run.
    #[serde(skip)]
    Compact(Compact),
    /// Bring the database of an older version up to date, after a copy, without a start. The server does it when it starts.
    #[serde(skip)]
    Migrate,
    /// Move the database to PostgreSQL, or back.
    #[command(subcommand)]
    #[serde(skip)]
    Store(StoreVerb),
    /// Change the key of the tokens in letters. The server must not run.
    #[command(subcommand)]
    #[serde(skip)]
    Key(KeyVerb),
}

#[derive(Clone, Debug, Args)]
pub struct Demo {
    /// The game.
    #[arg(long, default_value = "Pow2")]
    pub game: String,
    /// The random seed. The same seed plays the same game.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Print every mail.
    #[arg(long, conflicts_with = "quiet")]
    pub all: bool,
    /// Print only the summary.
    #[arg(long)]
    pub quiet: bool,
    /// How the terminal shows pictures, if it is not recognised; off: it shows none.
    #[arg(long, value_name = "HOW", value_parser = ["kitty", "iterm2", "off"])]
    pub pictures: Option<String>,
}

/// What a verb may make of a server's data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Makes {
    /// It uses what is there.
    Nothing,
    /// A database in a folder that is there. The first account is made so.
    Database,
    /// The folder and the database.
    Folder,
}

/// The longest announcement, in bytes.
const ANNOUNCEMENT_BYTES: u64 = 64 * 1024;

impl Verb {
    /// How many bytes of standard input the verb reads at most. For a message it is one byte over the limit, so that a
    /// longer message is noticed.
    pub(super) const fn input_bytes(&self, config: &Config) -> u64 {
        match self {
            Self::Ingest { .. } => config.smtp.max_message_bytes as u64 + 1,
            Self::Announce { .. } => ANNOUNCEMENT_BYTES,
            Self::User(verb) => verb.input_bytes(),
            _ => 0,
        }
    }

    /// Whether the verb may leave letters in the outbox. The other verbs only read, or stop a mail from being sent.
    pub(super) const fn may_write_letters(&self) -> bool {
        !matches!(
            self,
            Self::User(UserVerb::List(_) | UserVerb::Show { .. } | UserVerb::Export { .. })
                | Self::Board(BoardVerb::List { .. } | BoardVerb::Show { .. })
                | Self::Queue(
                    QueueVerb::List(_)
                        | QueueVerb::Show { .. }
                        | QueueVerb::Drop { .. }
                        | QueueVerb::Hold { .. }
                )
                | Self::Stats { .. }
                | Self::Audit { .. }
                | Self::Backup(_)
        )
    }

    /// The same as a question, if the operator is to be asked on a terminal.
    #[must_use]
    pub fn rehearsal(&self) -> Option<Self> {
        match self {
            Self::User(verb) => verb.rehearsal().map(Self::User),
            Self::Queue(QueueVerb::Retry(retry)) => Some(Self::Queue(QueueVerb::Retry(retry.rehearsal()?))),
            _ => None,
        }
    }

    /// What the verb may make if no server runs and it is missing.
    pub(super) const fn makes(&self) -> Makes {
        match self {
            Self::Mail { dry_run: false, .. } => Makes::Folder,
            Self::User(UserVerb::Add { .. }) => Makes::Database,
            _ => Makes::Nothing,
        }
    }

    /// Runs the verb in the process that has the data folder open, and tells what it is at. Returns what to print.
    pub(super) async fn run(
        self,
        server: &Arc<Server>,
        caller: Caller,
        at: CopyReporter,
    ) -> anyhow::Result<String> {
        match self {
            Self::Ingest { sender, recipient } => {
                let (sender, recipient) = (sender.as_deref(), recipient.as_deref());
                Ok(ingest::run(server, sender, recipient, caller.input).await?)
            }
            Self::Mail {
                from,
                command,
                body,
                dry_run,
            } => mail::run(server, &from, &command, &body, dry_run).await,
            Self::User(verb) => verb.run(server, caller).await,
            Self::Board(verb) => verb.run(server, caller).await,
            Self::Queue(verb) => verb.run(server, caller).await,
            Self::Announce { why } => {
                let text = caller.text()?.to_owned();
                let headline = text.trim().lines().next().unwrap_or_default();
                let entry = caller.audited("announce", "all", headline, why.why);
                audit::change(server, entry, move |context, _| operate::announce(context, &text)).await
            }
            Self::Stats { json } => stats::run(server, json),
            Self::Audit { about, limit, json } => audit::list(server, about.as_deref(), limit, json),
            Self::Backup(backup) => backup.run(server, at).await,
            // The control socket answers it.
            Self::Health
            // serde skips these, so no request has one.
            | Self::Init(_)
            | Self::Serve
            | Self::Demo(_)
            | Self::Replay(_)
            | Self::Verify(_)
            | Self::Show(_)
            | Self::NewGame(_)
            | Self::Perft(_)
            | Self::Match(_)
            | Self::Think(_)
            | Self::Solve(_)
            | Self::Check(_)
            | Self::Completions { .. }
            | Self::Man { .. }
            | Self::Adopt(_)
            | Self::Compact(_)
            | Self::Migrate
            | Self::Store(_)
            | Self::Key(_)
            | Self::Restore { .. } => anyhow::bail!("this verb does not run in a server"),
        }
    }
}
