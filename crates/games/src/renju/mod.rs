//! Renju, by the rules of Renju International Federation: five in a row, with stones forbidden to Black.

mod forbidden;
mod pictured;
#[cfg(test)]
mod tests;

use self::forbidden::SIZE;
use super::families::placement::{self, Board, StoneGame, Stones, Swap, rows};
use super::{Facts, Mistakes, Options, Outcome, Rules as _, Seat, Worked};
use crate::kit::square::{Bits, Cell, Grid};

const FACTS: Facts = Facts {
    name: "Renju",
    title: "Renju",
    sides: ["First", "Second"],
    designer: "Renju International Federation",
    summary: "Five in a row; threes and fours are forbidden to Black.",
    rules: include_str!("rules.txt"),
    notation: "The crossing of the stone: h8. In the opening swap exchanges the colours.",
    worked: Worked {
        options: &[],
        before: &["h8"],
        turns: [
            (
                "i9",
                "The second stone, White's, stands beside the middle, within the square of three crossings.",
            ),
            (
                "swap",
                "First now wants White: all stones change their owner. Second is Black, and puts the third stone.",
            ),
        ],
    },
    pictured: pictured::PICTURED,
    example: &["h8", "i9", "h10", "g9"],
    source: "Renju International Federation, https://www.renju.net/rifrules/, with the opening rule of Yuri Tarannikov",
    knows_draws: true,
    // One turn for each crossing, and five swaps.
    longest_random_game: 230,
    ..placement::FACTS
};

/// A position of Renju.
pub type Renju = Stones<Forbidding>;

/// The rule of Renju.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forbidding {
    black: Seat,
    /// Whether the last turn was a swap.
    has_swapped: bool,
}

const MIDDLE: u8 = SIZE / 2;
/// The stones of the opening, which lie near the middle.
const OPENING: u32 = 5;

fn stones_put(at: &Renju) -> u32 {
    (at.stones[0] | at.stones[1]).count()
}

fn from_middle(cell: Cell) -> u32 {
    u32::from(cell.column().abs_diff(MIDDLE).max(cell.row().abs_diff(MIDDLE)))
}

impl StoneGame for Forbidding {
    const FACTS: Facts = FACTS;

    const EFFORT: u64 = 60;

    const MISTAKES: Mistakes = rows::MISTAKES;

    fn board(_: &Options) -> Board {
        Board::Crossings(Grid::new(SIZE))
    }

    fn start(_: &Options, _: Board) -> Self {
        Self {
            black: Seat::First,
            has_swapped: false,
        }
    }

    fn swap(at: &Renju) -> Swap {
        match stones_put(at) {
            1..=OPENING if !at.game.has_swapped => Swap::Possible,
            1..=OPENING => Swap::Never("The colours were exchanged just now: a stone must be put first."),
            _ => Swap::Never("You can swap after each of the first five stones, and at no other time."),
        }
    }

    fn take_over(at: &mut Renju) {
        at.stones.swap(0, 1);
        at.game = Self {
            black: at.game.black.other(),
            has_swapped: true,
        };
    }

    fn open(at: &Renju) -> Bits {
        let (empty, put) = (at.empty(), stones_put(at));
        match put {
            0..OPENING => empty.iter().filter(|cell| from_middle(*cell) <= put).collect(),
            _ if at.mover == at.game.black => empty - forbidden::all(at.own(), empty),
            _ => empty,
        }
    }

    fn forbidden(at: &Renju, cell: Cell) -> String {
        match (stones_put(at), forbidden::why(at.own(), at.empty(), cell)) {
            (0, _) => "The first stone is put on the middle, h8.".to_owned(),
            (put @ 1..OPENING, _) => {
                let width = 2 * put + 1;
                format!(
                    "This stone is put within the {width} by {width} crossings in the middle, and {cell} is outside."
                )
            }
            (_, Some(why)) => format!("Black may not put a stone on {cell}: it would make {why}."),
            (_, None) => format!("No stone can be put on {cell}."),
        }
    }

    fn follow(at: &mut Renju, cell: Cell) -> Option<Outcome> {
        at.game.has_swapped = false;
        let rows = rows::lengths(at.own(), cell, SIZE);
        let is_black = at.mover == at.game.black;
        let wins = |row: &u8| *row == rows::ROW || (*row > rows::ROW && !is_black);
        rows.iter().any(wins).then_some(Outcome::Won(at.mover))
    }

    /// If all that is left is forbidden, nobody can win any more.
    fn settle(at: &mut Renju) {
        if at.outcome.is_none() && at.empty().count() < 60 && Self::open(at).is_empty() {
            at.outcome = Some(Outcome::Drawn);
        }
    }

    fn effects(_: &Renju, after: &Renju, _: Cell) -> Vec<String> {
        let effect = match after.outcome {
            Some(Outcome::Won(_)) => Some("got five in a row".to_owned()),
            Some(Outcome::Drawn) if !after.empty().is_empty() => {
                Some("left no crossing that is allowed".to_owned())
            }
            _ => None,
        };
        effect.into_iter().collect()
    }

    fn status(at: &Renju) -> Option<String> {
        let [black, white] = match at.game.black {
            Seat::First => ["x", "o"],
            Seat::Second => ["o", "x"],
        };
        Some(format!("{black} is Black, {white} is White"))
    }

    fn key(&self) -> u64 {
        self.black.index() as u64 | u64::from(self.has_swapped) << 1
    }

    fn value(at: &Renju) -> i32 {
        let [own, other] = rows::of_both(at);
        own.value(&other)
    }

    /// Black's six does not win, and a four of Black can be stopped by what is forbidden then.
    fn worth_a_look(at: &Renju) -> (Bits, bool) {
        match at.to_move() {
            Some(_) if stones_put(at) < OPENING => (at.open(), true),
            _ => rows::worth_a_look(at, false),
        }
    }
}
