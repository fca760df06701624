//! What every game promises of a turn that is begun, for all entries of `GAMES`: each legal turn can be reached a step at a
//! time, and steps lead nowhere else.

use pbmserv_games::{Continuations, GAMES, Match, continuations};
use proptest::prelude::*;
use rand::rngs::ChaCha8Rng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

use crate::contract::{option_sets, random_game, start};

/// The words of a turn, in any order: those of placements are printed in another order than they may be chosen in.
fn words(turn: &str) -> Vec<&str> {
    let mut words: Vec<_> = continuations::words(turn).collect();
    words.sort_unstable();
    words
}

/// Whether the steps of this text are all in the turn, each as often.
fn is_part(begun: &str, turn: &str) -> bool {
    let mut left = words(turn);
    words(begun).into_iter().all(|word| {
        let place = left.iter().position(|other| *other == word);
        place.map(|place| left.remove(place)).is_some()
    })
}

/// Whether turns are written in algebraic notation, and chosen by squares, which it does not name.
fn is_algebraic(position: &dyn Match) -> bool {
    position.facts().letters[0].contains('K')
}

/// Chooses steps until `turn` is reached. Where the turn has the same words in several orders, another one may come first.
fn reach(position: &dyn Match, begun: &str, turn: &str) -> bool {
    let continuations = position.continuations(begun).unwrap();
    if continuations.whole.as_deref() == Some(turn) {
        return true;
    }
    // A play names a checker once, however many dice it moves by.
    let dice = |text: &str| text.split(':').next().map(str::to_owned);
    let is_of_dice = |step: &continuations::Step| {
        position.facts().has_dice && (!turn.contains(':') || dice(&step.text) == dice(turn))
    };
    let part =
        |step: &&continuations::Step| is_algebraic(position) || is_of_dice(step) || is_part(&step.text, turn);
    let follows = |text: &str| turn.starts_with(text.trim_end_matches(|c: char| !c.is_alphanumeric()));
    let mut steps: Vec<_> = continuations.steps.iter().filter(part).collect();
    steps.sort_by_key(|step| !follows(&step.text));
    steps.iter().any(|step| reach(position, &step.text, turn))
}

/// What holds of every beginning.
fn check(position: &dyn Match, begun: &str, continuations: &Continuations) {
    let name = position.facts().name;
    assert!(
        continuations.whole.is_some() || !continuations.steps.is_empty(),
        "{name}: {begun:?} can be no turn and go on to none"
    );
    if let Some(whole) = &continuations.whole {
        let played = position.fork().play_all(whole).unwrap();
        assert_eq!(&played.join(","), whole, "{name}: {begun:?}");
        // A colon may stand there before pieces for which there is only one place.
        let begun = begun.trim_end_matches(':');
        assert_eq!(position.fork().play_all(begun).as_ref(), Ok(&played), "{name}");
    } else {
        assert!(
            position.fork().play_all(begun).is_err(),
            "{name}: {begun:?} is whole"
        );
    }
    let points = position.layout().points;
    let mut texts: Vec<_> = continuations.steps.iter().map(|step| &step.text).collect();
    texts.sort();
    texts.dedup();
    assert_eq!(
        texts.len(),
        continuations.steps.len(),
        "{name}: {begun:?} has a step twice"
    );
    for step in &continuations.steps {
        assert!(
            step.text.len() > begun.trim().trim_matches([',', ':', ' ']).len(),
            "{name}: {step:?} after {begun:?}"
        );
        assert!(!step.label.is_empty() && step.label.is_ascii());
        let known = |point: &String| points.iter().any(|p| p.name == *point);
        assert!(step.point.iter().all(known), "{name}: {step:?}");
    }
}

