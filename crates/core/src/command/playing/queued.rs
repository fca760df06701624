//! Plays queued turns, in the same decision that makes it their owner's turn.
//!
//! So the player to move never has a queue. Only letters to its owner mention it.

use pbmserv_games::Seat;

use crate::command::playing::turns::TurnSequence;

/// The result of playing a player's queue.
pub(crate) struct Fired {
    /// The texts of the turns that were played, in order.
    pub played: Vec<String>,
    /// Why the next turn was not played and the queue was dropped. Only for the owner.
    pub failed: Option<String>,
}

/// Plays the queued turns of the player in this seat while it is that player's turn. `None` if it is not, or nothing is
/// queued. The loop ends because each pass removes a turn from the queue, or all of them if one fails: a turn after
/// a failed one was chosen for another position.
pub(crate) fn fire(sequence: &mut TurnSequence, seat: Seat) -> Option<Fired> {
    if sequence.board.to_move != Some(seat) || sequence.board.queue_of(seat).is_empty() {
        return None;
    }
    let (mut played, mut failed) = (Vec::new(), None);
    while sequence.board.to_move == Some(seat)
        && let Some(turn) = sequence.board.unqueued(seat)
    {
        match attempt(sequence, seat, &turn) {
            Ok(texts) => played.extend(texts),
            Err(reason) => {
                let more = match sequence.board.queue_of(seat) {
                    [] => "",
                    _ => " What you had queued after it is dropped.",
                };
                let owner = &sequence.board.at(seat).userid;
                failed = Some(format!(
                    "{owner}, your queued {turn} was not played. {reason}{more}"
                ));
                sequence.board.queued(seat, Vec::new());
            }
        }
    }
    Some(Fired { played, failed })
}

/// Plays one queued turn, or returns why not.
fn attempt(sequence: &mut TurnSequence, seat: Seat, turn: &str) -> Result<Vec<String>, String> {
    let (text, number) = turn.split_once('#').map_or((turn, None), |(text, number)| {
        (text, number.trim().parse::<usize>().ok())
    });
    let next = sequence.position.turns_of(seat) + 1;
    if number.is_some_and(|number| number != next) {
        return Err(format!("Your next turn is number {next}."));
    }
    sequence.play(seat, text).map_err(|refusal| refusal.reason)
}
