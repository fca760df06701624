//! The ranks of a ladder.

use crate::table::PlayerId;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LadderEvent {
    /// At the foot of the ladder.
    Joined(PlayerId),
    Left(PlayerId),
    Won {
        challenger: PlayerId,
        defender: PlayerId,
    },
}

/// The ranks, best first, after these events in their order.
///
/// A challenger who wins takes the defender's place if that is higher; those between move down by one. What names somebody who
/// is not on the ladder changes nothing, nor does who joins twice.
pub fn ranks(events: impl IntoIterator<Item = LadderEvent>) -> Vec<PlayerId> {
    let mut ranks: Vec<PlayerId> = Vec::new();
    for event in events {
        let rank = |player| ranks.iter().position(|other| *other == player);
        match event {
            LadderEvent::Joined(player) if rank(player).is_none() => ranks.push(player),
            LadderEvent::Joined(_) => {}
            LadderEvent::Left(player) => ranks.retain(|other| *other != player),
            LadderEvent::Won { challenger, defender } => {
                if let (Some(from), Some(to)) = (rank(challenger), rank(defender))
                    && to < from
                    && let Some(passed) = ranks.get_mut(to..=from)
                {
                    passed.rotate_right(1);
                }
            }
        }
    }
    ranks
}

/// Whom a player may challenge, best first: up to `reach` ranks above. Those who are frozen are not counted and not named.
pub fn challengeable(
    ranks: &[PlayerId],
    player: PlayerId,
    reach: usize,
    is_frozen: impl Fn(PlayerId) -> bool,
) -> Vec<PlayerId> {
    let above = ranks.iter().position(|other| *other == player).unwrap_or(0);
    let mut found: Vec<_> = ranks
        .iter()
        .take(above)
        .rev()
        .copied()
        .filter(|other| !is_frozen(*other))
        .take(reach)
        .collect();
    found.reverse();
    found
}

#[cfg(test)]
#[path = "ladder_tests.rs"]
mod tests;
