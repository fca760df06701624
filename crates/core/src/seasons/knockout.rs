//! A knockout: who plays whom, who has gone on, who went out when.
//!
//! Nothing is kept but the pairings. A pairing of a later round settles who went on from the round before: a ruling on a game
//! whose winner has already begun to play on changes nobody's way.

use super::facts::{Contest, Next, Pairing, Planned};
use super::standings::Row;

/// The bracket. In a round the first two of those who are left play, the next two, and so on.
pub(super) struct Bracket<'a> {
    contest: &'a Contest,
    /// As many as a power of two; `None` where there is nobody.
    slots: Vec<Option<usize>>,
    /// The pairings of the knockout that count.
    pairings: Vec<&'a Pairing>,
    /// The rounds before its first.
    rounds_before: u32,
}

/// What has become of two neighbours.
enum Met {
    Settled(Option<usize>),
    Running,
    ToPlan(Planned),
}

/// How far a knockout has come.
struct Way {
    next: Next,
    /// Of each entrant, by number, the round in which they went out.
    out_in: Vec<Option<u32>>,
}

impl<'a> Bracket<'a> {
    pub(super) fn new(contest: &'a Contest, slots: Vec<Option<usize>>, rounds_before: u32) -> Self {
        let pairings = contest
            .counted()
            .filter(|pairing| pairing.group == 0 && pairing.round > rounds_before);
        let mut bracket = Self {
            contest,
            slots,
            pairings: pairings.collect(),
            rounds_before,
        };
        let size = bracket.slots.len().next_power_of_two();
        bracket.slots.resize(size, None);
        bracket
    }

    pub(super) fn next(&self) -> Next {
        self.way().next
    }

    /// Places by the round in which one went out; those who are still in share the first.
    pub(super) fn rows(&self) -> Vec<Row> {
        let out_in = self.way().out_in;
        let out_in = |entrant: usize| out_in.get(entrant).copied().flatten().unwrap_or(u32::MAX);
        let mut entrants: Vec<usize> = self.slots.iter().flatten().copied().collect();
        entrants.sort_by_key(|entrant| (std::cmp::Reverse(out_in(*entrant)), *entrant));
        let of = |entrant: &usize| {
            let better = entrants.iter().filter(|other| out_in(**other) > out_in(*entrant));
            let level = entrants
                .iter()
                .filter(|other| out_in(**other) == out_in(*entrant));
            let gains: Vec<u32> = self
                .pairings
                .iter()
                .filter_map(|pairing| {
                    let seat = if pairing.first == *entrant { 0 } else { 1 };
                    pairing.opponent_of(*entrant)?;
                    self.contest.result(pairing).map(|result| result.halves[seat])
                })
                .collect();
            Row {
                entrant: *entrant,
                place: Some(1 + better.count() as u32),
                is_shared: level.count() > 1,
                halves: gains.iter().sum(),
                buchholz: 0,
                sonneborn_berger: 0,
                direct: 0,
                played: gains.len() as u32,
                wins: gains.iter().filter(|gained| **gained == 2).count() as u32,
                has_left: self.contest.left_at(*entrant).is_some(),
            }
        };
        entrants.iter().map(of).collect()
    }

    fn way(&self) -> Way {
        let mut out_in = vec![None; self.contest.entrants.len()];
        let mut left = self.slots.clone();
        let mut round = self.rounds_before;
        while left.len() > 1 {
            round += 1;
            let mut planned = Vec::new();
            let mut is_running = false;
            let mut gone_on = Vec::new();
            for (node, neighbours) in left.chunks(2).enumerate() {
                match self.met(round, node, neighbours) {
                    Met::Settled(winner) => {
                        gone_on.push(winner);
                        for loser in neighbours.iter().flatten().filter(|one| Some(**one) != winner) {
                            if let Some(out_in) = out_in.get_mut(*loser) {
                                *out_in = Some(round);
                            }
                        }
                    }
                    Met::Running => is_running = true,
                    Met::ToPlan(pairing) => planned.push(pairing),
                }
            }
            let next = match planned.is_empty() {
                false => Next::Round(planned),
                true if is_running => Next::Wait,
                true => {
                    left = gone_on;
                    continue;
                }
            };
            return Way { next, out_in };
        }
        Way {
            next: Next::Over,
            out_in,
        }
    }

