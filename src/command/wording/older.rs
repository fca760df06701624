//! What happened on a board since a letter that is answered only now.

use crate::command::{About, Context, InternalError};
use crate::games::Seat;
use crate::table::{Board, Offer, Played};

/// Why a reply from this seat refers to something that is no more: a clause about the letter that it answers. `None`: it is
/// in date, or answers no letter.
pub(crate) fn older_letter(
    context: &Context<'_>,
    board: &Board,
    seat: Seat,
    about: About,
) -> Result<Option<String>, InternalError> {
    let Some(letter) = context.letter_answered(board, board.at(seat).id) else {
        return Ok(None);
    };
    let events = board.events;
    let owner = |by: Seat| match by == seat {
        true => "your".to_owned(),
        false => format!("{}'s", board.at(by).userid),
    };
    let since = match about {
        About::Position | About::Course if board.end.is_none() && !letter.knows(events.position) => {
            let turns = context.store.turns(board.id)?;
            let unknown = |turn: &&Played| !letter.knows(turn.event);
            let is_last = turns.last().is_some_and(|turn| turn.event == events.position);
            let is_all_own = turns.iter().filter(unknown).all(|turn| turn.seat == seat);
            if about == About::Course && is_last && is_all_own {
                return Ok(None);
            }
            match turns.iter().find(unknown) {
                Some(turn) => format!("{} turn {}", owner(turn.seat), turn.text),
                None => "a turn was taken back".to_owned(),
            }
        }
        About::Offer if !letter.knows(events.offer) => match board.offer {
            Some((offer, by)) => format!("{} {}", owner(by), Offer::name(offer)),
            None => return Ok(None),
        },
        About::Submitted if !letter.knows(events.submitted) => match &board.submitted {
            Some(turn) => format!("you submitted {turn}"),
            None => return Ok(None),
        },
        _ => return Ok(None),
    };
    Ok(Some(format!("your mail answers an older letter, from before {since}")))
}
