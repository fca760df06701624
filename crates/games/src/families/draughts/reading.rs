//! Reads a turn as written, names the rule that forbids it, and says how a turn that is begun can go on.

use std::ops::Range;

use super::captures::{Capture, Stop};
use super::turn::Turn;
use super::{Draughts, DraughtsRules};
use crate::kit::reading::shown;
use crate::kit::words::number;
use crate::{Continuations, Refusal, Rules, Step};

/// No turn is longer, in bytes.
const MAX_TEXT: usize = 200;

/// More suggestions help nobody.
const MAX_CHOICES: usize = 24;

/// A square, and where its name is.
type Written = (u8, Range<usize>);

fn is_sign(c: char) -> bool {
    matches!(c, '-' | 'x' | 'X' | ':')
}

fn texts<'a, G: DraughtsRules>(turns: impl IntoIterator<Item = &'a Turn<G>>) -> Vec<String> {
    let turns = turns.into_iter().take(MAX_CHOICES);
    turns.map(ToString::to_string).collect()
}

impl<G: DraughtsRules> Draughts<G> {
    /// The squares of a text: names with a sign or blanks between them.
    fn written(text: &str) -> Result<Vec<Written>, Refusal> {
        let noun = G::BOARD.noun();
        if text.len() > MAX_TEXT {
            let reason = format!("A turn is no longer than {MAX_TEXT} characters.");
            return Err(Refusal::unreadable(reason));
        }
        let (mut written, mut at) = (Vec::new(), 0);
        loop {
            let rest = text.get(at..).unwrap_or_default();
            at = text.len() - rest.trim_start().len();
            let rest = rest.trim_start();
            let mut before = ' ';
            let is_end = |c: char| {
                let ends = !c.is_ascii_alphanumeric() || (before.is_ascii_digit() && c.is_ascii_alphabetic());
                before = c;
                ends
            };
            let end = rest.find(is_end).unwrap_or(rest.len());
            let word = rest.get(..end).unwrap_or_default();
            if word.is_empty() {
                let next = rest.chars().next().map_or(0, char::len_utf8);
                let reason = format!("A {noun} is expected here: {}.", G::BOARD.names());
                return Err(Refusal::unreadable(reason).at(at..at + next));
            }
            let Some(square) = G::BOARD.find(&word.to_ascii_lowercase()) else {
                let reason = format!("\"{}\" is no {noun}: {}.", shown(word), G::BOARD.names());
                return Err(Refusal::unreadable(reason).at(at..at + end));
            };
            written.push((square, at..at + end));
            at += end;
            let rest = text.get(at..).unwrap_or_default().trim();
            if rest.is_empty() {
                return Ok(written);
            }
            let rest = text.get(at..).unwrap_or_default();
            let blanks = rest.len() - rest.trim_start().len();
            if rest.trim_start().starts_with(is_sign) {
                at += blanks + 1;
                if text.get(at..).is_some_and(|rest| rest.starts_with('>')) {
                    at += 1;
                }
            }
        }
    }

    /// The legal turn that is written: all its squares, or some of them with the first and the last.
    ///
    /// # Errors
    /// The text is none, a rule forbids it, or it could be several.
    pub(super) fn read_turn(&self, text: &str) -> Result<Turn<G>, Refusal> {
        let written = Self::written(text)?;
        if self.outcome.is_some() {
            return Err(Refusal::illegal("The game is over."));
        }
        let path: Vec<u8> = written.iter().map(|(square, _)| *square).collect();
        let (Some((from, _)), [_, .., to]) = (written.first(), path.as_slice()) else {
            let reason = format!(
                "A turn names the {0} of the piece and the {0} where it goes.",
                G::BOARD.noun()
            );
            return Err(Refusal::unreadable(reason));
        };
        let legal = self.all();
        if let Some(turn) = legal.iter().find(|turn| turn.path() == path) {
            return Ok(*turn);
        }
        let stops = self.stops(&path, false);
        let is_meant = |turn: &&Turn<G>| {
            turn.captured != 0 && turn.ends() == (*from, *to) && stops.contains(&(*to, turn.captured))
        };
        let meant: Vec<_> = legal.iter().filter(is_meant).collect();
        match meant.as_slice() {
            [turn] => Ok(**turn),
            [] => Err(self.refusal(&written, &stops, &legal)),
            _ => {
                let reason = "Several captures begin and end there.";
                Err(Refusal::ambiguous(reason, texts(meant)))
            }
        }
    }

    /// Where a capture is after these squares; if `exact`, without any between them.
    fn stops(&self, path: &[u8], exact: bool) -> Vec<Stop> {
        let Some((from, rest)) = path.split_first() else {
            return Vec::new();
        };
        if self.of(self.mover) >> from & 1 == 0 {
            return Vec::new();
        }
        let capture = Capture::of(self, *from);
        rest.iter().fold(vec![(*from, 0)], |stops, square| {
            let mut after = capture.after(&stops, exact);
            after.retain(|(at, _)| at == square);
            after
        })
    }