/// Follows steps at random to a legal turn, then goes back.
fn walk(position: &dyn Match, rng: &mut ChaCha8Rng) {
    let (mut begun, mut least) = (String::new(), usize::MAX);
    for _ in 0..200 {
        let continuations = position
            .continuations(&begun)
            .unwrap_or_else(|refusal| panic!("{begun:?}: {refusal}"));
        check(position, &begun, &continuations);
        let ends = continuations.whole.is_some() && rng.random_range(0..4) > 0;
        let Some(step) = continuations.steps.choose(rng).filter(|_| !ends) else {
            assert!(continuations.whole.is_some());
            break;
        };
        begun.clone_from(&step.text);
    }
    while !begun.is_empty() {
        let before = continuations::back(&begun);
        assert!(
            before.len() < least && before.len() < begun.len(),
            "{begun} goes back to {before}"
        );
        least = before.len();
        let continuations = position.continuations(before).unwrap();
        let same =
            |step: &continuations::Step| is_part(&begun, &step.text) && words(&begun) == words(&step.text);
        assert!(
            continuations.steps.iter().any(same),
            "{before:?} does not go on to {begun:?}"
        );
        begun.truncate(before.len());
    }
}

#[test]
#[ignore = "takes long: make long"]
fn every_legal_turn_is_reached_by_steps_and_every_walk_of_steps_ends_in_a_legal_turn() {
    for game in GAMES {
        for (seed, options) in option_sets(game).iter().enumerate() {
            let mut left = 9;
            let mut rng = ChaCha8Rng::seed_from_u64(seed as u64);
            random_game(game, options, 500 + seed as u64, |position, ply| {
                if ply % 7 != seed % 7 || left == 0 {
                    return;
                }
                left -= 1;
                let Some(turn) = position.random_turn(&mut rng) else {
                    return;
                };
                assert!(
                    reach(position, "", &turn),
                    "{} {options}: {turn}",
                    game.facts.name
                );
                walk(position, &mut rng);
            });
        }
    }
}

#[test]
fn a_game_that_is_over_goes_on_with_nothing() {
    for game in GAMES {
        let mut last = None;
        let turns = random_game(game, &option_sets(game)[0], 9, |position, _| {
            last = Some(position.fork());
        });
        let last = last.unwrap();
        for begun in ["", turns[0].as_str()] {
            assert_eq!(last.continuations(begun).unwrap_err().reason, "The game is over.");
        }
    }
}

