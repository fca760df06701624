//! A slow model, the winners of all openings on small boards, the swap and the drawings.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::*;
use crate::games::lockstep::{self, Model, after, lockstep, name, square};

#[test]
fn turns_are_counted() {
    // The second player has one more turn than there are empty cells: the swap.
    lockstep::perft::<Hex>("", &[121, 121 * 121, 121 * (120 * 119 + 120)]);
    lockstep::perft::<Hex>("-noswap -size=4", &[16, 240, 3360, 43680]);
}

struct Slow {
    size: i32,
    can_swap: bool,
    stones: BTreeMap<(i32, i32), Seat>,
    turns: usize,
}

impl Slow {
    /// Whether cells that touch lead this side from one of its edges to the other.
    fn is_joined(&self, seat: Seat) -> bool {
        let height = |at: (i32, i32)| if seat == Seat::First { at.1 } else { at.0 };
        let own = || {
            self.stones
                .iter()
                .filter(|(_, owner)| **owner == seat)
                .map(|(at, _)| *at)
        };
        let mut reached: BTreeSet<_> = own().filter(|at| height(*at) == 0).collect();
        let mut todo: Vec<_> = reached.iter().copied().collect();
        while let Some((x, y)) = todo.pop() {
            for at in own() {
                let near =
                    [(1, 0), (-1, 0), (0, 1), (0, -1), (-1, 1), (1, -1)].contains(&(at.0 - x, at.1 - y));
                if near && reached.insert(at) {
                    todo.push(at);
                }
            }
        }
        reached.into_iter().any(|at| height(at) == self.size - 1)
    }
}

impl Model for Slow {
    fn turns(&self) -> BTreeSet<String> {
        let mut turns = BTreeSet::new();
        if self.outcome().is_some() {
            return turns;
        }
        let all = (0..self.size).flat_map(|column| (0..self.size).map(move |row| (column, row)));
        turns.extend(all.filter(|at| !self.stones.contains_key(at)).map(name));
        if self.can_swap && self.turns == 1 {
            turns.insert("swap".to_owned());
        }
        turns
    }

    fn play(&mut self, turn: &str) {
        match turn {
            "swap" => {
                let ((column, row), _) = self.stones.pop_first().unwrap();
                self.stones.insert((row, column), Seat::Second);
            }
            _ => {
                let mover = self.mover();
                self.stones.insert(square(turn), mover);
            }
        }
        self.turns += 1;
    }

    fn letters(&self) -> BTreeMap<String, char> {
        self.stones
            .iter()
            .map(|(at, seat)| (name(*at), ['x', 'o'][seat.index()]))
            .collect()
    }

    fn mover(&self) -> Seat {
        Seat::BOTH[self.turns % 2]
    }

    fn outcome(&self) -> Option<Outcome> {
        let winner = Seat::BOTH.into_iter().find(|seat| self.is_joined(*seat));
        winner.map(Outcome::Won)
    }
}

#[test]
fn random_games_are_those_of_a_slow_model() {
    for (words, size, can_swap, games) in [
        ("-size=3", 3, true, 60),
        ("-size=5 -noswap", 5, false, 20),
        ("", 11, true, 2),
        ("-size=19", 19, true, 1),
    ] {
        let start = || Slow {
            size,
            can_swap,
            stones: BTreeMap::new(),
            turns: 0,
        };
        let [_, _, drawn] = lockstep::<Hex, _>(words, games, start);
        assert_eq!(drawn, 0);
    }
}

/// Finds who wins by trying everything.
struct Solver {
    /// The cells near the short diagonal first: they win most often.
    cells: Vec<Cell>,
    /// Whether the player to move wins. The key has a bit for each stone of First, and 16 places higher for one of Second.
    known: HashMap<u32, bool>,
}

impl Solver {
    fn new(start: &Hex) -> Self {
        let mut cells: Vec<_> = start.open().iter().collect();
        cells.sort_by_key(|cell| (cell.column() + cell.row() + 1).abs_diff(start.grid.size()));
        let known = HashMap::new();
        Self { cells, known }
    }

    /// Whether the player to move wins after this stone on the cell number `place`.
    fn wins_after(&mut self, position: &Hex, key: u32, place: usize) -> bool {
        let mut next = *position;
        next.play(&Stone::On(self.cells[place]));
        self.wins(&next, key | 1 << (place + 16 * position.mover.index()))
    }

    fn wins(&mut self, position: &Hex, key: u32) -> bool {
        if position.winner.is_some() {
            return false;
        }
        if let Some(won) = self.known.get(&key) {
            return *won;
        }
        let open = position.open();
        let won = (0..self.cells.len())
            .any(|place| open.has(self.cells[place]) && !self.wins_after(position, key, place));
        self.known.insert(key, won);
        won
    }
}

/// The openings with which the first player wins, without swap; HexWiki, Small boards, and Queenbee's tables have them.
fn winning_openings(size: u8) -> Vec<String> {
    let start = after::<Hex>(&format!("-noswap -size={size}"), "");
    let mut solver = Solver::new(&start);
    let places = 0..solver.cells.len();
    let wins: Vec<_> = places
        .filter(|place| !solver.wins_after(&start, 0, *place))
        .collect();
    let mut cells: Vec<_> = wins.into_iter().map(|place| solver.cells[place]).collect();
    cells.sort();
    cells.iter().map(ToString::to_string).collect()
}

#[test]
fn the_openings_of_small_boards_win_as_published() {
    assert_eq!(winning_openings(3), ["c1", "a2", "b2", "c2", "a3"]);
    assert_eq!(winning_openings(4), ["d1", "c2", "b3", "a4"]);
}

#[test]
fn the_swap_mirrors_the_first_stone_and_each_player_keeps_the_goal() {
    let mut position = after::<Hex>("", "c2");
    let swap = position.read("Swap").unwrap();
    assert_eq!(position.deeds(&[swap]), ["replaced x on c2 by o on b3"]);
    position.play(&swap);
    assert_eq!(position.cells(), [("b3".to_owned(), 'o')]);
    assert_eq!(position.to_move(), Some(Seat::First));
    // A stone on the edge is joined to it after the swap too.
    let near = after::<Hex>("-size=3", "b1 swap a1 b2 b3");
    assert_eq!(near.winner, None);
    for last in ["c1", "c2"] {
        let mut won = near;
        won.play(&won.read(last).unwrap());
        assert_eq!(won.winner, Some(Seat::Second), "{last}");
    }
}

#[test]
fn a_rhombus_is_drawn_with_its_names_along_the_slant() {
    let position = after::<Hex>("-size=3", "b1 c3");
    let small = "x joins bottom and top, o left and right

     a b c
  3 . . o 3
 2 . . . 2
1 . x . 1
 a b c
";
    assert_eq!(position.draw(Display::Small), small);
    let large = r"x joins bottom and top, o left and right

          a   b   c
       / \ / \ / \
    3 |   |   | o | 3
     / \ / \ / \ /
  2 |   |   |   | 2
   / \ / \ / \ /
1 |   | x |   | 1
   \ / \ / \ /
  a   b   c
";
    assert_eq!(position.draw(Display::Large), large);
}
