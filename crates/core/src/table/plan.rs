//! What a player wants to play next, depending on what the other one plays: conditional turns.
//!
//! A plan is written as it is read: one answer a line, and what may follow it indented below.
//!
//! ```text
//! if e5 then d5
//!   if any then c3
//! if f5 then f4
//! ```
//!
//! Where there are dice, an answer may have them before it, and several answers to the same turn have different ones:
//!
//! ```text
//! if any then 31: 8/5 6/5
//! if any then 64: 24/14
//! ```
//!
//! That the dice may roll, a turn where one may also double, need not be written.
//!
//! A queue is the plan that answers whatever is played: each line is `if any`, below the one before.

use std::fmt;
use std::ops::Range;

use pbmserv_games::{Match, Refusal, Seat};

use super::Played;

/// The most answers of a plan.
pub(super) const MAX_PLANNED: usize = 100;

/// The most answers of a plan after one another. So two plans that answer each other end within twenty turns.
pub(crate) const MAX_IN_A_ROW: usize = 10;

/// The longest text of a turn in a plan, in bytes.
pub(super) const MAX_TURN: usize = 200;

/// One turn, and when it is played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedTurn {
    /// How many answers of the same plan are played before it.
    pub depth: usize,
    /// The turn of the other player that it answers; `None`: any.
    pub when: Option<String>,
    /// The turn to play.
    pub reply: String,
}

/// The answers of one player on a board. Those that follow an answer stand after it, one deeper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// How many turns the board had when the first of them was looked for: the turns of the other player after these are answered.
    pub since: usize,
    pub(super) answers: Vec<PlannedTurn>,
}

/// Why a text is no plan: a sentence, and the bytes that it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoPlan {
    pub sentence: String,
    pub at: Range<usize>,
}

impl Plan {
    /// These turns, whatever the other player does.
    #[must_use]
    pub fn queue(since: usize, turns: Vec<String>) -> Self {
        let answers = turns.into_iter().enumerate().map(|(depth, reply)| PlannedTurn {
            depth,
            when: None,
            reply,
        });
        Self {
            since,
            answers: answers.collect(),
        }
    }

    /// Its text in the store: the number of turns in the first line.
    #[must_use]
    pub fn to_stored(&self) -> String {
        format!("{}\n{self}", self.since)
    }

    /// What [`to_stored`](Self::to_stored) has written.
    #[must_use]
    pub fn of_stored(text: &str) -> Option<Self> {
        let (since, answers) = text.split_once('\n')?;
        Self::read(answers, since.parse().ok()?).ok()
    }

    /// The turns, if it plays the same whatever the other player does.
    #[must_use]
    pub fn as_queue(&self) -> Option<Vec<&str>> {
        let mut answers = self.answers.iter().enumerate();
        let is_queue = answers.all(|(at, answer)| answer.depth == at && answer.when.is_none());
        is_queue.then(|| self.answers.iter().map(|answer| answer.reply.as_str()).collect())
    }

    /// On one line: `if e5 then d5 (if any then c3), if f5 then f4`.
    #[must_use]
    pub fn to_line(&self) -> String {
        let mut line = String::new();
        let mut depth = 0;
        for (at, answer) in self.answers.iter().enumerate() {
            let before = match at {
                0 => "",
                _ if answer.depth > depth => " (",
                _ => {
                    line.push_str(&")".repeat(depth - answer.depth));
                    ", "
                }
            };
            depth = answer.depth;
            line.push_str(before);
            line.push_str(&answer.to_string());
        }
        line + &")".repeat(depth)
    }

    #[must_use]
    pub fn answers(&self) -> &[PlannedTurn] {
        &self.answers
    }

    /// The answer to what the other player has played since, and what is planned after it. `before` is the position after
    /// [`since`](Self::since) turns, `now` the one that is answered. `None`: nothing is planned for that.
    #[must_use]
    pub fn answer_to(
        &self,
        before: &dyn Match,
        now: &dyn Match,
        turns: &[Played],
    ) -> Option<(&str, Vec<PlannedTurn>)> {
        let is_it = |when: &str| {
            let is_meant = |text: &&str| *text != ROLL || when == ROLL;
            // What is offered whatever the dice are may have been offered after them.
            let played = || {
                let texts = turns.iter().map(|turn| turn.text.as_str());
                texts.map(|text| match dice_of(when) {
                    None => without_dice(text),
                    Some(_) => text,
                })
            };
            let texts = play_with_roll(before.fork().as_mut(), when);
            texts.is_ok_and(|texts| {
                let texts = texts.iter().map(String::as_str);
                texts.filter(is_meant).eq(played().filter(is_meant))
            })
        };
        let heads = || (0..self.answers.len()).filter(|at| self.answers[*at].depth == 0);
        let named: Vec<usize> = heads()
            .filter(|at| self.answers[*at].when.as_deref().is_some_and(is_it))
            .collect();
        let meant = match named.is_empty() {
            true => heads().filter(|at| self.answers[*at].when.is_none()).collect(),
            false => named,
        };
        // Of several with dice, the one for these.
        let fits = |at: &&usize| now.read(&self.answers[**at].reply).is_ok();
        let at = *meant.iter().find(fits).or_else(|| meant.first())?;
        let below = self.below(at);
        let below = below.iter().map(|answer| PlannedTurn {
            depth: answer.depth - 1,
            ..answer.clone()
        });
        Some((&self.answers[at].reply, below.collect()))
    }

