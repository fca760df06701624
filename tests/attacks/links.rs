//! The link of a letter in other hands, on a running server: it reaches what an answer to the letter reaches, and no more.

use pbmserv_mail::Key;
use rusqlite::Connection;
use tempfile::TempDir;

use crate::daemon::browser::{Browser, Form, form, with_pages};
use crate::daemon::http::{ALICE, BOB};
use crate::daemon::mailbox::Mailbox;
use crate::daemon::smtp::send;
use crate::daemon::{Daemon, Setup, count};

/// A server with two boards of alice and bob, and a browser with the link of a letter to alice about the first.
fn leaked(folder: &TempDir) -> (Setup, Daemon, Browser) {
    let setup = with_pages(&Setup::new(folder.path()));
    let daemon = setup.serve();
    for (number, (from, subject)) in [
        (ALICE, "signup alice fig7elk"),
        (BOB, "signup bob oak4jay"),
        (ALICE, "Pow2 challenge alice bob"),
        (ALICE, "LOA challenge alice bob"),
    ]
    .into_iter()
    .enumerate()
    {
        let id = format!("links{number}@home.example");
        send(daemon.port, from, &id, subject, "");
    }
    let mut mailbox = Mailbox::new(&setup.data.join("mail"), ALICE);
    let holder = Browser::linked(&daemon, &mut mailbox, "Pow2 Board 101");
    (setup, daemon, holder)
}

fn fields(fields: &[(&str, &str)]) -> Form {
    let empty = Form { fields: Vec::new() };
    fields
        .iter()
        .fold(empty, |form, (name, value)| form.with(name, value))
}

/// Boards that run, players who want daily mails, and turns.
fn state(database: &Connection) -> [i64; 3] {
    [
        "SELECT count(*) FROM boards WHERE ended_at IS NULL",
        "SELECT count(*) FROM digests",
        "SELECT count(*) FROM turns",
    ]
    .map(|sql| count(database, sql))
}

#[test]
fn the_link_of_a_letter_plays_on_its_board_and_reaches_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let (setup, daemon, holder) = leaked(&folder);
    let path = |place: &str| format!("{}{place}", holder.home);
    for place in [
        "house",
        "players",
        "players/bob",
        "help",
        "board/LOA/101",
        "board/LOA/101/turn",
        "board/LOA/101/record.txt",
        "board/LOA/101/picture.svg",
        "turns.atom",
        "deadlines.ics",
        "feed.atom",
    ] {
        let answer = holder.get(&path(place));
        assert_eq!(answer.status, 404, "{place}: {answer:?}");
        assert!(!answer.body.contains("LOA"), "{place}: {}", answer.body);
    }
    for place in ["", "board/Pow2/101", "board/Pow2/101/turn"] {
        let answer = holder.get(&path(place));
        assert_eq!(answer.status, 200, "{place}: {answer:?}");
        assert!(!answer.body.contains("LOA 101"), "{place}: {}", answer.body);
    }
    // Forms made by hand, with the fields of the pages that the key does not open.
    for (place, fields) in [
        ("set", fields(&[("form", "a"), ("option", "digest on")])),
        (
            "begin",
            fields(&[("form", "b"), ("game", "Hex"), ("opponent", "bob")]),
        ),
        (
            "board/LOA/101/turn",
            fields(&[("form", "c"), ("shown", "1"), ("do", "resign")]),
        ),
        (
            "board/LOA/101/turn",
            fields(&[("form", "d"), ("shown", "1"), ("do", "play"), ("turn", "b1-b3")]),
        ),
    ] {
        let answer = holder.post(&path(place), &fields);
        assert_eq!(answer.status, 404, "{place}: {answer:?}");
    }
    let database = setup.look();
    assert_eq!(state(&database), [2, 0, 0]);
    // On its board it does what an answer does.
    let turn = path("board/Pow2/101/turn");
    holder.done(&turn, &form(&holder.choose(&turn, "m13-j7").body, "play"));
    assert_eq!(state(&database), [2, 0, 1]);
    // Another password ends it, as it ends the reply token.
    let change = "change password alice fig7elk bay5owl";
    send(daemon.port, ALICE, "change@home.example", change, "");
    assert_eq!(holder.get(&turn).status, 404);
    assert_eq!(
        holder
            .post(&turn, &fields(&[("form", "e"), ("shown", "2"), ("do", "resign")]))
            .status,
        404
    );
    assert_eq!(state(&database), [2, 0, 1]);
    daemon.stop_well();
}

