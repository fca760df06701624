//! Conditional turns: nothing is played that its owner did not write, each answer once, and nobody else reads them.

use std::collections::HashMap;

use pbmserv_games::{Match, Options, Seat, find};
use rand::RngExt as _;
use rand::SeedableRng as _;
use rand::rngs::StdRng;

use super::{ALICE, BOB, alice_and_bob, ask, database, mail, say};
use crate::stage::database::rows;
use crate::stage::{SERVER, Stage};

/// A plan as the turns since it was written, with the answer to each of them.
struct Planned {
    since: usize,
    answers: HashMap<Vec<String>, String>,
}

/// Some of the lines that may follow, as text and as what they answer.
fn plan(rng: &mut StdRng, position: &dyn Match, since: usize) -> (String, Planned) {
    let mut planned = Planned {
        since,
        answers: HashMap::new(),
    };
    let mut text = String::new();
    grow(rng, position, &mut Vec::new(), &mut text, &mut planned.answers);
    (text, planned)
}

fn grow(
    rng: &mut StdRng,
    position: &dyn Match,
    path: &mut Vec<String>,
    text: &mut String,
    answers: &mut HashMap<Vec<String>, String>,
) {
    let depth = path.len() / 2;
    let likely = position.turns(usize::MAX).len().min(3);
    for _ in 0..rng.random_range(1..=3) {
        // Often what will be played: the first turns of the list.
        let Some(when) = position.turns(likely).get(rng.random_range(0..likely)).cloned() else {
            return;
        };
        let mut after = position.fork();
        after.play(&when).unwrap();
        path.push(when.clone());
        if let Some(reply) = after.random_turn(rng)
            && after.to_move() != position.to_move()
            && !answers.contains_key(path)
        {
            after.play(&reply).unwrap();
            text.push_str(&format!("{:1$}if {when} then {reply}\n", "", 3 * depth));
            answers.insert(path.clone(), reply.clone());
            path.push(reply);
            if depth < 3 && after.to_move() == position.to_move() && rng.random_bool(0.7) {
                grow(rng, after.as_ref(), path, text, answers);
            }
            path.pop();
        }
        path.pop();
    }
}

