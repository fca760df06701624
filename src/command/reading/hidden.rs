//! What may be a password, and so is not shown: a word that stands where nobody can say what it is.
//!
//! Players put passwords in wrong places. A refusal therefore shows a word only if it is known to be something
//! else: too short for a password, a number, a name of ours, the userid of a player, a word near one of these
//! that the refusal is about, or a word in the shape of a turn where a turn is expected.
//!
//! Known limits: a userid that is signed up for in the place of the password, and the other way round, makes
//! an account of that name. A password within two letters of a userid or a verb is taken for its misspelling.

use crate::command::{Command, Commands};
use crate::games::{self, GAMES};
use crate::mail::Address;

/// The fewest characters of a password.
pub(crate) const SHORTEST_PASSWORD: usize = 6;

/// Words that no player may be called, beside the games and the verbs.
pub(crate) const RESERVED: [&str; 5] = ["all", "new", "anyone", "server", "me"];

/// What stands in the place of what is hidden, whatever its length.
pub(crate) const MASK: &str = "******";

/// Words of ours that are neither verbs nor games.
const WORDS: [&str; 10] = [
    "active", "inactive", "all", "next", "small", "large", "commands", "tutorial", "password", "userid",
];

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
    /// Whether a word can be seen to be no password without looking anything up.
    pub(crate) fn is_plainly_no_password(&self, word: &str) -> bool {
        let is = |name: &str| name.eq_ignore_ascii_case(word);
        let names = |command: &Command| is(command.verb) || command.aliases.iter().any(|name| is(name));
        word.chars().count() < SHORTEST_PASSWORD
            || is_number(word)
            || games::find(word).is_some()
            || self.iter().any(|command| names(command))
            || WORDS.into_iter().chain(RESERVED).any(is)
            || is_an_option(self, word)
    }
}

/// Whether a word is `-x`, `-x=VALUE`, `--x` or `--x=VALUE` with a name that is one, or nearly one, and a
/// value that is no password.
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

/// Whether a word has the shape of a turn: short names of points with signs between them, such as `m13-j7`.
pub(crate) fn is_shaped_as_a_turn(word: &str) -> bool {
    let mut pieces = word.split(|c: char| !c.is_ascii_alphanumeric());
    word.is_ascii() && pieces.all(|piece| piece.len() <= 3)
}

/// Whether a word holds a secret, in any case; what is too short for a password is none.
pub(crate) fn contains(word: &str, secret: &str) -> bool {
    masked(word, secret) != word
}

/// Whether a word holds a secret or a good part of it, or is nearly the same: a second try at it, misspelt.
pub(crate) fn resembles(word: &str, secret: &str) -> bool {
    let (word, secret) = (word.to_lowercase(), secret.to_lowercase());
    let is_long = |text: &str| text.chars().count() >= SHORTEST_PASSWORD - 1;
    let is_near = || strsim::osa_distance(&word, &secret) <= 2;
    let letters: Vec<char> = secret.chars().collect();
    let mut parts = letters.windows(SHORTEST_PASSWORD);
    parts.any(|part| word.contains(&part.iter().collect::<String>()))
        || (is_long(&word) && is_long(&secret) && is_near())
}

/// A text with a secret hidden wherever it stands in it, in any case: whoever wrote it in another case has
/// given most of it away.
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

/// A text without the tokens in our own addresses, `pbmserv+TOKEN@host`: who reads one can answer as its owner.
pub(crate) fn without_tokens(text: &str, server: &Address) -> String {
    let (begin, end) = (format!("{}+", server.local()), format!("@{}", server.domain()));
    let starts = |text: &str, with: &str| {
        text.get(..with.len())
            .is_some_and(|part| part.eq_ignore_ascii_case(with))
    };
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if starts(rest, &begin) {
            let after = &rest[begin.len()..];
            let is_detail = |c: char| c.is_ascii_alphanumeric() || c == '-';
            let at = after.find(|c| !is_detail(c)).unwrap_or(after.len());
            if starts(&after[at..], &end) {
                out.push_str(&rest[..begin.len() - 1]);
                rest = &after[at..];
                continue;
            }
        }
        out.push(c);
        rest = &rest[c.len_utf8()..];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::COMMANDS;

    #[test]
    fn a_token_is_taken_out_of_our_address_and_other_addresses_stay() {
        let server = Address::parse("pbmserv@games.example").unwrap();
        let text = "To: PBMserv+C2k-abc@Games.example, x+y@z, pbmserv+x@other.example, pbmserv+\u{e4}";
        assert_eq!(
            without_tokens(text, &server),
            "To: PBMserv@Games.example, x+y@z, pbmserv+x@other.example, pbmserv+\u{e4}"
        );
    }

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
            "secret1",
            "-secret1",
            "--secret1",
            "--unrated=secret1",
            "101#secret1",
            "123456",
            "m13-j7",
            "#secret1",
        ] {
            assert!(!COMMANDS.is_plainly_no_password(hidden), "{hidden}");
        }
    }

    #[test]
    fn turns_have_a_shape() {
        for turn in ["m13-j7", "m1-e1:d2", "a1,b2", "m13->j7"] {
            assert!(is_shaped_as_a_turn(turn), "{turn}");
        }
        for other in ["secret1", "m13-secret", "a1-\u{e4}b"] {
            assert!(!is_shaped_as_a_turn(other), "{other}");
        }
    }

    #[test]
    fn a_second_try_at_a_password_resembles_it() {
        for word in [
            "secret1",
            "SECRET1",
            "secert1",
            "xsecret1y",
            "secre1",
            "m13-secret",
        ] {
            assert!(resembles(word, "secret1"), "{word}");
        }
        for word in ["alice", "m13-j7", "small"] {
            assert!(!resembles(word, "secret1"), "{word}");
        }
    }

    #[test]
    fn a_secret_is_hidden_wherever_it_stands_and_in_any_case() {
        assert_eq!(masked("xSecret1, secret1!", "secret1"), "x******, ******!");
        assert_eq!(masked("\u{e4}\u{e4}secret1", "secret1"), "\u{e4}\u{e4}******");
        assert_eq!(masked("a short one", "short"), "a short one");
        assert_eq!(masked("", "secret1"), "");
    }
}
