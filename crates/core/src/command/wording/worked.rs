//! The worked example of a game's help. The rules draw the boards and tell the turns.

use pbmserv_games::{Display, Game, Match, Options, Refusal};

use crate::command::wording::turn_summary::TurnSummary;
use crate::letters::wrap;

/// The example. Empty if the game cannot play it, which the contract of the games excludes.
pub(crate) fn worked(game: &Game) -> String {
    drawn(game).unwrap_or_default()
}

fn drawn(game: &Game) -> Result<String, Refusal> {
    let facts = game.facts;
    let options = Options::parse(facts, facts.worked.options.iter().copied())?;
    let mut position = game.start(&options)?;
    for turn in facts.worked.before {
        position.play(turn)?;
    }
    let on = match facts.worked.options {
        [] => String::new(),
        options => format!(" on a board with {}", options.join(" ")),
    };
    let first = match facts.worked.before {
        [] => "at the start".to_owned(),
        turns => format!("after {}", turns.join(" ")),
    };
    let head = format!("An example{on}. First the board {first}:");
    let mut parts = vec![wrap(&head, 72), board(position.as_ref())];
    for (turn, why) in &facts.worked.turns {
        let side = position.to_move().map_or("", |seat| facts.sides[seat.index()]);
        let before = position.fork();
        let texts = position.play_all(turn)?;
        let told = TurnSummary::of(before.as_ref(), &texts).clauses(side, "played", "", None);
        parts.push(wrap(&format!("{told}. {why}"), 72));
        parts.push(board(position.as_ref()));
    }
    Ok(parts.join("\n\n"))
}

/// The small board, set off so that no line is wrapped, below its status lines.
fn board(position: &dyn Match) -> String {
    let drawn = position.draw(Display::Small);
    let (status, board) = drawn.split_once("\n\n").unwrap_or(("", &drawn));
    let board: Vec<_> = board.lines().map(|line| format!("  {line}")).collect();
    let parts = status.lines().map(str::to_owned).chain([board.join("\n")]);
    parts.collect::<Vec<_>>().join("\n\n")
}