    /// The same answers, if there are any, counted from another number of turns.
    #[must_use]
    pub fn after(since: usize, answers: Vec<PlannedTurn>) -> Option<Self> {
        (!answers.is_empty()).then_some(Self { since, answers })
    }

    /// This plan with one more line: turns of the other player, each with the answer to it. Where it has another answer already, one
    /// to the same dice if there are any, that one goes, with what followed it.
    #[must_use]
    pub fn with_line(mut self, line: &[(String, String)]) -> Self {
        let mut at = 0;
        for (depth, (when, reply)) in line.iter().enumerate() {
            let siblings = self.answers[at..]
                .iter()
                .take_while(|answer| answer.depth >= depth);
            let end = at + siblings.count();
            let is_it = |answer: &PlannedTurn| {
                answer.depth == depth
                    && answer.when.as_deref() == Some(when)
                    && dice_of(&answer.reply) == dice_of(reply)
            };
            let found = (at..end).find(|at| is_it(&self.answers[*at]));
            at = match found {
                Some(found) if self.answers[found].reply == *reply => found + 1,
                found => {
                    let place = found.unwrap_or(end);
                    let gone = found.map_or(0, |found| 1 + self.below(found).len());
                    let new = PlannedTurn {
                        depth,
                        when: Some(when.clone()),
                        reply: reply.clone(),
                    };
                    self.answers.splice(place..place + gone, [new]);
                    place + 1
                }
            };
        }
        self
    }

    /// What is planned after an answer.
    fn below(&self, at: usize) -> &[PlannedTurn] {
        let depth = self.answers[at].depth;
        let rest = &self.answers[at + 1..];
        let count = rest.iter().take_while(|answer| answer.depth > depth).count();
        &rest[..count]
    }

    /// Plays each line of the plan for the player in this seat, as far as it is known.
    ///
    /// # Errors
    /// A turn cannot be played in its position, or where that is not known (after `any`) cannot be read at all.
    pub fn checked(&self, game: &dyn Match, seat: Seat) -> Result<(), String> {
        // The position after each answer of the present line; `None`: not known.
        let mut line: Vec<Option<Box<dyn Match>>> = vec![Some(game.fork())];
        for answer in &self.answers {
            line.truncate(answer.depth + 1);
            let before = line.last().and_then(|before| before.as_deref());
            line.push(answer.played(before, game, seat)?);
        }
        Ok(())
    }
}

impl PlannedTurn {
    /// The position after the turn that it answers and its own.
    fn played(
        &self,
        before: Option<&dyn Match>,
        game: &dyn Match,
        seat: Seat,
    ) -> Result<Option<Box<dyn Match>>, String> {
        let readable = |text: &str| match game.fork().play_all(without_number(text)) {
            Err(refusal) if refusal.kind == pbmserv_games::Kind::Unreadable => {
                Err(format!("{text} is no turn. {}", refusal.reason))
            }
            _ => Ok(()),
        };
        let known = before.zip(self.when.as_deref());
        let Some((before, when)) = known else {
            self.when.as_deref().map_or(Ok(()), readable)?;
            readable(&self.reply)?;
            return Ok(None);
        };
        let mut position = before.fork();
        play_with_roll(position.as_mut(), when)
            .map_err(|refusal| format!("{when} cannot be played then. {}", refusal.reason))?;
        if position.to_move() != Some(seat) {
            return Err(match position.to_move() {
                None => format!("After {when} the game is over."),
                Some(_) => format!("After {when} it is not your turn."),
            });
        }
        match self.reply.contains('#') {
            true => readable(&self.reply).map(|()| None),
            false => match play_with_roll(position.as_mut(), &self.reply) {
                Ok(_) => Ok(Some(position)),
                Err(refusal) => Err(format!(
                    "After {when}, {} cannot be played. {}",
                    self.reply, refusal.reason
                )),
            },
        }
    }
}

/// The turn that lets the dice roll.
const ROLL: &str = "roll";

/// Plays a turn; one with dice also where its player has to let them roll first. Returns all texts.
///
/// # Errors
/// It is not legal.
pub fn play_with_roll(position: &mut dyn Match, text: &str) -> Result<Vec<String>, Refusal> {
    position.play_all(text).or_else(|refusal| {
        let mut rolled = position.fork();
        match dice_of(text).is_some() && rolled.play(ROLL).is_ok() && rolled.play_all(text).is_ok() {
            true => {
                let mut texts = vec![position.play(ROLL)?];
                texts.extend(position.play_all(text)?);
                Ok(texts)
            }
            false => Err(refusal),
        }
    })
}

/// The dice that the text of a turn begins with, the higher one first.
#[must_use]
pub fn dice_of(text: &str) -> Option<[u8; 2]> {
    let (dice, _) = text.split_once(':')?;
    match dice.trim().as_bytes() {
        [one @ b'1'..=b'6', other @ b'1'..=b'6'] => Some([(*one).max(*other), (*one).min(*other)]),
        _ => None,
    }
}

fn without_dice(text: &str) -> &str {
    dice_of(text)
        .and_then(|_| text.split_once(':'))
        .map_or(text, |(_, turn)| turn)
}

fn without_number(text: &str) -> &str {
    text.split('#').next().unwrap_or_default().trim()
}

impl fmt::Display for PlannedTurn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "if {} then {}",
            self.when.as_deref().unwrap_or("any"),
            self.reply
        )
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, answer) in self.answers.iter().enumerate() {
            let (end, indent) = (if at == 0 { "" } else { "\n" }, 2 * answer.depth);
            write!(f, "{end}{:indent$}{answer}", "")?;
        }
        Ok(())
    }
}
