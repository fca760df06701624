//! What `board list` and `board show` print.

use pbmserv_games::{Display, Game, Outcome, Seat};
use serde::Serialize;

use crate::engine::server::Server;
use pbmserv_core::command::{board_about, board_status, board_table};
use pbmserv_core::letters::Times;
use pbmserv_core::store::BoardFilter;
use pbmserv_core::table::{Board, End, Played};

/// A board as JSON; times are milliseconds since 1970.
#[derive(Debug, Serialize)]
pub(in crate::admin) struct BoardJson {
    game: &'static str,
    number: u32,
    first: String,
    second: String,
    options: String,
    rated: bool,
    turns: u32,
    /// "first" or "second"; null when it is over.
    to_move: Option<&'static str>,
    /// "first", "second", "draw", "removed" or "void"; null while it runs.
    result: Option<&'static str>,
    /// "rules", "resignation", "forfeit", "agreement" or "adjudication".
    by: Option<&'static str>,
    started_at: i64,
    moved_at: i64,
    ended_at: Option<i64>,
}

const fn seat_word(seat: Seat) -> &'static str {
    match seat {
        Seat::First => "first",
        Seat::Second => "second",
    }
}

impl BoardJson {
    pub(in crate::admin) fn of(board: &Board) -> Self {
        let (result, by) = match board.end {
            None => (None, None),
            Some(End::Removed(_)) => (Some("removed"), None),
            Some(End::Void) => (Some("void"), None),
            Some(End::Finished(ending)) => {
                let result = match ending.outcome {
                    Outcome::Won(seat) => seat_word(seat),
                    Outcome::Drawn => "draw",
                };
                (Some(result), Some(ending.by.word()))
            }
        };
        let [first, second] = &board.players;
        Self {
            game: board.game.facts.name,
            number: board.number,
            first: first.userid.clone(),
            second: second.userid.clone(),
            options: board.options.to_string(),
            rated: board.terms.rated,
            turns: board.turns,
            to_move: board.to_move.map(seat_word),
            result,
            by,
            started_at: board.started_at.timestamp_millis(),
            moved_at: board.moved_at.timestamp_millis(),
            ended_at: board.ended_at.map(|at| at.timestamp_millis()),
        }
    }
}

#[derive(Debug, Serialize)]
struct TurnJson {
    seat: &'static str,
    turn: String,
    played_at: i64,
}

#[derive(Debug, Serialize)]
struct WholeJson {
    #[serde(flatten)]
    board: BoardJson,
    played: Vec<TurnJson>,
    /// The league or cup whose game it is; null: of none.
    contest: Option<String>,
    /// Why it does not replay; null if it does.
    fault: Option<String>,
}

pub(super) fn list(server: &Server, game: Option<&str>, all: bool, json: bool) -> anyhow::Result<String> {
    let game = game.map(find).transpose()?;
    let running = (!all).then_some(true);
    let boards = server.reader()?.boards(BoardFilter {
        game,
        running,
        limit: 10_000,
        ..BoardFilter::default()
    })?;
    if json {
        let rows: Vec<_> = boards.iter().map(BoardJson::of).collect();
        return Ok(format!("{}\n", serde_json::to_string(&rows)?));
    }
    if boards.is_empty() {
        return Ok("There are no such boards.\n".to_owned());
    }
    Ok(format!("{}\n", board_table(&boards)))
}

/// One board: its state, its turns, and its drawing or why it does not replay.
pub(super) fn show(server: &Server, game: &'static Game, number: u32, json: bool) -> anyhow::Result<String> {
    let reader = server.reader()?;
    let board = reader.board(game, number)?;
    let board = board.ok_or_else(|| anyhow::anyhow!("there is no {} Board {number}", game.facts.name))?;
    let turns = reader.turns(board.id)?;
    let drawing = board
        .replay(turns.clone(), usize::MAX)
        .map(|position| position.game.draw(Display::Large))
        .map_err(|error| error.to_string());
    if json {
        let played = |turn: Played| TurnJson {
            seat: seat_word(turn.seat),
            turn: turn.text,
            played_at: turn.at.timestamp_millis(),
        };
        let whole = WholeJson {
            board: BoardJson::of(&board),
            played: turns.into_iter().map(played).collect(),
            contest: reader.contest_of(board.id)?.map(|row| row.name()),
            fault: drawing.err(),
        };
        return Ok(format!("{}\n", serde_json::to_string(&whole)?));
    }
    let about = board_about(&board, None, Times::utc(server.now()));
    let mut out = format!("{about}\n{}\n", board_status(&board, None));
    for (index, turn) in turns.iter().enumerate() {
        let who = &board.at(turn.seat).userid;
        out.push_str(&format!(
            "  {:>4} {} {who}: {}\n",
            index + 1,
            turn.at.format("%Y-%m-%d %H:%M"),
            turn.text
        ));
    }
    out.push('\n');
    match drawing {
        Ok(drawing) => out.push_str(&drawing),
        Err(fault) => out.push_str(&format!("{fault}\n")),
    }
    Ok(out)
}

pub(super) fn find(game: &str) -> anyhow::Result<&'static Game> {
    pbmserv_games::find(game).ok_or_else(|| anyhow::anyhow!("there is no game called {game}"))
}
