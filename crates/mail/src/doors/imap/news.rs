//! News of the mailbox, which a server may send at any time.

use imap_proto::{MailboxDatum, Response};

/// What untagged responses say about the mailbox.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct News {
    /// The number of messages.
    exists: u32,
    /// Whether that number has grown since the last search began.
    pub(super) is_there: bool,
}

impl News {
    pub(super) fn note(&mut self, response: &Response<'_>) {
        match response {
            Response::MailboxData(MailboxDatum::Exists(exists)) => {
                // A repeated number is no news. Otherwise a server that repeats it would keep us busy.
                self.is_there |= *exists > self.exists;
                self.exists = *exists;
            }
            Response::Expunge(_) => self.exists = self.exists.saturating_sub(1),
            _ => {}
        }
    }
}
