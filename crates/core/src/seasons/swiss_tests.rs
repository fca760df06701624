use std::collections::BTreeSet;

use super::super::facts::{Format, Score};
use super::super::made::{Dice, contest, drawn, running, won_by};
use super::*;

/// The greatest weight of a matching of all vertices, if there is one, by trying all. Of at most some twenty vertices.
fn tried(graph: &Graph) -> Option<i128> {
    let mut best: Vec<Option<i128>> = vec![None; 1 << graph.size];
    best[0] = Some(0);
    for paired in 0..best.len() {
        let Some(weight) = best[paired] else { continue };
        let first = paired.trailing_ones() as usize;
        for second in first + 1..graph.size {
            let edge = graph.weights[first * graph.size + second];
            if paired & (1 << second) == 0 && edge > 0 {
                let with = &mut best[paired | 1 << first | 1 << second];
                *with = (*with).max(Some(weight + edge));
            }
        }
    }
    best[best.len() - 1]
}

/// The weight of what was found, if everybody is in it.
fn found(graph: &Graph) -> Option<i128> {
    let mates = graph.mates();
    let mut weight = 0;
    for (at, mate) in mates.iter().enumerate() {
        let mate = (*mate)?;
        assert_eq!(mates[mate], Some(at));
        if at < mate {
            weight += graph.weights[at * graph.size + mate];
            assert!(
                graph.weights[at * graph.size + mate] > 0,
                "{at} and {mate} may not meet"
            );
        }
    }
    Some(weight)
}

/// What an event has shown.
#[derive(Debug, Default)]
struct Shown {
    rounds: usize,
    pairs: usize,
    /// Pairs in which somebody gets a seat that the bounds do not allow.
    out_of_bounds: usize,
}

/// Plays a random event, and asserts what holds of each round.
fn play(dice: &mut Dice, entrants: usize, shown: &mut Shown) {
    // For more, that a round exists is known only of the first half of all rounds (Dirac's theorem).
    let is_small = entrants <= 12;
    let rounds = if is_small {
        entrants
    } else {
        (entrants / 2 - 1).min(11)
    };
    let mut swiss = contest(
        Format::Swiss {
            rounds: rounds as u32,
        },
        entrants,
    );
    let draws = dice.below(6);
    let leaving = [0, 0, 40][dice.below(3)];
    let voids = [0, 0, 30][dice.below(3)];
    let mut met = BTreeSet::new();
    let mut byes = BTreeSet::new();
    loop {
        let players = players(&swiss);
        let graph = Graph::new(&players);
        let last = swiss
            .pairings
            .iter()
            .map(|pairing| pairing.round)
            .max()
            .unwrap_or(0);
        if is_small {
            assert_eq!(found(&graph), tried(&graph), "the matching is the best");
        }
        let planned = match swiss.next() {
            Next::Round(planned) => planned,
            Next::Over => {
                let is_done = last == rounds as u32 || players.len() < 2;
                assert!(is_done || is_small, "{entrants} have no round {}", last + 1);
                assert!(
                    is_done || tried(&graph).is_none(),
                    "there is a round {}",
                    last + 1
                );
                return;
            }
            Next::Wait => panic!("all games of round {last} are over"),
        };
        shown.rounds += 1;
        let mut paired = BTreeSet::new();
        let mut out_of_bounds = 0;
        for pairing in &planned {
            assert_eq!((pairing.round, pairing.group), (last + 1, 0));
            for player in [Some(pairing.first), pairing.second].into_iter().flatten() {
                assert!(paired.insert(player), "{player} is paired twice");
            }
            let Some(second) = pairing.second else {
                assert!(byes.insert(pairing.first), "{} has a second bye", pairing.first);
                continue;
            };
            shown.pairs += 1;
            let pair = (pairing.first.min(second), pairing.first.max(second));
            assert!(met.insert(pair), "{pair:?} meet again");
            for (player, seat) in [(pairing.first, Seat::First), (second, Seat::Second)] {
                let player = players.iter().find(|one| one.entrant == player).unwrap();
                let mut seats = player.seats.clone();
                seats.push(seat);
                let excess: i64 = seats
                    .iter()
                    .map(|one| if *one == Seat::First { 1 } else { -1 })
                    .sum();
                let is_third = seats.len() > 2 && seats[seats.len() - 3..].iter().all(|one| *one == seat);
                out_of_bounds += usize::from(is_third || excess.abs() > 2);
            }
        }
        let present: BTreeSet<usize> = players.iter().map(|player| player.entrant).collect();
        assert_eq!(paired, present, "everybody is paired");
        if out_of_bounds > 0 {
            assert!(
                !has_round_within_bounds(&players),
                "{entrants}: round {} could keep the bounds",
                last + 1
            );
        }
        shown.out_of_bounds += out_of_bounds;

        swiss.pairings.extend(planned.into_iter().map(running));
        let at = i64::from(last) + 1;
        for index in 0..swiss.pairings.len() {
            let pairing = swiss.pairings[index];
            if pairing.round != last + 1 || pairing.second.is_none() {
                continue;
            }
            let seat = if dice.below(2) == 0 {
                Seat::First
            } else {
                Seat::Second
            };
            swiss.pairings[index].score = match dice.below(10) {
                below if below < draws => drawn(at),
                _ => won_by(seat, at),
            };
            if dice.below(1000) < voids {
                swiss.pairings[index].score = Score::Void;
                let second = pairing.second.unwrap();
                met.remove(&(pairing.first.min(second), pairing.first.max(second)));
            }
        }
        for entrant in 0..entrants {
            if dice.below(1000) < leaving {
                swiss.leaves(entrant, at);
            }
        }
    }
}

