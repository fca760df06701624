//! The inventor's game against Bill Taylor, with the misprints of its score corrected, and with each of them restored.

use super::super::Ringworm;
use super::super::turn::Turn;
use super::slow::Slow;
use super::start;
use crate::{Display, Kind, Outcome, Refusal, Rules, Seat};

const SAMPLE: &str = include_str!("../../../tests/oracles/ringworm-sample.txt");

/// The turns of the score.
pub(super) fn score() -> Vec<&'static str> {
    let lines = SAMPLE.lines().filter(|line| !line.starts_with(['[', ';']));
    let words = lines.flat_map(str::split_whitespace);
    words.filter(|word| !word.ends_with('.')).collect()
}

/// The printed final position.
fn printed() -> String {
    let comments = SAMPLE.lines().filter_map(|line| line.strip_prefix("; "));
    let board: Vec<_> = comments.skip_while(|line| !line.contains("abc")).collect();
    board.join("\n") + "\n"
}

fn replay(score: &[&str]) -> Result<(Ringworm, Vec<Turn>), (usize, Refusal)> {
    let (mut game, mut turns) = (start(), Vec::new());
    for (index, text) in score.iter().enumerate() {
        let turn = game.read(text).map_err(|refusal| (index, refusal))?;
        game.play(&turn);
        turns.push(turn);
    }
    Ok((game, turns))
}

/// `12o`: the index of a turn in the score.
fn index(turn: &str) -> usize {
    let (number, side) = turn.split_at(turn.len() - 1);
    2 * (number.parse::<usize>().unwrap() - 1) + usize::from(side == "o")
}

fn turn(number: &str) -> Turn {
    replay(&score()).unwrap().1[index(number)].clone()
}

/// The numbers of own and enemy stones on the lines of a turn when they were laid.
fn captured(number: &str) -> (usize, usize) {
    let (mut game, _) = replay(&score()[..index(number)]).unwrap();
    let before = game.stones.map(|stones| stones.count());
    let turn = game.read(score()[index(number)]).unwrap();
    let mover = game.mover;
    game.play(&turn);
    let after = game.stones.map(|stones| stones.count());
    let (own, other) = (mover.index(), mover.other().index());
    (
        before[own] + turn.drops.len() - after[own],
        before[other] - after[other],
    )
}

#[test]
fn the_sample_game_ends_in_exactly_the_printed_position() {
    let (game, turns) = replay(&score()).unwrap();
    let texts: Vec<_> = turns.iter().map(ToString::to_string).collect();
    assert_eq!(texts, score());
    let drawn = game.draw(Display::Small);
    let (head, board) = drawn.split_once("\n\n").unwrap();
    assert_eq!(head, "Stones: x 14 o 30\nx drops 4 stones.");
    assert_eq!(board, printed());
    assert_eq!(game.outcome(), None);
}

#[test]
fn the_sample_game_has_34_turns_with_28_bursts() {
    let (_, turns) = replay(&score()).unwrap();
    let bursts = turns.iter().map(|turn| turn.bursts.len());
    assert_eq!((turns.len(), bursts.sum::<usize>()), (34, 28));
    let chains: Vec<_> = (0..34).filter(|index| turns[*index].bursts.len() > 1).collect();
    assert_eq!(chains, ["12o", "13o", "16o", "17o"].map(index));
    let lengths = chains.iter().map(|index| turns[*index].bursts.len());
    assert_eq!(lengths.collect::<Vec<_>>(), [2, 3, 2, 2]);
}

#[test]
fn the_slow_judge_agrees_with_every_turn_of_the_sample_game() {
    let mut game = start();
    for text in score() {
        let verdict = Slow::of(&game).verdict(text);
        game.play(&game.read(text).unwrap());
        assert_eq!(verdict, Some(Slow::of(&game).stones), "{text}");
    }
}

#[test]
fn own_lines_capture_own_stones() {
    for number in ["10o", "12o", "15o"] {
        assert!(captured(number).0 > 0, "{number}: {:?}", captured(number));
    }
    let index = |number: usize, side: &str| format!("{number}{side}");
    let all = (1..18).flat_map(|number| ["x", "o"].map(|side| index(number, side)));
    let own: Vec<_> = all.filter(|number| captured(number).0 > 0).collect();
    assert_eq!(own, ["10o", "12o", "15o"]);
}

#[test]
fn a_line_may_run_through_the_middle_of_its_ring() {
    let burst = turn("15o").bursts[0];
    assert!(super::super::rings::line(burst.pivot, burst.direction).has(burst.middle));
    let ends = [burst.pivot, burst.middle, burst.far().unwrap()];
    assert_eq!(ends.map(|cell| cell.to_string()), ["x6", "w7", "s11"]);
}

