//! Letters as a story shows them: what its reader knows is left out.
//!
//! `tests/conversations/letters/` is a catalogue of whole letters, which comes from the stories themselves: for each making of a
//! letter (its kind, with sender and subject without names and numbers), one of those whose parts are the most usual. It has the
//! makings of which there are several letters, and one of each kind.
//!
//! A part (a paragraph, a board, a list) is known by its first words. In a story it is left out if its making has the part in the
//! catalogue and its text is the expected one: what the same reader was last told there in a letter with this subject, or
//! else what the catalogue has, apart from the reader, the other player, the game, the board and the turn of the example. Of a part that
//! has changed only the rows that are different are shown, if these and what was expected give the whole. The first part of a letter is
//! shown unless the catalogue has it and something else is shown. A part that the catalogue has, and the letter has not, is named: `(without: Fewer mails:)`.
//!
//! So two different letters never look the same: a change of any word is visible in the story or in the catalogue.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::catalogue::{Catalogue, Known, headline};
use super::parts::{BOARD, CAPTION, COMMAND, Cast, Head, Part, StoryLetter, caption};
use super::rows::{changed, known_drawing};

/// The column at which a line of a story ends.
const WIDTH: usize = 140;

/// The letters of an answer, one after the other; what two of them show alike is printed once, below both headlines.
pub(crate) fn joined(letters: &[String]) -> String {
    let mut out = String::new();
    for (nth, letter) in letters.iter().enumerate() {
        let (headline, shown) = letter.split_once('\n').unwrap_or((letter, ""));
        out.push_str(headline);
        out.push('\n');
        let next = letters.get(nth + 1).and_then(|next| next.split_once('\n'));
        if next.is_none_or(|(_, next)| next != shown) {
            out.push_str(shown);
        }
    }
    out
}

/// What the reader of a story has seen in it.
pub(crate) struct Seen<'a> {
    catalogue: &'a Catalogue,
    cast: &'a Cast,
    /// The last text of each part, by who was told it where.
    told: BTreeMap<((String, String), Head), Vec<String>>,
    /// The last text of each part that says nothing of a game, by the making of the letter and the game.
    standing: BTreeMap<(String, &'static str, Head), Vec<String>>,
    /// The first drawing of each first line.
    drawn: BTreeMap<String, Vec<String>>,
}

impl<'a> Seen<'a> {
    pub(crate) fn new(catalogue: &'a Catalogue, cast: &'a Cast) -> Self {
        Self {
            catalogue,
            cast,
            told: BTreeMap::new(),
            standing: BTreeMap::new(),
            drawn: BTreeMap::new(),
        }
    }

    /// Whether the catalogue has this letter, word for word apart from the names.
    pub(crate) fn is_known(&self, told: &StoryLetter) -> bool {
        let known = self.catalogue.letter(&told.making(self.cast));
        known.is_some_and(|known| {
            let plain = |parts: &[Part]| {
                parts
                    .iter()
                    .flat_map(|part| part.plain.clone())
                    .collect::<Vec<_>>()
            };
            plain(&known.parts) == plain(&told.parts(self.cast))
        })
    }