#[test]
fn who_has_the_link_of_a_letter_never_sees_the_larger_one_and_mails_it_to_its_owner_thrice() {
    let folder = tempfile::tempdir().unwrap();
    let (setup, daemon, holder) = leaked(&folder);
    for number in 0..8 {
        let form = fields(&[("form", &format!("form{number}"))]);
        let answer = holder.post(&format!("{}page", holder.home), &form);
        assert!([200, 303].contains(&answer.status), "{answer:?}");
        assert!(!answer.header.contains("/k/k"), "{answer:?}");
        assert!(!answer.body.contains("/k/k"), "{answer:?}");
        assert!(!answer.body.contains("home.example"), "{answer:?}");
    }
    setup.wait_for_delivery();
    let of = |address: &str| Mailbox::new(&setup.data.join("mail"), address).fetch();
    let brought = |mails: &[crate::daemon::mailbox::Mail]| {
        let links = mails.iter().filter(|mail| mail.text.contains("/k/k"));
        links.count()
    };
    assert_eq!(brought(&of(ALICE)), 3);
    assert_eq!(brought(&of(BOB)), 0);
    // Nothing else comes of the five that were refused.
    assert_eq!(
        count(
            &setup.look(),
            "SELECT count(*) FROM outbox WHERE kind = 'notdone'"
        ),
        0
    );
    daemon.stop_well();
}

#[test]
fn a_link_of_before_and_a_token_of_another_kind_open_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (setup, daemon, holder) = leaked(&folder);
    let alice = Browser::new(&daemon, &mut Mailbox::new(&setup.data.join("mail"), ALICE));
    let key = Key::load(&setup.data.join("key")).unwrap();
    let own = alice.home.split('/').nth(3).unwrap();
    let (number, tag) = own.split_once('-').unwrap();
    let database = setup.look();
    let sql = "SELECT id FROM players WHERE userid = 'alice'";
    let (player, generation) = (count(&database, sql), 0_i64);
    let message = [player.to_be_bytes(), generation.to_be_bytes()].concat();
    let encoded = |domain| {
        let tag = data_encoding::BASE32_NOPAD.encode(&key.tag(domain, &message));
        tag.to_lowercase()
    };
    // The tag that links had in letters before, when each opened everything.
    let before = format!("{number}-{}", encoded("page"));
    // The same way of making one gives the present link, so the one of before is made rightly.
    assert_eq!(tag, encoded("own page"));
    let mut mailbox = Mailbox::new(&setup.data.join("mail"), ALICE);
    let mails = mailbox.fetch();
    let letter = mails.iter().find(|mail| mail.subject.contains("Pow2 Board 101"));
    let reply = letter
        .unwrap()
        .reply_to
        .split(['+', '@'])
        .nth(1)
        .unwrap()
        .to_owned();
    let smaller = holder.home.split('/').nth(3).unwrap();
    for wrong in [
        before,
        reply.clone(),
        format!("b{reply}"),
        format!("k{}", &smaller[1..]),
        format!("l{}", &smaller[1..]),
        format!("b{}", &own[1..]),
    ] {
        for place in ["", "board/Pow2/101", "board/Pow2/101/turn"] {
            let answer = holder.get(&format!("/games/k/{wrong}/{place}"));
            assert_eq!(answer.status, 404, "{place}");
            assert!(
                answer
                    .body
                    .contains("answer any of your letters about a board with the word page"),
                "{place}: {}",
                answer.body
            );
        }
    }
    // No key is a reply token, and no click is one.
    for detail in [smaller, own] {
        let mut client = crate::daemon::smtp::Client::connect(daemon.port).unwrap();
        let message =
            crate::daemon::smtp::message(BOB, &format!("{detail}@home.example"), "Re: Pow2", "resign");
        let to = format!("pbmserv+{detail}@localhost");
        let _ = client.send_to(BOB, &[&to], &message);
    }
    for token in [&reply, smaller, own] {
        let form = fields(&[("List-Unsubscribe", "One-Click")]);
        let _ = holder.post(&format!("/games/u/{token}"), &form);
    }
    assert_eq!(state(&database), [2, 0, 0]);
    daemon.stop_well();
}
