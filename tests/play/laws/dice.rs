//! Dice by mail: whole matches are played, the secret is said when they are over and not before, two programs find each roll right,
//! and neither a restart nor a turn that is taken back changes one.

use std::process::Command;

use pbmserv_core::store::Outgoing;
use pbmserv_core::table::check_dice;
use pbmserv_games::record::Record;
use pbmserv_games::{GAMES, Game, Match};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use super::{ALICE, BOB, alice_and_bob, ask, database, mail};
use crate::stage::Stage;

fn games() -> impl Iterator<Item = &'static Game> {
    GAMES.iter().filter(|game| game.facts.has_dice)
}

/// The position of the board as the server has it.
fn position(stage: &Stage, game: &Game) -> Box<dyn Match> {
    let reader = stage.server.reader().unwrap();
    let board = reader.board(game, 101).unwrap().unwrap();
    board
        .replay(reader.turns(board.id).unwrap(), usize::MAX)
        .unwrap()
        .game
}

fn secret(stage: &Stage) -> String {
    crate::stage::database::value(stage.data(), "SELECT dice_seed FROM boards")
}

/// The record, from the letter that brings it.
async fn record(stage: &Stage, game: &Game) -> Record {
    let name = game.facts.name;
    let [letter] = ask(stage, ALICE, &format!("{name} record 101"))
        .await
        .try_into()
        .unwrap();
    let (_, text) = letter.attachment.unwrap();
    text.parse().unwrap()
}

