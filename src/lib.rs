//! pbmserv: a play-by-mail game server.
//!
//! The folders, in the order in which a mail passes through them:
//!
//! 1. [`doors`] receive mail: SMTP, LMTP, Maildir, IMAP.
//! 2. [`mail`] parses it.
//! 3. [`command`] reads commands from it and decides what each does.
//! 4. [`dispatch`] handles one mail in one transaction, and writes the answers.
//! 5. [`pbmserv_games`], a package of its own, has the rules of all games, and players that are computers.
//! 6. [`table`] has what all boards share: seats, turns, clocks, ratings.
//! 7. [`store`] is the database: all SQL.
//! 8. [`letters`] renders the mails.
//! 9. [`outbox`] sends them.
//!
//! Around this way: [`engine`] is the one thread that writes, [`daemon`] starts and stops all parts, [`config`] is the
//! configuration, [`authentication`] asks the DNS whether `From` is true, [`web`] are the pages, [`admin`] has the operator's
//! verbs, and [`demo`] shows a server with two players.

#![forbid(unsafe_code)]

pub mod admin;
pub mod config;
pub mod daemon;
pub mod demo;
pub mod engine;
pub mod web;
