//! `check`: looks at everything that a server needs, and says of each finding what to do.

use std::fmt::Write as _;
use std::io::{self, ErrorKind};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, BufReader};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::time::timeout;

use crate::config::Config;
use crate::doors::smtp::Tls;
use crate::doors::{imap, maildir};
use crate::letters::Letters;
use crate::mail::Key;
use crate::outbox::Transport;
use crate::service::serve::transport;
use crate::store::{BoardFilter, MailState, Reader, State, newest_migration};
use crate::table::Position;

use super::control::{self, Answer, Caller, Request};
use super::{Verb, user::UserVerb};

/// How long a door, the relay or the running server may take to answer.
const PATIENCE: Duration = Duration::from_secs(20);

/// Which rows of a queue are counted, at most.
const COUNTED: u32 = 1000;

/// A certificate that expires sooner is a fault: whatever renews it has failed to.
const CERTIFICATES_LAST: TimeDelta = TimeDelta::days(14);

/// What to do about a damaged database.
const RESTORE: &str = "restore a backup with pbmserv restore";

/// What was found, a line each.
#[derive(Debug, Default)]
struct Findings {
    lines: String,
    faults: usize,
}

impl Findings {
    fn good(&mut self, what: &str, found: impl std::fmt::Display) {
        let _ = writeln!(self.lines, "ok     {what}: {found}");
    }

    fn bad(&mut self, what: &str, found: impl std::fmt::Display) {
        self.faults += 1;
        let _ = writeln!(self.lines, "FAULT  {what}: {found}");
    }
}

impl From<Findings> for Answer {
    fn from(findings: Findings) -> Self {
        let sum = match findings.faults {
            0 => "all is well".to_owned(),
            1 => "one fault".to_owned(),
            many => format!("{many} faults"),
        };
        Self {
            code: u8::from(findings.faults > 0),
            out: format!("{}{sum}\n", findings.lines),
            err: String::new(),
        }
    }
}

/// Checks everything but the configuration file itself, which has been read. Changes nothing. The exit code is 1 if
/// there is a fault.
pub async fn run(config: &Config) -> Answer {
    let mut findings = Findings::default();
    folder(config, &mut findings);
    let data = &config.server.data;
    let is_running = is_running(&data.join("control.sock"), &mut findings).await;
    database(data, &mut findings);
    templates(config, &mut findings);
    delivery(config, &mut findings).await;
    certificate(config, &mut findings);
    door("smtp", &config.smtp.listen, is_running, &mut findings).await;
    door("lmtp", &config.lmtp.listen, is_running, &mut findings).await;
    maildir(config, &mut findings);
    imap(config, &mut findings).await;
    findings.into()
}

fn folder(config: &Config, findings: &mut Findings) {
    let path = &config.server.data;
    let shown = path.display();
    let Ok(meta) = std::fs::metadata(path) else {
        return findings.good(
            "data folder",
            format!("{shown} is not there yet; the first start makes it"),
        );
    };
    let owner = std::fs::metadata("/proc/self").map_or(meta.uid(), |own| own.uid());
    if owner != meta.uid() {
        let owner = meta.uid();
        let found = format!(
            "{shown} belongs to the account number {owner}: run this as that account, sudo -u '#{owner}'"
        );
        findings.bad("data folder", found);
    } else if meta.permissions().mode() & 0o077 != 0 {
        findings.bad(
            "data folder",
            format!("others may look into {shown}: chmod 700 {shown}"),
        );
    } else {
        findings.good("data folder", shown);
    }
    let key = path.join("key");
    if !key.exists() {
        return;
    }
    let shown = key.display();
    match Key::load(&key) {
        Ok(_) if std::fs::metadata(&key).is_ok_and(|meta| meta.permissions().mode() & 0o077 != 0) => {
            findings.bad("key", format!("others may read {shown}: chmod 600 {shown}"));
        }
        Ok(_) => findings.good("key", shown),
        Err(error) => findings.bad("key", format!("{error}: put back the one of a backup")),
    }
}

async fn is_running(socket: &Path, findings: &mut Findings) -> bool {
    let request = Request {
        verb: Verb::User(UserVerb::List { json: false }),
        caller: Caller::default(),
    };
    match control::ask(socket, &request, PATIENCE).await {
        Ok(_) => {
            findings.good("server", "it runs and answers");
            true
        }
        Err(error) if error.kind() == ErrorKind::TimedOut => {
            findings.bad(
                "server",
                "it runs and does not answer: look at its log, and start it again",
            );
            true
        }
        Err(_) => {
            findings.good("server", "it does not run");
            false
        }
    }
}

