//! Checks a turn as written against the rules, and names the rule that forbids it.
//!
//! The steps are played one by one on a copy of the stones, because each is judged by the position after those before
//! it: a drop can make a ring, which must be burst at once, and the line of a burst can make further rings. The rings
//! made by the last step decide what the next one may be.

use std::ops::Range;

use super::rings::{Burst, LINE, Stones, bursts, is_shared, line, ring};
use super::turn::{MAX_BURSTS, Step, Turn, WrittenCell};
use super::{FACTS, Ringworm};
use crate::kit::hex::{Cell, Cells, Direction};
use crate::kit::words::list;
use crate::{Refusal, Rules};

/// A turn while its steps are played.
pub(super) struct Followed {
    pub(super) stones: Stones,
    pub(super) turn: Turn,
    /// The middles of the rings that the last step made. If there are any, the next step must burst one of them; older
    /// rings must not be burst.
    pub(super) made: Cells,
}

impl Ringworm {
    /// The legal turn with these steps.
    ///
    /// # Errors
    /// A step is not legal, and the refusal names the rule; or it could mean several rings, and the refusal lists them.
    pub(super) fn judge(&self, steps: &[Step]) -> Result<Turn, Refusal> {
        let so_far = self.follow_all(steps)?;
        so_far.check_bursts_done()?;
        let (drops, wanted) = (so_far.turn.drops.len(), self.drops());
        if !steps.is_empty() && so_far.turn.bursts.is_empty() && drops != wanted {
            return Err(self.wrong_number(drops));
        }
        Ok(so_far.turn)
    }

    /// Plays these steps, after which the turn need not be complete.
    ///
    /// # Errors
    /// As [`judge`](Self::judge), about the first step that is not legal.
    pub(super) fn follow_all(&self, steps: &[Step]) -> Result<Followed, Refusal> {
        if self.outcome().is_some() {
            return Err(Refusal::illegal("The game is over."));
        }
        let mut so_far = Followed {
            stones: self.stones(),
            turn: Turn::default(),
            made: Cells::EMPTY,
        };
        for step in steps {
            match step {
                Step::Drop(word) => self.check_drop(&so_far, word, steps)?,
                Step::Burst { .. } => {}
            }
            so_far.follow(step, steps)?;
        }
        Ok(so_far)
    }

    fn check_drop(&self, so_far: &Followed, word: &WrittenCell, steps: &[Step]) -> Result<(), Refusal> {
        let WrittenCell { cell, at } = word;
        let Followed { stones, turn, made } = so_far;
        let [we, they] = [self.mover, self.mover.other()].map(|seat| FACTS.sides[seat.index()]);
        let refusal = if let Some(example) = bursts(*made).next() {
            Refusal::illegal(format!(
                "Your {} made {}, and after a ring no stone is dropped: burst {}, for example {example}.",
                so_far.maker(),
                rings("a ", *made),
                it(*made)
            ))
        } else if !turn.bursts.is_empty() {
            Refusal::illegal("After a burst no stone is dropped.")
        } else if turn.drops.len() == self.drops() {
            let all = steps.iter().filter(|step| matches!(step, Step::Drop(_))).count();
            self.wrong_number(all)
        } else if turn.drops.contains(cell) {
            Refusal::illegal(format!("You drop a stone on {cell} twice in this turn."))
        } else if stones.own.has(*cell) || stones.other.has(*cell) {
            let whose = if stones.own.has(*cell) { we } else { they };
            Refusal::illegal(format!(
                "A stone is dropped on an empty cell, and there is a stone of {whose} on {cell}."
            ))
        } else {
            return Ok(());
        };
        Err(refusal.at(at.clone()))
    }

    /// The refusal of a turn that drops this many stones.
    fn wrong_number(&self, drops: usize) -> Refusal {
        let wanted = self.drops();
        Refusal::illegal(match self.allowance {
            allowance if wanted < allowance => {
                let empty = if wanted == 1 { "cell is" } else { "cells are" };
                format!("Only {wanted} {empty} empty: this turn drops {wanted}, not {drops}.")
            }
            1 => format!("The first turn of the game drops 1 stone, not {drops}."),
            3 => format!("The second turn of the game drops 3 stones, not {drops}."),
            _ => format!("A turn drops {wanted} stones, not {drops}, unless one of them makes a ring."),
        })
    }
}

