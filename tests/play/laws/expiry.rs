//! Accounts that nobody confirms: they go after seven days with their userid.

use chrono::TimeDelta;
use pbmserv_core::store::Outgoing;
use pbmserv_core::store::Store;
use pbmserv_core::table::PlayerId;

use super::accounts::{asked, confirm};
use super::{ALICE, BOB, ask, database};
use crate::stage::Stage;

fn accounts(stage: &Stage) -> i64 {
    database::count(
        stage.data(),
        "SELECT COUNT(*) FROM players WHERE id > 0 AND deleted_at IS NULL",
    )
}

/// Everything due in this time; none of it writes a mail.
async fn quietly(stage: &Stage, time: TimeDelta) {
    let happened = stage.live(time).await;
    assert!(happened.is_empty(), "{happened:?}");
}

fn is_too_late(letters: &[Outgoing], to: &str) -> bool {
    let [letter] = letters else { return false };
    let text = letter.text.replace('\n', " ");
    letter.to.as_str() == to
        && text.starts_with("There is nothing to confirm any more: the address was taken off")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_account_that_is_not_confirmed_goes_and_its_userid_is_free_again() {
    let (stage, question) = asked().await;
    assert!(question.text.contains("7 days"), "{}", question.text);
    quietly(&stage, TimeDelta::days(7) - TimeDelta::minutes(1)).await;
    assert_eq!(accounts(&stage), 1);
    quietly(&stage, TimeDelta::minutes(1)).await;
    assert_eq!(accounts(&stage), 0);
    let sql = "SELECT COUNT(*) FROM addresses";
    assert_eq!(database::count(stage.data(), sql), 0);

    let letters = ask(&stage, BOB, "signup alice oak4jay").await;
    let token = letters[0].reply_detail.as_deref();
    let (_, late) = stage
        .send(&confirm(ALICE, &question, question.reply_detail.as_deref(), true))
        .await;
    assert!(is_too_late(&late, ALICE), "{late:?}");
    stage.send(&confirm(BOB, &letters[0], token, true)).await;
    let sql = "SELECT address FROM addresses WHERE confirmed_at IS NOT NULL";
    assert_eq!(
        database::text(stage.data(), sql),
        BOB,
        "the old token confirms nothing of the new account"
    );
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_who_has_a_token_learns_that_it_is_too_late() {
    let (stage, question) = asked().await;
    let token = question.reply_detail.clone().unwrap();
    quietly(&stage, TimeDelta::days(7)).await;
    let (_, letters) = stage.send(&confirm(BOB, &question, Some(&token), false)).await;
    assert!(is_too_late(&letters, BOB), "the token says enough: {letters:?}");
    let (_, letters) = stage.send(&confirm(ALICE, &question, None, true)).await;
    assert!(is_too_late(&letters, ALICE), "its Message-ID too: {letters:?}");
    let (number, tag) = token.split_once('-').unwrap();
    let other = if tag.starts_with('a') { "b" } else { "a" };
    let forged = format!("{number}-{other}{}", &tag[1..]);
    let (_, letters) = stage.send(&confirm(BOB, &question, Some(&forged), true)).await;
    assert!(letters.is_empty(), "{letters:?}");
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn where_senders_must_be_authenticated_only_such_a_one_learns_it() {
    let stage = Stage::open(|config| {
        config.auth.require = "dmarc".into();
        config.auth.authserv_id = "mx.games.example".into();
    });
    let vouched = "Authentication-Results: mx.games.example; dmarc=pass header.from=example.org\r\n";
    let mut signup = super::mail(ALICE, "signup alice fig7elk", "");
    signup.header.push_str(vouched);
    let (_, letters) = stage.send(&signup).await;
    quietly(&stage, TimeDelta::days(7)).await;
    let token = letters[0].reply_detail.as_deref();
    let mut late = confirm(ALICE, &letters[0], token, false);
    let (_, answers) = stage.send(&late).await;
    assert!(
        answers.is_empty(),
        "nobody knows whose the address is: {answers:?}"
    );
    late.header = super::mail(ALICE, "Re: your address", "").header + vouched;
    let (_, answers) = stage.send(&late).await;
    assert!(is_too_late(&answers, ALICE), "{answers:?}");
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_confirmed_account_stays_whatever_becomes_of_its_addresses() {
    let (stage, question) = asked().await;
    stage
        .send(&confirm(ALICE, &question, question.reply_detail.as_deref(), true))
        .await;
    ask(&stage, ALICE, "change alice fig7elk new@example.org").await;
    quietly(&stage, TimeDelta::days(30)).await;
    assert_eq!(accounts(&stage), 1);
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_account_of_a_director_stays_and_so_do_all_where_nobody_is_asked() {
    let stage = Stage::open(|config| config.server.directors = vec!["Alice".into()]);
    ask(&stage, ALICE, "signup alice fig7elk").await;
    ask(&stage, BOB, "signup bob oak4jay").await;
    quietly(&stage, TimeDelta::days(8)).await;
    let sql = "SELECT userid FROM players WHERE id > 0 AND deleted_at IS NULL";
    assert_eq!(database::text(stage.data(), sql), "alice");
    assert_eq!(accounts(&stage), 1);
    stage.close().await;

    let stage = super::alice_and_bob().await;
    quietly(&stage, TimeDelta::days(30)).await;
    assert_eq!(accounts(&stage), 2);
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_player_who_sits_at_a_board_stays() {
    let stage = super::alice_and_bob().await;
    ask(&stage, ALICE, "Pow2 challenge alice bob").await;
    ask(&stage, "carol@example.org", "signup carol bay5owl").await;
    for (row, player) in (1..).zip([1, 2, 3]) {
        let lost = move |store: &Store, now| {
            store.remove_address(row)?;
            store.set_expiry(PlayerId(player), Some(now))
        };
        stage.server.engine.write(lost).await.unwrap();
    }
    assert_eq!(stage.server.engine.do_what_is_due().await.unwrap(), 3);
    let left = database::users(stage.data());
    assert_eq!(left, ["alice", "bob"].map(str::to_owned).into());
    stage.close().await;
}

/// Removing an account is no way to have its address asked again on the same day.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_address_is_asked_no_more_than_three_times_a_day_by_whatever_accounts() {
    let stage = Stage::open(|_| ());
    let mut questions = 0;
    for round in 0..6 {
        let signup = format!("signup carol{round} fig7elk victim@example.net");
        let letters = ask(&stage, &format!("sender{round}@example.org"), &signup).await;
        questions += letters
            .iter()
            .filter(|letter| letter.to.as_str() == "victim@example.net")
            .count();
        let over = move |store: &Store, now| store.set_expiry(PlayerId(round + 1), Some(now));
        stage.server.engine.write(over).await.unwrap();
        stage.server.engine.do_what_is_due().await.unwrap();
        assert_eq!(accounts(&stage), 0);
    }
    assert_eq!(questions, 3);
    stage.close().await;
}
