//! The verbs in the order of `--help`. A doc comment here is a line of the help.
#![expect(missing_docs, reason = "what is documented here is printed by --help")]

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, Parser, Subcommand};
use serde::{Deserialize, Serialize};

use crate::command::operator::operate;
use crate::config::Config;
use crate::engine::server::Server;

use super::board::BoardVerb;
use super::caller::{Caller, PerhapsWhy};
use super::init::Wanted;
use super::perft::Perft;
use super::queue::QueueVerb;
use super::replay::Replay;
use super::show::Show;
use super::solve::Solve;
use super::user::UserVerb;
use super::{audit, backup, ingest, mail, stats};

/// A play-by-mail game server.
#[derive(Debug, Parser)]
#[command(version, about, max_term_width = 100)]
pub struct Cli {
    /// The configuration file.
    #[arg(long, short, global = true, env = "PBMSERV_CONFIG", value_name = "FILE")]
    pub config: Option<PathBuf>,
    #[command(subcommand)]
    pub verb: Verb,
}

// A verb that serde skips runs in the process that was started for it, see `main.rs`. The others run where the data
// folder is open, see `Verb::run`.
#[derive(Clone, Debug, Subcommand, Serialize, Deserialize)]
pub enum Verb {
    /// Make the first configuration, the data folder and a director's account. Asks for what no flag says.
    #[serde(skip)]
    Init(Box<Wanted>),
    /// Run the server.
    #[serde(skip)]
    Serve,
    /// Watch two players sign up, challenge, err and play a whole game by mail.
    #[serde(skip)]
    Demo(Demo),
    /// Take one mail from standard input: exit 0 done, 65 of no use, 75 try again later.
    Ingest {
        /// The envelope sender; empty for bounces. Otherwise Return-Path, or From.
        #[arg(long, allow_hyphen_values = true)]
        sender: Option<String>,
        /// The envelope recipient. Otherwise X-Original-To or Delivered-To.
        #[arg(long, allow_hyphen_values = true)]
        recipient: Option<String>,
    },
    /// Print what a mail with this subject does.
    Mail {
        /// The sender's address.
        from: String,
        /// The subject.
        command: String,
        /// The text.
        #[arg(default_value = "")]
        body: String,
        /// Undo it again.
        #[arg(long)]
        dry_run: bool,
    },
    /// Check a record of a game and print its final board.
    #[serde(skip)]
    Replay(Replay),
    /// Draw the final board of a record as a picture.
    #[serde(skip)]
    Show(Show),
    /// Count the sequences of legal turns: depth, number, seconds, turns a second.
    #[serde(skip)]
    Perft(Perft),
    /// Tell who wins a small position of a game: N, P, O or X.
    #[serde(skip)]
    Solve(Solve),
    /// Look at the players, and mend their accounts.
    #[command(subcommand)]
    User(UserVerb),
    /// Look at the boards, and rule on them.
    #[command(subcommand)]
    Board(BoardVerb),
    /// Look at the mails to send and the mails taken.
    #[command(subcommand)]
    Queue(QueueVerb),
    /// Look at everything the server needs, and say what to do about each fault.
    #[serde(skip)]
    Check,
    /// Write to all players. The text comes from standard input.
    Announce {
        #[command(flatten)]
        why: PerhapsWhy,
    },
    /// How much the server holds and has done in a day.
    Stats {
        /// As one line of JSON.
        #[arg(long)]
        json: bool,
    },
    /// What was changed by hand, newest first.
    Audit {
        /// About this player, board ("Pow2 101") or mail only.
        about: Option<String>,
        /// At most so many.
        #[arg(long, default_value_t = 50)]
        limit: u32,
        /// As one line of JSON.
        #[arg(long)]
        json: bool,
    },
    /// Print the completions for a shell.
    #[serde(skip)]
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Write the manual pages into a folder, or print the first one.
    #[serde(skip)]
    Man {
        /// The folder, which must be there.
        folder: Option<PathBuf>,
    },
    /// Copy the database and the key to a new folder below this one, while the server runs.
    Backup {
        /// The folder in which the copy is made.
        folder: PathBuf,
        /// Keep the newest so many copies there, and remove the others.
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
        keep: Option<u64>,
    },
    /// Put a backup in the place of the database. Only while no server runs.
    #[serde(skip)]
    Restore {
        /// The backup: a folder that `backup` has made.
        folder: PathBuf,
    },
}

#[derive(Clone, Debug, Args)]
pub struct Demo {
    /// The game.
    #[arg(long, default_value = "Pow2")]
    pub game: String,
    /// The same seed plays the same game.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Print only the summary.
    #[arg(long)]
    pub quiet: bool,
}

/// The longest text that is announced, in bytes.
const ANNOUNCEMENT_BYTES: u64 = 64 * 1024;

impl Verb {
    /// How many bytes of standard input the verb reads at most. Of a message one more than is accepted, so that a
    /// longer one is noticed.
    pub(super) const fn input_bytes(&self, config: &Config) -> u64 {
        match self {
            Self::Ingest { .. } => config.smtp.max_message_bytes as u64 + 1,
            Self::Announce { .. } => ANNOUNCEMENT_BYTES,
            Self::User(verb) => verb.input_bytes(),
            _ => 0,
        }
    }

    /// Whether letters may wait after the verb. The others only look, or keep a mail from being sent.
    pub(super) const fn may_write_letters(&self) -> bool {
        !matches!(
            self,
            Self::User(UserVerb::List { .. } | UserVerb::Show { .. })
                | Self::Board(BoardVerb::List { .. } | BoardVerb::Show { .. })
                | Self::Queue(
                    QueueVerb::List(_)
                        | QueueVerb::Show { .. }
                        | QueueVerb::Drop { .. }
                        | QueueVerb::Hold { .. }
                )
                | Self::Stats { .. }
                | Self::Audit { .. }
                | Self::Backup { .. }
        )
    }

    /// Runs the verb in the process that has the data folder open. Returns what to print.
    pub(super) async fn run(self, server: &Arc<Server>, caller: Caller) -> anyhow::Result<String> {
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
            Self::Backup { folder, keep } => backup::run(server, folder, keep).await,
            // serde skips these, so no request has one.
            Self::Init(_)
            | Self::Serve
            | Self::Demo(_)
            | Self::Replay(_)
            | Self::Show(_)
            | Self::Perft(_)
            | Self::Solve(_)
            | Self::Check
            | Self::Completions { .. }
            | Self::Man { .. }
            | Self::Restore { .. } => anyhow::bail!("this verb does not run in a server"),
        }
    }
}
