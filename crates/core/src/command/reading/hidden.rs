//! Finds words that may be passwords, so that they are not shown.
//!
//! Players write passwords at wrong positions. A refusal therefore shows a word only if it is known to be something
//! else: too short for a password, a number, a word of a command, a userid, the word near one of these that the
//! refusal is about, or a word with the form of a turn where a turn is expected.
//!
//! Known limits: a signup with userid and password exchanged creates an account whose userid is the password. A
//! password within two letters of a userid or a verb is treated as a misspelling of it, and shown. So is a password that
//! is the userid of a player, where a userid is expected.

use pbmserv_games::GAMES;

use crate::command::{Command, Commands};
pub(crate) use pbmserv_mail::MASK;

/// The shortest password, in characters.
pub(crate) const SHORTEST_PASSWORD: usize = 6;

/// The longest password, in characters.
const MAX_PASSWORD: usize = 100;

/// Words that cannot be userids. Games and verbs cannot either.
pub(crate) const RESERVED: [&str; 5] = ["all", "new", "anyone", "server", "me"];

/// Words that stand in our letters for what their readers write there.
pub(crate) const PLACEHOLDERS: [&str; 6] = ["name", "userid", "password", "other", "opponent", "game"];

/// Words of commands that are neither verbs nor games.
const WORDS: [&str; 10] = [
    "active", "inactive", "all", "next", "small", "large", "commands", "tutorial", "password", "userid",
];

/// Whether a word has the length and the characters of a password.
pub(crate) fn may_be_a_password(word: &str) -> bool {
    (SHORTEST_PASSWORD..=MAX_PASSWORD).contains(&word.chars().count()) && !word.contains(['"', ':'])
}

/// Whether a word is a number too short for a password, perhaps with `#n`.
pub(crate) fn is_number(word: &str) -> bool {
    let is_digits =
        |part: &str| (1..SHORTEST_PASSWORD).contains(&part.len()) && part.bytes().all(|c| c.is_ascii_digit());
    match word.split_once('#') {
        Some((board, turn)) => is_digits(board) && is_digits(turn),
        None => is_digits(word),
    }
}

impl Commands {
    /// Whether a word cannot be a password, as far as that is known without the database.
    pub(crate) fn is_plainly_no_password(&self, word: &str) -> bool {
        let is = |name: &str| name.eq_ignore_ascii_case(word);
        let names = |command: &Command| is(command.verb) || command.aliases.iter().any(|name| is(name));
        word.chars().count() < SHORTEST_PASSWORD
            || is_number(word)
            || pbmserv_games::find(word).is_some()
            || self.iter().any(|command| names(command))
            || WORDS.into_iter().chain(RESERVED).any(is)
            || is_an_option(self, word)
    }
}

/// Whether a word is `-x`, `-x=VALUE`, `--x` or `--x=VALUE`, where x is the name of an option, perhaps misspelt, and
/// the value cannot be a password.
fn is_an_option(commands: &Commands, word: &str) -> bool {
    let (name, value) = word.split_once('=').unwrap_or((word, ""));
    let is_value = value.chars().count() < SHORTEST_PASSWORD || is_number(value);
    let is_near = |known: &str, name: &str| strsim::osa_distance(known, &name.to_ascii_lowercase()) <= 2;
    let is_name = match (name.strip_prefix("--"), name.strip_prefix('-')) {
        (Some(name), _) => {
            let mut known = commands.iter().flat_map(|command| command.options);
            known.any(|option| is_near(option.split('=').next().unwrap_or_default(), name))
        }
        (None, Some(name)) => {
            let mut known = GAMES.iter().flat_map(|game| game.facts.options);
            known.any(|option| is_near(option.name, name))
        }
        (None, None) => false,
    };
    is_name && is_value
}

/// Whether a word has the form of a turn: short names of points with signs between them, such as `m13-j7`.
pub(crate) fn is_shaped_as_a_turn(word: &str) -> bool {
    let mut pieces = word.split(|c: char| !c.is_ascii_alphanumeric());
    word.is_ascii() && pieces.all(|piece| piece.len() <= 3)
}

/// Whether a word contains a secret, in upper or lower case. A secret that is too short for a password is ignored.
pub(crate) fn contains(word: &str, secret: &str) -> bool {
    masked(word, secret) != word
}

/// Whether a word contains six consecutive characters of a secret, or differs from it in at most two letters: it may be
/// a misspelt repetition.
pub(crate) fn resembles(word: &str, secret: &str) -> bool {
    let (word, secret) = (word.to_lowercase(), secret.to_lowercase());
    let is_long = |text: &str| text.chars().count() >= SHORTEST_PASSWORD - 1;
    let is_near = || strsim::osa_distance(&word, &secret) <= 2;
    let letters: Vec<char> = secret.chars().collect();
    let mut parts = letters.windows(SHORTEST_PASSWORD);
    parts.any(|part| word.contains(&part.iter().collect::<String>()))
        || (is_long(&word) && is_long(&secret) && is_near())
}

/// Masks a secret everywhere in a text, in upper or lower case: with another case most of it would still be revealed.
pub(crate) fn masked(text: &str, secret: &str) -> String {
    if secret.chars().count() < SHORTEST_PASSWORD {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let is_here = |part: &str| part.eq_ignore_ascii_case(secret);
        if rest.get(..secret.len()).is_some_and(is_here) {
            out.push_str(MASK);
            rest = &rest[secret.len()..];
        } else {
            out.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::COMMANDS;

    #[test]
    fn what_is_known_is_shown_and_what_may_be_a_password_is_not() {
        for open in [
            "bbo",
            "101",
            "101#12",
            "Pow2",
            "challenge",
            "active",
            "-exact",
            "-excat",
            "--nagtime=soon",
            "--unrated",
            "tutorial",
        ] {
            assert!(COMMANDS.is_plainly_no_password(open), "{open}");
        }
        for hidden in [
            "fig7elk",
            "-fig7elk",
            "--fig7elk",
            "--unrated=fig7elk",
            "101#fig7elk",
            "123456",
            "m13-j7",
            "#fig7elk",
        ] {
            assert!(!COMMANDS.is_plainly_no_password(hidden), "{hidden}");
        }
    }

    #[test]
    fn turns_have_a_shape() {
        for turn in ["m13-j7", "m1-e1:d2", "a1,b2", "m13->j7"] {
            assert!(is_shaped_as_a_turn(turn), "{turn}");
        }
        for other in ["fig7elk", "m13-fig7el", "a1-\u{e4}b"] {
            assert!(!is_shaped_as_a_turn(other), "{other}");
        }
    }

    #[test]
    fn a_second_try_at_a_password_resembles_it() {
        for word in [
            "fig7elk",
            "FIG7ELK",
            "fgi7elk",
            "xfig7elky",
            "fi7elk",
            "m13-fig7el",
        ] {
            assert!(resembles(word, "fig7elk"), "{word}");
        }
        for word in ["alice", "m13-j7", "small"] {
            assert!(!resembles(word, "fig7elk"), "{word}");
        }
    }

    #[test]
    fn a_secret_is_hidden_wherever_it_stands_and_in_any_case() {
        assert_eq!(masked("xFig7elk, fig7elk!", "fig7elk"), "x******, ******!");
        assert_eq!(masked("\u{e4}\u{e4}fig7elk", "fig7elk"), "\u{e4}\u{e4}******");
        assert_eq!(masked("a short one", "short"), "a short one");
        assert_eq!(masked("", "fig7elk"), "");
    }
}
