//! Which word of a line stands for what, if words are missing: so that the refusal says which, and hides only what may
//! be secret.
//!
//! `Pow2 move 107 tia m13-j7` has as many words as a move without its turn, but what it lacks is the password. So the
//! words are given to the places that they fit best: a number to the board, a userid to its own place, a turn to the
//! last.

use std::cmp::Ordering;

use pbmserv_games::GAMES;
use pbmserv_games::families::backgammon::is_like_a_play;

use crate::command::reading::hidden;
use crate::command::reading::turn_text::is_for_a_turn;
use crate::command::{Argument, Line, Refused, Trailing, Word};

/// Whether a word has the form of a userid.
pub(crate) fn is_formed_as_a_userid(word: &str) -> bool {
    let is_good = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    word.starts_with(|c: char| c.is_ascii_alphabetic())
        && (2..=20).contains(&word.len())
        && word.chars().all(is_good)
}

/// Whether a word is written as a turn is.
pub(super) fn is_like_a_turn(word: &str) -> bool {
    let has = |kind: fn(&u8) -> bool| word.as_bytes().iter().any(kind);
    let is_one = |one: &&str| one.eq_ignore_ascii_case(word);
    (hidden::is_shaped_as_a_turn(word) && has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic))
        || is_by_numbers(word)
        || is_like_a_play(word)
        || ["O-O", "O-O-O", "0-0", "0-0-0"].iter().any(is_one)
        || is_for_a_turn(word)
        || [
            "resign", "accept", "reject", "off", "double", "take", "drop", "concede", "refuse",
        ]
        .iter()
        .any(is_one)
        || (GAMES.iter().flat_map(|game| game.facts.example))
            .any(|example| example.eq_ignore_ascii_case(word.split('#').next().unwrap_or_default()))
}

/// Whether it is a turn of numbers, with or without the number of the event: `11-15`, `15x24x31#4`.
fn is_by_numbers(word: &str) -> bool {
    let turn = word.split('#').next().unwrap_or_default();
    let is_number =
        |part: &str| (1..3).contains(&part.len()) && part.bytes().all(|digit| digit.is_ascii_digit());
    let mut parts = turn.split(['-', 'x', 'X']);
    parts.clone().count() > 1 && parts.all(is_number)
}

/// What a word of a command stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slot {
    Argument(Argument),
    /// The text of turns, with its name in the syntax.
    Turns(&'static str),
}

/// The places of a command and the words of a line for them.
struct Slots<'a> {
    places: Vec<Slot>,
    words: Vec<&'a Word>,
}

impl Line {
    /// The refusal of a line with too few words. `None` if there are enough. `is_userid` returns whether a word is the
    /// userid of a player.
    pub(crate) fn missing(&self, is_userid: &dyn Fn(&str) -> bool) -> Option<Refused> {
        let places = self.places();
        if places.words.len() == places.places.len() {
            let word = places.turn_for_password()?;
            let sentence = "The password is missing: it stands before the turn.";
            return Some(Refused::unreadable(sentence).pointing_at(word));
        }
        let best = places.fillings(is_userid);
        let filled = best.first()?;
        let missing = places.left_by(filled);
        let first = *missing.first()?;
        let pushed = filled
            .iter()
            .zip(&places.words)
            .find(|(place, _)| **place > first);
        // Watchers get mails with the subject `GAME Board 101 userid`, and may reply to them.
        let is_watched = self.verb.text.eq_ignore_ascii_case("board")
            && places.places.get(first) == Some(&Slot::Argument(Argument::Userid));
        let name = self.game.map_or("", |game| game.facts.name);
        let sentence = match (missing.as_slice(), best.get(1), pushed) {
            // The subject of a letter to a player, in a mail that shows in no other way which letter it answers.
            ([_, _], _, None) if self.is_subject_of_a_letter() => format!(
                "This is the subject of a letter about {name} Board {}, and the mail does not show that it answers one: answer the \
                 letter itself, or write the command as the subject.",
                self.fixed.first().map_or("", |board| board.text.as_str())
            ),
            (_, _, None) if is_watched => {
                "The userid is missing: whoever only watches a board writes to its players with message."
                    .to_owned()
            }
            ([one], Some(other), _) => {
                // The words stand earlier in the first filling, so it leaves the later place.
                let other = places.left_by(other).first().map(|place| places.name(*place));
                let other = other.unwrap_or_default();
                format!("The {other} or the {} is missing.", places.name(*one))
            }
            ([one], None, Some(_)) => {
                let before = match one.checked_sub(1) {
                    Some(before) => format!("the {}", places.name(before)),
                    None => self.verb.text.clone(),
                };
                format!("The {} is missing: it stands after {before}.", places.name(*one))
            }
            ([one], None, None) => format!("The {} is missing.", places.name(*one)),
            ([many @ .., last], ..) => {
                let many: Vec<_> = many.iter().map(|place| places.name(*place)).collect();
                let last = places.name(*last);
                format!("The {} and the {last} are missing.", many.join(", the "))
            }
            ([], ..) => return None,
        };
        let end = Word {
            text: String::new(),
            at: self.text.len()..self.text.len(),
        };
        let at = pushed.map_or(&end, |(_, word)| word);
        Some(Refused::unreadable(sentence).pointing_at(at))
    }

