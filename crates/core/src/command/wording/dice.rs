//! What letters say of dice: what was rolled, and how it can be checked.

use pbmserv_games::Seat;

use crate::table::{Board, End, Position};

/// The sentences about the dice that follow the status, each with a blank before it; empty in a game without dice.
pub(crate) fn of_dice(board: &Board, position: &Position, reader: Option<Seat>) -> String {
    let Some(dice) = &board.dice else {
        return String::new();
    };
    if matches!(board.end, Some(End::Finished(_))) {
        return format!(
            " The secret of the dice was {}: help dice says how it is checked.",
            dice.seed_text()
        );
    }
    let Some(mover) = board.to_move else {
        return String::new();
    };
    if position.turns.len() < 2 {
        let fixed = format!(
            " The secret of the dice is fixed: its SHA-256 is {}. help dice says what that proves.",
            dice.commitment()
        );
        return match reader == Some(mover) {
            true => format!(
                " To begin, answer with roll, and with a word of your own if you like, such as: roll plum. The word goes into \
                 every roll of this board.{fixed}"
            ),
            false => fixed,
        };
    }
    let choices = position.game.turns(3);
    match choices.as_slice() {
        // roll or double, take or drop, accept or refuse.
        [one, other] if reader == Some(mover) && position.game.dice().is_none() => {
            format!(" Answer with {one} or {other}.")
        }
        _ => rolled(board, position, reader),
    }
}

/// What the player to move has rolled, as a sentence with a blank before it; empty if nothing is known.
pub(crate) fn rolled(board: &Board, position: &Position, reader: Option<Seat>) -> String {
    let Some(([one, other], mover)) = position.game.dice().zip(board.to_move) else {
        return String::new();
    };
    let who = match reader == Some(mover) {
        true => "You",
        false => &board.at(mover).userid,
    };
    format!(" {who} rolled {}-{}.", one.max(other), one.min(other))
}
