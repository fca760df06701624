//! Reads a line of which every word belongs to a phrase, a game, a side, a size or an opponent.

use pbmserv_games::{GAMES, Seat, find};

use super::table::{ANY, PHRASES, Phrase, Said};
use super::wish::{Opponent, Wish};
use crate::command::reading::phrases::{hedges, is_emoticon, is_salutation, is_wish};
use crate::command::reading::places::is_formed_as_a_userid;
use crate::table::COMPUTERS;

/// Meanings that may stand in a line.
const MEANINGS: [Said; 24] = [
    Said::Yes,
    Said::Agree,
    Said::No,
    Said::Decline,
    Said::Courtesy,
    Said::Please,
    Said::Greeting,
    Said::Resign,
    Said::Draw,
    Said::Undo,
    Said::Pause,
    Said::Help,
    Said::Stop,
    Said::Data,
    Said::Join,
    Said::League,
    Said::Ladder,
    Said::Play,
    Said::Against,
    Said::Computer,
    Said::Anyone,
    Said::Again,
    Said::First,
    Said::Second,
];

/// Signs that stand for a word.
const SIGNS: [(char, &str); 6] = [
    ('👍', " yep "),
    ('✅', " yep "),
    ('✔', " yep "),
    ('☑', " yep "),
    ('👎', " nope "),
    ('❌', " nope "),
];

/// The shortest name of a side that is a word.
const SIDE_MIN: usize = 4;

/// What some lines say.
#[derive(Debug, Default)]
pub(super) struct Understood {
    /// What is said, without courtesies and words that change nothing, each once.
    pub(super) said: Vec<Said>,
    /// Whether a word says yes in one language and no in another.
    pub(super) is_yes_or_no: bool,
    /// Whether there is a courtesy or a greeting.
    pub(super) is_courteous: bool,
    pub(super) is_question: bool,
    /// Whether there are other words, in pieces of their own that deny and doubt nothing: `I give up, you are too strong`.
    pub(super) is_partial: bool,
    pub(super) wish: Wish,
    /// The name of the writer's side.
    side: Option<String>,
}

impl Understood {
    /// Whether it says more than courtesies.
    pub(super) fn has_matter(&self) -> bool {
        !self.said.is_empty() || self.wish != Wish::default()
    }

    /// Adds what a later line says. Gives whether both are the same, or parts of one wish.
    pub(super) fn add(&mut self, mut other: Self) -> bool {
        other.is_question |= self.is_question;
        if !self.has_matter() {
            *self = other;
            return true;
        }
        self.is_question = other.is_question;
        if !other.has_matter() {
            return !other.is_partial;
        }
        // "A game", and which.
        let is_part = self.wish == Wish::default() && self.said.iter().all(|said| other.said.contains(said));
        if is_part && !self.is_yes_or_no {
            other.is_partial |= self.is_partial;
            *self = other;
            return true;
        }
        let is_same = other.wish == Wish::default() && other.said.iter().all(|said| self.said.contains(said));
        is_same && !other.is_yes_or_no
    }

    fn say(&mut self, said: Said) {
        match said {
            Said::Courtesy | Said::Please | Said::Greeting => self.is_courteous = true,
            Said::Filler => {}
            said if self.said.contains(&said) => {}
            said => self.said.push(said),
        }
    }

    /// The seat of the side that was named, once the game is known.
    ///
    /// `None`: the game has no such side.
    fn seated(mut self) -> Option<Self> {
        if let Some(side) = self.side.take() {
            let sides = self.wish.game?.facts.sides;
            let is_it = |seat: &Seat| sides[seat.index()].eq_ignore_ascii_case(&side);
            let seat = Seat::BOTH.into_iter().find(is_it)?;
            self.wish.seat = Some(seat);
        }
        if self.said.contains(&Said::First) {
            self.wish.seat = Some(Seat::First);
        }
        if self.said.contains(&Said::Second) {
            self.wish.seat = Some(Seat::Second);
        }
        if self.said.contains(&Said::Computer) {
            self.wish.against.get_or_insert(Opponent::Computer);
        }
        if self.said.contains(&Said::Anyone) {
            self.wish.against.get_or_insert(Opponent::Anyone);
        }
        Some(self)
    }
}

/// What a line says; `None` if a word of it is not understood.
pub(super) fn understood(line: &str) -> Option<Understood> {
    let mut line = line.to_owned();
    for (sign, word) in SIGNS {
        if line.contains(sign) {
            line = line.replace(sign, word);
        }
    }
    let mut found = Understood {
        is_question: line.contains('?'),
        ..Understood::default()
    };
    let mut said = LineSaid::default();
    for (number, piece) in pieces(&line).enumerate() {
        if is_emoticon(piece) {
            continue;
        }
        let words: Vec<&str> = piece
            .split_whitespace()
            .map(bare)
            .filter(|word| !word.is_empty())
            .collect();
        let mut longer = said.clone();
        if longer.read(&words) {
            said = longer;
        } else if is_salutation(piece) || is_wish(piece) {
            found.is_courteous = true;
        } else if hedges(piece) {
            return None;
        } else if !(number > 0 && is_a_name(&words)) {
            found.is_partial = true;
        }
    }
    said.tell(&mut found);
    let found = found.seated()?;
    (found.has_matter() || (found.is_courteous && !found.is_partial)).then_some(found)
}

/// The pieces between signs that end a sentence or a part of one.
fn pieces(line: &str) -> impl Iterator<Item = &str> {
    let is_end = |c: char| matches!(c, ',' | '!' | '?' | ';' | '…' | '¿' | '¡' | '(' | ')');
    let sentences = line.split(". ").map(|part| part.trim_end_matches('.'));
    sentences
        .flat_map(move |part| part.split(is_end))
        .map(str::trim)
        .filter(|piece| !piece.is_empty())
}

