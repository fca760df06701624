//! What is fuzzed: each module reads any bytes as one thing that comes from outside, and states what must hold.
//!
//! They are functions of a library so that `tests/incoming/fuzzed.rs` runs them too, over the seeds, with the ordinary
//! compiler: a target that no longer compiles or a fault that comes back is seen there.

pub mod address;
pub mod config;
pub mod mail;
pub mod record;
pub mod reply;
pub mod secrets;
pub mod smtp;
pub mod turn;
pub mod words;

/// A target's name and what it runs.
pub type Target = (&'static str, fn(&[u8]));

/// All of them, by the names of their binaries and of the folders of their seeds.
pub const TARGETS: &[Target] = &[
    ("address", address::run),
    ("config", config::run),
    ("mail", mail::run),
    ("record", record::run),
    ("reply", reply::run),
    ("secrets", secrets::run),
    ("smtp", smtp::run),
    ("turn", turn::run),
    ("words", words::run),
];

/// The bytes as text, and its first line apart.
fn first_line(bytes: &[u8]) -> Option<(&str, &str)> {
    let text = std::str::from_utf8(bytes).ok()?;
    Some(text.split_once('\n').unwrap_or((text, "")))
}

/// The game and the options that a line names, such as `Forms -size=4`.
fn game_of(line: &str) -> Option<(&'static pbmserv_games::Game, pbmserv_games::Options)> {
    let mut words = line.split_whitespace();
    let game = pbmserv_games::find(words.next()?)?;
    let options = pbmserv_games::Options::parse(game.facts, words).ok()?;
    Some((game, options))
}
