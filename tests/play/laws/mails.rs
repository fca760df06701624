//! The promises of the mails: their HTML, and unsubscribing from unrequested mail.

use chrono::TimeDelta;
use pbmserv_core::dispatch::Handled;
use pbmserv_core::store::Outgoing;
use pbmserv_mail::Address;
use pbmserv_mail::outbox::Queue;

use super::{ALICE, BOB, SERVER, Stage, alice_and_bob, ask, mail, say};

/// The letter to this address.
fn to<'a>(letters: &'a [Outgoing], address: &str) -> &'a Outgoing {
    let mut found = letters.iter().filter(|letter| letter.to.as_str() == address);
    let letter = found.next().unwrap_or_else(|| panic!("no letter to {address}"));
    assert!(found.next().is_none());
    letter
}

/// The reply of a mail program that unsubscribes from this letter.
async fn leave(stage: &Stage, from: &str, letter: &Outgoing) -> (Handled, Vec<Outgoing>) {
    let detail = letter.unsubscribe_detail.as_ref().unwrap();
    let mut leaving = mail(from, "unsubscribe", "");
    leaving.to = Address::parse(SERVER).unwrap().with_detail(detail);
    stage.send(&leaving).await
}

async fn html(stage: &Stage, letter: &Outgoing) -> Option<String> {
    let dressed = stage.server.rows.render(letter.clone()).await.unwrap();
    dressed.page.map(|page| page.html)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_player_writes_is_no_markup_and_fills_no_place_of_ours() {
    let stage = alice_and_bob().await;
    ask(&stage, ALICE, "Pow2 challenge alice bob").await;
    let evil = "<script>alert('x')</script> {{ server }} [token] {% raw %} </pre> cid:board \"quoted\"";
    let letters = say(&stage, ALICE, "Pow2 chat 101 alice fig7elk", evil).await;
    let letter = to(&letters, BOB);
    assert!(letter.text.contains("{{ server }} [token] {% raw %}"));
    let html = html(&stage, letter).await.unwrap();
    assert!(!html.contains("<script") && html.contains("&lt;script&gt;"));
    assert!(html.contains("{{ server }} [token] {% raw %} &lt;&#x2f;pre&gt; cid:board &quot;quoted&quot;"));
    let letters = say(&stage, ALICE, "message alice fig7elk bob", evil).await;
    let message = to(&letters, BOB);
    assert!(message.text.contains("[token]"));
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_picture_shows_the_position_at_the_time_of_the_letter() {
    let stage = alice_and_bob().await;
    ask(&stage, ALICE, "Pow2 challenge alice bob").await;
    let letters = ask(&stage, ALICE, "Pow2 move 101 alice fig7elk m13-m5").await;
    let letter = to(&letters, BOB).clone();
    ask(&stage, ALICE, "Pow2 move 101 alice fig7elk undo").await;
    ask(&stage, BOB, "Pow2 move 101 bob oak4jay accept").await;
    let record = letter.draft.as_ref().unwrap().record.clone().unwrap();
    assert!(record.contains("m13-m5"), "{record}");
    let dressed = stage.server.rows.render(letter).await.unwrap();
    let picture = dressed.page.unwrap().pictures.swap_remove(0);
    assert!(
        picture.starts_with(b"\x89PNG") && picture.len() < 64 * 1024,
        "{}",
        picture.len()
    );
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_reader_gets_the_form_that_was_set() {
    let stage = alice_and_bob().await;
    ask(&stage, ALICE, "set alice fig7elk picture off width 40").await;
    ask(&stage, BOB, "set bob oak4jay text").await;
    let letters = ask(&stage, ALICE, "Pow2 challenge alice bob").await;
    let (alice, bob) = (to(&letters, ALICE), to(&letters, BOB));
    let draft = alice.draft.as_ref().unwrap();
    assert_eq!(
        (
            draft.record.as_deref(),
            bob.draft.as_ref().filter(|draft| draft.has_html)
        ),
        (None, None)
    );
    let html = html(&stage, alice).await.unwrap();
    assert!(!html.contains("<img") && html.contains("<pre"));
    let is_prose = |line: &&str| !line.starts_with(' ') && !line.contains("  ");
    assert!(alice.text.lines().filter(is_prose).all(|line| line.len() <= 40));
    assert!(bob.text.lines().filter(is_prose).any(|line| line.len() > 60));
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn html_with_a_picture_leaves_the_text_board_out_unless_its_reader_wants_both() {
    let stage = alice_and_bob().await;
    ask(&stage, BOB, "set bob oak4jay boards both").await;
    let letters = ask(&stage, ALICE, "Pow2 challenge alice bob").await;
    for (address, has_both) in [(ALICE, false), (BOB, true)] {
        let letter = to(&letters, address);
        assert!(letter.text.contains("P o T"));
        let page = html(&stage, letter).await.unwrap();
        assert!(page.contains("<img"));
        assert_eq!(page.contains("P o T"), has_both, "{address}");
        // Without the picture the text takes its place.
        let mut letter = letter.clone();
        letter.draft.as_mut().unwrap().record = None;
        let page = html(&stage, &letter).await.unwrap();
        assert!(page.contains("P o T") && !page.contains("<img"));
    }
    let letters = ask(&stage, BOB, "set bob oak4jay boards one").await;
    assert!(
        to(&letters, BOB)
            .text
            .starts_with("You will now get no text below")
    );
    let letters = ask(&stage, BOB, "Pow2 show 101").await;
    assert!(!html(&stage, to(&letters, BOB)).await.unwrap().contains("P o T"));
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_to_list_unsubscribe_ends_what_was_not_asked_for_and_says_so_once() {
    let stage = Stage::open(|config| {
        config.accounts.confirm = false;
        config.server.directors = vec!["alice".into()];
    });
    super::sign_up_both(&stage).await;
    let letters = say(&stage, ALICE, "broadcast alice fig7elk", "News").await;
    assert_eq!(
        to(&letters, ALICE).unsubscribe_detail,
        None,
        "an answer was asked for"
    );
    let broadcast = to(&letters, BOB).clone();
    // From any sender: only the address of the token counts.
    let (_, reply) = leave(&stage, "robot@elsewhere.example", &broadcast).await;
    assert!(
        to(&reply, BOB)
            .text
            .starts_with("You will now get no broadcasts.\n")
    );
    let (_, reply) = leave(&stage, BOB, &broadcast).await;
    assert!(reply.is_empty(), "{reply:?}");
    let letters = say(&stage, ALICE, "broadcast alice fig7elk", "More news").await;
    assert!(letters.iter().all(|letter| letter.to.as_str() != BOB));

    let letters = say(&stage, ALICE, "message alice fig7elk bob", "Hello").await;
    let (_, reply) = leave(&stage, BOB, to(&letters, BOB)).await;
    assert!(to(&reply, BOB).text.contains("from alice any more."));
    let letters = say(&stage, ALICE, "message alice fig7elk bob", "Hello again").await;
    assert!(
        to(&letters, ALICE)
            .subject
            .starts_with("Your message was not sent")
    );
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_forged_or_former_way_out_ends_nothing() {
    let stage = Stage::open(|config| {
        config.accounts.confirm = false;
        config.server.directors = vec!["alice".into()];
    });
    super::sign_up_both(&stage).await;
    let letters = say(&stage, ALICE, "broadcast alice fig7elk", "News").await;
    let broadcast = to(&letters, BOB).clone();
    let detail = broadcast.unsubscribe_detail.clone().unwrap();
    let (number, tag) = detail.split_once('-').unwrap();
    let other = if tag.starts_with('a') { "b" } else { "a" };
    for forged in [
        format!("{number}-{other}{}", &tag[1..]),
        format!("uaaaa-{tag}"),
        tag.to_owned(),
    ] {
        let letter = Outgoing {
            unsubscribe_detail: Some(forged),
            ..broadcast.clone()
        };
        leave(&stage, "robot@elsewhere.example", &letter).await;
    }
    ask(&stage, BOB, "change password bob oak4jay bay5owl").await;
    leave(&stage, "robot@elsewhere.example", &broadcast).await;
    let letters = say(&stage, ALICE, "broadcast alice fig7elk", "More news").await;
    to(&letters, BOB);
    stage.close().await;
}

/// Runs everything that is due, and delivers it.
async fn due(stage: &Stage) -> Vec<Outgoing> {
    stage.server.engine.do_what_is_due().await.unwrap();
    stage.collect().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_daily_mail_has_a_way_to_answer_each_board_and_none_comes_of_nothing() {
    let stage = alice_and_bob().await;
    ask(&stage, BOB, "set bob oak4jay digest on").await;
    stage.pass(TimeDelta::days(1));
    assert!(due(&stage).await.is_empty(), "there are no boards yet");

    for turn in ["Pow2 challenge alice bob", "Forms challenge alice bob"] {
        let letters = ask(&stage, ALICE, turn).await;
        assert!(letters.iter().all(|letter| letter.to.as_str() != BOB));
    }
    ask(&stage, ALICE, "Pow2 move 101 alice fig7elk m13-j7").await;
    stage.pass(TimeDelta::days(1));
    let letters = due(&stage).await;
    let digest = to(&letters, BOB);
    assert!(
        digest
            .text
            .starts_with("One board waits for your turn, bob; there is news of 2.\n")
    );
    assert!(due(&stage).await.is_empty(), "it comes once");

    // Its board is named in the subject of a link.
    let html = html(&stage, digest).await.unwrap();
    assert!(html.contains("?subject=Pow2%20Board%20101%20bob\""), "{html}");

    // Unsubscribing ends it, and sends at once what was collected.
    ask(&stage, ALICE, "Pow2 resign 101 alice fig7elk").await;
    let (_, reply) = leave(&stage, BOB, digest).await;
    assert!(
        reply
            .iter()
            .any(|letter| letter.text.contains("resign") && letter.subject == "Your boards, bob")
    );
    stage.pass(TimeDelta::days(2));
    assert!(due(&stage).await.is_empty());
    stage.close().await;
}