    /// Shows a letter.
    pub(crate) fn show(&mut self, told: &StoryLetter) -> String {
        let making = told.making(self.cast);
        let game = told.game().map_or("", |facts| facts.name);
        let parts = told.parts(self.cast);
        let known = self
            .catalogue
            .letter(&making)
            .filter(|known| is_in_order(known, &parts));
        let mut out = headline(told) + "\n";
        let mut absent = String::new();
        for (nth, part) in parts.iter().enumerate() {
            if part.head.0 == COMMAND
                && part.plain[0] == "COMMAND"
                && let [_, marks] = part.lines.as_slice()
            {
                // The marks are put below the command where it stands already.
                let column = out.lines().next().unwrap_or_default().chars().count() + 2;
                let column = column - part.lines[0].chars().count();
                let first = out.find('\n').map_or(0, |end| end + 1);
                out.insert_str(first, &format!("{}{marks}\n", " ".repeat(column)));
                continue;
            }
            let mut lines = part.printed(self.part(told, &making, part, known, nth == 0));
            if nth > 0 && lines == parts[0].printed(parts[0].lines.clone()) {
                lines.push("(again)".to_owned());
            }
            for line in lines.iter().filter(|line| !line.is_empty()) {
                out.push_str(&wrapped(line, part.is_drawn));
            }
        }
        let usual = known.map_or(&[][..], |known| known.parts.get(1..).unwrap_or_default());
        let has = |head: &Head| parts.iter().skip(1).any(|other| other.head == *head);
        for part in usual
            .iter()
            .filter(|part| !has(&part.head) && part.head.0 != CAPTION)
        {
            write!(absent, ", {}", part.head.0).unwrap();
        }
        let caption = (CAPTION.to_owned(), 0);
        if has(&(BOARD.to_owned(), 0))
            && !has(&caption)
            && self.caption(told).is_some_and(|text| !text.is_empty())
        {
            write!(absent, ", {CAPTION}").unwrap();
        }
        let is_silent = !out
            .lines()
            .any(|line| line.starts_with("    ") && !line.trim().starts_with('^'));
        if let (true, [first, ..]) = (is_silent, parts.as_slice()) {
            for line in first.printed(first.lines.clone()) {
                out.push_str(&wrapped(&line, first.is_drawn));
            }
        }
        if let Some(absent) = absent.strip_prefix(", ") {
            out.push_str(&wrapped(&format!("(without: {absent})"), false));
        }
        for part in parts {
            self.told
                .insert((told.thread(), part.head.clone()), part.plain.clone());
            self.standing
                .insert((making.clone(), game, part.head.clone()), part.plain.clone());
            if part.is_drawn {
                self.drawn.entry(part.plain[0].clone()).or_insert(part.plain);
            }
        }
        out
    }

    /// What the reader expects above the board.
    fn caption(&self, told: &StoryLetter) -> Option<Vec<String>> {
        let before = self.told.get(&(told.thread(), (CAPTION.to_owned(), 0)));
        before.cloned().or_else(|| Some(caption(told.game()?)))
    }

    /// The lines of a part that are shown.
    fn part(
        &self,
        told: &StoryLetter,
        making: &str,
        part: &Part,
        known: Option<&Known>,
        is_first: bool,
    ) -> Vec<String> {
        if part.head.0 == CAPTION {
            let expected = self.caption(told);
            return match expected.filter(|expected| *expected == part.plain) {
                Some(_) => Vec::new(),
                None => part.lines.clone(),
            };
        }
        let usual = known
            .and_then(|known| known.part(&part.head))
            .map(|part| &part.plain);
        if is_first {
            let is_same =
                known.is_some_and(|known| known.parts[0].head == part.head) && usual == Some(&part.plain);
            return if is_same { Vec::new() } else { part.lines.clone() };
        }
        let is_usual = usual.is_some();
        let game = told.game().map_or("", |facts| facts.name);
        let before = match part.is_standing() {
            true => self.standing.get(&(making.to_owned(), game, part.head.clone())),
            false => self.told.get(&(told.thread(), part.head.clone())),
        };
        let expected = before.or(usual);
        if is_usual && expected == Some(&part.plain) {
            return Vec::new();
        }
        if !part.is_drawn {
            let expected = expected.filter(|_| is_usual);
            return expected.map_or(part.lines.clone(), |expected| changed(expected, part));
        }
        let expected = before.or(usual.filter(|_| part.head.0 != BOARD));
        let is_alike = |drawing: &&Vec<String>| drawing[0] == part.plain[0];
        if let Some(expected) = expected
            .filter(is_alike)
            .filter(|drawing| **drawing != part.plain)
        {
            return changed(expected, part);
        }
        match self
            .drawn
            .get(&part.plain[0])
            .or_else(|| self.catalogue.drawn.get(&part.plain[0]))
        {
            Some(drawing) => known_drawing(drawing, part),
            None => part.lines.clone(),
        }
    }
}

/// Whether the parts that both have follow one another in the same order.
fn is_in_order(known: &Known, parts: &[Part]) -> bool {
    let place = |part: &Part| {
        known
            .parts
            .iter()
            .skip(1)
            .position(|other| other.head == part.head)
    };
    let places: Vec<_> = parts.iter().skip(1).filter_map(place).collect();
    places.is_sorted()
}

