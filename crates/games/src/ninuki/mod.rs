//! Ninuki-renju, an old Japanese game: five in a row, or five pairs taken.

mod pictured;
#[cfg(test)]
mod tests;

use super::families::placement::lines::Line;
use super::families::placement::rows::{self, WAYS};
use super::families::placement::{self, Board, StoneGame, Stones};
use super::{Facts, Info, Mistakes, Numbers, OptionFact, Options, Outcome, Range, Seat, Worked};
use crate::kit::square::{Bits, Cell, Grid};
use crate::kit::words::number;

const FACTS: Facts = Facts {
    name: "Ninuki",
    aliases: &["NinukiRenju"],
    title: "Ninuki-renju",
    options: &[OptionFact {
        name: "size",
        range: Some(Range {
            min: 13,
            max: 19,
            step: 2,
            default: 15,
            numbers: Numbers::Whole,
        }),
        help: "the number of rows and of columns, odd",
    }],
    summary: "Five in a row win, and so do five pairs of stones taken.",
    rules: include_str!("rules.txt"),
    notation: "The crossing of the stone: h8.",
    worked: Worked {
        options: &[],
        before: &["h8", "i9", "g7"],
        turns: [
            (
                "j10",
                "White puts a second stone beside i9. That is careless: h8 is at the other end.",
            ),
            (
                "k11",
                "Black has White's stones i9 and j10 between h8 and k11, and takes the pair.",
            ),
        ],
    },
    pictured: pictured::PICTURED,
    example: &["h8", "i9", "h7", "h9"],
    source: "the rules of Ninuki-renju at Richard's PBeM server, with those of Renju International Federation for threes",
    knows_draws: true,
    knows_swap: false,
    // One turn for each crossing, and one for each of the stones that can be taken before the last pair.
    longest_random_game: 400,
    ..placement::FACTS
};

/// A position of Ninuki-renju.
pub type Ninuki = Stones<Pairs>;

/// The rule of Ninuki-renju: the pairs that each side has taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pairs([u8; 2]);

/// The pairs that win.
const PAIRS: u8 = 5;

/// The enemy stones that a stone on this cell takes, two in each of eight directions at most.
fn taken(own: Bits, enemy: Bits, cell: Cell, size: u8) -> Bits {
    let mut all = Bits::EMPTY;
    for (right, up) in WAYS
        .into_iter()
        .flat_map(|(right, up)| [(right, up), (-right, -up)])
    {
        let at = |steps: i8| {
            let column = u8::try_from(cell.column() as i8 + right * steps).ok()?;
            let row = u8::try_from(cell.row() as i8 + up * steps).ok()?;
            (column < size && row < size).then(|| Cell::at(column, row))
        };
        if let [Some(first), Some(second), Some(end)] = [1, 2, 3].map(at)
            && enemy.has(first)
            && enemy.has(second)
            && own.has(end)
        {
            all |= Bits::of(first) | Bits::of(second);
        }
    }
    all
}

fn has_five(stones: Bits, size: u8) -> bool {
    stones.iter().any(|cell| {
        rows::lengths(stones, cell, size)
            .iter()
            .any(|row| *row >= rows::ROW)
    })
}

impl Pairs {
    const fn of(self, seat: Seat) -> u8 {
        self.0[seat.index()]
    }
}

/// Whether the other side can answer a five of the mover: by taking stones so that none is left, or the last pair.
fn can_be_broken(at: &Ninuki) -> bool {
    let (own, enemy, size) = (at.own(), at.enemy(), at.board.side());
    at.empty().iter().any(|cell| {
        let taken = taken(enemy, own, cell, size);
        let pairs = (taken.count() / 2) as u8;
        pairs > 0 && (at.game.of(at.mover.other()) + pairs >= PAIRS || !has_five(own - taken, size))
    })
}

/// Whether a stone on this cell makes two threes without a reason that allows it.
fn makes_two_threes(at: &Ninuki, cell: Cell) -> bool {
    let (own, enemy, size) = (at.own() | Bits::of(cell), at.enemy(), at.board.side());
    let empty = at.empty() - Bits::of(cell);
    let is_three = |way: &&(i8, i8)| {
        let line = Line::through(cell, **way, own, empty, size);
        line.straightening().next().is_some()
    };
    WAYS.iter().filter(is_three).count() > 1
        && taken(at.own(), enemy, cell, size).is_empty()
        && !rows::lengths(own, cell, size).iter().any(|row| *row >= rows::ROW)
}

impl StoneGame for Pairs {
    const FACTS: Facts = FACTS;

    const EFFORT: u64 = 60;

    const MISTAKES: Mistakes = rows::MISTAKES;

