//! Alpha-beta, one turn deeper at a time, with a table of positions.
//!
//! Turns ahead are first searched among all turns, which finds every short win, as far as a third of the means allows; then
//! deeper, among the best turns of each position only; of the first position also among the next ones, if all of these lose.

use std::sync::atomic::{AtomicBool, Ordering};

use super::level::Means;
use super::search_result::{MAX_LINE, SearchResult};
use super::sight::Sight;
use super::table::{Bound, Table};
use super::value::{LEAST_PROVEN, is_lost, later, unproven};
use crate::{SearchPosition, Seat, WON};

/// The depth up to which all turns are searched.
const WIDE_DEPTH: u32 = 3;

/// From this place in the list on turns are first searched less deep.
const LATE: usize = 4;

/// Up to this many turns after the first position the only turn of a position does not use up depth.
const MAX_FORCED: i32 = 40;

/// If the best turn loses so much when it is searched deeper, the search goes on for as long again to find a better one.
const GREAT_FALL: i32 = 60;

/// A loss within four turns, both players' counted: any opponent sees it.
const SOON_LOST: i32 = 4 - WON;

/// The search ends without a result: the budget is used up, or it was stopped.
struct Ended;

/// A turn of the first position: its number in the list, and its value.
type Turn = (usize, i32);

struct Search<'a> {
    walk: Box<dyn SearchPosition>,
    table: Table,
    means: &'a Means,
    sight: Sight,
    stop: &'a AtomicBool,
    nodes: u64,
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
    let (turn, value) = search.deeper(side, nodes)?;
    Some(SearchResult {
        value,
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
    /// The best turn of the first position, and its value.
    fn deeper(&mut self, side: Seat, nodes: u64) -> Option<Turn> {
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
        let (turn, value) = *turns.first()?;
        let is_proof = listed.is_whole || !is_lost(value);
        Some((turn, if is_proof { value } else { unproven(value) }))
    }

    /// Searches the turns of the first position, and sorts them by what was found. If it ends early, what was found until
    /// then counts, because the best turn of the depth before is searched first.
    fn root(&mut self, side: Seat, turns: &mut [Turn], depth: u32) -> Result<(), Ended> {
        let mut better: Vec<Turn> = Vec::with_capacity(turns.len());
        let mut ended = Ok(());
        for (done, (turn, _)) in turns.iter().enumerate() {
            let least = better.first().map_or(-WON, |(_, value)| *value);
            self.walk.play(*turn);
            let value = self.value_for(side, self.sight.bound(*turn, least), WON, depth - 1, 1);
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

    fn value(&mut self, mover: Seat, least: i32, most: i32, depth: u32, ply: i32) -> Result<i32, Ended> {
        if self.nodes >= self.most_nodes || self.stop.load(Ordering::Relaxed) {
            return Err(Ended);
        }
        if depth <= 1 {
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
        let listed = self.walk.list(self.breadth);
        self.lists_all &= listed.is_whole;
        self.nodes += listed.judged;
        let first = known
            .map(|known| usize::from(known.turn))
            .filter(|turn| *turn < listed.values.len());
        let others = (0..listed.values.len()).filter(|turn| Some(*turn) != first);
        let is_forced = listed.values.len() == 1 && ply < MAX_FORCED;
        let left = if is_forced { depth } else { depth - 1 };
        let (mut best, mut best_turn, mut bound) = (-WON, 0, least);
        for (place, turn) in first.into_iter().chain(others).enumerate() {
            if listed.values[turn] >= WON {
                (best, best_turn) = (later(WON, ply + 1), turn);
                break;
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
                break;
            }
        }
        // That all turns looked at lose does not prove that all others lose too.
        if !listed.is_whole && is_lost(best) {
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
            let less = match place {
                LATE.. if depth > self.walk.step() => self.walk.step(),
                _ => 0,
            };
            let value = self.value_for(mover, least, least + 1, depth - less, ply)?;
            if value <= least || (value >= most && less == 0) {
                return Ok(value);
            }
        }
        self.value_for(mover, least, most, depth, ply)
    }

    /// The best turns from here as the table knows them.
    fn line(&mut self, first: usize) -> Vec<String> {
        let mut line = vec![self.walk.text(first)];
        self.walk.play(first);
        while line.len() < MAX_LINE
            && self.walk.to_move().is_some()
            && let Some(known) = self.table.get(self.walk.key() ^ (self.breadth as u64))
            && usize::from(known.turn) < self.walk.list(self.breadth).values.len()
        {
            line.push(self.walk.text(usize::from(known.turn)));
            self.walk.play(usize::from(known.turn));
        }
        line
    }
}
