//! The plan that a mail has, and whether it can be kept.

use pbmserv_games::{Match, Seat};

use crate::command::reading::plan::sorted;
use crate::command::{Context, InternalError};
use crate::table::{Board, Likeness, Plan, likeness};

/// The lines of a plan in the text of the mail, and the rest of it.
pub(crate) fn below(
    context: &Context<'_>,
    board: &Board,
) -> Result<(Option<String>, Option<String>), InternalError> {
    let text = context.comment;
    // Most words are no plan, and need no position to tell.
    if !text
        .lines()
        .any(|line| likeness(line, |_| true) > Likeness::Words)
    {
        return Ok((None, context.clean_comment()));
    }
    let position = context.position(board)?;
    let (plan, words) = sorted(text, position.game.as_ref());
    let plan = (!plan.is_empty()).then(|| context.masked(&plan.join("\n")));
    Ok((plan, context.clean(&words.join("\n"))))
}

/// The plan of the player in this seat from this position on, after so many turns.
///
/// # Errors
/// It is written wrongly, or cannot be played: a sentence.
pub(crate) fn kept(plan: &str, since: usize, game: &dyn Match, seat: Seat) -> Result<Plan, String> {
    let plan = Plan::read(plan, since).map_err(|no| match plan.get(no.at) {
        Some(words) if words.len() < plan.len() && !words.trim().is_empty() => {
            format!("{} (at \u{201c}{}\u{201d})", no.sentence, words.trim())
        }
        _ => no.sentence,
    })?;
    if game.to_move() != Some(seat.other()) {
        return Err(match game.to_move() {
            None => "The game is over then.".to_owned(),
            Some(_) => "It is your turn then: a plan begins with a turn of the other player.".to_owned(),
        });
    }
    plan.checked(game, seat)?;
    Ok(plan)
}
