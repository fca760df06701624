//! What every game promises, tested for all entries of `GAMES`; a new game needs no test here.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use pbmserv_games::kit::picture;
use pbmserv_games::record::Record;
use pbmserv_games::{BoardPicture, Display, GAMES, GREATEST_ESTIMATE, Game, Kind, Match, Options, Seat, WON};
use proptest::prelude::*;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

const DISPLAYS: [Display; 2] = [Display::Small, Display::Large];

pub(crate) fn start(game: &Game) -> Box<dyn Match> {
    game.start(&Options::none(game.facts)).unwrap()
}

/// Sets of options worth playing: none, and each option with its least, its greatest and its usual number.
pub(crate) fn option_sets(game: &Game) -> Vec<Options> {
    let mut sets = vec![Options::none(game.facts)];
    for option in game.facts.options {
        let words = match option.range {
            None => vec![format!("-{}", option.name)],
            Some(range) => [range.min, range.max, range.default]
                .map(|n| format!("-{}={}", option.name, range.written(n)))
                .to_vec(),
        };
        sets.extend(
            words
                .iter()
                .map(|word| Options::parse(game.facts, [word.as_str()]).unwrap()),
        );
    }
    sets
}

/// The observable state of a position.
fn seen(position: &dyn Match) -> (String, String, Vec<(String, char)>, String) {
    let drawings = DISPLAYS.map(|display| position.draw(display));
    let [small, large] = drawings;
    let state = format!(
        "{:?} {:?} {:?}",
        position.to_move(),
        position.outcome(),
        position.info()
    );
    (small, large, position.cells(), state)
}

/// Plays random turns to the end and calls `look` with each position; returns the turns.
pub(crate) fn random_game(
    game: &Game,
    options: &Options,
    seed: u64,
    mut look: impl FnMut(&dyn Match, usize),
) -> Vec<String> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut position = game.start(options).unwrap();
    let mut turns = Vec::new();
    look(position.as_ref(), 0);
    while let Some(turn) = position.random_turn(&mut rng) {
        turns.push(position.play(&turn).unwrap());
        look(position.as_ref(), turns.len());
        let longest = game.facts.longest_random_game;
        assert!(
            turns.len() <= longest,
            "{} with {options} goes on after {longest} turns",
            game.facts.name
        );
    }
    turns
}

#[test]
fn no_two_games_share_a_name() {
    let mut names = BTreeMap::new();
    for game in GAMES {
        let facts = game.facts;
        for name in std::iter::once(&facts.name).chain(facts.aliases) {
            assert!(name.chars().all(|c| c.is_ascii_alphanumeric()), "{name}");
            assert_eq!(
                names.insert(name.to_lowercase(), facts.name),
                None,
                "{name} is there twice"
            );
            assert!(pbmserv_games::find(&name.to_uppercase()).is_some_and(|found| found == game));
        }
        assert_eq!(GAMES.iter().filter(|other| *other == game).count(), 1);
    }
}

#[test]
fn every_folder_of_games_is_registered() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut folders: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
        .filter(|name| !["bots", "families", "kit", "record"].contains(&name.as_str()))
        .collect();
    folders.sort();
    let mut games: Vec<_> = GAMES.iter().map(|game| game.facts.name.to_lowercase()).collect();
    games.sort();
    assert_eq!(folders, games);
}

#[test]
fn facts_are_fit_to_print() {
    for game in GAMES {
        let facts = game.facts;
        let short = [
            facts.title,
            facts.summary,
            facts.notation,
            facts.designer,
            facts.source,
        ];
        for text in short.iter().chain(facts.sides.iter()) {
            assert!(!text.is_empty() && text.is_ascii(), "{}: {text}", facts.name);
        }
        assert!(facts.rules.is_ascii());
        for line in facts.rules.lines() {
            assert!(
                line.len() <= 72 && line.trim_end() == line,
                "{}: {line}",
                facts.name
            );
        }
        for option in facts.options {
            assert!(!option.help.is_empty() && option.help.is_ascii());
        }
    }
}

#[test]
fn the_examples_are_legal_from_the_start() {
    for game in GAMES {
        let mut position = start(game);
        assert!(!game.facts.example.is_empty());
        for turn in game.facts.example {
            assert_eq!(position.play(turn).unwrap(), **turn, "{}", game.facts.name);
        }
    }
}

