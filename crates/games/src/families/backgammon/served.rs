//! The games as they are served: a match in which each player first says that the dice may roll, and in which the dice of a play stand
//! before it: `31:8/5,6/5`.
//!
//! A position whose dice are not known yet lists the plays of all rolls. [`Rules::roll`] leaves those of one.

use std::fmt;
use std::marker::PhantomData;
use std::ops::ControlFlow;

use rand::{Rng, RngExt};

use super::board::{Position, Variant};
use super::game::{Game, State, Turn};
use super::plays::Roll;
use super::{draw, faults_of_dice, loss};
use crate::kit::picture::Layout;
use crate::{Continuations, Display, DueRoll, Facts, Info, Options, Outcome, Refusal, Rules, Seat};

/// One of the three games.
pub trait BackgammonGame: Copy + Send + Sync + 'static {
    /// The constants of the game.
    const FACTS: Facts;
    /// Its start.
    const VARIANT: Variant;
    /// Its name in files of GNU Backgammon.
    const VARIATION: &'static str;
}

/// A position of one of the games.
#[derive(Clone, Copy, Debug)]
pub struct Backgammon<G> {
    pub(super) game: Game,
    /// How many players have said that the dice may roll.
    pub(super) begun: u8,
    /// How many rolls there were.
    rolls: u32,
    /// The dice to be played: at the start of a game White's, then Black's, and otherwise the higher first.
    pub(super) dice: Option<[u8; 2]>,
    rule: PhantomData<G>,
}

/// A turn, with its dice if it plays some.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RolledTurn {
    pub(super) dice: Option<[u8; 2]>,
    pub(super) turn: Turn,
}

impl fmt::Display for RolledTurn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some([one, other]) = self.dice {
            write!(f, "{one}{other}:")?;
        }
        f.write_str(&self.turn.to_string().replace(' ', ","))
    }
}

impl<G: BackgammonGame> Backgammon<G> {
    /// The position with these dice, in which one of the dice of a start may be the lower.
    pub(super) fn rolled(&self, dice: [u8; 2]) -> Self {
        let mut after = *self;
        after.roll(dice);
        after
    }

    /// The rolls that are possible now, each with how many of 36 it is.
    pub(super) fn rolls(&self) -> Vec<([u8; 2], u32)> {
        self.due_roll().map(DueRoll::possible).unwrap_or_default()
    }

    pub(super) fn with_dice_of(&self, turn: Turn) -> RolledTurn {
        let is_rolled = matches!(turn, Turn::Play(_) | Turn::Pass | Turn::Concede(_));
        RolledTurn {
            dice: self.dice.filter(|_| is_rolled),
            turn,
        }
    }

    /// The turns where no dice are due.
    pub(super) fn turns_of_dice(&self) -> Vec<RolledTurn> {
        match self.begun {
            2 => self
                .game
                .turns()
                .into_iter()
                .map(|turn| self.with_dice_of(turn))
                .collect(),
            _ => vec![self.with_dice_of(Turn::Roll)],
        }
    }

    /// The dice that a text begins with, and the rest of it.
    pub(super) fn split_dice(text: &str) -> Option<([u8; 2], &str)> {
        let (dice, rest) = text.split_once(':')?;
        let digits: Vec<u8> = dice
            .bytes()
            .filter(u8::is_ascii_digit)
            .map(|digit| digit - b'0')
            .collect();
        let is_dice = |c: char| c.is_ascii_digit() || c.is_whitespace() || c == '-';
        match digits.as_slice() {
            [one, other] if dice.chars().all(is_dice) => Some(([*one, *other], rest)),
            _ => None,
        }
    }

    /// Reads a turn without its dice. Mail programs make words bold by asterisks around them: one at the end that marks no hit is
    /// passed over.
    fn read_play(&self, text: &str) -> Result<Turn, Refusal> {
        self.game.read(text).or_else(|refusal| {
            let plain = text.trim_end().trim_end_matches('*');
            let is_bold = plain.len() < text.trim_end().len();
            match is_bold.then(|| self.game.read(plain)) {
                Some(Ok(turn)) => Ok(turn),
                _ => Err(refusal),
            }
        })
    }

