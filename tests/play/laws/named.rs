//! A player whose userid has become the name of a game keeps it, and can do everything.

use pbmserv_games::GAMES;

use super::{ALICE, BOB, alice_and_bob, ask, database};
use crate::stage::{self, Stage};

/// Bob was here under this name before there was a game of it.
async fn with_bob_as(name: &str) -> Stage {
    let stage = alice_and_bob().await;
    let data = stage.close().await;
    let key = name.to_ascii_lowercase();
    let sql = format!("UPDATE players SET userid = '{name}', userid_key = '{key}' WHERE userid = 'bob'");
    assert_eq!(stage::database::change(data.path(), &sql), 1);
    Stage::open_in(data, chrono::Utc::now(), 2, |config| {
        config.accounts.confirm = false;
    })
}

/// A command is done.
async fn is_done(stage: &Stage, from: &str, command: &str) {
    let letters = ask(stage, from, command).await;
    let own = letters.iter().find(|letter| letter.to.as_str() == from);
    let own = own.unwrap_or_else(|| panic!("no answer to {command}"));
    assert!(!own.subject.starts_with("Not done"), "{command}: {}", own.text);
}

#[tokio::test]
#[ignore = "takes long: make long"]
async fn a_player_with_the_name_of_a_game_plays_and_is_played_with() {
    for game in GAMES {
        for name in std::iter::once(game.facts.name).chain(game.facts.aliases.iter().copied()) {
            let stage = with_bob_as(name).await;
            let own = game.facts.name;
            for (from, command) in [
                (ALICE, format!("{own} challenge alice {name}")),
                (BOB, format!("{own} challenge {name} alice")),
                (BOB, format!("Forms challenge alice {name}")),
                (
                    BOB,
                    format!("{own} move 102 {name} oak4jay {}", game.facts.example[0]),
                ),
                (BOB, format!("{own} show 101")),
                (BOB, format!("{own} seek {name} oak4jay 1")),
                (BOB, format!("{own} resign 102 {name} oak4jay")),
                (BOB, format!("set {name} oak4jay reminders off")),
            ] {
                is_done(&stage, from, &command).await;
            }
            let sql = "SELECT COUNT(*) FROM boards";
            assert!(database::count(stage.data(), sql) >= 3, "{name}");
        }
    }
}
