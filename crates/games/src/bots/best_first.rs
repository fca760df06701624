//! Best first: a tree that grows where good play of both would lead. It takes the estimate in place of random games.
//!
//! Each look goes down the tree by the turns that seem best or were tried least, lists the turns of the position that it comes
//! to, and takes the value found back to the first position: as a mean (UCT: L. Kocsis, C. Szepesvári, "Bandit based Monte-Carlo
//! Planning", 2006), and as the best that each player can reach (M. Lanctot and others, "Monte Carlo Tree Search with Heuristic
//! Evaluations using Implicit Minimax Backups", 2014). Estimates say which turns are tried first (C. Rosin, "Multi-armed bandits with
//! episode context", 2011). A win or loss that is seen to its end stays (M. Winands and others, "Monte-Carlo Tree Search Solver", 2008).
//!
//! Known limit: positions reached in two ways are two.

use std::sync::atomic::{AtomicBool, Ordering};

use super::search_result::{MAX_LINE, MAX_OTHERS, SearchResult};
use super::sight::Sight;
use super::value::{LEAST_PROVEN, WORTH_A_HALF, is_lost};
use crate::{GREATEST_ESTIMATE, SearchPosition, Seat};

/// An expected result that is seen to its end. Others are between -1 and 1.
const PROVEN: f32 = 2.0;

/// How much more a turn is tried that was tried less.
const CURIOSITY: f32 = 2.0;

/// By how much the estimate of a turn must be less for its share of the tries to fall to a third.
const TEMPERATURE: f32 = 30.0;

/// How many turns of a position are kept at first; more where more are to be tried.
const FIRST_KEPT: usize = 32;

/// No more turns are kept in a tree: less than 13 megabytes, so that eight trees stay under 128.
const MAX_KEPT: usize = 1 << 18;

/// A turn of a position.
struct Branch {
    /// The expected result for its player, if both play as well as is known.
    value: f32,
    /// The sum of the results found behind it, for the same player.
    sum: f32,
    tries: u32,
    /// Its share of the tries by the estimates. Those of a position together are 1.
    share: f32,
    /// The place in the tree of the position after it. 0, the place of the first position, before the first try.
    node: u32,
}

impl Branch {
    fn mean(&self) -> f32 {
        match self.tries {
            0 => self.value,
            tries => self.sum / tries as f32,
        }
    }

    fn is_lost(&self) -> bool {
        self.value <= -PROVEN
    }
}

struct Node {
    /// At this position, with the turns kept in its list.
    walk: Box<dyn SearchPosition>,
    mover: Seat,
    /// Whether all turns that are not kept, if there are any, lose at once.
    is_whole: bool,
    /// No more turns than this were kept.
    most_kept: usize,
    /// The turns kept, those with the best estimates first.
    branches: Vec<Branch>,
    tries: u32,
    is_first: bool,
}

impl Node {
    /// A position in which this player is to move, and how many positions were judged. `seen` says what a turn of the list with
    /// this value is taken for.
    fn new(
        walk: Box<dyn SearchPosition>,
        mover: Seat,
        is_first: bool,
        seen: &dyn Fn(usize, i32) -> i32,
    ) -> (Self, u64) {
        let mut node = Self {
            walk,
            mover,
            is_whole: false,
            most_kept: FIRST_KEPT,
            branches: Vec::new(),
            tries: 0,
            is_first,
        };
        let judged = node.list(seen);
        (node, judged)
    }

    /// Lists the turns, and adds those that are not kept yet. Returns how many positions were judged.
    fn list(&mut self, seen: &dyn Fn(usize, i32) -> i32) -> u64 {
        let listed = self.walk.list_likely(self.most_kept, self.is_first);
        self.is_whole = listed.is_whole;
        let best = listed.values.first().copied().unwrap_or_default();
        let weights: Vec<f32> = listed
            .values
            .iter()
            .map(|value| ((*value - best) as f32 / TEMPERATURE).exp())
            .collect();
        let all: f32 = weights.iter().sum();
        self.branches
            .reserve_exact(listed.values.len() - self.branches.len());
        for (turn, value) in listed.values.iter().enumerate().skip(self.branches.len()) {
            self.branches.push(Branch {
                value: expected(seen(turn, *value)),
                sum: 0.0,
                tries: 0,
                share: 0.0,
                node: 0,
            });
        }
        for (branch, weight) in self.branches.iter_mut().zip(weights) {
            branch.share = weight / all;
        }
        listed.judged.max(1)
    }

    /// How many turns are to be tried, without those that lose: one of the best by their estimates, more with each try.
    fn breadth(&self) -> usize {
        4 + (3.0 * (self.tries as f32).sqrt()) as usize
    }

