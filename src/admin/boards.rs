//! `board`: the boards, for the operator.

use crate::command::{board_about, board_status, board_table};
use crate::games::{self, Display};
use crate::service::office::Office;
use crate::store::BoardFilter;
use crate::table::Position;

/// The boards as a table.
pub(super) fn list(office: &Office, game: Option<&str>, all: bool) -> anyhow::Result<String> {
    let game = match game {
        None => None,
        Some(name) => {
            Some(games::find(name).ok_or_else(|| anyhow::anyhow!("there is no game called {name}"))?)
        }
    };
    let running = (!all).then_some(true);
    let boards = office.reader()?.boards(BoardFilter {
        game,
        running,
        limit: 10_000,
        ..BoardFilter::default()
    })?;
    if boards.is_empty() {
        return Ok("There are no such boards.\n".to_owned());
    }
    Ok(format!("{}\n", board_table(&boards)))
}

/// One board: state, turns, drawing.
pub(super) fn show(office: &Office, game: &str, number: u32) -> anyhow::Result<String> {
    let reader = office.reader()?;
    let game = games::find(game).ok_or_else(|| anyhow::anyhow!("there is no game called {game}"))?;
    let board = reader.board(game, number)?;
    let board = board.ok_or_else(|| anyhow::anyhow!("there is no {} Board {number}", game.facts.name))?;
    let position = Position::replay(&board, reader.turns(board.id)?, usize::MAX)?;
    let mut out = format!("{}\n{}\n", board_about(&board), board_status(&board, None));
    for (index, turn) in position.turns.iter().enumerate() {
        let who = &board.at(turn.seat).userid;
        out.push_str(&format!(
            "  {:>4} {} {who}: {}\n",
            index + 1,
            turn.at.format("%Y-%m-%d %H:%M"),
            turn.text
        ));
    }
    out.push('\n');
    out.push_str(&position.game.draw(Display::Large));
    Ok(out)
}