/// Whether everybody could be paired without a seat that the bounds do not allow: the same edges but those.
fn has_round_within_bounds(players: &[Player]) -> bool {
    let mut graph = Graph::new(players);
    for (at, player) in players.iter().enumerate() {
        for (to, other) in players.iter().enumerate().skip(at + 1) {
            if of_pair(player, other)[0] > 0 {
                graph.weights[at * graph.size + to] = 0;
            }
        }
    }
    if graph.size <= 14 {
        tried(&graph).is_some()
    } else {
        graph.mates().iter().all(Option::is_some)
    }
}

fn play_events(seed: u64, events: usize, most: usize) -> Shown {
    let mut dice = Dice(seed);
    let mut shown = Shown::default();
    for _ in 0..events {
        let entrants = if dice.below(2) == 0 {
            2 + dice.below(11)
        } else {
            14 + dice.below(most - 13)
        };
        play(&mut dice, entrants, &mut shown);
    }
    shown
}

#[test]
fn random_events_keep_the_rules() {
    let shown = play_events(1, 60, 40);
    assert!(shown.rounds > 200 && shown.pairs > 1000, "{shown:?}");
}

#[test]
#[ignore = "takes long: make slow"]
fn a_thousand_random_events_keep_the_rules() {
    let shown = play_events(2, 1000, 200);
    println!("{shown:?}");
    assert!(shown.rounds > 5000, "{shown:?}");
}

/// The graphs and their best matchings are by `tests/oracles/matchings.py`.
#[test]
fn matchings_are_as_good_as_those_of_networkx() {
    let known = include_str!("../../tests/oracles/matchings.txt");
    let numbers = |list: &str| {
        list.split(',')
            .map(|number| number.parse().unwrap())
            .collect::<Vec<i128>>()
    };
    for line in known.lines() {
        let mut words = line.split(' ');
        let size: usize = words.next().unwrap().parse().unwrap();
        let best = numbers(words.next().unwrap());
        let edge = |word: &str| {
            let (ends, costs) = word.split_once(':').unwrap();
            let (at, to) = ends.split_once('-').unwrap();
            let costs = numbers(costs);
            (
                at.parse().unwrap(),
                to.parse().unwrap(),
                [costs[0], costs[1], costs[2], 0, 0, 0],
            )
        };
        let edges: Vec<(usize, usize, Costs)> = words.map(edge).collect();
        let mates = Graph::weighted(size, &edges).mates();
        let chosen = edges.iter().filter(|(at, to, _)| mates[*at] == Some(*to));
        let sums = chosen.fold([0; 4], |[pairs, a, b, c], (_, _, costs)| {
            [pairs + 1, a + costs[0], b + costs[1], c + costs[2]]
        });
        assert_eq!(sums, best[..], "{line}");
    }
    assert_eq!(known.lines().count(), 200);
}

