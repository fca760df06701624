//! What is known of messages that the server does not give.

/// UIDVALIDITY and UID.
pub(super) type Key = (u32, u32);

/// Which message, if any, is to blame for faults.
#[derive(Debug, Default)]
pub(super) struct Blame {
    /// The message at which the last session ended. One lost connection may be the network's fault.
    pub(super) suspect: Option<Key>,
    /// Messages are listed one by one, since a session ended while several were listed.
    pub(super) is_wary: bool,
    /// How many messages in a row could not be handled.
    pub(super) in_a_row: usize,
    /// The server has kept at least one mark, so it can.
    pub(super) keeps_marks: bool,
    pub(super) end: End,
}

/// Where a session has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum End {
    #[default]
    Elsewhere,
    AtOneMail,
    /// At one that had been put aside before.
    AtOneAside,
}

impl Blame {
    /// Where the session has ended that is over now.
    pub(super) fn session_ended(&mut self) -> End {
        std::mem::take(&mut self.end)
    }
}
