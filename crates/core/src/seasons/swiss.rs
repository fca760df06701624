//! Swiss pairing: who has as many points plays each other, nobody twice.
//!
//! A round is the matching of the least weight among all players at once. What weighs more comes first:
//!
//! 1. Two who have met do not meet again, and nobody has a second bye: there is no such edge. If not everybody can be paired, the
//!    contest is over.
//! 2. The bounds of colours, as FIDE has them for all Swiss systems (Handbook C.04.1): seats differ by two at most, and nobody has
//!    one three times in a row. A pair that breaks them is made only where the round could not be without it.
//! 3. The bye goes to the lowest score.
//! 4. Differences of points, squared.
//! 5. Seats that are due (the colour preferences of C.04.3), the strong ones double.
//! 6. Nobody goes down, or up, to another score twice in a row.
//! 7. Of those with as many points the first half plays the second in order; who goes down is the last, who comes up the first.
//!
//! This is not FIDE's Dutch system, which goes through the scores from the top and has more rules for those who go down; but the
//! seats of a pair are given as there. The weights fit for some four thousand players; the caller has far fewer.

use pbmserv_games::Seat;

use super::facts::{Contest, Next, Pairing, Planned};

pub(super) fn next(contest: &Contest, rounds: u32) -> Next {
    if contest.is_open(contest.counted()) {
        return Next::Wait;
    }
    let last = contest
        .pairings
        .iter()
        .map(|pairing| pairing.round)
        .max()
        .unwrap_or(0);
    if last >= rounds {
        return Next::Over;
    }
    paired(contest, last + 1).map_or(Next::Over, Next::Round)
}

/// The pairings of a round; `None` if there are none without a repeat.
fn paired(contest: &Contest, round: u32) -> Option<Vec<Planned>> {
    let players = players(contest);
    if players.len() < 2 {
        return None;
    }
    let mut planned = Vec::new();
    for (at, mate) in Graph::new(&players).mates().into_iter().enumerate() {
        // Everybody is paired, or there is no round.
        let mate = mate?;
        match (players.get(at), players.get(mate)) {
            (Some(better), Some(worse)) if at < mate => {
                let (first, second) = seated(better, worse);
                planned.push(Planned {
                    round,
                    group: 0,
                    first: first.entrant,
                    second: Some(second.entrant),
                });
            }
            (Some(alone), None) => planned.push(Planned {
                round,
                group: 0,
                first: alone.entrant,
                second: None,
            }),
            _ => {}
        }
    }
    Some(planned)
}

/// What the rounds before say of a player who has not left.
struct Player {
    entrant: usize,
    halves: u32,
    /// Among those with as many points, from 0, and how many they are.
    rank: usize,
    level: usize,
    met: Vec<usize>,
    had_bye: bool,
    /// The seats of the games, in the order of the rounds.
    seats: Vec<Seat>,
    /// Whether in the last round the opponent had fewer points, or more.
    floated: std::cmp::Ordering,
}

/// How much a seat is due.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    Mild,
    Strong,
    Absolute,
}

impl Player {
    /// How often the first seat was had more often than the second.
    fn excess(&self) -> i64 {
        let one = |seat: &Seat| if *seat == Seat::First { 1 } else { -1 };
        self.seats.iter().map(one).sum()
    }

    /// The seat that is due.
    fn due(&self) -> Option<(Seat, Due)> {
        let last = *self.seats.last()?;
        let is_twice = self.seats.iter().rev().nth(1) == Some(&last);
        Some(match self.excess() {
            2.. => (Seat::Second, Due::Absolute),
            ..=-2 => (Seat::First, Due::Absolute),
            _ if is_twice => (last.other(), Due::Absolute),
            1 => (Seat::Second, Due::Strong),
            -1 => (Seat::First, Due::Strong),
            _ => (last.other(), Due::Mild),
        })
    }
}

/// Best first: by points, then by number.
fn players(contest: &Contest) -> Vec<Player> {
    let mut pairings: Vec<&Pairing> = contest.counted().collect();
    pairings.sort_by_key(|pairing| pairing.round);
    let last = contest
        .pairings
        .iter()
        .map(|pairing| pairing.round)
        .max()
        .unwrap_or(0);
    let gained = |entrant: usize, pairing: &Pairing| match contest.result(pairing) {
        Some(result) if pairing.first == entrant => result.halves[0],
        Some(result) if pairing.second == Some(entrant) => result.halves[1],
        None if pairing.first == entrant && pairing.second.is_none() => 2,
        _ => 0,
    };
    let halves_before = |entrant: usize, round: u32| -> u32 {
        let before = pairings.iter().take_while(|pairing| pairing.round < round);
        before.map(|pairing| gained(entrant, pairing)).sum()
    };
    let player = |entrant: usize| {
        let own = pairings
            .iter()
            .filter(|pairing| pairing.first == entrant || pairing.second == Some(entrant));
        let seat = |pairing: &&&Pairing| {
            if pairing.first == entrant {
                Seat::First
            } else {
                Seat::Second
            }
        };
        let games = own.clone().filter(|pairing| pairing.second.is_some());
        let had = halves_before(entrant, last);
        let floated = own.clone().find(|pairing| pairing.round == last).map(|pairing| {
            let opponent = pairing.opponent_of(entrant);
            // A bye is a way down.
            opponent.map_or(std::cmp::Ordering::Greater, |opponent| {
                had.cmp(&halves_before(opponent, last))
            })
        });
        Player {
            entrant,
            halves: halves_before(entrant, u32::MAX),
            rank: 0,
            level: 0,
            met: games
                .clone()
                .filter_map(|pairing| pairing.opponent_of(entrant))
                .collect(),
            had_bye: own.clone().any(|pairing| pairing.second.is_none()),
            seats: games.map(|pairing| seat(&pairing)).collect(),
            floated: floated.unwrap_or(std::cmp::Ordering::Equal),
        }
    };
    let mut players: Vec<Player> = contest.present().into_iter().map(player).collect();
    players.sort_by_key(|player| (std::cmp::Reverse(player.halves), player.entrant));
    for level in players.chunk_by_mut(|one, other| one.halves == other.halves) {
        let size = level.len();
        for (rank, player) in level.iter_mut().enumerate() {
            (player.rank, player.level) = (rank, size);
        }
    }
    players
}

