//! What a computer player knows of Shape Chess.

use std::ops::ControlFlow;

use super::shape::shapes;
use super::{LEAST_SHAPE, ShapeChess, Turn, UNPAID};
use crate::games::{Judged, Seat};
use crate::kit::mix::mix;
use crate::kit::square::Bits;

impl Judged for ShapeChess {
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
        let whole: Vec<Bits> = shapes(own, own).collect();
        let paid = |stones: u32| stones.saturating_sub(UNPAID);
        // What all shapes score as they are, if they are symmetric.
        let most: u32 = whole.iter().map(|shape| paid(shape.count())).sum();
        let missing = self.target - self.points[self.mover.index()];
        // Without a stone they may score too.
        let large = |shape: &&Bits| shape.count() > LEAST_SHAPE;
        let large = whole
            .iter()
            .filter(large)
            .fold(Bits::EMPTY, |all, shape| all | *shape);
        for place in self.grid.cells() - own {
            let near = Bits::of(place).around();
            let touched = whole.iter().filter(|shape| shape.meets(near));
            let joined = touched.fold(Bits::of(place), |all, shape| all | *shape);
            if most + paid(joined.count()) < missing {
                continue;
            }
            if empty.has(place) {
                each(&Turn::Drop(place))?;
                let from = own & (joined | large);
                from.iter().try_for_each(|from| each(&Turn::Jump(from, place)))?;
            } else if let Some(to) = (near & empty).first() {
                // Wherever that stone goes, the mover's shapes are the same.
                each(&Turn::Push(place, to))?;
            }
        }
        ControlFlow::Continue(())
    }
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
