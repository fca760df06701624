//! A mail transaction: the sender and the recipients of the next message (RFC 5321, 3.3).

use crate::Address;

/// The state after MAIL and RCPT.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Transaction {
    /// `None` for the null sender.
    sender: Option<Address>,
    recipients: Vec<Address>,
    /// The number of accepted RCPTs, which may name a recipient twice.
    accepted: usize,
    size: usize,
    is_utf8: bool,
}

/// The message has the maximum number of recipients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooMany;

impl Transaction {
    /// Starts with this sender and declared size. `is_utf8`: whether addresses may be outside ASCII.
    pub(super) fn new(sender: Option<Address>, size: usize, is_utf8: bool) -> Self {
        Self {
            sender,
            recipients: Vec::new(),
            accepted: 0,
            size,
            is_utf8,
        }
    }

    /// Adds a recipient, unless it is already there.
    pub(super) fn add(&mut self, recipient: Address, limit: usize) -> Result<(), TooMany> {
        let key = recipient.key();
        if !self.recipients.iter().any(|other| other.key() == key) {
            if self.recipients.len() >= limit {
                return Err(TooMany);
            }
            self.recipients.push(recipient);
        }
        self.accepted += 1;
        Ok(())
    }

    pub(super) fn sender(&self) -> Option<&Address> {
        self.sender.as_ref()
    }

    /// Whether this may be one of its addresses.
    pub(super) fn permits(&self, address: &Address) -> bool {
        self.is_utf8 || address.as_str().is_ascii()
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
