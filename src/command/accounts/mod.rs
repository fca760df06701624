//! Helpers that commands about accounts share.

pub(crate) mod addresses;
pub(crate) mod credentials;
pub(crate) mod greetings;
pub(crate) mod preferences;
