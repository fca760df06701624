//! Chains on boards of hexagons: how many stones a side needs to join cells.

use std::cmp::Ordering;

use super::{Board, StoneGame, Stones};
use crate::kit::hexagons::Form;
use crate::kit::square::BitBoard;

/// No way is looked at further.
pub const MAX_MISSING: i32 = 20;

/// The six neighbours in a circle.
const SIX: usize = 6;

/// The chain of these stones with the stones of `from`.
#[must_use]
pub fn chain<const STRIDE: usize, const WORDS: usize>(
    board: Board,
    from: BitBoard<STRIDE, WORDS>,
    stones: BitBoard<STRIDE, WORDS>,
) -> BitBoard<STRIDE, WORDS> {
    joined(from & stones, stones, &|cells| board.around(cells))
}

/// The neighbours of these cells, and the cells two empty cells away, of which the opponent can take only one: bridges.
#[must_use]
pub fn with_bridges<const STRIDE: usize, const WORDS: usize>(
    form: Form,
    cells: BitBoard<STRIDE, WORDS>,
    empty: BitBoard<STRIDE, WORDS>,
) -> BitBoard<STRIDE, WORDS> {
    type Way<const S: usize, const W: usize> = fn(BitBoard<S, W>) -> BitBoard<S, W>;
    let ways: [Way<STRIDE, WORDS>; SIX] = match form {
        Form::Rhombus | Form::Triangle => [
            BitBoard::east,
            BitBoard::north,
            |cells| cells.north().west(),
            BitBoard::west,
            BitBoard::south,
            |cells| cells.south().east(),
        ],
        Form::Hexagon => [
            BitBoard::east,
            |cells| cells.north().east(),
            BitBoard::north,
            BitBoard::west,
            |cells| cells.south().west(),
            BitBoard::south,
        ],
    };
    let neighbours = ways.map(|way| way(cells));
    let mut near = BitBoard::EMPTY;
    for at in 0..SIX {
        let next = (at + 1) % SIX;
        near |= neighbours[at] | ways[next](neighbours[at] & empty) & ways[at](neighbours[next] & empty);
    }
    near
}

fn joined<const STRIDE: usize, const WORDS: usize>(
    mut reached: BitBoard<STRIDE, WORDS>,
    own: BitBoard<STRIDE, WORDS>,
    near: &impl Fn(BitBoard<STRIDE, WORDS>) -> BitBoard<STRIDE, WORDS>,
) -> BitBoard<STRIDE, WORDS> {
    loop {
        let next = (near(reached) & own) - reached;
        if next.is_empty() {
            return reached;
        }
        reached |= next;
    }
}

/// The stones missing on the shortest way between two edges, and the number of cells where such ways end. `near` gives the cells to
/// which others are joined.
pub fn shortest<const STRIDE: usize, const WORDS: usize>(
    own: BitBoard<STRIDE, WORDS>,
    empty: BitBoard<STRIDE, WORDS>,
    [edge, goal]: [BitBoard<STRIDE, WORDS>; 2],
    near: impl Fn(BitBoard<STRIDE, WORDS>) -> BitBoard<STRIDE, WORDS>,
) -> (i32, i32) {
    let mut reached = joined(edge & own, own, &near);
    let mut open = edge & empty;
    for stones in 0..=MAX_MISSING {
        if reached.meets(goal) {
            return (stones, 0);
        }
        let next = (open | near(reached) & empty) - reached;
        if next.meets(goal) {
            return (stones + 1, (next & goal).count() as i32);
        }
        reached = joined(reached | next, own, &near);
        open = BitBoard::EMPTY;
    }
    (MAX_MISSING, 0)
}

/// The cells that a side reaches from an edge with no stone more, with one, with two, ...: `N` sets, each with those before it.
pub fn reached<const N: usize, const STRIDE: usize, const WORDS: usize>(
    own: BitBoard<STRIDE, WORDS>,
    empty: BitBoard<STRIDE, WORDS>,
    edge: BitBoard<STRIDE, WORDS>,
    near: impl Fn(BitBoard<STRIDE, WORDS>) -> BitBoard<STRIDE, WORDS>,
) -> [BitBoard<STRIDE, WORDS>; N] {
    let mut open = edge & empty;
    let mut now = joined(edge & own, own, &near);
    let mut sets = [now; N];
    for set in sets.iter_mut().skip(1) {
        now = joined(now | open | near(now) & empty, own, &near);
        open = BitBoard::EMPTY;
        *set = now;
    }
    sets
}

/// How many steps [`reached_from`] goes; a cell that is further away counts as this far.
const STEPS: usize = 8;

/// The cells that a side reaches, by bridges too, from each of these edges.
pub fn reached_from<const N: usize, const STRIDE: usize, const WORDS: usize>(
    board: Board,
    edges: [BitBoard<STRIDE, WORDS>; N],
    own: BitBoard<STRIDE, WORDS>,
    empty: BitBoard<STRIDE, WORDS>,
) -> [[BitBoard<STRIDE, WORDS>; STEPS]; N] {
    let form = board.form();
    edges.map(|edge| reached(own, empty, edge, |cells| with_bridges(form, cells, empty)))
}

/// How many stones are missing to join `many` of the edges in one cell, at the cell where these are fewest; and how many cells there
/// are as good.
#[must_use]
pub fn nearest<const N: usize, const STRIDE: usize, const WORDS: usize>(
    reached: &[[BitBoard<STRIDE, WORDS>; STEPS]; N],
    empty: BitBoard<STRIDE, WORDS>,
    many: usize,
) -> (i32, i32) {
    let (mut least, mut cells) = (MAX_MISSING, 0);
    let within_reach = reached
        .iter()
        .fold(BitBoard::EMPTY, |all, sets| all | sets[STEPS - 1]);
    for cell in within_reach {
        let mut far = reached
            .each_ref()
            .map(|sets| sets.iter().take_while(|set| !set.has(cell)).count() as i32);
        if many < N {
            far.sort_unstable();
        }
        // An empty cell needs one stone for all.
        let twice = if empty.has(cell) { many as i32 - 1 } else { 0 };
        let missing = far.iter().take(many).sum::<i32>() - twice;
        match missing.cmp(&least) {
            Ordering::Less => (least, cells) = (missing, 1),
            Ordering::Equal => cells += 1,
            Ordering::Greater => {}
        }
    }
    (least, cells)
}

/// What a stone that is missing is worth, and to be to move.
const STONE: i32 = 70;
const TEMPO: i32 = 30;

/// The estimate for the player to move, from what both sides miss, each with the number of cells as good.
#[must_use]
pub fn value(own: (i32, i32), other: (i32, i32)) -> i32 {
    STONE * (other.0 - own.0) + own.1.min(20) - other.1.min(20) + TEMPO
}

/// The cells near a stone, and whether these are all.
pub fn worth_a_look<G, const STRIDE: usize, const WORDS: usize>(
    at: &Stones<G, STRIDE, WORDS>,
) -> (BitBoard<STRIDE, WORDS>, bool)
where
    G: StoneGame<STRIDE, WORDS>,
{
    let open = at.open();
    let taken = at.stones[0] | at.stones[1];
    let near = at.board.around(taken | at.board.around(taken)) & open;
    match taken.count() {
        0..4 => (open, true),
        _ => (near, near == open),
    }
}
