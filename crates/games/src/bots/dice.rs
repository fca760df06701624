//! Turns in games with dice: each is worth the average, over all rolls of the other player, of the best answer to it. The best of
//! them are then played out some rolls further, all with the same dice, as often as there is time for (Tesauro and Galperin,
//! "On-line Policy Improvement using Monte-Carlo Search", 1996).

use std::sync::atomic::{AtomicBool, Ordering};

use rand::SeedableRng as _;
use rand::rngs::ChaCha8Rng;

use super::level::Means;
use super::search_result::SearchResult;
use super::sight::Sight;
use super::value::{expected, of_expected};
use crate::{DueRoll, SearchPosition, Seat};

/// A player with more turns ahead than this looks at the answers.
const LOOKS_AT_ANSWERS: u32 = 1;

/// A player with more turns ahead than this plays the best turns out.
const PLAYS_OUT: u32 = 3;

/// The most turns that are played out.
const MAX_PLAYED_OUT: usize = 5;

/// A turn that is worse than the best by more, in thousandths of the expected result, is not played out.
const MAX_BEHIND: i32 = 150;

/// How many rolls further a turn is played out.
const ROLLS: u32 = 7;

/// The most decisions without dice after one another: to double, to take, to roll.
const MAX_DECISIONS: u32 = 4;

struct Search<'a> {
    judged: u64,
    /// No more positions than these are judged.
    most: u64,
    stop: &'a AtomicBool,
}

/// The best turn, without a look at the answers if the means are small. In a position whose dice are not known
/// the turn is that of the luckiest dice, and the value the average of all.
pub(super) fn search(
    mut walk: Box<dyn SearchPosition>,
    means: &Means,
    sight: Sight,
    nodes: u64,
    stop: &AtomicBool,
) -> Option<SearchResult> {
    let side = walk.to_move()?;
    let mut search = Search {
        judged: 0,
        most: nodes,
        stop,
    };
    let found = |value, line, others, nodes, depth| SearchResult {
        value,
        line,
        others,
        nodes,
        depth,
        saw_short_wins: true,
    };
    if walk.due_roll().is_some() {
        let value = search.average(walk.as_mut(), side);
        search.judged += walk.list(1).judged;
        let line = vec![walk.text(0)];
        return Some(found(of_expected(value), line, Vec::new(), search.judged, 1));
    }
    let listed = walk.list(usize::MAX);
    search.judged += listed.judged;
    let looks = means.depth > LOOKS_AT_ANSWERS && !walk.plays_by_rule() && listed.values.len() > 1;
    let mut turns: Vec<(usize, i32)> = Vec::new();
    for (turn, value) in listed.values.iter().copied().enumerate() {
        // The first one is always seen.
        if turn > 0 && sight.overlooks(turn) {
            continue;
        }
        if looks && (turns.len() >= means.breadth || search.is_over()) {
            break;
        }
        let value = match looks {
            true => {
                walk.play(turn);
                let value = search.value(walk.as_mut(), side, MAX_DECISIONS);
                walk.back();
                of_expected(value)
            }
            false => value,
        };
        turns.push((turn, expected(sight.seen(turn, value))));
    }
    let best_first =
        |turns: &mut Vec<(usize, i32)>| turns.sort_by_key(|(_, value)| std::cmp::Reverse(*value));
    best_first(&mut turns);
    let (_, best) = *turns.first()?;
    if looks && means.depth > PLAYS_OUT && best < 1000 {
        let count = turns
            .iter()
            .take_while(|(_, value)| best - value <= MAX_BEHIND)
            .count();
        search.play_out(walk.as_mut(), side, &mut turns[..count.min(MAX_PLAYED_OUT)]);
        best_first(&mut turns);
    }
    let (_, value) = *turns.first()?;
    let mut texts = turns.iter().map(|(turn, _)| walk.text(*turn));
    let line = texts.next().into_iter().collect();
    let others = texts.take(super::search_result::MAX_OTHERS).collect();
    Some(found(
        of_expected(value),
        line,
        others,
        search.judged,
        1 + u32::from(looks),
    ))
}

