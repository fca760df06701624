//! Looks in the first lines of a reply for the one turn or verb that is meant.
//!
//! It is taken if it stands on a line of its own, with nothing around it but what may stand around a turn, if nothing
//! but plain sentences come before it, and if no other turn is near that could be played now. In any other case the
//! player is asked. Whatever else was written goes to the other player.

use std::ops::Range;

use crate::command::reading::capital::{Capital, first_capital};
use crate::command::reading::phrases::{after_label, hedges, is_emoticon, is_greeting, is_wish};
use crate::command::reading::seat::{AnsweringSeat, end_of, is_pass_or_swap, stands_for_a_turn};
use crate::command::reading::trimmed::{FoundTurn, mentioned_turns, read_turn, trimmed_turn, without_signs};
use crate::command::{Echo, InAnswer, Line};
use pbmserv_mail::plain;

/// How many lines are looked at, without empty ones.
const FIRST_LINES: usize = 8;

/// A verb in a longer line is prose.
const VERB_LINE_WORDS_MAX: usize = 3;

/// The most turns that the question names.
const MAX_MEANT: usize = 3;

/// The commands of a reply.
#[derive(Debug, Default)]
pub struct SeatCommands {
    /// Each with the comment that belongs to it.
    pub commands: Vec<(Line, String)>,
    /// What may be meant as a turn or a command. Then there are no commands.
    pub doubt: Option<Doubt>,
}

impl SeatCommands {
    pub(super) const fn doubtful(doubt: Doubt) -> Self {
        Self {
            commands: Vec::new(),
            doubt: Some(doubt),
        }
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.commands.is_empty() && self.doubt.is_none()
    }

    /// The same with this text below.
    pub(super) fn with_text(mut self, text: &str) -> Self {
        if let Some((_, comment)) = self.commands.first_mut() {
            *comment = format!("{comment}\n{text}").trim().to_owned();
        }
        self
    }
}

/// A line of a reply that may be meant as a turn or a command: its player is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// The line, without passwords.
    pub line: String,
    /// Its part in question, in bytes.
    pub at: Range<usize>,
    /// What may be meant, at least one.
    pub meant: Vec<String>,
    /// Whether `chat` would send the line to the other player.
    pub is_in_chat: bool,
    /// Whether a capital letter at its beginning makes another turn of it. Then `meant` has both turns.
    pub is_about_capital: bool,
    /// Whether it was said in other words than those of `meant`.
    pub is_in_own_words: bool,
    /// Whether the whole may be words for the other player.
    pub may_be_words: bool,
}

impl Doubt {
    /// The line as its player is shown it, with the part in question marked. `mask` hides what must not be shown.
    pub(crate) fn echo(&self, mask: impl Fn(&str) -> String) -> Echo {
        let text = mask(&self.line);
        let column = |byte: usize| self.line.get(..byte).map_or(0, |part| part.chars().count());
        let caret =
            (text == self.line && !self.at.is_empty()).then(|| column(self.at.start)..column(self.at.end));
        Echo { text, caret }
    }
}

/// What the first lines of a text hold.
pub(super) enum FirstLines {
    Nothing,
    /// One turn or verb, which is meant.
    One(Box<Candidate>),
    Doubt(Doubt),
}

/// A line that is a turn or a verb, apart from what may stand around it.
pub(super) struct Candidate {
    command: Line,
    /// The number of the line in the text.
    number: usize,
    line: String,
    at: Range<usize>,
    /// The verb, or the turn as the game writes it; `None` if it cannot be played.
    legal: Option<String>,
    /// The words after it in the line.
    rest: String,
}

impl Candidate {
    pub(super) const fn is_legal(&self) -> bool {
        self.legal.is_some()
    }

    /// Whether it is the first of these commands.
    pub(super) fn is_command_of(&self, other: &SeatCommands) -> bool {
        let is_same = |line: &Line| {
            let turn = |line: &Line| line.turns.as_ref().map(|turn| turn.text.to_lowercase());
            line.command.verb == self.command.command.verb && turn(line) == turn(&self.command)
        };
        other.commands.first().is_some_and(|(line, _)| is_same(line))
    }
}