    fn met(&self, round: u32, node: usize, neighbours: &[Option<usize>]) -> Met {
        let Some(later) = self.at(round + 1, node / 2).next() else {
            return self.met_by_results(round, node, neighbours);
        };
        let mut players = [Some(later.first), later.second].into_iter().flatten();
        let gone_on = players.find(|player| self.node(*player, round) == Some(node));
        if gone_on.is_some() {
            return Met::Settled(gone_on);
        }
        // The winner, if there was one, had left before the later round was planned.
        match self.met_by_results(round, node, neighbours) {
            Met::Settled(winner) => Met::Settled(winner),
            Met::Running | Met::ToPlan(_) => Met::Settled(None),
        }
    }

    fn met_by_results(&self, round: u32, node: usize, neighbours: &[Option<usize>]) -> Met {
        let games: Vec<&Pairing> = self.at(round, node).collect();
        if games.is_empty() {
            return self.first_meeting(round, neighbours);
        }
        if let Some(bye) = games.iter().find(|pairing| pairing.second.is_none()) {
            return Met::Settled(Some(bye.first));
        }
        let results: Vec<_> = games.iter().map(|game| self.contest.result(game)).collect();
        let mut draws = Vec::new();
        for (game, result) in games.iter().zip(&results) {
            match result.map(|result| result.halves) {
                Some([1, 1]) => draws.push(game),
                Some([first, second]) if first > second => return Met::Settled(Some(game.first)),
                Some([first, second]) if first < second => return Met::Settled(game.second),
                Some(_) => return Met::Settled(None),
                None => {}
            }
        }
        match draws.as_slice() {
            [game, _, ..] => Met::Settled(game.second.map(|second| second.min(game.first))),
            _ if results.iter().any(Option::is_none) => Met::Running,
            [game] => {
                let replay = Planned {
                    round,
                    group: 0,
                    first: game.first,
                    second: game.second,
                };
                self.again(replay)
            }
            [] => self.first_meeting(round, neighbours),
        }
    }

    /// The same two with the seats exchanged, if both are still there.
    fn again(&self, drawn: Planned) -> Met {
        let is_here = |player: &usize| self.contest.left_at(*player).is_none();
        match (Some(drawn.first).filter(is_here), drawn.second.filter(is_here)) {
            (Some(first), Some(second)) => Met::ToPlan(Planned {
                first: second,
                second: Some(first),
                ..drawn
            }),
            (one, other) => Met::Settled(one.or(other)),
        }
    }

    /// Who has had the first seat less often gets it, else the worse seed.
    fn first_meeting(&self, round: u32, neighbours: &[Option<usize>]) -> Met {
        let is_here = |player: &usize| self.contest.left_at(*player).is_none();
        let here: Vec<usize> = neighbours.iter().flatten().copied().filter(is_here).collect();
        let firsts = |player: usize| {
            let games = self.contest.counted().filter(|pairing| pairing.second.is_some());
            games.filter(|game| game.first == player).count()
        };
        let planned = |first, second| {
            Met::ToPlan(Planned {
                round,
                group: 0,
                first,
                second,
            })
        };
        match here.as_slice() {
            [one, other] => {
                let (better, worse) = (*one.min(other), *one.max(other));
                if firsts(better) < firsts(worse) {
                    planned(better, Some(worse))
                } else {
                    planned(worse, Some(better))
                }
            }
            [one] => planned(*one, None),
            _ => Met::Settled(None),
        }
    }

    /// The pairings of two neighbours in a round.
    fn at(&self, round: u32, node: usize) -> impl Iterator<Item = &'a Pairing> {
        self.pairings.iter().copied().filter(move |pairing| {
            let players = [Some(pairing.first), pairing.second];
            pairing.round == round
                && players
                    .iter()
                    .flatten()
                    .all(|player| self.node(*player, round) == Some(node))
        })
    }

    /// Where a player stands in the bracket in a round.
    fn node(&self, player: usize, round: u32) -> Option<usize> {
        let slot = self.slots.iter().position(|slot| *slot == Some(player))?;
        slot.checked_shr(round.checked_sub(self.rounds_before)?)
    }
}

/// The seeds, from 0, in the order of the slots: in each round the best of those who are left meets the worst, if the better ones
/// win.
pub(super) fn seeded(entrants: usize) -> Vec<usize> {
    let mut seeds = vec![0];
    while seeds.len() < entrants {
        let worst = 2 * seeds.len() - 1;
        seeds = seeds.iter().flat_map(|seed| [*seed, worst - seed]).collect();
    }
    seeds
}

#[cfg(test)]
#[path = "knockout_tests.rs"]
mod tests;
