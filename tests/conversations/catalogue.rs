//! The catalogue of whole letters, `tests/conversations/letters/`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use pbmserv_games::{Display, GAMES, Options};

use super::parts::{BOARD, Cast, Head, Part, StoryLetter};
use super::rows::known_drawing;

/// The fewest letters of a making that has its place in the catalogue.
const SEVERAL: usize = 6;
/// The whole letters that every reader knows, by their making.
pub(crate) struct Catalogue {
    letters: BTreeMap<String, Known>,
    /// For a making of which there are few, that of the letter that is most like them.
    nearest: BTreeMap<String, String>,
    /// The drawing of each first line that a reader sees first: the start of a game.
    pub(crate) drawn: BTreeMap<String, Vec<String>>,
}

pub(crate) struct Known {
    told: StoryLetter,
    pub(crate) parts: Vec<Part>,
}

impl Known {
    pub(crate) fn part(&self, head: &Head) -> Option<&Part> {
        self.parts.iter().find(|part| part.head == *head)
    }
}

impl Catalogue {
    /// The catalogue of these letters, in the order of the stories.
    pub(crate) fn of<'a>(letters: impl Iterator<Item = (&'a StoryLetter, &'a Cast)>) -> Self {
        let mut makings: BTreeMap<String, Vec<Known>> = BTreeMap::new();
        let mut firsts = BTreeMap::new();
        for (told, cast) in letters {
            let making = told.making(cast);
            firsts.entry(told.kind.clone()).or_insert_with(|| making.clone());
            let parts = told.parts(cast);
            makings.entry(making).or_default().push(Known {
                told: told.clone(),
                parts,
            });
        }
        let firsts: BTreeSet<_> = firsts.into_values().collect();
        let is_usual =
            |making: &String, letters: &Vec<Known>| letters.len() >= SEVERAL || firsts.contains(making);
        let (usual, rare): (BTreeMap<_, _>, BTreeMap<_, _>) = makings
            .into_iter()
            .partition(|(making, letters)| is_usual(making, letters));
        let letters = usual
            .into_iter()
            .map(|(making, letters)| (making, most_usual(letters)));
        let letters: BTreeMap<_, _> = letters.collect();
        let nearest = rare.into_iter().filter_map(|(making, rare)| {
            let alike = letters
                .iter()
                .filter(|(_, known)| known.told.kind == rare[0].told.kind);
            let cost = |by: &Known| rare.iter().map(|shown| lines(shown, by)).sum::<usize>();
            let nearest = alike.min_by_key(|(_, known)| cost(known))?;
            Some((making, nearest.0.clone()))
        });
        let nearest = nearest.collect();
        let mut drawn: BTreeMap<_, _> = starts().map(|(_, lines)| (lines[0].clone(), lines)).collect();
        for part in letters
            .values()
            .flat_map(|known| &known.parts)
            .filter(|part| part.is_drawn)
        {
            drawn
                .entry(part.plain[0].clone())
                .or_insert_with(|| part.plain.clone());
        }
        Self {
            letters,
            nearest,
            drawn,
        }
    }

    pub(crate) fn letter(&self, making: &str) -> Option<&Known> {
        self.letters
            .get(self.nearest.get(making).map_or(making, String::as_str))
    }

    /// The kinds of its letters.
    pub(crate) fn kinds(&self) -> BTreeSet<&str> {
        self.letters
            .values()
            .map(|known| known.told.kind.as_str())
            .collect()
    }

    /// A file for each kind. A board that a letter before it has is not drawn again, but for the rows that are different.
    pub(crate) fn files(&self) -> BTreeMap<String, String> {
        let mut files: BTreeMap<String, String> = BTreeMap::new();
        let mut drawn: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
        for Known { told, parts } in self.letters.values() {
            let name = if told.kind.is_empty() { "plain" } else { &told.kind };
            let file = files.entry(format!("{name}.txt")).or_default();
            let gap = if file.is_empty() { "" } else { "\n" };
            writeln!(file, "{gap}{}", headline(told)).unwrap();
            let mut whole = told.text.trim_end().to_owned();
            for board in parts.iter().filter(|part| part.head.0 == BOARD) {
                let before = drawn.entry((told.kind.clone(), board.lines[0].clone()));
                let before = before.or_default();
                if !before.is_empty() {
                    let rows = known_drawing(before, board).join("\n");
                    whole = whole.replacen(&board.lines.join("\n"), &rows, 1);
                }
                before.clone_from(&board.plain);
            }
            if let Some((name, text)) = &told.attachment {
                write!(whole, "\n\n[attached: {name}]\n\n{}", text.trim_end()).unwrap();
            }
            for line in whole.lines() {
                writeln!(file, "{}", format!("    {line}").trim_end()).unwrap();
            }
        }
        let boards: Vec<_> = starts().collect();
        let boards = boards.chunks(2).map(|both| beside(&both[0], &both[1]));
        files.insert("boards.txt".into(), boards.collect::<Vec<_>>().join("\n"));
        files
    }
}

/// Two boards, one beside the other.
fn beside((name, small): &(String, Vec<String>), (other, large): &(String, Vec<String>)) -> String {
    let widest = small.iter().map(String::len).max().unwrap_or_default();
    let rows = (0..small.len().max(large.len())).map(|nth| {
        let row = |board: &[String]| board.get(nth).cloned().unwrap_or_default();
        format!("    {:widest$}    {}", row(small), row(large))
            .trim_end()
            .to_owned()
            + "\n"
    });
    format!("{name}; {other}\n\n{}", rows.collect::<String>())
}

/// The boards at the start of each game, in both displays.
fn starts() -> impl Iterator<Item = (String, Vec<String>)> {
    let both = GAMES
        .iter()
        .flat_map(|game| [Display::Small, Display::Large].map(|display| (game, display)));
    both.map(|(game, display)| {
        let drawing = game.start(&Options::none(game.facts)).unwrap().draw(display);
        let board = drawing.trim_end().rsplit("\n\n").next().unwrap_or_default();
        let lines = board.lines().map(|line| line.trim_end().to_owned());
        (
            format!("{}, {}", game.facts.name, display.word()),
            lines.collect(),
        )
    })
}

/// About how many lines of a letter are shown to who knows another.
fn lines(shown: &Known, by: &Known) -> usize {
    let is_new = |part: &&Part| by.part(&part.head).is_none_or(|known| known.plain != part.plain);
    let new = shown.parts.iter().skip(1).filter(is_new);
    let is_absent = by
        .parts
        .iter()
        .skip(1)
        .any(|part| shown.part(&part.head).is_none());
    new.map(|part| part.lines.len().min(3)).sum::<usize>() + usize::from(is_absent)
}

/// The letter by which the others are shown with the fewest lines.
fn most_usual(letters: Vec<Known>) -> Known {
    let cost = |by: &Known| letters.iter().map(|shown| lines(shown, by)).sum::<usize>();
    let least = letters.iter().enumerate().min_by_key(|(_, by)| cost(by));
    let place = least.map_or(0, |(place, _)| place);
    letters.into_iter().nth(place).unwrap()
}

pub(crate) fn headline(told: &StoryLetter) -> String {
    let sender = match told.sender_name.as_str() {
        "" => String::new(),
        name => format!(" (from \"{name}\")"),
    };
    format!("<<< {}{sender}: {}", told.to, told.subject)
}