#[test]
fn every_option_of_the_facts_is_accepted_and_printed_as_it_is_read() {
    for game in GAMES {
        for options in option_sets(game) {
            assert!(game.start(&options).is_ok(), "{} {options}", game.facts.name);
            let words = options.words();
            let again = Options::parse(game.facts, words.iter().map(String::as_str)).unwrap();
            assert_eq!(again, options);
        }
    }
}

#[test]
fn every_other_option_is_refused_with_the_nearest() {
    for game in GAMES {
        for option in game.facts.options {
            let mut misspelt = option.name.to_owned();
            let last = misspelt.pop().unwrap();
            let misspelt = format!("-{misspelt}q{last}");
            let refusal = Options::parse(game.facts, [misspelt.as_str()]).unwrap_err();
            let near = refusal
                .choices
                .iter()
                .any(|choice| choice.starts_with(&format!("-{}", option.name)));
            assert!(near, "{}: {misspelt} gives {refusal}", game.facts.name);
            if let Some(range) = option.range {
                for bad in ["", "=", "=x", "=-1", "=99999999999999"] {
                    assert!(Options::parse(game.facts, [format!("-{}{bad}", option.name).as_str()]).is_err());
                }
                let beyond = format!("-{}={}", option.name, range.written(range.max + range.step));
                assert!(Options::parse(game.facts, [beyond.as_str()]).is_err(), "{beyond}");
            }
            let twice = option.range.map_or(format!("-{}", option.name), |r| {
                format!("-{}={}", option.name, r.written(r.default))
            });
            assert!(Options::parse(game.facts, [twice.as_str(), twice.as_str()]).is_err());
        }
    }
}

#[test]
fn listed_turns_are_read_as_themselves_and_no_two_are_one() {
    for game in GAMES {
        for (seed, options) in option_sets(game).iter().enumerate() {
            let mut checked = 0;
            random_game(game, options, seed as u64, |position, ply| {
                if ply % 7 != 0 || checked >= 6 {
                    return;
                }
                checked += 1;
                let turns = position.turns(300);
                let mut distinct = turns.clone();
                distinct.sort();
                distinct.dedup();
                assert_eq!(distinct.len(), turns.len(), "{} {options}", game.facts.name);
                assert_eq!(
                    turns.is_empty(),
                    position.to_move().is_none(),
                    "{} {options}",
                    game.facts.name
                );
                for turn in turns {
                    assert!(!turn.contains(char::is_whitespace) && turn.is_ascii(), "{turn}");
                    assert_eq!(position.read(&turn).as_deref(), Ok(turn.as_str()));
                    assert!(position.fork().play(&turn).is_ok());
                    assert_eq!(position.fork().play_all(&turn), Ok(vec![turn]));
                }
            });
        }
    }
}

#[test]
fn small_and_capital_letters_are_the_same_unless_a_game_says_how_they_differ() {
    for game in GAMES {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let mut position = start(game);
        let mut differ = 0;
        for _ in 0..12 {
            let Some(turn) = position.random_turn(&mut rng) else {
                break;
            };
            let read = |text: String| position.read(&text).ok();
            let others = [turn.to_uppercase(), turn.to_lowercase()];
            differ += others
                .into_iter()
                .map(read)
                .filter(|read| read.as_ref() != Some(&turn))
                .count();
            position.play(&turn).unwrap();
        }
        // Where few turns differ, the first ones may not.
        assert!(
            position.capitals().is_some() || differ == 0,
            "{}",
            game.facts.name
        );
        let words = position.capitals().unwrap_or("It.");
        assert!(words.is_ascii() && words.ends_with('.'), "{words}");
    }
}

#[test]
fn pass_and_swap_are_turns_only_where_the_facts_say_so() {
    for game in GAMES {
        for (seed, options) in option_sets(game).iter().enumerate() {
            random_game(game, options, 600 + seed as u64, |position, ply| {
                let is = |word| position.to_move().is_some() && position.read(word).is_ok();
                let name = game.facts.name;
                assert!(!is("pass") || game.facts.knows_pass, "{name}");
                // Later, a game that has a longer opening may allow it too.
                let may_swap = game.facts.knows_swap && ply > 0 && !options.has("noswap");
                assert!(!is("swap") || may_swap, "{name} {options} {ply}");
                assert!(ply != 1 || is("swap") == may_swap, "{name} {options}");
            });
        }
    }
}

