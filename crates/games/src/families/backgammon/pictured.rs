//! The board as a picture: the home of the player to move is at the bottom on the right.
//!
//! A checker stands on a place of its point: `8.1` is the place at the edge of White's point 8, `8.2` the next one. Five checkers
//! are drawn; of more, four and the number. White's bar is 25, Black's is 0. What is off and the cube are numbers on points of their own.

use super::board::{BAR, OFF};
use super::draw;
use super::game::State;
use super::served::{Backgammon, BackgammonGame};
use crate::Seat;
use crate::kit::picture::{Coordinates, Label, Layout, Point};
use crate::kit::words::list;

/// The distance of two checkers.
const STEP: f64 = 30.0;

/// The width of the bar.
const BAR_WIDTH: f64 = 40.0;

/// How many checkers of a point are drawn.
const ROWS: u8 = 5;

/// The distance between the first places above and below.
const HEIGHT: f64 = 330.0;

/// The names of the points are this far from the first places.
const TO_NAME: f64 = 27.0;

/// The name of the cube as a point.
const CUBE: &str = "cube";

/// Half of the height of the cube, which has a place for a mark below its number.
const CUBE_HIGH: f64 = 19.0;

/// The height of the numbers on the board.
const NUMBER: f64 = 11.0;

impl<G: BackgammonGame> Backgammon<G> {
    /// The name of the place at the edge of a point that the player to move counts so.
    pub(super) fn point(&self, point: u8) -> String {
        match point {
            OFF => off(self.view()),
            _ => place(self.view(), point, 1),
        }
    }

    /// The checkers that are drawn, in reading order.
    pub(super) fn checkers(&self) -> Vec<(String, char)> {
        let position = self.game.position();
        let mut cells = Vec::new();
        for point in self.in_reading_order() {
            for seat in Seat::BOTH {
                let count = position.count(seat, own(seat, self.view(), point));
                let letter = draw::LETTERS[seat.index()];
                let rows = 1..=drawn(count);
                cells.extend(rows.map(|row| (place(self.view(), point, row), letter)));
            }
        }
        cells
    }

    /// The checkers of each side by its own count of the points, and the dice.
    pub(super) fn checkers_in_words(&self) -> Vec<String> {
        let position = self.game.position();
        let of = |seat: Seat| {
            let places = [BAR].into_iter().chain((1..BAR).rev()).chain([OFF]);
            let held = places.filter_map(|point| match (position.count(seat, point), point) {
                (0, _) => None,
                (count, BAR) => Some(format!("{count} on the bar")),
                (count, OFF) => Some(format!("{count} off")),
                (count, point) => Some(format!("{count} on {point}")),
            });
            format!(
                "{} has {}, by its own count.",
                draw::SIDES[seat.index()],
                list(held)
            )
        };
        let dice = self
            .dice
            .map(|[one, other]| format!("The dice are {one} and {other}."));
        let offer = match (self.game.state(), self.game.to_move()) {
            (State::Conceded(loss), Some(seat)) => {
                let side = draw::SIDES[seat.other().index()];
                Some(format!("{side} offers to lose {}.", loss.named()))
            }
            _ => None,
        };
        Seat::BOTH.map(of).into_iter().chain(dice).chain(offer).collect()
    }

    /// What is off, the cube, and the checkers of full points, whose last one that is drawn stands for the others.
    pub(super) fn numbers_shown(&self) -> Vec<(String, u32)> {
        let position = self.game.position();
        let mut numbers = Vec::new();
        for seat in Seat::BOTH {
            numbers.push((off(seat), u32::from(position.count(seat, OFF))));
            let full = (1..=BAR).filter(|point| position.count(seat, *point) > ROWS);
            numbers.extend(full.map(|point| {
                let count = u32::from(position.count(seat, point));
                (place(seat, point, drawn(ROWS + 1)), count)
            }));
        }
        if self.game.length() > 1 {
            let (value, owner) = self.game.cube();
            let owner = owner.map_or(0, |seat| 1 + u32::from(seat == Seat::Second));
            let is_offered = u32::from(self.game.state() == State::Doubled);
            numbers.push((CUBE.to_owned(), u32::from(value) * 6 + owner * 2 + is_offered));
        }
        numbers
    }

    /// The points as the player to move counts them, with both bars.
    fn in_reading_order(&self) -> impl Iterator<Item = u8> {
        (13..=18)
            .chain([OFF])
            .chain(19..=24)
            .chain((7..=12).rev())
            .chain([BAR])
            .chain((1..=6).rev())
    }