/// Who may play whom, and at what weight. With an odd number of players the last vertex is the bye.
struct Graph {
    size: usize,
    /// Row by row; 0 where there is no edge.
    weights: Vec<i128>,
}

/// What a pair costs, by the points 2 to 7 of the head of this file.
type Costs = [i128; 6];

impl Graph {
    fn new(players: &[Player]) -> Self {
        let size = players.len().next_multiple_of(2);
        let mut costs = Vec::new();
        for (at, player) in players.iter().enumerate() {
            for (to, other) in players.iter().enumerate().skip(at + 1) {
                if !player.met.contains(&other.entrant) {
                    costs.push((at, to, of_pair(player, other)));
                }
            }
            if players.len() < size && !player.had_bye {
                costs.push((at, players.len(), of_bye(player)));
            }
        }
        Self::weighted(size, &costs)
    }

    fn weighted(size: usize, edges: &[(usize, usize, Costs)]) -> Self {
        // A cost of one outweighs all that a matching can cost in what comes after it.
        let mut units = [1; 6];
        let mut unit = 1;
        for (kind, unit_of_kind) in units.iter_mut().enumerate().rev() {
            *unit_of_kind = unit;
            let dearest = edges.iter().map(|(_, _, costs)| costs[kind]).max().unwrap_or(0);
            unit *= dearest * (size / 2) as i128 + 1;
        }
        let mut weights = vec![0; size * size];
        for (at, to, costs) in edges {
            let cost: i128 = costs.iter().zip(units).map(|(cost, unit)| cost * unit).sum();
            // All pairs together cost less than `unit`: more pairs always weigh more.
            if let Some(weight) = weights.get_mut(at * size + to) {
                *weight = unit - cost;
            }
        }
        Self { size, weights }
    }

    /// To each vertex the one that it is paired with.
    fn mates(&self) -> Vec<Option<usize>> {
        integer_blossom::max_weight_matching(&self.weights, self.size)
    }
}

fn of_pair(better: &Player, worse: &Player) -> Costs {
    let difference = i128::from(better.halves.abs_diff(worse.halves));
    let (out_of_bounds, denied) = match (better.due(), worse.due()) {
        (Some((seat, due)), Some((same, other))) if seat == same => match due.min(other) {
            Due::Absolute => (1, 2),
            Due::Strong => (0, 2),
            Due::Mild => (0, 1),
        },
        _ => (0, 0),
    };
    let (again, order) = if difference == 0 {
        let half = better.level / 2;
        let apart = worse.rank.abs_diff(better.rank);
        let is_within_half = (better.rank < half) == (worse.rank < half);
        let price = if is_within_half { better.level.pow(2) } else { 0 };
        (0, apart.abs_diff(half).pow(2) + price)
    } else {
        let again = u8::from(better.floated.is_gt()) + u8::from(worse.floated.is_lt());
        (again, last_ranks_first(better) + worse.rank.pow(2))
    };
    [
        out_of_bounds,
        0,
        difference.pow(2),
        denied,
        again.into(),
        order as i128,
    ]
}

fn of_bye(player: &Player) -> Costs {
    let again = i128::from(player.floated.is_gt());
    [
        0,
        player.halves.into(),
        0,
        0,
        again,
        last_ranks_first(player) as i128,
    ]
}

fn last_ranks_first(player: &Player) -> usize {
    (player.level - 1 - player.rank).pow(2)
}

/// Who gets the first seat, and who the second.
fn seated<'a>(better: &'a Player, worse: &'a Player) -> (&'a Player, &'a Player) {
    let seat = match (better.due(), worse.due()) {
        (None, None) if better.entrant.is_multiple_of(2) => Seat::First,
        (None, None) => Seat::Second,
        (Some((seat, _)), None) => seat,
        (None, Some((seat, _))) => seat.other(),
        (Some((seat, due)), Some((same, others_due))) if seat == same => {
            let claim = (due, better.excess().abs() * i64::from(due == Due::Absolute));
            let others_claim = (
                others_due,
                worse.excess().abs() * i64::from(others_due == Due::Absolute),
            );
            if claim == others_claim {
                last_difference(better, worse).map_or(seat, Seat::other)
            } else if claim > others_claim {
                seat
            } else {
                seat.other()
            }
        }
        (Some((seat, _)), Some(_)) => seat,
    };
    if seat == Seat::First {
        (better, worse)
    } else {
        (worse, better)
    }
}

/// The seat of the first in the latest game in which the two had different ones.
fn last_difference(one: &Player, other: &Player) -> Option<Seat> {
    let pairs = one.seats.iter().rev().zip(other.seats.iter().rev());
    pairs
        .filter(|(seat, others)| seat != others)
        .map(|(seat, _)| *seat)
        .next()
}

#[cfg(test)]
#[path = "swiss_tests.rs"]
mod tests;
