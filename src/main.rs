//! The command line: parses it, loads the configuration, runs the verb, prints its output.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use clap::FromArgMatches;
use pbmserv::admin::progress::StdErr;
use pbmserv::admin::{self, Answer, Backup, Cli, Verb, VerbRequest};
use pbmserv::config::{Config, lookup};
use pbmserv::daemon::serve;
use pbmserv::demo;
use pbmserv::engine::{log_writer, panics, server::NotOpened};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt;
use tracing_subscriber::fmt::writer::BoxMakeWriter;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// EX_CONFIG. The unit does not start a server again that has ended with it.
const A_COPY: u8 = 78;

/// EX_IOERR. The unit starts the server again.
const FILES_LOST: u8 = 74;

/// EX_TEMPFAIL. A mail transfer agent keeps the message and tries again; on most other codes it bounces the message.
const TRY_LATER: u8 = 75;

/// Has the allocator give freed memory back at once. After its usual delay it does so only when something is allocated, so an
/// idle server would keep half as much again.
#[expect(
    unsafe_code,
    reason = "the allocator has no other way to set an option than its C function"
)]
fn give_memory_back() {
    /// `mi_option_purge_delay` of `mimalloc.h`, which the bindings do not name, and what it is unless set.
    const PURGE_DELAY: libmimalloc_sys::mi_option_t = 15;
    const USUAL_MILLISECONDS: std::ffi::c_long = 1000;
    // SAFETY: No other thread runs yet, and the number is that of an option, since it has this option's usual value.
    unsafe {
        if libmimalloc_sys::mi_option_get(PURGE_DELAY) == USUAL_MILLISECONDS {
            libmimalloc_sys::mi_option_set(PURGE_DELAY, 0);
        }
    }
}

fn main() -> ExitCode {
    give_memory_back();
    ExitCode::from(program(std::env::args_os().collect()))
}

/// Does what these words of a command line ask for, of which the first is the program's name; returns the exit code.
pub(crate) fn program(words: Vec<OsString>) -> u8 {
    let names_ingest = words.iter().any(|word| word == "ingest");
    let parsed = admin::help::command()
        .try_get_matches_from(words)
        .and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = match parsed {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            return match u8::try_from(error.exit_code()).unwrap_or(2) {
                0 => 0,
                _ if names_ingest => TRY_LATER,
                code => code,
            };
        }
    };
    let is_ingest = matches!(cli.verb, Verb::Ingest { .. });
    let mut out = Out {
        stdout: io::stdout(),
        is_closed: false,
    };
    let answer = run(cli, &mut out).unwrap_or_else(|error| {
        if out.is_closed {
            return Answer::default();
        }
        let is_copy = matches!(error.downcast_ref(), Some(NotOpened::Copy(_)));
        let has_lost_files = error.is::<serve::FilesLost>();
        let mut answer = Answer::from(error);
        if is_copy {
            answer.code = A_COPY;
        }
        if has_lost_files {
            answer.code = FILES_LOST;
        }
        if is_ingest && answer.code == 1 {
            answer.code = TRY_LATER;
        }
        answer
    });
    if !answer.err.is_empty() {
        log_writer::say(&format!("pbmserv: {}", answer.err));
    }
    log_writer::end();
    answer.code
}

/// Standard output, which remembers that its reader has closed it, as `head` does: that is no error of the verb.
struct Out {
    stdout: io::Stdout,
    is_closed: bool,
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.stdout.write(bytes);
        self.noticed(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.stdout.flush();
        self.noticed(flushed)
    }
}

impl Out {
    fn noticed<T>(&mut self, result: io::Result<T>) -> io::Result<T> {
        if let Err(error) = &result {
            self.is_closed |= error.kind() == io::ErrorKind::BrokenPipe;
        }
        result
    }
}

