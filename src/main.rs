//! The command line: each verb calls one function of the library.

use std::io::{self, IsTerminal, Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{ArgGroup, Args, Parser, Subcommand};
use pbmserv::admin::{self, Answer, Request, Show};
use pbmserv::config::Config;
use pbmserv::demo::{self, Demo};
use pbmserv::games::Display;
use pbmserv::service::{panics, serve};
use tracing_subscriber::EnvFilter;

/// A play-by-mail game server.
#[derive(Parser)]
#[command(version, about, max_term_width = 100)]
struct Cli {
    /// The configuration file.
    #[arg(long, short, global = true, env = "PBMSERV_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Run the server.
    Serve,
    /// Watch two players sign up, challenge, err and play a whole game by mail.
    Demo {
        /// The game.
        #[arg(long, default_value = "Pow2")]
        game: String,
        /// The same seed plays the same game.
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Print only the summary.
        #[arg(long)]
        quiet: bool,
    },
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
    Replay {
        /// The record.
        file: PathBuf,
        /// As one line of JSON.
        #[arg(long, conflicts_with = "display")]
        json: bool,
        /// Which board.
        #[arg(long, value_parser = ["small", "large"], default_value = "large")]
        display: String,
    },
    /// Draw the final board of a record as a picture.
    #[command(group(ArgGroup::new("pictures").args(["svg", "png"]).multiple(true).required(true)))]
    Show {
        /// The record.
        record: PathBuf,
        /// The SVG to write; - is standard output.
        #[arg(long, value_name = "FILE")]
        svg: Option<PathBuf>,
        /// The PNG to write; - is standard output.
        #[arg(long, value_name = "FILE")]
        png: Option<PathBuf>,
        /// How many pixels wide the PNG is.
        #[arg(long, value_name = "PIXELS", default_value_t = 800,
              value_parser = clap::value_parser!(u32).range(100..=4000))]
        width: u32,
    },
    /// Count the sequences of legal turns: depth, number, seconds, turns a second.
    Perft {
        /// The game.
        game: String,
        /// The greatest depth.
        depth: u32,
        /// The game's options.
        #[arg(allow_hyphen_values = true, trailing_var_arg = true)]
        options: Vec<String>,
    },
    /// Tell who wins a small position of a game: N, P, O or X.
    Solve {
        /// The game: Forms.
        game: String,
        /// Its rows, `/` between them; x, o, and - or . for an empty cell.
        #[arg(allow_hyphen_values = true)]
        position: String,
    },
    /// Look at the players.
    #[command(subcommand)]
    User(UserVerb),
    /// Look at the boards.
    #[command(subcommand)]
    Board(BoardVerb),
    /// Look at the mails to send and the mails taken.
    #[command(subcommand)]
    Queue(QueueVerb),
    /// Copy the database and the key to a new folder below this one, while the server runs.
    Backup {
        /// The folder in which the copy is made.
        folder: PathBuf,
    },
}

#[derive(Subcommand)]
enum UserVerb {
    /// All players.
    List,
    /// One player.
    Show {
        /// The userid.
        userid: String,
    },
}

#[derive(Subcommand)]
enum BoardVerb {
    /// The running boards, of one game or of all.
    List {
        /// The game.
        game: Option<String>,
        /// The finished ones too.
        #[arg(long)]
        all: bool,
    },
    /// One board with its turns.
    Show {
        /// The game.
        game: String,
        /// The number.
        number: u32,
    },
}

#[derive(Subcommand)]
enum QueueVerb {
    /// Mails to send, newest first.
    List(QueueArgs),
    /// Try a mail again now.
    Retry {
        /// The number of the mail.
        number: i64,
    },
    /// Take a waiting mail out.
    Drop {
        /// The number of the mail.
        number: i64,
    },
}

#[derive(Args)]
struct QueueArgs {
    /// The mails taken, not those to send.
    #[arg(long)]
    inbox: bool,
    /// Those of this state only: waiting, sent, failed, dropped; taken ones: done, refused, ignored, dropped, failed.
    #[arg(long)]
    state: Option<String>,
    /// At most so many.
    #[arg(long, default_value_t = 50)]
    limit: u32,
    /// As one line of JSON.
    #[arg(long)]
    json: bool,
}

/// Try again later: a mail transfer agent keeps the message; on most other codes it bounces it.
const TRY_LATER: u8 = 75;

fn main() -> ExitCode {
    let is_ingest = std::env::args_os().any(|word| word == "ingest");
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            let code = if error.exit_code() != 0 && is_ingest {
                TRY_LATER
            } else {
                code(error.exit_code())
            };
            return ExitCode::from(code);
        }
    };
    let fallback = if matches!(cli.verb, Verb::Ingest { .. }) {
        TRY_LATER
    } else {
        1
    };
    match run(cli) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            complain(&format!("pbmserv: {error:#}"));
            ExitCode::from(fallback)
        }
    }
}