    /// Reads a turn before the first dice: `roll`, with a word for the dice or without.
    fn read_start(text: &str) -> Result<Turn, Refusal> {
        let is = |word: &str, other: &&str| word.eq_ignore_ascii_case(other);
        let words: Vec<&str> = text.split_whitespace().take(3).collect();
        // Small letters, so that "roll Good luck" is roll and a wish.
        let is_small = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
        let is_word = |own: &str| own != "roll" && own.chars().all(is_small);
        let first = match words.as_slice() {
            [roll] if is(roll, &"roll") => return Ok(Turn::Roll),
            [roll, own] if is(roll, &"roll") && is_word(own) => return Ok(Turn::Roll),
            words => words.first().copied().unwrap_or_default(),
        };
        let reason =
            "Before the first dice each player says roll, with a word of one's own if one likes: roll plum.";
        let is_later = |word: &str| {
            ["pass", "double", "take", "drop"]
                .iter()
                .any(|later| is(word, later))
        };
        let is_turn = (words.len() == 1 && is_later(first))
            || faults_of_dice::is_like_a_play(text)
            || loss::offered(text).is_some();
        let refusal = match is_turn {
            true => Refusal::illegal(reason),
            false => Refusal::unreadable(reason),
        };
        Err(refusal.or(vec!["roll".to_owned()]))
    }
}

impl<G: BackgammonGame> Rules for Backgammon<G> {
    const FACTS: Facts = G::FACTS;

    const MAT: Option<&'static str> = Some(G::VARIATION);

    type Turn = RolledTurn;

    fn start(options: &Options) -> Result<Self, Refusal> {
        let points = u8::try_from(options.number(&G::FACTS, "points")).unwrap_or(1);
        Ok(Self {
            game: Game::new(G::VARIANT, points)?,
            begun: 0,
            rolls: 0,
            dice: None,
            rule: PhantomData,
        })
    }

    fn to_move(&self) -> Option<Seat> {
        match (self.begun, self.game.state()) {
            (0, _) => Some(Seat::First),
            (1, _) => Some(Seat::Second),
            // Who begins is not known yet.
            (_, State::NeedsOpeningRoll) => Some(Seat::First),
            _ => self.game.to_move(),
        }
    }

    fn due_roll(&self) -> Option<DueRoll> {
        (self.begun == 2 && self.game.needs_roll()).then(|| DueRoll {
            number: self.rolls + 1,
            must_differ: self.game.state() == State::NeedsOpeningRoll,
        })
    }

    fn dice(&self) -> Option<[u8; 2]> {
        let is_to_play = matches!(self.game.state(), State::ToPlay(_));
        self.dice.filter(|_| is_to_play)
    }

    fn roll(&mut self, dice: [u8; 2]) {
        let Some(due) = self.due_roll() else { return };
        if self.game.roll(dice).is_ok() {
            let [one, other] = dice;
            self.dice = Some(if due.must_differ {
                dice
            } else {
                [one.max(other), one.min(other)]
            });
            self.rolls += 1;
        }
    }

    fn written_dice(text: &str) -> Option<[u8; 2]> {
        Self::split_dice(text).map(|(dice, _)| dice)
    }

    fn read(&self, text: &str) -> Result<RolledTurn, Refusal> {
        if self.begun < 2 {
            return Self::read_start(text).map(|turn| self.with_dice_of(turn));
        }
        let written = Self::split_dice(text);
        if self.due_roll().is_some() {
            let Some((dice, _)) = written else {
                if loss::offered(text).is_some() {
                    return self.read_play(text).map(|turn| self.with_dice_of(turn));
                }
                return Err(faults_of_dice::no_dice(text));
            };
            let rolled = self.rolled(dice);
            if rolled.due_roll().is_some() {
                return Err(faults_of_dice::impossible(dice));
            }
            return rolled.read(text);
        }
        let Some((dice, rest)) = written else {
            return self.read_play(text).map(|turn| self.with_dice_of(turn));
        };
        if matches!(self.game.state(), State::Conceded(_)) {
            // Says what is to be answered.
            return self.read_play(text).map(|turn| self.with_dice_of(turn));
        }
        let has_rolled = self.dice().and_then(Roll::new);
        if has_rolled.is_none() || Roll::new(dice) != has_rolled {
            return Err(faults_of_dice::other_dice(dice, has_rolled));
        }
        let before = text.len() - rest.len();
        let moved = |refusal: Refusal| Refusal {
            at: refusal.at.map(|at| at.start + before..at.end + before),
            ..refusal
        };
        Ok(self.with_dice_of(self.read_play(rest).map_err(moved)?))
    }

