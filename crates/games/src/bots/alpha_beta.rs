//! Alpha-beta, one turn deeper at a time, with a table of positions.
//!
//! Turns ahead are first searched among all turns, which finds every short win, as far as a third of the means allows; then
//! deeper, among the best turns of each position only; of the first position also among the next ones, if all of these lose.

use std::sync::atomic::{AtomicBool, Ordering};

use super::good::Good;
use super::level::Means;
use super::search_result::{MAX_LINE, MAX_OTHERS, SearchResult};
use super::sight::Sight;
use super::table::{Bound, Table};
use super::value::{LEAST_PROVEN, foregone, is_lost, later, unproven};
use crate::{SearchPosition, Seat, WON};

/// The depth up to which all turns are searched.
const WIDE_DEPTH: u32 = 3;

/// From this place in the list on turns are first searched less deep.
const LATE: usize = 3;

/// From this place on still less deep.
const VERY_LATE: usize = 9;

/// Up to this many turns after the first position the only turn of a position does not use up depth.
const MAX_FORCED: i32 = 40;

/// If the best turn loses so much when it is searched deeper, the search goes on for as long again to find a better one.
const GREAT_FALL: i32 = 60;

/// How much better than it seems, at most, a turn is taken to become when it is searched one turn deeper, and two. Turns that seem
/// worse by more are left out there.
const HOPES: [i32; 2] = [50, 110];

/// A loss within four turns, both players' counted: any opponent sees it.
const SOON_LOST: i32 = 4 - WON;

/// The search ends without a result: the budget is used up, or it was stopped.
pub(super) struct Ended;

/// A turn of the first position: its number in the list, and its value.
type Turn = (usize, i32);

/// The turns of a position, by their numbers in its list.
struct Order {
    turns: Vec<usize>,
    /// By turn, what it seems worth; empty where turns are not judged.
    values: Vec<i32>,
    /// By turn, its promise and its number among all turns; empty where turns are judged.
    numbers: Vec<(i32, u64)>,
    /// See [`Listed::is_whole`].
    is_whole: bool,
}

pub(super) struct Search<'a> {
    pub(super) walk: Box<dyn SearchPosition>,
    table: Table,
    good: Good,
    means: &'a Means,
    sight: Sight,
    stop: &'a AtomicBool,
    pub(super) nodes: u64,
    /// Where the search ends.
    most_nodes: u64,
    breadth: usize,
    /// How many turns ahead were searched.
    depth: u32,
    /// Whether the lists of turns were whole so far, wherever all turns were asked for.
    lists_all: bool,
    /// See [`SearchResult::saw_short_wins`].
    saw_short_wins: bool,
}

/// Searches until `nodes` positions were judged, within these means. `None` if the game is over.
pub(super) fn search(
    walk: Box<dyn SearchPosition>,
    means: &Means,
    sight: Sight,
    nodes: u64,
    stop: &AtomicBool,
) -> Option<SearchResult> {
    let side = walk.to_move()?;
    let mut search = Search {
        walk,
        table: Table::for_nodes(nodes),
        good: Good::new(),
        means,
        sight,
        stop,
        nodes: 0,
        most_nodes: nodes,
        breadth: usize::MAX,
        depth: 1,
        lists_all: true,
        saw_short_wins: false,
    };
    let turns = search.deeper(side, nodes)?;
    let (turn, value) = *turns.first()?;
    let others = turns.iter().skip(1).filter(|(_, value)| !is_lost(*value));
    let others = others.take(MAX_OTHERS).map(|(turn, _)| search.walk.text(*turn));
    Some(SearchResult {
        value,
        others: others.collect(),
        line: search.line(turn),
        nodes: search.nodes,
        depth: search.depth,
        saw_short_wins: search.saw_short_wins,
    })
}

/// Whether the best turn is worth much less than the best one was before.
fn has_fallen(before: Option<Turn>, turns: &[Turn]) -> bool {
    let value = |turn: &Turn| turn.1;
    let (before, now) = (before.as_ref().map(value), turns.first().map(value));
    matches!((before, now), (Some(before), Some(now)) if now < before - GREAT_FALL)
}

/// If all turns lose, but not soon, the best turn is the one that was best before that was seen, since the opponent may not see it
/// either. The turn that loses last often gives away something for nothing.
fn resist(turns: &mut [Turn], best_before: usize) {
    let is_far = |value: i32| is_lost(value) && value > SOON_LOST;
    if turns.first().is_some_and(|(_, value)| is_far(*value))
        && let Some(place) = turns
            .iter()
            .position(|(turn, value)| *turn == best_before && is_far(*value))
    {
        turns[..=place].rotate_right(1);
    }
}

