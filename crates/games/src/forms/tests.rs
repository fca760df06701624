//! Known positions of Forms, and a comparison with a slow move generator that shares no code with the rules.

use std::collections::BTreeSet;

use proptest::prelude::*;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use serde_json::Value;

use super::*;
use crate::{Game, Kind};

impl Forms {
    /// A position from its rows, the top one first: `ox../.x../.o../xoo.`. The stones must be joined.
    pub(crate) fn of_rows(rows: &str, mover: Seat, standard: bool) -> Self {
        let rows: Vec<&str> = rows.split('/').collect();
        let grid = Grid::new(rows.len() as u8);
        let stones = |letter: char| {
            grid.in_reading_order()
                .zip(rows.concat().chars().collect::<Vec<_>>())
                .filter_map(|(cell, c)| (c == letter).then_some(cell))
                .collect()
        };
        let position = Self {
            grid,
            stones: [stones('x'), stones('o')],
            mover,
            standard,
        };
        assert!(rows.iter().all(|row| row.len() == rows.len()) && position.occupied().is_joined());
        position
    }

    fn rows(&self) -> String {
        let letters: Vec<char> = self
            .grid
            .in_reading_order()
            .map(|cell| self.letter(cell).unwrap_or('.'))
            .collect();
        let rows = letters.chunks(usize::from(self.grid.size()));
        rows.map(String::from_iter).collect::<Vec<_>>().join("/")
    }

    fn move_by(&mut self, text: &str) {
        let turn = self
            .read(text)
            .unwrap_or_else(|refusal| panic!("{text}: {refusal}"));
        self.play(&turn);
    }

    /// Whether the mover loses, found by trying every turn.
    pub(super) fn is_lost(&self) -> bool {
        if self.own().is_empty() {
            return false;
        }
        self.turns(&mut |turn| {
            let mut next = *self;
            next.play(turn);
            if next.is_lost() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        })
        .is_continue()
    }
}

fn start(words: &str) -> Forms {
    Forms::start(&Options::parse(&FACTS, words.split_whitespace()).unwrap()).unwrap()
}

fn oracles() -> Value {
    serde_json::from_str(include_str!("../../tests/oracles/forms.json")).unwrap()
}

fn seat(letter: &str) -> Seat {
    if letter == "o" { Seat::Second } else { Seat::First }
}

#[test]
fn as_many_turns_are_counted_as_are_known() {
    let cases: &[(&str, &[u64])] = &[
        ("-size=4", &[24, 448, 6448, 70292]),
        ("-size=6", &[60, 3244, 157_476]),
        ("-size=8", &[112, 11848]),
        ("-size=12", &[264, 67984]),
        ("-size=18", &[612]),
        ("-standard -size=4", &[64, 3584]),
        ("-standard -size=6", &[324, 99144]),
        ("-standard -size=8", &[1024]),
        ("-standard", &[26244]),
    ];
    for &(options, counts) in cases {
        let game = Game::of::<Forms>();
        let options = Options::parse(game.facts, options.split_whitespace()).unwrap();
        let position = game.start(&options).unwrap();
        for (depth, count) in (1..).zip(counts) {
            assert_eq!(position.perft(depth), *count, "depth {depth}");
        }
    }
}

#[test]
fn the_game_of_the_inventor_goes_as_he_printed_it() {
    let game = &oracles()["meyers_game"];
    let mut position = start("-size=4");
    assert_eq!(position.rows(), game["start"].as_str().unwrap());
    let moves = game["moves"].as_array().unwrap();
    let boards = game["boards"].as_array().unwrap();
    assert_eq!((moves.len(), boards.len()), (9, 9));
    for (text, board) in moves.iter().zip(boards) {
        position.move_by(text.as_str().unwrap());
        assert_eq!(position.rows(), board.as_str().unwrap(), "after {text}");
    }
    assert_eq!(position.to_move(), Some(Seat::Second));
    assert!(position.is_lost());
}

#[test]
fn the_single_moves_give_their_boards() {
    let oracles = oracles();
    let moves = oracles["single_moves"].as_array().unwrap();
    assert_eq!(moves.len(), 4);
    for single in moves {
        let field = |name: &str| single[name].as_str().unwrap().replace('#', "x");
        let mut position = Forms::of_rows(
            &field("board"),
            seat(&field("to_move")),
            field("rules") == "standard",
        );
        position.move_by(&field("move"));
        assert_eq!(position.rows(), field("after"), "after {}", field("move"));
        if field("move") == "e4-e2" {
            assert_eq!(position.to_move(), Some(Seat::First));
            assert!(position.is_lost());
        }
    }
}

#[test]
fn the_standard_start_has_black_below() {
    assert_eq!(start("-size=4 -standard").rows(), "oooo/oooo/xxxx/xxxx");
}

