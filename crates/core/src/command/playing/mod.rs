//! Helpers that commands share which change a board: its beginning, its turns, its end.

pub(crate) mod advice;
pub(crate) mod beginning;
pub(crate) mod computer;
pub(crate) mod contests;
pub(crate) mod ended;
pub(crate) mod kept;
pub(crate) mod leaving;
pub(crate) mod offers;
pub(crate) mod own_note;
pub(crate) mod planned;
pub(crate) mod planning;
pub(crate) mod play;
pub mod proposals;
pub(crate) mod rematch;
pub(crate) mod stale;
pub(crate) mod tried_letter;
pub(crate) mod trying;
pub(crate) mod turns;
pub(crate) mod vacation;
