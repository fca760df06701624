//! What a computer player knows of Shape Chess.

use std::ops::ControlFlow;

use super::shape::shapes;
use super::{ShapeChess, Turn, UNPAID};
use crate::kit::mix::mix;
use crate::kit::square::Bits;
use crate::{Evaluate, Seat};

impl Evaluate for ShapeChess {
    const EFFORT: u64 = 15;

    fn key(&self) -> u64 {
        let [black, white] = self.stones.map(|stones| stones.words());
        let [x, o] = self.points.map(u64::from);
        let rest = [x, o, self.mover.index() as u64];
        mix(black.into_iter().chain(white).chain(rest))
    }

    fn estimate(&self, side: Seat) -> i32 {
        self.strength(side) - self.strength(side.other())
    }

    fn turns_that_may_win(&self, each: &mut dyn FnMut(&Turn) -> ControlFlow<()>) -> ControlFlow<()> {
        if self.outcome.is_some() {
            return ControlFlow::Continue(());
        }
        let (own, empty) = (self.own(), self.empty());
        let missing = self.target - self.points[self.mover.index()];
        let whole: Vec<Bits> = shapes(own, own).collect();
        // What a shape scores if this turn does not touch it.
        let changed = self.changed[self.mover.index()];
        let open = changed | changed.around();
        let as_it_is = |shape: &Bits| if shape.meets(open) { paid(shape.count()) } else { 0 };
        let mut divided = Bits::EMPTY;
        for place in self.grid.cells() - own {
            let near = Bits::of(place).around();
            let (mut joined, mut others) = (Bits::of(place), 0);
            for shape in &whole {
                match shape.meets(near) {
                    true => joined |= *shape,
                    false => others += as_it_is(shape),
                }
            }
            let with_stone = others + paid(joined.count());
            if !empty.has(place) {
                if with_stone >= missing
                    && let Some(to) = (near & empty).first()
                {
                    // Wherever that stone goes, the mover's shapes are the same.
                    each(&Turn::Push(place, to))?;
                }
                continue;
            }
            let mut jump = |from: Bits| from.iter().try_for_each(|from| each(&Turn::Jump(from, place)));
            if others + paid(joined.count() - 1) >= missing {
                jump(joined & own)?;
            }
            for shape in whole.iter().filter(|shape| !shape.meets(near)) {
                if with_stone - as_it_is(shape) + paid(shape.count() - 1) < missing {
                    continue;
                }
                if paid(joined.count()) > 0 {
                    jump(*shape)?;
                } else {
                    // The stone scores nothing here, nor at other such places.
                    jump(*shape - divided)?;
                    divided |= *shape;
                }
            }
            if with_stone >= missing {
                each(&Turn::Drop(place))?;
            }
        }
        ControlFlow::Continue(())
    }
}

/// What a symmetric shape of this many stones scores. Two parts of a shape score no more than one of all their stones.
const fn paid(stones: u32) -> u32 {
    stones.saturating_sub(UNPAID)
}

impl ShapeChess {
    fn strength(&self, side: Seat) -> i32 {
        let stones = self.stones[side.index()];
        let potential: i32 = shapes(stones, stones)
            .map(|shape| (shape.count() as i32).min(8).pow(2))
            .sum();
        400 * self.points[side.index()] as i32 + potential
    }
}