fn swiss(entrants: usize) -> Contest {
    contest(Format::Swiss { rounds: 5 }, entrants)
}

#[test]
fn in_the_first_round_the_first_half_plays_the_second() {
    assert_eq!(
        swiss(8).begin(),
        [(0, Some(4)), (5, Some(1)), (2, Some(6)), (7, Some(3))]
    );
    assert_eq!(
        swiss(7).begin(),
        [(0, Some(3)), (4, Some(1)), (2, Some(5)), (6, None)]
    );
}

#[test]
fn in_the_second_round_winners_play_winners() {
    let mut swiss = swiss(8);
    swiss.begin();
    swiss.better_numbers_win(1);
    // Of each score, 0 and 2 (4 and 6) had one seat, 1 and 3 (5 and 7) the other: each plays the one of the other half whose seat fits.
    assert_eq!(
        swiss.begin(),
        [(3, Some(0)), (1, Some(2)), (4, Some(7)), (6, Some(5))]
    );
}

#[test]
fn the_bye_goes_to_the_lowest_score_and_never_twice() {
    let mut swiss = swiss(9);
    let mut byes = Vec::new();
    for at in 0..5 {
        let players = players(&swiss);
        let alone = swiss
            .begin()
            .into_iter()
            .find(|(_, second)| second.is_none())
            .unwrap()
            .0;
        let halves = |player: &Player| (player.entrant == alone).then_some(player.halves);
        let own = players.iter().find_map(halves);
        let open = players.iter().filter(|player| !byes.contains(&player.entrant));
        assert_eq!(
            own,
            open.map(|player| player.halves).min(),
            "round {at}, after {byes:?}"
        );
        byes.push(alone);
        swiss.better_numbers_win(at);
    }
    byes.sort_unstable();
    byes.dedup();
    assert_eq!(byes.len(), 5);
}

#[test]
fn who_has_left_is_not_paired_and_one_alone_plays_no_more() {
    let mut swiss = swiss(4);
    swiss.begin();
    swiss.better_numbers_win(1);
    swiss.leaves(3, 2);
    assert!(
        swiss
            .begin()
            .iter()
            .all(|(first, second)| *first != 3 && *second != Some(3))
    );
    swiss.leaves(2, 3);
    swiss.leaves(1, 3);
    assert_eq!(swiss.next(), Next::Over, "their open game is lost");
}

#[test]
fn a_void_game_lets_the_two_meet_again() {
    let mut swiss = swiss(2);
    swiss.begin();
    swiss.pairings[0].score = Score::Void;
    assert_eq!(swiss.begin(), [(0, Some(1))]);
    swiss.better_numbers_win(1);
    assert_eq!(swiss.next(), Next::Over, "there is nobody else");
}

#[test]
#[ignore = "says how long a round takes: make slow"]
fn two_hundred_are_paired() {
    let mut swiss = contest(Format::Swiss { rounds: 11 }, 200);
    let mut dice = Dice(3);
    for round in 1..=11 {
        let begun = std::time::Instant::now();
        swiss.begin();
        println!("round {round}: {:?}", begun.elapsed());
        for pairing in swiss
            .pairings
            .iter_mut()
            .filter(|pairing| pairing.score == Score::Running)
        {
            pairing.score = match dice.below(3) {
                0 => drawn(round),
                1 => won_by(Seat::First, round),
                _ => won_by(Seat::Second, round),
            };
        }
    }
    assert_eq!(swiss.next(), Next::Over);
}