    fn continuations(&self, begun: &str) -> Result<Continuations, Refusal> {
        self.go_on(begun)
    }

    fn play(&mut self, turn: &RolledTurn) {
        if self.begun < 2 {
            self.begun += 1;
            return;
        }
        if let (Some(_), Some(dice)) = (self.due_roll(), turn.dice) {
            self.roll(dice);
        }
        self.game.play(&turn.turn);
        // A roll that was not played when the game was offered is played if the offer is refused.
        if !matches!(turn.turn, Turn::Concede(_) | Turn::Refuse) {
            self.dice = None;
        }
    }

    fn effects(&self, turns: &[RolledTurn]) -> Vec<String> {
        let (mut after, mut effects) = (*self, Vec::new());
        for turn in turns {
            if let (Some(_), Some(dice)) = (after.due_roll(), turn.dice) {
                after.roll(dice);
            }
            if after.begun == 2 {
                effects.extend(after.game.effects(&turn.turn));
            }
            after.play(turn);
        }
        effects
    }

    fn outcome(&self) -> Option<Outcome> {
        self.game.winner().map(Outcome::Won)
    }

    fn turns(&self, each: &mut dyn FnMut(&RolledTurn) -> ControlFlow<()>) -> ControlFlow<()> {
        if self.due_roll().is_none() {
            return self.turns_of_dice().iter().try_for_each(each);
        }
        for (dice, _) in self.rolls() {
            self.rolled(dice)
                .turns_of_dice()
                .iter()
                .try_for_each(&mut *each)?;
        }
        ControlFlow::Continue(())
    }

    fn count(&self) -> u64 {
        let mut count = 0;
        let _ = self.turns(&mut |_| {
            count += 1;
            ControlFlow::Continue(())
        });
        count
    }

    fn random_turn(&self, rng: &mut dyn Rng) -> Option<RolledTurn> {
        let mut at = *self;
        if self.due_roll().is_some() {
            let weighed = self.rolls().into_iter();
            let all: Vec<_> = weighed
                .flat_map(|(dice, times)| std::iter::repeat_n(dice, times as usize))
                .collect();
            at.roll(all[rng.random_range(0..all.len())]);
        }
        let turns = at.turns_of_dice();
        (!turns.is_empty()).then(|| turns[rng.random_range(0..turns.len())])
    }

    fn draw(&self, display: Display) -> String {
        match self.begun {
            2 => draw::draw(&self.game, self.view(), display),
            _ => draw::before_the_dice(&self.game, self.view(), display),
        }
    }

    fn cells(&self) -> Vec<(String, char)> {
        self.checkers()
    }

    fn in_words(&self) -> Vec<String> {
        self.checkers_in_words()
    }

    fn numbers(&self) -> Vec<(String, u32)> {
        self.numbers_shown()
    }

    fn is_next_game(&self) -> bool {
        *self.game.position() == Position::start(self.game.variant()) && self.game.score() != [0, 0]
    }

    fn layout(&self) -> Layout {
        self.board()
    }

    fn info(&self) -> Info {
        let sides = |number: &dyn Fn(Seat) -> u32| {
            let of = |seat: Seat| (draw::SIDES[seat.index()], number(seat));
            Seat::BOTH.map(of).to_vec()
        };
        let position = self.game.position();
        let mut info = vec![
            ("pips", sides(&|seat| u32::from(position.pips(seat)))),
            ("off", sides(&|seat| u32::from(position.count(seat, super::OFF)))),
        ];
        if self.game.length() > 1 {
            info.push(("score", sides(&|seat| u32::from(self.game.score()[seat.index()]))));
            if let (value, Some(owner)) = self.game.cube() {
                info.push(("cube", vec![(draw::SIDES[owner.index()], u32::from(value))]));
            }
        }
        info
    }
}

impl<G: BackgammonGame> Backgammon<G> {
    /// The side whose home is drawn at the bottom: that of the player to move, whose points the turn names.
    pub(super) fn view(&self) -> Seat {
        self.to_move().unwrap_or(Seat::First)
    }
}