/// A word without the signs around it.
fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

/// Whether these words are the name of somebody who is spoken to.
fn is_a_name(words: &[&str]) -> bool {
    matches!(words, [name] if name.starts_with(char::is_uppercase) && name.chars().all(char::is_alphabetic))
}

/// What a line says so far.
#[derive(Clone, Default)]
struct LineSaid {
    /// The phrases, each with what it means in some languages.
    phrases: Vec<Vec<&'static Phrase>>,
    wish: Wish,
    side: Option<String>,
}

impl LineSaid {
    /// Reads these words. Gives whether every word was understood.
    fn read(&mut self, words: &[&str]) -> bool {
        let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
        let mut at = 0;
        while at < words.len() {
            let taken = self.take(
                &words[at..],
                &lower[at..],
                at.checked_sub(1).map(|before| lower[before].as_str()),
            );
            if taken == 0 {
                return false;
            }
            at += taken;
        }
        true
    }

    /// Reads the first of these words; gives how many belong together.
    fn take(&mut self, words: &[&str], lower: &[String], before: Option<&str>) -> usize {
        let (Some(word), Some(small)) = (words.first(), lower.first()) else {
            return 0;
        };
        if let Some((count, game)) = GAMES.iter().find_map(|game| Some((named(game, lower)?, game)))
            && self
                .wish
                .game
                .is_none_or(|other| other.facts.name == game.facts.name)
        {
            self.wish.game = Some(game);
            return count;
        }
        if COMPUTERS.iter().any(|one| one.userid == small) && self.wish.against.is_none() {
            self.wish.against = Some(Opponent::Userid(small.clone()));
            return 1;
        }
        let mut wanted = MEANINGS.to_vec();
        wanted.push(Said::Filler);
        let phrases = PHRASES.longest(&wanted, lower);
        let follows_against = self.phrases.last().is_some_and(|last| has(last, Said::Against));
        if let Some(size) = size(small, before).filter(|_| self.wish.size.is_none()) {
            self.wish.size = Some(size);
            return 1;
        }
        let is_side = |side: &str| side.len() >= SIDE_MIN && side.eq_ignore_ascii_case(small);
        if self.side.is_none()
            && GAMES
                .iter()
                .any(|game| game.facts.sides.iter().any(|side| is_side(side)))
        {
            self.side = Some(small.clone());
            return 1;
        }
        if let Some(first) = phrases.first() {
            let count = first.words.len();
            self.phrases.push(phrases);
            return count;
        }
        if follows_against && self.wish.against.is_none() && is_formed_as_a_userid(word) {
            self.wish.against = Some(Opponent::Userid((*word).to_owned()));
            return 1;
        }
        0
    }

    /// Tells what it says, in the languages that it may be written in.
    fn tell(self, found: &mut Understood) {
        let mut languages: Option<Vec<&str>> = None;
        for phrases in self
            .phrases
            .iter()
            .filter(|phrases| !phrases.iter().any(|one| one.language == ANY))
        {
            let own = |language: &&str| phrases.iter().any(|one| one.language == *language);
            let both: Vec<&str> = match &languages {
                None => phrases.iter().map(|one| one.language).collect(),
                Some(before) => before.iter().copied().filter(|language| own(language)).collect(),
            };
            // Words of several languages: none can be told.
            if both.is_empty() {
                languages = None;
                break;
            }
            languages = Some(both);
        }
        let is_possible = |one: &&&Phrase| {
            one.language == ANY || languages.as_ref().is_none_or(|all| all.contains(&one.language))
        };
        for phrases in &self.phrases {
            let mut said: Vec<Said> = phrases.iter().filter(is_possible).map(|one| one.said).collect();
            said.sort_unstable();
            said.dedup();
            if said.iter().any(|one| is_matter(*one)) {
                said.retain(|one| is_matter(*one));
            }
            let is = |wanted: &[Said]| said.iter().any(|one| wanted.contains(one));
            found.is_yes_or_no |= is(&[Said::Yes, Said::Agree]) && is(&[Said::No, Said::Decline]);
            said.into_iter().for_each(|one| found.say(one));
        }
        found.wish = self.wish;
        found.side = self.side;
    }
}

/// Whether it is more than a courtesy or a word that changes nothing.
const fn is_matter(said: Said) -> bool {
    !matches!(
        said,
        Said::Courtesy | Said::Please | Said::Greeting | Said::Filler
    )
}

fn has(phrases: &[&Phrase], said: Said) -> bool {
    phrases.iter().any(|phrase| phrase.said == said)
}

/// How many of these words name a game: by its name, an alias or its title.
fn named(game: &'static pbmserv_games::Game, words: &[String]) -> Option<usize> {
    let first = words.first()?;
    if find(first).is_some_and(|one| one.facts.name == game.facts.name) {
        return Some(1);
    }
    let title = game.facts.title.to_lowercase();
    let title: Vec<&str> = title.trim_start_matches("the ").split(' ').collect();
    let is_it = words.len() >= title.len() && title.iter().zip(words).all(|(part, word)| part == word);
    (is_it && title.len() > 1).then_some(title.len())
}

/// The size in `8x8`, or in a number after the word `size`.
fn size(word: &str, before: Option<&str>) -> Option<u32> {
    let number = |text: &str| text.parse::<u32>().ok().filter(|_| (1..=2).contains(&text.len()));
    match word.split_once(['x', '×']) {
        Some((one, other)) if one == other => number(one),
        None if before == Some("size") => number(word),
        _ => None,
    }
}
