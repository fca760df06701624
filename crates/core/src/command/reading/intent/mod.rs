//! What a person asks for in own words: `I want to play Reversi against bot-easy`, `No thank you`, `remis?`.
//!
//! The exact commands come first; what is left is read here. A line is understood if every word of it belongs to a phrase of the
//! table, or is a game, a side, a size or an opponent: so `I do not want to resign` is none of these. What follows from it depends on
//! what the writer was asked, which `dispatch` knows. Nothing here acts, and no turn is guessed.

mod lines;
pub(crate) mod table;
pub(crate) mod wish;

use pbmserv_games::Game;

use crate::command::Commands;
use crate::command::reading::phrases::{hedges, is_emoticon, is_greeting, is_wish};
use crate::command::reading::script::is_subject_of_a_letter;
use lines::{Understood, understood};
use pbmserv_mail::plain;
use table::Said;
use wish::Wish;

/// The most lines that are looked at.
const LINES_MAX: usize = 8;

/// A longer line is prose, in bytes.
const LINE_MAX: usize = 200;

/// The most words of a name under a mail.
const NAME_WORDS_MAX: usize = 2;

/// What somebody wants.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Intent {
    Yes,
    No,
    /// Yes in one language and no in another: `no` is a Polish yes.
    YesOrNo,
    Resign,
    /// Offers a draw, or agrees to one.
    Draw,
    /// Asks to take a turn back.
    Undo,
    /// Asks that the clocks stand still.
    Pause,
    /// Help on this game, or on all.
    Help(Option<&'static Game>),
    /// Wants no more mail.
    Stop,
    /// Wants all that is stored of the writer.
    Data,
    /// Wants to be a player here.
    Join,
    /// Thanks and greetings alone.
    Courtesy,
    /// Wants to be in the league of this game, or of one that is not named.
    League(Option<&'static Game>),
    /// The same of a ladder.
    Ladder(Option<&'static Game>),
    /// The same game once more.
    Again,
    Play(Wish),
}

/// What a mail asks for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Meant {
    pub(crate) intent: Intent,
    /// Whether all that was written says it and nothing else. Otherwise it is what the first line says.
    pub(crate) is_whole: bool,
    /// Whether it is a question: `Reversi?`
    pub(crate) is_question: bool,
}

impl Meant {
    /// Whether it is plain enough to be done, if no harm comes of it.
    pub(crate) const fn is_plain(&self) -> bool {
        self.is_whole && !self.is_question
    }

    /// What a mail asks for: its subject, empty if that is one of ours, and its text. `None`: nothing that is understood, or its
    /// first line is not.
    pub(crate) fn of(subject: &str, text: &str) -> Option<Self> {
        let mut found: Option<Understood> = None;
        let mut is_whole = true;
        let subject = plain(subject);
        let subject = subject.trim();
        if subject.len() <= LINE_MAX && !subject.is_empty() {
            match understood(subject) {
                Some(line) => found = Some(line),
                // A title, of which the text has the matter.
                None => {
                    is_whole = !hedges(subject) && !subject.contains(['?', '@']) && !subject.contains("://");
                }
            }
        }
        let lines = text.lines().map(plain);
        let lines: Vec<String> = lines
            .filter(|line| !line.trim().is_empty())
            .take(LINES_MAX + 1)
            .collect();
        is_whole &= lines.len() <= LINES_MAX;
        for line in lines.iter().take(LINES_MAX).map(|line| line.trim()) {
            let has_found = found.as_ref().is_some_and(Understood::has_matter);
            let read = Some(line)
                .filter(|line| line.len() <= LINE_MAX)
                .and_then(understood);
            match (read, &mut found) {
                (Some(line), Some(found)) => is_whole &= found.add(line),
                (Some(line), None) => found = Some(line),
                (None, _) if is_greeting(line) || is_emoticon(line) => {}
                (None, _) if has_found && (is_wish(line) || is_name(line)) => {}
                (None, Some(_)) if has_found => {
                    is_whole = false;
                    break;
                }
                (None, _) => return None,
            }
        }
        let found = found?;
        is_whole &= !found.is_partial;
        Some(Self {
            intent: found.intent()?,
            is_question: found.is_question,
            is_whole,
        })
    }
}

impl Commands {
    /// What a mail asks for that holds no command. A subject of our own letters says nothing.
    pub(crate) fn meant(&self, subject: &str, text: &str) -> Option<Meant> {
        let is_ours = is_subject_of_a_letter(subject);
        Meant::of(if is_ours { "" } else { subject }, text)
    }
}

/// Whether a line is a name and no more, as under a mail.
fn is_name(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_part = |word: &&str| {
        let letters = word.trim_matches(|c: char| !c.is_alphanumeric());
        letters.starts_with(char::is_uppercase)
            && letters.chars().all(|c| c.is_alphabetic() || c == '-' || c == '.')
    };
    (1..=NAME_WORDS_MAX).contains(&words.len()) && words.iter().all(is_part) && !hedges(line)
}

impl Understood {
    /// The one thing that is meant.
    fn intent(&self) -> Option<Intent> {
        let has = |said: &[Said]| said.iter().any(|one| self.said.contains(one));
        let only = |allowed: &[Said]| self.said.iter().all(|one| allowed.contains(one));
        let (yes, no) = ([Said::Yes, Said::Agree], [Said::No, Said::Decline]);
        let is_wish = self.wish != Wish::default() || has(&[Said::Play]);
        let plays = [
            Said::Play,
            Said::Against,
            Said::Computer,
            Said::Anyone,
            Said::First,
            Said::Second,
            Said::Yes,
            Said::Agree,
        ];
        if self.is_yes_or_no {
            return (only(&[Said::Yes, Said::Agree, Said::No, Said::Decline]) && !is_wish)
                .then_some(Intent::YesOrNo);
        }
        let is_game = self.wish
            == Wish {
                game: self.wish.game,
                ..Wish::default()
            };
        let company = [
            Said::Join,
            Said::Play,
            Said::League,
            Said::Ladder,
            Said::Yes,
            Said::Agree,
        ];
        match (has(&[Said::League]), has(&[Said::Ladder])) {
            (false, false) => {}
            (true, false) if is_game && only(&company) => return Some(Intent::League(self.wish.game)),
            (false, true) if is_game && only(&company) => return Some(Intent::Ladder(self.wish.game)),
            _ => return None,
        }
        if has(&[Said::Help]) && only(&[Said::Help, Said::Play]) && self.wish.against.is_none() {
            return Some(Intent::Help(self.wish.game));
        }
        if is_wish {
            return only(&plays).then(|| Intent::Play(self.wish.clone()));
        }
        let one_of = |said: Said, intent: Intent| {
            (has(&[said]) && only(&[said, Said::Yes, Said::Agree])).then_some(intent)
        };
        let verbs = [
            (Said::Resign, Intent::Resign),
            (Said::Draw, Intent::Draw),
            (Said::Undo, Intent::Undo),
            (Said::Pause, Intent::Pause),
            (Said::Again, Intent::Again),
            (Said::Stop, Intent::Stop),
            (Said::Data, Intent::Data),
            (Said::Join, Intent::Join),
        ];
        if let Some(intent) = verbs.into_iter().find_map(|(said, intent)| one_of(said, intent)) {
            return Some(intent);
        }
        match (has(&yes), has(&no)) {
            (true, false) if only(&yes) => Some(Intent::Yes),
            // "No draw", "no undo", "no pause".
            (false, true) if only(&[Said::No, Said::Decline, Said::Draw, Said::Undo, Said::Pause]) => {
                Some(Intent::No)
            }
            (false, false) if self.said.is_empty() && self.is_courteous => Some(Intent::Courtesy),
            _ => None,
        }
    }
}

#[cfg(test)]
#[path = "intent_tests.rs"]
mod tests;
