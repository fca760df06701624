//! A forged mail silences nobody.

use std::fs;
use std::path::Path;

use crate::daemon::http::{ALICE, BOB};
use crate::daemon::mailbox::{Mail, files, of};
use crate::daemon::smtp::{Client, stuffed};
use crate::daemon::{Daemon, SERVER, Setup};

/// The name of the mail server that authenticates senders.
pub(super) const MX: &str = "mx.home.example";

/// A setup with the limits that a server has by default.
pub(super) fn as_delivered(folder: &Path) -> Setup {
    [
        ("MAILS_AN_HOUR", "120"),
        ("REFUSALS_A_DAY", "50"),
        ("ANSWERS_A_DAY", "500"),
        ("STRANGERS_ANSWERS_A_DAY", "30"),
        ("CHALLENGES_A_DAY", "30"),
        ("MESSAGES_A_DAY", "50"),
    ]
    .into_iter()
    .fold(Setup::new(folder), |setup, (limit, value)| {
        setup.with(&format!("PBMSERV_LIMITS_{limit}"), value)
    })
}

/// The same where senders must be authenticated.
pub(super) fn authenticating(folder: &Path) -> Setup {
    as_delivered(folder)
        .with("PBMSERV_AUTH_REQUIRE", "dmarc")
        .with("PBMSERV_AUTH_AUTHSERV_ID", MX)
}

/// People who write, each mail with a Message-ID of its own.
pub(super) struct Post<'a> {
    pub(super) setup: &'a Setup,
    client: Client,
    sent: u32,
}

impl<'a> Post<'a> {
    pub(super) fn new(setup: &'a Setup, daemon: &Daemon) -> Self {
        Self {
            setup,
            client: Client::connect(daemon.port).unwrap(),
            sent: 0,
        }
    }

    /// Sends a mail with this envelope, these first fields, and this text. It must be accepted.
    pub(super) fn hand_in(&mut self, [sender, recipient]: [&str; 2], fields: &str, text: &str) {
        self.sent += 1;
        for line in [
            format!("MAIL FROM:<{sender}>"),
            format!("RCPT TO:<{recipient}>"),
            "DATA".to_owned(),
        ] {
            let reply = self.client.say(&line).unwrap();
            assert!(reply.starts_with(['2', '3']), "{line}: {reply}");
        }
        let (id, text) = (self.sent, text.replace('\n', "\r\n"));
        let message = format!("{fields}Message-ID: <{id}@home.example>\r\n\r\n{text}\r\n");
        self.client.write(&stuffed(message.as_bytes())).unwrap();
        let reply = self.client.reply().unwrap();
        assert!(reply.starts_with("250"), "{reply}");
    }

    /// Sends a mail as this person, or as anybody who forges the sender.
    pub(super) fn send(&mut self, from: &str, subject: &str, text: &str) {
        let fields = format!("From: {from}\r\nSubject: {subject}\r\n");
        self.hand_in([from, SERVER], &fields, text);
    }

    /// Sends a mail that the mail server before this one has authenticated.
    fn send_authenticated(&mut self, from: &str, subject: &str) {
        let domain = from.split('@').next_back().unwrap();
        let fields = format!(
            "Authentication-Results: {MX}; dmarc=pass header.from={domain}\r\nFrom: {from}\r\nSubject: {subject}\r\n"
        );
        self.hand_in([from, SERVER], &fields, "");
    }

    /// Answers the newest mail with a token, to that token, from an address.
    pub(super) fn answer(&mut self, reader: &str, from: &str, text: &str) {
        let newest = self.raw(reader).into_iter().rev().find_map(|mail| {
            let field = mail.lines().find(|line| line.starts_with("Reply-To:"))?;
            Some(field.split(' ').next_back()?.to_owned())
        });
        let fields = format!("From: {from}\r\nSubject: Re: your turn\r\n");
        self.hand_in([from, &newest.unwrap()], &fields, text);
    }

    /// What an address has got, in the order of sending.
    pub(super) fn mails(&self, address: &str) -> Vec<Mail> {
        self.setup.wait_for_delivery();
        of(&self.setup.data.join("mail").join(address))
    }

    /// The same as it was sent.
    pub(super) fn raw(&self, address: &str) -> Vec<String> {
        self.setup.wait_for_delivery();
        let new = self.setup.data.join("mail").join(address).join("new");
        let paths = files(&new);
        paths
            .iter()
            .map(|path| fs::read_to_string(path).unwrap())
            .collect()
    }

    /// How many mails of an address have this text.
    pub(super) fn count(&self, address: &str, text: &str) -> usize {
        let mails = self.mails(address);
        let has = |mail: &&Mail| mail.text.replace('\n', " ").contains(text);
        mails.iter().filter(has).count()
    }
}

