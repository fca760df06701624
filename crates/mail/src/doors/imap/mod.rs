//! The IMAP door: fetches mail from an ordinary mailbox. It waits with IDLE (RFC 2177), or checks every few
//! minutes if the server does not offer that.
//!
//! After the commit of its effects a message gets the keyword `$PbmservDone` or is moved to a folder. Whether
//! a person has read it does not matter. Of a message that is too long only the beginning is fetched. After a crash between
//! commit and mark, the message is fetched again and recognized by its identity in the database; [`Mark`]
//! identifies messages without Message-ID and `Date`. So no UIDs are stored: after a change of UIDVALIDITY
//! the server only shows messages that are already known.
//!
//! Known limit: names of mailboxes are ASCII.

mod account;
mod blame;
mod connect;
mod connection;
mod error;
mod frame;
mod idle;
mod mailbox;
mod marking;
mod news;
mod pass;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep};
use tracing::{debug, info, warn};

use super::pause::{Pauses, PostponedMessages, is_alike};
use super::{Intake, Mark, Message, Reporter, Verdict, stopped};
use crate::{Given, OwnAddresses, envelope_from_header};

pub use account::{Account, BadAccount};
use blame::{Blame, End};
use connect::connect;
use error::{Fault, SessionError};
use mailbox::{Entry, Mailbox};

/// The name of the door.
pub const NAME: &str = "imap";

/// After a session of this length, the next failure counts as a new one and pauses start small again.
const GOOD: Duration = Duration::from_secs(30);
/// The longest pause after a session that ended at one message, which may be to blame: others wait behind it.
const AT_A_MAIL: Duration = Duration::from_secs(30);
/// Time limit for marking messages at a stop. A message left unmarked is recognized when it comes again.
const GRACE: Duration = Duration::from_secs(5);

/// Intervals of the door.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// How often the mailbox is checked even if the server announces nothing. Must be less than half an hour:
    /// then servers disconnect.
    pub poll: Duration,
    /// The first pause after a lost or refused connection. Each further one is twice as long.
    pub first_pause: Duration,
    /// The longest such pause.
    pub longest_pause: Duration,
    /// The first pause after a failure that a person must resolve, such as a wrong password.
    pub first_slow_pause: Duration,
    /// The longest of those.
    pub longest_slow_pause: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            poll: Duration::from_secs(300),
            first_pause: Duration::from_secs(1),
            longest_pause: Duration::from_secs(600),
            first_slow_pause: Duration::from_secs(60),
            longest_slow_pause: Duration::from_secs(1800),
        }
    }
}

/// The door.
struct Door<'a, I> {
    account: &'a Account,
    max_message_bytes: u64,
    own: OwnAddresses,
    intake: Arc<I>,
    reporter: Reporter,
    pace: Pace,
    stop: watch::Receiver<bool>,
    /// By UIDVALIDITY and UID.
    waiting: PostponedMessages<(u32, u32)>,
    /// The failure that was logged, while it lasts.
    logged: Option<SessionError>,
    /// What is known of messages that the server does not give.
    blame: Blame,
}

/// Fetches mail until `stop` is true or its sender was dropped, and reconnects whenever necessary. A message
/// that was begun is finished before it returns.
///
/// `own` are the server's addresses, to find the recipient in the header.
pub async fn serve<I: Intake>(
    account: Account,
    max_message_bytes: usize,
    own: OwnAddresses,
    intake: Arc<I>,
    reporter: Reporter,
    pace: Pace,
    mut stop: watch::Receiver<bool>,
) {
    let mut door = Door {
        account: &account,
        max_message_bytes: max_message_bytes as u64,
        own,
        intake,
        reporter,
        pace,
        stop: stop.clone(),
        waiting: PostponedMessages::default(),
        logged: None,
        blame: Blame::default(),
    };
    let quick = Pauses::new(pace.first_pause, pace.longest_pause);
    let slow = Pauses::new(pace.first_slow_pause, pace.longest_slow_pause);
    let at_a_mail = Pauses::new(pace.first_pause, pace.longest_pause.min(AT_A_MAIL));
    let (mut quick_now, mut slow_now, mut mail_now) = (quick.clone(), slow.clone(), at_a_mail.clone());
    loop {
        let begun = Instant::now();
        let Err(error) = door.session().await;
        if begun.elapsed() > GOOD {
            (quick_now, slow_now, mail_now) = (quick.clone(), slow.clone(), at_a_mail.clone());
        }
        let ended = door.blame.session_ended();
        door.publish();
        if ended != End::AtOneAside {
            door.log(&error);
        }
        let pause = match error {
            SessionError::Stopped => return,
            SessionError::Temporary(_) if ended != End::Elsewhere => mail_now.next(),
            SessionError::Temporary(_) => quick_now.next(),
            SessionError::Operator(_) => slow_now.next(),
        };
        tokio::select! {
            () = stopped(&mut stop) => return,
            () = sleep(pause) => {}
        }
    }
}

/// Connects, logs in and selects the mailbox as for a session, then logs out.
///
/// # Errors
/// Why the mailbox cannot be used, in one sentence.
pub async fn try_mailbox(account: &Account) -> Result<(), String> {
    let opened = async { Mailbox::open(account, connect(account).await?).await };
    match opened.await {
        Ok(mailbox) => {
            mailbox.close().await;
            Ok(())
        }
        Err(SessionError::Temporary(why) | SessionError::Operator(why)) => Err(why),
        Err(SessionError::Stopped) => Ok(()),
    }
}

