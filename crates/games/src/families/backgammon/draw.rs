//! The board as text: the viewer's home is at the bottom on the right, and points are numbered as the viewer counts them.

use super::board::{BAR, OFF, Position};
use super::game::{Crawford, Game, State};
use crate::{Display, Seat};

/// The rows of checkers on either side. A point with more has their number in the last row.
const ROWS: u8 = 5;

/// What the two sides are called.
pub const SIDES: [&str; 2] = ["White", "Black"];

/// Their checkers in the drawing.
pub const LETTERS: [char; 2] = ['o', 'x'];

/// Draws the game as this side sees it. The small drawing has at most 40 columns, the large one at most 79.
#[must_use]
pub fn draw(game: &Game, view: Seat, display: Display) -> String {
    drawn(game, view, display, &due(game))
}

/// The same before the first dice, for which the viewer is asked.
#[must_use]
pub(super) fn before_the_dice(game: &Game, view: Seat, display: Display) -> String {
    let due = format!("{}: say roll, and the dice roll", SIDES[view.index()]);
    drawn(game, view, display, &due)
}

fn drawn(game: &Game, view: Seat, display: Display, due: &str) -> String {
    match display {
        Display::Small => small(game, view, due),
        Display::Large => large(game, view, due),
    }
}

/// The points of a row of the board, from left to right, in its two halves.
fn halves(is_top: bool) -> [Vec<u8>; 2] {
    match is_top {
        true => [(13..=18).collect(), (19..=24).collect()],
        false => [(7..=12).rev().collect(), (1..=6).rev().collect()],
    }
}

/// The three characters of a point in this row, counted from the edge.
fn cell(position: &Position, view: Seat, point: u8, row: u8) -> String {
    let (own, other) = (position.count(view, point), position.against(view, point));
    match own {
        0 => pile(view.other(), other, row),
        _ => pile(view, own, row),
    }
}

fn pile(seat: Seat, count: u8, row: u8) -> String {
    match row + 1 {
        ROWS if count > ROWS => format!("{count:>2} "),
        row if row <= count => format!(" {} ", LETTERS[seat.index()]),
        _ => "   ".to_owned(),
    }
}

fn cells(position: &Position, view: Seat, points: &[u8], row: u8) -> String {
    let cells = points.iter().map(|point| cell(position, view, *point, row));
    cells.collect()
}

/// The edge with the numbers of the points.
fn edge(is_top: bool, middle: &str) -> String {
    let names = |points: &Vec<u8>| {
        let names = points.iter().map(|point| format!("{point:->2}-"));
        names.collect::<String>()
    };
    let [left, right] = halves(is_top);
    format!("+{}{middle}{}+", names(&left), names(&right))
}

/// The rows from top to bottom: which half, and which row from its edge.
fn rows() -> impl Iterator<Item = (bool, u8)> {
    let top = (0..ROWS).map(|row| (true, row));
    top.chain((0..ROWS).rev().map(|row| (false, row)))
}

fn small(game: &Game, view: Seat, due: &str) -> String {
    let position = game.position();
    let side = |seat| {
        let off = position.count(seat, OFF);
        let bar = match position.count(seat, BAR) {
            0 => "0".to_owned(),
            count @ 1..=ROWS => LETTERS[seat.index()].to_string().repeat(usize::from(count)),
            count => format!("{}{count}", LETTERS[seat.index()].to_string().repeat(4)),
        };
        format!("{}, bar {bar}, off {off}", pips(game, seat))
    };
    let mut lines = vec![side(view.other()), edge(true, "+")];
    for (is_top, row) in rows() {
        if (is_top, row) == (false, ROWS - 1) {
            let blank = " ".repeat(18);
            lines.push(format!("|{blank}|{blank}|"));
        }
        let [left, right] = halves(is_top).map(|points| cells(position, view, &points, row));
        lines.push(format!("|{left}|{right}|"));
    }
    lines.extend([edge(false, "+"), side(view)]);
    lines.extend(match_lines(game, due));
    joined(&lines)
}

