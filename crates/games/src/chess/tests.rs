//! Counts of turns from published sources, notation, and the draws.

use super::*;
use crate::lockstep::{self, after};
use crate::{Game, Outcome, Rules as _, Seat};

#[test]
fn turns_are_counted_as_elsewhere() {
    lockstep::perft::<Chess>("", &[20, 400, 8902]);
}

#[test]
#[ignore = "slow without optimisation"]
fn turns_are_counted_as_elsewhere_five_deep() {
    lockstep::perft::<Chess>("", &[20, 400, 8902, 197_281, 4_865_609]);
}

fn position(fen: &str) -> Chess {
    let board = cozy_chess::Board::from_fen(fen, false).unwrap();
    chess::Chess::from_board(Fide, board)
}

fn perft(position: &Chess, depth: u32) -> u64 {
    if depth == 1 {
        return position.count();
    }
    let mut sum = 0;
    let _ = position.turns(&mut |turn| {
        let mut next = position.clone();
        next.play(turn);
        sum += perft(&next, depth - 1);
        std::ops::ControlFlow::Continue(())
    });
    sum
}

#[test]
fn a_crowded_position_has_as_many_turns_as_elsewhere() {
    let kiwipete = position("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1");
    assert_eq!([1, 2, 3].map(|depth| perft(&kiwipete, depth)), [48, 2039, 97_862]);
}

fn read(position: &Chess, text: &str) -> Result<String, String> {
    let read = position.read(text);
    read.map(|turn| turn.to_string())
        .map_err(|refusal| refusal.to_string())
}

#[test]
fn turns_are_read_in_every_usual_form() {
    let start = after::<Chess>("", "");
    for (text, turn) in [
        ("e4", "e4"),
        ("E4", "e4"),
        ("e2-e4", "e4"),
        ("e2e4", "e4"),
        ("E2 - E4", "e4"),
        ("e4!", "e4"),
        ("Nf3", "Nf3"),
        ("nf3", "Nf3"),
        ("Ng1f3", "Nf3"),
        ("g1-f3", "Nf3"),
        ("NF3", "Nf3"),
    ] {
        assert_eq!(read(&start, text).as_deref(), Ok(turn), "{text}");
    }
    let castles = after::<Chess>("", "e4 e5 Nf3 Nc6 Bc4 Bc5");
    for text in ["O-O", "0-0", "o-o", "O-O+", "e1g1", "e1-g1"] {
        assert_eq!(read(&castles, text).as_deref(), Ok("O-O"), "{text}");
    }
    let promotes = position("8/P6k/8/8/8/8/8/K7 w - - 0 1");
    for text in ["a8=Q", "a8Q", "a8q", "a7a8q", "a7-a8=Q", "a8=q+"] {
        assert_eq!(read(&promotes, text).as_deref(), Ok("a8=Q"), "{text}");
    }
    assert!(
        read(&promotes, "a8")
            .unwrap_err()
            .contains("what the pawn becomes")
    );
}

#[test]
fn a_capital_is_a_piece_and_a_small_letter_a_column() {
    // Both the bishop and the pawn on b can take on c3... here on c4.
    let both = position("4k3/8/8/3p4/2p5/1P3B2/8/4K3 w - - 0 1");
    assert_eq!(read(&both, "bxc4").as_deref(), Ok("bxc4"));
    assert_eq!(read(&both, "Bxd5").as_deref(), Ok("Bxd5"));
    // Only one of them can, so the other case is read too.
    assert_eq!(read(&both, "Bxc4").as_deref(), Ok("bxc4"));
    assert_eq!(read(&both, "bxd5").as_deref(), Ok("Bxd5"));
}

#[test]
fn pieces_of_one_kind_are_told_apart() {
    let rooks = position("4k3/8/8/8/8/8/R6R/4K3 w - - 0 1");
    assert_eq!(read(&rooks, "Rad2").as_deref(), Ok("Rad2"));
    assert!(read(&rooks, "Rd2").unwrap_err().contains("Rad2"));
    let column = position("4k3/8/8/R7/8/8/R7/4K3 w - - 0 1");
    assert_eq!(read(&column, "R5a3").as_deref(), Ok("R5a3"));
}