impl Search<'_> {
    /// The turns of the first position with their values, the best first.
    fn deeper(&mut self, side: Seat, nodes: u64) -> Option<Vec<Turn>> {
        let listed = self.walk.list(usize::MAX);
        self.lists_all &= listed.is_whole;
        self.nodes += listed.judged;
        let noisy = (0_usize..)
            .zip(listed.values)
            .map(|(turn, value)| (turn, self.sight.seen(turn, value)));
        let mut turns: Vec<Turn> = noisy.filter(|(turn, _)| !self.sight.overlooks(*turn)).collect();
        if turns.is_empty() {
            turns.push((0, 0));
        }
        turns.sort_by_key(|(_, value)| std::cmp::Reverse(*value));
        let (mut is_wide, mut is_longer) = (true, false);
        let mut favourite = turns.first().copied();
        while self.depth < self.means.depth
            && turns.first().is_some_and(|(_, value)| value.abs() < LEAST_PROVEN)
        {
            is_wide &= self.depth < WIDE_DEPTH;
            if is_wide {
                self.most_nodes = nodes / 3;
            } else {
                self.breadth = self.means.breadth;
                self.most_nodes = if is_longer { 2 * nodes } else { nodes };
            }
            let depth = self.depth + self.walk.step();
            let looked = self.breadth.min(turns.len());
            let result = self.root(side, &mut turns[..looked], depth);
            if turns.first().is_some_and(|(_, value)| is_lost(*value)) {
                // The next turns are worth a look now. If there are none left, all are lost.
                turns.rotate_left(looked);
                continue;
            }
            match result {
                Ok(()) => {
                    self.depth = depth;
                    self.saw_short_wins |= is_wide && depth >= WIDE_DEPTH && self.lists_all;
                }
                Err(Ended) if is_wide => is_wide = false,
                Err(Ended) if !is_longer && has_fallen(favourite, &turns) => is_longer = true,
                Err(Ended) => break,
            }
            favourite = turns.first().copied();
        }
        if turns.first().is_some_and(|(_, value)| is_lost(*value)) {
            turns.sort_by_key(|(_, value)| std::cmp::Reverse(*value));
            if let Some((turn, _)) = favourite {
                resist(&mut turns, turn);
            }
        }
        let first = turns.first_mut()?;
        if !listed.is_whole && is_lost(first.1) {
            first.1 = unproven(first.1);
        }
        Some(turns)
    }

    /// Searches the turns of the first position, and sorts them by what was found. If it ends early, what was found until
    /// then counts, because the best turn of the depth before is searched first.
    fn root(&mut self, side: Seat, turns: &mut [Turn], depth: u32) -> Result<(), Ended> {
        let mut better: Vec<Turn> = Vec::with_capacity(turns.len());
        let mut ended = Ok(());
        for (done, (turn, _)) in turns.iter().enumerate() {
            let least = better.first().map_or(-WON, |(_, value)| *value);
            self.walk.play(*turn);
            // As far as all turns are looked at none is looked at less deep: no short win may be missed.
            let place = if depth <= WIDE_DEPTH { done.min(1) } else { done };
            let value = self.value_after(side, self.sight.bound(*turn, least), WON, depth - 1, 1, place);
            self.walk.back();
            match value {
                Ok(value) => {
                    let value = self.sight.seen(*turn, value);
                    let place = better.partition_point(|(_, other)| *other >= value);
                    better.insert(place, (*turn, value));
                }
                Err(Ended) => {
                    better.extend(&turns[done..]);
                    // What was not searched is not known to lose.
                    if better.first().is_some_and(|(_, value)| is_lost(*value)) {
                        better.rotate_left(done);
                    }
                    ended = Err(Ended);
                    break;
                }
            }
        }
        turns.copy_from_slice(&better);
        ended
    }

    /// The value of this position for a side, which need not be to move. A turn after which the same player moves again does
    /// not use up depth.
    fn value_for(&mut self, side: Seat, least: i32, most: i32, depth: u32, ply: i32) -> Result<i32, Ended> {
        match self.walk.to_move() {
            Some(mover) if mover != side => Ok(-self.value(mover, -most, -least, depth, ply)?),
            Some(mover) => self.value(mover, least, most, depth + 1, ply),
            None => Ok(later(self.walk.end(side).unwrap_or_default(), ply)),
        }
    }

    /// Whether there is something left to look on with.
    pub(super) fn go_on(&self) -> Result<(), Ended> {
        match self.nodes >= self.most_nodes || self.stop.load(Ordering::Relaxed) {
            true => Err(Ended),
            false => Ok(()),
        }
    }

    fn value(&mut self, mover: Seat, least: i32, most: i32, depth: u32, ply: i32) -> Result<i32, Ended> {
        self.go_on()?;
        if let Some(turns) = self.walk.foregone() {
            return Ok(foregone(turns, ply));
        }
        if self.walk.knows_captures() {
            if depth == 0 {
                return self.settled(mover, least, most, ply);
            }
        } else if depth <= 1 {
            let (best, judged) = self.walk.best(most);
            self.nodes += judged;
            return Ok(later(best.unwrap_or_default(), ply + 1));
        }
        let key = self.walk.key() ^ (self.breadth as u64);
        let known = self.table.get(key);
        if let Some(known) = &known
            && known.depth >= depth
            && known.decides(least, most, ply)
        {
            return Ok(later(known.value, ply));
        }
        let Order {
            turns,
            values,
            numbers,
            is_whole,
        } = self.order(known.map(|known| usize::from(known.turn)), ply);
        if turns.is_empty() && is_whole {
            return Ok(later(-WON, ply + 2));
        }
        let is_forced = turns.len() == 1 && ply < MAX_FORCED;
        let left = if is_forced { depth } else { depth - 1 };
        let (mut best, mut best_turn, mut bound) = (-WON, 0, least);
        for (place, turn) in turns.into_iter().enumerate() {
            if let Some(value) = values.get(turn).copied() {
                if value >= WON {
                    (best, best_turn) = (later(WON, ply + 1), turn);
                    break;
                }
                if place > 0
                    && let Some(hope) = self.hope(value, left)
                    && hope <= bound
                {
                    // It may be worth this much, so the others do not prove a loss.
                    best = best.max(hope);
                    continue;
                }
            }
            self.walk.play(turn);
            let value = self.value_after(mover, bound, most, left, ply + 1, place);
            self.walk.back();
            let value = value?;
            if value > best {
                (best, best_turn) = (value, turn);
            }
            bound = bound.max(best);
            if bound >= most {
                if let Some((_, number)) = numbers.get(turn) {
                    self.good.reward(*number, depth, ply);
                }
                break;
            }
        }
        // That all turns looked at lose does not prove that all others lose too.
        if !is_whole && is_lost(best) {
            best = unproven(best);
        }
        let kind = match best {
            _ if best >= most => Bound::AtLeast,
            _ if best <= least => Bound::AtMost,
            _ => Bound::Exact,
        };
        self.table.put(key, later(best, -ply), kind, depth, best_turn);
        Ok(best)
    }

    /// The turns of this position in the order in which they are tried; `known` is the best one as far as was known.
    fn order(&mut self, known: Option<usize>, ply: i32) -> Order {
        if !self.walk.has_few_turns() {
            let listed = self.walk.list(self.breadth);
            self.lists_all &= listed.is_whole;
            self.nodes += listed.judged;
            let count = listed.values.len();
            let first = known.filter(|turn| *turn < count);
            return Order {
                turns: first
                    .into_iter()
                    .chain((0..count).filter(|turn| Some(*turn) != first))
                    .collect(),
                values: listed.values,
                numbers: Vec::new(),
                is_whole: listed.is_whole,
            };
        }
        let numbers = self.walk.list_promises();
        self.nodes += 1 + numbers.len() as u64 / 8;
        let promise = |turn: usize| {
            let (promise, number) = numbers[turn];
            match known == Some(turn) {
                true => i32::MAX,
                false => promise.saturating_add(self.good.points(number, ply)),
            }
        };
        let mut ranked: Vec<_> = (0..numbers.len())
            .map(|turn| (std::cmp::Reverse(promise(turn)), turn))
            .collect();
        ranked.sort_unstable();
        let turns = ranked.into_iter().map(|(_, turn)| turn).collect();
        Order {
            turns,
            values: Vec::new(),
            numbers,
            is_whole: true,
        }
    }

    /// The most that a turn which seems worth this much will hardly exceed when it is searched so deep. `None`: nobody knows.
    fn hope(&self, value: i32, depth: u32) -> Option<i32> {
        let is_narrow = self.breadth != usize::MAX && self.walk.step() == 1;
        let hope = HOPES.get(depth.checked_sub(1)? as usize)?;
        (is_narrow && value.abs() < LEAST_PROVEN).then_some(value + hope)
    }

    /// The value of the position after a turn for its player. Of a later place in the list it is first asked only whether it is
    /// better than what is known, and less deep.
    fn value_after(
        &mut self,
        mover: Seat,
        least: i32,
        most: i32,
        depth: u32,
        ply: i32,
        place: usize,
    ) -> Result<i32, Ended> {
        if place > 0 {
            let step = self.walk.step();
            let less = match place {
                VERY_LATE.. if depth > 3 * step => 2 * step,
                LATE.. if depth > step => step,
                _ => 0,
            };
            let value = self.value_for(mover, least, least + 1, depth - less, ply)?;
            if value <= least || (value >= most && less == 0) {
                return Ok(value);
            }
        }
        self.value_for(mover, least, most, depth, ply)
    }

    /// Lists the turns as for the search, and counts them.
    fn listed(&mut self) -> usize {
        match self.walk.has_few_turns() {
            true => self.walk.list_promises().len(),
            false => self.walk.list(self.breadth).values.len(),
        }
    }

    /// The best turns from here as the table knows them.
    fn line(&mut self, first: usize) -> Vec<String> {
        let mut line = vec![self.walk.text(first)];
        self.walk.play(first);
        while line.len() < MAX_LINE
            && self.walk.to_move().is_some()
            && let Some(known) = self.table.get(self.walk.key() ^ (self.breadth as u64))
            && usize::from(known.turn) < self.listed()
        {
            line.push(self.walk.text(usize::from(known.turn)));
            self.walk.play(usize::from(known.turn));
        }
        line
    }
}
