//! A slow model, links that cross, and the drawing.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::Rules as _;
use crate::lockstep::{self, Model, after, lockstep, name, square};

#[test]
fn turns_are_counted() {
    // 24 x 24 without the corners and the other's borders. The swap is one more.
    lockstep::perft::<Bridges>("", &[528]);
    lockstep::perft::<Bridges>("-noswap -size=8", &[48, 36 * 47 + 12 * 48]);
}

type At = (i32, i32);

struct Slow {
    size: i32,
    can_swap: bool,
    pegs: BTreeMap<At, Seat>,
    links: BTreeSet<(At, At)>,
    turns: usize,
}

/// Whether two segments cross, by the place of their crossing as a fraction of each.
fn cross((a, b): (At, At), (c, d): (At, At)) -> bool {
    let (r, s) = ((b.0 - a.0, b.1 - a.1), (d.0 - c.0, d.1 - c.1));
    let area = r.0 * s.1 - r.1 * s.0;
    if area == 0 {
        return false;
    }
    let (t, u) = (
        f64::from((c.0 - a.0) * s.1 - (c.1 - a.1) * s.0) / f64::from(area),
        f64::from((c.0 - a.0) * r.1 - (c.1 - a.1) * r.0) / f64::from(area),
    );
    t > 0.001 && t < 0.999 && u > 0.001 && u < 0.999
}

impl Slow {
    fn height(seat: Seat, at: At) -> i32 {
        if seat == Seat::First { at.1 } else { at.0 }
    }

    fn may_put(&self, seat: Seat, at: At) -> bool {
        let inside = 1..self.size - 1;
        (0..self.size).contains(&Self::height(seat, at)) && inside.contains(&Self::height(seat.other(), at))
    }

    fn knight(at: At) -> impl Iterator<Item = At> {
        let steps = [
            (1, 2),
            (2, 1),
            (-1, 2),
            (-2, 1),
            (1, -2),
            (2, -1),
            (-1, -2),
            (-2, -1),
        ];
        steps.into_iter().map(move |(x, y)| (at.0 + x, at.1 + y))
    }

    fn put(&mut self, at: At, seat: Seat) {
        self.pegs.insert(at, seat);
        for to in Self::knight(at) {
            let link = (at.min(to), at.max(to));
            if self.pegs.get(&to) == Some(&seat) && !self.links.iter().any(|other| cross(link, *other)) {
                self.links.insert(link);
            }
        }
    }

    /// Whether this side's borders are joined by steps that are allowed.
    fn joins(&self, seat: Seat, allowed: impl Fn(At, At) -> bool, on: impl Fn(At) -> bool) -> bool {
        let all = (0..self.size).flat_map(|x| (0..self.size).map(move |y| (x, y)));
        let mut todo: Vec<_> = all.filter(|at| Self::height(seat, *at) == 0 && on(*at)).collect();
        let mut seen: BTreeSet<_> = todo.iter().copied().collect();
        while let Some(at) = todo.pop() {
            if Self::height(seat, at) == self.size - 1 {
                return true;
            }
            for to in Self::knight(at) {
                if on(to) && allowed(at, to) && seen.insert(to) {
                    todo.push(to);
                }
            }
        }
        false
    }

    fn has_won(&self, seat: Seat) -> bool {
        let linked = |a: At, b: At| self.links.contains(&(a.min(b), a.max(b)));
        self.joins(seat, linked, |at| self.pegs.get(&at) == Some(&seat))
    }

    fn can_win(&self, seat: Seat) -> bool {
        let open = |a: At, b: At| !self.links.iter().any(|link| cross((a, b), *link));
        self.joins(seat, open, |at| match self.pegs.get(&at) {
            Some(owner) => *owner == seat,
            None => self.may_put(seat, at),
        })
    }
}

