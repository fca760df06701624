//! One pass over the mailbox. A message that the server does not give, or does not mark, is put aside and tried
//! again at growing intervals, and all others go on.

use tracing::warn;

use super::blame::{End, Key};
use super::error::{Fault, SessionError};
use super::mailbox::{Entry, Mailbox, SOME};
use super::{Door, Intake, unless};

/// After this many faults in a row, the fault is the server's.
const MANY: usize = 20;

impl<I: Intake> Door<'_, I> {
    /// Handles all new messages in order of arrival, because the second mail of a player may depend on the
    /// first.
    pub(super) async fn pass(&mut self, mailbox: &mut Mailbox<'_>) -> Result<(), SessionError> {
        let found = unless(&mut self.stop, mailbox.search()).await?;
        let validity = mailbox.uid_validity;
        self.blame.keeps_marks |= found.kept > 0;
        for uid in found.back {
            if !self.blame.keeps_marks {
                return Err(SessionError::Operator(mailbox.forgetful()));
            }
            self.put_aside((validity, uid), &mailbox.forgetful())?;
        }
        self.waiting
            .keep(|(era, uid)| *era == validity && found.uids.binary_search(uid).is_ok());
        let due = found.uids.into_iter();
        let due = due.filter(|uid| !self.waiting.is_early(&(validity, *uid)));
        // One that was put aside may end the session again, as it does with Dovecot: no other waits for it.
        let (aside, mut due): (Vec<u32>, Vec<u32>) = due.partition(|uid| self.waiting.has(&(validity, *uid)));
        due.extend(aside);
        for some in self.portions(validity, &due) {
            let entries = self.list(mailbox, &some).await?;
            for uid in some {
                let done = match entries.iter().find(|entry| entry.uid == uid) {
                    Some(entry) => self.handle(mailbox, entry).await,
                    None => self.handle_alone(mailbox, uid).await,
                };
                self.settle((validity, uid), done)?;
            }
        }
        self.blame.is_wary = false;
        Ok(())
    }

    /// The messages to list together. One that was put aside is listed alone.
    fn portions(&self, validity: u32, due: &[u32]) -> Vec<Vec<u32>> {
        let most = if self.blame.is_wary { 1 } else { SOME };
        let is_new = |uid: &u32| !self.waiting.has(&(validity, *uid));
        due.chunk_by(|a, b| is_new(a) && is_new(b))
            .flat_map(|alike| alike.chunks(most))
            .map(<[u32]>::to_vec)
            .collect()
    }

    async fn list(&mut self, mailbox: &mut Mailbox<'_>, some: &[u32]) -> Result<Vec<Entry>, SessionError> {
        if some.len() == 1 {
            return Ok(Vec::new());
        }
        match unless(&mut self.stop, mailbox.list(some)).await {
            Ok(entries) => Ok(entries),
            // Each is listed alone, to find out which is to blame.
            Err(Fault::Mail(_)) => Ok(Vec::new()),
            Err(Fault::Session(error)) => {
                self.blame.is_wary = true;
                self.blame.end = End::AtOneMail;
                Err(error)
            }
        }
    }

    async fn handle_alone(&mut self, mailbox: &mut Mailbox<'_>, uid: u32) -> Result<(), Fault> {
        let entries = unless(&mut self.stop, mailbox.list(&[uid])).await?;
        match entries.first() {
            Some(entry) => self.handle(mailbox, entry).await,
            None => Err(mailbox.withheld("the server does not list it with its size")),
        }
    }

    /// Notes how it went with a message. The error ends the session.
    fn settle(&mut self, key: Key, done: Result<(), Fault>) -> Result<(), SessionError> {
        match done {
            Ok(()) => {
                self.blame.in_a_row = 0;
                Ok(())
            }
            Err(Fault::Mail(why)) => self.put_aside(key, &why),
            Err(Fault::Session(SessionError::Temporary(why))) => {
                let was_aside = self.waiting.has(&key);
                self.blame.end = if was_aside {
                    End::AtOneAside
                } else {
                    End::AtOneMail
                };
                if self.blame.suspect.replace(key) == Some(key) || was_aside {
                    self.put_off(key, &why);
                }
                Err(SessionError::Temporary(why))
            }
            Err(Fault::Session(error)) => Err(error),
        }
    }

    /// Puts a message aside. After many in a row the session ends.
    fn put_aside(&mut self, key: Key, why: &str) -> Result<(), SessionError> {
        self.put_off(key, why);
        self.blame.in_a_row += 1;
        if self.blame.in_a_row < MANY {
            return Ok(());
        }
        self.blame.in_a_row = 0;
        Err(SessionError::Temporary(format!(
            "{MANY} mails in a row could not be handled; the last: {why}"
        )))
    }

    fn put_off(&mut self, key: Key, why: &str) {
        if self.waiting.put_off(key, why) {
            let uid = key.1;
            warn!(
                uid,
                why, "a mail in the IMAP mailbox cannot be handled; it is put aside and tried again"
            );
        }
    }
}