#[test]
fn a_position_counts_as_many_turns_as_it_lists() {
    for game in GAMES {
        random_game(game, &Options::none(game.facts), 5, |position, ply| {
            if ply % 11 != 0 {
                return;
            }
            // Games with too many turns to list are counted as far as the list goes.
            assert_eq!(
                position.perft(0),
                1,
                "{}: to play nothing is one way",
                game.facts.name
            );
            let listed = position.turns(20_000);
            if listed.len() < 20_000 {
                assert_eq!(position.perft(1), listed.len() as u64, "{}", game.facts.name);
            }
        });
    }
}

#[test]
pub(crate) fn random_games_end_and_their_records_replay_to_the_same_board() {
    for game in GAMES {
        for (seed, options) in option_sets(game).iter().enumerate() {
            let mut last = None;
            let turns = random_game(game, options, 100 + seed as u64, |position, _| {
                last = Some(position.fork());
            });
            let last = last.unwrap();
            assert!(last.outcome().is_some() && last.to_move().is_none());
            assert!(last.read(&turns[0]).is_err(), "a turn is read after the end");
            let mut record = Record::new(game, options.clone());
            record.turns = turns;
            let again: Record = record.to_string().parse().unwrap();
            let replayed = again.replay().unwrap();
            assert_eq!(
                seen(replayed.position.as_ref()),
                seen(last.as_ref()),
                "{} {options}",
                game.facts.name
            );
        }
    }
}

#[test]
fn both_displays_are_ascii_within_80_columns_and_show_every_piece() {
    for game in GAMES {
        for (seed, options) in option_sets(game).iter().enumerate() {
            random_game(game, options, 200 + seed as u64, |position, _| {
                for display in DISPLAYS {
                    let drawn = position.draw(display);
                    assert!(drawn.ends_with('\n') && drawn.is_ascii());
                    for line in drawn.lines() {
                        assert!(
                            line.len() <= 80 && line.trim_end() == line,
                            "{}: {line}",
                            game.facts.name
                        );
                    }
                    let mut pieces = BTreeMap::new();
                    for (_, letter) in position.cells() {
                        *pieces.entry(letter).or_insert(0) += 1;
                        let of_a_side = game.facts.letters.iter().any(|letters| letters.contains(letter));
                        let is_known = of_a_side != game.facts.neutral.contains(letter);
                        assert!(is_known, "{}: {letter} is nobody's", game.facts.name);
                    }
                    for (letter, count) in pieces {
                        let shown = drawn.chars().filter(|c| *c == letter).count();
                        assert!(
                            shown >= count,
                            "{}: {shown} of {count} {letter}\n{drawn}",
                            game.facts.name
                        );
                    }
                }
            });
        }
    }
}

#[test]
fn every_position_can_be_drawn_as_a_picture() {
    for game in GAMES {
        for (seed, options) in option_sets(game).iter().enumerate() {
            let mut before = game.start(options).unwrap();
            random_game(game, options, 400 + seed as u64, |position, ply| {
                if ply % 9 == 0 || position.to_move().is_none() {
                    let scene = BoardPicture {
                        title: game.facts.title,
                        sentence: "",
                        now: position,
                        before: before.as_ref(),
                        last: &[],
                        ending: None,
                    };
                    pictured(game, position, &scene);
                }
                before = position.fork();
            });
        }
    }
}

