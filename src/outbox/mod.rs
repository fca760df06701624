//! From rows to delivered mail: the only sender.

use chrono::{DateTime, Utc};

use crate::mail::Address;

/// One mail to one address, as its row in the database says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outgoing {
    /// The row's number; stands in the envelope sender, so that a bounce finds its mail.
    pub id: i64,
    /// The one address it goes to.
    pub to: Address,
    /// Our Message-ID without angle brackets, made with the row: a second delivery after a crash bears the same.
    pub message_id: String,
    /// The Message-ID that this one answers, without angle brackets.
    pub in_reply_to: Option<String>,
    /// The Message-IDs of its thread, oldest first, without angle brackets.
    pub references: Vec<String>,
    /// `Auto-Submitted` (RFC 3834): `auto-replied` for an answer, `auto-generated` for all else.
    pub is_reply: bool,
    /// The board it is about, such as `Pow2.101`: its `List-Id`.
    pub list: Option<String>,
    /// What stands between `+` and `@` of its `Reply-To`; `None` for the plain address.
    pub reply_detail: Option<String>,
    /// The subject, decoded.
    pub subject: String,
    /// The text part, lines ended by `\n`.
    pub text: String,
    /// When the row was made: its `Date`.
    pub created_at: DateTime<Utc>,
    /// How many deliveries have failed so far.
    pub attempts: u32,
}