#[test]
fn what_is_not_legal_is_refused_with_its_reason() {
    let start = after::<Chess>("", "");
    for (text, reason) in [
        (
            "hello",
            "\"hello\" is no turn: a turn is written like e4 or e2-e4.",
        ),
        ("", "There is no turn here."),
        ("e7-e5", "The piece on e7 is Black's, and it is White's turn."),
        ("e3-e4", "There is no piece on e3."),
        ("e2-e5", "The pawn on e2 cannot go to e5."),
        ("Qh5", "No such piece of White can go to h5."),
        ("O-O", "You cannot castle so now"),
    ] {
        let refusal = read(&start, text).unwrap_err();
        assert!(refusal.starts_with(reason), "{text}: {refusal}");
    }
    let check = after::<Chess>("", "e4 e5 Qh5 Ke7 Qxe5");
    assert!(check.outcome().is_some(), "checkmate");
    let check = after::<Chess>("", "e4 f6 Qh5");
    assert!(read(&check, "a6").unwrap_err().contains("the king is in check"));
}

fn told(turns: &str, last: &str) -> String {
    let position = after::<Chess>("", turns);
    position.effects(&[position.read(last).unwrap()]).join("; ")
}

#[test]
fn the_ends_are_seen_and_told() {
    assert_eq!(told("f3 e5 g4", "Qh4#"), "gave checkmate");
    assert_eq!(
        after::<Chess>("", "f3 e5 g4 Qh4").outcome(),
        Some(Outcome::Won(Seat::Second))
    );
    assert_eq!(told("e4 d5", "exd5"), "captured a pawn");
    assert_eq!(told("e4 f6", "Qh5"), "gave check");
    let knights = "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1";
    assert_eq!(told(knights, "Ng8"), "repeated the position for the second time");
    // After e4 no pawn can capture in passing, so the position is the same twice later.
    let passing = "e4 Nf6 Nf3 Ng8 Ng1 Nf6 Nf3 Ng8";
    assert_eq!(told(passing, "Ng1"), "repeated the position for the second time");
    let ends = |fen: &str, turn: &str| {
        let mut position = position(fen);
        position.play(&position.read(turn).unwrap());
        position.outcome()
    };
    assert_eq!(ends("7k/5K2/8/8/8/8/8/6Q1 w - - 0 1", "Qg5"), None);
    assert_eq!(
        ends("7k/5K2/8/8/8/8/8/6Q1 w - - 0 1", "Qg6"),
        Some(Outcome::Drawn),
        "stalemate"
    );
    assert_eq!(
        ends("8/8/4k3/8/8/3pK3/8/8 w - - 0 1", "Kxd3"),
        Some(Outcome::Drawn),
        "two kings"
    );
    assert_eq!(ends("8/8/4k3/8/8/3pK3/8/2B2b2 w - - 0 1", "Kf4"), None);
    assert_eq!(
        ends("8/8/4k3/8/8/3pK3/8/2B1b3 w - - 0 1", "Kxd3"),
        Some(Outcome::Drawn),
        "bishops of one colour"
    );
    assert_eq!(
        ends("4k3/8/8/8/8/8/R7/4K3 w - - 99 80", "Ra3"),
        Some(Outcome::Drawn),
        "fifty turns"
    );
}

#[test]
fn the_starts_are_those_of_scharnagl() {
    let first_row = |number: u32| -> String {
        let position = after::<Chess>(&format!("-960={number}"), "");
        position
            .cells()
            .into_iter()
            .filter(|(name, _)| name.ends_with('1'))
            .map(|(_, letter)| letter)
            .collect()
    };
    assert_eq!(first_row(518), "RNBQKBNR");
    assert_eq!(first_row(0), "BBQNNRKR");
    assert_eq!(first_row(959), "RKRNNQBB");
    assert_eq!(
        Game::of::<Chess>()
            .start(&lockstep::options::<Chess>("-960=1"))
            .unwrap()
            .perft(1),
        20
    );
}