fn database(folder: &Path, findings: &mut Findings) {
    let path = folder.join("pbmserv.sqlite");
    if !path.exists() {
        return findings.good("database", "not there yet; the first start makes it");
    }
    let looked = Reader::open(&path).and_then(|reader| {
        let found = reader.migration()?;
        if found != newest_migration() {
            migration(found, findings);
            return Ok(());
        }
        match reader.faults()?.as_slice() {
            [] => findings.good("database", "whole"),
            faults => {
                for fault in faults {
                    findings.bad("database", format!("{fault}: {RESTORE}"));
                }
            }
        }
        boards(&reader, findings)?;
        queues(&reader, findings)
    });
    if let Err(error) = looked {
        findings.bad("database", format!("{error}: {RESTORE}"));
    }
}

fn migration(found: i64, findings: &mut Findings) {
    let known = newest_migration();
    if found > known {
        let found =
            format!("it is at migration {found}, this program knows {known}: install the newer program");
        findings.bad("database", found);
    } else {
        let found = format!("it is at migration {found}; the next start brings it to {known}");
        findings.good("database", found);
    }
}

fn boards(reader: &Reader, findings: &mut Findings) -> crate::store::Result<()> {
    let running = reader.boards(BoardFilter {
        running: Some(true),
        limit: u32::MAX,
        ..BoardFilter::default()
    })?;
    let faults = findings.faults;
    for board in &running {
        if let Err(error) = Position::replay(board, reader.turns(board.id)?, usize::MAX) {
            let (game, number) = (board.game.facts.name, board.number);
            let remedy = format!("pbmserv board void {game} {number} --why REASON");
            findings.bad("boards", format!("{error}; nobody can play on it: {remedy}"));
        }
    }
    if findings.faults == faults {
        findings.good("boards", format!("{} run, and each replays", running.len()));
    }
    Ok(())
}

fn queues(reader: &Reader, findings: &mut Findings) -> crate::store::Result<()> {
    let waiting = reader.mails(Some(MailState::Waiting), COUNTED)?;
    let failing = waiting.iter().filter(|mail| mail.attempts > 0).count();
    match waiting.iter().find_map(|mail| mail.last_error.as_deref()) {
        Some(why) if failing > 0 => findings.bad(
            "outbox",
            format!("{failing} mails could not be delivered yet ({why}): pbmserv queue list --state waiting"),
        ),
        _ => findings.good("outbox", format!("{} mails wait", waiting.len())),
    }
    let held = reader.mails(Some(MailState::Held), COUNTED)?.len();
    if held > 0 {
        let found = format!("{held} mails are held: pbmserv queue list --state held");
        findings.bad("outbox", found);
    }
    match reader.received(Some(State::Failed), COUNTED)?.len() {
        0 => findings.good("inbox", "no mail failed"),
        failed => findings.bad(
            "inbox",
            format!(
                "{failed} mails failed by a fault of the program: pbmserv queue list --inbox --state failed"
            ),
        ),
    }
    Ok(())
}

fn templates(config: &Config, findings: &mut Findings) {
    let folder = Some(config.templates.folder.as_path()).filter(|path| !path.as_os_str().is_empty());
    let Some(address) = config.address() else {
        return;
    };
    match Letters::load(folder, &address) {
        Ok(_) => findings.good("templates", "each can be written"),
        Err(error) => findings.bad("templates", format!("{error}: mend the file, or remove it")),
    }
}

async fn delivery(config: &Config, findings: &mut Findings) {
    let relay = &config.delivery.url;
    match transport(config) {
        Err(error) => findings.bad("delivery", format!("{error:#}")),
        Ok(Transport::Relay(connection)) => match timeout(PATIENCE, connection.try_connection()).await {
            Ok(Ok(())) => findings.good("delivery", format!("{relay} takes our mails")),
            Ok(Err(failure)) => findings.bad(
                "delivery",
                format!("{relay}: {failure}: is delivery.url right, and does the relay run?"),
            ),
            Err(_) => findings.bad(
                "delivery",
                format!("{relay} does not answer: is it the right host and port?"),
            ),
        },
        Ok(Transport::Maildirs(_)) => {
            let folder = config.maildir();
            let found = format!(
                "into Maildirs in {}; nothing leaves this machine",
                folder.display()
            );
            findings.good("delivery", found);
        }
        Ok(Transport::Sendmail(_)) => {
            findings.good("delivery", format!("by {}", config.delivery.path.display()));
        }
    }
}

fn certificate(config: &Config, findings: &mut Findings) {
    let (certificate, key) = (&config.smtp.certificate, &config.smtp.key);
    if certificate.as_os_str().is_empty() {
        return;
    }
    match Tls::load(certificate, key) {
        Ok(_) => expiry(certificate, Utc::now(), findings),
        Err(error) => findings.bad("certificate", error),
    }
}

