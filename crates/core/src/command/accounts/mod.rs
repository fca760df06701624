//! Helpers that commands about accounts share.

pub(crate) mod addresses;
pub(crate) mod credentials;
pub(crate) mod greetings;
pub(crate) mod guessable;
pub(crate) mod joining;
pub(crate) mod notify;
pub(crate) mod official;
pub(crate) mod preferences;
mod proposed_name;
