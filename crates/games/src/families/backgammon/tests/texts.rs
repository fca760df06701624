use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};

use super::{position, random_position, random_roll, roll};
use crate::Seat;
use crate::families::backgammon::{Play, Position, Roll, Variant, plays, read};
use crate::kit::refusal::Kind;

/// The same play written differently: hop by hop or joined, shuffled, in other words.
fn shuffled(play: &Play, rng: &mut ChaCha8Rng) -> String {
    let mut parts: Vec<String> = match rng.random_range(0..2) {
        0 => play.to_string().split(' ').map(ToOwned::to_owned).collect(),
        _ => {
            let hops = play.hops().iter();
            let name = |point: u8| match point {
                25 => ["bar", "25", "Bar"][usize::from(point) % 3].to_owned(),
                _ => point.to_string(),
            };
            hops.map(|hop| {
                let star = if hop.hits { "*" } else { "" };
                format!("{}/{}{star}", name(hop.from), name(hop.to))
            })
            .collect()
        }
    };
    parts.shuffle(rng);
    let text = parts.join([" ", ", ", "  ", "; "][rng.random_range(0..4)]);
    match rng.random_range(0..6) {
        0 => text.to_ascii_uppercase(),
        1 => text.replace("off", "0").replace("bar", "25"),
        2 => format!(" {text} "),
        3 => text.replace('/', "-"),
        4 => text.replace('/', " / "),
        _ => text,
    }
}

#[test]
fn every_text_is_read_back_however_it_is_written() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for _ in 0..1_500 {
        let (position, roll) = (random_position(&mut rng), random_roll(&mut rng));
        let all = plays(&position, Seat::First, roll);
        for play in all.iter().take(30) {
            let other = shuffled(play, &mut rng);
            for text in [play.to_string(), other] {
                let again = read(&position, Seat::First, roll, &text);
                let again = again.unwrap_or_else(|refusal| panic!("{position:?} {roll} {text}: {refusal}"));
                assert_eq!(again.to_string(), play.to_string(), "{position:?} {roll} {text}");
            }
        }
    }
}

#[test]
fn without_asterisks_a_text_is_the_same_play_or_the_one_that_hits_less() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let mut ambiguous = 0;
    for _ in 0..1_000 {
        let (position, roll) = (random_position(&mut rng), random_roll(&mut rng));
        for play in plays(&position, Seat::First, roll).iter().take(20) {
            let text = play.to_string().replace('*', "");
            match read(&position, Seat::First, roll, &text) {
                Ok(again) => assert!(again.hits().count() <= play.hits().count()),
                Err(refusal) => {
                    assert_eq!(refusal.kind, Kind::Ambiguous, "{position:?} {roll} {text}");
                    ambiguous += 1;
                }
            }
        }
    }
    assert!(ambiguous < 100, "{ambiguous}");
}

fn said(position: &Position, dice: [u8; 2], text: &str) -> String {
    match read(position, Seat::First, roll(dice), text) {
        Ok(play) => play.to_string(),
        Err(refusal) => panic!("{text}: {refusal}"),
    }
}

#[test]
fn a_play_may_be_written_in_many_ways() {
    let start = Position::start(Variant::Backgammon);
    for text in ["8/5 6/5", "6/5,8/5", "6-5 8-5", "31: 8/5 6/5", "3-1: 6/5 8/5"] {
        assert_eq!(said(&start, [3, 1], text), "8/5 6/5", "{text}");
    }
    for text in ["13/5", "13/8/5", "8/5 13/8", "13/10/5"] {
        assert_eq!(said(&start, [5, 3], text), "13/5", "{text}");
    }
    for text in [
        "8/4(2) 6/2(2)",
        "6/2 8/4(2) 6/2",
        "8/4 8/4 6/2 6/2",
        "6/2 ( 2 ) 8/4(2)",
    ] {
        assert_eq!(said(&start, [4, 4], text), "8/4(2) 6/2(2)", "{text}");
    }
    let home = position(&[(6, 2), (3, 2), (0, 11)], &[(24, 2)]);
    for text in ["6/off 3/off", "3/0 6/0", "3/OFF 6/Off"] {
        assert_eq!(said(&home, [6, 3], text), "6/off 3/off", "{text}");
    }
    let bar = position(&[(25, 1), (13, 2)], &[(4, 1), (24, 2)]);
    for text in [
        "bar/21* 13/10",
        "bar/21 13/10",
        "Bar/21*, 13/10",
        "13/10 25/21",
        "b/21*13/10",
    ] {
        assert_eq!(said(&bar, [4, 3], text), "bar/21* 13/10", "{text}");
    }
    assert_eq!(said(&bar, [4, 3], "bar/21/18"), "bar/21*/18");
    assert_eq!(said(&bar, [4, 3], "bar/18"), "bar/18");
    let pair = position(&[(8, 2), (6, 2)], &[(21, 1), (1, 1)]);
    for text in [
        "8/4*(2) 6/2(2)",
        "8/4(2)* 6/2(2)",
        "8/4* 8/4* 6/2 6/2",
        "8/4(2) 6/2(2)",
    ] {
        assert_eq!(said(&pair, [4, 4], text), "8/4*(2) 6/2(2)", "{text}");
    }
}

#[test]
fn a_way_over_two_blots_is_ambiguous_unless_it_says_which() {
    let blots = position(&[(13, 2)], &[(18, 1), (13, 1), (24, 2)]);
    let refusal = read(&blots, Seat::First, roll([6, 1]), "13/6").unwrap_err();
    assert_eq!(refusal.kind, Kind::Ambiguous);
    assert_eq!(refusal.choices, ["13/7*/6", "13/12*/6"]);
    assert_eq!(said(&blots, [6, 1], "13/12/6"), "13/12*/6");
    let blot = position(&[(13, 2)], &[(18, 1), (24, 2)]);
    assert_eq!(said(&blot, [6, 1], "13/6"), "13/6");
    assert_eq!(said(&blot, [6, 1], "13/7/6"), "13/7*/6");
}

#[test]
fn no_text_makes_the_reader_panic() {
    let signs = [
        "8", "5", "25", "bar", "off", "/", "-", "*", "(", ")", "2", " ", ",", ":", "31", "\u{fc}", "\u{a0}",
        "0", "b", "999",
    ];
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    for _ in 0..10_000 {
        let count = rng.random_range(0..12);
        let text: String = (0..count)
            .map(|_| signs[rng.random_range(0..signs.len())])
            .collect();
        let (position, roll) = match rng.random_range(0..20) {
            0 => (random_position(&mut rng), random_roll(&mut rng)),
            _ => (Position::start(Variant::Backgammon), Roll::new([3, 1]).unwrap()),
        };
        if let Err(refusal) = read(&position, Seat::First, roll, &text) {
            let at = refusal.at.clone().unwrap_or(0..0);
            assert!(text.get(at.clone()).is_some(), "{text:?} {at:?} {refusal}");
            assert!(refusal.reason.ends_with('.'), "{refusal}");
        }
    }
}
