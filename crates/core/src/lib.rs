//! A play-by-mail server without its doors and threads: what a mail asks for, what follows from it, and what is kept.
//!
//! 1. [`table`] has what all boards share: seats, turns, clocks, ratings.
//! 2. [`seasons`] has leagues, ladders and cups.
//! 3. [`letters`] has the letters that players get.
//! 4. [`store`] is the database: all SQL.
//! 5. [`command`] reads commands from a mail and decides what each does.
//! 6. [`dispatch`] handles one mail in one transaction, and writes the answers.

#![forbid(unsafe_code)]

pub mod command;
pub mod dispatch;
pub mod letters;
pub mod seasons;
pub mod store;
pub mod table;
