//! A match: games with a doubling cube until a side has enough points.

use std::fmt;

use super::board::{Position, Variant};
use super::loss::Loss;
use super::plays::{Play, Roll, plays};
use crate::{Refusal, Seat};

/// The longest match, in points.
pub const MAX_LENGTH: u8 = 25;

/// What the game waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Two different dice, White's and Black's, of which the higher begins and plays both.
    NeedsOpeningRoll,
    /// The dice of the player to move.
    NeedsRoll,
    /// A play of this roll, or a pass if there is none.
    ToPlay(Roll),
    /// The player to move rolls or doubles.
    RollOrDouble,
    /// The player to move was offered the cube, and takes or drops.
    Doubled,
    /// The player to move was offered the game, and accepts or refuses it.
    Conceded(Loss),
    /// Nothing: the match is over.
    GameOver,
}

/// Whether the game without the cube, the first after a side needs one more point, has been.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crawford {
    /// No side needed one more point yet.
    Before,
    /// It is this game.
    Now,
    /// It is over.
    After,
}

/// What a player does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Asks for the dice instead of doubling.
    Roll,
    /// Offers the cube.
    Double,
    /// Accepts it.
    Take,
    /// Gives the game up instead.
    Drop,
    /// Plays nothing, since nothing is legal.
    Pass,
    /// Moves checkers.
    Play(Play),
    /// Offers the game to the opponent.
    Concede(Loss),
    /// Accepts it.
    Accept,
    /// Plays on instead.
    Refuse,
}

impl fmt::Display for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Roll => f.write_str("roll"),
            Self::Double => f.write_str("double"),
            Self::Take => f.write_str("take"),
            Self::Drop => f.write_str("drop"),
            Self::Pass => f.write_str("pass"),
            Self::Play(play) => play.fmt(f),
            Self::Concede(loss) => f.write_str(loss.turn()),
            Self::Accept => f.write_str("accept"),
            Self::Refuse => f.write_str("refuse"),
        }
    }
}

/// A match and its present game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Game {
    variant: Variant,
    pub(super) length: u8,
    pub(super) score: [u8; 2],
    pub(super) position: Position,
    pub(super) cube: u8,
    pub(super) owner: Option<Seat>,
    pub(super) crawford: Crawford,
    pub(super) state: State,
    pub(super) mover: Seat,
    /// The state that an offer of the game interrupts.
    interrupted: Option<State>,
    /// What was refused in this turn, in times the cube. Who has doubled in a turn cannot give the game up in it, as if all had been
    /// refused.
    pub(super) refused: u8,
}

impl Game {
    /// A match of this many points. A match of one point has no cube.
    ///
    /// # Errors
    /// The length is even, or not from 1 to 25.
    pub fn new(variant: Variant, length: u8) -> Result<Self, Refusal> {
        if length.is_multiple_of(2) || length > MAX_LENGTH {
            let reason = format!("A match is 1, 3, 5 or another odd number of points up to {MAX_LENGTH}.");
            return Err(Refusal::illegal(reason));
        }
        Ok(Self {
            variant,
            length,
            score: [0; 2],
            position: Position::start(variant),
            cube: 1,
            owner: None,
            crawford: Crawford::Before,
            state: State::NeedsOpeningRoll,
            mover: Seat::First,
            interrupted: None,
            refused: 0,
        })
    }

    /// Which of the three games is played.
    #[must_use]
    pub const fn variant(&self) -> Variant {
        self.variant
    }

    /// The points that win the match.
    #[must_use]
    pub const fn length(&self) -> u8 {
        self.length
    }

    /// The points of White and of Black.
    #[must_use]
    pub const fn score(&self) -> [u8; 2] {
        self.score
    }

    /// The board.
    #[must_use]
    pub const fn position(&self) -> &Position {
        &self.position
    }

    /// What the cube shows, and who owns it; with no owner it is in the middle.
    #[must_use]
    pub const fn cube(&self) -> (u8, Option<Seat>) {
        (self.cube, self.owner)
    }

    /// Whether this is the Crawford game, or one before or after it.
    #[must_use]
    pub const fn crawford(&self) -> Crawford {
        self.crawford
    }

    /// What the game waits for.
    #[must_use]
    pub const fn state(&self) -> State {
        self.state
    }

    /// The player who owes a turn, or whose dice are due. `None` before an opening roll and after the match.
    #[must_use]
    pub const fn to_move(&self) -> Option<Seat> {
        match self.state {
            State::NeedsOpeningRoll | State::GameOver => None,
            _ => Some(self.mover),
        }
    }

    /// The winner of the match.
    #[must_use]
    pub fn winner(&self) -> Option<Seat> {
        let has_won = |seat: &Seat| self.score[seat.index()] >= self.length;
        Seat::BOTH.into_iter().find(has_won)
    }

    /// Whether dice are due.
    #[must_use]
    pub const fn needs_roll(&self) -> bool {
        matches!(self.state, State::NeedsOpeningRoll | State::NeedsRoll)
    }

