//! Whether an envelope sender agrees with the mailbox in `From`.

use super::Address;

/// Whether a message with this `From` may well have this envelope sender.
#[must_use]
pub fn agree(from: &Address, envelope_sender: &Address) -> bool {
    from.domain().eq_ignore_ascii_case(envelope_sender.domain())
}
