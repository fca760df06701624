//! The commands: a file each, or one for a close family.

pub(crate) mod addresses;
pub(crate) mod all;
pub(crate) mod block;
pub(crate) mod challenge;
pub(crate) mod change;
pub(crate) mod chat;
pub(crate) mod forgot;
pub(crate) mod games;
pub(crate) mod help;
pub(crate) mod history;
pub(crate) mod message;
pub(crate) mod play;
pub(crate) mod preview;
pub(crate) mod queue;
pub(crate) mod record;
pub(crate) mod resign;
pub(crate) mod seek;
pub(crate) mod set;
pub(crate) mod show;
pub(crate) mod signoff;
pub(crate) mod signup;
pub(crate) mod standings;
pub(crate) mod submit;
pub(crate) mod taking;
pub(crate) mod vacation;
pub(crate) mod watch;
