//! Best first: a tree that grows where good play of both would lead, an alternative to alpha-beta that no level uses yet. It takes the estimate in place of
//! random games.
//!
//! Each look goes down the tree by the turns that seem best or were tried least, lists the turns of the position that it comes
//! to, and takes the value found back to the first position: as a mean (UCT: L. Kocsis, C. Szepesvári, "Bandit based Monte-Carlo
//! Planning", 2006), and as the best that each player can reach (M. Lanctot and others, "Monte Carlo Tree Search with Heuristic
//! Evaluations using Implicit Minimax Backups", 2014). Estimates say which turns are tried first (C. Rosin, "Multi-armed bandits with
//! episode context", 2011). A win or loss that is seen to its end stays (M. Winands and others, "Monte-Carlo Tree Search Solver", 2008).
//!
//! Known limits: positions reached in two ways are two, and the memory needed grows with the number of positions.

use std::sync::atomic::{AtomicBool, Ordering};

use super::value::LEAST_PROVEN;
use crate::games::{Match, Seat, Walk};

/// An expected result that is seen to its end. Others are between -1 and 1.
const PROVEN: f32 = 2.0;

/// How much more a turn is tried that was tried less.
const CURIOSITY: f32 = 2.0;

/// By how much the estimate of a turn must be less for its share of the tries to fall to a third.
const TEMPERATURE: f32 = 30.0;

/// A turn of a position.
struct Branch {
    /// The expected result for its player, if both play as well as is known.
    value: f32,
    /// The sum of the results found behind it, for the same player.
    sum: f32,
    tries: u32,
    /// Its share of the tries by the estimates. Those of a position together are 1.
    share: f32,
    /// The place in the tree of the position after it. `None` before the first try.
    node: Option<usize>,
}

impl Branch {
    fn mean(&self) -> f32 {
        match self.tries {
            0 => self.value,
            tries => self.sum / tries as f32,
        }
    }
}

struct Node {
    /// At this position, with its turns listed.
    walk: Box<dyn Walk>,
    mover: Seat,
    /// Whether all turns that are not listed, if there are any, lose at once.
    is_whole: bool,
    /// The turns listed, those with the best estimates first.
    branches: Vec<Branch>,
    tries: u32,
}

impl Node {
    /// A position in which this player is to move, and how many positions were judged.
    fn new(mut walk: Box<dyn Walk>, mover: Seat) -> (Self, u64) {
        let listed = walk.list(usize::MAX);
        let best = listed.values.first().copied().unwrap_or_default();
        let weight = |value: i32| ((value - best) as f32 / TEMPERATURE).exp();
        let all: f32 = listed.values.iter().map(|value| weight(*value)).sum();
        let branches = listed.values.iter().map(|value| Branch {
            value: expected(*value),
            sum: 0.0,
            tries: 0,
            share: weight(*value) / all,
            node: None,
        });
        let node = Self {
            branches: branches.collect(),
            walk,
            mover,
            is_whole: listed.is_whole,
            tries: 0,
        };
        (node, listed.judged.max(1))
    }

    /// The expected result for the player to move.
    fn value(&self) -> f32 {
        let values = self.branches.iter().map(|branch| branch.value);
        let best = values.fold(-PROVEN, f32::max);
        // A turn that is not listed may be no loss.
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

    /// The turn to try next: one of the best by their estimates, of more with each try. `None` if all lose.
    fn choice(&self) -> Option<usize> {
        let curiosity = CURIOSITY * (self.tries as f32 + 1.0).sqrt();
        let worth = |branch: &Branch| {
            branch.value.midpoint(branch.mean()) + curiosity * branch.share / (branch.tries as f32 + 1.0)
        };
        let open = (0..)
            .zip(&self.branches)
            .filter(|(_, branch)| branch.value > -PROVEN);
        open.take(4 + (3.0 * (self.tries as f32).sqrt()) as usize)
            .map(|(turn, branch)| (turn, worth(branch)))
            .max_by(|(_, a), (_, b)| a.total_cmp(b))
            .map(|(turn, _)| turn)
    }
}

/// The expected result of a value of the game.
fn expected(value: i32) -> f32 {
    match value {
        LEAST_PROVEN.. => PROVEN,
        value if value <= -LEAST_PROVEN => -PROVEN,
        value => value as f32 / (value.abs() + 100) as f32,
    }
}

/// The turn tried most when so many positions were judged, or one that is seen to win. `None` if the game is over or the search was
/// stopped.
pub(super) fn choose(position: &dyn Match, most_judged: u32, stop: &AtomicBool) -> Option<String> {
    let walk = position.walk();
    let mover = walk.to_move()?;
    let (root, mut judged) = Node::new(walk, mover);
    let mut tree = vec![root];
    let is_stopped = || stop.load(Ordering::Relaxed);
    while judged < u64::from(most_judged) && tree[0].value().abs() < PROVEN && !is_stopped() {
        judged += look(&mut tree);
    }
    if is_stopped() {
        return None;
    }
    let root = &tree[0];
    let is_won = |branch: &Branch| branch.value >= PROVEN;
    let is_lost = |branch: &Branch| branch.value <= -PROVEN;
    let turns = root.branches.iter().enumerate();
    // Of equal turns the first one, whose estimate is the best.
    let (turn, _) = turns
        .rev()
        .max_by_key(|(_, branch)| (is_won(branch), !is_lost(branch), branch.tries))?;
    Some(root.walk.text(turn))
}

/// Looks at one more position; returns how many were judged.
fn look(tree: &mut Vec<Node>) -> u64 {
    let (mut way, mut here, mut judged) = (Vec::new(), 0, 1);
    while let Some(turn) = tree[here].choice() {
        way.push((here, turn));
        let (mover, branch) = (tree[here].mover, &tree[here].branches[turn]);
        if branch.value >= PROVEN {
            break;
        }
        if let Some(next) = branch.node {
            here = next;
            continue;
        }
        let after = tree[here].walk.after(turn);
        let value = match after.to_move() {
            None => expected(after.end(mover).unwrap_or_default()),
            Some(next) => {
                let (node, listed) = Node::new(after, next);
                judged += listed;
                tree[here].branches[turn].node = Some(tree.len());
                tree.push(node);
                tree[tree.len() - 1].value_for(mover)
            }
        };
        tree[here].branches[turn].value = value;
        break;
    }
    take_back(tree, &way);
    judged
}

/// Adds what was found at the end of a way to all its positions.
fn take_back(tree: &mut [Node], way: &[(usize, usize)]) {
    let Some((last, turn)) = way.last() else { return };
    let (finder, found) = (
        tree[*last].mover,
        tree[*last].branches[*turn].value.clamp(-1.0, 1.0),
    );
    for (here, turn) in way.iter().rev() {
        let mover = tree[*here].mover;
        let value = tree[*here].branches[*turn]
            .node
            .map(|after| tree[after].value_for(mover));
        let node = &mut tree[*here];
        node.tries += 1;
        let branch = &mut node.branches[*turn];
        branch.value = value.unwrap_or(branch.value);
        branch.tries += 1;
        branch.sum += if mover == finder { found } else { -found };
    }
}
