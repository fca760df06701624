//! What a computer player knows of Ringworm.

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use super::{Ringworm, Turn, choice};
use crate::games::{Judged, Seat};
use crate::kit::mix::mix;

impl Judged for Ringworm {
    fn key(&self) -> u64 {
        let [x, o] = self.stones.map(|stones| stones.words());
        let rest = [
            self.mover.index() as u64,
            self.allowance as u64,
            u64::from(self.passes),
        ];
        mix(x.into_iter().chain(o).chain(rest))
    }

    fn estimate(&self, side: Seat) -> i32 {
        let [own, enemy] = [side, side.other()].map(|seat| self.stones[seat.index()].count() as i32);
        20 * (own - enemy)
    }

    fn promising(&self, most: usize) -> Vec<(Turn, i32)> {
        let mut rng = ChaCha8Rng::seed_from_u64(self.key());
        let mut judged = Vec::new();
        for _ in 0..(4 * most) {
            if self.is_over() {
                break;
            }
            let turn = choice::random(self.stones(), self.drops(), &mut rng);
            let value = self.value_after(&turn);
            judged.push((turn, value));
        }
        judged.sort_by_key(|(_, value)| std::cmp::Reverse(*value));
        judged.truncate(most);
        judged
    }
}
