//! What a turn did, in words: what every game promises of them, and games whose captures and points are known.

use std::collections::BTreeMap;

use pbmserv_games::kit::words::{list, number};
use pbmserv_games::record::Record;
use pbmserv_games::{GAMES, Match, Options};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

/// The words of a turn, or of several of one player, which are then played.
fn told(position: &mut dyn Match, text: &str) -> String {
    let before = position.fork();
    let texts = position
        .play_all(text)
        .unwrap_or_else(|refusal| panic!("{text}: {refusal}"));
    list(before.effects(&texts))
}

fn start(game: &str, options: &str) -> Box<dyn Match> {
    let game = pbmserv_games::find(game).unwrap();
    let options = Options::parse(game.facts, options.split_whitespace()).unwrap();
    game.start(&options).unwrap()
}

/// Plays the turns, each with its words.
fn check(game: &str, options: &str, turns: &[(&str, &str)]) {
    let mut position = start(game, options);
    for (turn, words) in turns {
        assert_eq!(told(position.as_mut(), turn), *words, "{game} {turn}");
    }
}

/// The words continue `alice played m13-j7` and `You played m13-j7`, so verbs are in the past, and are short enough for one sentence.
fn check_english(name: &str, turns: &[String], effects: &[String]) {
    for deed in effects {
        assert!(deed.is_ascii() && !deed.contains(char::is_control), "{deed:?}");
        assert!(
            deed.trim() == deed && !deed.contains("  ") && !deed.ends_with('.'),
            "{deed:?}"
        );
        let first = deed.split(' ').next().unwrap();
        let known = [
            "left", "burst", "cut", "took", "had", "got", "made", "did", "gave", "brought", "hit", "won",
            "lost", "kept",
        ];
        assert!(first.ends_with("ed") || known.contains(&first), "alice {deed}");
    }
    let words = list(effects);
    assert!(words.len() <= 120, "{name} {turns:?}: {words}");
}

#[test]
fn the_words_continue_a_sentence_that_begins_with_the_player() {
    for game in GAMES {
        let name = game.facts.name;
        for seed in 0..6 {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let options = Options::none(game.facts);
            let mut position = game.start(&options).unwrap();
            let (mut turns, mut all) = (Vec::new(), Vec::new());
            // The turns of one player in a row, and the position before them.
            let (mut row, mut before_row) = (Vec::new(), position.fork());
            while let Some(turn) = position.random_turn(&mut rng) {
                let before = position.fork();
                position.play(&turn).unwrap();
                let effects = before.effects(std::slice::from_ref(&turn));
                check_english(name, std::slice::from_ref(&turn), &effects);
                let goes_on = before.to_move() == position.to_move();
                let is_told = effects.last().is_some_and(|deed| deed == "got another turn");
                let is_to_roll = position.due_roll().is_some();
                assert_eq!(is_told, goes_on && !is_to_roll, "{name} {turn}: {effects:?}");
                // Algebraic notation does not name where a piece comes from.
                let is_algebraic = position.capitals().is_some() && game.facts.letters[0].contains('K');
                // With dice the play says all, and each place of a point has a name of its own.
                let says_all = is_algebraic || game.facts.has_dice;
                if !says_all && does_more_than_it_says(before.as_ref(), position.as_ref(), &turn) {
                    assert!(!effects.is_empty(), "{name} {turn}");
                }
                row.push(turn.clone());
                if !goes_on {
                    check_english(name, &row, &before_row.effects(&row));
                    row.clear();
                    before_row = position.fork();
                }
                turns.push(turn);
                all.push(effects);
            }
            // The words are of the position and the turn alone.
            let mut record = Record::new(game, options);
            record.turns = turns;
            let again: Record = record.to_string().parse().unwrap();
            let mut position = game.start(&again.options).unwrap();
            for (turn, effects) in again.turns.iter().zip(&all) {
                assert_eq!(position.effects(std::slice::from_ref(turn)), *effects);
                position.play(turn).unwrap();
            }
        }
    }
}

/// Whether pieces left the board, a piece changed on a point that the turn does not name, or the points changed.
fn does_more_than_it_says(before: &dyn Match, after: &dyn Match, turn: &str) -> bool {
    let [old, new] = [before, after].map(|position| position.cells().into_iter().collect::<BTreeMap<_, _>>());
    let points = |position: &dyn Match| position.info().into_iter().find(|(what, _)| *what == "points");
    let named: Vec<_> = turn.split(['-', ',', ':', '@', '/']).collect();
    let changed = |name: &String| old.get(name) != new.get(name) && !named.contains(&name.as_str());
    new.len() < old.len() || old.keys().chain(new.keys()).any(changed) || points(before) != points(after)
}

