//! The description of a board in letters: its players, its state, its last turns.

use chrono::{DateTime, Utc};

use crate::command::InternalError;
use crate::command::wording::clock::clock_line;
use crate::games::record::Record;
use crate::games::{Match, Outcome, Seat};
use crate::letters::columns;
use crate::store::Reader;
use crate::table::{Board, End, Offer, Played, Position, Seated};

/// A legal turn as an example; a pass only if there is no other.
pub(crate) fn legal_turn(game: &dyn Match) -> Option<String> {
    let turns = game.turns(2);
    turns
        .iter()
        .find(|turn| *turn != "pass")
        .or(turns.first())
        .cloned()
}

/// How many rows of turns a board mail shows.
const LAST_TURNS: usize = 6;

/// A position of a board as a record, from which its picture is drawn.
pub(crate) fn record(board: &Board, position: &Position) -> String {
    let mut record = Record::new(board.game, board.options.clone());
    record.turns = position.turns.iter().map(|turn| turn.text.clone()).collect();
    // An earlier position has no end yet.
    if let Some(End::Finished(ending)) = board.end
        && position.turns.len() == board.turns as usize
    {
        record.ending = Some(ending);
    }
    record.to_string()
}

/// `Pow2 Board 101 alice`: the subject of all mails about a board to this reader.
pub(crate) fn subject(board: &Board, reader: Option<&Seated>) -> String {
    match reader.filter(|reader| board.seat_of(reader.id).is_some()) {
        Some(reader) => format!("{} {}", board.name(), reader.userid),
        None => board.name(),
    }
}

/// `alice (Light)`.
fn with_side(board: &Board, seat: Seat) -> String {
    format!(
        "{} ({})",
        board.at(seat).userid,
        board.game.facts.sides[seat.index()]
    )
}

/// The open offer, worded for the reader in this seat or for a watcher; empty if there is none.
fn offered(board: &Board, reader: Option<Seat>) -> String {
    let Some((offer, by)) = board.offer else {
        return String::new();
    };
    let (who, what) = (
        &board.at(by).userid,
        match offer {
            Offer::Draw => "offers a draw",
            Offer::Undo => "asks to take the last turn back",
            Offer::Rematch => "offers a rematch",
        },
    );
    match reader {
        Some(seat) if seat != by && board.to_move == Some(seat) => {
            format!(" {who} {what}: answer accept or reject, or play on.")
        }
        Some(seat) if seat != by => format!(" {who} {what}: answer accept or reject."),
        _ => format!(" {who} {what}."),
    }
}

/// Whose turn it is, or how the game ended, worded for the reader in this seat or for a watcher.
pub(crate) fn status(board: &Board, reader: Option<Seat>) -> String {
    use crate::games::By;
    match board.end {
        Some(End::Removed) => "The board was removed before both had moved; it does not count.".to_owned(),
        Some(End::Void) => format!(
            "The game was declared void; it counts for nobody.{}",
            offered(board, reader)
        ),
        Some(End::Finished(ending)) => {
            let by = match ending.by {
                By::Rules => "",
                By::Resignation => " by resignation",
                By::Forfeit => " because the time ran out",
                By::Agreement => " by agreement",
                By::Adjudication => " by adjudication",
            };
            let offered = offered(board, reader);
            match ending.outcome {
                Outcome::Drawn => format!("The game is over: a draw{by}.{offered}"),
                Outcome::Won(seat) => {
                    format!(
                        "The game is over: {} has won{by}.{offered}",
                        with_side(board, seat)
                    )
                }
            }
        }
        None => match board.to_move {
            Some(seat) if Some(seat) == reader => {
                format!(
                    "It is your turn, {}.{}",
                    with_side(board, seat),
                    offered(board, reader)
                )
            }
            Some(seat) => format!(
                "It is the turn of {}.{}",
                with_side(board, seat),
                offered(board, reader)
            ),
            None => String::new(),
        },
    }
}

/// The players, the options and terms, and when the board began.
pub(crate) fn about(board: &Board) -> String {
    let mut text = format!(
        "{}: {} against {}",
        board.name(),
        with_side(board, Seat::First),
        with_side(board, Seat::Second)
    );
    let options = board.options.to_string();
    if !options.is_empty() {
        text.push_str(&format!(", {options}"));
    }
    if !board.terms.rated {
        text.push_str(", unrated");
    }
    text.push_str(&format!(". Begun {}", board.started_at.format("%Y-%m-%d")));
    match (board.ended_at, board.to_move) {
        (Some(ended_at), _) => text.push_str(&format!(", ended {}.", ended_at.format("%Y-%m-%d"))),
        (None, Some(seat)) => {
            let since = board.moved_at.format("%Y-%m-%d %H:%M");
            text.push_str(&format!("; {} to move since {since} UTC.", board.at(seat).userid));
        }
        (None, None) => text.push('.'),
    }
    text
}

/// As [`about`], with the clock.
pub(crate) fn about_with_clock(
    store: &Reader,
    board: &Board,
    now: DateTime<Utc>,
) -> Result<String, InternalError> {
    let about = about(board);
    let clock = clock_line(store, board, now)?;
    Ok(format!("{about} {clock}").trim_end().to_owned())
}

/// The last turns in two columns, numbered by the first player's turns. Consecutive turns of one player share a
/// cell.
pub(crate) fn last_turns(turns: &[Played]) -> String {
    let mut rows: Vec<[String; 2]> = Vec::new();
    let mut last = None;
    for turn in turns {
        let new_row = turn.seat == Seat::First && last != Some(Seat::First);
        if new_row || rows.is_empty() {
            rows.push([String::new(), String::new()]);
        }
        if let Some(row) = rows.last_mut() {
            let cell = &mut row[turn.seat.index()];
            cell.push_str(if cell.is_empty() { "" } else { "," });
            cell.push_str(&turn.text);
        }
        last = Some(turn.seat);
    }
    let first = rows.len().saturating_sub(LAST_TURNS);
    let numbered = rows.into_iter().enumerate().skip(first);
    let lines: Vec<_> = numbered
        .map(|(index, [a, b])| vec![format!("{:>4}.", index + 1), a, b])
        .collect();
    columns(&lines)
}