/// The turns of the board, as the database has them.
fn turns(stage: &Stage, board: i64) -> Vec<String> {
    let sql = format!("SELECT turn FROM turns WHERE board = {board} ORDER BY ordinal");
    rows(stage.data(), &sql).into_iter().flatten().collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plan_plays_what_its_owner_wrote_and_nothing_else() {
    let stage = alice_and_bob().await;
    let mut fired = 0;
    for (board, name) in ["Breakthrough", "Hex", "Reversi", "Gomoku", "Amazons"]
        .into_iter()
        .enumerate()
    {
        let rng = &mut StdRng::seed_from_u64(board as u64);
        let game = find(name).unwrap();
        ask(&stage, ALICE, &format!("{name} challenge alice bob")).await;
        let mut position = game.start(&Options::none(game.facts)).unwrap();
        let mut expected: Vec<String> = Vec::new();
        let mut plans: [Option<Planned>; 2] = [None, None];
        for _ in 0..25 {
            let Some(seat) = position.to_move() else { break };
            let (from, who) = [(ALICE, "alice fig7elk"), (BOB, "bob oak4jay")][seat.index()];
            let first = position.turns(3);
            let turn = first[rng.random_range(0..first.len())].clone();
            position.play(&turn).unwrap();
            expected.push(turn.clone());
            let mut body = String::new();
            if position.to_move() == Some(seat.other()) && rng.random_bool(0.8) {
                let (text, planned) = plan(rng, position.as_ref(), expected.len());
                if !text.is_empty() {
                    body = format!("{text}\nGood luck!\n");
                    plans[seat.index()] = Some(planned);
                }
            }
            while let Some(mover) = position.to_move()
                && let Some(planned) = plans[mover.index()].take()
                && let Some(reply) = planned.answers.get(&expected[planned.since..])
            {
                position.play(reply).unwrap();
                expected.push(reply.clone());
                plans[mover.index()] = Some(planned);
                fired += 1;
            }
            let letters = say(&stage, from, &format!("{name} move 101 {who} {turn}"), &body).await;
            assert_eq!(
                turns(&stage, board as i64 + 1),
                expected,
                "{name}: {body}\n{}",
                letters[0].text
            );
            let owners = Seat::BOTH.map(|seat| plans[seat.index()].is_some());
            let waiting = database::count(
                stage.data(),
                &format!(
                    "SELECT COUNT(*) FROM boards WHERE id = {} AND plan IS NOT NULL AND plan_by = to_move",
                    board + 1
                ),
            );
            assert_eq!(waiting, 0, "{name}: the player to move has no plan: {owners:?}");
        }
    }
    assert!(fired > 30, "{fired}");
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_but_its_owner_reads_a_plan() {
    let stage = alice_and_bob().await;
    ask(&stage, ALICE, "Hex challenge alice bob").await;
    // No other turn is at these points.
    let secret = "Nice opening!\n\nif k1 then k2\n   if k3 then k4\nelse k5\n\nSee you.";
    let kept = say(&stage, ALICE, "Hex move 101 alice fig7elk d4", secret).await;
    let own = kept.iter().find(|letter| letter.to.as_str() == ALICE).unwrap();
    assert!(own.text.contains("if k1 then k2"), "{}", own.text);
    let to_bob = kept.iter().find(|letter| letter.to.as_str() == BOB).unwrap();
    assert!(to_bob.text.contains("Nice opening!") && to_bob.text.contains("See you."));
    let mut letters = kept.clone();
    letters.extend(ask(&stage, ALICE, "Hex plan 101 alice fig7elk").await);
    let shown = letters.last().unwrap().clone();
    assert!(shown.text.contains("  if k3 then k4"), "{}", shown.text);
    // The letter with the plan comes back with words for bob, quoted in several ways.
    for letter in [own.clone(), shown] {
        let quoted: String = letter.text.lines().map(|line| format!("> {line}\n")).collect();
        for below in [quoted, letter.text.clone()] {
            let body = format!("chat Hello bob\n\nOn Friday {SERVER} wrote:\n{below}");
            let mut answer = mail(ALICE, &format!("Re: {}", letter.subject), &body);
            answer.to = answer.to.with_detail(letter.reply_detail.as_deref().unwrap());
            let (_, said) = stage.send(&answer).await;
            assert!(
                said.iter()
                    .any(|letter| letter.to.as_str() == BOB && letter.text.contains("Hello bob"))
            );
            letters.extend(said);
        }
    }
    // A plan with a mistake is not sent on as words.
    for wrong in [
        "if k1 then k99",
        "if k1 then",
        "if zz9 then k2 else",
        "if k1 then k2\nif k1 then k3",
    ] {
        let said = say(&stage, ALICE, "Hex move 101 alice fig7elk d4", wrong).await;
        letters.extend(said);
    }
    for line in [
        "Hex show 101",
        "Hex show alice",
        "all show alice",
        "Hex record 101",
        "Hex preview 101 e5",
        "Hex plan 101 bob oak4jay",
        "Hex plan 101 alice oak4jay",
        "Hex subscribe 101 bob oak4jay",
        "export bob oak4jay",
    ] {
        letters.extend(ask(&stage, BOB, line).await);
    }
    letters.extend(ask(&stage, BOB, "Hex move 101 bob oak4jay e5").await);
    letters.extend(ask(&stage, BOB, "Hex record 101").await);
    let mut of_bob = 0;
    for letter in letters.iter().filter(|letter| letter.to.as_str() != ALICE) {
        of_bob += 1;
        for point in ["k1", "k2", "k3", "k4", "k99"] {
            assert!(!letter.text.contains(point), "{point} in\n{}", letter.text);
        }
    }
    assert!(of_bob > 10, "{of_bob}");
    assert_eq!(
        turns(&stage, 1),
        ["d4", "e5", "k5"],
        "any other turn was answered"
    );
    stage.close().await;
}