/// Any text is refused with a reason, or goes on.
fn is_answered(position: &dyn Match, begun: &str) {
    match position.continuations(begun) {
        Ok(continuations) => check(position, begun, &continuations),
        Err(refusal) => {
            assert!(
                !refusal.reason.is_empty() && refusal.reason.is_ascii(),
                "{refusal}"
            );
            if let Some(at) = &refusal.at {
                assert!(at.start <= at.end && at.end <= begun.len(), "{at:?} in {begun:?}");
                assert!(begun.is_char_boundary(at.start) && begun.is_char_boundary(at.end));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn any_beginning_is_answered(seed: u64, text in "\\PC{0,60}", letters in "[a-zA-Z0-9,:@/>#. -]{0,40}") {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        for game in GAMES {
            let mut position = start(game);
            for _ in 0..rng.random_range(0..12) {
                let Some(turn) = position.random_turn(&mut rng) else { break };
                position.play(&turn).unwrap();
            }
            for begun in [&text, &letters] {
                is_answered(position.as_ref(), begun);
            }
            if let Some(turn) = position.random_turn(&mut rng) {
                is_answered(position.as_ref(), &turn[..rng.random_range(0..turn.len())]);
                let at = rng.random_range(0..turn.len());
                let mut changed = turn.into_bytes();
                changed[at] = rng.random_range(32..127);
                is_answered(position.as_ref(), &String::from_utf8(changed).unwrap());
            }
        }
    }
}

/// How a beginning goes on in this game after these turns: `!` and the whole turn, the labels of the steps, or why not.
fn told(game: &str, played: &[&str], begun: &str) -> String {
    let mut position = start(pbmserv_games::find(game).unwrap());
    for turn in played {
        position.play(turn).unwrap();
    }
    match position.continuations(begun) {
        Ok(continuations) => {
            let steps = continuations.steps.into_iter().map(|step| step.label);
            let whole = continuations.whole.map(|whole| format!("!{whole}"));
            let told: Vec<_> = whole.into_iter().chain(steps).collect();
            told.join(" ")
        }
        Err(refusal) => refusal.reason,
    }
}

#[test]
fn pow2_goes_on_from_the_piece_to_the_point_and_then_to_new_pieces_in_any_order() {
    let told = |begun| told("Pow2", &["m13-m5:l4"], begun);
    assert_eq!(told(""), "a1 a13");
    assert_eq!(
        told("A1"),
        "e1 g1 i1 d2 c3 e3 f3 b4 d4 g4 a5 c5 e5 i5 c6 k6 f6 a7 d7 m7 a9 e9 f11 g13"
    );
    assert_eq!(told("a1 -> "), told("a1"));
    assert_eq!(told("a1-i1"), "!a1-i1:j2", "there is one place only");
    assert_eq!(told("a1-i1:"), told("a1-i1:j2"));
    assert_eq!(told("m1"), "The piece on m1 is Light's, and it is Dark's turn.");
    assert_eq!(told("b4-"), "There is no piece on b4.");
    assert!(told("a1-i1:m13").starts_with("m13 forms no triangle"));
    let later = |begun| self::told("Pow2", &["m13-m5:l4", "a1-i1:j2"], begun);
    assert_eq!(later("l4-k3:l4,j4"), "!l4-k3:j4,l4");
    assert_eq!(
        later("l4-k3:l4,l4"),
        "l4 is named twice: each new piece needs a point of its own."
    );
}

#[test]
fn the_other_games_go_on_point_by_point() {
    let worked = &pbmserv_games::find("ShapeChess").unwrap().facts.worked;
    let shape: Vec<_> = worked.before.iter().copied().chain(["g5-h5"]).collect();
    let after_a_score = told("ShapeChess", &shape, "g5-g6");
    assert!(after_a_score.starts_with("!g5-g6 a1 b1 "), "{after_a_score}");
    assert!(told("ShapeChess", &shape, "g5-g6,").starts_with("a1 b1 "));
    assert_eq!(
        told("ShapeChess", &shape, "a1,b1"),
        "After these actions Black's turn is over, so none can follow."
    );
    assert_eq!(
        told("Forms", &[], "c1"),
        "The stone on c1 is White's, and it is Black's turn."
    );
    let ring = ["p4", "k3,l4,t8", "m5,q5,n6,t12", "j2,u7,v8,g9"];
    assert_eq!(told("Ringworm", &ring, "n4,p6"), "n4 p4 m5 q5 n6 p6");
    assert_eq!(told("Ringworm", &ring, "n4,p6,n6-"), "x6 s11 i11 d6 i1 s1");
    assert_eq!(told("Ringworm", &ring, "n4,p6,n6-i1"), "!n4,p6,n6-i1");
    let before = |begun| told("Ringworm", &ring[..3], begun);
    assert_eq!(before("j2,u7,v8,g9"), "!j2,u7,v8,g9", "there are no more drops");
    assert_eq!(
        before("j2,u7,v8,g9,"),
        "A cell must follow the comma; the text ends there."
    );
    assert_eq!(told("Ringworm", &ring, "pass"), "!pass");
    assert!(told("Ringworm", &ring, "n4-").contains("made no ring"));
    let arrows = told("Amazons", &[], "d1-d7");
    assert!(arrows.starts_with("d1 "), "back to where it came from: {arrows}");
    assert_eq!(told("Amazons", &[], "d1-d7/g7"), "!d1-d7/g7");
    assert_eq!(told("LOA", &[], "b1"), "b3 d3 h1");
    assert_eq!(
        told("LOA", &[], "B1b3"),
        "!b1-b3",
        "a turn in other words is whole"
    );
    assert!(told("Hex", &["c2"], "").ends_with(" swap"));
    assert_eq!(told("Hex", &["c2"], "swap"), "!swap");
    let rolled = |begun| told("Backgammon", &["roll", "roll"], begun);
    assert_eq!(rolled("31:8/5"), "24 8 6 5");
    assert_eq!(rolled("31: 8/5,6/"), "5");
    assert!(rolled("31:8/5:,6/").starts_with("8/5 is no roll"));
}
