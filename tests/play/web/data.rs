//! The page that gives a player's data: its button alone gives the file, for a day, to who has the link.

use chrono::TimeDelta;
use pbmserv_core::store::Outgoing;
use pbmserv_mail::Address;
use pbmserv_mail::outbox::Queue as _;

use super::{ALICE, PATH, Pages};
use crate::laws::exports::much;
use crate::stage::{Mail, SERVER};

impl Pages {
    /// The letter after the yes, and the path of its link.
    async fn exported(&self) -> (Outgoing, String) {
        let asked = self.ask(ALICE, "export alice fig7elk").await;
        let token = asked[0].reply_detail.as_deref().unwrap();
        let yes = Mail {
            from: ALICE,
            to: Address::parse(SERVER).unwrap().with_detail(token),
            header: format!(
                "Message-ID: <yes-{token}@players.example>\r\nIn-Reply-To: <{}>\r\nSubject: yes\r\n",
                asked[0].message_id
            ),
            body: "yes\n",
        };
        let (_, letters) = self.stage.send(&yes).await;
        let mut letter = letters
            .into_iter()
            .find(|letter| letter.kind == "export")
            .unwrap();
        let draft = letter.draft.as_mut().unwrap();
        // As it waits in the outbox.
        draft.facts["file"] = "".into();
        let link = draft.links.home.replacen(super::BASE, PATH, 1);
        (letter, link)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_too_long_for_a_mail_is_given_by_the_button_of_its_link() {
    let pages = Pages::with_a_board().await;
    much(&pages.stage);
    let (letter, link) = pages.exported().await;
    let sent = pages.stage.server.rows.render(letter).await.unwrap();
    assert!(sent.attachment.is_none());
    assert!(
        sent.text.contains(&link.replacen(PATH, super::BASE, 1)),
        "{}",
        sent.text
    );
    // A scanner opens it, and gets nothing.
    for _ in 0..10 {
        let page = pages.get(&link).await;
        assert_eq!(page.status, 200);
        assert!(page.body.contains("Get the file") && !page.body.contains("vacations"));
        assert_eq!(page.field("cache-control"), Some("no-store"));
        assert_eq!(page.field("x-robots-tag"), Some("noindex, nofollow"));
    }
    let file = pages.post(&link, "").await;
    assert_eq!(file.status, 200, "{}", file.body);
    assert_eq!(
        file.field("content-disposition"),
        Some("attachment; filename=\"pbmserv-data.json\"")
    );
    assert_eq!(file.field("cache-control"), Some("no-store"));
    assert_eq!(file.field("x-robots-tag"), Some("noindex, nofollow"));
    assert!(file.body.contains("Pow2-101.txt") && file.body.len() > 256 * 1024);
    assert!(!file.body.contains("argon2") && !file.body.contains("bob@"));
    for _ in 0..4 {
        assert!(pages.post(&link, "").await.field("content-disposition").is_some());
    }
    let often = pages.post(&link, "").await;
    assert!(often.body.contains("a few times today"), "{}", often.body);
    assert!(often.field("content-disposition").is_none());
    pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_link_gives_nothing_else_to_nobody_else_and_ends() {
    let pages = Pages::with_a_board().await;
    let (_, link) = pages.exported().await;
    let key = link.split('/').rev().nth(1).unwrap().to_owned();
    // It opens no page, and no other key opens it.
    for path in [format!("{PATH}k/{key}/"), format!("{PATH}k/{key}/board/Pow2/101")] {
        assert_eq!(pages.get(&path).await.status, 404, "{path}");
    }
    let other = pages.key("alice");
    let cut = &key[..key.len() - 1];
    for wrong in [other.as_str(), cut, "x-", "x"] {
        let path = format!("{PATH}k/{wrong}/data");
        for answer in [pages.get(&path).await, pages.post(&path, "").await] {
            assert_eq!(answer.status, 404, "{path}");
            assert!(answer.field("content-disposition").is_none());
        }
    }
    // A page elsewhere cannot press the button.
    let foreign = pages
        .post_with(&link, "Origin: https://evil.example\r\n", "")
        .await;
    assert_eq!(foreign.status, 403);
    let is_open = async || {
        let file = pages.post(&link, "").await;
        let is_file = file.field("content-disposition").is_some();
        assert_eq!(is_file, file.status == 200, "{}", file.body);
        is_file
    };
    assert!(is_open().await);
    pages.stage.pass(TimeDelta::hours(26));
    assert!(!is_open().await, "a day is over");
    let (_, link) = pages.exported().await;
    pages.ask(ALICE, "page alice fig7elk new").await;
    assert_eq!(pages.post(&link, "").await.status, 404, "new links");
    pages.stage.pass(TimeDelta::days(1));
    let (_, link) = pages.exported().await;
    pages.ask(ALICE, "change password alice fig7elk oak5tree").await;
    assert_eq!(pages.post(&link, "").await.status, 404, "another password");
    pages.close().await;
}