#[test]
fn mails_in_the_name_of_a_player_take_nothing_from_what_the_player_proves() {
    for (requires, setup) in [
        (false, as_delivered as fn(&Path) -> Setup),
        (true, authenticating),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let setup = setup(folder.path());
        let daemon = setup.serve();
        let mut post = Post::new(&setup, &daemon);
        post.send_authenticated(ALICE, "signup alice fig7elk");
        post.send_authenticated(BOB, "signup bob oak4jay");
        let begin = "Pow2 challenge alice bob";
        if !requires {
            post.send(ALICE, begin, "");
        }
        for _ in 0..125 {
            post.send(ALICE, "help", "");
        }
        if requires {
            post.send_authenticated(ALICE, begin);
        }
        assert_eq!(post.count(ALICE, "Pow2 Board 101 has begun"), 1, "{requires}");
        post.send(ALICE, "Pow2 move 101 alice fig7elk m1-e1:d2", "");
        let played = [(ALICE, "You"), (BOB, "alice")]
            .map(|(player, who)| post.count(player, &format!("{who} played m1-e1:d2")));
        assert_eq!(played, [1, 1], "{requires}: the move is played and answered");
        post.answer(ALICE, ALICE, "chat\n\nhello bob");
        assert_eq!(post.count(BOB, "hello bob"), 1, "{requires}: the token is served");
        let fates = "SELECT COUNT(*) FROM inbox WHERE state = 'dropped' AND proven = 1";
        assert_eq!(crate::daemon::count(&setup.look(), fates), 0);
        daemon.stop_well();
    }
}

#[test]
fn forged_lists_do_not_use_up_the_answers_of_a_day() {
    let folder = tempfile::tempdir().unwrap();
    let setup = as_delivered(folder.path());
    let daemon = setup.serve();
    let mut post = Post::new(&setup, &daemon);
    post.send(ALICE, "signup alice fig7elk", "");
    post.send(BOB, "signup bob oak4jay", "");
    post.send(ALICE, "Forms challenge alice bob -size=4", "");
    let before = post.mails(ALICE).len();
    for _ in 0..5 {
        post.send(ALICE, "multiple", &"Forms record 101\n".repeat(100));
    }
    let got = post.mails(ALICE).len() - before;
    assert!(got <= 5 * 6, "{got}: five records and a transcript for each");
    for _ in 0..3 {
        post.send(ALICE, "set alice fig7elk small", "");
    }
    assert_eq!(
        post.mails(ALICE).len() - before - got,
        3,
        "what is proven is answered"
    );
    daemon.stop_well();
}

#[test]
fn the_last_answer_of_a_day_says_so_and_commands_are_carried_out_after_it() {
    let folder = tempfile::tempdir().unwrap();
    let setup = as_delivered(folder.path()).with("PBMSERV_LIMITS_ANSWERS_A_DAY", "3");
    let daemon = setup.serve();
    let mut post = Post::new(&setup, &daemon);
    post.send(ALICE, "signup alice fig7elk", "");
    let before = post.mails(ALICE).len();
    for size in ["small", "large", "small", "large", "small"] {
        post.send(ALICE, &format!("Pow2 set alice fig7elk {size}"), "");
    }
    let mails = post.raw(ALICE).split_off(before);
    assert_eq!(mails.len(), 3);
    let says = |mail: &String| {
        mail.replace("=\r\n", "")
            .replace("=\n", "")
            .matches("last answer")
            .count()
    };
    assert_eq!(
        mails.iter().map(says).collect::<Vec<_>>(),
        [0, 0, 2],
        "in its text and its HTML"
    );
    assert_eq!(post.count(ALICE, "again from "), 1);
    assert_eq!(post.count(ALICE, "00:00 UTC. Commands are still carried out."), 1);
    let shown: String = setup
        .look()
        .query_row("SELECT display FROM displays", [], |row| row.get(0))
        .unwrap();
    assert_eq!(shown, "small", "the fifth command was carried out");
    daemon.stop_well();
}

#[test]
fn a_list_with_a_password_is_served_beyond_the_hour_whatever_stands_above_it() {
    let folder = tempfile::tempdir().unwrap();
    let setup = as_delivered(folder.path()).with("PBMSERV_LIMITS_MAILS_AN_HOUR", "2");
    let daemon = setup.serve();
    let mut post = Post::new(&setup, &daemon);
    post.send(ALICE, "signup alice fig7elk", "");
    for _ in 0..3 {
        post.send(ALICE, "help", "");
    }
    post.send(ALICE, "multiple", "list\nPow2 set alice fig7elk small\nlist\n");
    assert_eq!(post.count(ALICE, "You will now get the small board of Pow2."), 1);
    assert_eq!(
        post.count(ALICE, "2 of the 3 commands in your mail were done, 1 was not."),
        1
    );
    daemon.stop_well();
}

#[test]
fn whoever_bears_a_token_is_answered_where_senders_must_be_authenticated() {
    let folder = tempfile::tempdir().unwrap();
    let setup = authenticating(folder.path());
    let daemon = setup.serve();
    let mut post = Post::new(&setup, &daemon);
    post.send_authenticated(ALICE, "signup alice fig7elk");
    post.send_authenticated(BOB, "signup bob oak4jay");
    post.send_authenticated(ALICE, "Forms challenge alice bob -size=4");
    let before = post.mails(ALICE).len();
    // A look, a list, a refusal, and no command at all: each without authentication, from another address.
    for text in ["show", "Forms games\nlist\n", "z99", "thank you for the game"] {
        post.answer(ALICE, "alice@elsewhere.example", text);
    }
    assert_eq!(post.mails(ALICE).len() - before, 4);
    assert!(post.mails("alice@elsewhere.example").is_empty());
    let unproven = "SELECT COUNT(*) FROM inbox WHERE proven = 0";
    assert_eq!(crate::daemon::count(&setup.look(), unproven), 0);
    daemon.stop_well();
}
