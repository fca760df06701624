//! A depth-first search with memory. It ends, because every turn removes a stone.

use std::collections::HashMap;
use std::ops::ControlFlow;

use super::key::Key;
use super::position::shifted;
use crate::forms::{Forms, Turn};
use crate::{Refusal, Rules};

/// The search gives up beyond this many different positions. No position of 16 stones that was tried reached it.
pub const MAX_POSITIONS: usize = 1_000_000;

/// The positions solved so far: whether the mover wins.
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

    /// Whether the mover wins. A mover without stones has won: the rules say so.
    pub(super) fn wins(&mut self, position: &Forms) -> Result<bool, Refusal> {
        let (own, enemy) = (position.own(), position.enemy());
        if own.is_empty() {
            return Ok(true);
        }
        // With one stone each, every turn leaves the opponent without stones on their turn, and so wins for them: the
        // mover captures the last enemy stone, or slides away from it and removes it.
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

/// The turns worth trying, each with the position after it, those with the fewest stones first. Turns that leave the
/// opponent no stone are left out, because the opponent has then won.
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