/// Runs the verb and prints its output. `main` prints errors and sets the exit code.
fn run(cli: Cli, mut out: &mut Out) -> Result<Answer> {
    let Cli {
        config: named,
        verbose,
        verb,
    } = cli;
    let variable = std::env::var_os(lookup::VARIABLE);
    let file = lookup::find(named.clone(), variable.clone(), Path::new(lookup::SYSTEM));
    let read = || {
        let config = Config::load(file.as_deref(), std::env::vars());
        if let Ok(config) = &config
            && verbose
        {
            log_writer::say(&format!("pbmserv: {}", config.used()));
        }
        config
    };
    let load = || -> Result<Config> { Ok(read()?) };
    if !matches!(verb, Verb::Serve | Verb::Demo(_)) {
        admin::interrupt::begin()?;
    }
    let nothing = |()| Answer::default();
    let answer = match verb {
        Verb::Init(wanted) => {
            let variable = variable.filter(|name| !name.is_empty()).map(PathBuf::from);
            admin::init::run(*wanted, named.or(variable))?.into()
        }
        Verb::Serve => {
            let config = load()?;
            let log = log_writer::begin(StdErr)?;
            log_by(&config, "info", BoxMakeWriter::new(move || log.clone()));
            let ready = || {
                if file.is_none() {
                    hint(&config);
                }
            };
            asynchronous(serve::run(&config, load, ready)).map(nothing)?
        }
        Verb::Demo(demo) => {
            let pictures = demo::Protocol::of_terminal(&io::stdout(), demo.pictures.as_deref());
            let columns = usize::from(console::Term::stdout().size().1);
            asynchronous(demo::run(&demo, pictures, columns, &mut out)).map(nothing)?
        }
        Verb::Replay(replay) => replay.run(&mut out).map(nothing)?,
        Verb::Verify(verify) => verify.run(&mut out).map(nothing)?,
        Verb::Show(show) => show.run(&mut out).map(nothing)?,
        Verb::Perft(perft) => perft.run(&mut out, &mut StdErr).map(nothing)?,
        Verb::Match(contest) => contest.run(&mut out).map(nothing)?,
        Verb::Think(think) => think.run(&mut out).map(nothing)?,
        Verb::NewGame(game) => game.run(&mut out).map(nothing)?,
        Verb::Solve(solve) => solve.run(&mut out).map(nothing)?,
        Verb::Check(check) => asynchronous(check.run(read()))?,
        Verb::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut admin::help::command(), "pbmserv", &mut script);
            out.write_all(&script).map(nothing)?
        }
        Verb::Man { folder: None } => admin::help::print_first_page(&mut out).map(nothing)?,
        Verb::Man { folder: Some(folder) } => admin::help::write_pages(&folder).map(nothing)?,
        Verb::Backup(Backup { verb: Some(verb), .. }) => admin::backups::run(&verb)?,
        Verb::Restore { folder } => {
            let config = load()?;
            log(&config, "warn");
            admin::restore::run(&config, &folder, chrono::Utc::now())?.into()
        }
        Verb::Adopt(adopt) => {
            let config = load()?;
            log(&config, "warn");
            if let Some(rehearsal) = adopt.rehearsal().filter(|_| io::stdin().is_terminal()) {
                make_sure(&rehearsal.run(&config, chrono::Utc::now())?)?;
            }
            adopt.run(&config, chrono::Utc::now())?.into()
        }
        Verb::Compact(compact) => {
            let config = load()?;
            log(&config, "warn");
            if let Some(rehearsal) = compact.rehearsal().filter(|_| io::stdin().is_terminal()) {
                make_sure(&rehearsal.run(&config, chrono::Utc::now())?)?;
            }
            compact.run(&config, chrono::Utc::now())?.into()
        }
        Verb::Migrate => {
            let config = load()?;
            log(&config, "warn");
            admin::migrate::run(&config, chrono::Utc::now())?.into()
        }
        Verb::Store(verb) => {
            let config = load()?;
            log(&config, "warn");
            if let Some(rehearsal) = verb.rehearsal().filter(|_| io::stdin().is_terminal()) {
                make_sure(&rehearsal.run(&config, chrono::Utc::now())?)?;
            }
            verb.run(&config, chrono::Utc::now())?.into()
        }
        Verb::Key(verb) => {
            let config = load()?;
            log(&config, "warn");
            verb.run(&config, chrono::Utc::now())?.into()
        }
        verb => {
            let config = load()?;
            log(&config, "warn");
            if let Some(rehearsal) = verb.rehearsal().filter(|_| io::stdin().is_terminal()) {
                let request = VerbRequest::new(rehearsal, &config, io::empty())?;
                let found = asynchronous(admin::ask_or_do(&config, request))?;
                if found.code != 0 {
                    return Ok(found);
                }
                make_sure(&found.out)?;
            }
            let request = VerbRequest::new(verb, &config, io::stdin().lock())?;
            asynchronous(admin::ask_or_do(&config, request))?
        }
    };
    // A closed output changes nothing of what the verb has found.
    match out.write_all(answer.out.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(answer),
    }
}

/// Asks on the terminal whether this is to be done.
fn make_sure(would_be_done: &str) -> Result<()> {
    let is_sure = admin::sure::ask(would_be_done, &mut io::stdin().lock(), &mut io::stderr())?;
    anyhow::ensure!(is_sure, "nothing was changed");
    Ok(())
}

fn asynchronous<T>(future: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let done = runtime.block_on(future);
    // Everything is written by now, so do not wait for threads: a DNS lookup may take long.
    runtime.shutdown_background();
    done
}

/// Starts the log of a verb.
fn log(config: &Config, usual: &str) {
    log_by(config, usual, BoxMakeWriter::new(StdErr::default));
}

/// Starts the log. `usual` is the level unless the configuration sets one: a verb logs less than the daemon.
fn log_by(config: &Config, usual: &str, writer: BoxMakeWriter) {
    let level = if config.log.level == Config::default().log.level {
        usual
    } else {
        &config.log.level
    };
    // The configuration was checked.
    let filter: Targets = level.parse().unwrap_or_default();
    let log = tracing_subscriber::registry().with(filter);
    // An error of the writer would be printed, and printing panics where nothing can be written.
    let lines = fmt::layer().with_writer(writer).log_internal_errors(false);
    if config.log.json {
        log.with(lines.json()).init();
    } else {
        let lines = lines.with_ansi(io::stderr().is_terminal());
        log.with(lines.with_target(false)).init();
    }
    panics::log();
}

/// What to try on a server without a configuration. The thread is not waited for, and takes no lock of standard output: perhaps
/// nobody reads that.
fn hint(config: &Config) {
    let data = config.server.data.display();
    let hint = format!(
        "No configuration: data in {data}, SMTP on {listen}, answers into Maildirs in {data}/mail/ADDRESS.\n\
         Try, in another terminal:\n\
         \x20 pbmserv mail alice@example.org 'signup alice fig7elk'\n\
         \x20 pbmserv mail bob@example.org 'signup bob oak4jay'\n\
         \x20 pbmserv mail alice@example.org 'Pow2 challenge alice bob'\n\
         Stop with Ctrl-C.\n",
        listen = config.smtp.listen,
    );
    if let Ok(stdout) = io::stdout().as_fd().try_clone_to_owned() {
        std::thread::spawn(move || File::from(stdout).write_all(hint.as_bytes()));
    }
}
