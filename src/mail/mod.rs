//! Mail as bytes and as meaning: from a message to what its sender said, and whom never to answer.
//!
//! The only place that knows MIME on the way in. It knows no games, no commands and no database.

mod address;
mod authentication;
mod bytes;
mod encoding;
mod flowed;
mod header;
mod html;
mod incoming;
mod key;
mod parts;
mod phrases;
mod pipe;
mod plain;
mod report;
mod said;
mod silence;
mod subject;
mod unreadable;
mod words;

pub use address::{Address, BadAddress};
pub use incoming::{Incoming, read};
pub use key::{Key, KeyError};
pub use pipe::{Given, envelope_from_header};
pub use plain::plain;
pub use report::DeliveryReport;
pub use silence::{LOOP_FIELD, Silence};
pub use subject::clean_subject;
pub use unreadable::Unreadable;

/// What the transport said of a message, apart from its bytes (RFC 5321, section 2.3.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Envelope {
    /// The reverse-path; `None` for the null sender `<>`, to which nothing may be answered.
    pub sender: Option<Address>,
    /// The forward-path: one, since a message to several recipients is submitted once for each.
    pub recipient: Address,
}
