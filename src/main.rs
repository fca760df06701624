//! The command line: each verb calls one function of the library.

mod cli;

use std::io::{self, IsTerminal, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{CommandFactory, Parser};
use pbmserv::admin::init::Wanted;
use pbmserv::admin::{self, Answer, Hand, Operation, Request, Ruling, Show};
use pbmserv::config::Config;
use pbmserv::daemon::serve;
use pbmserv::demo::{self, Demo};
use pbmserv::engine::panics;
use pbmserv::games::Display;
use tracing_subscriber::EnvFilter;

use cli::{
    AddressVerb, BoardArgs, BoardVerb, Cli, InitArgs, PasswordArgs, QueueArgs, QueueVerb, UserVerb, Verb,
};

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
        Verb::Init(args) => {
            let told = admin::init::run(&wanted(file, *args)?)?;
            io::stdout().write_all(told.as_bytes())?;
            return Ok(0);
        }
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
        Verb::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "pbmserv", &mut script);
            io::stdout().write_all(&script)?;
            return Ok(0);
        }
        Verb::Man { folder } => {
            match folder {
                Some(folder) => clap_mangen::generate_to(Cli::command(), &folder)
                    .with_context(|| format!("{}: cannot be written", folder.display()))?,
                None => clap_mangen::Man::new(Cli::command()).render(&mut io::stdout())?,
            }
            return Ok(0);
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
        Verb::Board(verb) => board(verb),
        Verb::Stats { json } => Request::Stats(json),
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
        Verb::Queue(QueueVerb::Show { number, inbox, json }) => Request::QueueShow {
            id: number,
            inbox,
            json,
        },
        Verb::Queue(QueueVerb::Retry { number, inbox, why }) => {
            changed(Operation::Retry { id: number, inbox }, why.why)
        }
        Verb::Queue(QueueVerb::Drop { number, inbox, why }) => {
            changed(Operation::Drop { id: number, inbox }, why.why)
        }
        Verb::Queue(QueueVerb::Hold { number, why }) => changed(Operation::Hold { id: number }, why.why),
        Verb::User(verb) => account(verb)?,
        Verb::Announce { why } => {
            let text = io::read_to_string(io::stdin().lock().take(MOST_ANNOUNCED))?;
            changed(Operation::Announce { text }, why.why)
        }
        Verb::Audit { about, limit, json } => Request::Audit { about, limit, json },
        Verb::Check => {
            let config = load()?;
            let findings = asynchronous(async { Ok(admin::check::run(&config).await) })?;
            io::stdout().write_all(findings.told().as_bytes())?;
            return Ok(u8::from(findings.faults > 0));
        }
        Verb::Restore { folder } => {
            let config = load()?;
            log(&config, "warn");
            let told = admin::restore::run(&config, &folder, who(), chrono::Utc::now())?;
            io::stdout().write_all(told.as_bytes())?;
            return Ok(0);
        }
        Verb::Backup { folder, keep } => {
            let folder = std::path::absolute(&folder)?;
            Request::Backup(
                folder
                    .to_str()
                    .context("the folder's name is not UTF-8")?
                    .to_owned(),
                keep.and_then(|keep| usize::try_from(keep).ok()),
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

/// What `init` is to make; what no flag says is asked if somebody is there to answer.
fn wanted(file: Option<PathBuf>, args: InitArgs) -> Result<Wanted> {
    let mut wanted = Wanted {
        file: file.unwrap_or_else(|| "/etc/pbmserv.toml".into()),
        address: args.address,
        name: args.name,
        data: args.data,
        relay: args.relay,
        password_file: args.password_file,
        sendmail: args.sendmail,
        listen: args.listen,
        imap: args.imap,
        director: args.director,
        director_address: args.director_address,
        mta: args.mta.map(|name| name.parse()).transpose()?,
        user: args.user,
        force: args.force,
    };
    if io::stdin().is_terminal() {
        admin::init::ask(&mut wanted, &mut io::stdin().lock(), &mut io::stderr())?;
    }
    Ok(wanted)
}

/// The longest text that is announced, in bytes.
const MOST_ANNOUNCED: u64 = 64 * 1024;

/// A change by the hand of whoever runs this.
fn changed(operation: Operation, why: String) -> Request {
    Request::Change(operation, Hand { who: who(), why })
}

/// The account that runs this; the one behind sudo, if there is one.
fn who() -> String {
    let named = ["SUDO_USER", "LOGNAME", "USER"]
        .into_iter()
        .find_map(|name| std::env::var(name).ok().filter(|user| !user.is_empty()));
    named.unwrap_or_else(|| match std::fs::metadata("/proc/self") {
        Ok(process) => format!("account {}", process.uid()),
        Err(_) => "unknown".to_owned(),
    })
}

/// What is asked of the boards, or ruled on one.
fn board(verb: BoardVerb) -> Request {
    let (BoardArgs { game, number }, ruling, why) = match verb {
        BoardVerb::List { game, all, json } => return Request::Boards { game, all, json },
        BoardVerb::Show { game, number, json } => return Request::Board { game, number, json },
        BoardVerb::Turn {
            board,
            userid,
            turn,
            why,
        } => (board, Ruling::Turn { userid, turn }, why),
        BoardVerb::Undo { board, why } => (board, Ruling::Undo, why),
        BoardVerb::Void { board, why } => (board, Ruling::Void, why),
        BoardVerb::End { board, result, why } => (board, Ruling::End(result), why),
        BoardVerb::Reseat { board, from, to, why } => (board, Ruling::Reseat { from, to }, why),
        BoardVerb::Clock { board, days, why } => (board, Ruling::Clock { days }, why),
    };
    let operation = Operation::Board { game, number, ruling };
    changed(operation, why.why)
}

/// What is to be changed about an account.
fn account(verb: UserVerb) -> Result<Request> {
    let (operation, why) = match verb {
        UserVerb::List { json } => return Ok(Request::Users { json }),
        UserVerb::Show { userid, json } => return Ok(Request::User { userid, json }),
        UserVerb::Add {
            userid,
            address,
            confirmed,
            password,
            why,
        } => (
            Operation::AddUser {
                userid,
                address,
                password: given(&password)?,
                is_confirmed: confirmed,
            },
            why,
        ),
        UserVerb::Passwd {
            userid,
            password,
            why,
        } => (
            Operation::Password {
                userid,
                password: given(&password)?,
            },
            why,
        ),
        UserVerb::Rename { userid, to, why } => (Operation::Rename { from: userid, to }, why),
        UserVerb::Disable { userid, why } => (Operation::Disable { userid }, why),
        UserVerb::Enable { userid, why } => (Operation::Enable { userid }, why),
        UserVerb::Erase { userid, why } => (Operation::Erase { userid }, why),
        UserVerb::Address(AddressVerb::Add {
            userid,
            address,
            confirmed,
            why,
        }) => (
            Operation::AddAddress {
                userid,
                address,
                is_confirmed: confirmed,
            },
            why,
        ),
        UserVerb::Address(AddressVerb::Remove { userid, address, why }) => {
            (Operation::RemoveAddress { userid, address }, why)
        }
    };
    Ok(changed(operation, why.why))
}

/// The password on standard input, if it is to be read from there.
fn given(password: &PasswordArgs) -> Result<Option<String>> {
    if !password.password_stdin {
        return Ok(None);
    }
    let text = io::read_to_string(io::stdin().lock().take(1024))?;
    Ok(Some(text.lines().next().unwrap_or_default().to_owned()))
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
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let done = runtime.block_on(future);
    // All is written by now. A thread that waits for an answer of the DNS may wait for long.
    runtime.shutdown_background();
    done
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