    /// Whether turns are to be tried that are not kept.
    fn is_short(&self) -> bool {
        self.branches.len() == self.most_kept
            && !self.is_whole
            && self.branches.iter().filter(|branch| !branch.is_lost()).count() < self.breadth()
    }

    /// The expected result for the player to move.
    fn value(&self) -> f32 {
        let values = self.branches.iter().map(|branch| branch.value);
        let best = values.fold(-PROVEN, f32::max);
        // A turn that is not kept may be no loss.
        if self.is_whole { best } else { best.max(-1.0) }
    }

    /// The expected result for this player.
    fn value_for(&self, side: Seat) -> f32 {
        if self.mover == side {
            self.value()
        } else {
            -self.value()
        }
    }

    /// The turn to try next. `None` if all lose.
    fn choice(&self) -> Option<usize> {
        let curiosity = CURIOSITY * (self.tries as f32 + 1.0).sqrt();
        let worth = |branch: &Branch| {
            branch.value.midpoint(branch.mean()) + curiosity * branch.share / (branch.tries as f32 + 1.0)
        };
        let open = (0..).zip(&self.branches).filter(|(_, branch)| !branch.is_lost());
        open.take(self.breadth())
            .map(|(turn, branch)| (turn, worth(branch)))
            .max_by(|(_, a), (_, b)| a.total_cmp(b))
            .map(|(turn, _)| turn)
    }

    /// A turn that is seen to win, or the one tried most; of those tried as often the first one, whose estimate is the best.
    fn best(&self) -> Option<usize> {
        let rank = |branch: &Branch| (branch.value >= PROVEN, !branch.is_lost(), branch.tries);
        let turns = self.branches.iter().enumerate().rev();
        turns.max_by_key(|(_, branch)| rank(branch)).map(|(turn, _)| turn)
    }
}

/// The expected result of a value of the game.
fn expected(value: i32) -> f32 {
    match value {
        LEAST_PROVEN.. => PROVEN,
        value if is_lost(value) => -PROVEN,
        value => value as f32 / (value.abs() + WORTH_A_HALF) as f32,
    }
}

/// The value of the game with this expected result.
fn value_of(expected: f32) -> i32 {
    match expected {
        PROVEN.. => LEAST_PROVEN,
        expected if expected <= -PROVEN => -LEAST_PROVEN,
        expected => {
            let value = WORTH_A_HALF as f32 * expected / (1.0 - expected.abs());
            (value as i32).clamp(-GREATEST_ESTIMATE, GREATEST_ESTIMATE)
        }
    }
}

/// Searches until `nodes` positions were judged. `None` if the game is over.
pub(super) fn search(
    walk: Box<dyn SearchPosition>,
    sight: Sight,
    nodes: u64,
    stop: &AtomicBool,
) -> Option<SearchResult> {
    let mover = walk.to_move()?;
    let mut tree = Tree::new(walk, mover, sight);
    tree.grow(nodes, stop);
    let value = value_of(tree.nodes[0].value());
    let (line, depth) = tree.line();
    (!line.is_empty()).then_some(SearchResult {
        value,
        line,
        others: tree.others(),
        nodes: tree.judged,
        depth,
        saw_short_wins: false,
    })
}

struct Tree {
    /// The first position, and those looked at.
    nodes: Vec<Node>,
    /// Of the turns of the first position.
    sight: Sight,
    /// How many turns all nodes keep.
    kept: usize,
    judged: u64,
}

impl Tree {
    /// The tree with nothing but a position in which this player is to move.
    fn new(walk: Box<dyn SearchPosition>, mover: Seat, sight: Sight) -> Self {
        let (root, judged) = Node::new(walk, mover, true, &|turn, value| sight.seen(turn, value));
        Self {
            kept: root.branches.len(),
            nodes: vec![root],
            sight,
            judged,
        }
    }

    /// Looks on until this many positions were judged, the result is seen or the tree has no room.
    fn grow(&mut self, judged: u64, stop: &AtomicBool) {
        while self.judged < judged
            && self.kept < MAX_KEPT
            && self.nodes[0].value().abs() < PROVEN
            && !stop.load(Ordering::Relaxed)
        {
            self.look();
        }
    }

