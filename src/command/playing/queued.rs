//! Queued turns are played in the decision that makes it their owner's turn.

use crate::command::playing::turns::Course;
use crate::games::Seat;

/// What became of the turns that a player had queued, when it became that player's turn.
pub(crate) struct Fired {
    /// Those that were played, in order.
    pub played: Vec<String>,
    /// Why the next one was not played and all are dropped, in sentences for their owner alone.
    pub failed: Option<String>,
}

/// Plays what the player in this seat has queued, as long as it is that player's turn; `None` if it is not, or
/// nothing is queued. Each turn is taken from the queue, so that this ends.
pub(crate) fn fire(course: &mut Course, seat: Seat) -> Option<Fired> {
    if course.board.to_move != Some(seat) || course.board.queue_of(seat).is_empty() {
        return None;
    }
    let (mut played, mut failed) = (Vec::new(), None);
    while course.board.to_move == Some(seat)
        && let Some(turn) = course.board.unqueued(seat)
    {
        match attempt(course, seat, &turn) {
            Ok(texts) => played.push(texts.join(",")),
            Err(reason) => {
                let more = match course.board.queue_of(seat) {
                    [] => "",
                    _ => " What you had queued after it is dropped.",
                };
                let owner = &course.board.at(seat).userid;
                failed = Some(format!(
                    "{owner}, your queued {turn} was not played. {reason}{more}"
                ));
                course.board.queued(seat, Vec::new());
            }
        }
    }
    Some(Fired { played, failed })
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
