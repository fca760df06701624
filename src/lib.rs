//! pbmserv: a play-by-mail game server.
//!
//! What a mail asks for and what follows from it is in [`pbmserv_core`], how mail comes and goes in [`pbmserv_mail`], the rules of
//! all games in [`pbmserv_games`]. Here is the server around them: [`engine`] is the one thread that writes, [`daemon`] starts and
//! stops all parts, [`config`] is the configuration, [`web`] are the pages, [`admin`] has the operator's verbs, [`operator`] has pages
//! for them, and [`demo`] shows
//! a server with two players.

#![forbid(unsafe_code)]

pub mod admin;
pub mod config;
pub mod daemon;
pub mod demo;
pub mod engine;
pub mod operator;
pub mod web;
