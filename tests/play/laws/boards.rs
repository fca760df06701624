//! Boards: one turn at a time, one mail thread per game, the same layout for all letters.

use pbmserv_games::{Display, GAMES, Options};
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
        let played = letters.iter().filter(|letter| {
            (letter.text.contains(" played ") || letter.text.contains(" said roll "))
                && !letter.text.contains("Nothing was")
        });
        assert_eq!(played.count(), 2, "{name}: the news and the receipt");
        let refused = letters
            .iter()
            .find(|letter| letter.text.contains("Nothing was changed."));
        let refused = refused.unwrap();
        assert_eq!((refused.to.as_str(), letters.len()), (ALICE, 3));
        assert_eq!(refused.subject, format!("Re: {name} Board 101 alice"));
        assert!(refused.text.contains("It is the turn of bob"), "{}", refused.text);
        let mut position = game.start(&Options::none(game.facts)).unwrap();
        position.play(turn).unwrap();
        let is_drawn = |display| {
            let drawn = position.draw(display);
            let mut lines = drawn.lines().filter(|line| !line.is_empty());
            lines.all(|line| refused.text.lines().any(|shown| shown.trim() == line.trim()))
        };
        assert!(
            [Display::Small, Display::Large].into_iter().any(is_drawn),
            "{name}: the board as it stands: {}",
            refused.text
        );
        stage.close().await;
    }
}