    fn refusal(&self, written: &[Written], stops: &[Stop], legal: &[Turn<G>]) -> Refusal {
        let [(from, from_at), .., (to, to_at)] = written else {
            return Refusal::illegal("That is no legal turn.");
        };
        let noun = G::BOARD.noun();
        let (a, b) = (G::BOARD.name(*from), G::BOARD.name(*to));
        if let Some(reason) = self.not_own(*from) {
            return Refusal::illegal(reason).at(from_at.clone());
        }
        let own: Vec<_> = legal.iter().filter(|turn| turn.ends().0 == *from).collect();
        let choices = if own.is_empty() { texts(legal) } else { texts(own) };
        let most = legal.first().map_or(0, |turn| turn.captured.count_ones());
        let reason =
            if let Some((_, captured)) = stops.iter().max_by_key(|(_, captured)| captured.count_ones()) {
                let goes_on = Capture::of(self, *from).jumps((*to, *captured), |_| true);
                let (most, count) = (number(most as usize), number(captured.count_ones() as usize));
                if goes_on {
                    format!("A capture goes on as long as the piece can capture, and from {b} it can.")
                } else {
                    format!("You must capture as many pieces as you can: {most}, and this captures {count}.")
                }
            } else if most > 0 {
                "You must capture if you can, and this is no legal capture.".to_owned()
            } else if written.len() > 2 {
                format!("Only a capture names more than two {noun}s, and no piece of yours can capture.")
            } else if from == to {
                format!("A piece moves to another {noun}, not from {a} to {b}.")
            } else if self.occupied() >> to & 1 != 0 {
                format!("A piece moves to an empty {noun}, and there is a piece on {b}.")
            } else {
                let is_king = self.kings[self.mover.index()] >> from & 1 != 0;
                format!("{} From {a} it cannot go to {b}.", G::MOVES[usize::from(is_king)])
            };
        Refusal::illegal(reason).at(to_at.clone()).or(choices)
    }

    /// Why the mover cannot move what is on this square, if it is not an own piece.
    fn not_own(&self, square: u8) -> Option<String> {
        let name = G::BOARD.name(square);
        let [we, they] = [self.mover, self.mover.other()];
        if self.of(we) >> square & 1 != 0 {
            return None;
        }
        Some(if self.of(they) >> square & 1 != 0 {
            let [we, they] = [we, they].map(Self::side);
            format!("The piece on {name} is {they}'s, and it is {we}'s turn.")
        } else {
            format!("There is no piece on {name}.")
        })
    }

    /// The next squares of a turn that is begun. Each of two ways to the same end can be gone.
    ///
    /// # Errors
    /// No legal turn begins so.
    pub(super) fn next_squares(&self, begun: &str) -> Result<Continuations, Refusal> {
        let kept = begun.trim_end();
        // An x is a sign only behind a name.
        let kept = kept
            .strip_suffix("->")
            .or_else(|| kept.strip_suffix(is_sign))
            .unwrap_or(kept);
        let written = match kept.trim() {
            "" if begun.trim().is_empty() => Vec::new(),
            _ => Self::written(kept)?,
        };
        let path: Vec<u8> = written.iter().map(|(square, _)| *square).collect();
        let legal = self.all();
        let mut next: Vec<u8> = Vec::new();
        match path.as_slice() {
            [] => next.extend(legal.iter().map(|turn| turn.ends().0)),
            [from, ..] => {
                if let Some(reason) = self.not_own(*from) {
                    return Err(Refusal::illegal(reason).at(written[0].1.clone()));
                }
                let of_piece = legal.iter().filter(|turn| turn.ends().0 == *from);
                let ends: Vec<Stop> = of_piece
                    .clone()
                    .map(|turn| (turn.ends().1, turn.captured))
                    .collect();
                if legal.iter().all(|turn| turn.captured == 0) {
                    next.extend(ends.iter().filter(|_| path.len() == 1).map(|(to, _)| *to));
                } else {
                    let capture = Capture::of(self, *from);
                    let stops = capture.after(&self.stops(&path, true), true);
                    let leads = |stop: &Stop| {
                        ends.contains(stop)
                            || capture
                                .after(&[*stop], false)
                                .iter()
                                .any(|end| ends.contains(end))
                    };
                    next.extend(stops.into_iter().filter(leads).map(|(to, _)| to));
                }
            }
        }
        next.sort_unstable();
        next.dedup();
        let sign = if legal.iter().any(|turn| turn.captured != 0) {
            "x"
        } else {
            "-"
        };
        let names: Vec<_> = path.iter().map(|square| G::BOARD.name(*square)).collect();
        let step = |square: u8| {
            let name = G::BOARD.name(square);
            let text = names
                .iter()
                .chain([&name])
                .cloned()
                .collect::<Vec<_>>()
                .join(sign);
            Step::to(&name, text)
        };
        let whole = self.read(kept);
        match (whole, next.is_empty()) {
            (Err(refusal), true) if path.len() > 1 => Err(refusal),
            (Err(_), true) => {
                let reason = match sign {
                    "x" => "You must capture if you can, and that piece has no legal capture.",
                    _ => "That piece cannot move.",
                };
                Err(Refusal::illegal(reason).or(texts(&legal)))
            }
            (whole, _) => Ok(Continuations {
                whole: whole.ok().map(|turn| turn.to_string()),
                steps: next.into_iter().map(step).collect(),
            }),
        }
    }
}
