//! The description of a board in letters: its players, its state, its last turns.

use chrono::{DateTime, Utc};
use pbmserv_games::record::Record;
use pbmserv_games::{By, Ending, Match, Outcome, Seat};

use crate::command::InternalError;
use crate::command::wording::clock::clock_line;
use crate::letters::{Head, LastTurns, Times, TurnRow, columns};
use crate::store::Reader;
use crate::table::{Board, End, Offer, Played, Position, Seated};

/// A legal turn as an example; a pass only if there is no other. Nobody writes the dice that are known before a play.
#[must_use]
pub fn legal_turn(game: &dyn Match) -> Option<String> {
    let turns = game.turns(2);
    let turn = turns.iter().find(|turn| *turn != "pass").or(turns.first())?;
    Some(match (game.dice(), turn.split_once(':')) {
        (Some(_), Some((_, play))) => play.replace(',', " "),
        _ => turn.clone(),
    })
}

/// How many rows of turns a board mail shows.
const LAST_TURNS: usize = 5;

/// A position of a board as a record, from which its picture is drawn.
pub(crate) fn record(board: &Board, position: &Position) -> String {
    // A position on which turns are tried has no dice but those that are known.
    let mut record = record_after(board, &position.turns);
    record.roll = position.game.dice();
    record.to_string()
}

/// The record of a board after these turns of it, the first or all, without names and dates, with the dice that are to be played.
pub fn record_after(board: &Board, turns: &[Played]) -> Record {
    let mut record = Record::new(board.game, board.options.clone());
    record.turns = turns.iter().map(|turn| turn.text.clone()).collect();
    record.roll = board.roll_after(&record);
    // An earlier position has no end yet.
    if let Some(End::Finished(ending)) = board.end
        && turns.len() == board.turns as usize
    {
        record.ending = Some(ending);
    }
    record
}

/// `Pow2 Board 101 alice`: the subject of all mails about a board to this reader.
pub fn subject(board: &Board, reader: Option<&Seated>) -> String {
    match reader.filter(|reader| board.seat_of(reader.id).is_some()) {
        Some(reader) => format!("{} {}", board.name(), reader.userid),
        None => board.name(),
    }
}

/// A sentence without the name of its board, for a place where that is known: `alice played m13-j7.`
pub(super) fn without_name(board: &Board, sentence: &str) -> String {
    sentence.replacen(&format!(" on {}", board.name()), "", 1)
}

/// `alice (Light)`.
pub(super) fn with_side(board: &Board, seat: Seat) -> String {
    let Seated { id, userid } = board.at(seat);
    let mark = if id.is_computer() { "computer, " } else { "" };
    format!("{userid} ({mark}{})", board.game.facts.sides[seat.index()])
}

/// The open offer, worded for the reader in this seat or for a watcher; empty if there is none.
pub(super) fn offered(board: &Board, reader: Option<Seat>) -> String {
    let Some((offer, by)) = board.offer else {
        return String::new();
    };
    let who = &board.at(by).userid;
    let (what, yours) = match offer {
        Offer::Draw => ("offers a draw", "You have offered a draw"),
        Offer::Undo => (
            "asks to take the last turn back",
            "You have asked to take the last turn back",
        ),
        Offer::Pause => ("asks for a pause", "You have asked for a pause"),
        Offer::Rematch => ("offers a rematch", "You have offered a rematch"),
    };
    match reader {
        Some(seat) if seat == by => format!(" {yours}."),
        Some(seat) if board.to_move == Some(seat) => {
            format!(" {who} {what}: answer accept or reject, or play on.")
        }
        Some(_) => format!(" {who} {what}: answer accept or reject."),
        None => format!(" {who} {what}."),
    }
}

/// ` by resignation`: how a game ended; empty if its rules ended it.
pub(super) const fn how(by: By) -> &'static str {
    match by {
        By::Rules => "",
        By::Resignation => " by resignation",
        By::Forfeit => " because the time ran out",
        By::Agreement => " by agreement",
        By::Adjudication => " by adjudication",
    }
}

/// How a board ended.
pub fn ended(board: &Board, end: End) -> String {
    ended_for(board, end, None)
}

/// How a board ended, for the player in this seat or for a watcher.
pub(super) fn ended_for(board: &Board, end: End, reader: Option<Seat>) -> String {
    match end {
        End::Removed(_) => {
            "The board was removed before both had moved; it does not count for the ratings.".to_owned()
        }
        End::Void => "The game was declared void; it counts for nobody.".to_owned(),
        End::Finished(Ending { outcome, by }) => match outcome {
            Outcome::Drawn => format!("The game is over: a draw{}.", how(by)),
            Outcome::Won(seat) if Some(seat) == reader => {
                format!("The game is over: you have won{}.", how(by))
            }
            Outcome::Won(seat) => {
                format!("The game is over: {} has won{}.", with_side(board, seat), how(by))
            }
        },
    }
}