    /// Whether it is the subject of a letter to a player and no more: `Pow2 Board 101 alice`.
    fn is_subject_of_a_letter(&self) -> bool {
        let names_a_board = self
            .fixed
            .first()
            .is_some_and(|board| hidden::is_number(&board.text));
        self.verb.text.eq_ignore_ascii_case("board")
            && names_a_board
            && self.fixed.len() == 2
            && self.turns.is_none()
    }

    /// Whether a word of a line with secrets is surely none: a number, which is too short for a password, the word that
    /// selects a form, or the userid of a player in its place.
    pub(crate) fn is_in_its_place(&self, word: &Word, is_userid: &dyn Fn(&str) -> bool) -> bool {
        let is_form = self
            .form
            .is_some_and(|form| form.word.eq_ignore_ascii_case(&word.text));
        if is_form || hidden::is_number(&word.text) {
            return true;
        }
        let places = self.places();
        // With a token the answer is the same whether there is such a player or not.
        if self.arguments().any(|place| place == Argument::Token) {
            return false;
        }
        let best = places.fillings(is_userid);
        let filled = best.iter().take(1).flatten().zip(&places.words);
        let mut meant = filled.filter(|(_, one)| one.at == word.at);
        meant.any(|(place, _)| places.places.get(*place) == Some(&Slot::Argument(Argument::Userid)))
            && is_userid(&word.text)
    }

    fn places(&self) -> Slots<'_> {
        let turns = match self.trailing() {
            Trailing::Text(name) => Some(Slot::Turns(name)),
            Trailing::Nothing | Trailing::Words | Trailing::TextIfAny | Trailing::OneOf(_) => None,
        };
        let text = self.turns.iter().filter(|_| turns.is_some());
        Slots {
            places: self.arguments().map(Slot::Argument).chain(turns).collect(),
            words: self.fixed.iter().chain(text).collect(),
        }
    }
}

impl Slots<'_> {
    /// The ways to give the words to places, in their order, that fit best; the earliest places first. If none fits, the
    /// words fill the first places.
    fn fillings(&self, is_userid: &dyn Fn(&str) -> bool) -> Vec<Vec<usize>> {
        let (mut most, mut best) = (0, vec![(0..self.words.len()).collect()]);
        if self.words.len() >= self.places.len() {
            return best;
        }
        let ways = (0_u32..1 << self.places.len()).map(|way| {
            let is_filled = |place: &usize| (way >> place) & 1 == 1;
            (0..self.places.len()).filter(is_filled).collect::<Vec<_>>()
        });
        for way in ways.filter(|way| way.len() == self.words.len()) {
            let fits = way.iter().zip(&self.words);
            let fits = fits.map(|(place, word)| self.fit(*self.places.get(*place)?, &word.text, is_userid));
            let Some(fit) = fits.sum::<Option<u32>>() else {
                continue;
            };
            match fit.cmp(&most) {
                Ordering::Greater => (most, best) = (fit, vec![way]),
                Ordering::Equal if !best.contains(&way) => best.push(way),
                Ordering::Equal | Ordering::Less => {}
            }
        }
        best
    }

    /// How well a word fits a place; `None`: it cannot stand there.
    fn fit(&self, place: Slot, word: &str, is_userid: &dyn Fn(&str) -> bool) -> Option<u32> {
        match place {
            Slot::Turns(_) => is_like_a_turn(word).then_some(2),
            Slot::Argument(Argument::Board) => {
                let is_any = ["all", "new"].iter().any(|any| any.eq_ignore_ascii_case(word));
                (is_any || hidden::is_number(word)).then_some(2)
            }
            // The userid of a new account is nobody's.
            Slot::Argument(Argument::Userid) if is_userid(word) || !self.has_proof() => Some(2),
            Slot::Argument(Argument::Userid) => is_formed_as_a_userid(word).then_some(1),
            Slot::Argument(Argument::Password) => hidden::may_be_a_password(word).then_some(1),
            Slot::Argument(Argument::Account | Argument::Token) => Some(1),
            Slot::Argument(Argument::NewPassword) => Some(0),
        }
    }

    /// The word in the place of the password, if it is no password but the beginning of a turn.
    fn turn_for_password(&self) -> Option<&Word> {
        self.places.iter().find(|place| matches!(place, Slot::Turns(_)))?;
        let is_password = |place: &Slot| *place == Slot::Argument(Argument::Password);
        let word = *self.words.get(self.places.iter().position(is_password)?)?;
        (is_like_a_turn(&word.text) && !hidden::may_be_a_password(&word.text)).then_some(word)
    }

    /// Whether the command proves its writer, as `signup` does not.
    fn has_proof(&self) -> bool {
        let proves = |place: &Slot| matches!(place, Slot::Argument(Argument::Password | Argument::Token));
        self.places.iter().any(proves)
    }

    fn left_by(&self, filled: &[usize]) -> Vec<usize> {
        (0..self.places.len())
            .filter(|place| !filled.contains(place))
            .collect()
    }

    /// The name of a place in a sentence.
    fn name(&self, place: usize) -> &'static str {
        match self.places.get(place) {
            Some(Slot::Argument(Argument::NewPassword)) if self.has_proof() => "new password",
            Some(Slot::Argument(place)) => place.word(),
            Some(Slot::Turns(name)) => name,
            None => "",
        }
    }
}

