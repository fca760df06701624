//! How good a match is for a side, and when the cube is offered and taken.

use super::game::{Game, State, Turn};
use super::served::{Backgammon, BackgammonGame, RolledTurn};
use super::{equity, gammons};
use crate::evaluate::{Mistake, Mistakes};
use crate::{Evaluate, Rules, Seat};

/// How much of the doubled game is worth taking less for, since the taker owns the cube.
const CUBE_OWNED: f32 = 0.04;

/// How far below the point at which the other side should drop the cube is offered.
const WINDOW: f32 = 0.08;

/// The chance to win a match in which the sides need these points, by Janowski's formula.
fn of_match(needs: [u8; 2]) -> f32 {
    match needs {
        [0, _] => 1.0,
        [_, 0] => 0.0,
        // One game.
        [1, 1] => 0.5,
        [own, other] => {
            let [own, other] = [own, other].map(f32::from);
            let chance = 0.5 + 0.85 * (other - own) / (own.max(other) + 6.0);
            chance.clamp(0.02, 0.98)
        }
    }
}

/// The chance of a side to win the match if it wins this many points, or the other side does.
fn after(game: &Game, side: Seat, winner: Seat, points: u8) -> f32 {
    let needs = [side, side.other()].map(|seat| {
        let won = if seat == winner { points } else { 0 };
        let score = game.score()[seat.index()].saturating_add(won);
        game.length().saturating_sub(score)
    });
    of_match(needs)
}

/// The chance of a side to win the present game.
fn of_game(game: &Game, side: Seat, roller: Seat) -> f32 {
    let percent = equity::estimate(game.position(), roller);
    let chance = (f32::from(i16::try_from(percent).unwrap_or(0)) + 100.0) / 200.0;
    if side == roller { chance } else { 1.0 - chance }
}

/// The chance of a side to win the match if the winner wins the present game with this cube, which may be by a gammon.
fn after_game(game: &Game, side: Seat, winner: Seat, cube: u8, roller: Option<Seat>) -> f32 {
    if game.length() == 1 {
        return after(game, side, winner, cube);
    }
    let counts = gammons::counts(game.position(), winner.other(), roller);
    (1..)
        .zip(counts)
        .map(|(times, chance)| chance * after(game, side, winner, cube.saturating_mul(times)))
        .sum()
}

/// The chance of a side to win the match while the cube shows this, and with this chance to win the game.
fn with_cube(game: &Game, side: Seat, chance: f32, cube: u8, roller: Option<Seat>) -> f32 {
    let won = after_game(game, side, side, cube, roller);
    let lost = after_game(game, side, side.other(), cube, roller);
    chance * won + (1.0 - chance) * lost
}

/// The chance of winning the game with which a side just takes the cube at twice what it shows, from the other side, who rolls next.
fn least_to_take(game: &Game, side: Seat) -> f32 {
    let (cube, twice) = (game.cube().0, game.cube().0.saturating_mul(2));
    let roller = Some(side.other());
    let dropped = after(game, side, side.other(), cube);
    let won = after_game(game, side, side, twice, roller);
    let lost = after_game(game, side, side.other(), twice, roller);
    ((dropped - lost) / (won - lost).max(0.01) - CUBE_OWNED).clamp(0.0, 1.0)
}

impl<G: BackgammonGame> Backgammon<G> {
    /// The side that rolls next, or has rolled.
    fn roller(&self) -> Option<Seat> {
        match self.game.state() {
            State::GameOver | State::NeedsOpeningRoll => None,
            // Who has doubled, or offered the game, goes on.
            State::Doubled | State::Conceded(_) => self.game.to_move().map(Seat::other),
            _ => self.game.to_move(),
        }
    }