/// Whose turn it is, or how the game ended, worded for the reader in this seat or for a watcher.
pub fn status(board: &Board, reader: Option<Seat>) -> String {
    let status = match (board.end, board.to_move) {
        (Some(end), _) => ended_for(board, end, reader),
        (None, Some(seat)) if Some(seat) == reader => {
            format!("It is your turn, {}.", with_side(board, seat))
        }
        (None, Some(seat)) => format!("It is the turn of {}.", with_side(board, seat)),
        (None, None) => return String::new(),
    };
    status + &offered(board, reader)
}

/// The game, the board, and with whom the reader in this seat plays on it.
pub(crate) fn head(board: &Board, reader: Option<Seat>) -> Head {
    let name = |seat: Seat| board.at(seat).marked();
    let players = match reader {
        Some(seat) => format!("with {}", name(seat.other())),
        None => format!("{} against {}", name(Seat::First), name(Seat::Second)),
    };
    Head {
        game: board.game.facts.title.to_owned(),
        place: format!("board {}, {players}", board.number),
    }
}

/// The players, with their ratings if these are given, the options and terms, and when the board began.
pub fn about(board: &Board, ratings: Option<&[String; 2]>, times: Times) -> String {
    let sides = board.game.facts.sides;
    let player = |seat: Seat| {
        let rating = ratings.map(|both| format!(", {}", both[seat.index()]));
        let (Seated { id, userid }, side) = (board.at(seat), sides[seat.index()]);
        let mark = if id.is_computer() { "computer, " } else { "" };
        format!("{userid} ({mark}{side}{})", rating.unwrap_or_default())
    };
    let mut text = format!(
        "{}: {} against {}",
        board.name(),
        player(Seat::First),
        player(Seat::Second)
    );
    let options = board.options.to_string();
    if !options.is_empty() {
        text.push_str(&format!(", {options}"));
    }
    if !board.terms.rated {
        text.push_str(", unrated");
    }
    text.push_str(&format!(". Begun {}", times.date(board.started_at)));
    if let Some(ended_at) = board.ended_at {
        text.push_str(&format!(", ended {}", times.date(ended_at)));
    }
    text + "."
}

/// The ratings of both players while a game for the ratings runs: the letter about its end says how they change.
pub(crate) fn running_ratings(
    store: &Reader,
    board: &Board,
    now: DateTime<Utc>,
) -> Result<Option<[String; 2]>, InternalError> {
    if !board.terms.rated || board.end.is_some() {
        return Ok(None);
    }
    let rating = |seat: Seat| -> Result<String, InternalError> {
        let standing = store.standing(board.at(seat).id, board.game)?;
        Ok(standing.rating_at(now).shown())
    };
    Ok(Some([rating(Seat::First)?, rating(Seat::Second)?]))
}

/// As [`about`] without ratings, with the clock.
pub(crate) fn about_with_clock(store: &Reader, board: &Board, times: Times) -> Result<String, InternalError> {
    let mut text = about(board, None, times);
    if let Some(seat) = board.to_move {
        let since = times.said(board.moved_at);
        text.push_str(&format!(" {} to move since {since}.", board.at(seat).userid));
    }
    let clock = clock_line(store, board, times)?;
    Ok(format!("{text} {clock}").trim_end().to_owned())
}

/// The last turns in two columns, numbered by the first player's turns. Consecutive turns of one player share a
/// cell.
pub fn last_turns(board: &Board, turns: &[Played]) -> LastTurns {
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
    let newest = rows.len();
    let numbered = (1..).zip(rows).skip(newest.saturating_sub(LAST_TURNS));
    let rows: Vec<_> = numbered
        .map(|(number, turns)| TurnRow {
            number,
            turns,
            newest: last.filter(|_| number == newest).map(Seat::index),
        })
        .collect();
    let players = Seat::BOTH.map(|seat| with_side(board, seat));
    let cells = |number: &str, [first, second]: &[String; 2]| {
        vec![format!("  {number}"), first.clone(), second.clone()]
    };
    let lines: Vec<_> = std::iter::once(cells("No.", &players))
        .chain(rows.iter().map(|row| cells(&row.number.to_string(), &row.turns)))
        .collect();
    LastTurns {
        text: if rows.is_empty() {
            String::new()
        } else {
            columns(&lines)
        },
        players,
        rows,
    }
}
