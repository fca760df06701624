//! A mail transaction: the sender and the recipients of the message to come (RFC 5321, 3.3).

use crate::mail::Address;

/// What MAIL and RCPT have said so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Transaction {
    /// `None` for the null sender.
    sender: Option<Address>,
    recipients: Vec<Address>,
    /// For each RCPT that was not refused, which of the recipients it named.
    named: Vec<usize>,
    size: usize,
}

/// There are as many recipients as one message may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooMany;

impl Transaction {
    /// Begins with this sender and the size it declared.
    pub(super) fn new(sender: Option<Address>, size: usize) -> Self {
        Self {
            sender,
            recipients: Vec::new(),
            named: Vec::new(),
            size,
        }
    }

    /// Adds a recipient, unless it is there already.
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

    /// The size that MAIL declared, 0 if none.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// For each RCPT that was not refused, in their order, the place of its recipient among the recipients.
    pub(super) fn named(&self) -> &[usize] {
        &self.named
    }

    /// Whether nobody would get the message.
    pub(super) fn is_for_nobody(&self) -> bool {
        self.recipients.is_empty()
    }

    /// The sender, and the recipients, each once, in the order in which they were named.
    pub(super) fn into_parts(self) -> (Option<Address>, Vec<Address>) {
        (self.sender, self.recipients)
    }
}
