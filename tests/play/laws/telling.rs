//! The letters about a turn say in words what it did: the receipt, the news, the letter to those who watch.

use super::{ALICE, BOB, alice_and_bob, ask};
use crate::stage::Stage;

/// What the turn did, on one line, as every letter says it that the command causes: they say the same. At the end of a game the
/// reader's result comes before it.
async fn sentence(stage: &Stage, from: &str, line: &str) -> String {
    let letters = ask(stage, from, line).await;
    let first = |text: &str| {
        let mut paragraphs = text.split("\n\n");
        let paragraph = paragraphs.find(|text| !text.starts_with("You won") && !text.starts_with("You lost"));
        paragraph
            .unwrap()
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    };
    let sentences: Vec<_> = letters.iter().map(|letter| first(&letter.text)).collect();
    assert_eq!(letters.len(), 2, "{line}: {sentences:?}");
    // The writer reads the same, but for the name.
    assert!(sentences[1].starts_with("You "), "{line}: {sentences:?}");
    sentences[0].clone()
}

/// A new board of this game between alice and bob, with the number 101.
async fn playing(game: &str) -> Stage {
    let stage = alice_and_bob().await;
    ask(&stage, ALICE, &format!("{game} challenge alice bob")).await;
    stage
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn points_and_another_turn_are_told_and_several_actions_together() {
    let stage = playing("ShapeChess").await;
    for (nth, turn) in ["b2", "l12", "c2", "l10", "d2", "l8", "e2", "l6", "f2", "l4"]
        .iter()
        .enumerate()
    {
        let (from, by) = [(ALICE, "alice fig7elk"), (BOB, "bob oak4jay")][nth % 2];
        let told = sentence(&stage, from, &format!("ShapeChess move 101 {by} {turn}")).await;
        let userid = by.split(' ').next().unwrap();
        assert_eq!(told, format!("{userid} played {turn} on ShapeChess Board 101."));
    }
    assert_eq!(
        sentence(&stage, ALICE, "ShapeChess move 101 alice fig7elk g2").await,
        "alice played g2 on ShapeChess Board 101, formed a symmetric shape of six, scored 1 (1 to 0) and got another turn."
    );
    assert_eq!(
        sentence(&stage, ALICE, "ShapeChess move 101 alice fig7elk l12-k11").await,
        "alice played l12-k11 on ShapeChess Board 101 and pushed a white stone."
    );
    stage.close().await;

    let stage = playing("ShapeChess").await;
    for (nth, turn) in ["b2", "l12", "c2", "l10", "d2", "l8", "e2", "l6", "f2", "l4"]
        .iter()
        .enumerate()
    {
        let (from, by) = [(ALICE, "alice fig7elk"), (BOB, "bob oak4jay")][nth % 2];
        ask(&stage, from, &format!("ShapeChess move 101 {by} {turn}")).await;
    }
    assert_eq!(
        sentence(&stage, ALICE, "ShapeChess move 101 alice fig7elk g2,l12-k11").await,
        "alice played g2,l12-k11 on ShapeChess Board 101, pushed a white stone, formed a symmetric shape of six and \
         scored 1 (1 to 0)."
    );
    stage.close().await;
}

/// A telephone makes C9 of c9; both are cells, and the receipt tells them apart.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_receipt_says_at_which_side_a_stone_of_ringworm_was_dropped() {
    for (cell, side) in [("c9", "left"), ("C9", "right")] {
        let stage = playing("Ringworm").await;
        assert_eq!(
            sentence(&stage, ALICE, &format!("Ringworm move 101 alice fig7elk {cell}")).await,
            format!("alice played {cell} on Ringworm Board 101 and dropped {cell} at the {side}.")
        );
        stage.close().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pass_is_no_text_that_was_played_and_the_second_ends_the_game() {
    let stage = playing("Ringworm").await;
    ask(&stage, ALICE, "Ringworm move 101 alice fig7elk q9").await;
    assert_eq!(
        sentence(&stage, BOB, "Ringworm move 101 bob oak4jay pass").await,
        "bob passed on Ringworm Board 101."
    );
    let told = sentence(&stage, ALICE, "Ringworm move 101 alice fig7elk pass").await;
    let expected = "alice passed on Ringworm Board 101, ended the game (stones: 1 to 0) and has won.";
    assert!(told.starts_with(expected), "{told}");
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_queued_turn_that_answers_at_once_is_told_too() {
    let stage = playing("Pow2").await;
    ask(&stage, BOB, "Pow2 queue 101 bob oak4jay a1-i1").await;
    assert_eq!(
        sentence(&stage, ALICE, "Pow2 move 101 alice fig7elk m13-m5").await,
        "alice played m13-m5:l4 on Pow2 Board 101, placed a piece and aged m1 and m5. Then you played a1-i1:j2 from \
         the queue, placed a piece and aged i1."
    );
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_last_turn_tells_why_the_game_is_over() {
    let stage = alice_and_bob().await;
    ask(&stage, ALICE, "Forms challenge alice bob -size=4").await;
    let game = [
        "c2-d2", "b4-a4", "a2-b2", "a3-b3", "b1-c1", "c3-d3", "d2-c3", "d4-c4", "c3-b4",
    ];
    for (nth, turn) in game.iter().enumerate() {
        let (from, by) = [(ALICE, "alice fig7elk"), (BOB, "bob oak4jay")][nth % 2];
        ask(&stage, from, &format!("Forms move 101 {by} {turn}")).await;
    }
    let told = sentence(&stage, BOB, "Forms move 101 bob oak4jay c4-b4").await;
    let expected = "bob played c4-b4 on Forms Board 101, captured a black stone and left Black no stone, and you have won.";
    assert!(told.starts_with(expected), "{told}");
    stage.close().await;
}
