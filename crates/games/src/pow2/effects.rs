//! What a turn does, in words.

use super::board::{NAMES, Points, bit, board};
use super::{FACTS, Pow2, Turn};
use crate::kit::words::{count, list, number};
use crate::{Outcome, Rules};

impl Pow2 {
    /// See [`Rules::effects`].
    pub(super) fn in_words(&self, turns: &[Turn]) -> Vec<String> {
        turns.iter().fold((*self, Vec::new()), one).1
    }
}

fn one((before, mut effects): (Pow2, Vec<String>), turn: &Turn) -> (Pow2, Vec<String>) {
    let mut after = before;
    after.play(turn);
    let own = before.mover.index();
    let (from, to) = (bit(usize::from(turn.from)), bit(usize::from(turn.to)));
    // The mover's pieces after the move, before anything is placed or ages.
    let moved = before.pieces[own] & !from | to;
    let already_aged = if before.aged & from == 0 {
        before.aged
    } else {
        before.aged & !from | to
    };
    let placed = turn.placed.count_ones();
    if placed > 0 {
        let is_last = placed == before.supply(before.mover);
        effects.push(match placed {
            1 if is_last => "placed the last piece".to_owned(),
            _ if is_last => format!("placed the last {} pieces", number(placed as usize)),
            _ => format!("placed {}", count(placed as usize, "piece")),
        });
    }
    let aged = moved & after.pieces[own] & after.aged & !already_aged;
    if aged != 0 {
        effects.push(format!("aged {}", names(aged)));
    }
    // A piece is never placed where one goes back to the supply in the same turn.
    let back = moved & !after.pieces[own];
    if back != 0 {
        effects.push(format!("took {} back", names(back)));
    }
    if after.winner.is_some() {
        effects.push("got all sixteen on the board".to_owned());
    } else if after.outcome() == Some(Outcome::Won(before.mover)) {
        effects.push(format!("left {} no legal move", FACTS.sides[after.mover.index()]));
    }
    (after, effects)
}

fn names(points: Points) -> String {
    list(board().in_reading_order(points).map(|point| NAMES[point]))
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::super::tests::{figure_3, position};
    use super::*;
    use crate::Seat;

    /// The words about a legal turn.
    fn words(position: Pow2, text: &str) -> String {
        let turn = position
            .read(text)
            .unwrap_or_else(|refusal| panic!("{text}: {refusal}"));
        list(position.effects(&[turn]))
    }

    #[test]
    fn the_words_about_the_turns_of_figure_3_are_those_of_its_text() {
        let position = figure_3(Seat::Second);
        assert_eq!(
            words(position, "a1-d4:b4,e5"),
            "placed two pieces, aged d4 and took c5 back"
        );
        assert_eq!(words(position, "a13-c11"), "placed two pieces and aged c11");
    }

    #[test]
    fn the_words_tell_the_last_pieces_and_why_the_game_is_won() {
        // Fifteen of Dark's pieces are on the board, some of them aged.
        let full = "Om1 xa1 xa5 Xa7 xa9 Xa13 xc9 Xb10 Xc11 Xd10 Xd12 Xe13 Xe11 Xc8 Xd7 Xg13";
        let position = position(Seat::Second, "", full);
        let mut told = Vec::new();
        let _ = position.turns(&mut |turn| {
            let mut after = position;
            after.play(turn);
            told.push((
                turn.placed.count_ones(),
                after.winner,
                words(position, &turn.to_string()),
            ));
            ControlFlow::Continue(())
        });
        for (placed, winner, words) in &told {
            assert_eq!(
                words.starts_with("placed the last piece"),
                *placed == 1,
                "{words}"
            );
            assert_eq!(
                words.contains("got all sixteen on the board"),
                winner.is_some(),
                "{words}"
            );
        }
        assert!(told.iter().any(|(_, winner, _)| winner.is_some()), "{told:?}");
        assert!(
            told.iter()
                .any(|(placed, winner, _)| *placed == 1 && winner.is_none()),
            "{told:?}"
        );
    }
}