impl AnsweringSeat<'_> {
    /// What the first lines of a text hold, none of which is exactly a command.
    pub(super) fn find(&self, text: &str) -> FirstLines {
        let lines: Vec<&str> = text.lines().collect();
        let filled = lines
            .iter()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty());
        let (mut candidates, mut mentions) = (Vec::new(), Vec::new());
        let mut verb = None;
        for (number, line) in filled.take(FIRST_LINES) {
            let line = match self.uncapitalised(plain(line).trim()) {
                Ok(line) => line,
                Err(doubt) => {
                    mentions.push((number, doubt));
                    continue;
                }
            };
            if let Some(candidate) = self.candidate(number, &line) {
                candidates.push(candidate);
                continue;
            }
            if self.is_to_move() {
                let turns = mentioned_turns(&line, self.game).into_iter();
                mentions.extend(turns.map(|(turn, at)| (number, self.masked_doubt(&line, at, vec![turn]))));
            }
            verb = verb.or_else(|| self.verb_within(&line));
        }
        let mut meant: Vec<String> = candidates.iter().filter_map(|one| one.legal.clone()).collect();
        meant.extend(mentions.iter().flat_map(|(_, doubt)| doubt.meant.clone()));
        meant.sort();
        meant.dedup();
        meant.truncate(MAX_MEANT);
        let is_one = meant.len() + candidates.iter().filter(|one| !one.is_legal()).count() == 1;
        let first = candidates.into_iter().next();
        if is_one && let Some(one) = first.as_ref().filter(|one| stands_apart(&lines, one.number)) {
            // A turn that was mentioned before it may be the one that its player decided against.
            if mentions.iter().all(|(number, _)| *number > one.number) {
                return first.map_or(FirstLines::Nothing, |one| FirstLines::One(Box::new(one)));
            }
        }
        let of_candidate = first.map(|one| (one.number, self.doubt(&one)));
        let asked = mentions
            .into_iter()
            .chain(of_candidate)
            .min_by_key(|(number, _)| *number);
        match (asked, verb) {
            (Some((_, doubt)), _) if !meant.is_empty() => FirstLines::Doubt(Doubt { meant, ..doubt }),
            (None, Some(doubt)) => FirstLines::Doubt(doubt),
            _ => FirstLines::Nothing,
        }
    }

    /// The reply that this text is, if this turn or verb in it is meant.
    pub(super) fn taken(&self, one: Candidate, text: &str) -> SeatCommands {
        let lines: Vec<&str> = text.lines().collect();
        let before = lines[..one.number].iter().filter(|line| !is_label(&plain(line)));
        let mut said: Vec<&str> = before.copied().collect();
        said.push(&one.rest);
        said.extend(&lines[one.number + 1..]);
        let comment = self.commands.masked(&said).trim_matches('\n').to_owned();
        SeatCommands {
            commands: vec![(one.command, comment)],
            doubt: None,
        }
    }

    /// The question whether this is meant.
    pub(super) fn doubt(&self, one: &Candidate) -> Doubt {
        self.masked_doubt(&one.line, one.at.clone(), one.legal.iter().cloned().collect())
    }

    /// The question about a turn that `chat` would send to the other player, and that could be played now.
    pub(super) fn turn_in_chat(&self, said: &[&str]) -> Option<Doubt> {
        let filled = said
            .iter()
            .filter(|line| !line.trim().is_empty())
            .take(FIRST_LINES);
        let mut lines = filled
            .map(|line| plain(line).trim().to_owned())
            .filter(|_| self.is_to_move());
        lines.find_map(|line| {
            let FoundTurn { at, legal, .. } = trimmed_turn(&line, self.game)?;
            let doubt = self.masked_doubt(&line, at, vec![legal?]);
            Some(Doubt {
                is_in_chat: true,
                may_be_words: false,
                ..doubt
            })
        })
    }

    /// The line with a small first letter, if that is what its writer's telephone was given; otherwise as it is.
    ///
    /// # Errors
    /// It may be meant either way: the question about it.
    pub(super) fn uncapitalised(&self, line: &str) -> Result<String, Doubt> {
        match first_capital(line, self.game) {
            _ if !self.is_to_move() => Ok(line.to_owned()),
            Capital::Meant => Ok(line.to_owned()),
            Capital::Small(small) => Ok(small),
            Capital::Either(at, meant) => Err(Doubt {
                is_about_capital: true,
                may_be_words: false,
                ..self.masked_doubt(line, at, meant.into())
            }),
        }
    }

    fn masked_doubt(&self, line: &str, at: Range<usize>, meant: Vec<String>) -> Doubt {
        let masked = self.commands.masked(&[line]);
        Doubt {
            at: if masked == line { at } else { 0..0 },
            line: masked,
            meant,
            is_in_chat: false,
            is_about_capital: false,
            is_in_own_words: false,
            may_be_words: true,
        }
    }

    /// The turn or verb that a line is, apart from what may stand around it.
    fn candidate(&self, number: usize, line: &str) -> Option<Candidate> {
        let candidate = |command, at, legal, rest| Candidate {
            command,
            number,
            line: line.to_owned(),
            at,
            legal,
            rest,
        };
        let bare = without_signs(line);
        if let Some(command) = self.verb(bare) {
            let start = line.find(bare)?;
            let is_turn = command.command.in_answer == InAnswer::Turn;
            let is_legal =
                !is_turn || !is_pass_or_swap(bare) || read_turn(bare, self.game).flatten().is_some();
            let legal = is_legal.then(|| bare.to_lowercase());
            return Some(candidate(
                command,
                start..start + bare.len(),
                legal,
                String::new(),
            ));
        }
        let turn_command = self.turn_command()?;
        let found = trimmed_turn(line, self.game).or_else(|| {
            let (verb, rest) = line.split_once(' ')?;
            let found =
                trimmed_turn(rest, self.game).filter(|_| turn_command.verb.eq_ignore_ascii_case(verb))?;
            let start = line.len() - rest.len();
            Some(FoundTurn {
                at: start + found.at.start..start + found.at.end,
                ..found
            })
        })?;
        let command = self.write_out(turn_command, &found.text, Some(end_of(&found.text, &found.text)));
        let legal = found.legal.filter(|_| self.is_to_move());
        Some(candidate(command, found.at, legal, found.rest))
    }

    /// A word that is a command by itself.
    fn verb(&self, word: &str) -> Option<Line> {
        let command = self.line(word)?;
        let is_verb = match command.command.in_answer {
            InAnswer::Alone | InAnswer::OfBoard => true,
            InAnswer::Turn => stands_for_a_turn(word),
            _ => false,
        };
        is_verb.then_some(command)
    }

    /// The question about a verb in a short line: `I resign`.
    fn verb_within(&self, line: &str) -> Option<Doubt> {
        let is_short = line.split_whitespace().count() <= VERB_LINE_WORDS_MAX;
        let mut words = line.split_whitespace().filter(|_| is_short);
        words.find_map(|word| {
            let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
            let start = line.find(bare)?;
            let is_meant = self.verb(bare).is_some() && !is_pass_or_swap(bare);
            is_meant.then(|| self.masked_doubt(line, start..start + bare.len(), vec![bare.to_lowercase()]))
        })
    }
}

/// Whether a line is a label and nothing else: `My move:`.
fn is_label(line: &str) -> bool {
    after_label(line).is_some_and(str::is_empty)
}

/// Whether the line with this number is no part of the sentences before it: these are salutations, or plain sentences
/// that are at their end, and no sentence goes on after it.
fn stands_apart(lines: &[&str], number: usize) -> bool {
    let before = lines[..number].iter().map(|line| plain(line).trim().to_owned());
    let before: Vec<String> = before.filter(|line| !line.is_empty()).collect();
    if before.iter().all(|line| is_greeting(line) || is_label(line)) {
        return true;
    }
    let is_end = |line: &String| {
        let last = line.split_whitespace().next_back().unwrap_or_default();
        let ends = line.ends_with(['.', '!', ')']) && !line.ends_with("..");
        ends || is_emoticon(last) || is_greeting(line) || is_wish(line) || is_label(line)
    };
    let is_plain = |line: &String| !line.contains('?') && !hedges(line);
    let goes_on = lines
        .get(number + 1)
        .is_some_and(|next| next.trim().starts_with(char::is_lowercase));
    before.iter().all(is_plain) && before.last().is_some_and(is_end) && !goes_on
}