#[test]
fn turns_that_are_not_legal_have_no_words() {
    let position = start("Pow2", "");
    for turns in [&["a1-e1"][..], &["m13-m5:l4", "m1-e1"], &["nonsense"], &[""]] {
        let turns: Vec<_> = turns.iter().map(|turn| (*turn).to_owned()).collect();
        assert_eq!(position.effects(&turns), [""; 0], "{turns:?}");
    }
}

#[test]
fn pow2_tells_what_was_placed_and_what_aged() {
    check(
        "Pow2",
        "",
        &[("m13-j7", ""), ("a1-e1", ""), ("m1-k3", ""), ("a13-a7", "")],
    );
    check("Pow2", "", &[("m13-m5", "placed a piece and aged m1 and m5")]);
}

/// The inventor's game, whose boards are known.
#[test]
fn forms_tells_what_was_captured_and_cut_off() {
    check(
        "Forms",
        "-size=4",
        &[
            ("c2-d2", "captured a white stone"),
            ("b4-a4", "captured a black stone"),
            ("a2-b2", "captured a white stone"),
            ("a3-b3", "captured a black stone and cut off a white stone"),
            ("b1-c1", "captured a white stone and cut off a white stone"),
            (
                "c3-d3",
                "captured a black stone and cut off one black and one white stone",
            ),
            ("d2-c3", "cut off two black stones"),
            ("d4-c4", "captured a black stone"),
            ("c3-b4", "cut off a white stone"),
            ("c4-b4", "captured a black stone and left Black no stone"),
        ],
    );
}

#[test]
fn shape_chess_tells_shapes_points_and_who_moves_again() {
    check(
        "ShapeChess",
        "",
        &[("d4", ""), ("d4-e5", "pushed a black stone"), ("e5-a1", "")],
    );
    let lead = ["c5", "j9", "d5", "j8", "e5", "k3", "f5", "c10", "g5"];
    let after_lead = || {
        let mut position = start("ShapeChess", "");
        lead.iter()
            .for_each(|turn| assert_eq!(told(position.as_mut(), turn), ""));
        position
    };
    let mut pushed = after_lead();
    assert_eq!(told(pushed.as_mut(), "g5-h5"), "pushed a black stone");
    assert_eq!(
        told(pushed.fork().as_mut(), "g5-g6"),
        "pushed a white stone, formed a symmetric shape of six, scored 1 (1 to 0) and got another turn"
    );
    assert_eq!(
        told(pushed.as_mut(), "g5-g6,a1"),
        "pushed a white stone, formed a symmetric shape of six and scored 1 (1 to 0)"
    );
    // White drops elsewhere, and makes Black's next shape himself.
    let mut had = start("ShapeChess", "");
    for turn in ["b2", "l12", "c2", "l10", "d2", "l8", "e2", "l6", "f2", "l4", "a1"] {
        assert_eq!(told(had.as_mut(), turn), "", "{turn}");
    }
    assert_eq!(told(had.as_mut(), "a1-a2"), "pushed a black stone");
    assert_eq!(
        told(had.as_mut(), "l1"),
        "had a symmetric shape of six, scored 1 (1 to 0) and got another turn"
    );
}

#[test]
fn ringworm_tells_bursts_captures_and_on_which_side_a_stone_was_dropped() {
    check("Ringworm", "", &[("c9", "dropped c9 at the left")]);
    check("Ringworm", "", &[("C9", "dropped C9 at the right")]);
    check("Ringworm", "", &[("C5", "")]);
    check(
        "Ringworm",
        "",
        &[
            ("q9", ""),
            ("a9,b8,A9", "dropped a9 and b8 at the left and A9 at the right"),
        ],
    );
    check(
        "Ringworm",
        "",
        &[
            ("q9", ""),
            ("pass", ""),
            ("pass", "ended the game (stones: 1 to 0)"),
        ],
    );
}

/// `a`, `one`, `14`: the number that a word is.
fn value(word: &str) -> Option<usize> {
    let word = if word == "a" { "one" } else { word };
    let in_words = || (1..=12).find(|n| number(*n) == word);
    word.parse().ok().or_else(in_words)
}

