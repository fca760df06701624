//! After a game: its record, its place in the history, and the change of the ratings.

use crate::stage::{Mail, SERVER, Stage};
use chrono::TimeDelta;
use pbmserv_core::dispatch::Handled;
use pbmserv_core::store::Outgoing;
use pbmserv_core::store::Store;
use pbmserv_core::table::Standing;
use pbmserv_games::record::Record;
use pbmserv_games::{Display, GAMES};
use pbmserv_mail::Address;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

/// A server whose players need no confirmation.
async fn with_players(userids: &[&str]) -> Stage {
    let stage = Stage::open(|config| config.accounts.confirm = false);
    for userid in userids {
        ask(&stage, userid, &format!("signup {userid} fig7elk")).await;
    }
    stage
}

/// The answer to a command, all texts one after the other, each with its attachment.
async fn ask(stage: &Stage, userid: &str, subject: &str) -> String {
    let from = format!("{userid}@example.org");
    let mail = Mail {
        from: &from,
        to: Address::parse(SERVER).unwrap(),
        header: format!("Subject: {subject}\r\n"),
        body: "",
    };
    let (handled, letters) = stage.send(&mail).await;
    assert!(matches!(handled, Handled::Recorded(_)), "{subject}: {handled:?}");
    let own = letters.iter().filter(|letter| letter.to.as_str() == from);
    let file = |letter: &Outgoing| letter.attachment.clone().map(|(_, text)| text);
    own.map(|letter| letter.text.clone() + &file(letter).unwrap_or_default())
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_record_that_is_mailed_replays_to_the_board_that_it_was_made_of() {
    let stage = with_players(&["alice", "bob"]).await;
    for game in GAMES {
        let name = game.facts.name;
        ask(&stage, "alice", &format!("{name} challenge alice bob")).await;
        let options = pbmserv_games::Options::none(game.facts);
        let mut position = game.start(&options).unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        if game.facts.has_dice {
            for player in ["alice", "bob"] {
                ask(&stage, player, &format!("set {player} fig7elk forced off")).await;
            }
        }
        for _ in 0..9 {
            stage.roll(game, 101, position.as_mut());
            let seat = position.to_move().unwrap();
            let player = ["alice", "bob"][seat.index()];
            let turn = position.random_turn(&mut rng).unwrap();
            position.play_all(&turn).unwrap();
            ask(
                &stage,
                player,
                &format!("{name} move 101 {player} fig7elk {turn}"),
            )
            .await;
        }
        let mailed = ask(&stage, "stranger", &format!("{name} record 101")).await;
        let begins = mailed.find('[').unwrap();
        let record: Record = mailed[begins..].parse().unwrap();
        assert_eq!(record.to_string(), mailed[begins..], "as it is printed");
        let replayed = record.replay().unwrap();
        let reader = stage.server.reader().unwrap();
        let board = reader.board(game, 101).unwrap().unwrap();
        let kept = board.replay(reader.turns(board.id).unwrap(), usize::MAX).unwrap();
        assert!(replayed.turns.len() >= 9, "{name}: {}", replayed.turns.len());
        for display in [Display::Small, Display::Large] {
            assert_eq!(replayed.position.draw(display), kept.game.draw(display));
        }
        assert_eq!(
            (
                record.first.as_deref(),
                record.second.as_deref(),
                record.board.as_deref()
            ),
            (Some("alice"), Some("bob"), Some("101"))
        );
    }
    stage.close().await;
}

/// Plays random turns on a board until the rules end it; returns the last answer.
async fn play_out(
    stage: &Stage,
    game: &pbmserv_games::Game,
    number: u32,
    players: [&str; 2],
    seed: u64,
) -> String {
    let name = game.facts.name;
    let mut position = game.start(&pbmserv_games::Options::none(game.facts)).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut answer = String::new();
    while let Some(seat) = position.to_move() {
        let player = players[seat.index()];
        let turn = position.random_turn(&mut rng).unwrap();
        position.play_all(&turn).unwrap();
        let line = format!("{name} move {number} {player} fig7elk {turn}");
        answer = ask(stage, player, &line).await;
    }
    answer
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ratings_that_mails_made_are_those_that_a_recount_finds() {
    let stage = with_players(&["alice", "bob", "carol"]).await;
    stage.pass(TimeDelta::days(8));
    let game = pbmserv_games::find("Pow2").unwrap();
    ask(&stage, "alice", "Pow2 challenge alice bob").await;
    let end = play_out(&stage, game, 101, ["alice", "bob"], 1).await;
    let ratings = "Ratings: alice 1500 -> 1338, bob 1500 -> 1662.";
    let other = "Ratings: alice 1500 -> 1662, bob 1500 -> 1338.";
    assert!(end.contains(ratings) || end.contains(other), "{end}");
    stage.pass(TimeDelta::days(45) + TimeDelta::microseconds(77));
    for (number, [first, second]) in (102..).zip([["bob", "carol"], ["carol", "alice"], ["alice", "bob"]]) {
        ask(&stage, first, &format!("Pow2 challenge {first} {second}")).await;
        ask(
            &stage,
            first,
            &format!("Pow2 move {number} {first} fig7elk m13-j7"),
        )
        .await;
        let end = ask(&stage, first, &format!("Pow2 resign {number} {first} fig7elk")).await;
        assert!(end.contains(&format!("Ratings: {first} ")), "{end}");
        stage.pass(TimeDelta::microseconds(1_234_567));
    }
    ask(&stage, "carol", "Pow2 challenge carol bob").await;
    ask(&stage, "carol", "Pow2 resign 105 carol fig7elk").await;
    let place = stage.server.folder.location();
    let folder = stage.close().await;
    let store = Store::open(&place).unwrap();
    let standings = || {
        let players = store.players().unwrap();
        let standing = |player: &pbmserv_core::table::Player| store.standing(player.id, game).unwrap();
        players.iter().map(standing).collect::<Vec<_>>()
    };
    let by_mail = standings();
    assert_eq!(
        by_mail.iter().map(Standing::played).collect::<Vec<_>>(),
        [3, 3, 2]
    );
    assert_eq!(store.recount_ratings().unwrap(), 4);
    assert_eq!(standings(), by_mail);
    drop(folder);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_enough_games_a_rating_has_a_rank() {
    let stage = with_players(&["alice", "bob", "carol"]).await;
    // The two win alternately, bob last; carol has played one game.
    for number in 101..=130 {
        let [first, second] = if number % 2 == 0 {
            ["alice", "bob"]
        } else {
            ["bob", "alice"]
        };
        let second = if number == 101 { "carol" } else { second };
        // No account is young, and a short game counts.
        stage.pass(TimeDelta::days(8));
        ask(&stage, first, &format!("Forms challenge {first} {second}")).await;
        ask(
            &stage,
            first,
            &format!("Forms move {number} {first} fig7elk b1-a1"),
        )
        .await;
        ask(&stage, first, &format!("Forms resign {number} {first} fig7elk")).await;
    }
    ask(&stage, "carol", "Forms challenge carol alice").await;
    let table = ask(&stage, "stranger", "Forms ratings").await;
    let rows: Vec<Vec<_>> = table
        .lines()
        .map(|line| line.split_whitespace().collect())
        .filter(|row: &Vec<_>| row.len() == 8 && row[2].parse::<u32>().is_ok())
        .collect();
    // Rank and name, then won, lost, drawn, and running boards of the limit.
    let shown: Vec<_> = rows
        .iter()
        .map(|row| (row[0], row[1], row[4..].join(" ")))
        .collect();
    assert_eq!(
        shown,
        [
            ("1", "bob", "15 15 0 0/-".to_owned()),
            ("2", "alice", "14 15 0 1/-".to_owned()),
            ("-", "carol", "1 0 0 1/-".to_owned()),
        ],
        "{table}"
    );
    assert!(
        rows[2][2] > rows[0][2],
        "carol's rating is higher, and says little: {table}"
    );
    let history = ask(&stage, "stranger", "Forms history alice bob").await;
    assert!(
        history.starts_with("alice has won 14 games of Forms against bob, lost 15 and drawn 0."),
        "{history}"
    );
    stage.close().await;
}
