//! Delivery by a program with the interface of sendmail, such as those of Postfix, Exim and msmtp.

use std::io;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};

use super::header::one_line;
use super::{Built, Failure, Outgoing};
use crate::process_group::ProcessGroup;

/// Bytes of standard error that are kept.
const MAX_SAID: usize = 1000;
/// Characters of its first line that are logged.
const MAX_LINE_CHARS: usize = 300;
/// How long standard error is still read after the program has ended: a child that it left behind may hold
/// the pipe open.
const LAST_WORDS: Duration = Duration::from_millis(200);

// Exit codes of sysexits.h.
const EX_DATAERR: i32 = 65;
const EX_NOUSER: i32 = 67;
const EX_NOHOST: i32 = 68;
const EX_TEMPFAIL: i32 = 75;

/// The program. It is started for each mail as `PATH -i -f SENDER -- RECIPIENT`, with the mail on standard
/// input.
#[derive(Clone, Debug)]
pub struct Sendmail {
    path: PathBuf,
    patience: Duration,
}

/// The path is wrong; the message says what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadSendmail(String);

impl Sendmail {
    /// The default time limit for one mail. The program only puts it into its own queue.
    pub const PATIENCE: Duration = Duration::from_secs(60);

    /// The program at this absolute path.
    ///
    /// # Errors
    /// [`BadSendmail`]: there is no such file, or the path is relative.
    pub fn new(path: impl Into<PathBuf>) -> Result<Self, BadSendmail> {
        let path = path.into();
        let name = path.display();
        if !path.is_absolute() {
            return Err(BadSendmail(format!(
                "{name} is not an absolute path: name one such as /usr/sbin/sendmail"
            )));
        }
        if !path.is_file() {
            return Err(BadSendmail(format!(
                "{name} is not a file: name the sendmail of this machine's MTA"
            )));
        }
        Ok(Self {
            path,
            patience: Self::PATIENCE,
        })
    }

    /// Changes the time limit for one mail.
    #[must_use]
    pub fn with_patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    pub(super) async fn deliver(&self, built: &Built, mail: &Outgoing) -> Result<(), Failure> {
        let name = self.path.display();
        let down = |error: io::Error| Failure::Down(format!("{name}: {error}"));
        let mut child = Command::new(&self.path)
            .args([
                "-i",
                "-f",
                built.envelope_sender.as_str(),
                "--",
                &mail.to.on_the_wire(),
            ])
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true)
            .spawn()
            .map_err(down)?;
        let group = ProcessGroup::of(&child);
        let ended = timeout(self.patience, converse(&mut child, &built.with_lf())).await;
        let (status, is_fed, said) = match ended {
            Ok(ended) => ended.map_err(down)?,
            Err(_) => {
                drop(group);
                // It was killed, so this returns at once and leaves no zombie.
                let _ = child.wait().await;
                let seconds = self.patience.as_secs_f32();
                return Err(Failure::Down(format!(
                    "{name} did not end within {seconds} seconds and was killed"
                )));
            }
        };
        group.let_run();
        judge(status, is_fed).map_err(|to_failure| {
            let line = first_line(&said, built, mail);
            let blank = if line.is_empty() { "" } else { ": " };
            to_failure(format!("{name}, {status}{blank}{line}"))
        })
    }
}

/// Writes the mail and waits for the exit: its status, whether it read the whole mail, and its standard
/// error.
async fn converse(child: &mut Child, bytes: &[u8]) -> io::Result<(ExitStatus, bool, Vec<u8>)> {
    let (Some(mut stdin), Some(stderr)) = (child.stdin.take(), child.stderr.take()) else {
        return Err(io::Error::other("it has no standard input"));
    };
    let feed = async move {
        // Dropping stdin marks the end of the mail. A program that exits early breaks the pipe.
        stdin.write_all(bytes).await.is_ok()
    };
    let (over, is_over) = oneshot::channel::<()>();
    let run = async {
        let ended = tokio::join!(child.wait(), feed);
        drop(over);
        ended
    };
    let mut said = Vec::new();
    let listen = async {
        tokio::select! {
            biased;
            () = gather(stderr, &mut said) => {}
            () = async { let _ = is_over.await; sleep(LAST_WORDS).await } => {}
        }
    };
    let ((status, is_fed), ()) = tokio::join!(run, listen);
    Ok((status?, is_fed, said))
}

/// Reads to the end, so that the program never blocks, but keeps only the beginning.
async fn gather(mut stderr: impl AsyncRead + Unpin, said: &mut Vec<u8>) {
    let mut piece = [0; 1024];
    while let Ok(count @ 1..) = stderr.read(&mut piece).await {
        let room = MAX_SAID.saturating_sub(said.len()).min(count);
        said.extend_from_slice(&piece[..room]);
    }
}

/// What an exit status means for the mail. Codes that concern neither the mail nor its recipient are for the
/// operator.
fn judge(status: ExitStatus, is_fed: bool) -> Result<(), fn(String) -> Failure> {
    match status.code() {
        Some(0) if is_fed => Ok(()),
        // It claims success without having read the whole mail.
        Some(0 | EX_TEMPFAIL) => Err(Failure::Temporary),
        Some(EX_DATAERR | EX_NOUSER | EX_NOHOST) => Err(Failure::Permanent),
        _ => Err(Failure::Down),
    }
}

/// The first line of standard error, without the tokens that the program has seen. A token of `Reply-To`
/// could play a turn; one of the envelope sender could forge a bounce.
fn first_line(said: &[u8], built: &Built, mail: &Outgoing) -> String {
    let said = String::from_utf8_lossy(said);
    let mut line = said
        .lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or_default()
        .to_owned();
    for secret in [built.envelope_sender.detail(), mail.reply_detail.as_deref()]
        .into_iter()
        .flatten()
    {
        line = line.replace(secret, "******");
    }
    one_line(&line, MAX_LINE_CHARS)
}

#[cfg(test)]
#[path = "sendmail_tests.rs"]
mod tests;