/// Plays at random to the end, and looks at each letter. Gives how many turns were played unasked, since there was no other.
async fn play(stage: &Stage, game: &Game, mut look: impl FnMut(&Outgoing)) -> i64 {
    let name = game.facts.name;
    let mut unasked = 0;
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    loop {
        let position = position(stage, game);
        let Some(turn) = position.random_turn(&mut rng) else {
            break;
        };
        let (who, words) = match position.to_move().unwrap().index() {
            0 => (ALICE, "alice fig7elk"),
            _ => (BOB, "bob oak4jay"),
        };
        let before = database::count(stage.data(), "SELECT COUNT(*) FROM turns");
        let letters = ask(stage, who, &format!("{name} move 101 {words} {turn}")).await;
        let after = database::count(stage.data(), "SELECT COUNT(*) FROM turns");
        assert!(after > before, "{name} {turn}: {}", letters[0].text);
        assert_eq!(letters.len(), 2, "one letter for each player");
        unasked += after - before - 1;
        if self::position(stage, game).outcome().is_none() {
            letters.iter().for_each(&mut look);
        }
        stage.pass(chrono::TimeDelta::minutes(5));
    }
    unasked
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn matches_are_played_by_mail_and_two_programs_find_their_dice_right() {
    for game in games() {
        let name = game.facts.name;
        let stage = alice_and_bob().await;
        ask(&stage, ALICE, &format!("{name} challenge alice bob -points=3")).await;
        ask(&stage, ALICE, &format!("{name} move 101 alice fig7elk roll plum")).await;
        let secret = secret(&stage);
        let mut rolled = 0;
        let unasked = play(&stage, game, |letter| {
            assert!(!letter.text.contains(&secret), "{name}: {}", letter.text);
            rolled += usize::from(letter.text.contains(" rolled "));
        })
        .await;
        assert!(rolled > 10 && unasked > 0, "{name}: {rolled}, {unasked}");
        let record = record(&stage, game).await;
        let rolls = check_dice(&record).unwrap();
        assert!(
            rolls > 10 && record.to_string().contains("[Words \"plum black\"]"),
            "{name}"
        );
        other_program_agrees(&stage, &record, rolls);
        stage.close().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restart_and_a_turn_taken_back_change_no_roll() {
    let game = pbmserv_games::find("Backgammon").unwrap();
    let stage = alice_and_bob().await;
    ask(&stage, ALICE, "Backgammon challenge alice bob").await;
    ask(&stage, ALICE, "Backgammon move 101 alice fig7elk roll").await;
    ask(&stage, BOB, "Backgammon move 101 bob oak4jay roll fig").await;
    let first = position(&stage, game);
    let (mover, other) = match first.to_move().unwrap().index() {
        0 => ((ALICE, "alice fig7elk"), (BOB, "bob oak4jay")),
        _ => ((BOB, "bob oak4jay"), (ALICE, "alice fig7elk")),
    };
    let turn = first.turns(1).remove(0);
    ask(
        &stage,
        mover.0,
        &format!("Backgammon move 101 {} {turn}", mover.1),
    )
    .await;
    let second = position(&stage, game).dice();
    ask(&stage, mover.0, &format!("Backgammon undo 101 {}", mover.1)).await;
    let undone = ask(
        &stage,
        other.0,
        &format!("Backgammon move 101 {} accept", other.1),
    )
    .await;
    println!("{}", undone[0].text);
    assert_eq!(position(&stage, game).dice(), first.dice());
    let now = *stage.now.lock().unwrap();
    let stage = Stage::open_in(stage.close().await, now, 99, |_| ());
    assert_eq!(position(&stage, game).dice(), first.dice());
    // Another play does not lead to another roll.
    let other_turn = first.turns(2).remove(1);
    ask(
        &stage,
        mover.0,
        &format!("Backgammon move 101 {} {other_turn}", mover.1),
    )
    .await;
    assert_eq!(position(&stage, game).dice(), second);
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_word_for_the_dice_is_given_once() {
    let game = pbmserv_games::find("Backgammon").unwrap();
    for other in ["bob", "bot-easy"] {
        let stage = alice_and_bob().await;
        ask(&stage, ALICE, &format!("Backgammon challenge alice {other}")).await;
        let early = ask(&stage, ALICE, "Backgammon move 101 alice fig7elk 8/5 6/5").await;
        assert!(
            early[0].text.starts_with("Not played: before the first dice"),
            "{}",
            early[0].text
        );
        ask(&stage, ALICE, "Backgammon move 101 alice fig7elk roll plum").await;
        let refused = ask(&stage, ALICE, "Backgammon undo 101 alice fig7elk").await;
        assert!(refused[0].text.contains("is given once"), "{}", refused[0].text);
        if other == "bob" {
            ask(&stage, BOB, "Backgammon move 101 bob oak4jay roll fig").await;
            let refused = ask(&stage, BOB, "Backgammon undo 101 bob oak4jay").await;
            assert!(refused[0].text.contains("is given once"), "{}", refused[0].text);
        }
        assert!(position(&stage, game).dice().is_some());
        let words = crate::stage::database::value(stage.data(), "SELECT dice_words FROM boards");
        assert!(words.starts_with("plum "), "{words}");
        stage.close().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_reads_the_secret_or_the_next_roll_of_a_game_that_runs() {
    let stage = alice_and_bob().await;
    ask(&stage, ALICE, "Backgammon challenge alice bob").await;
    ask(&stage, ALICE, "Backgammon move 101 alice fig7elk roll medlar").await;
    let secret = secret(&stage);
    for (who, line) in [
        (ALICE, "Backgammon record 101"),
        (ALICE, "Backgammon show 101 alice fig7elk"),
        (ALICE, "export alice fig7elk"),
        (BOB, "export bob oak4jay"),
        (BOB, "Backgammon preview 101 roll"),
        (BOB, "Backgammon try 101 roll"),
        (BOB, "Backgammon history 101"),
    ] {
        for letter in ask(&stage, who, line).await {
            let all = format!("{letter:?}");
            assert!(!all.contains(&secret), "{line}: {all}");
            // The word of the other player is not read before both are given.
            assert!(who == ALICE || !all.contains("medlar"), "{line}: {all}");
            assert!(!all.contains(" rolled "), "{line}: {all}");
        }
    }
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plan_for_each_roll_lets_the_dice_roll_and_plays_what_fits() {
    for options in ["", "-points=3"] {
        let stage = alice_and_bob().await;
        let game = pbmserv_games::find("Backgammon").unwrap();
        ask(
            &stage,
            ALICE,
            &format!("Backgammon challenge alice bob {options}"),
        )
        .await;
        ask(&stage, ALICE, "Backgammon move 101 alice fig7elk roll").await;
        ask(&stage, BOB, "Backgammon move 101 bob oak4jay roll").await;
        let mut position = position(&stage, game);
        let players = [(ALICE, "alice fig7elk"), (BOB, "bob oak4jay")];
        let mover = position.to_move().unwrap();
        let [own, other] = [mover, mover.other()].map(|seat| players[seat.index()]);
        let turn = position.turns(1).remove(0);
        position.play(&turn).unwrap();
        if options.contains("points") {
            position.play("roll").unwrap();
        }
        let rolls = position.due_roll().unwrap().possible();
        let lines = rolls.into_iter().map(|(dice, _)| {
            let mut rolled = position.fork();
            rolled.roll(dice);
            format!("if any then {}", rolled.turns(1).remove(0))
        });
        let plan = lines.collect::<Vec<_>>().join(" else ");
        let letters = ask(
            &stage,
            other.0,
            &format!("Backgammon plan 101 {} {plan}", other.1),
        )
        .await;
        assert!(letters[0].text.contains("is kept"), "{}", letters[0].text);
        let letters = ask(&stage, own.0, &format!("Backgammon move 101 {} {turn}", own.1)).await;
        let sql = "SELECT COUNT(*) FROM turns";
        let turns = if options.is_empty() { 4 } else { 5 };
        let played = database::count(stage.data(), sql);
        assert!(played >= turns, "{played} turns: {}", letters[0].text);
        let planner = letters
            .iter()
            .find(|letter| letter.to.as_str() == other.0)
            .unwrap();
        assert!(
            planner.text.contains("as planned") || planner.text.contains("had planned"),
            "{}",
            planner.text
        );
        stage.close().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_queued_ends_where_its_owner_may_double() {
    let stage = alice_and_bob().await;
    let game = pbmserv_games::find("Backgammon").unwrap();
    ask(&stage, ALICE, "Backgammon challenge alice bob -points=3").await;
    ask(&stage, ALICE, "Backgammon move 101 alice fig7elk roll").await;
    ask(&stage, BOB, "Backgammon move 101 bob oak4jay roll").await;
    let position = position(&stage, game);
    let mover = position.to_move().unwrap();
    let players = [(ALICE, "alice fig7elk"), (BOB, "bob oak4jay")];
    let [own, other] = [mover, mover.other()].map(|seat| players[seat.index()]);
    ask(
        &stage,
        other.0,
        &format!("Backgammon queue 101 {} 31:8/5,6/5", other.1),
    )
    .await;
    let turn = position.turns(1).remove(0);
    let letters = ask(&stage, own.0, &format!("Backgammon move 101 {} {turn}", own.1)).await;
    let owner = letters
        .iter()
        .find(|letter| letter.to.as_str() == other.0)
        .unwrap();
    assert!(owner.text.contains("was not played"), "{}", owner.text);
    assert_eq!(
        database::count(stage.data(), "SELECT COUNT(*) FROM turns"),
        3,
        "no dice are rolled"
    );
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_daily_mail_says_what_was_rolled() {
    let stage = alice_and_bob().await;
    let game = pbmserv_games::find("Hypergammon").unwrap();
    ask(&stage, ALICE, "Hypergammon challenge alice bob").await;
    for (who, line) in [
        (ALICE, "set alice fig7elk digest on"),
        (BOB, "set bob oak4jay digest on"),
        (ALICE, "Hypergammon move 101 alice fig7elk roll Plum"),
        (BOB, "Hypergammon move 101 bob oak4jay roll"),
    ] {
        ask(&stage, who, line).await;
    }
    let position = position(&stage, game);
    let [one, other] = position.dice().unwrap();
    let who = [ALICE, BOB][position.to_move().unwrap().index()];
    stage.pass(chrono::TimeDelta::days(1));
    stage.server.engine.do_what_is_due().await.unwrap();
    let letters = stage.collect().await;
    let digest = letters.iter().find(|letter| letter.to.as_str() == who).unwrap();
    let rolled = format!("You rolled {}-{}.", one.max(other), one.min(other));
    let text: Vec<_> = digest.text.split_whitespace().collect();
    assert!(text.join(" ").contains(&rolled), "{}", digest.text);
    stage.close().await;
}

/// The program of `docs` finds as many rolls right.
fn other_program_agrees(stage: &Stage, record: &Record, rolls: u32) {
    let file = stage.data().join("record");
    std::fs::write(&file, record.to_string()).unwrap();
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/verify.py");
    // Where there is no Python the program cannot be run.
    if let Ok(output) = Command::new("python3").arg(program).arg(&file).output() {
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(said.contains(&format!("fair: {rolls} rolls")), "{output:?}");
    }
}

/// A reply to this letter.
async fn reply(stage: &Stage, from: &str, to: &Outgoing, body: &str) -> Vec<Outgoing> {
    let mut mail = mail(from, &format!("Re: {}", to.subject), body);
    mail.to = mail.to.with_detail(to.reply_detail.as_deref().unwrap());
    stage.send(&mail).await.1
}

/// A game of a match is given up, refused, and given up again for more; the match goes on.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_of_a_match_is_given_up() {
    let stage = alice_and_bob().await;
    let game = pbmserv_games::find("Backgammon").unwrap();
    ask(&stage, ALICE, "Backgammon challenge alice bob -points=5").await;
    ask(&stage, ALICE, "Backgammon move 101 alice fig7elk roll").await;
    ask(&stage, BOB, "Backgammon move 101 bob oak4jay roll").await;
    let (loser, winner) = match position(&stage, game).to_move().unwrap().index() {
        0 => (BOB, ALICE),
        _ => (ALICE, BOB),
    };
    let words = |who| {
        if who == ALICE {
            "alice fig7elk"
        } else {
            "bob oak4jay"
        }
    };
    let first = position(&stage, game).turns(1).remove(0);
    ask(
        &stage,
        winner,
        &format!("Backgammon move 101 {} {first}", words(winner)),
    )
    .await;
    let begun = ask(
        &stage,
        loser,
        &format!("Backgammon move 101 {} roll", words(loser)),
    )
    .await;
    let dice = position(&stage, game).dice();
    assert!(dice.is_some());
    let to = |letters: &[Outgoing], who: &str| {
        letters
            .iter()
            .find(|letter| letter.to.as_str() == who)
            .unwrap()
            .clone()
    };
    // Which one is meant is asked.
    let asked = reply(&stage, loser, &to(&begun, loser), "I give up").await;
    let text = asked[0].text.split_whitespace().collect::<Vec<_>>().join(" ");
    let question = "Do you give up this game, or the whole match, ";
    assert!(text.starts_with(question) && text.contains("concede"), "{text}");
    let offered = reply(&stage, loser, &to(&begun, loser), "concede").await;
    let text = to(&offered, winner).text;
    assert!(text.contains("offered to give the game up for 1 point"), "{text}");
    assert!(text.contains("\n  accept\n"), "the example: {text}");
    let text: Vec<_> = text.split_whitespace().collect();
    assert!(
        text.join(" ").contains("Answer with accept or refuse."),
        "{text:?}"
    );
    let refused = reply(&stage, winner, &to(&offered, winner), "refuse").await;
    assert_eq!(position(&stage, game).dice(), dice, "the same roll");
    let again = reply(&stage, loser, &to(&refused, loser), "concede").await;
    assert!(
        again[0].text.contains("refused that in this turn"),
        "{}",
        again[0].text
    );
    let offered = reply(&stage, loser, &to(&refused, loser), "concede gammon").await;
    // An offer of a draw does not exist here, so the word is the answer to the other one.
    let accepted = reply(&stage, winner, &to(&offered, winner), "accept").await;
    let text = to(&accepted, loser).text;
    assert!(text.contains(" accepted") && text.contains("2 points"), "{text}");
    let board = stage.server.reader().unwrap().board(game, 101).unwrap().unwrap();
    assert!(board.end.is_none());
    // Each roll counts once, in the next game too.
    for _ in 0..4 {
        let position = position(&stage, game);
        let (who, words) = match position.to_move().unwrap().index() {
            0 => (ALICE, "alice fig7elk"),
            _ => (BOB, "bob oak4jay"),
        };
        let turn = position.turns(1).remove(0);
        ask(&stage, who, &format!("Backgammon move 101 {words} {turn}")).await;
    }
    ask(&stage, ALICE, "Backgammon resign 101 alice fig7elk").await;
    let record = record(&stage, game).await;
    let rolls = check_dice(&record).unwrap();
    assert!(rolls >= 4, "{record}");
    other_program_agrees(&stage, &record, rolls);
    stage.close().await;
}