fn run(cli: Cli) -> Result<u8> {
    let Cli { config: file, verb } = cli;
    let load = || -> Result<Config> { Ok(Config::load(file.as_deref(), std::env::vars())?) };
    let request = match verb {
        Verb::Serve => {
            let config = load()?;
            log(&config, "info");
            let ready = || if file.is_none() { hint(&config) } else { Ok(()) };
            return asynchronous(serve::run(&config, load, ready)).map(|()| 0);
        }
        Verb::Demo { game, seed, quiet } => {
            let demo = Demo { game, seed, quiet };
            return asynchronous(demo::run(&demo, &mut io::stdout())).map(|()| 0);
        }
        Verb::Replay { file, json, display } => {
            let show = if json {
                admin::replay::Show::Json
            } else {
                admin::replay::Show::Board(if display == "small" {
                    Display::Small
                } else {
                    Display::Large
                })
            };
            return Ok(admin::replay::run(&file, show, &mut io::stdout()).map(|()| 0)?);
        }
        Verb::Show {
            record,
            svg,
            png,
            width,
        } => {
            let files = admin::show::Files { svg, png, width };
            return Ok(admin::show::run(&record, &files, &mut io::stdout()).map(|()| 0)?);
        }
        Verb::Perft { game, depth, options } => {
            return Ok(admin::perft::run(&game, depth, &options, &mut io::stdout()).map(|()| 0)?);
        }
        Verb::Solve { game, position } => {
            return Ok(admin::solve::run(&game, &position, &mut io::stdout()).map(|()| 0)?);
        }
        Verb::Ingest { sender, recipient } => ingest(&load()?, sender, recipient)?,
        Verb::Mail {
            from,
            command,
            body,
            dry_run,
        } => Request::Mail {
            from,
            subject: command,
            body,
            is_rehearsal: dry_run,
        },
        Verb::User(UserVerb::List) => Request::Users,
        Verb::User(UserVerb::Show { userid }) => Request::User(userid),
        Verb::Board(BoardVerb::List { game, all }) => Request::Boards(game, all),
        Verb::Board(BoardVerb::Show { game, number }) => Request::Board(game, number),
        Verb::Queue(QueueVerb::List(QueueArgs {
            inbox,
            state,
            limit,
            json,
        })) => Request::Queue(Show {
            inbox,
            state,
            limit,
            json,
        }),
        Verb::Queue(QueueVerb::Retry { number }) => Request::Retry(number),
        Verb::Queue(QueueVerb::Drop { number }) => Request::Drop(number),
        Verb::Backup { folder } => {
            let folder = std::path::absolute(&folder)?;
            Request::Backup(
                folder
                    .to_str()
                    .context("the folder's name is not UTF-8")?
                    .to_owned(),
            )
        }
    };
    let config = load()?;
    log(&config, "warn");
    let Answer { code, out, err } = asynchronous(admin::ask_or_do(&config, request))?;
    io::stdout().write_all(out.as_bytes())?;
    if !err.is_empty() {
        complain(&format!("pbmserv: {err}"));
    }
    Ok(code)
}

/// Reads the message on standard input, no more of it than is taken.
fn ingest(config: &Config, sender: Option<String>, recipient: Option<String>) -> Result<Request> {
    let most = config.smtp.max_message_bytes;
    let mut bytes = Vec::new();
    io::stdin().lock().take(most as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > most {
        complain(&format!("pbmserv: the message is longer than {most} bytes"));
        std::process::exit(65);
    }
    Ok(Request::Ingest {
        sender,
        recipient,
        message: data_encoding::BASE64.encode(&bytes),
    })
}

fn asynchronous<T>(future: impl Future<Output = Result<T>>) -> Result<T> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?
        .block_on(future)
}

/// Logs at least from this level on: a verb that ends soon is quiet where the daemon is not.
fn log(config: &Config, usual: &str) {
    let level = if config.log.level == Config::default().log.level {
        usual
    } else {
        &config.log.level
    };
    let filter = EnvFilter::try_new(level).unwrap_or_else(|_| EnvFilter::new(usual));
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr);
    if config.log.json {
        builder.json().init();
    } else {
        builder
            .with_ansi(io::stderr().is_terminal())
            .with_target(false)
            .init();
    }
    panics::log();
}

/// What to try with a server that nobody has configured.
fn hint(config: &Config) -> io::Result<()> {
    let data = config.server.data.display();
    writeln!(
        io::stdout(),
        "No configuration: data in {data}, SMTP on {listen}, answers into Maildirs in {data}/mail/ADDRESS.\n\
         Try, in another terminal:\n\
         \x20 pbmserv mail alice@example.org 'signup alice secret1'\n\
         \x20 pbmserv mail bob@example.org 'signup bob secret2'\n\
         \x20 pbmserv mail alice@example.org 'Pow2 challenge alice bob'\n\
         Stop with Ctrl-C.",
        listen = config.smtp.listen,
    )
}

fn complain(sentence: &str) {
    let _ = writeln!(io::stderr(), "{sentence}");
}

fn code(exit: i32) -> u8 {
    u8::try_from(exit).unwrap_or(2)
}