fn expiry(certificate: &Path, now: DateTime<Utc>, findings: &mut Findings) {
    let shown = certificate.display();
    let Some(at) = Tls::expires_at(certificate) else {
        return findings.good("certificate", shown);
    };
    let day = at.format("%Y-%m-%d");
    let remedy = "put a new one in its place, and pbmserv reads it at SIGHUP (systemctl reload pbmserv)";
    if at <= now {
        findings.bad("certificate", format!("{shown} has expired on {day}: {remedy}"));
    } else if at - now < CERTIFICATES_LAST {
        findings.bad("certificate", format!("{shown} expires on {day}: {remedy}"));
    } else {
        findings.good("certificate", format!("{shown}, good until {day}"));
    }
}

fn maildir(config: &Config, findings: &mut Findings) {
    let path = &config.maildir.path;
    if path.as_os_str().is_empty() {
        return;
    }
    match maildir::Folder::look(path) {
        Ok(()) => findings.good("maildir", path.display()),
        Err(error) => findings.bad("maildir", error),
    }
}

async fn imap(config: &Config, findings: &mut Findings) {
    let imap = &config.imap;
    if imap.url.is_empty() {
        return;
    }
    let account = match imap::Account::new(&imap.url, &imap.password_file, &imap.done_folder) {
        Ok(account) => account,
        Err(error) => return findings.bad("imap", error),
    };
    let url = &imap.url;
    match timeout(PATIENCE, imap::try_mailbox(&account)).await {
        Ok(Ok(())) => findings.good("imap", format!("{url} can be read and marked")),
        Ok(Err(why)) => findings.bad(
            "imap",
            format!("{url}: {why}: are imap.url and the password in imap.password_file right, and does the server run?"),
        ),
        Err(_) => findings.bad(
            "imap",
            format!("{url} does not answer: is it the right host and port?"),
        ),
    }
}

async fn door(name: &str, listen: &str, is_running: bool, findings: &mut Findings) {
    if listen.is_empty() {
        return findings.good(name, "it does not listen");
    }
    if !is_running {
        return match vacant(listen).await {
            Ok(()) => findings.good(name, format!("{listen} is free")),
            Err(error) => findings.bad(
                name,
                format!("{listen}: {error}: stop what listens there, or change {name}.listen"),
            ),
        };
    }
    match timeout(PATIENCE, greeting(listen)).await {
        Ok(Ok(line)) if line.starts_with("220 ") => findings.good(name, format!("{listen} greets")),
        Ok(Ok(line)) => findings.bad(
            name,
            format!("{listen} says {:?}: is it another server?", line.trim()),
        ),
        Ok(Err(error)) => findings.bad(name, format!("{listen}: {error}: start the server again")),
        Err(_) => findings.bad(name, format!("{listen} is silent: start the server again")),
    }
}

/// Whether nobody listens there. A unix socket is not opened for it: its file would stay, and be of this account.
async fn vacant(listen: &str) -> io::Result<()> {
    let Some(path) = listen.strip_prefix("unix:") else {
        return TcpListener::bind(listen).await.map(drop);
    };
    match UnixStream::connect(path).await {
        Ok(_) => Err(ErrorKind::AddrInUse.into()),
        // A dead process has left it.
        Err(error) if error.kind() == ErrorKind::ConnectionRefused => Ok(()),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let folder = Path::new(path).parent().unwrap_or(Path::new("/"));
            std::fs::read_dir(folder).map(drop)
        }
        Err(error) => Err(error),
    }
}

async fn greeting(listen: &str) -> io::Result<String> {
    let mut line = String::new();
    match listen.strip_prefix("unix:") {
        Some(path) => read_line(UnixStream::connect(path).await?, &mut line).await?,
        None => read_line(TcpStream::connect(listen).await?, &mut line).await?,
    }
    Ok(line)
}

async fn read_line(stream: impl AsyncRead + Unpin, line: &mut String) -> io::Result<()> {
    // No greeting is longer.
    BufReader::new(stream.take(1000)).read_line(line).await.map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_certificate_that_has_expired_or_will_soon_is_a_fault() {
        // Good until the end of 2199.
        let certificate = Path::new(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/src/doors/smtp/tests/host.crt"
        ));
        for (now, faults, shown) in [
            ("2199-12-17T00:00:00Z", 0, "good until 2199-12-31"),
            ("2199-12-18T00:00:00Z", 1, "expires on 2199-12-31"),
            ("2200-01-01T00:00:00Z", 1, "has expired on 2199-12-31"),
        ] {
            let mut findings = Findings::default();
            expiry(certificate, now.parse().unwrap(), &mut findings);
            assert_eq!(findings.faults, faults, "{now}");
            assert!(findings.lines.contains(shown), "{}", findings.lines);
        }
    }
}