/// Every piece has its own point on the layout, and every word can be written.
fn pictured(game: &Game, position: &dyn Match, scene: &BoardPicture<'_>) {
    let drawn = scene.picture();
    let points = &drawn.layout.points;
    let named: BTreeMap<_, _> = (points.iter().zip(0..))
        .map(|(p, place)| (p.name.as_str(), place))
        .collect();
    assert_eq!(
        named.len(),
        points.len(),
        "{}: two points of a name",
        game.facts.name
    );
    let mut wanted: Vec<(usize, char)> = (position.cells().iter())
        .map(|(name, letter)| (named[name.as_str()], *letter))
        .collect();
    let mut pieces: Vec<_> = drawn.pieces.iter().map(|p| (p.point, p.kind.letter)).collect();
    wanted.sort_unstable();
    pieces.sort_unstable();
    assert_eq!(pieces, wanted, "{}", game.facts.name);
    let looks: BTreeMap<_, _> = drawn.pieces.iter().map(|p| (p.kind.letter, p.kind)).collect();
    for (a, b) in looks.values().flat_map(|a| looks.values().map(move |b| (a, b))) {
        let letter =
            |kind: &picture::Kind| (!"xXoO".contains(kind.letter)).then(|| kind.letter.to_ascii_uppercase());
        let alike = (a.tone, a.rings, letter(a)) == (b.tone, b.rings, letter(b));
        assert!(!alike || a.letter == b.letter, "{}: {a:?} {b:?}", game.facts.name);
    }
    let labels = drawn.layout.labels.iter().map(|label| label.text.as_str());
    let shown_names = points
        .iter()
        .filter(|_| drawn.layout.shows_names)
        .map(|p| p.name.as_str());
    for text in labels
        .chain(shown_names)
        .chain(drawn.statuses.iter().map(|s| s.text.as_str()))
    {
        assert!(picture::can_write(text), "{}: {text:?}", game.facts.name);
    }
    let letters = game.facts.letters.iter().flat_map(|letters| letters.chars());
    for letter in letters.filter(|letter| !"xXoO".contains(*letter)) {
        assert!(
            picture::can_write(&letter.to_string()),
            "{}: {letter}",
            game.facts.name
        );
    }
    let svg = drawn.svg();
    assert_eq!(svg, scene.picture().svg());
    assert_eq!(svg.matches("class=\"piece\"").count(), wanted.len());
    assert!(svg.len() < 100_000, "{}: {} bytes", game.facts.name, svg.len());
}

#[test]
fn a_drawing_changes_with_the_board() {
    for game in GAMES {
        let mut before = None;
        random_game(game, &Options::none(game.facts), 300, |position, _| {
            let now = (position.cells(), DISPLAYS.map(|display| position.draw(display)));
            if let Some((cells, drawings)) = before.replace(now.clone())
                && cells != now.0
            {
                assert!(
                    drawings[0] != now.1[0] && drawings[1] != now.1[1],
                    "{}",
                    game.facts.name
                );
            }
        });
    }
}

/// A text either is refused and changes nothing, or is a turn whose printed form is read back.
fn refused_or_read_back(position: &mut dyn Match, text: &str) {
    let before = seen(position);
    match position.read(text) {
        Ok(turn) => assert_eq!(position.read(&turn).as_deref(), Ok(turn.as_str())),
        Err(refusal) => {
            assert!(
                !refusal.reason.is_empty() && refusal.reason.is_ascii(),
                "{refusal}"
            );
            assert!(refusal.reason.len() <= 400, "{refusal}");
            assert!(
                refusal.kind != Kind::Ambiguous || refusal.choices.len() > 1,
                "{refusal}"
            );
            if let Some(at) = &refusal.at {
                assert!(at.start <= at.end && at.end <= text.len(), "{at:?} in {text:?}");
                assert!(
                    text.is_char_boundary(at.start) && text.is_char_boundary(at.end),
                    "{at:?} in {text:?}"
                );
            }
            assert!(position.play(text).is_err());
            assert!(position.play_all(text).is_err() || position.fork().play(text).is_err());
        }
    }
    if position.read(text).is_err() && position.play_all(text).is_err() {
        assert!(seen(position) == before, "a refused text changed the board");
    }
}