/// A session ends only with an error.
type Never = std::convert::Infallible;

impl<I: Intake> Door<'_, I> {
    /// Logs a failure once, not at each attempt. A failure that a person must resolve is logged again when
    /// its reason changes.
    fn log(&mut self, error: &SessionError) {
        let (why, what, is_news) = match error {
            SessionError::Stopped => return,
            SessionError::Temporary(why) => (
                why,
                "the IMAP mailbox cannot be reached; trying again until it can",
                self.logged.is_none(),
            ),
            SessionError::Operator(why) => (
                why,
                "the IMAP mailbox cannot be used until this is corrected; trying again now and then",
                !matches!(&self.logged, Some(SessionError::Operator(before)) if is_alike(before, why)),
            ),
        };
        self.reporter.failed(why);
        if is_news {
            warn!(why, "{what}");
            self.logged = Some(error.clone());
        } else {
            debug!(why, "{what}");
        }
    }

    /// Runs one session, from connecting to its end.
    async fn session(&mut self) -> Result<Never, SessionError> {
        let account = self.account;
        let opened = async { Mailbox::open(account, connect(account).await?).await };
        let mut mailbox = unless(&mut self.stop, opened).await?;
        let ended = self.watch(&mut mailbox).await;
        if matches!(ended, Err(SessionError::Stopped)) {
            mailbox.close().await;
        }
        ended
    }

    async fn watch(&mut self, mailbox: &mut Mailbox<'_>) -> Result<Never, SessionError> {
        loop {
            self.pass(mailbox).await?;
            self.publish();
            self.reporter.ok();
            if self.logged.take().is_some() {
                info!("the IMAP mailbox can be reached again");
            }
            let poll = self.waiting.until_due().unwrap_or(self.pace.poll);
            let poll = poll.min(self.pace.poll);
            unless(&mut self.stop, mailbox.wait(poll)).await?;
        }
    }

    /// Lets the operator see what was put aside.
    fn publish(&self) {
        self.reporter
            .put_aside(self.waiting.aside(|(_, uid)| format!("mail {uid}")));
    }

    /// Handles a message and marks it, or postpones it.
    async fn handle(&mut self, mailbox: &mut Mailbox<'_>, entry: &Entry) -> Result<(), Fault> {
        let key = (mailbox.uid_validity, entry.uid);
        let is_refused = match self.take(mailbox, entry).await? {
            Verdict::Accepted(_) => false,
            Verdict::Unusable(why) => {
                warn!(
                    uid = entry.uid,
                    why, "a mail in the IMAP mailbox cannot be used; it is flagged and not tried again"
                );
                true
            }
            Verdict::TryLater(why) => {
                if self.waiting.put_off(key, &why) {
                    warn!(
                        uid = entry.uid,
                        why, "a mail in the IMAP mailbox was deferred; it stays there and is tried again"
                    );
                }
                return Ok(());
            }
        };
        let mut stop = self.stop.clone();
        tokio::select! {
            marked = mailbox.mark(entry.uid, is_refused) => marked?,
            () = async { stopped(&mut stop).await; sleep(GRACE).await } => return Err(SessionError::Stopped.into()),
        }
        self.waiting.forget(&key);
        if *self.stop.borrow() {
            return Err(SessionError::Stopped.into());
        }
        Ok(())
    }

    /// Fetches a message and hands it in.
    async fn take(&mut self, mailbox: &mut Mailbox<'_>, entry: &Entry) -> Result<Verdict, Fault> {
        let most = self.max_message_bytes;
        let mut bytes = unless(&mut self.stop, mailbox.fetch(entry, most)).await?;
        let length = entry.bytes.max(bytes.len() as u64);
        if length > most {
            info!(
                uid = entry.uid,
                length, "a mail in the IMAP mailbox is too long; only its beginning is read"
            );
            bytes.truncate(usize::try_from(most).unwrap_or(usize::MAX));
        }
        let verdict = match envelope_from_header(&bytes, &Given::default(), &self.own) {
            Ok(envelope) => {
                let mark = Some(self.mark(mailbox.uid_validity, entry, &bytes));
                let bytes = bytes.into();
                let message = Message {
                    envelope,
                    bytes,
                    client: None,
                    mark,
                };
                self.intake.submit(message).await
            }
            Err(bad) => Verdict::Unusable(bad.to_string()),
        };
        Ok(verdict)
    }

    /// Identifies a message by the mailbox, the second of its arrival and its bytes. These survive a change
    /// of UIDVALIDITY. Without an arrival time only the UID is left.
    fn mark(&self, uid_validity: u32, entry: &Entry, bytes: &[u8]) -> Mark {
        let place = match &entry.arrived {
            Some(arrived) => arrived.clone(),
            None => format!("{uid_validity} {}", entry.uid),
        };
        let account = self.account;
        let mailbox = [&account.host, &account.user, &account.mailbox, &place];
        Mark::new(NAME, &mailbox.map(String::as_bytes), bytes)
    }
}

/// Runs `work`, unless the server stops first.
async fn unless<T, E: From<SessionError>>(
    stop: &mut watch::Receiver<bool>,
    work: impl Future<Output = Result<T, E>>,
) -> Result<T, E> {
    tokio::select! {
        biased;
        () = stopped(stop) => Err(SessionError::Stopped.into()),
        done = work => done,
    }
}

#[cfg(test)]
mod tests;
