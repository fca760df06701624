//! A mail transaction: the sender and the recipients of the next message (RFC 5321, 3.3).

use crate::mail::Address;

/// The state after MAIL and RCPT.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Transaction {
    /// `None` for the null sender.
    sender: Option<Address>,
    recipients: Vec<Address>,
    /// For each accepted RCPT, the index of its recipient.
    named: Vec<usize>,
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
            named: Vec::new(),
            size,
        }
    }

    /// Adds a recipient, unless it is already there.
    pub(super) fn add(&mut self, recipient: Address, limit: usize) -> Result<(), TooMany> {
        let same = |other: &Address| other.as_str().eq_ignore_ascii_case(recipient.as_str());
        if let Some(known) = self.recipients.iter().position(same) {
            self.named.push(known);
            return Ok(());
        }
        if self.recipients.len() >= limit {
            return Err(TooMany);
        }
        self.named.push(self.recipients.len());
        self.recipients.push(recipient);
        Ok(())
    }

    /// The size declared by MAIL, otherwise 0.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// For each accepted RCPT in order, the index of its recipient.
    pub(super) fn named(&self) -> &[usize] {
        &self.named
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