/// The sum of the numbers in the clauses that begin with one of these verbs.
fn sum(effects: &[String], verbs: &[&str]) -> usize {
    let chosen = effects
        .iter()
        .filter(|deed| verbs.iter().any(|verb| deed.starts_with(verb)));
    chosen.flat_map(|deed| deed.split(' ')).filter_map(value).sum()
}

#[test]
fn the_numbers_in_the_words_are_those_of_the_board() {
    for game in GAMES {
        let name = game.facts.name;
        for seed in 0..6 {
            let mut rng = ChaCha8Rng::seed_from_u64(1000 + seed);
            let mut position = game.start(&Options::none(game.facts)).unwrap();
            let mut spoken = 0;
            while let Some(turn) = position.random_turn(&mut rng) {
                let before = position.fork();
                position.play(&turn).unwrap();
                let effects = before.effects(std::slice::from_ref(&turn));
                spoken += usize::from(!effects.is_empty());
                let [old, new] = [before.as_ref(), position.as_ref()].map(|position| position.cells().len());
                let words = list(&effects);
                match name {
                    "Forms" => assert_eq!(
                        sum(&effects, &["captured", "cut off"]),
                        old - new,
                        "{turn}: {words}"
                    ),
                    "Ringworm" => {
                        let drops = turn
                            .split(',')
                            .filter(|step| *step != "pass" && !step.contains('-'))
                            .count();
                        assert_eq!(sum(&effects, &["captured"]), old + drops - new, "{turn}: {words}");
                        let bursts = turn.matches('-').count();
                        assert_eq!(sum(&effects, &["burst"]), bursts, "{turn}: {words}");
                    }
                    "Pow2" => {
                        let placed = turn
                            .split_once(':')
                            .map_or(0, |(_, placed)| placed.split(',').count());
                        let last = words.contains("the last piece").into();
                        assert_eq!(sum(&effects, &["placed"]).max(last), placed, "{turn}: {words}");
                        let back = effects
                            .iter()
                            .find_map(|deed| deed.strip_prefix("took ")?.strip_suffix(" back"));
                        let back = back.map_or(0, |names| names.replace(" and ", ", ").split(", ").count());
                        assert_eq!(old + placed - back, new, "{turn}: {words}");
                        let is_explained =
                            words.contains("got all sixteen") || words.contains("no legal move");
                        assert_eq!(is_explained, position.to_move().is_none(), "{turn}: {words}");
                    }
                    "ShapeChess" => {
                        let points = |position: &dyn Match| {
                            let seat = before.to_move().unwrap();
                            let [ours, theirs] =
                                [seat, seat.other()].map(|seat| position.info()[0].1[seat.index()].1);
                            (ours, theirs)
                        };
                        let ((had, _), (ours, theirs)) = (points(before.as_ref()), points(position.as_ref()));
                        let score = format!("scored {} ({ours} to {theirs})", ours - had);
                        assert_eq!(words.contains(&score), ours > had, "{turn}: {words}");
                        assert_eq!(words.contains("scored"), ours > had, "{turn}: {words}");
                    }
                    "Breakthrough" | "LOA" | "Checkers" | "International" | "Dameo" => {
                        assert_eq!(sum(&effects, &["captured"]), old - new, "{turn}: {words}");
                    }
                    "Reversi" => {
                        let [old, new] = [before.as_ref(), position.as_ref()]
                            .map(|position| position.cells().into_iter().collect::<BTreeMap<_, _>>());
                        let is_turned = |(name, letter): &(&String, &char)| new.get(*name) != Some(letter);
                        let turned = old.iter().filter(is_turned).count();
                        assert_eq!(sum(&effects, &["turned"]), turned, "{turn}: {words}");
                    }
                    "Amazons" => {
                        let is_over = position.to_move().is_none();
                        assert_eq!(words.contains("no move"), is_over, "{turn}: {words}");
                    }
                    "Hex" => {
                        let is_over = position.to_move().is_none();
                        assert_eq!(words.contains("joined"), is_over, "{turn}: {words}");
                    }
                    "Gomoku" => {
                        let is_won = position.to_move().is_none() && !words.contains("filled");
                        assert_eq!(words.contains("in a row"), is_won, "{turn}: {words}");
                    }
                    // Its own tests look at its words.
                    _ => {}
                }
            }
            assert!(spoken > 0, "{name}: not a word was tried");
        }
    }
}