fn wrapped(line: &str, is_drawn: bool) -> String {
    if is_drawn || line.starts_with(' ') || line.chars().count() + 4 <= WIDTH {
        return format!("    {line}\n");
    }
    let mut out = String::new();
    let mut column = 0;
    for word in line.split(' ') {
        if column > 0 && column + 1 + word.chars().count() > WIDTH {
            out.push_str("\n      ");
            column = 6;
        } else if column > 0 {
            out.push(' ');
            column += 1;
        } else {
            out.push_str("    ");
            column = 4;
        }
        out.push_str(word);
        column += word.chars().count();
    }
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const LETTER: &str = "\
bob played m13-j7 on Pow2 Board 101.

Your turn, alice, until Fri 11 December, 08:00 UTC: in three weeks.
You are Light.

Answer this mail with your turn alone on the first line; words below it
go to bob. For example

  m1-e1

Remaining Pieces: Light 14 Dark 14

   a b c
 1 X * O 1
 2 * * * 2
 3 O * X 3
 4 * X * 4
   a b c

bob writes:

  Good luck!

In place of a turn: preview and a turn (shows it, unplayed), chat and
some words, show, help, propose (a draw), undo (asks to take your last
turn back), resign (gives the game up).

The last turns

  No.  alice (Light)  bob (Dark)
  1    m13-j7

By hand, from any address: write a mail to pbmserv@games.example with
the subject

  Pow2 move 101 alice PASSWORD m1-e1
      your password stands for PASSWORD

The reply address is for you alone: whoever has it plays for you.
";

    fn told(text: &str) -> StoryLetter {
        StoryLetter {
            kind: "board".into(),
            to: "alice@example.org".into(),
            sender_name: "bob, your turn".into(),
            subject: "Re: Pow2 Board 101 alice".into(),
            text: text.into(),
            attachment: None,
        }
    }

    fn cast() -> Cast {
        Cast {
            names: ["alice", "bob"].map(str::to_owned).into(),
            readers: [("alice@example.org".to_owned(), "alice".to_owned())].into(),
        }
    }

    /// The catalogue of the letter alone.
    fn catalogue() -> Catalogue {
        Catalogue::of(std::iter::once((&told(LETTER), &cast())))
    }

    /// How the letter is shown to who knows it, and to who was told something else last.
    fn shown(text: &str, catalogue: &Catalogue) -> [String; 2] {
        let cast = cast();
        let mut after = Seen::new(catalogue, &cast);
        after.show(&told(
            &LETTER.replace("m13-j7", "m13-m5").replace("4 * X *", "4 * * X"),
        ));
        [
            Seen::new(catalogue, &cast).show(&told(text)),
            after.show(&told(text)),
        ]
    }

    /// The letter with each of its words, in turn, replaced by this one.
    fn changed(word: &str) -> impl Iterator<Item = String> {
        let starts = LETTER
            .match_indices(|c: char| !c.is_whitespace())
            .map(|(at, _)| at);
        let first = starts.filter(|at| LETTER[..*at].chars().next_back().is_none_or(char::is_whitespace));
        first.map(move |at| {
            let rest = &LETTER[at..];
            let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
            format!("{}{word}{}", &LETTER[..at], &rest[end..])
        })
    }

    #[test]
    fn every_word_of_a_letter_counts() {
        let catalogue = catalogue();
        let usual = shown(LETTER, &catalogue);
        for word in ["alice", "bob", "bob.", "102", "m1-e3", "and", "Light", "..."] {
            for other in changed(word).filter(|other| other != LETTER) {
                let different = shown(&other, &catalogue);
                assert!(different[0] != usual[0] && different[1] != usual[1], "{other}");
            }
        }
    }

    #[test]
    fn no_paragraph_is_lost_or_stands_for_another() {
        let catalogue = catalogue();
        let usual = shown(LETTER, &catalogue);
        let paragraphs: Vec<&str> = LETTER.trim_end().split("\n\n").collect();
        for (a, one) in paragraphs.iter().enumerate() {
            for (b, another) in paragraphs.iter().enumerate() {
                let mut other = paragraphs.clone();
                other[a] = another;
                if a == b {
                    other.remove(a);
                }
                let different = shown(&other.join("\n\n"), &catalogue);
                assert!(
                    different[0] != usual[0] && different[1] != usual[1],
                    "{another} for {one}"
                );
            }
        }
    }

    #[test]
    fn what_is_known_is_left_out() {
        let moved = LETTER
            .replace("played m13-j7", "played m13-m5")
            .replace("4 * X *", "4 * * X");
        let first = "<<< alice@example.org (from \"bob, your turn\"): Re: Pow2 Board 101 alice\n    bob played m13-m5 on \
                     Pow2 Board 101.\n       a b c\n     4 * * X 4\n";
        assert_eq!(shown(&moved, &catalogue())[0], first);
    }
}
