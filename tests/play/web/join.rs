//! Joining by page: the form, the letter's link, its button; what forms of strangers cannot do.

use pbmserv_core::store::Outgoing;

use super::{ALICE, Answer, BASE, PATH, Pages};

pub(super) const NORA: &str = "nora@home.example";

fn form(name: &str, address: &str) -> String {
    format!("name={name}&address={}", address.replace('@', "%40"))
}

impl Pages {
    /// What the form answers, and the letters that it causes.
    async fn join(&self, name: &str, address: &str) -> (Answer, Vec<Outgoing>) {
        let answer = self.post(&format!("{PATH}join"), &form(name, address)).await;
        (answer, self.stage.collect().await)
    }
}

/// The path of the link in a letter.
pub(super) fn link_in(letter: &Outgoing, kind: &str) -> String {
    let begin = format!("{BASE}{kind}/");
    let at = letter
        .text
        .find(&begin)
        .unwrap_or_else(|| panic!("{}", letter.text));
    let link = letter.text[at..].split_whitespace().next().unwrap();
    link.replacen(BASE, PATH, 1)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_name_and_an_address_are_enough_to_play() {
    let pages = Pages::open().await;
    let shown = pages.get(&format!("{PATH}join")).await;
    assert!(shown.body.contains("name=\"address\"") && !shown.body.contains("PASSWORD"));
    let (sent, letters) = pages.join("nora", NORA).await;
    assert!(sent.body.contains("A mail is on its way"), "{}", sent.body);
    let [letter] = letters.as_slice() else {
        panic!("{letters:?}")
    };
    assert_eq!(letter.to.as_str(), NORA);
    let said = letter.text.replace('\n', " ");
    assert!(said.contains("yes to play as nora"), "{said}");
    let link = link_in(letter, "j");
    // A scanner opens it, and nothing has happened.
    for _ in 0..2 {
        let page = pages.get(&link).await;
        assert!(page.body.contains("value=\"nora\""), "{}", page.body);
    }
    assert!(pages.stage.collect().await.is_empty());
    let joined = pages.post(&link, "name=nora").await;
    assert_eq!(joined.status, 303, "{}", joined.body);
    let own = joined.field("location").unwrap().to_owned();
    assert!(
        pages
            .get(&own)
            .await
            .body
            .contains("No board waits for you, nora.")
    );
    let letters = pages.stage.collect().await;
    assert!(
        letters[0].text.contains("Welcome, nora! You can play now."),
        "{letters:?}"
    );
    // The link is no key: it lets nobody in again.
    for again in [pages.get(&link).await, pages.post(&link, "name=nora").await] {
        assert_eq!(again.status, 200);
        assert!(again.body.contains("You have joined."), "{}", again.body);
    }
    assert!(pages.stage.collect().await.is_empty());
    pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_name_can_be_chosen_on_the_page_of_the_link() {
    let pages = Pages::with_a_board().await;
    let (_, letters) = pages.join("", NORA).await;
    let link = link_in(&letters[0], "j");
    for (name, why) in [
        ("alice", "The name alice is taken"),
        ("x", "A userid has 2 to 20 letters"),
        ("USERID", "has a meaning of its own"),
        ("admin", "somebody who runs this server"),
    ] {
        let refused = pages.post(&link, &format!("name={name}")).await;
        assert_eq!(refused.status, 409, "{name}");
        assert!(refused.body.contains(why), "{name}: {}", refused.body);
    }
    assert_eq!(pages.post(&link, "name=nora").await.status, 303);
    let broken = pages.get(&format!("{link}a")).await;
    assert!(broken.body.contains("This link has ended."), "{}", broken.body);
    pages.close().await;
}

/// Whoever fills the form in learns nothing of an address, and its reader gets what helps.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_form_says_the_same_of_every_address() {
    let pages = Pages::with_a_board().await;
    let (known, to_alice) = pages.join("zoe", ALICE).await;
    let (unknown, to_nora) = pages.join("zoe", NORA).await;
    assert_eq!((known.status, known.body), (unknown.status, unknown.body));
    assert!(to_nora[0].text.contains("play as zoe"), "{to_nora:?}");
    let [letter] = to_alice.as_slice() else {
        panic!("{to_alice:?}")
    };
    assert_eq!(letter.to.as_str(), ALICE);
    let own = link_in(letter, "k");
    assert!(pages.get(&own).await.body.contains("alice"));
    pages.close().await;
}

/// No cannon: three letters a day to one address, ten a day from one network, whoever is asked.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn forms_send_little_mail_to_strangers() {
    let pages = Pages::with_a_board().await;
    for address in [NORA, ALICE] {
        let mut letters = 0;
        for round in 0..4 {
            let (answer, sent) = pages.join("", address).await;
            assert!(
                answer.body.contains("A mail is on its way"),
                "{round}: {}",
                answer.body
            );
            letters += sent.len();
        }
        assert_eq!(letters, 3, "{address}");
    }
    let mut letters = 0;
    for number in 0..20 {
        letters += pages.join("", &format!("p{number}@far.example")).await.1.len();
    }
    assert_eq!(letters, 2);
    for address in [
        "",
        "nora",
        "pbmserv@games.example",
        "a@b@c",
        "nora@home.example%0d%0aBcc:x",
    ] {
        let (refused, letters) = pages.join("", address).await;
        assert!(
            letters.is_empty() && refused.status == 409,
            "{address}: {}",
            refused.status
        );
    }
    pages.close().await;
}