impl Followed {
    /// What made the rings, in words.
    fn maker(&self) -> &'static str {
        match self.turn.bursts.len() {
            0 => "drops",
            _ => "line",
        }
    }

    /// Plays one step. A drop was checked before; a burst is checked here.
    fn follow(&mut self, step: &Step, steps: &[Step]) -> Result<(), Refusal> {
        match step {
            Step::Drop(word) => {
                self.made = self.stones.drop(word.cell);
                self.turn.drops.push(word.cell);
            }
            Step::Burst { pivot, far, middle } => {
                if self.made.is_empty() {
                    return Err(self.no_ring(pivot.cell).at(step.at()));
                }
                if self.turn.bursts.len() == MAX_BURSTS {
                    let reason = format!("A turn has at most {MAX_BURSTS} bursts.");
                    return Err(Refusal::illegal(reason).at(step.at()));
                }
                let middle = self.middle(step, pivot, middle.as_ref(), steps)?;
                let burst = Burst {
                    middle,
                    pivot: pivot.cell,
                    direction: direction(pivot.cell, far.cell, step.at())?,
                    shared: is_shared(self.made, pivot.cell),
                };
                self.made = self.stones.burst(&burst);
                self.turn.bursts.push(burst);
            }
        }
        Ok(())
    }

    /// The middle of the ring to burst. Usually the pivot determines it; a pivot that belongs to several new rings
    /// needs the middle to be named.
    fn middle(
        &self,
        step: &Step,
        pivot: &WrittenCell,
        named: Option<&WrittenCell>,
        steps: &[Step],
    ) -> Result<Cell, Refusal> {
        let made = self.made;
        if let Some(WrittenCell { cell, at }) = named {
            if !made.has(*cell) {
                let reason = format!(
                    "Your {} made no ring around {cell}, but {}.",
                    self.maker(),
                    rings("a ", made)
                );
                return Err(Refusal::illegal(reason).at(at.clone()));
            }
            if !ring(*cell).has(pivot.cell) {
                return Err(not_of_ring(pivot.cell, Cells::of(*cell)).at(pivot.at.clone()));
            }
            return Ok(*cell);
        }
        let mut near = made.iter().filter(|middle| ring(*middle).has(pivot.cell));
        let Some(first) = near.next() else {
            return Err(not_of_ring(pivot.cell, made).at(pivot.at.clone()));
        };
        if near.next().is_none() {
            return Ok(first);
        }
        let reason = format!(
            "{} is a stone of several rings that your {} made: name the middle of the one to burst after an @.",
            pivot.cell,
            self.maker()
        );
        let near = made.iter().filter(|middle| ring(*middle).has(pivot.cell));
        let named = near.map(|middle| {
            let word = |other: &Step| match other.at() == step.at() {
                true => format!("{other}@{middle}"),
                false => other.to_string(),
            };
            steps.iter().map(word).collect::<Vec<_>>().join(",")
        });
        Err(Refusal::ambiguous(reason, named.collect()).at(step.at()))
    }

    /// Why there is nothing to burst.
    pub(super) fn no_ring(&self, pivot: Cell) -> Refusal {
        let old = pivot.neighbours().find(|middle| self.stones.has_ring(*middle));
        Refusal::illegal(match old {
            Some(middle) => format!(
                "The ring around {middle} was there before: a ring is burst only in the step that makes it."
            ),
            None => format!("Your {} made no ring, so there is none to burst.", self.maker()),
        })
    }

    fn check_bursts_done(&self) -> Result<(), Refusal> {
        match bursts(self.made).next() {
            None => Ok(()),
            Some(example) => Err(Refusal::illegal(format!(
                "Your {} made {}: burst {}, for example {example}.",
                self.maker(),
                rings("a ", self.made),
                it(self.made)
            ))),
        }
    }
}

/// The direction of the line between these ends.
fn direction(pivot: Cell, far: Cell, at: Range<usize>) -> Result<Direction, Refusal> {
    let reason = match pivot.way_to(far) {
        Some((direction, LINE)) => return Ok(direction),
        Some((direction, _)) => match pivot.far(direction, LINE) {
            None => format!(
                "A burst lays {LINE} stones in a line from the pivot, and from {pivot} over {far} the line \
                 leaves the board."
            ),
            Some(right) => format!(
                "A burst lays {LINE} stones in a line from the pivot: from {pivot} that way it ends at {right}, \
                 not at {far}."
            ),
        },
        None => format!("A burst lays its stones in a straight line, and {pivot}-{far} is none."),
    };
    let fits = Direction::ALL
        .into_iter()
        .filter(|direction| !line(pivot, *direction).is_empty());
    let ends = fits.filter_map(|direction| pivot.far(direction, LINE));
    let choices = ends.map(|end| format!("{pivot}-{end}")).collect();
    Err(Refusal::illegal(reason).at(at).or(choices))
}

pub(super) fn not_of_ring(pivot: Cell, made: Cells) -> Refusal {
    let stones: Cells = made
        .iter()
        .fold(Cells::EMPTY, |stones, middle| stones | ring(middle));
    Refusal::illegal(format!(
        "The pivot must be a stone of {}, and {pivot} is none: they are {}.",
        rings("the ", made),
        list(stones)
    ))
}

/// `a ring around o5`, `rings around o5 and q5`.
fn rings(article: &str, made: Cells) -> String {
    match (made.count(), article) {
        (1, _) => format!("{article}ring around {}", list(made)),
        (_, "a ") => format!("rings around {}", list(made)),
        _ => format!("{article}rings around {}", list(made)),
    }
}

fn it(made: Cells) -> &'static str {
    match made.count() {
        1 => "it",
        _ => "one of them",
    }
}
