//! What remains of a game: its record, its place in the history, and what it changed in the ratings.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod stage;

use pbmserv::dispatch::Handled;
use pbmserv::games::record::Record;
use pbmserv::games::{self, Display, GAMES};
use pbmserv::mail::Address;
use pbmserv::table::Position;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use stage::{Mail, SERVER, Stage};

/// A server with players who need to confirm nothing.
async fn with_players(userids: &[&str]) -> Stage {
    let stage = Stage::open(|config| config.accounts.confirm = false);
    for userid in userids {
        ask(&stage, userid, &format!("signup {userid} secret-{userid}")).await;
    }
    stage
}

/// What the sender of a command gets, all texts one after the other.
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
    own.map(|letter| letter.text.as_str()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_record_that_is_mailed_replays_to_the_board_that_it_was_made_of() {
    let stage = with_players(&["alice", "bob"]).await;
    for game in GAMES {
        let name = game.facts.name;
        ask(&stage, "alice", &format!("{name} challenge alice bob")).await;
        let options = games::Options::none(game.facts);
        let mut position = game.start(&options).unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        for _ in 0..9 {
            let seat = position.to_move().unwrap();
            let player = ["alice", "bob"][seat.index()];
            let turn = position.random_turn(&mut rng).unwrap();
            position.play_all(&turn).unwrap();
            ask(
                &stage,
                player,
                &format!("{name} move 101 {player} secret-{player} {turn}"),
            )
            .await;
        }
        let mailed = ask(&stage, "stranger", &format!("{name} record 101")).await;
        let begins = mailed.find('[').unwrap();
        let record: Record = mailed[begins..].parse().unwrap();
        assert_eq!(record.to_string(), mailed[begins..], "as it is printed");
        let replayed = record.replay().unwrap();
        let reader = stage.office.reader().unwrap();
        let board = reader.board(game, 101).unwrap().unwrap();
        let kept = Position::replay(&board, reader.turns(board.id).unwrap(), usize::MAX).unwrap();
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