#[cfg(test)]
mod tests {

    use crate::command::COMMANDS;

    #[test]
    fn what_is_missing_is_said_and_what_may_be_secret_is_hidden() {
        let cases: &[(&str, &str, &str)] = &[
            // One word is missing, at each place of a move.
            (
                "Pow2 move 107 tia m1-e1:d2",
                "The password is missing: it stands after the userid.",
                "107 tia ******",
            ),
            (
                "Pow2 move 107 tia m13-j7",
                "The password is missing: it stands after the userid.",
                "107 tia ******",
            ),
            (
                "Pow2 move 107 tia resign",
                "The password is missing: it stands after the userid.",
                "107 tia ******",
            ),
            (
                "Pow2 move 107 tia m1 - e1",
                "The password is missing: it stands before the turn.",
                "107 tia ****** ****** ******",
            ),
            (
                "Pow2 move 107 tia fig7elk",
                "The MOVE is missing.",
                "107 tia ******",
            ),
            (
                "Pow2 move 107 fig7elk m1-e1",
                "The userid or the password is missing.",
                "107 ****** ******",
            ),
            (
                "Pow2 move 107 $ecret1 m1-e1",
                "The userid is missing: it stands after the board.",
                "107 ****** ******",
            ),
            (
                "Pow2 move tia fig7elk m1-e1",
                "The board is missing: it stands after move.",
                "tia ****** ******",
            ),
            // Several are.
            (
                "Pow2 move",
                "The board, the userid, the password and the MOVE are missing.",
                "",
            ),
            (
                "Pow2 move 107 tia",
                "The password and the MOVE are missing.",
                "107 tia",
            ),
            (
                "Pow2 move 107 m1-e1",
                "The userid and the password are missing.",
                "107 ******",
            ),
            (
                "Pow2 move tia",
                "The board, the password and the MOVE are missing.",
                "tia",
            ),
            (
                "Pow2 move fig7elk",
                "The board, the password and the MOVE are missing.",
                "******",
            ),
            // Other commands.
            ("Pow2 resign 107 tia", "The password is missing.", "107 tia"),
            (
                "Pow2 resign tia fig7elk",
                "The board is missing: it stands after resign.",
                "tia ******",
            ),
            (
                "Pow2 resign 107 bernrad",
                "The userid or the password is missing.",
                "107 ******",
            ),
            ("signoff tia", "The password is missing.", "tia"),
            ("signup newcomer", "The password is missing.", "******"),
            (
                "change password tia fig7elk",
                "The new password is missing.",
                "password tia ******",
            ),
            (
                "Pow2 preview m13-j7",
                "The board is missing: it stands after preview.",
                "******",
            ),
            ("Pow2 subscribe all tia", "The password is missing.", "****** tia"),
        ];
        for &(text, sentence, shown) in cases {
            let misread = COMMANDS.read_line(text).unwrap_err();
            let line = misread.line.unwrap();
            let is_userid = |word: &str| word == "tia";
            let refused = line.missing(&is_userid).unwrap();
            assert_eq!(refused.reason, sentence);
            let echo = line.echo(&refused, &is_userid).text;
            let words = line.verb.at.end;
            assert_eq!(echo[words..].trim(), shown);
        }
    }
}
