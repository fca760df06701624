use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use super::{position, random_position};
use crate::families::backgammon::bearoff::{BearOff, home};
use crate::families::backgammon::equity::{estimate, has_contact};
use crate::families::backgammon::gammons::counts;
use crate::families::backgammon::{Position, Roll, Variant, plays};
use crate::{Options, Seat, find};

#[test]
fn the_average_rolls_are_those_of_gnu_backgammon() {
    // The last figure of its `bearoffdump gnubg_os0.bd`, for the checkers on 1 to 6.
    let known = [
        ([0, 0, 1, 0, 1, 0], "1.623"),
        ([3, 1, 1, 1, 1, 0], "3.662"),
        ([0, 0, 0, 0, 2, 6], "6.479"),
        ([4, 3, 2, 2, 2, 0], "6.331"),
        ([2, 9, 1, 0, 2, 1], "7.514"),
        ([0, 0, 0, 0, 0, 15], "12.266"),
    ];
    for (home, mean) in known {
        let found = BearOff::table().mean(&home).unwrap();
        assert_eq!(format!("{found:.3}"), mean, "{home:?}");
    }
    assert_eq!(BearOff::table().mean(&[0; 6]), Some(0.0));
    assert_eq!(BearOff::table().mean(&[16, 0, 0, 0, 0, 0]), None);
    assert_eq!(BearOff::table().mean(&[255; 6]), None);
}

#[test]
fn the_chances_of_a_position_are_those_of_gnu_backgammon() {
    let (first, chances) = BearOff::table().distribution(&[3, 1, 1, 1, 1, 0]).unwrap();
    let percent: Vec<_> = chances
        .iter()
        .map(|chance| format!("{:.2}", f32::from(*chance) / 655.35))
        .collect();
    assert_eq!(
        (first, percent),
        (
            2,
            ["1.54", "31.52", "66.12", "0.81"].map(ToOwned::to_owned).to_vec()
        )
    );
    let chance = BearOff::table()
        .chance(&[0, 1, 0, 0, 1, 0], &[1, 0, 0, 0, 0, 0])
        .unwrap();
    assert!(
        (chance - 19.0 / 36.0).abs() < 0.0001,
        "5 and 2 are gone with 19 of 36 rolls: {chance}"
    );
}

#[test]
fn the_best_play_of_each_roll_gives_the_average_of_the_table() {
    let table = BearOff::table();
    for checkers in [
        &[(6, 2), (3, 1), (1, 1)][..],
        &[(5, 3), (4, 2), (2, 2), (1, 4)],
        &[(6, 5), (5, 4), (4, 3)],
    ] {
        let position = position(checkers, &[(1, 1)]);
        let mean = |position: &Position| table.mean(&home(position, Seat::First).unwrap()).unwrap();
        let rolls = Roll::all().map(|roll| {
            let plays = plays(&position, Seat::First, roll);
            let least = plays
                .iter()
                .map(|play| mean(play.result()))
                .min_by(f32::total_cmp)
                .unwrap();
            let weight = if roll.is_double() { 1.0 } else { 2.0 };
            weight * (1.0 + least) / 36.0
        });
        let average: f32 = rolls.sum();
        assert!(
            (average - mean(&position)).abs() < 0.001,
            "{checkers:?}: {average}"
        );
    }
}

#[test]
fn an_estimate_is_within_its_bounds() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    for _ in 0..3_000 {
        let position = random_position(&mut rng);
        let value = estimate(&position, Seat::First);
        assert!((-100..=100).contains(&value), "{position:?} {value}");
        assert_eq!(value, estimate(&position.mirrored(), Seat::Second));
    }
}

#[test]
fn an_estimate_knows_what_is_good() {
    let start = Position::start(Variant::Backgammon);
    assert!(has_contact(&start));
    assert!((0..30).contains(&estimate(&start, Seat::First)));
    let ahead = position(&[(6, 2)], &[(6, 8)]);
    assert!(!has_contact(&ahead));
    assert!(estimate(&ahead, Seat::First) > 90 && estimate(&ahead, Seat::Second) < -90);
    let far = position(&[(10, 5), (6, 10)], &[(12, 10), (6, 5)]);
    assert!(estimate(&far, Seat::First) > 50 && estimate(&far, Seat::Second) < 0);
    let primed = position(
        &[(9, 2), (8, 2), (7, 2), (6, 2), (5, 2), (4, 2), (13, 3)],
        &[(24, 2), (6, 5), (8, 3), (13, 5)],
    );
    assert!(estimate(&primed, Seat::Second) < -20);
    assert_eq!(
        estimate(&position(&[(0, 15)], &[(1, 1), (0, 14)]), Seat::Second),
        -100
    );
}

/// One side plays what the estimate likes best, the other at random.
#[test]
fn who_plays_by_the_estimate_beats_who_plays_at_random() {
    use rand::RngExt;
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    let mut won = 0;
    for number in 0..100 {
        let (mut position, mut seat) = (Position::start(Variant::Backgammon), Seat::BOTH[number % 2]);
        while position.winner().is_none() {
            let roll = super::random_roll(&mut rng);
            let plays = plays(&position, seat, roll);
            let play = match seat {
                Seat::First => plays
                    .iter()
                    .min_by_key(|play| estimate(play.result(), Seat::Second)),
                Seat::Second => plays.get(rng.random_range(0..plays.len().max(1))),
            };
            if let Some(play) = play {
                position = *play.result();
            }
            seat = seat.other();
        }
        won += usize::from(position.winner() == Some(Seat::First));
    }
    assert!(won > 90, "{won} of 100");
}

#[test]
fn gammons_are_likely_for_who_is_far_behind() {
    let percent = |position: &Position, roller| {
        counts(position, Seat::Second, Some(roller)).map(|chance| format!("{:.0}", chance * 100.0))
    };
    let start = Position::start(Variant::Backgammon);
    // GNU Backgammon says 28 for the loser of a game that the other side begins.
    assert_eq!(percent(&start, Seat::First), ["71", "29", "0"]);
    let saved = position(&[(1, 2), (0, 13)], &[(23, 14), (0, 1)]);
    assert_eq!(percent(&saved, Seat::First), ["100", "0", "0"]);
    let lost = position(&[(1, 2), (0, 13)], &[(23, 15)]);
    assert_eq!(percent(&lost, Seat::First), ["0", "0", "100"]);
}

#[test]
fn a_computer_accepts_what_it_expects_from_playing_on() {
    let answer = |turns: &str| {
        let game = find("Hypergammon").unwrap();
        let options = Options::parse(game.facts, ["-points=7"]).unwrap();
        let mut position = game.start(&options).unwrap();
        for turn in turns.split(' ') {
            position.play(turn).unwrap();
        }
        let mut walk = position.walk();
        assert_eq!(walk.list(2).values.len(), 2);
        walk.text(0)
    };
    let opened = "roll roll 65:24/18,23/18";
    assert_eq!(answer(&format!("{opened} concede")), "accept");
    let far_behind = format!(
        "{opened} roll 66:24/12,23/17,22/16 roll 21:22/21,18/16 roll 66:17/5,16/10,12/6 roll 31:21/18,18/17 roll 64:10/off"
    );
    assert_eq!(answer(&format!("{far_behind} concede")), "refuse");
    assert_eq!(answer(&format!("{far_behind} concede,gammon")), "accept");
}