    /// Looks at one more position.
    fn look(&mut self) {
        // A look that judges nothing, because the tree knows all there is, must not be for nothing: the search would not end.
        self.judged += 1;
        let (mut way, mut here) = (Vec::new(), 0);
        loop {
            if self.nodes[here].is_short() {
                self.keep_more(here);
            }
            let Some(turn) = self.nodes[here].choice() else {
                break;
            };
            way.push((here, turn));
            let (mover, branch) = (self.nodes[here].mover, &self.nodes[here].branches[turn]);
            if branch.value >= PROVEN {
                break;
            }
            if branch.node > 0 {
                here = branch.node as usize;
                continue;
            }
            let after = self.nodes[here].walk.after(turn);
            let value = match after.to_move() {
                None => expected(after.end(mover).unwrap_or_default()),
                Some(next) => {
                    let node = self.add(after, next);
                    self.nodes[here].branches[turn].node = node as u32;
                    self.nodes[node].value_for(mover)
                }
            };
            self.nodes[here].branches[turn].value = value;
            break;
        }
        self.take_back(&way);
    }

    /// Adds a position in which this player is to move; returns its place.
    fn add(&mut self, walk: Box<dyn SearchPosition>, mover: Seat) -> usize {
        let (node, judged) = Node::new(walk, mover, false, &|_, value| value);
        self.kept += node.branches.len();
        self.judged += judged;
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// Keeps twice as many turns of a position.
    fn keep_more(&mut self, here: usize) {
        let (node, sight) = (&mut self.nodes[here], self.sight);
        let before = node.branches.len();
        node.most_kept *= 2;
        self.judged += match here {
            0 => node.list(&|turn, value| sight.seen(turn, value)),
            _ => node.list(&|_, value| value),
        };
        self.kept += node.branches.len() - before;
    }

    /// Adds what was found at the end of a way to all its positions.
    fn take_back(&mut self, way: &[(usize, usize)]) {
        let Some((last, turn)) = way.last() else { return };
        let (finder, found) = (
            self.nodes[*last].mover,
            self.nodes[*last].branches[*turn].value.clamp(-1.0, 1.0),
        );
        for (here, turn) in way.iter().rev() {
            let mover = self.nodes[*here].mover;
            let value = match self.nodes[*here].branches[*turn].node {
                0 => None,
                after => Some(self.nodes[after as usize].value_for(mover)),
            };
            let node = &mut self.nodes[*here];
            node.tries += 1;
            let branch = &mut node.branches[*turn];
            branch.value = value.unwrap_or(branch.value);
            branch.tries += 1;
            branch.sum += if mover == finder { found } else { -found };
        }
    }

    /// The turns of the first position that were tried most, after the best one.
    fn others(&self) -> Vec<String> {
        let root = &self.nodes[0];
        let mut turns: Vec<usize> = (0..root.branches.len()).collect();
        turns.retain(|turn| Some(*turn) != root.best() && !root.branches[*turn].is_lost());
        turns.sort_by_key(|turn| std::cmp::Reverse(root.branches[*turn].tries));
        let others = turns.into_iter().take(MAX_OTHERS);
        others.map(|turn| root.walk.text(turn)).collect()
    }

    /// The best turns from the first position on as far as they were looked at, no more than [`MAX_LINE`]; and how many
    /// there are.
    fn line(&self) -> (Vec<String>, u32) {
        let (mut line, mut here, mut depth) = (Vec::new(), 0, 0);
        while let Some(turn) = self.nodes[here].best() {
            depth += 1;
            if line.len() < MAX_LINE {
                line.push(self.nodes[here].walk.text(turn));
            }
            here = self.nodes[here].branches[turn].node as usize;
            if here == 0 {
                break;
            }
        }
        (line, depth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;
    use crate::bots::level::Means;

    #[test]
    fn a_tree_counts_right_and_keeps_more_turns_where_more_are_tried() {
        let hex = crate::find("Hex").unwrap();
        let options = Options::parse(hex.facts, ["-size=7"]).unwrap();
        let walk = hex.start(&options).unwrap().walk();
        let mover = walk.to_move().unwrap();
        let mut tree = Tree::new(walk, mover, Sight::new(&Means::of_advice(), 1));
        assert_eq!(tree.nodes[0].branches.len(), FIRST_KEPT);
        tree.grow(20_000, &AtomicBool::new(false));
        assert!(tree.nodes[0].branches.len() > FIRST_KEPT);
        assert!((20_000..21_000).contains(&tree.judged));
        assert_eq!(
            tree.kept,
            tree.nodes.iter().map(|node| node.branches.len()).sum::<usize>()
        );
        for node in &tree.nodes {
            let tries: u32 = node.branches.iter().map(|branch| branch.tries).sum();
            assert_eq!(node.tries, tries);
            let shares: f32 = node.branches.iter().map(|branch| branch.share).sum();
            assert!((shares - 1.0).abs() < 0.001, "{shares}");
            for branch in node.branches.iter().filter(|branch| branch.node > 0) {
                assert_eq!(
                    branch.value,
                    tree.nodes[branch.node as usize].value_for(node.mover)
                );
            }
        }
    }
}
