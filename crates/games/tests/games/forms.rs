//! Forms through its public interface: a refusal changes nothing.

use pbmserv_games::{Display, Kind, Match, Options};
use proptest::prelude::*;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

fn start(words: &str) -> Box<dyn Match> {
    let game = pbmserv_games::find("forms").unwrap();
    let options = Options::parse(game.facts, words.split_whitespace()).unwrap();
    game.start(&options).unwrap()
}

#[test]
fn an_option_outside_its_range_is_refused() {
    let cases: &[&str] = &["-size=5", "-size=2", "-size=20", "-size", "-standard=1"];
    for &word in cases {
        let game = pbmserv_games::find("Forms").unwrap();
        assert_eq!(
            Options::parse(game.facts, [word]).unwrap_err().kind,
            Kind::Unreadable
        );
    }
}

#[test]
fn a_text_that_is_not_legal_differs_from_one_that_is_no_turn() {
    let position = start("");
    let kind = |text: &str| position.read(text).unwrap_err().kind;
    assert_eq!(kind("a1-b1"), Kind::Illegal);
    assert_eq!(kind("b1-c2"), Kind::Illegal);
    assert_eq!(kind("b1"), Kind::Unreadable);
    assert_eq!(kind("b1-s1"), Kind::Unreadable);
    assert_eq!(kind("pass"), Kind::Unreadable);
    assert_eq!(kind(&" ".repeat(61)), Kind::Unreadable);
}

#[test]
fn nothing_is_played_after_the_end() {
    let mut position = start("-size=4");
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let mut last = String::new();
    while let Some(turn) = position.random_turn(&mut rng) {
        last = position.play(&turn).unwrap();
    }
    assert_eq!(position.to_move(), None);
    assert!(position.outcome().is_some() && position.turns(1).is_empty() && position.perft(1) == 0);
    assert_eq!(position.play(&last).unwrap_err().to_string(), "The game is over.");
}

/// A position from the middle of a game; the same number gives the same position.
fn midgame(seed: u64) -> Box<dyn Match> {
    let words = ["-size=8", "-size=6 -standard", "-size=10", "-size=12"];
    let mut position = start(words[seed as usize % words.len()]);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    for _ in 0..seed % 30 {
        let mut next = position.fork();
        match next.random_turn(&mut rng) {
            Some(turn) => next.play(&turn).unwrap(),
            None => break,
        };
        position = next;
    }
    position
}

proptest! {
    #[test]
    fn junk_is_refused_and_changes_nothing(
        text in prop_oneof![
            any::<String>(),
            "[a-r0-9,:> \u{e4}\u{2013}-]{0,30}",
            "[a-mA-M][0-9]{1,2} ?(-|->|:|) ?[a-mA-M][0-9]{1,2}",
            "([a-m](1[0-3]|[1-9])[-:,]){1,40}",
        ],
        seed in 0_u64..200,
    ) {
        let mut position = midgame(seed);
        let before = (position.draw(Display::Small), position.to_move());
        match position.read(&text) {
            Ok(turn) => {
                prop_assert!(position.turns(usize::MAX).contains(&turn));
                prop_assert_eq!(position.play(&text), Ok(turn));
            }
            Err(refusal) => {
                prop_assert!(refusal.reason.ends_with('.') && refusal.reason.is_ascii(), "{}", refusal.reason);
                prop_assert!(refusal.reason.len() < 200 && refusal.choices.len() <= 6);
                if let Some(at) = refusal.at.clone() {
                    prop_assert!(text.get(at).is_some());
                }
                prop_assert_eq!(position.play(&text), Err(refusal));
                prop_assert_eq!((position.draw(Display::Small), position.to_move()), before);
            }
        }
    }
}
