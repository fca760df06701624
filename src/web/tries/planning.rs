//! A line as a plan: "if they play this, I play that".

use pbmserv_core::table::{Plan, dice_of};
use pbmserv_games::Seat;
use serde::Serialize;

use crate::web::viewer::Viewer;

use super::walk::Walk;

/// The form that makes the line a plan.
#[derive(Debug, Serialize)]
pub(super) struct Planning {
    /// The own turn that is played first; empty if the player waits.
    turn: String,
    /// What is planned then, as it is written.
    plan: String,
    /// The newest event of the board.
    event: u32,
}

impl Planning {
    /// What the line would be as a plan of who looks at it; `None` if it is no line of answers to what comes next on a board of
    /// theirs.
    pub(super) fn of(viewer: &Viewer, walk: &Walk) -> Option<Self> {
        let board = &walk.seen.board;
        let seat = board.seat_of(viewer.player()?.id)?;
        let to_move = board
            .to_move
            .filter(|_| board.end.is_none() && walk.seen.is_now())?;
        let mut sides = sides(walk).into_iter();
        let turn = match to_move == seat {
            true => sides.next()?.1,
            false => String::new(),
        };
        let rest: Vec<_> = sides.collect();
        let pairs = rest.chunks_exact(2);
        let pairs: Vec<_> = pairs.map(|pair| (pair[0].1.clone(), pair[1].1.clone())).collect();
        if pairs.is_empty() {
            return None;
        }
        let before = board.plan_of(seat).filter(|_| turn.is_empty()).cloned();
        let plan = before
            .unwrap_or_else(|| Plan::queue(0, Vec::new()))
            .with_line(&pairs);
        Some(Self {
            turn,
            plan: plan.to_string(),
            event: board.events.newest(),
        })
    }
}

/// The turns of each side in a row, as one text. That the dice roll before a turn with dice goes without saying in a plan.
fn sides(walk: &Walk) -> Vec<(Seat, String)> {
    let mut sides: Vec<(Seat, String)> = Vec::new();
    for turn in &walk.line {
        match sides.last_mut() {
            Some((seat, text)) if *seat == turn.seat && text == "roll" && dice_of(&turn.text).is_some() => {
                text.clone_from(&turn.text);
            }
            Some((seat, text)) if *seat == turn.seat => {
                text.push(',');
                text.push_str(&turn.text);
            }
            _ => sides.push((turn.seat, turn.text.clone())),
        }
    }
    sides
}
