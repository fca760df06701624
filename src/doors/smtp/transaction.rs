//! A mail transaction: the sender and the recipients of the next message (RFC 5321, 3.3).

use crate::mail::Address;

/// The state after MAIL and RCPT.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Transaction {
    /// `None` for the null sender.
    sender: Option<Address>,
    recipients: Vec<Address>,
    /// The number of accepted RCPTs, which may name a recipient twice.
    accepted: usize,
    size: usize,
}

/// The message has the maximum number of recipients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooMany;

impl Transaction {
    /// Starts with this sender and declared size.
    pub(super) fn new(sender: Option<Address>, size: usize) -> Self {
        Self {
            sender,
            recipients: Vec::new(),
            accepted: 0,
            size,
        }
    }

    /// Adds a recipient, unless it is already there.
    pub(super) fn add(&mut self, recipient: Address, limit: usize) -> Result<(), TooMany> {
        let same = |other: &Address| other.as_str().eq_ignore_ascii_case(recipient.as_str());
        if !self.recipients.iter().any(same) {
            if self.recipients.len() >= limit {
                return Err(TooMany);
            }
            self.recipients.push(recipient);
        }
        self.accepted += 1;
        Ok(())
    }

    /// The size declared by MAIL, otherwise 0.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// The number of accepted RCPTs.
    pub(super) fn accepted(&self) -> usize {
        self.accepted
    }

    /// Whether there is no recipient.
    pub(super) fn is_for_nobody(&self) -> bool {
        self.recipients.is_empty()
    }

    /// The sender and the distinct recipients, in order.
    pub(super) fn into_parts(self) -> (Option<Address>, Vec<Address>) {
        (self.sender, self.recipients)
    }
}