fn large(game: &Game, view: Seat, due: &str) -> String {
    let position = game.position();
    let mut lines = vec![edge(true, "-----")];
    for (is_top, row) in rows() {
        if (is_top, row) == (false, ROWS - 1) {
            let blank = " ".repeat(18);
            lines.push(format!("|{blank}|BAR|{blank}|"));
        }
        let on_bar = if is_top { view.other() } else { view };
        let bar = pile(on_bar, position.count(on_bar, BAR), row);
        let [left, right] = halves(is_top).map(|points| cells(position, view, &points, row));
        lines.push(format!("|{left}|{bar}|{right}|"));
    }
    lines.push(edge(false, "-----"));
    let notes = |seat: Seat| {
        let score = format!("score {}", game.score()[seat.index()]);
        [
            pips(game, seat),
            format!("off {}", position.count(seat, OFF)),
            score,
        ]
    };
    let mut margin = vec![String::new(); lines.len()];
    let (top, bottom) = (notes(view.other()), notes(view));
    let middle = match_lines(game, due);
    let is_one = game.length() == 1;
    let count = if is_one { 2 } else { 3 };
    let from_end = margin.len() - count;
    let places = (0..count)
        .chain(5..5 + middle.len())
        .chain(from_end..margin.len());
    let notes = top
        .into_iter()
        .take(count)
        .chain(middle)
        .chain(bottom.into_iter().take(count));
    for (place, note) in places.zip(notes) {
        if let Some(line) = margin.get_mut(place) {
            *line = note;
        }
    }
    let lines: Vec<_> = lines
        .iter()
        .zip(&margin)
        .map(|(line, note)| format!("{line}   {note}"))
        .collect();
    joined(&lines)
}

fn pips(game: &Game, seat: Seat) -> String {
    let (side, letter) = (SIDES[seat.index()], LETTERS[seat.index()]);
    format!("{side} {letter}: pips {}", game.position().pips(seat))
}

/// The match, the cube, and what is due.
fn match_lines(game: &Game, due: &str) -> Vec<String> {
    let [white, black] = game.score();
    let length = game.length();
    let mut lines = match length {
        1 => vec!["One game, without a cube".to_owned()],
        _ => vec![format!("Match to {length}: White {white}, Black {black}")],
    };
    let side = |seat: Seat| SIDES[seat.index()];
    match game.cube() {
        _ if length == 1 => {}
        _ if game.crawford() == Crawford::Now => lines.push("Crawford game: no cube".to_owned()),
        (value, Some(owner)) => lines.push(format!("Cube {value}, owned by {}", side(owner))),
        (value, None) => lines.push(format!("Cube {value}, in the middle")),
    }
    if let State::Conceded(loss) = game.state() {
        let mover = game.to_move().map(Seat::other).map(side).unwrap_or_default();
        if let Some(State::ToPlay(roll)) = game.interrupted() {
            lines.push(format!("{mover} has rolled {roll}"));
        }
        lines.push(format!("{mover} offers to lose {}", loss.named()));
    }
    lines.push(due.to_owned());
    lines
}

/// Who is to do what.
fn due(game: &Game) -> String {
    let side = |seat: Seat| SIDES[seat.index()];
    let mover = game.to_move().map(side).unwrap_or_default();
    match (game.state(), game.winner()) {
        (State::ToPlay(roll), _) => format!("{mover} to play {roll}"),
        (State::RollOrDouble, _) => format!("{mover} to roll or double"),
        (State::Doubled, _) => {
            let value = u16::from(game.cube().0) * 2;
            format!("{mover} to take at {value} or drop")
        }
        (State::Conceded(_), _) => format!("{mover} to accept or refuse"),
        (State::NeedsRoll, _) => format!("{mover} to roll"),
        (State::GameOver, Some(winner)) => format!("{} has won the match", side(winner)),
        (State::GameOver, None) => "The match is over".to_owned(),
        (State::NeedsOpeningRoll, _) => "The opening roll is due".to_owned(),
    }
}

fn joined(lines: &[String]) -> String {
    let lines = lines.iter().map(|line| format!("{}\n", line.trim_end()));
    lines.collect()
}
