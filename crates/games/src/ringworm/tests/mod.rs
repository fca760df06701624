//! Tests the rules with the inventor's sample game, with a slow judge that shares no code with them, and with invalid
//! input.

mod boards;
mod laws;
mod refusals;
mod sample;
mod slow;

use super::Ringworm;
use crate::{Options, Rules};

fn start() -> Ringworm {
    Ringworm::start(&Options::none(&Ringworm::FACTS)).unwrap()
}

/// Plays turns that must be legal and in canonical text.
fn after(turns: &[&str]) -> Ringworm {
    let mut game = start();
    for text in turns {
        let turn = game
            .read(text)
            .unwrap_or_else(|refusal| panic!("{text}: {refusal}"));
        assert_eq!(turn.to_string(), *text);
        game.play(&turn);
    }
    game
}

/// A position with stones on these cells and x to move.
fn position(x: &[&str], o: &[&str], allowance: usize) -> Ringworm {
    let set = |names: &[&str]| {
        names
            .iter()
            .map(|name| crate::kit::hex::Cell::find(name).unwrap())
            .collect()
    };
    Ringworm {
        stones: [set(x), set(o)],
        allowance,
        ..start()
    }
}
