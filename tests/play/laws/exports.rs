//! All that is stored of a player, by mail: what brings it, and what is not in it.

use chrono::TimeDelta;
use pbmserv_core::letters::LetterKind;
use pbmserv_core::store::Outgoing;
use pbmserv_mail::Address;
use pbmserv_mail::outbox::{self, Queue as _};

use super::{ALICE, BOB, alice_and_bob, ask, database, mail};
use crate::stage::{Mail, SERVER, Stage};

/// An answer to this letter, by its token.
fn answer<'a>(from: &'a str, to: &Outgoing, body: &'a str) -> Mail<'a> {
    let token = to.reply_detail.as_deref().unwrap();
    Mail {
        to: Address::parse(SERVER).unwrap().with_detail(token),
        ..replied(from, to, body)
    }
}

/// The same without the token.
fn replied<'a>(from: &'a str, to: &Outgoing, body: &'a str) -> Mail<'a> {
    let mut reply = mail(from, &format!("Re: {}", to.subject), body);
    reply
        .header
        .push_str(&format!("In-Reply-To: <{}>\r\n", to.message_id));
    reply
}

fn brings(letters: &[Outgoing]) -> Vec<&Outgoing> {
    let kind = LetterKind::Export.name();
    letters.iter().filter(|letter| letter.kind == kind).collect()
}