    /// Takes the dice that are due.
    ///
    /// # Errors
    /// No dice are due, they are not 1 to 6, or those of an opening roll are equal, which is rolled again.
    pub fn roll(&mut self, dice: [u8; 2]) -> Result<(), Refusal> {
        if !self.needs_roll() {
            return Err(Refusal::illegal("No dice are due."));
        }
        let Some(roll) = Roll::new(dice) else {
            return Err(Refusal::illegal("A die shows 1 to 6."));
        };
        if self.state == State::NeedsOpeningRoll {
            if roll.is_double() {
                let reason = "The dice of an opening roll differ: equal ones are rolled again.";
                return Err(Refusal::illegal(reason));
            }
            self.mover = if dice[0] > dice[1] {
                Seat::First
            } else {
                Seat::Second
            };
        }
        self.state = State::ToPlay(roll);
        Ok(())
    }

    /// Whether this side may offer the cube before its roll. A cube that already wins the match would help only the
    /// opponent, and is not offered.
    #[must_use]
    pub fn may_double(&self, seat: Seat) -> bool {
        let is_useful = self.score[seat.index()].saturating_add(self.cube) < self.length;
        let is_owner = self.owner.is_none_or(|owner| owner == seat);
        is_useful && is_owner && self.crawford != Crawford::Now
    }

    /// The state in which the side goes on that has offered the game, if that is refused.
    #[must_use]
    pub const fn interrupted(&self) -> Option<State> {
        self.interrupted
    }

    /// All legal turns but [`Turn::Concede`], for which see [`concessions`](Self::concessions): a turn is forced if nothing else can
    /// be played, although the game could be given up. None while dice are due, and after the match.
    #[must_use]
    pub fn turns(&self) -> Vec<Turn> {
        match self.state {
            State::NeedsOpeningRoll | State::NeedsRoll | State::GameOver => Vec::new(),
            State::RollOrDouble => vec![Turn::Roll, Turn::Double],
            State::Doubled => vec![Turn::Take, Turn::Drop],
            State::Conceded(_) => vec![Turn::Accept, Turn::Refuse],
            State::ToPlay(roll) => {
                let plays = plays(&self.position, self.mover, roll);
                match plays.is_empty() {
                    true => vec![Turn::Pass],
                    false => plays.into_iter().map(Turn::Play).collect(),
                }
            }
        }
    }

    /// Plays a turn that this position produced. One that does not fit the state does nothing.
    pub fn play(&mut self, turn: &Turn) {
        let other = self.mover.other();
        match (self.state, turn) {
            (State::RollOrDouble, Turn::Roll) => self.state = State::NeedsRoll,
            (State::RollOrDouble, Turn::Double) => {
                self.state = State::Doubled;
                self.mover = other;
            }
            (State::Doubled, Turn::Take) => {
                self.cube = self.cube.saturating_mul(2);
                self.owner = Some(self.mover);
                self.refused = Loss::Backgammon.times();
                self.mover = other;
                self.state = State::NeedsRoll;
            }
            (State::Doubled, Turn::Drop) => self.end(other, self.cube),
            (State::RollOrDouble | State::NeedsRoll | State::ToPlay(_), Turn::Concede(loss)) => {
                self.interrupted = Some(self.state);
                self.state = State::Conceded(*loss);
                self.mover = other;
            }
            (State::Conceded(loss), Turn::Accept) => {
                self.end(self.mover, self.cube.saturating_mul(loss.times()));
            }
            (State::Conceded(loss), Turn::Refuse) => {
                if let Some(state) = self.interrupted.take() {
                    self.state = state;
                }
                self.refused = loss.times();
                self.mover = other;
            }
            (State::ToPlay(_), Turn::Pass) => self.pass_on(),
            (State::ToPlay(_), Turn::Play(play)) => {
                self.position = *play.result();
                match self.position.winner() {
                    Some(winner) => {
                        let times = self.position.loss(winner.other());
                        self.end(winner, self.cube.saturating_mul(times));
                    }
                    None => self.pass_on(),
                }
            }
            _ => {}
        }
    }

    fn pass_on(&mut self) {
        self.mover = self.mover.other();
        self.refused = 0;
        self.state = match self.may_double(self.mover) {
            true => State::RollOrDouble,
            false => State::NeedsRoll,
        };
    }

    /// Counts a game that was won, and sets up the next.
    fn end(&mut self, winner: Seat, points: u8) {
        let score = &mut self.score[winner.index()];
        *score = score.saturating_add(points);
        (self.interrupted, self.refused) = (None, 0);
        if *score >= self.length {
            self.state = State::GameOver;
            return;
        }
        let needs_one = self.score.iter().any(|score| score + 1 == self.length);
        self.crawford = match self.crawford {
            Crawford::Before if needs_one => Crawford::Now,
            Crawford::Before => Crawford::Before,
            _ => Crawford::After,
        };
        self.position = Position::start(self.variant);
        (self.cube, self.owner) = (1, None);
        self.state = State::NeedsOpeningRoll;
    }
}