#[test]
fn a_player_to_move_without_a_stone_has_won() {
    let mut position = Forms::of_rows("..../..../xo../....", Seat::First, false);
    assert_eq!(
        (position.to_move(), position.outcome()),
        (Some(Seat::First), None)
    );
    position.move_by("a2-b2");
    assert_eq!(
        (position.to_move(), position.outcome()),
        (None, Some(Outcome::Won(Seat::Second)))
    );
    assert_eq!(position.count(), 0);
    // A slide away from all stones is legal, and loses.
    let mut position = Forms::of_rows("..../..../xo../....", Seat::First, false);
    position.move_by("a2-d4");
    assert_eq!(position.rows(), "...x/..../..../....");
    assert_eq!(position.outcome(), Some(Outcome::Won(Seat::Second)));
}

#[test]
fn a_refusal_names_the_rule() {
    let cases: &[(&str, &str)] = &[
        ("d4-d3", "There is no stone on d4."),
        ("b2-b3", "The stone on b2 is White's, and it is Black's turn."),
        (
            "a1-a1",
            "A stone must move to another cell, not from a1 to a1. Possible: a1-b1.",
        ),
        (
            "a1-a2",
            "A stone cannot move onto a stone of its own colour, and the one on a2 is Black's too. Possible: a1-b1.",
        ),
        (
            "a1-b2",
            "A stone captures an enemy stone directly beside it, not diagonally, and b2, where White's stone is, is \
     not beside a1. Possible: a1-b1.",
        ),
        (
            "a1-d1",
            "A stone slides by steps to the sides, up and down over empty cells only, and no such way leads from a1 \
     to d1. Possible: a1-b1.",
        ),
        (
            "a3-b3",
            "A slide must take at least one stone off the board, and after a3-b3 all stones would still hang together.",
        ),
    ];
    for &(text, reason) in cases {
        let position = Forms::of_rows("..../x.../xo../xo..", Seat::First, false);
        let refusal = position.read(text).unwrap_err();
        assert_eq!(
            (refusal.kind, refusal.to_string().as_str()),
            (Kind::Illegal, reason)
        );
    }
}

#[test]
fn with_the_standard_rules_every_enemy_stone_is_a_target_and_no_empty_cell_is() {
    let position = Forms::of_rows("..../x.../xo../xoo.", Seat::First, true);
    let refused = |text: &str| position.read(text).unwrap_err().to_string();
    assert_eq!(
        refused("a1-d1"),
        "By the standard rules a stone moves only onto an enemy stone, and d1 is empty. \
         Possible: a1-b1, a1-c1, a1-b2."
    );
    assert!(refused("a1-a2").contains("own colour"));
    assert_eq!(position.read("A3 -> c1").unwrap().to_string(), "a3-c1");
}

#[test]
fn a_turn_is_written_the_same_whatever_it_does() {
    let position = Forms::of_rows("..../..../xo../....", Seat::First, false);
    for text in ["a2-b2", "a2-d4"] {
        let spaced = text.to_uppercase().replace('-', " -> ");
        assert_eq!(position.read(&spaced).unwrap().to_string(), text);
    }
}

/// The rules again: tries every pair of cells on a board of letters.
fn slow_turns(position: &Forms) -> BTreeSet<String> {
    let rows = position.rows();
    let board: Vec<Vec<char>> = rows.split('/').rev().map(|row| row.chars().collect()).collect();
    let (own, enemy) = match position.mover {
        Seat::First => ('x', 'o'),
        Seat::Second => ('o', 'x'),
    };
    let all = || (0..board.len()).flat_map(|row| (0..board.len()).map(move |column| (row, column)));
    let mut turns = BTreeSet::new();
    for from in all().filter(|(row, column)| board[*row][*column] == own) {
        let mut way = board.clone();
        way[from.0][from.1] = '.';
        let reached = slow_flood(&way, from, |c| c == '.');
        for to in all().filter(|to| *to != from) {
            let target = board[to.0][to.1];
            let captures =
                target == enemy && (position.standard || from.0.abs_diff(to.0) + from.1.abs_diff(to.1) == 1);
            let slides = !position.standard && target == '.' && reached.contains(&to);
            let mut after = way.clone();
            after[to.0][to.1] = own;
            let stones = after.iter().flatten().filter(|c| **c != '.').count();
            let kept = slow_flood(&after, to, |c| c != '.').len();
            if captures || slides && kept < stones {
                let name =
                    |(row, column): (usize, usize)| format!("{}{}", (b'a' + column as u8) as char, row + 1);
                turns.insert(format!("{}-{}", name(from), name(to)));
            }
        }
    }
    turns
}

fn slow_flood(
    board: &[Vec<char>],
    from: (usize, usize),
    passable: impl Fn(char) -> bool,
) -> BTreeSet<(usize, usize)> {
    let mut reached = BTreeSet::from([from]);
    let mut todo = vec![from];
    while let Some((row, column)) = todo.pop() {
        let neighbours = [
            (row + 1, column),
            (row.wrapping_sub(1), column),
            (row, column + 1),
            (row, column.wrapping_sub(1)),
        ];
        for next in neighbours {
            let seen = board.get(next.0).and_then(|row| row.get(next.1));
            if seen.is_some_and(|c| passable(*c)) && reached.insert(next) {
                todo.push(next);
            }
        }
    }
    reached
}

fn listed(position: &Forms) -> Vec<Turn> {
    let mut turns = Vec::new();
    let _ = position.turns(&mut |turn| {
        turns.push(*turn);
        ControlFlow::Continue(())
    });
    turns
}

