//! Mail for a program that answers it, without what a mail is about: no games, no commands, no database.
//!
//! - At the root: a message becomes [`Incoming`], with what its sender wrote and whether an answer is allowed. MIME is read only here.
//! - [`doors`]: how messages arrive, by SMTP, LMTP, a Maildir or IMAP, each handed to an [`Intake`](doors::Intake).
//! - [`authentication`]: whether the domain in `From` is authenticated, by SPF, DKIM and DMARC.
//! - [`outbox`]: rows become messages, and are delivered with retries by a relay, sendmail or into a Maildir.
//! - [`login`]: how we log in to the servers of others.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod address;
mod agreement;
pub mod authentication;
mod authentication_results;
mod bytes;
mod complaint;
pub mod cut;
pub mod doors;
mod encoding;
mod files;
mod flowed;
mod header;
mod html;
mod incoming;
mod key;
pub mod log_throttle;
pub mod login;
pub mod outbox;
mod own;
mod own_text;
mod parts;
mod phrases;
mod pipe;
mod plain;
mod process_group;
mod repeated;
mod report;
mod script;
mod secrets;
pub mod section;
mod silence;
pub mod stream;
mod subject;
mod unreadable;
mod visible_sender;
mod words;

pub use address::{Address, BadAddress};
pub use agreement::{agree, is_same_organisation, organisation};
pub use complaint::{Complaint, Unwanted};
pub use incoming::{Incoming, read};
pub use key::{Key, KeyError};
pub use own::OwnAddresses;
pub use pipe::{Given, envelope_from_header};
pub use plain::{plain, visible};
pub use repeated::LetterWords;
pub use report::DeliveryReport;
pub use secrets::{MASK, without_secrets};
pub use silence::{LOOP_FIELD, Silence};
pub use subject::clean_subject;
pub use unreadable::Unreadable;

/// The SMTP envelope of a message (RFC 5321, section 2.3.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Envelope {
    /// The reverse-path; `None` for the null reverse-path `<>`, which must never be answered.
    pub sender: Option<Address>,
    /// The forward-paths that are ours, at least one: a message is one message to however many of our addresses it was
    /// sent.
    pub recipients: Vec<Address>,
}