    fn board(options: &Options) -> Board {
        // The option allows no number above 19.
        Board::Crossings(Grid::new(options.number(&FACTS, "size") as u8))
    }

    fn start(_: &Options, _: Board) -> Self {
        Self([0; 2])
    }

    fn open(at: &Ninuki) -> Bits {
        let (empty, half) = (at.empty(), at.board.side() / 2);
        if (at.stones[0] | at.stones[1]).is_empty() && at.game.0 == [0; 2] {
            return Bits::of(Cell::at(half, half));
        }
        let crowded = rows::crowded(at.cells, at.own(), at.enemy()) & empty;
        let suspects: Bits = crowded
            .iter()
            .filter(|cell| makes_two_threes(at, *cell))
            .collect();
        if suspects.is_empty()
            || !rows::of_both(at)[1].fives.is_empty()
            || has_five(at.enemy(), at.board.side())
        {
            return empty;
        }
        empty - suspects
    }

    fn forbidden(at: &Ninuki, cell: Cell) -> String {
        match (at.stones[0] | at.stones[1]).is_empty() {
            true => "The first stone is put on the middle of the board.".to_owned(),
            false => format!("A stone on {cell} would make two threes, which is forbidden to both sides."),
        }
    }

    fn follow(at: &mut Ninuki, cell: Cell) -> Option<Outcome> {
        let (mover, size) = (at.mover, at.board.side());
        let stood = has_five(at.enemy(), size);
        let taken = taken(at.own(), at.enemy(), cell, size);
        at.stones[mover.other().index()] -= taken;
        at.game.0[mover.index()] += (taken.count() / 2) as u8;
        if at.game.of(mover) >= PAIRS {
            return Some(Outcome::Won(mover));
        }
        if stood && has_five(at.enemy(), size) {
            return Some(Outcome::Won(mover.other()));
        }
        let row = rows::lengths(at.own(), cell, size).into_iter().max();
        (row >= Some(rows::ROW) && !can_be_broken(at)).then_some(Outcome::Won(mover))
    }

    fn effects(before: &Ninuki, after: &Ninuki, cell: Cell) -> Vec<String> {
        let (mover, size) = (before.mover, after.board.side());
        let mut effects = Vec::new();
        let pairs = after.game.of(mover) - before.game.of(mover);
        if pairs > 0 {
            let s = if pairs == 1 { "" } else { "s" };
            let all = number(usize::from(after.game.of(mover)));
            effects.push(format!(
                "took {} pair{s}, {all} in all",
                number(usize::from(pairs))
            ));
        }
        let row = rows::lengths(after.stones[mover.index()], cell, size)
            .into_iter()
            .max();
        match after.winner() {
            Some(winner) if winner != mover => {
                effects.push("did not break the five of the other side".to_owned());
            }
            Some(_) if after.game.of(mover) < PAIRS => effects.push("got five in a row".to_owned()),
            None if row >= Some(rows::ROW) => effects.push("got five in a row that can be broken".to_owned()),
            _ => {}
        }
        effects
    }

    fn info(at: &Ninuki) -> Info {
        let pairs = Seat::BOTH.map(|seat| (FACTS.sides[seat.index()], u32::from(at.game.of(seat))));
        vec![("pairs", pairs.to_vec())]
    }

    fn status(at: &Ninuki) -> Option<String> {
        let [black, white] = at.game.0;
        Some(format!("Pairs taken: Black {black} White {white}"))
    }

    fn key(&self) -> u64 {
        u64::from(self.0[0]) << 4 | u64::from(self.0[1])
    }

    fn value(at: &Ninuki) -> i32 {
        let [own, other] = rows::of_both(at);
        let pairs = |seat: Seat| i32::from(at.game.of(seat)).pow(2) * 12;
        own.value(&other) + pairs(at.mover) - pairs(at.mover.other())
    }

    /// A four can be answered by taking one of its stones, and a five may be broken.
    fn worth_a_look(at: &Ninuki) -> (Bits, bool) {
        let open = at.open();
        let near = (at.stones[0] | at.stones[1]).around().around() & open;
        let fives = rows::of_both(at)[0].fives;
        let wins = |cell: &Cell| {
            let mut after = *at;
            after.put(*cell);
            after.winner() == Some(at.mover)
        };
        let may_win = if at.game.of(at.mover) + 4 >= PAIRS {
            near
        } else {
            fives & near
        };
        let winning: Bits = may_win.iter().filter(wins).collect();
        match (winning.is_empty(), near.is_empty()) {
            (false, _) => (winning, false),
            (true, true) => (open, true),
            (true, false) => (near, near == open),
        }
    }
}