/// Positions after some random turns, with any size and rules.
fn positions() -> impl Strategy<Value = Forms> {
    let size = prop_oneof![4 => Just(4), 3 => Just(6), 2 => Just(8)];
    (size, any::<bool>(), any::<u64>(), 0_u32..60).prop_map(|(size, standard, seed, turns)| {
        let mut position = start(&format!(
            "-size={size} {}",
            if standard { "-standard" } else { "" }
        ));
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        for _ in 0..turns {
            let mut next = position;
            let Some(turn) = next.random_turn(&mut rng) else {
                break;
            };
            next.play(&turn);
            if next.outcome().is_some() {
                break;
            }
            position = next;
        }
        position
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn the_listed_turns_are_those_of_the_slow_rules(position in positions()) {
        let turns = listed(&position);
        let texts: BTreeSet<_> = turns.iter().map(ToString::to_string).collect();
        prop_assert_eq!(texts.len(), turns.len());
        prop_assert_eq!(position.count(), turns.len() as u64);
        for (n, turn) in (0..).zip(&turns) {
            prop_assert_eq!(position.nth(n), Some(*turn));
            prop_assert_eq!(position.read(&turn.to_string()), Ok(*turn));
        }
        prop_assert_eq!(position.nth(turns.len() as u64), None);
        prop_assert_eq!(texts, slow_turns(&position), "{}", position.rows());
    }

    #[test]
    fn every_turn_takes_stones_off_and_leaves_one_form(position in positions()) {
        for turn in listed(&position) {
            let mut next = position;
            next.play(&turn);
            prop_assert!(next.occupied().count() < position.occupied().count());
            prop_assert!(next.occupied().is_joined() && next.enemy().has(turn.to));
            prop_assert!(!next.stones[0].meets(next.stones[1]));
            prop_assert_eq!(next.mover, position.mover.other());
            prop_assert_eq!(next.count() == 0, next.outcome().is_some());
        }
    }

    #[test]
    fn both_pictures_show_every_stone_within_80_columns(position in positions()) {
        let shown: String = position.cells().iter().map(|(_, letter)| *letter).collect();
        prop_assert_eq!(shown.len() as u32, position.occupied().count());
        prop_assert_eq!(&shown, &position.rows().replace(['.', '/'], ""));
        for display in [Display::Small, Display::Large] {
            let drawn = position.draw(display);
            prop_assert!(drawn.is_ascii() && drawn.ends_with('\n'));
            prop_assert!(drawn.lines().all(|line| line.len() <= 80 && line.trim_end() == line));
            // A row is a line that begins with its number.
            let rows = drawn.lines().filter(|line| line.trim_start().starts_with(|c: char| c.is_ascii_digit()));
            let seen: String = rows.flat_map(str::chars).filter(|c| matches!(c, 'x' | 'o')).collect();
            prop_assert_eq!(&seen, &shown);
        }
    }

    #[test]
    fn junk_is_refused_and_never_panics(position in positions(), text in "(\\PC{0,70}|[a-j0-9 >-]{0,12})") {
        if let Ok(turn) = position.read(&text) {
            prop_assert!(listed(&position).contains(&turn));
        }
    }

    #[test]
    fn random_games_end_within_the_bound(size in 2_usize..=9, standard in any::<bool>(), seed in any::<u64>()) {
        let words = format!("-size={} {}", 2 * size, if standard { "-standard" } else { "" });
        let (mut position, mut turns) = (start(&words), 0);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        while let Some(turn) = position.random_turn(&mut rng) {
            position.play(&turn);
            turns += 1;
        }
        prop_assert!(position.outcome().is_some());
        prop_assert!(turns < 4 * size * size && turns <= FACTS.longest_random_game);
    }
}

proptest! {
    // Each case reads every pair of cells.
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn the_reader_takes_the_listed_turns_and_no_others(position in positions()) {
        let turns = slow_turns(&position);
        for from in position.grid.in_reading_order() {
            for to in position.grid.in_reading_order() {
                let text = format!("{from}-{to}");
                match position.read(&text) {
                    Ok(turn) => prop_assert!(turns.contains(&text) && turn.to_string() == text),
                    Err(refusal) => {
                        prop_assert_eq!(refusal.kind, Kind::Illegal);
                        prop_assert!(!turns.contains(&text), "{text} {refusal}");
                    }
                }
            }
        }
    }
}

#[test]
fn every_legal_turn_may_come_by_chance() {
    let position = Forms::of_rows("..../xoo./.ox./....", Seat::Second, false);
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let drawn: BTreeSet<_> = (0..2000)
        .filter_map(|_| position.random_turn(&mut rng).map(|turn| turn.to_string()))
        .collect();
    assert_eq!(drawn, slow_turns(&position));
}

#[test]
fn the_facts_fit_the_letters() {
    let rules = FACTS.rules;
    assert!(rules.is_ascii() && rules.lines().all(|line| line.len() <= 72));
    let mut position = start("");
    FACTS.example.iter().for_each(|turn| position.move_by(turn));
}
