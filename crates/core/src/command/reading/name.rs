//! Reads a name that an answer gives: it stands alone on its line, the first one below a greeting.

use crate::command::reading::intent::table::{PHRASES, Said};
use crate::command::reading::phrases::{is_greeting, is_wish};
use crate::command::reading::places::is_formed_as_a_userid;
use pbmserv_mail::plain;

/// The first line of a text below a greeting, in plain characters.
pub(crate) fn first_line(text: &str) -> Option<String> {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.find(|line| !is_greeting(line)).map(plain)
}

/// The name in an answer to the question under which name somebody wants to play.
pub(crate) fn name_in(text: &str) -> Option<String> {
    let line = first_line(text)?;
    let name = line.trim_matches(|c: char| !c.is_alphanumeric());
    let lower = name.to_lowercase();
    let phrases = [
        Said::Courtesy,
        Said::Greeting,
        Said::Please,
        Said::Help,
        Said::Play,
        Said::Join,
    ];
    let is_a_phrase = phrases.iter().any(|said| PHRASES.has(*said, &lower));
    let asks = line.ends_with('?');
    let is_name = is_formed_as_a_userid(name) && !is_a_phrase && !is_wish(name) && !asks;
    is_name.then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stands_alone_on_the_first_line() {
        for (text, name) in [
            ("carol", Some("carol")),
            ("Carol.", Some("Carol")),
            ("\"quiet-heron\"", Some("quiet-heron")),
            ("Hello,\n\ncarol_7\n\nRegards\nCarol", Some("carol_7")),
            ("My name is carol", None),
            ("thanks!", None),
            ("Thank you", None),
            ("please", None),
            ("carol?", None),
            ("x", None),
            ("", None),
            ("what is this", None),
            ("7carol", None),
        ] {
            assert_eq!(name_in(text).as_deref(), name, "{text}");
        }
    }
}
