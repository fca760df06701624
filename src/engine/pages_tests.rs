use super::*;
use chrono::{DateTime, TimeDelta, Utc};
use pbmserv_core::letters::samples;
use pbmserv_core::store::{NewMail, Reader, Served, Store};
use pbmserv_games::{GAMES, Options};
use serde_json::json;

fn address() -> Address {
    Address::parse("pbmserv@games.example").unwrap()
}

fn mail(kind: &str, facts: serde_json::Value) -> Outgoing {
    Outgoing {
        id: 1,
        kind: kind.to_owned(),
        to: Address::parse("alice@home.example").unwrap(),
        message_id: "1@games.example".to_owned(),
        in_reply_to: None,
        references: Vec::new(),
        is_reply: true,
        list: None,
        reply_detail: None,
        unsubscribe_detail: None,
        unsubscribe_url: None,
        sender_name: String::new(),
        subject: "Pow2 set alice".to_owned(),
        text: String::new(),
        is_watching: false,
        attachment: None,
        created_at: DateTime::UNIX_EPOCH,
        attempts: 0,
        draft: Some(Draft {
            has_html: true,
            ..Draft::of(facts, 72)
        }),
        page: None,
    }
}

fn done() -> Outgoing {
    mail(
        "done",
        json!({"subject": "Pow2 set alice", "sentence": "Done.", "hint": ""}),
    )
}

/// Pages with these blocks in the operator's `done.letter`.
fn pages(blocks: &str) -> Pages {
    let folder = tempfile::tempdir().unwrap();
    let letter = format!("Subject: {{{{ subject }}}}\n\n{blocks}");
    std::fs::write(folder.path().join("done.letter"), letter).unwrap();
    let letters = Letters::load(Some(folder.path()), &address()).unwrap();
    Pages::new(address(), letters.into())
}

#[test]
fn a_template_of_the_operator_that_fails_on_a_letter_costs_neither_its_text_nor_its_html() {
    let pages =
        pages("{{ sentence }}{% if 'alice' in subject and sentence == 'Rare.' %}{{ 1 // 0 }}{% endif %}\n");
    assert_eq!(pages.render(done()).unwrap().text, "Done.\n");
    let rare = mail(
        "done",
        json!({"subject": "Pow2 set alice", "sentence": "Rare.", "hint": "Hint."}),
    );
    let rendered = pages.render(rare).unwrap();
    assert_eq!(rendered.text, "Rare.\n\nHint.\n", "the built-in template");
    assert!(rendered.page.unwrap().html.contains("Rare."));
}

#[test]
fn a_letter_that_no_template_fits_goes_out_with_its_bare_words() {
    let pages = pages("{{ sentence }}\n");
    for kind in ["done", "unheard-of"] {
        let rendered = pages
            .render(mail(kind, json!({"said": "One.", "more": ["Two.", 3]})))
            .unwrap();
        assert_eq!(
            (rendered.text.as_str(), rendered.page),
            ("Two.\n\nOne.\n", None),
            "{kind}"
        );
    }
}

#[test]
fn a_letter_without_a_draft_is_no_mail() {
    let mail = Outgoing {
        draft: None,
        ..done()
    };
    assert!(pages("{{ sentence }}\n").render(mail).is_err());
}

#[test]
fn text_and_html_change_together_when_the_templates_do() {
    let pages = pages("{{ sentence }} Yours, the operator\n");
    assert!(
        pages
            .render(done())
            .unwrap()
            .text
            .ends_with("Yours, the operator\n")
    );
    pages.change(Letters::load(None, &address()).unwrap().into());
    let [first, second] = [pages.render(done()).unwrap(), pages.render(done()).unwrap()];
    assert_eq!((first.text.as_str(), &first.page), ("Done.\n", &second.page));
}

/// The mails that are due, rendered as by a process that has just begun.
fn rendered(database: &std::path::Path, now: DateTime<Utc>) -> Vec<outbox::Outgoing> {
    let pages = Pages::new(address(), Letters::load(None, &address()).unwrap().into());
    let due = Reader::open(database)
        .unwrap()
        .due(now, 1000, &mut Served::default())
        .unwrap();
    due.into_iter()
        .map(|(mail, _)| pages.render(mail).unwrap())
        .collect()
}

#[test]
fn a_letter_of_each_kind_is_the_same_at_each_attempt() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("letters.sqlite");
    let store = Store::open(&path).unwrap();
    let now: DateTime<Utc> = "2030-01-01T12:00:00Z".parse().unwrap();
    let record = Record::new(&GAMES[0], Options::none(GAMES[0].facts)).to_string();
    for sample in samples() {
        let draft = Draft {
            has_html: true,
            notice: "This is the last answer today.".to_owned(),
            record: Some(record.clone()),
            ..Draft::of(sample.facts().unwrap(), 72)
        };
        store
            .add_mail(&NewMail {
                inbox: None,
                kind: sample.kind,
                player: None,
                board: None,
                about: None,
                recipient: &Address::parse("alice@home.example").unwrap(),
                message_id: format!("{}@games.example", sample.kind.name()),
                in_reply_to: None,
                references: &[],
                is_reply: true,
                list: None,
                reply_to: None,
                sender_name: &sample.sender_name,
                subject: sample.kind.name(),
                letter: &draft.packed().unwrap(),
                unsubscribe: None,
                is_watching: false,
                is_last: false,
                awaits: None,
                created_at: now,
                is_unproven: false,
                cause: 0,
            })
            .unwrap();
    }
    let first = rendered(&path, now);
    let kinds: Vec<_> = first.iter().map(|mail| mail.kind.as_str()).collect();
    assert_eq!(
        kinds,
        samples()
            .iter()
            .map(|sample| sample.kind.name())
            .collect::<Vec<_>>()
    );
    let later = now + TimeDelta::days(4);
    for mail in &first {
        assert!(mail.page.is_some(), "{}", mail.kind);
        store.mail_deferred(mail.id, later, "busy").unwrap();
    }
    for (first, again) in first.into_iter().zip(rendered(&path, later)) {
        assert_eq!((first.attempts, again.attempts), (0, 1), "{}", first.kind);
        assert_eq!(first, outbox::Outgoing { attempts: 0, ..again });
    }
}
