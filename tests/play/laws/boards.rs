//! Boards: one turn at a time, one mail thread per game, the same layout for all letters.

use pbmserv_games::GAMES;
use pbmserv_mail::doors::{Intake, Verdict};

use super::{ALICE, alice_and_bob, ask, database, mail};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_moves_for_one_turn_one_is_played_and_the_other_answered_with_the_board() {
    for game in GAMES {
        let stage = alice_and_bob().await;
        let (name, turn) = (game.facts.name, game.facts.example[0]);
        ask(&stage, ALICE, &format!("{name} challenge alice bob")).await;
        let line = format!("{name} move 101 alice fig7elk {turn}");
        let door = stage.server.door("smtp");
        let (a, b) = tokio::join!(
            door.submit(mail(ALICE, &line, "").message()),
            door.submit(mail(ALICE, &format!("{line}#1"), "").message())
        );
        assert!(matches!((a, b), (Verdict::Accepted(_), Verdict::Accepted(_))));
        drop(door);
        assert_eq!(
            database::count(stage.data(), "SELECT COUNT(*) FROM turns"),
            1,
            "{name}"
        );
        let letters = stage.collect().await;
        let played = letters
            .iter()
            .filter(|letter| letter.text.contains(" played ") && !letter.text.contains("Nothing was"));
        assert_eq!(played.count(), 2, "{name}: the news and the receipt");
        let refused = letters
            .iter()
            .find(|letter| letter.text.contains("Nothing was changed."));
        let refused = refused.unwrap();
        assert_eq!((refused.to.as_str(), letters.len()), (ALICE, 3));
        assert_eq!(refused.subject, format!("Re: {name} Board 101 alice"));
        assert!(refused.text.contains("It is the turn of bob"), "{}", refused.text);
        let now = ask(&stage, ALICE, &format!("{name} show 101")).await;
        let drawn = |text: &str| {
            text.lines()
                .filter(|line| line.len() > 20)
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        let board: Vec<_> = drawn(&now[0].text)
            .into_iter()
            .filter(|line| line.starts_with(' '))
            .take(6)
            .collect();
        assert!(
            board.iter().all(|line| drawn(&refused.text).contains(line)),
            "{name}: the board as it stands: {board:#?}\n{}",
            refused.text
        );
        stage.close().await;
    }
}
