//! A cup whose first round is played in groups, and then a knockout of the two best of each.

use super::berger::berger;
use super::facts::{Contest, Next, Pairing, Planned};
use super::knockout::{Bracket, seeded};
use super::standings::{Row, Table, standings};

/// Who goes on from a group.
const QUALIFIED: usize = 2;

/// The games of all groups are the first round.
const ROUND: u32 = 1;

pub(super) fn next(contest: &Contest) -> Next {
    let present = contest.present();
    if !contest.pairings.is_empty() {
        return bracket(contest).map_or(Next::Wait, |bracket| bracket.next());
    }
    let planned: Vec<Planned> = (1..)
        .zip(snake(&present))
        .flat_map(|(group, members)| all_pairs(&members, group))
        .collect();
    if planned.is_empty() {
        Next::Over
    } else {
        Next::Round(planned)
    }
}

pub(super) fn tables(contest: &Contest) -> Vec<Table> {
    let group = |(group, rows)| Table { group, rows };
    let mut tables: Vec<Table> = group_rows(contest).into_iter().map(group).collect();
    let knockout = bracket(contest).map(|bracket| bracket.rows());
    tables.extend(knockout.map(|rows| Table { group: 0, rows }));
    tables
}

/// All pairs of these, first seats by the Berger table.
pub(super) fn all_pairs(members: &[usize], group: u32) -> Vec<Planned> {
    let planned = |(first, second): (usize, usize)| {
        Some(Planned {
            round: ROUND,
            group,
            first: *members.get(first)?,
            second: Some(*members.get(second)?),
        })
    };
    berger(members.len())
        .into_iter()
        .flatten()
        .filter_map(planned)
        .collect()
}

/// Groups of four, of three or five where it does not divide: the best of each are the first seeds, then the row turns.
fn snake(seeds: &[usize]) -> Vec<Vec<usize>> {
    let count = ((seeds.len() + 2) / 4).max(1);
    let mut groups = vec![Vec::new(); count];
    for (turn, row) in seeds.chunks(count).enumerate() {
        for (at, seed) in row.iter().enumerate() {
            let at = if turn.is_multiple_of(2) {
                at
            } else {
                count - 1 - at
            };
            if let Some(group) = groups.get_mut(at) {
                group.push(*seed);
            }
        }
    }
    groups
}

/// The groups by number, each with its rows, best first.
fn group_rows(contest: &Contest) -> Vec<(u32, Vec<Row>)> {
    let mut groups: Vec<u32> = contest.pairings.iter().map(|pairing| pairing.group).collect();
    groups.sort_unstable();
    groups.dedup();
    let rows = |group: u32| {
        let of_group = |pairing: &&Pairing| pairing.group == group;
        let planned = contest.pairings.iter().filter(of_group);
        // Who is in a group is who was paired in it: a void game, too, was one of its.
        let mut members: Vec<usize> = planned
            .flat_map(|pairing| [Some(pairing.first), pairing.second])
            .flatten()
            .filter(|member| *member < contest.entrants.len())
            .collect();
        members.sort_unstable();
        members.dedup();
        let pairings: Vec<&Pairing> = contest.counted().filter(of_group).collect();
        standings(contest, &members, &pairings, false)
    };
    groups
        .into_iter()
        .filter(|group| *group > 0)
        .map(|group| (group, rows(group)))
        .collect()
}

/// `None` while the groups play.
fn bracket(contest: &Contest) -> Option<Bracket<'_>> {
    let mut slots = begun_slots(contest);
    if slots.is_empty() {
        if contest.is_open(contest.counted()) || contest.pairings.is_empty() {
            return None;
        }
        slots = qualified_slots(contest);
    }
    Some(Bracket::new(contest, slots, ROUND))
}

/// The slots of a knockout that has begun, from its first round: what becomes of the groups afterwards, by a ruling or because
/// somebody leaves, changes nobody's way.
fn begun_slots(contest: &Contest) -> Vec<Option<usize>> {
    let mut slots = Vec::new();
    let first_round = |pairing: &&Pairing| pairing.group == 0 && pairing.round == ROUND + 1;
    for pairing in contest.pairings.iter().filter(first_round) {
        let pair = [Some(pairing.first), pairing.second];
        // A game that is played again is already there.
        if pair
            .iter()
            .flatten()
            .all(|player| !slots.contains(&Some(*player)))
        {
            slots.extend(pair);
        }
    }
    slots
}

/// The winners of the groups are the first seeds, in the order of the groups. The second of each group comes into the other half,
/// so that the two meet in the final at the earliest.
fn qualified_slots(contest: &Contest) -> Vec<Option<usize>> {
    let groups = group_rows(contest);
    let of_group = |(_, rows): &(u32, Vec<Row>)| {
        let stays = |row: &&Row| row.place.is_some() && !row.has_left;
        rows.iter()
            .filter(stays)
            .take(QUALIFIED)
            .map(|row| row.entrant)
            .collect::<Vec<_>>()
    };
    let groups: Vec<Vec<usize>> = groups.iter().map(of_group).collect();
    let winners: Vec<usize> = groups.iter().filter_map(|group| group.first().copied()).collect();
    let mut seconds: Vec<(usize, usize)> = groups
        .iter()
        .filter_map(|group| Some((*group.first()?, *group.get(1)?)))
        .collect();

    let order = seeded(winners.len() + seconds.len());
    let is_in_upper_half = |seed: usize| order.iter().position(|one| *one == seed) < Some(order.len() / 2);
    let half_of_winner = |winner: usize| {
        winners
            .iter()
            .position(|one| *one == winner)
            .map(is_in_upper_half)
    };
    let mut seeds = winners.clone();
    while !seconds.is_empty() {
        let half = is_in_upper_half(seeds.len());
        let fits = |(winner, _): &(usize, usize)| half_of_winner(*winner) == Some(!half);
        let at = seconds.iter().position(fits).unwrap_or(0);
        seeds.push(seconds.remove(at).1);
    }
    order.into_iter().map(|seed| seeds.get(seed).copied()).collect()
}

#[cfg(test)]
#[path = "groups_tests.rs"]
mod tests;
