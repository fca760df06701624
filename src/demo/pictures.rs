//! Pictures in a terminal that can show them: by the protocols of kitty and of iTerm2.
//!
//! Which one a terminal knows is told by its environment alone: asking it would need its raw mode, and an answer may never
//! come. A terminal that is not recognised shows the board as text.

use std::fmt::Write as _;
use std::io::IsTerminal;

use clap::ValueEnum;
use data_encoding::BASE64;

/// How many lines of the terminal a picture takes, as near as can be known.
pub(super) const ROWS: usize = 16;

/// The longest piece of a picture in one escape sequence of kitty.
const KITTY_PIECE: usize = 4096;

/// How a terminal shows pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Protocol {
    /// The graphics protocol of kitty, also of Ghostty.
    Kitty,
    /// The inline images of iTerm2, also of WezTerm.
    Iterm2,
}

impl Protocol {
    /// The protocol for this output: the one that is wanted by its name, or the one of the terminal. `None` if it is no
    /// terminal.
    #[must_use]
    pub fn of_terminal(out: &impl IsTerminal, wanted: Option<&str>) -> Option<Self> {
        if !out.is_terminal() {
            return None;
        }
        match wanted {
            None => Self::of(|name| std::env::var(name).ok()),
            Some(name) => Self::from_str(name, true).ok(),
        }
    }

    /// The protocol of the terminal with this environment.
    #[must_use]
    pub fn of(variable: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let is = |name: &str, values: &[&str]| {
            variable(name).is_some_and(|value| values.iter().any(|one| value.starts_with(one)))
        };
        // A multiplexer passes none of them on.
        if variable("TMUX").is_some() || is("TERM", &["screen", "tmux"]) {
            return None;
        }
        if variable("KITTY_WINDOW_ID").is_some() || is("TERM", &["xterm-kitty", "xterm-ghostty"]) {
            return Some(Self::Kitty);
        }
        if is("TERM_PROGRAM", &["iTerm", "WezTerm"]) || is("LC_TERMINAL", &["iTerm2"]) {
            return Some(Self::Iterm2);
        }
        None
    }

    /// The escape sequences that show this PNG.
    pub(super) fn show(self, png: &[u8]) -> String {
        match self {
            Self::Kitty => kitty(png),
            Self::Iterm2 => format!(
                "\x1b]1337;File=inline=1;size={};height={ROWS};preserveAspectRatio=1:{}\x07",
                png.len(),
                BASE64.encode(png)
            ),
        }
    }
}

/// The PNG in pieces, all but the last with `m=1`; `q=2`: the terminal answers nothing.
fn kitty(png: &[u8]) -> String {
    let text = BASE64.encode(png);
    let mut out = String::with_capacity(text.len() + 64);
    let mut keys = format!("a=T,f=100,q=2,r={ROWS},");
    let mut rest = text.as_str();
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(rest.len().min(KITTY_PIECE));
        let more = u8::from(!after.is_empty());
        // Writing to a string cannot fail.
        let _ = write!(out, "\x1b_G{keys}m={more};{piece}\x1b\\");
        keys.clear();
        rest = after;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &[(&str, &str)]) -> Option<Protocol> {
        Protocol::of(|name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn a_terminal_is_known_by_its_environment_and_a_multiplexer_shows_nothing() {
        assert_eq!(of(&[("TERM", "xterm-kitty")]), Some(Protocol::Kitty));
        assert_eq!(
            of(&[("TERM", "xterm-256color"), ("TERM_PROGRAM", "iTerm.app")]),
            Some(Protocol::Iterm2)
        );
        assert_eq!(of(&[("TERM", "xterm-256color")]), None);
        assert_eq!(of(&[("TERM", "tmux-256color"), ("KITTY_WINDOW_ID", "1")]), None);
        assert_eq!(of(&[]), None);
    }

    fn board() -> Vec<u8> {
        let record: pbmserv_games::record::Record = "[Game \"Pow2\"]\n m13-j7 a1-e1".parse().unwrap();
        let svg = record.replay().unwrap().picture().svg();
        pbmserv_games::kit::picture::png(&svg, 640).unwrap()
    }

    #[test]
    fn each_protocol_gives_the_whole_picture_in_its_own_escapes() {
        let png = board();
        let kitty = Protocol::Kitty.show(&png);
        let mut encoded = String::new();
        for piece in kitty.split("\x1b\\").filter(|piece| !piece.is_empty()) {
            let (keys, piece) = piece.strip_prefix("\x1b_G").unwrap().split_once(';').unwrap();
            assert!(piece.len() <= KITTY_PIECE && keys.contains("m="));
            encoded.push_str(piece);
        }
        assert_eq!(BASE64.decode(encoded.as_bytes()).unwrap(), png);
        let iterm = Protocol::Iterm2.show(&png);
        let (_, encoded) = iterm.strip_suffix('\x07').unwrap().split_once(':').unwrap();
        assert_eq!(BASE64.decode(encoded.as_bytes()).unwrap(), png);
    }
}
