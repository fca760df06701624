//! The search itself.

use std::collections::HashMap;
use std::ops::ControlFlow;

use super::key::Key;
use super::position::shifted;
use crate::games::forms::{Forms, Turn};
use crate::games::{Refusal, Rules};

/// A search that meets more different positions is given up. No form of 16 stones that was tried reached it.
pub const MAX_POSITIONS: usize = 1_000_000;

/// What is known so far: whether the mover of a position wins.
#[derive(Debug, Default)]
pub(super) struct Search {
    known: HashMap<Key, bool>,
}

impl Search {
    /// A turn after which the opponent loses, if there is one.
    pub(super) fn winning(&mut self, position: &Forms) -> Result<Option<Turn>, Refusal> {
        for (turn, next) in replies(position) {
            if !self.wins(&next)? {
                return Ok(Some(turn));
            }
        }
        Ok(None)
    }

    /// Whether the mover wins.
    pub(super) fn wins(&mut self, position: &Forms) -> Result<bool, Refusal> {
        let (own, enemy) = (position.own(), position.enemy());
        if own.is_empty() {
            return Ok(true);
        }
        // His only stone takes their only one, or leaves it: then they are to move and have none.
        if own.count() == 1 && enemy.count() == 1 {
            return Ok(false);
        }
        let key = Key::of(position);
        if let Some(wins) = self.known.get(&key) {
            return Ok(*wins);
        }
        let wins = self.winning(position)?.is_some();
        if self.known.len() >= MAX_POSITIONS {
            return Err(Refusal::illegal(format!(
                "The position is too rich: more than {MAX_POSITIONS} others follow from it."
            )));
        }
        self.known.insert(key, wins);
        Ok(wins)
    }
}

/// The turns that leave the opponent a stone, each with its position, those that leave few stones first.
/// After any other turn the opponent has won.
fn replies(position: &Forms) -> Vec<(Turn, Forms)> {
    let mut replies = Vec::new();
    let _ = position.turns(&mut |turn| {
        let mut next = *position;
        next.play(turn);
        if !next.own().is_empty() {
            replies.push((*turn, shifted(&next)));
        }
        ControlFlow::Continue(())
    });
    replies.sort_by_key(|(_, next)| next.occupied().count());
    replies
}