/// The letter that the yes to the question brings, as it is sent.
async fn exported(stage: &Stage) -> (Outgoing, outbox::Outgoing) {
    let asked = ask(stage, ALICE, "export alice fig7elk").await;
    let (_, letters) = stage.send(&answer(ALICE, &asked[0], "yes")).await;
    let letter = brings(&letters)[0].clone();
    assert_eq!(letter.to.as_str(), ALICE);
    let sent = stage.server.rows.render(letter.clone()).await.unwrap();
    (letter, sent)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_but_the_yes_to_the_question_brings_it() {
    let stage = alice_and_bob().await;
    let welcome = ask(&stage, "carol@example.org", "signup carol bay5owl").await;
    let [asked] = ask(&stage, ALICE, "export alice fig7elk")
        .await
        .try_into()
        .unwrap();
    assert!(asked.attachment.is_none() && brings(std::slice::from_ref(&asked)).is_empty());
    let page = ask(&stage, ALICE, "page new").await;
    ask(&stage, ALICE, "Pow2 challenge alice bob").await;
    let board = ask(&stage, ALICE, "Pow2 show 101").await;
    let mut others = vec![
        mail("mallory@example.net", "export alice fig7elk", ""),
        mail("mallory@example.net", "export", ""),
        mail(
            "mallory@example.net",
            "multiple",
            "export alice fig7elk\nexport alice fig7elk\n",
        ),
        mail(ALICE, "export", ""),
        mail(ALICE, "", "export\n"),
        mail(ALICE, "yes", ""),
        replied(BOB, &asked, "yes"),
        replied("mallory@example.net", &asked, "yes"),
        answer(ALICE, &asked, "no"),
        answer(ALICE, &asked, "Who asks for this?"),
        answer("carol@example.org", &welcome[0], "export"),
        answer("carol@example.org", &welcome[0], "export alice"),
    ];
    for letter in page
        .iter()
        .chain(&board)
        .filter(|letter| letter.reply_detail.is_some())
    {
        others.push(answer(ALICE, letter, "export"));
        others.push(answer(ALICE, letter, "my data"));
    }
    for other in &others {
        // Whoever asks so often within minutes may be a program.
        stage.pass(TimeDelta::minutes(11));
        let (_, letters) = stage.send(other).await;
        assert!(brings(&letters).is_empty(), "{}: {}", other.header, other.body);
        assert!(letters.iter().all(|letter| letter.attachment.is_none()));
        if other.body == "no" {
            assert!(
                letters[0].text.starts_with("Nothing was done, alice."),
                "{}",
                letters[0].text
            );
        }
    }
    let (_, letters) = stage.send(&answer(ALICE, &asked, "yes")).await;
    assert_eq!(brings(&letters).len(), 1);
    // Once a day, and a new password ends the question.
    for (from, pause) in [(ALICE, TimeDelta::zero()), (ALICE, TimeDelta::hours(2))] {
        stage.pass(pause);
        let (_, letters) = stage.send(&answer(from, &asked, "yes")).await;
        assert!(brings(&letters).is_empty());
        assert!(letters[0].text.contains("again tomorrow"), "{}", letters[0].text);
    }
    stage.pass(TimeDelta::days(1));
    ask(&stage, ALICE, "change password alice fig7elk oak5tree").await;
    let (_, letters) = stage.send(&answer("mallory@example.net", &asked, "yes")).await;
    assert!(brings(&letters).is_empty());
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_has_the_player_and_no_secret_and_nothing_of_others() {
    let stage = alice_and_bob().await;
    ask(&stage, ALICE, "Pow2 challenge alice bob").await;
    ask(&stage, ALICE, "Pow2 move 101 alice fig7elk m13-j7").await;
    ask(&stage, BOB, "Pow2 move 101 bob oak4jay a1-e1").await;
    let queued = ask(&stage, BOB, "Pow2 queue 101 bob oak4jay m1-g1").await;
    assert!(queued[0].text.contains("m1-g1"), "{}", queued[0].text);
    ask(&stage, "mallory@example.net", "set alice mistaken small").await;
    let forged = Mail {
        from: "mallory@example.net",
        ..mail(ALICE, "who", "")
    };
    stage.send(&forged).await;
    let (_, sent) = exported(&stage).await;
    let (name, text) = sent.attachment.unwrap();
    assert_eq!(name, "pbmserv-data.json");
    let all: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(all["userid"], "alice");
    assert_eq!(all["server"], SERVER);
    assert_eq!(all["rows"]["players"][0]["userid"], "alice");
    assert_eq!(all["rows"]["addresses"][0]["address"], ALICE);
    let record = all["records"]["Pow2-101.txt"].as_str().unwrap();
    assert!(record.contains("m13-j7") && record.contains("a1-e1"), "{record}");
    assert_eq!(all["rows"]["turns"].as_array().unwrap().len(), 2);
    let hashes = "SELECT password_hash FROM players WHERE password_hash <> ''";
    for hash in database::dump(stage.data())["players"]
        .iter()
        .flat_map(|row| row.split(" | "))
    {
        assert!(!hash.starts_with("$argon2") || !text.contains(hash));
    }
    assert!(!database::words(stage.data(), hashes).is_empty());
    for not_in_it in [
        "argon2",
        "fig7elk",
        "oak4jay",
        "password_hash",
        "mistaken",
        BOB,
        "mallory",
        "m1-g1",
        "plan_by",
    ] {
        assert!(!text.contains(not_in_it), "{not_in_it}: {text}");
    }
    assert!(
        sent.text
            .replace('\n', " ")
            .contains("is attached as pbmserv-data.json")
    );
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_letter_that_waits_for_an_address_that_was_taken_away_is_not_sent() {
    let stage = alice_and_bob().await;
    let (letter, _) = exported(&stage).await;
    ask(
        &stage,
        ALICE,
        "change address alice fig7elk alice@elsewhere.example",
    )
    .await;
    let sent = stage.server.rows.render(letter).await;
    assert!(sent.unwrap_err().contains("not the player's any more"));
    stage.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_pages_who_has_too_much_for_a_mail_is_told_whom_to_ask() {
    let stage = alice_and_bob().await;
    much(&stage);
    let asked = ask(&stage, ALICE, "export alice fig7elk").await;
    let (_, letters) = stage.send(&answer(ALICE, &asked[0], "yes")).await;
    let mut letter = brings(&letters)[0].clone();
    // As it waits in the outbox.
    letter.draft.as_mut().unwrap().facts["file"] = "".into();
    let sent = stage.server.rows.render(letter).await.unwrap();
    assert!(sent.attachment.is_none());
    let text = sent.text.replace('\n', " ");
    assert!(
        text.contains("took too long to make. Please ask for it at postmaster@games.example"),
        "{text}"
    );
    stage.close().await;
}

/// Stores more of alice than a mail brings.
pub(crate) fn much(stage: &Stage) {
    let digits = "SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 \
                  UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9";
    let statement = format!(
        "INSERT INTO vacations (id, player, begun_at, ends_at, is_over) \
         SELECT 1 + a.d + 10 * b.d + 100 * c.d + 1000 * e.d, 1, 0, 1, 1 \
         FROM ({digits}) AS a, ({digits}) AS b, ({digits}) AS c, ({digits}) AS e"
    );
    assert_eq!(crate::stage::database::change(stage.data(), &statement), 10_000);
}