#[test]
fn junk_is_refused_and_changes_nothing() {
    let digits = "1234567890".repeat(410);
    let deep = format!("{}a1", "(".repeat(5000));
    let junk = [
        "",
        " ",
        "\t",
        "\u{a0}\u{2003}",
        "\u{0}",
        "\u{1b}[2J",
        "\u{202e}a1",
        "-",
        ":",
        ",",
        "->",
        "a",
        "1",
        "a0",
        "a99",
        "zz1",
        "a1-",
        "-a1",
        "a1-a1",
        "a1--a2",
        "a1-zz99",
        "\u{e9}1-a1",
        "a\u{301}1",
        "a1-\u{ff41}1",
        "99999999999999999999",
        "a18446744073709551617",
        digits.as_str(),
        deep.as_str(),
        "resign!",
        "null",
        "a1,a1,a1,a1,a1,a1,a1,a1",
    ];
    for game in GAMES {
        for options in option_sets(game) {
            let mut position = game.start(&options).unwrap();
            let before = seen(position.as_ref());
            for text in junk {
                assert!(
                    position.read(text).is_err(),
                    "{}: {text:?} is a turn",
                    game.facts.name
                );
                refused_or_read_back(position.as_mut(), text);
            }
            assert_eq!(seen(position.as_ref()), before);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_refused_or_read_back(seed: u64, text in "\\PC{0,60}", letters in "[a-zA-Z0-9,:@>#. -]{0,40}") {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        for game in GAMES {
            let mut position = start(game);
            for _ in 0..rng.random_range(0..12) {
                let Some(turn) = position.random_turn(&mut rng) else { break };
                position.play(&turn).unwrap();
            }
            for text in [&text, &letters] {
                refused_or_read_back(position.as_mut(), text);
            }
            // A turn with one changed character is the most likely mistake.
            if let Some(turn) = position.random_turn(&mut rng) {
                let at = rng.random_range(0..turn.len());
                let mut changed = turn.into_bytes();
                changed[at] = rng.random_range(32..127);
                refused_or_read_back(position.as_mut(), &String::from_utf8(changed).unwrap());
            }
        }
    }
}

#[test]
fn what_is_good_for_one_side_is_as_bad_for_the_other() {
    for game in GAMES {
        for (seed, options) in option_sets(game).iter().enumerate() {
            random_game(game, options, 500 + seed as u64, |position, _| {
                let walk = position.walk();
                if position.to_move().is_some() {
                    let [first, second] = Seat::BOTH.map(|seat| walk.estimate(seat));
                    assert_eq!(first, -second, "{} {options}", game.facts.name);
                    assert!(first.abs() <= GREATEST_ESTIMATE, "{} {options}", game.facts.name);
                }
                let ends = Seat::BOTH.map(|seat| walk.end(seat));
                assert_eq!(ends[0].is_none(), position.outcome().is_none());
                assert_eq!(ends[0], ends[1].map(|end| -end));
            });
        }
    }
}

#[test]
#[ignore = "takes long: make long"]
fn the_turns_that_a_search_is_offered_are_legal_and_the_best_first() {
    for game in GAMES {
        for (seed, options) in option_sets(game).iter().enumerate() {
            random_game(game, options, 600 + seed as u64, |position, ply| {
                if ply % 37 != 3 && position.to_move().is_some() {
                    return;
                }
                let (mut walk, key) = (position.walk(), position.walk().key());
                let whole = walk.list(usize::MAX);
                assert_eq!(whole.values.is_empty(), position.to_move().is_none());
                assert!(
                    whole.values.is_sorted_by(|a, b| a >= b) && whole.judged >= whole.values.len() as u64
                );
                let texts: BTreeSet<_> = (0..whole.values.len()).map(|turn| walk.text(turn)).collect();
                let loses_at_once = |turn: &String| {
                    let mut after = position.fork();
                    after.play(turn).unwrap();
                    after.walk().best(i32::MAX).0 == Some(WON)
                };
                if whole.is_whole && position.perft(1) != whole.values.len() as u64 {
                    let mut others = position.turns(usize::MAX).into_iter();
                    assert!(
                        others.all(|turn| texts.contains(&turn) || loses_at_once(&turn)),
                        "{}",
                        game.facts.name
                    );
                }
                let texts: Vec<_> = (0..whole.values.len()).map(|turn| walk.text(turn)).collect();
                for (turn, text) in texts.iter().enumerate().take(20) {
                    let mut after = position.fork();
                    assert_eq!(after.play(text).as_ref(), Ok(text), "{}", game.facts.name);
                    walk.play(turn);
                    assert_eq!(walk.key(), after.walk().key(), "{} {text}", game.facts.name);
                    let ended = position.to_move().and_then(|seat| walk.end(seat));
                    assert_eq!(ended.is_some_and(|end| end == WON), whole.values[turn] == WON);
                    walk.back();
                }
                assert_eq!(walk.key(), key);
                let few = walk.list(5);
                assert_eq!(few.values, whole.values[..few.values.len()], "the same list, cut");
                let best = walk.best(i32::MAX).0;
                assert!(best >= whole.values.first().copied(), "{}", game.facts.name);
            });
        }
    }
}

#[test]
fn positions_with_another_board_or_another_player_to_move_have_other_keys() {
    for game in GAMES {
        let mut keys = BTreeMap::new();
        for seed in 0..20 {
            random_game(game, &Options::none(game.facts), 700 + seed, |position, _| {
                let state = (position.cells(), position.to_move(), position.info());
                let before = keys.insert(position.walk().key(), state.clone());
                assert!(before.is_none_or(|before| before == state), "{}", game.facts.name);
            });
        }
    }
}
