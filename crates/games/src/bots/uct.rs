//! Plain UCT: random games to the end, more of them where they are won. It knows nothing of a game but its rules, and is the
//! yardstick of the other players.

use std::sync::atomic::{AtomicBool, Ordering};

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;

use crate::{Match, Seat};

/// Every turn of a position with at most this many is tried. Of others random ones are, more with each visit.
const MAX_LISTED: usize = 500;

/// How much more a turn is tried that was tried less: the constant of UCB1, which is made for results between 0 and 1.
const CURIOSITY: f64 = 0.7;

struct Node {
    /// The turn that leads here.
    turn: String,
    /// Who plays that turn.
    mover: Option<Seat>,
    /// The sum of the results for the mover, a win 1, and their number.
    won: f64,
    visits: f64,
    children: Vec<usize>,
    /// The turns not tried yet; `None` before the first visit.
    untried: Option<Vec<String>>,
    /// Whether there are too many turns to list.
    is_wide: bool,
}

impl Node {
    const fn new(turn: String, mover: Option<Seat>) -> Self {
        Self {
            turn,
            mover,
            won: 0.0,
            visits: 0.0,
            children: Vec::new(),
            untried: None,
            is_wide: false,
        }
    }
}

/// The turn most tried in this many random games. `None` if the game is over or the search was stopped.
pub(super) fn choose(position: &dyn Match, playouts: u32, seed: u64, stop: &AtomicBool) -> Option<String> {
    position.to_move()?;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut tree = vec![Node::new(String::new(), None)];
    for _ in 0..playouts.max(1) {
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        playout(&mut tree, position.fork(), &mut rng)?;
    }
    let visits = |child: &&usize| tree[**child].visits;
    let most = tree[0]
        .children
        .iter()
        .max_by(|a, b| visits(a).total_cmp(&visits(b)))?;
    Some(tree[*most].turn.clone())
}

/// One random game from the end of the most promising way through the tree.
fn playout(tree: &mut Vec<Node>, mut position: Box<dyn Match>, rng: &mut ChaCha8Rng) -> Option<()> {
    let (mut way, mut here) = (vec![0], 0);
    while let Some(mover) = position.to_move() {
        let fresh = untried(&mut tree[here], position.as_ref(), rng);
        let fresh = fresh.filter(|turn| {
            let mut children = tree[here].children.iter();
            children.all(|child| tree[*child].turn != *turn)
        });
        let is_new = fresh.is_some();
        here = match fresh {
            Some(turn) => {
                tree.push(Node::new(turn, Some(mover)));
                let child = tree.len() - 1;
                tree[here].children.push(child);
                child
            }
            None => best(tree, here)?,
        };
        way.push(here);
        position.play(&tree[here].turn).ok()?;
        if is_new {
            break;
        }
    }
    let (value, _) = position.walk().random_end(Seat::First, rng);
    let result = f64::from(value.signum()).midpoint(1.0);
    for node in way {
        let node = &mut tree[node];
        node.visits += 1.0;
        node.won += match node.mover {
            Some(Seat::Second) => 1.0 - result,
            _ => result,
        };
    }
    Some(())
}

/// A turn to try that perhaps was not tried before.
fn untried(node: &mut Node, position: &dyn Match, rng: &mut ChaCha8Rng) -> Option<String> {
    if node.untried.is_none() {
        let mut turns = position.turns(MAX_LISTED + 1);
        node.is_wide = turns.len() > MAX_LISTED;
        if node.is_wide {
            turns.clear();
        }
        turns.shuffle(rng);
        node.untried = Some(turns);
    }
    let widened = 1.0 + 2.0 * node.visits.sqrt();
    if node.is_wide && (node.children.len() as f64) < widened {
        return position.random_turn(rng);
    }
    node.untried.as_mut()?.pop()
}

/// The child with the greatest upper bound of its results.
fn best(tree: &[Node], here: usize) -> Option<usize> {
    let all = tree[here].visits.max(1.0).ln();
    let bound = |child: &usize| {
        let Node { won, visits, .. } = &tree[*child];
        won / visits + CURIOSITY * (all / visits).sqrt()
    };
    let children = tree[here].children.iter().copied();
    children.max_by(|a, b| bound(a).total_cmp(&bound(b)))
}