impl Model for Slow {
    fn turns(&self) -> BTreeSet<String> {
        if self.outcome().is_some() {
            return BTreeSet::new();
        }
        let all = (0..self.size).flat_map(|x| (0..self.size).map(move |y| (x, y)));
        let free = all.filter(|at| !self.pegs.contains_key(at) && self.may_put(self.mover(), *at));
        let mut turns: BTreeSet<_> = free.map(name).collect();
        if self.can_swap && self.turns == 1 {
            turns.insert("swap".to_owned());
        }
        turns
    }

    fn play(&mut self, turn: &str) {
        let mover = self.mover();
        match turn {
            "swap" => {
                let ((x, y), _) = self.pegs.pop_first().unwrap();
                self.put((y, x), Seat::Second);
            }
            _ => self.put(square(turn), mover),
        }
        self.turns += 1;
    }

    fn letters(&self) -> BTreeMap<String, char> {
        let letter = |seat: &Seat| ['x', 'o'][seat.index()];
        self.pegs
            .iter()
            .map(|(at, seat)| (name(*at), letter(seat)))
            .collect()
    }

    fn mover(&self) -> Seat {
        Seat::BOTH[self.turns % 2]
    }

    fn outcome(&self) -> Option<Outcome> {
        if let Some(winner) = Seat::BOTH.into_iter().find(|seat| self.has_won(*seat)) {
            return Some(Outcome::Won(winner));
        }
        let nobody = self.pegs.len() > 4 && !Seat::BOTH.into_iter().any(|seat| self.can_win(seat));
        nobody.then_some(Outcome::Drawn)
    }
}

#[test]
fn random_games_are_those_of_a_slow_model() {
    for (words, size, can_swap, games) in [("-size=8", 8, true, 12), ("-size=9 -noswap", 9, false, 4)] {
        let start = || Slow {
            size,
            can_swap,
            pegs: BTreeMap::new(),
            links: BTreeSet::new(),
            turns: 0,
        };
        lockstep::<Bridges, _>(words, games, start);
    }
}

#[test]
fn a_link_in_the_way_is_told_and_stays() {
    let position = after::<Bridges>("-size=8 -noswap", "d4 e5 e6");
    let cut = position.read("d7").unwrap();
    assert_eq!(
        position.effects(&[cut]),
        ["left a gap where a link is in the way"]
    );
    let small = after::<Bridges>("-size=8 -noswap", "d4 e5 e6 d7").draw(Display::Small);
    assert!(
        small.ends_with("\nNot linked, since a link is between: e5-d7\n"),
        "{small}"
    );
    assert_eq!(
        position.read("a4").map(|turn| turn.to_string()).as_deref(),
        Ok("a4"),
        "a border of one's own"
    );
    assert_eq!(
        position.read("d1").unwrap_err().reason,
        "No peg of yours can be put on d1: it is on a border row of First."
    );
    assert_eq!(
        position.read("a1").unwrap_err().reason,
        "There is no hole a1 on this board."
    );
}

#[test]
fn links_are_drawn_between_their_pegs() {
    let drawn = after::<Bridges>("-size=8 -noswap", "d4 f5 e6 b6 c2 d7").draw(Display::Large);
    let expected = r"x joins bottom and top, o left and right

   a  b  c  d  e  f  g  h
 8  | .  .  .  .  .  . |  8
    |                  |
 7 .| .  .  o  .  .  . |. 7
    |   .-'            |
 6 .| o  .  .  x  .  . |. 6
    |         /        |
 5 .| .  .  ./ .  o  . |. 5
    |        /         |
 4 .| .  .  x  .  .  . |. 4
    |      /           |
 3 .| .  ./ .  .  .  . |. 3
    |     /            |
 2 .| .  x  .  .  .  . |. 2
    |                  |
 1  | .  .  .  .  .  . |  1
   a  b  c  d  e  f  g  h
";
    assert_eq!(drawn, expected);
    let full = after::<Bridges>("", "k12");
    for (display, width) in [(Display::Small, 40), (Display::Large, 80)] {
        let drawn = full.draw(display);
        assert!(drawn.lines().skip(1).all(|line| line.len() <= width), "{drawn}");
    }
}