/// The score with one turn replaced.
fn with(number: &str, from: &str, to: &str) -> Result<(), (usize, Refusal)> {
    let mut score = score();
    let wrong = score[index(number)].replace(from, to);
    assert_ne!(wrong, score[index(number)]);
    score[index(number)] = &wrong;
    replay(&score).map(|_| ())
}

#[test]
fn each_misprint_put_back_alone_is_refused_at_its_turn_with_its_reason() {
    let no_cell = [
        (
            "6x",
            "s7-n2",
            "s7-n3",
            "There is no cell n3: row 3 has cells in the columns g i k m o q s u w y A only.",
        ),
        ("10x", "t2,v2,s3,w3", "t3,v3,s4,w4", "There is no cell t3: "),
        (
            "12o",
            "s5-C5",
            "s5-c5",
            "There is no cell c5: row 5 has cells in the columns e g i k m o q s u w y A C only.",
        ),
        ("13x", "x8-s3", "w8-s3", "There is no cell w8: "),
        ("14x", "p12-u7", "p13-u7", "There is no cell p13: "),
        ("16o", "z8", "y8", "There is no cell y8: "),
        ("17x", "p12-u7", "p13-u7", "There is no cell p13: "),
    ];
    for (number, from, to, reason) in no_cell {
        let (at, refusal) = with(number, from, to).unwrap_err();
        assert_eq!((at, refusal.kind), (index(number), Kind::Unreadable), "{number}");
        assert!(refusal.reason.starts_with(reason), "{number}: {refusal}");
    }
    let (at, refusal) = with("10o", "s11", "q11").unwrap_err();
    assert_eq!((at, refusal.kind), (index("10o"), Kind::Illegal));
    assert_eq!(
        refusal.reason,
        "Your drops made no ring, so there is none to burst."
    );
    let w9 = [
        (
            "A9,y7,w9,z8,",
            "A stone is dropped on an empty cell, and there is a stone of o on w9.",
        ),
        (
            "A9,y7,z8,w9,",
            "Your drops made a ring around x8, and after a ring no stone is dropped: burst it, for example w7-B12.",
        ),
    ];
    for (drops, reason) in w9 {
        let (at, refusal) = with("16o", "A9,y7,z8,", drops).unwrap_err();
        assert_eq!((at, refusal.kind), (index("16o"), Kind::Illegal));
        assert_eq!(refusal.reason, reason);
        assert_eq!(&drops[refusal.at.unwrap()], "w9");
    }
}

#[test]
fn the_stone_missing_in_8o_shows_only_at_10o() {
    // The third drop makes the ring, so three drops are legal; 10o then lacks a stone of its ring.
    let (at, refusal) = with("8o", "u11,", "").unwrap_err();
    assert_eq!((at, refusal.kind), (index("10o"), Kind::Illegal));
    assert_eq!(
        refusal.reason,
        "Your drops made no ring, so there is none to burst."
    );
    assert_eq!(&score()[at][refusal.at.unwrap()], "s9-x4");
}

#[test]
fn the_refusals_of_other_misreadings_of_the_score_name_the_mistake() {
    let reason = |number: &str, from: &str, to: &str| with(number, from, to).unwrap_err().1.to_string();
    assert_eq!(
        reason("6x", "s7-n2", "s7-o2"),
        "There is no cell o2: row 2 has cells in the columns h j l n p r t v x z only. Possible: n2, p2."
    );
    assert_eq!(
        reason("6x", "s7-n2", "s7-l2"),
        "A burst lays its stones in a straight line, and s7-l2 is none. Possible: s7-C7, s7-x12, s7-n12, s7-i7, \
         s7-n2, s7-x2."
    );
}

#[test]
fn the_score_has_no_winner_before_the_resignation() {
    let (mut game, _) = replay(&score()).unwrap();
    for _ in 0..2 {
        game.play(&game.read("Pass").unwrap());
    }
    assert_eq!(game.outcome(), Some(Outcome::Won(Seat::Second)));
}

/// The words about a turn of the score.
fn words(number: &str) -> String {
    let (game, _) = replay(&score()[..index(number)]).unwrap();
    let turn = game.read(score()[index(number)]).unwrap();
    crate::kit::words::list(game.effects(&[turn]))
}

#[test]
fn the_words_about_a_turn_count_the_rings_and_the_captured_stones() {
    for (number, expected) in [
        ("1x", ""),
        ("3o", ""),
        ("4o", "burst a ring and captured two stones of x"),
        ("10o", "burst a ring and captured three stones of x and two of o"),
        (
            "12o",
            "burst two rings and captured seven stones of x and one of o",
        ),
        ("13o", "burst three rings and captured five stones of x"),
        ("16x", "dropped B8 at the right"),
        (
            "16o",
            "dropped A9 at the right, burst two rings and captured four stones of x",
        ),
    ] {
        assert_eq!(words(number), expected, "{number}");
    }
}
