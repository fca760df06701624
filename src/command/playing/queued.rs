//! Queued turns are played in the decision that makes it their owner's turn.

use std::collections::VecDeque;

use crate::command::playing::turns::Course;
use crate::command::wording::queued::own;
use crate::command::{Change, Context, Fault};
use crate::games::Seat;

/// What became of the turns that a player had queued, when it became that player's turn.
pub(crate) struct Fired {
    /// Those that were played, in order.
    pub played: Vec<String>,
    /// Those that are still queued.
    pub left: Vec<String>,
    /// Why the next one was not played and all are dropped, in sentences for their owner alone.
    pub failed: Option<String>,
}

/// Plays what the player in this seat has queued, as long as it is that player's turn; `None` if it is not, or
/// nothing is queued. Each turn is taken from the queue, so that this ends.
pub(crate) fn fire(context: &Context<'_>, course: &mut Course, seat: Seat) -> Result<Option<Fired>, Fault> {
    if course.position.to_move() != Some(seat) {
        return Ok(None);
    }
    let mut left = VecDeque::from(own(context, &course.board, seat)?);
    if left.is_empty() {
        return Ok(None);
    }
    let (mut played, mut failed) = (Vec::new(), None);
    while course.position.to_move() == Some(seat)
        && let Some(turn) = left.pop_front()
    {
        match attempt(course, seat, &turn) {
            Ok(texts) => played.push(texts.join(",")),
            Err(reason) => {
                let more = match left.len() {
                    0 => "",
                    _ => " What you had queued after it is dropped.",
                };
                let owner = &course.board.at(seat).userid;
                failed = Some(format!(
                    "{owner}, your queued {turn} was not played. {reason}{more}"
                ));
                left.clear();
            }
        }
    }
    let left = Vec::from(left);
    course.changes.push(Change::Queue {
        board: course.board.id,
        queue: (!left.is_empty()).then(|| (seat, left.clone())),
    });
    Ok(Some(Fired { played, left, failed }))
}

/// Plays one queued turn, or says why not.
fn attempt(course: &mut Course, seat: Seat, turn: &str) -> Result<Vec<String>, String> {
    let (text, number) = turn.split_once('#').map_or((turn, None), |(text, number)| {
        (text, number.trim().parse::<usize>().ok())
    });
    let next = course.position.turns_of(seat) + 1;
    if number.is_some_and(|number| number != next) {
        return Err(format!("Your next turn is number {next}."));
    }
    course.play(seat, text).map_err(|refusal| refusal.reason)
}
