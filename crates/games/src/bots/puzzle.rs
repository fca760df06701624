//! Positions to solve: who is to move wins by force within a few turns, whatever the other player does.
//!
//! Every legal turn of both players is tried, so what is found is proved. Only forced wins of at most [`MAX_TURNS`] turns of
//! the winner are looked for: a reader shall see them from a picture.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::{Game, Match, Options, SearchPosition, Seat, WON};

/// The most turns of the winner.
const MAX_TURNS: u32 = 3;

/// The most turns before the end of a game at which a position is looked for.
const LOOKED_AT: usize = 14;

/// What one position may take, in tenths of a microsecond.
const EFFORT_OF_A_POSITION: u64 = 10_000_000;

/// How many turns are played in the time that it takes to judge a position.
const TURNS_OF_A_JUDGEMENT: u64 = 4;

/// A position with fewer legal turns is no riddle.
const FEWEST_TURNS: usize = 4;

/// A position that is won by force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Puzzle {
    /// How many turns of the game are played in it.
    pub played: usize,
    /// How many turns the player to move needs at most.
    pub turns: u32,
    /// The first turns that win in so many, in their canonical texts. Nothing wins in fewer.
    pub wins: Vec<String>,
}

impl Puzzle {
    /// How good it is to solve: more than one turn is needed, and one first turn wins.
    #[must_use]
    pub fn merit(&self) -> (bool, bool, std::cmp::Reverse<usize>) {
        (
            self.turns > 1,
            self.wins.len() == 1,
            std::cmp::Reverse(self.wins.len()),
        )
    }

    /// Whether none is better.
    #[must_use]
    pub const fn is_best(&self) -> bool {
        self.turns > 1 && self.wins.len() == 1
    }
}

/// The best position to solve among the last of a game. `effort` is what may be taken, in tenths of a microsecond, of which
/// what was taken goes off. `None` if nothing is found in it, or if `stop` is set.
#[must_use]
pub fn puzzle(
    game: &Game,
    options: &Options,
    turns: &[String],
    effort: &mut u64,
    stop: &AtomicBool,
) -> Option<Puzzle> {
    // With dice nothing is forced.
    let mut position = game.start(options).ok().filter(|_| !game.facts.has_dice)?;
    let first = turns.len().saturating_sub(LOOKED_AT);
    let mut positions = Vec::new();
    for (played, turn) in turns.iter().enumerate() {
        if played >= first {
            positions.push((played, position.fork()));
        }
        position.play(turn).ok()?;
    }
    // After a resignation the game may be won, too.
    positions.push((turns.len(), position));
    let mut best: Option<Puzzle> = None;
    for (played, position) in positions.iter().rev() {
        if position.turns(FEWEST_TURNS).len() < FEWEST_TURNS {
            continue;
        }
        let Some((turns, wins)) = forced_win(position.as_ref(), effort, stop) else {
            continue;
        };
        let found = Puzzle {
            played: *played,
            turns,
            wins,
        };
        if best.as_ref().is_none_or(|best| found.merit() > best.merit()) {
            best = Some(found);
        }
        if best.as_ref().is_some_and(Puzzle::is_best) {
            break;
        }
    }
    best.filter(|_| !stop.load(Ordering::Relaxed))
}

/// In how many of its turns the player to move wins, and all first turns that win in so many.
fn forced_win(position: &dyn Match, effort: &mut u64, stop: &AtomicBool) -> Option<(u32, Vec<String>)> {
    let side = position.to_move()?;
    let mut walk = position.walk();
    let of_a_judgement = walk.effort().max(1);
    let most_tries = EFFORT_OF_A_POSITION.min(*effort) / of_a_judgement * TURNS_OF_A_JUDGEMENT;
    let mut search = Search {
        walk: walk.as_mut(),
        side,
        tries: 0,
        most_tries,
        spoiling: Vec::new(),
        stop,
    };
    let mut found = None;
    for turns in 1..=MAX_TURNS {
        match search.first_turns(turns) {
            Ok(wins) if wins.is_empty() => {}
            Ok(wins) => {
                found = Some((turns, wins));
                break;
            }
            Err(Ended) => break,
        }
    }
    let taken = search.tries * of_a_judgement / TURNS_OF_A_JUDGEMENT;
    *effort = effort.saturating_sub(taken);
    found
}

/// The search ends without a result: the budget is used up, there are too many turns, or it was stopped.
struct Ended;

struct Search<'a> {
    walk: &'a mut dyn SearchPosition,
    side: Seat,
    tries: u64,
    most_tries: u64,
    /// The answer that spoiled a win last, by how many turns are left: it mostly does so again.
    spoiling: Vec<Option<String>>,
    stop: &'a AtomicBool,
}

