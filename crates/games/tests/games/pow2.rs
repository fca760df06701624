//! The Power of Two through its public interface: perft counts and unreadable input.

use std::collections::BTreeMap;

use pbmserv_games::{Display, Kind, Match, Options};
use proptest::prelude::*;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

fn start(options: &str) -> Box<dyn Match> {
    let game = pbmserv_games::find("Pow2").unwrap();
    game.start(&Options::parse(game.facts, options.split_whitespace()).unwrap())
        .unwrap()
}

#[test]
fn the_number_of_turns_is_that_of_the_rules_page() {
    let cases: &[(&str, [u64; 3])] = &[
        ("", [48, 2396, 105_300]),
        ("-noborder", [36, 1352, 48_588]),
        ("-fast", [114, 12_762, 1_214_924]),
        ("-middle", [68, 4170, 201_730]),
    ];
    for &(options, counts) in cases {
        let start = start(options);
        assert_eq!([1, 2, 3].map(|depth| start.perft(depth)), counts);
        assert_eq!(start.perft(0), 1);
        assert_eq!(start.turns(usize::MAX).len() as u64, counts[0]);
        assert_eq!(start.turns(7).len(), 7);
    }
}

#[test]
fn a_random_turn_may_be_any_legal_one() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let mut position = start("-fast");
    for _ in 0..10 {
        let turn = position.random_turn(&mut rng).unwrap();
        position.play(&turn).unwrap();
    }
    let turns = position.turns(usize::MAX);
    let mut seen: BTreeMap<String, u32> = turns.iter().map(|turn| (turn.clone(), 0)).collect();
    for _ in 0..turns.len() * 40 {
        *seen.get_mut(&position.random_turn(&mut rng).unwrap()).unwrap() += 1;
    }
    assert!(seen.values().all(|times| (10..100).contains(times)), "{seen:?}");
}

/// A position from the middle of a game; the same number gives the same position.
fn midgame(seed: u64) -> Box<dyn Match> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut position = start("");
    for _ in 0..seed % 60 {
        if let Some(turn) = position.random_turn(&mut rng) {
            position.play(&turn).unwrap();
        }
    }
    position
}

/// Text that is nearly a turn.
fn nearly() -> impl Strategy<Value = String> {
    let point = || "[a-nA-M][0-9]{1,2}";
    let with = |(a, b, sign, placed): (String, String, String, Vec<String>)| {
        let colon = if placed.is_empty() { "" } else { ":" };
        format!("{a}{sign}{b}{colon}{}", placed.join(","))
    };
    (
        point(),
        point(),
        " ?(-|->|:|) ?",
        proptest::collection::vec(point(), 0..4),
    )
        .prop_map(with)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn junk_is_refused_and_changes_nothing(
        text in prop_oneof![
            any::<String>(),
            "[a-m0-9,:> \u{e4}\u{2013}-]{0,30}",
            nearly(),
            "([a-m](1[0-3]|[1-9])[-:,]){1,80}",
        ],
        seed in 0u64..200,
    ) {
        let mut position = midgame(seed);
        let before = (position.draw(Display::Large), position.to_move(), position.info());
        match position.read(&text) {
            Ok(turn) => {
                prop_assert!(position.turns(usize::MAX).contains(&turn));
                prop_assert_eq!(position.play(&text), Ok(turn));
            }
            Err(refusal) => {
                prop_assert!(refusal.reason.ends_with('.') && refusal.reason.is_ascii(), "{}", refusal.reason);
                prop_assert!(refusal.reason.len() < 200);
                prop_assert!(refusal.choices.len() <= 36);
                if let Some(at) = refusal.at.clone() {
                    prop_assert!(text.get(at).is_some());
                }
                prop_assert_eq!(position.play(&text), Err(refusal));
                prop_assert_eq!((position.draw(Display::Large), position.to_move(), position.info()), before);
            }
        }
    }

    #[test]
    fn boards_are_mail_of_at_most_eighty_columns_and_agree_with_the_cells(seed in 0u64..1000) {
        let position = midgame(seed);
        for display in [Display::Small, Display::Large] {
            let drawn = position.draw(display);
            prop_assert!(drawn.is_ascii() && drawn.ends_with('\n'));
            prop_assert!(drawn.lines().all(|line| line.len() <= 80 && line.trim_end() == line));
            let drawn = drawn.lines().skip(2).collect::<String>().replace(['P', 'T', 'o'], "");
            for letter in ['O', 'X', 'x'] {
                let cells = position.cells().iter().filter(|(_, c)| *c == letter).count();
                prop_assert_eq!(drawn.matches(letter).count(), cells);
            }
        }
        let pieces = position.cells();
        let (_, remaining) = &position.info()[0];
        for ((side, remaining), letters) in remaining.iter().zip(["Oo", "Xx"]) {
            let on_board = pieces.iter().filter(|(_, c)| letters.contains(*c)).count();
            prop_assert_eq!(on_board + *remaining as usize, 16, "{}", side);
        }
    }
}

#[test]
fn a_text_that_is_not_legal_differs_from_one_that_is_no_turn() {
    let position = start("");
    let kind = |text: &str| position.read(text).unwrap_err().kind;
    assert_eq!(kind("m13-m9:l4"), Kind::Illegal);
    assert_eq!(kind("m13-m4"), Kind::Unreadable);
    assert_eq!(kind("resign"), Kind::Unreadable);
    assert_eq!(kind(&" ".repeat(201)), Kind::Unreadable);
    assert!(position.read(&format!("m13-j7{}", " ".repeat(100))).is_ok());
}
