//! What a player forgets to write: a password, a word before an account is erased.

use std::collections::BTreeSet;

use pbmserv_core::command::Argument;
use pbmserv_games::GAMES;

use super::{ALICE, BOB, all_examples, ask, database, say, sign_up_both};
use crate::stage::Stage;

/// A server on which alice and bob play board 101 of each game, and nothing is limited.
async fn playing() -> Stage {
    let stage = Stage::open(|config| {
        config.accounts.confirm = false;
        config.limits.refusals_a_day = u32::MAX;
        config.limits.answers_a_day = u32::MAX;
        config.limits.mails_an_hour = u32::MAX;
        config.limits.strangers_mails_an_hour = u32::MAX;
        config.limits.wrong_passwords_from_one = u32::MAX;
        config.limits.wrong_passwords_from_all = u32::MAX;
        config.limits.wrong_passwords_over_all = u32::MAX;
    });
    sign_up_both(&stage).await;
    for game in GAMES {
        ask(&stage, ALICE, &format!("{} challenge alice bob", game.facts.name)).await;
    }
    stage
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_line_without_its_password_is_told_so_and_keeps_its_userid_and_board() {
    let stage = playing().await;
    let before = database::lasting(stage.data());
    let lines: BTreeSet<String> = (all_examples().into_iter())
        .filter(|(command, _)| {
            let forms = command.forms().iter().flat_map(|form| form.arguments);
            command
                .arguments
                .iter()
                .chain(forms)
                .any(|place| *place == Argument::Password)
        })
        .map(|(_, line)| line.replace(" fig7elk", ""))
        .collect();
    assert!(lines.len() > 60, "{}", lines.len());
    let mut asked = 0;
    for line in &lines {
        let [letter] = ask(&stage, ALICE, line).await.try_into().unwrap();
        let (sentence, rest) = letter.text.split_once("\n\n").unwrap();
        // Who can be known otherwise is asked for a yes, not for a password.
        if sentence.starts_with("Is this what you want, alice?") {
            asked += 1;
            continue;
        }
        assert!(sentence.contains("password"), "{line}: {sentence}");
        let echo = rest.lines().next().unwrap();
        let is_on_board = line.contains(" 101 alice");
        let shown = if is_on_board { " 101 alice" } else { " alice" };
        assert!(echo.contains(shown), "{line}:\n{echo}");
    }
    assert!(
        (5..lines.len() / 4).contains(&asked),
        "{asked} of {}",
        lines.len()
    );
    for game in GAMES {
        let (name, turn) = (game.facts.name, game.facts.example[0]);
        let [letter] = ask(&stage, ALICE, &format!("{name} move 101 alice {turn}"))
            .await
            .try_into()
            .unwrap();
        let sentence = letter.text.lines().next().unwrap_or_default();
        assert_eq!(sentence, "The password is missing: it stands after the userid.");
    }
    assert_eq!(database::lasting(stage.data()), before);
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_account_is_erased_only_with_the_last_word_and_the_question_says_what_goes() {
    let stage = playing().await;
    let before = database::lasting(stage.data());
    for (subject, text) in [
        ("delete alice fig7elk", ""),
        ("multiple", "delete alice fig7elk\n"),
    ] {
        let [letter] = say(&stage, ALICE, subject, text).await.try_into().unwrap();
        let said = letter.text.replace('\n', " ");
        assert!(said.contains("Nothing is erased yet, alice"), "{said}");
        assert!(said.contains("delete really"), "{said}");
        for game in GAMES {
            assert!(
                said.contains(&format!("{} Board 101 ", game.facts.name)),
                "{said}"
            );
        }
        assert_eq!(database::lasting(stage.data()), before, "{subject}");
    }
    let letters = ask(&stage, ALICE, "delete alice fig7elk REALLY").await;
    assert_eq!(
        letters.iter().filter(|letter| letter.to.as_str() == BOB).count(),
        GAMES.len()
    );
    assert_eq!(database::users(stage.data()), ["bob".to_owned()].into());
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_is_to_move_after_a_list_gets_the_board_with_a_token() {
    for game in GAMES {
        let stage = super::alice_and_bob().await;
        let (name, turn) = (game.facts.name, game.facts.example[0]);
        let challenge = format!("{name} challenge alice bob\n");
        let letters = say(&stage, ALICE, "", &challenge).await;
        let boards = |letters: &[pbmserv_core::store::Outgoing], reader: &str| {
            let is_board = |letter: &&pbmserv_core::store::Outgoing| {
                letter.to.as_str() == reader && letter.subject.contains(&format!("{name} Board"))
            };
            letters.iter().filter(is_board).cloned().collect::<Vec<_>>()
        };
        let [own] = boards(&letters, ALICE).try_into().unwrap();
        assert!(own.reply_detail.is_some(), "{name}: {}", own.text);
        assert_eq!(boards(&letters, BOB).len(), 1, "{name}");
        // What is only shown can be answered too.
        let letters = say(&stage, ALICE, "", &format!("{name} show 101\nlist\n")).await;
        assert_eq!(boards(&letters, ALICE).len(), 1, "{name}");
        // A board that waits for the other comes in the transcript only.
        let letters = say(&stage, BOB, "", &format!("{name} show 101\nlist\n")).await;
        assert_eq!(boards(&letters, BOB).len(), 0, "{name}");
        let both = format!("{challenge}{name} move 102 alice fig7elk {turn}\n");
        let letters = say(&stage, ALICE, "", &both).await;
        let reader = stage.server.reader().unwrap();
        let board = reader.board(game, 102).unwrap().unwrap();
        let mover = board.at(board.to_move.unwrap()).userid.clone();
        assert_eq!(
            boards(&letters, ALICE).len(),
            usize::from(mover == "alice"),
            "{name}"
        );
        stage.close().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rules_in_an_answer_to_a_board_are_those_of_its_game() {
    let stage = super::alice_and_bob().await;
    for game in GAMES {
        let letters = ask(&stage, ALICE, &format!("{} challenge alice bob", game.facts.name)).await;
        let board = letters.iter().find(|letter| letter.to.as_str() == ALICE).unwrap();
        let mut said = Vec::new();
        for word in ["rules", "help"] {
            let mut mail = super::mail(ALICE, &format!("Re: {}", board.subject), word);
            mail.to = mail.to.with_detail(board.reply_detail.as_deref().unwrap());
            let (_, letters) = stage.send(&mail).await;
            said.extend(letters.into_iter().map(|letter| letter.text));
        }
        assert_eq!(said.len(), 2);
        assert_eq!(said[0], said[1], "rules and help are the same");
        assert!(said[0].contains(game.facts.title), "{}", said[0]);
    }
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_does_not_play_on_a_board_gets_one_sentence() {
    let stage = playing().await;
    ask(&stage, "carol@example.org", "signup carol bay5owl").await;
    for game in GAMES {
        let (name, turn) = (game.facts.name, game.facts.example[0]);
        for command in ["move", "queue", "submit"] {
            let line = format!("{name} {command} 101 carol bay5owl {turn}");
            let [letter] = ask(&stage, "carol@example.org", &line).await.try_into().unwrap();
            assert!(
                letter.text.starts_with(&format!(
                    "carol does not play on {name} Board 101: alice and bob do."
                )),
                "{}",
                letter.text
            );
            assert!(letter.text.lines().count() < 8, "{line}:\n{}", letter.text);
        }
    }
    stage.close().await;
}
