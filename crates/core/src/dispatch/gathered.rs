//! The letters about events that one message causes: of several on a board each reader gets one.
//!
//! It shows the last state, with the words of the others and the last ten events below. The end of a game keeps its result; words
//! never take the headline of a turn.

use crate::command::{InternalError, Letter, Topic};
use crate::store::Store;

use super::handler::Cause;

/// Letters that are posted when the message has been handled, in this order.
#[derive(Default)]
pub(super) struct Gathered<'a>(Vec<(Cause<'a>, Letter)>);

impl<'a> Gathered<'a> {
    /// Adds a letter. It takes the place of an earlier one to the same reader about the same board, and tells of its event
    /// too.
    pub(super) fn add(&mut self, cause: Cause<'a>, letter: Letter) {
        let letter = match self.remove(&letter) {
            Some((_, before)) => joined(before, letter),
            None => letter,
        };
        self.0.push((cause, letter));
    }

    /// Has an earlier letter to the reader of this receipt, which stands in a transcript, tell of its event too. False: there is none.
    pub(super) fn overtake(&mut self, receipt: &Letter) -> bool {
        let Some((cause, before)) = self.remove(receipt) else {
            return false;
        };
        let is_answer = before.is_answer;
        let letter = joined(before, receipt.clone());
        self.0.push((cause, Letter { is_answer, ..letter }));
        true
    }

    /// The letter to the same reader about the same board.
    fn remove(&mut self, letter: &Letter) -> Option<(Cause<'a>, Letter)> {
        let place = self.0.iter().position(|(_, other)| {
            (&other.to, other.board, other.is_watching) == (&letter.to, letter.board, letter.is_watching)
        })?;
        Some(self.0.remove(place))
    }

    /// All of them that still tell the truth.
    pub(super) fn take(&mut self, store: &Store) -> Result<Vec<(Cause<'a>, Letter)>, InternalError> {
        let mut letters = std::mem::take(&mut self.0);
        let mut is_true = Vec::with_capacity(letters.len());
        for (cause, letter) in &letters {
            is_true.push(match (letter.topic, cause.by) {
                (Topic::Vacation, Some(player)) => store.vacation(player)?.is_some(),
                _ => true,
            });
        }
        let mut is_true = is_true.into_iter();
        letters.retain(|_| is_true.next().unwrap_or(true));
        Ok(letters)
    }
}

/// One letter about both events. Words change no board, so the board is shown as the other event has left it.
fn joined(before: Letter, after: Letter) -> Letter {
    let is_after_words = after.topic == Topic::Chat && before.topic != Topic::Chat;
    let weight = before.weight.min(after.weight);
    // The headline is that of what matters most.
    let topic = match before.weight < after.weight {
        true => before.topic,
        false => after.topic,
    };
    let is_urgent = before.is_urgent || after.is_urgent;
    let is_answer = before.is_answer || after.is_answer;
    let mut earlier = before.earlier;
    let letter = if is_after_words {
        earlier.extend(after.content.news());
        Letter {
            content: before.content,
            ..after
        }
    } else {
        earlier.extend(before.content.news());
        Letter {
            content: after.content.with_result_of(&before.content),
            ..after
        }
    };
    Letter {
        weight,
        topic: if is_after_words { before.topic } else { topic },
        is_urgent,
        is_answer,
        earlier,
        ..letter
    }
}