/// How much better these dice are than the average roll for who plays them, in thousandths of the expected result, as far as
/// the estimate sees.
pub(super) fn luck(walk: &mut dyn SearchPosition, dice: [u8; 2]) -> i32 {
    walk.roll(dice);
    let (mover, (best, _)) = (walk.to_move(), walk.best(i32::MAX));
    walk.back();
    let mut search = Search {
        judged: 0,
        most: u64::MAX,
        stop: &AtomicBool::new(false),
    };
    mover.map_or(0, |mover| {
        expected(best.unwrap_or_default()) - search.average(walk, mover)
    })
}

impl Search<'_> {
    fn is_over(&self) -> bool {
        self.judged >= self.most || self.stop.load(Ordering::Relaxed)
    }

    /// The expected result for this side, in thousandths.
    fn value(&mut self, walk: &mut dyn SearchPosition, side: Seat, decisions: u32) -> i32 {
        if let Some(end) = walk.end(side) {
            return expected(end);
        }
        if walk.due_roll().is_some() {
            return self.average(walk, side);
        }
        if decisions == 0 {
            self.judged += 1;
            return expected(walk.estimate(side));
        }
        self.judged += walk.list(1).judged;
        walk.play(0);
        let value = self.value(walk, side, decisions - 1);
        walk.back();
        value
    }

    /// Gives each of these turns its average result when it is played out, in thousandths, if there is time for some dice.
    fn play_out(&mut self, walk: &mut dyn SearchPosition, side: Seat, turns: &mut [(usize, i32)]) {
        let mut sums = vec![0_i64; turns.len()];
        let mut rounds = 0;
        while turns.len() > 1 && !self.is_over() {
            for ((turn, _), sum) in turns.iter().zip(&mut sums) {
                // The same dice for all turns: what is luck cancels out.
                let mut rng = ChaCha8Rng::seed_from_u64(rounds);
                walk.play(*turn);
                *sum += i64::from(self.played_out(walk, side, &mut rng));
                walk.back();
            }
            rounds += 1;
        }
        for ((_, value), sum) in turns.iter_mut().zip(sums) {
            if let Some(mean) = sum.checked_div(i64::try_from(rounds).unwrap_or(0)) {
                *value = i32::try_from(mean).unwrap_or(*value);
            }
        }
    }

    /// The expected result for this side after some rolls, both playing the best turn by the estimate, in thousandths.
    fn played_out(&mut self, walk: &mut dyn SearchPosition, side: Seat, rng: &mut ChaCha8Rng) -> i32 {
        let (mut rolls, mut steps) = (0, 0);
        let value = loop {
            if let Some(end) = walk.end(side) {
                break expected(end);
            }
            match walk.due_roll() {
                Some(_) if rolls == ROLLS => break expected(walk.estimate(side)),
                Some(due) => {
                    walk.roll(due.thrown(rng));
                    rolls += 1;
                }
                None => {
                    self.judged += walk.list(1).judged;
                    walk.play(0);
                }
            }
            steps += 1;
        };
        (0..steps).for_each(|_| walk.back());
        value
    }

    /// The average over all rolls of what the best turn is worth.
    fn average(&mut self, walk: &mut dyn SearchPosition, side: Seat) -> i32 {
        let rolls = walk.due_roll().map(DueRoll::possible).unwrap_or_default();
        let (mut sum, mut count) = (0, 0);
        for (dice, times) in rolls {
            walk.roll(dice);
            let mover = walk.to_move();
            let (best, judged) = walk.best(i32::MAX);
            walk.back();
            self.judged += judged;
            let best = expected(best.unwrap_or_default());
            let times = i32::try_from(times).unwrap_or(1);
            sum += times * if mover == Some(side) { best } else { -best };
            count += times;
        }
        if count == 0 { 0 } else { sum / count }
    }
}
