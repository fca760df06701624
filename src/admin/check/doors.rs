//! Checks of the doors and of the delivery.

use std::io::{self, ErrorKind};
use std::path::Path;
use std::time::Duration;

use chrono::{DateTime, Utc};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, BufReader};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::time::timeout;

use crate::admin::control::sentence;
use crate::config::Config;
use crate::engine::configured_folder::existing_folder;
use crate::engine::folder::Folder;
use crate::engine::sending::transport;
use pbmserv_core::store::Reader;
use pbmserv_mail::doors::smtp::Tls;
use pbmserv_mail::doors::{imap, maildir};
use pbmserv_mail::outbox::Transport;

use super::findings::{Findings, Subject};

/// How long a door, the relay or the running server may take to answer.
pub(super) const PATIENCE: Duration = Duration::from_secs(20);

pub(super) async fn delivery(config: &Config, findings: &mut Findings) {
    let relay = &config.delivery.url;
    match transport(config) {
        Err(error) => findings.stops(Subject::Delivery, sentence(&error)),
        Ok(Transport::Relay(connection)) => match timeout(PATIENCE, connection.try_connection()).await {
            Ok(Ok(offers_utf8)) => {
                findings.good(Subject::Delivery, format!("{relay} takes our mails"));
                if !offers_utf8 {
                    scripts(config, findings);
                }
            }
            Ok(Err(failure)) => findings.bad(
                Subject::Delivery,
                format!("{relay}: {failure}: is delivery.url right, and does the relay run?"),
            ),
            Err(_) => findings.bad(
                Subject::Delivery,
                format!("{relay} does not answer: is it the right host and port?"),
            ),
        },
        Ok(Transport::Maildirs(_)) => {
            let folder = config.maildir();
            let found = format!(
                "into Maildirs in {}; nothing leaves this machine",
                folder.display()
            );
            findings.good(Subject::Delivery, found);
        }
        Ok(Transport::Sendmail(_)) => {
            findings.good(
                Subject::Delivery,
                format!("by {}", config.delivery.path.display()),
            );
        }
    }
}

/// What a relay without SMTPUTF8 (RFC 6531) means for the players.
fn scripts(config: &Config, findings: &mut Findings) {
    let folder = existing_folder(config).ok();
    let count = |folder: Folder| Reader::open(folder.location())?.addresses_outside_ascii();
    // A database that cannot be read is a finding of its own.
    match folder.and_then(|folder| count(folder).ok()).unwrap_or_default() {
        0 => findings.good(
            Subject::Delivery,
            "it has no SMTPUTF8: who writes from an address outside US-ASCII is refused",
        ),
        many => findings.bad(
            Subject::Delivery,
            format!(
                "it has no SMTPUTF8, so {many} of the players' addresses cannot be written to: switch it on there \
                 (Postfix: smtputf8_enable = yes), or use another relay"
            ),
        ),
    }
}

pub(super) fn certificate(config: &Config, findings: &mut Findings) {
    let (certificate, key) = (&config.smtp.certificate, &config.smtp.key);
    if certificate.as_os_str().is_empty() {
        return;
    }
    match Tls::load(certificate, key) {
        Ok(tls) => expiry(certificate, tls.expires_at(), Utc::now(), findings),
        Err(error) => findings.stops(Subject::Certificate, error),
    }
}

fn expiry(
    certificate: &Path,
    expires_at: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
    findings: &mut Findings,
) {
    let shown = certificate.display();
    let Some(at) = expires_at else {
        return findings.good(Subject::Certificate, shown);
    };
    match Tls::ends(at, now) {
        Some(ends) => findings.bad(Subject::Certificate, format!("{shown} {ends}")),
        None => {
            let found = format!("{shown}, good until {}", at.format("%Y-%m-%d"));
            findings.good(Subject::Certificate, found);
        }
    }
}

pub(super) fn maildir(config: &Config, findings: &mut Findings) {
    let path = &config.maildir.path;
    if path.as_os_str().is_empty() {
        return;
    }
    match maildir::Folder::look(path) {
        Ok(()) => findings.good(Subject::Maildir, path.display()),
        Err(error) => findings.stops(Subject::Maildir, error),
    }
}

pub(super) async fn imap(config: &Config, findings: &mut Findings) {
    let imap = &config.imap;
    if imap.url.is_empty() {
        return;
    }
    let account = match imap.account() {
        Ok(account) => account,
        Err(error) => return findings.stops(Subject::Imap, error),
    };
    let url = &imap.url;
    match timeout(PATIENCE, imap::try_mailbox(&account)).await {
        Ok(Ok(())) => findings.good(Subject::Imap, format!("{url} can be read and marked")),
        Ok(Err(why)) => findings.bad(
            Subject::Imap,
            format!("{url}: {why}: are imap.url and the password right, and does the server run?"),
        ),
        Err(_) => findings.bad(
            Subject::Imap,
            format!("{url} does not answer: is it the right host and port?"),
        ),
    }
}

/// `greets` is how the door greets; `None`: no server runs.
pub(super) async fn door(
    subject: Subject,
    name: &str,
    listen: &str,
    greets: Option<&str>,
    findings: &mut Findings,
) {
    if listen.is_empty() {
        return findings.good(subject, "it does not listen");
    }
    let Some(greets) = greets else {
        return match vacant(listen).await {
            Ok(()) => findings.good(subject, format!("{listen} is free")),
            Err(error) => findings.stops(
                subject,
                format!("{listen}: {error}: stop the program that listens there, or change {name}.listen"),
            ),
        };
    };
    match timeout(PATIENCE, greeting(listen)).await {
        Ok(Ok(line)) if line.starts_with(greets) => findings.good(subject, format!("{listen} greets")),
        Ok(Ok(line)) => findings.bad(
            subject,
            format!("{listen} says {:?}: is it another server?", line.trim()),
        ),
        Ok(Err(error)) => findings.bad(subject, format!("{listen}: {error}: restart the server")),
        Err(_) => findings.bad(subject, format!("{listen} does not answer: restart the server")),
    }
}

/// Succeeds if nothing listens there. A unix socket is connected to instead of bound, because binding would leave a
/// file that belongs to this account.
async fn vacant(listen: &str) -> io::Result<()> {
    let Some(path) = listen.strip_prefix("unix:") else {
        return TcpListener::bind(listen).await.map(drop);
    };
    match UnixStream::connect(path).await {
        Ok(_) => Err(ErrorKind::AddrInUse.into()),
        // The socket file of a process that has ended.
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
        let host = Path::new(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/crates/mail/src/doors/smtp/tests/host"
        ));
        // Good until the end of 2199.
        let certificate = host.with_extension("crt");
        let tls = Tls::load(&certificate, &host.with_extension("key")).unwrap();
        for (now, faults, shown) in [
            ("2199-12-10T00:00:00Z", 0, "good until 2199-12-31"),
            ("2199-12-11T00:00:00Z", 1, "expires on 2199-12-31"),
            ("2200-01-01T00:00:00Z", 1, "has expired on 2199-12-31"),
        ] {
            let mut findings = Findings::default();
            expiry(
                &certificate,
                tls.expires_at(),
                now.parse().unwrap(),
                &mut findings,
            );
            assert_eq!(findings.faults(), faults, "{now}");
            assert!(findings.lines().contains(shown), "{}", findings.lines());
        }
    }
}