    /// The empty board, with the numbers of points of more than five checkers, and the dice.
    pub(super) fn board(&self) -> Layout {
        let mut layout = Layout::default();
        let position = self.game.position();
        for point in self.in_reading_order() {
            let rows = 1..=ROWS;
            layout.points.extend(rows.map(|row| Point {
                name: place(self.view(), point, row),
                at: at(point, row),
                outline: if row == 1 { outline(point) } else { Vec::new() },
                is_shaded: row == 1 && point % 2 == 1 && !matches!(point, OFF | BAR),
            }));
            let (x, y) = at(point, 1);
            let out = if is_above(point) { -TO_NAME } else { TO_NAME };
            if !matches!(point, OFF | BAR) {
                layout.labels.push(Label::edge(point.to_string(), (x, y + out)));
            }
            let count = Seat::BOTH.map(|seat| position.count(seat, own(seat, self.view(), point)));
            let count = count[0].max(count[1]);
            if count > ROWS {
                layout.labels.push(Label {
                    text: count.to_string(),
                    at: at(point, ROWS),
                    height: NUMBER,
                });
            }
        }
        for seat in Seat::BOTH {
            let (x, y) = tray(seat == self.view());
            let (half, high) = (STEP / 2.0, 2.0 * STEP);
            layout.points.push(Point {
                name: off(seat),
                at: (x, y),
                outline: vec![
                    (x - half, y - high),
                    (x + half, y - high),
                    (x + half, y + high),
                    (x - half, y + high),
                ],
                is_shaded: true,
            });
            layout.labels.extend(
                [
                    ("off".to_owned(), -13.0),
                    (position.count(seat, OFF).to_string(), 13.0),
                ]
                .map(|(text, down)| Label {
                    text,
                    at: (x, y + down),
                    height: 8.5,
                }),
            );
        }
        if self.game.length() > 1 {
            self.draw_cube(&mut layout);
        }
        if let Some([one, other]) = self.dice {
            let (x, _) = at(3, 1);
            layout.labels.push(Label {
                text: format!("{one} {other}"),
                at: (x + STEP / 2.0, HEIGHT / 2.0),
                height: 16.0,
            });
        }
        layout
    }

    /// The cube between the trays, nearer to that of its owner.
    fn draw_cube(&self, layout: &mut Layout) {
        let (value, owner) = self.game.cube();
        let (x, _) = tray(true);
        let y = match owner {
            None => HEIGHT / 2.0,
            Some(owner) if owner == self.view() => HEIGHT / 2.0 + CUBE_HIGH,
            Some(_) => HEIGHT / 2.0 - CUBE_HIGH,
        };
        let half = STEP / 2.0;
        layout.points.push(Point {
            name: CUBE.to_owned(),
            at: (x, y + 9.0),
            outline: vec![
                (x - half, y - CUBE_HIGH),
                (x + half, y - CUBE_HIGH),
                (x + half, y + CUBE_HIGH),
                (x - half, y + CUBE_HIGH),
            ],
            is_shaded: false,
        });
        layout.labels.push(Label {
            text: value.to_string(),
            at: (x, y - 8.0),
            height: NUMBER,
        });
    }
}

/// How many of the checkers of a point are drawn: of more than five the number stands in the fifth place.
pub(super) const fn drawn(count: u8) -> u8 {
    if count > ROWS { ROWS - 1 } else { count }
}

/// The name of a place of a point that this side counts so.
fn place(view: Seat, point: u8, row: u8) -> String {
    let point = match view {
        Seat::First => point,
        Seat::Second => BAR - point,
    };
    format!("{point}.{row}")
}

/// The name of the tray, where the checkers of a side are that are off.
fn off(seat: Seat) -> String {
    format!("{}off", draw::SIDES[seat.index()].to_lowercase())
}

/// The middle of a tray.
fn tray(is_below: bool) -> Coordinates {
    let y = 2.0 * STEP;
    (12.4 * STEP + BAR_WIDTH, if is_below { HEIGHT - y } else { y })
}

/// How a side counts a point, or the bar, of the board as another side counts it. 0 is the bar of the other side.
fn own(seat: Seat, view: Seat, point: u8) -> u8 {
    match (seat == view, point) {
        // A checker that is off is not drawn, and the bar of the other side is no point of this one.
        (true, OFF) | (false, BAR) => BAR + 1,
        (true, point) => point,
        (false, point) => BAR - point,
    }
}

const fn is_above(point: u8) -> bool {
    matches!(point, 13..=24 | OFF)
}

/// The middle of a place.
fn at(point: u8, row: u8) -> Coordinates {
    let column = match point {
        13..=24 => point - 13,
        1..=12 => 12 - point,
        _ => 0,
    };
    let x = match point {
        OFF | BAR => 5.5 * STEP + BAR_WIDTH / 2.0,
        _ if column >= 6 => f64::from(column) * STEP + BAR_WIDTH,
        _ => f64::from(column) * STEP,
    };
    let y = f64::from(row - 1) * STEP;
    (x, if is_above(point) { y } else { HEIGHT - y })
}

/// A triangle from the edge, or the half of the bar.
fn outline(point: u8) -> Vec<Coordinates> {
    let ((x, y), half) = (at(point, 1), STEP / 2.0);
    let (edge, tip) = match is_above(point) {
        true => (y - half, y + 5.0 * STEP),
        false => (y + half, y - 5.0 * STEP),
    };
    match point {
        OFF | BAR => {
            let half = BAR_WIDTH / 2.0;
            vec![
                (x - half, edge),
                (x + half, edge),
                (x + half, HEIGHT / 2.0),
                (x - half, HEIGHT / 2.0),
            ]
        }
        _ => vec![(x - half, edge), (x + half, edge), (x + 4.0, tip), (x - 4.0, tip)],
    }
}
