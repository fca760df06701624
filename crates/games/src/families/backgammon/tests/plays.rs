use std::collections::BTreeSet;

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use super::super::slow::Slow;
use super::{position, random_position, random_roll, roll};
use crate::Seat;
use crate::families::backgammon::{Position, Roll, Variant, plays};

#[test]
fn plays_are_those_of_the_slow_model_in_random_positions() {
    compare(1000, 1);
}

#[test]
#[ignore = "takes long"]
fn plays_are_those_of_the_slow_model_in_many_random_positions() {
    compare(10_000, 2);
}

fn compare(count: u32, seed: u64) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut most, mut none) = (0, 0);
    for _ in 0..count {
        let position = random_position(&mut rng);
        let seat = Seat::BOTH[rng.random_range(0..2)];
        let roll = random_roll(&mut rng);
        let fast: Vec<_> = plays(&position, seat, roll);
        let boards: BTreeSet<_> = fast.iter().map(|play| Slow::of(play.result())).collect();
        assert_eq!(boards.len(), fast.len(), "{position:?} {roll}: a play twice");
        assert_eq!(
            boards,
            Slow::of(&position).plays(seat, roll),
            "{position:?} {seat:?} {roll}"
        );
        let texts: BTreeSet<_> = fast.iter().map(ToString::to_string).collect();
        assert_eq!(texts.len(), fast.len(), "{position:?} {roll}: a text twice");
        for play in &fast {
            let after = Slow::of(&position).after_text(seat, &play.to_string());
            assert_eq!(after, Slow::of(play.result()), "{play}");
        }
        most = most.max(fast.len());
        none += usize::from(fast.is_empty());
    }
    assert!(most > 200 && none > 10, "{most} {none}");
}

#[test]
fn the_mirrored_position_has_the_same_plays_for_the_other_side() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    for _ in 0..500 {
        let (position, roll) = (random_position(&mut rng), random_roll(&mut rng));
        let of = |position, seat| {
            plays(position, seat, roll)
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
        };
        assert_eq!(of(&position, Seat::First), of(&position.mirrored(), Seat::Second));
    }
}

/// The plays of all rolls, and those of all rolls after each.
fn perft(
    position: &Position,
    seat: Seat,
    depth: u32,
    count: &dyn Fn(&Position, Seat, Roll) -> usize,
) -> usize {
    let rolls = Roll::all().map(|roll| match depth {
        1 => count(position, seat, roll),
        _ => {
            let plays = plays(position, seat, roll);
            let next = plays
                .iter()
                .map(|play| perft(play.result(), seat.other(), depth - 1, count));
            next.sum()
        }
    });
    rolls.sum()
}

#[test]
fn the_numbers_of_plays_from_the_starts_are_those_of_the_slow_model() {
    let fast = |position: &Position, seat, roll| plays(position, seat, roll).len().max(1);
    let slow = |position: &Position, seat, roll| Slow::of(position).plays(seat, roll).len().max(1);
    let expected = [(447, 202_782), (547, 324_161), (195, 38_017)];
    let counts = Variant::ALL.map(|variant| {
        let start = Position::start(variant);
        let of = |depth, count| perft(&start, Seat::First, depth, count);
        assert_eq!(
            [1, 2].map(|depth| of(depth, &fast)),
            [1, 2].map(|depth| of(depth, &slow))
        );
        (of(1, &fast), of(2, &fast))
    });
    assert_eq!(counts, expected);
}

#[test]
fn known_openings_have_their_numbers_of_plays() {
    let start = Position::start(Variant::Backgammon);
    let counts = [[3, 1], [6, 5], [1, 1], [6, 6]].map(|dice| plays(&start, Seat::First, roll(dice)).len());
    assert_eq!(counts, [16, 7, 42, 11]);
}

fn texts(position: &Position, dice: [u8; 2]) -> BTreeSet<String> {
    let plays = plays(position, Seat::First, roll(dice));
    plays.iter().map(ToString::to_string).collect()
}

fn set(texts: &[&str]) -> BTreeSet<String> {
    texts.iter().map(ToString::to_string).collect()
}

#[test]
fn a_checker_on_the_bar_enters_first() {
    let blocked = position(
        &[(25, 1), (6, 2)],
        &[(1, 2), (2, 2), (3, 2), (4, 2), (5, 2), (6, 2)],
    );
    assert_eq!(texts(&blocked, [6, 5]), set(&[]));
    let half = position(&[(25, 2), (6, 2)], &[(6, 2)]);
    assert_eq!(texts(&half, [6, 5]), set(&["bar/20"]));
}

#[test]
fn the_higher_die_is_played_if_either_can_be_but_not_both() {
    let either = position(&[(10, 1)], &[(24, 2), (22, 2), (20, 2)]);
    assert_eq!(texts(&either, [4, 2]), set(&["10/4"]));
    let one = position(&[(10, 1)], &[(24, 2), (21, 2), (18, 1)]);
    assert_eq!(texts(&one, [6, 3]), set(&["10/7*"]));
    let either = position(&[(10, 1)], &[(24, 2)]);
    assert_eq!(texts(&either, [6, 3]), set(&["10/4"]));
}

#[test]
fn a_higher_die_bears_off_the_last_checker_only() {
    let home = position(&[(5, 1), (2, 2), (0, 12)], &[(10, 2)]);
    assert_eq!(texts(&home, [6, 2]), set(&["5/off", "5/off 2/off"]));
    assert_eq!(texts(&home, [4, 3]), set(&["5/1 2/off", "5/off"]));
}

#[test]
fn what_is_said_of_a_loss_depends_on_the_last_checker() {
    let loss = |black: &[(u8, u8)]| position(&[(0, 15)], black).loss(Seat::Second);
    assert_eq!(loss(&[(0, 1), (24, 14)]), 1);
    assert_eq!(loss(&[(18, 15)]), 2);
    assert_eq!(loss(&[(19, 1), (6, 14)]), 3);
    assert_eq!(loss(&[(25, 1), (6, 14)]), 3);
}

#[test]
fn the_starts_have_their_pips_and_checkers() {
    let starts = Variant::ALL.map(|variant| {
        let start = Position::start(variant);
        assert_eq!(start, start.mirrored());
        (start.pips(Seat::First), start.checkers(Seat::Second))
    });
    assert_eq!(starts, [(167, 15), (194, 15), (69, 3)]);
}

#[test]
fn a_position_that_cannot_be_is_none() {
    assert_eq!(Position::of(&[(6, 1)], &[(19, 1)]), None);
    assert_eq!(Position::of(&[(26, 1)], &[]), None);
    assert_eq!(Position::of(&[(6, 16)], &[]), None);
    assert_eq!(Position::of(&[(6, 200), (6, 200)], &[]), None);
    assert_eq!(Roll::new([0, 3]), None);
    assert_eq!(Roll::new([7, 3]), None);
}
