//! What happened on a board since a letter that is answered only now.

use pbmserv_games::Seat;

use crate::command::{About, Context, InternalError};
use crate::table::{Board, Offer};

/// What has happened since a letter that shows lost turns.
const RESTORED: &str = "the server was restored from a backup";

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
            let mut unknown = turns.iter().filter(|turn| {
                // A page has asked its question about the board that it shows: whether to decline, before the first turn.
                let matters = about == About::Position || letter.is_page || turn.seat != seat;
                matters && !letter.knows(turn.event)
            });
            let is_taken_back = turns.last().is_none_or(|turn| turn.event != events.position);
            match unknown.next() {
                _ if letter.is_lost => RESTORED.to_owned(),
                None if about == About::Course && !is_taken_back => return Ok(None),
                Some(turn) => format!("{} turn {}", owner(turn.seat), turn.text),
                None => "a turn was taken back".to_owned(),
            }
        }
        About::Offer if !letter.knows(events.offer) => match board.offer {
            Some(_) if letter.is_lost => RESTORED.to_owned(),
            Some((offer, by)) => format!("{} {}", owner(by), Offer::name(offer)),
            None => return Ok(None),
        },
        About::Submitted if !letter.knows(events.submitted) => match &board.submitted {
            Some(_) if letter.is_lost => RESTORED.to_owned(),
            Some(turn) => format!("you submitted {turn}"),
            None => return Ok(None),
        },
        _ => return Ok(None),
    };
    Ok(Some(match letter.is_page {
        true => format!("the board has moved on, and the page is from before {since}"),
        false => format!("your mail answers an older letter, from before {since}"),
    }))
}