impl Search<'_> {
    /// All turns of the side, which is to move, after which it needs no more than `turns - 1` others.
    fn first_turns(&mut self, turns: u32) -> Result<Vec<String>, Ended> {
        let mut wins = Vec::new();
        for turn in 0..self.list()? {
            let text = self.walk.text(turn);
            if self.after(turn, turns - 1)? {
                wins.push(text);
            }
        }
        Ok(wins)
    }

    /// Whether the side wins with no more than `left` turns of its own.
    fn wins(&mut self, left: u32) -> Result<bool, Ended> {
        let Some(mover) = self.walk.to_move() else {
            return Ok(self.walk.end(self.side) == Some(WON));
        };
        if left == 0 {
            return Ok(false);
        }
        let is_own = mover == self.side;
        if self.can_win_at_once()? {
            return Ok(is_own);
        }
        if is_own && left == 1 {
            return Ok(false);
        }
        let place = left as usize;
        if self.spoiling.len() <= place {
            self.spoiling.resize(place + 1, None);
        }
        if !is_own
            && let Some(text) = self.spoiling[place].clone()
            && self.walk.play_again(&text)
        {
            self.tried(1)?;
            let wins = self.wins(left)?;
            self.walk.back();
            if !wins {
                return Ok(false);
            }
        }
        for turn in 0..self.list()? {
            let wins = self.after(turn, if is_own { left - 1 } else { left })?;
            if wins == is_own {
                if !is_own {
                    self.spoiling[place] = Some(self.walk.text(turn));
                }
                return Ok(is_own);
            }
        }
        Ok(!is_own)
    }

    /// Whether the side wins with no more than `left` turns after this turn of the list.
    fn after(&mut self, turn: usize, left: u32) -> Result<bool, Ended> {
        self.tried(1)?;
        self.walk.play(turn);
        let wins = self.wins(left)?;
        self.walk.back();
        Ok(wins)
    }

    fn can_win_at_once(&mut self) -> Result<bool, Ended> {
        let tried = self
            .walk
            .try_to_win(self.most_tries.saturating_sub(self.tries).max(1));
        self.tried(tried.tries)?;
        match tried.is_whole {
            true => Ok(tried.winning.is_some()),
            false => Err(Ended),
        }
    }

    /// Lists all legal turns.
    fn list(&mut self) -> Result<usize, Ended> {
        let count = self.walk.list_unjudged().ok_or(Ended)?;
        self.tried(1)?;
        Ok(count)
    }

    fn tried(&mut self, turns: u64) -> Result<(), Ended> {
        self.tries += turns;
        match self.tries > self.most_tries || self.stop.load(Ordering::Relaxed) {
            true => Err(Ended),
            false => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;
    use rand::rngs::StdRng;

    use super::*;
    use crate::{Outcome, find};

    static NEVER: AtomicBool = AtomicBool::new(false);

    /// The same by the rules alone, without anything that the search knows.
    fn wins_within(position: &dyn Match, side: Seat, left: u32) -> bool {
        let Some(mover) = position.to_move() else {
            return position.outcome() == Some(Outcome::Won(side));
        };
        if left == 0 {
            return false;
        }
        let is_own = mover == side;
        let after = |turn: &String| {
            let mut after = position.fork();
            after.play(turn).unwrap();
            wins_within(after.as_ref(), side, if is_own { left - 1 } else { left })
        };
        let turns = position.turns(usize::MAX);
        match is_own {
            true => turns.iter().any(after),
            false => turns.iter().all(after),
        }
    }

    fn by_the_rules(position: &dyn Match, most: u32) -> Option<(u32, Vec<String>)> {
        let side = position.to_move()?;
        (1..=most).find_map(|turns| {
            let mut wins = position.turns(usize::MAX);
            wins.retain(|turn| {
                let mut after = position.fork();
                after.play(turn).unwrap();
                wins_within(after.as_ref(), side, turns - 1)
            });
            (!wins.is_empty()).then_some((turns, wins))
        })
    }

    #[test]
    fn what_is_found_at_the_ends_of_random_games_is_what_the_rules_say() {
        let mut found = [0; 4];
        for (name, words, most) in [
            ("Hex", vec!["-size=4"], 3),
            ("Reversi", vec!["-size=6"], 3),
            ("Breakthrough", vec!["-size=6"], 2),
            ("Gomoku", vec!["-size=7"], 2),
        ] {
            let game = find(name).unwrap();
            let options = Options::parse(game.facts, words.clone());
            let options = options.unwrap_or_else(|_| Options::none(game.facts));
            for seed in 0..6 {
                let mut rng = StdRng::seed_from_u64(seed);
                let mut position = game.start(&options).unwrap();
                let mut positions = Vec::new();
                while let Some(turn) = position.random_turn(&mut rng) {
                    positions.push(position.fork());
                    position.play(&turn).unwrap();
                }
                for position in positions.iter().rev().take(4) {
                    if position.turns(26).len() > 25 {
                        continue;
                    }
                    let by_rules = by_the_rules(position.as_ref(), most);
                    let by_search = forced_win(position.as_ref(), &mut u64::MAX.clone(), &NEVER);
                    let by_search = by_search.filter(|(turns, _)| *turns <= most);
                    assert_eq!(
                        by_search,
                        by_rules,
                        "{name} {seed}\n{}",
                        position.draw(crate::Display::Large)
                    );
                    found[by_rules.map_or(0, |(turns, _)| turns as usize)] += 1;
                }
            }
        }
        assert!(found.iter().all(|count| *count > 0), "{found:?}");
    }

    #[test]
    fn nothing_is_taken_for_proved_when_the_effort_is_used_up() {
        let game = find("Hex").unwrap();
        let position = game.start(&Options::none(game.facts)).unwrap();
        let mut effort = 20_000;
        assert_eq!(forced_win(position.as_ref(), &mut effort, &NEVER), None);
        assert!(effort < 20_000);
        let stopped = AtomicBool::new(true);
        assert_eq!(
            puzzle(
                game,
                &Options::none(game.facts),
                &[],
                &mut u64::MAX.clone(),
                &stopped
            ),
            None
        );
    }
}