    /// The chance of a side to win the match.
    pub(super) fn chance(&self, side: Seat) -> f32 {
        let Some(roller) = self.roller() else {
            return with_cube(&self.game, side, 0.5, 1, None);
        };
        let chance = of_game(&self.game, side, roller);
        let cube = self.game.cube().0;
        let played = with_cube(&self.game, side, chance, cube, Some(roller));
        match self.game.state() {
            State::Conceded(loss) => {
                let winner = roller.other();
                let won = after(&self.game, side, winner, cube.saturating_mul(loss.times()));
                return if side == winner {
                    played.max(won)
                } else {
                    played.min(won)
                };
            }
            State::Doubled => {}
            _ => return played,
        }
        let taker = roller.other();
        let takes = of_game(&self.game, taker, roller) >= least_to_take(&self.game, taker);
        match takes {
            true => with_cube(&self.game, side, chance, cube.saturating_mul(2), Some(roller)),
            false => after(&self.game, side, roller, cube),
        }
    }

    /// What the rule of the cube plays here, or of an offer of the game; `None`: it has nothing to say.
    pub(super) fn cube_turn(&self) -> Option<Turn> {
        let side = self.game.to_move()?;
        match self.game.state() {
            State::RollOrDouble => {
                let chance = of_game(&self.game, side, side);
                let dropped = 1.0 - least_to_take(&self.game, side.other());
                let cube = self.game.cube().0;
                let played = with_cube(&self.game, side, chance, cube, Some(side));
                // With many gammons ahead the game is worth more than what a dropped cube gives.
                let is_too_good = played > after(&self.game, side, side, cube);
                let is_time = chance >= (dropped - WINDOW).max(0.5) && !is_too_good;
                Some(if is_time { Turn::Double } else { Turn::Roll })
            }
            State::Doubled => {
                let chance = of_game(&self.game, side, side.other());
                let takes = chance >= least_to_take(&self.game, side);
                Some(if takes { Turn::Take } else { Turn::Drop })
            }
            State::Conceded(loss) => {
                let cube = self.game.cube().0;
                let won = after(&self.game, side, side, cube.saturating_mul(loss.times()));
                let chance = of_game(&self.game, side, side.other());
                let accepts = won >= with_cube(&self.game, side, chance, cube, Some(side.other()));
                Some(if accepts { Turn::Accept } else { Turn::Refuse })
            }
            _ => None,
        }
    }
}

impl<G: BackgammonGame> Evaluate for Backgammon<G> {
    const EFFORT: u64 = 6;

    const MISTAKES: Mistakes = Mistakes {
        easy: Mistake {
            noise: 30,
            overlooked: 35,
        },
        ..Mistakes::USUAL
    };

    fn key(&self) -> u64 {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut hasher = DefaultHasher::new();
        let game = &self.game;
        (
            self.begun,
            self.dice,
            game.position(),
            game.score(),
            game.cube().0,
        )
            .hash(&mut hasher);
        let times = match game.state() {
            State::Conceded(loss) => loss.times(),
            _ => 0,
        };
        let interrupted = game.interrupted().map(|state| std::mem::discriminant(&state));
        (times, game.refused, interrupted).hash(&mut hasher);
        let owner = game.cube().1.map(Seat::index);
        let crawford = game.crawford() as u8;
        (
            owner,
            crawford,
            std::mem::discriminant(&game.state()),
            self.to_move().map(Seat::index),
        )
            .hash(&mut hasher);
        hasher.finish()
    }

    fn estimate(&self, side: Seat) -> i32 {
        let expected = (2.0 * self.chance(Seat::First) - 1.0).clamp(-0.999, 0.999);
        let worth = 100.0 * expected / (1.0 - expected.abs());
        #[expect(clippy::cast_possible_truncation, reason = "it is below 100,000")]
        let worth = worth.round() as i32;
        if side == Seat::First { worth } else { -worth }
    }

    fn plays_by_rule(&self) -> bool {
        self.begun < 2 || self.cube_turn().is_some()
    }

    fn value_after(&self, turn: &RolledTurn) -> i32 {
        let Some(side) = self.to_move() else { return 0 };
        // Whether to double is not seen from the position after it.
        if let Some(by_rule) = self.cube_turn() {
            let worth = self.estimate(side);
            return if turn.turn == by_rule { worth } else { worth - 20 };
        }
        let mut at = *self;
        at.play(turn);
        match at.outcome() {
            Some(outcome) => crate::evaluate::value(outcome, side),
            None => at.estimate(side),
        }
    }
}
