//! The plan of a player, as a tree whose answers lead to the boards after them.

use pbmserv_core::command::line_in_path;
use pbmserv_core::table::{Board, Plan, Seated, play_with_roll};
use pbmserv_games::Match;
use serde::Serialize;

/// One answer of a plan.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    /// Two blanks for each answer of the plan that is played before it.
    indent: String,
    text: String,
    /// The end of the address of the page with the board after it; empty if that is not known.
    try_at: String,
}

/// The plan of this player on the board in this position.
pub(super) fn rows(board: &Board, player: &Seated, position: &dyn Match) -> Vec<Row> {
    let plan = board.seat_of(player.id).and_then(|seat| board.plan_of(seat));
    let answers = plan.map(Plan::answers).unwrap_or_default();
    // The turns up to each answer of the present line; `None` after one to any turn.
    let mut line: Vec<Option<Vec<String>>> = vec![Some(Vec::new())];
    let mut rows = Vec::new();
    for answer in answers {
        line.truncate(answer.depth + 1);
        let before = line.last().cloned().flatten();
        let turns = before.zip(answer.when.as_deref()).and_then(|(mut turns, when)| {
            let mut game = position.fork();
            for turn in &turns {
                game.play_all(turn).ok()?;
            }
            turns.extend(play_with_roll(game.as_mut(), when).ok()?);
            turns.extend(play_with_roll(game.as_mut(), &answer.reply).ok()?);
            Some(turns)
        });
        let try_at = turns.as_ref().map(|turns| {
            let (after, count) = (board.turns, turns.len());
            format!("try/{after}/{}/{count}", line_in_path(turns))
        });
        rows.push(Row {
            indent: "  ".repeat(answer.depth),
            text: answer.to_string(),
            try_at: try_at.unwrap_or_default(),
        });
        line.push(turns);
    }
    rows
}
