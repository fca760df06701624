//! Turns by clicking: pages of the built program, opened without scripts, beside players who play by mail.

use std::collections::BTreeSet;

use tempfile::TempDir;

use crate::daemon::browser::{Browser, Form, form, links, parameter, with_pages};
use crate::daemon::http::{ALICE, BOB};
use crate::daemon::mailbox::Mailbox;
use crate::daemon::smtp::{Client, message, send};
use crate::daemon::{Daemon, Setup, count};

/// Two players, of whom alice has a browser.
struct Two {
    daemon: Daemon,
    setup: Setup,
    alice: Browser,
    mails: std::cell::Cell<u32>,
    _folder: TempDir,
}

impl Two {
    /// After the challenges with these options, `Pow2 challenge alice bob`.
    fn after(challenges: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let setup = with_pages(&Setup::new(folder.path()));
        let daemon = setup.serve();
        for (number, (from, subject)) in [(ALICE, "signup alice fig7elk"), (BOB, "signup bob oak4jay")]
            .into_iter()
            .chain(challenges.iter().map(|line| (ALICE, *line)))
            .enumerate()
        {
            send(
                daemon.port,
                from,
                &format!("first{number}@home.example"),
                subject,
                "",
            );
        }
        let mut mailbox = Mailbox::new(&setup.data.join("mail"), ALICE);
        let alice = Browser::new(&daemon, &mut mailbox);
        Self {
            daemon,
            setup,
            alice,
            mails: std::cell::Cell::new(0),
            _folder: folder,
        }
    }

    /// A mail of bob.
    fn bob(&self, subject: &str) {
        let number = self.mails.replace(self.mails.get() + 1);
        send(
            self.daemon.port,
            BOB,
            &format!("bob{number}@home.example"),
            subject,
            "",
        );
    }

    fn path(&self, game: &str, page: &str) -> String {
        format!("{}board/{game}/101/{page}", self.alice.home)
    }

    /// The turns of all boards, in order.
    fn turns(&self) -> Vec<String> {
        let database = self.setup.look();
        let mut turns = database
            .prepare("SELECT turn FROM turns ORDER BY board, ordinal")
            .unwrap();
        let turns = turns.query_map([], |row| row.get(0)).unwrap();
        turns.map(Result::unwrap).collect()
    }

    /// Everything that a request could change.
    fn state(&self) -> [i64; 4] {
        let database = self.setup.look();
        [
            "SELECT count(*) FROM turns",
            "SELECT count(*) FROM inbox",
            "SELECT count(*) FROM outbox",
            "SELECT count(*) FROM boards WHERE ended_at IS NULL AND offer IS NULL",
        ]
        .map(|sql| count(&database, sql))
    }
}

/// The turns of a game that was played, with its options; several of one player have commas between them.
fn playthrough(file: &str) -> (String, Vec<String>) {
    let (title, rest) = file.split_once('\n').unwrap();
    let turns = rest.lines().filter(|line| line.starts_with("Turn "));
    let last = |line: &str| line.split_whitespace().last().unwrap().to_owned();
    (title.to_owned(), turns.map(last).collect())
}

/// Alice clicks a whole game, bob plays it by mail.
fn plays(file: &str) {
    let (title, turns) = playthrough(file);
    let (game, options) = title.split_once(' ').unwrap_or((&title, ""));
    let two = Two::after(&[&format!("{game} challenge {options} alice bob")]);
    let path = two.path(game, "turn");
    let mut position = {
        let game = pbmserv_games::find(game).unwrap();
        let options = pbmserv_games::Options::parse(game.facts, options.split_whitespace()).unwrap();
        game.start(&options).unwrap()
    };
    let mut played = Vec::new();
    // Of Ringworm there is a game that was given up: here both pass instead.
    for turn in turns.iter().map(String::as_str).chain(["pass", "pass"]) {
        match position.to_move() {
            Some(pbmserv_games::Seat::First) => {
                let page = two.alice.choose(&path, turn);
                let after = two
                    .alice
                    .done(&path, &form(&page.body, "play").with("words", "Well, well."));
                assert_eq!(after.status, 200);
                assert!(
                    after.body.contains(&format!("alice played {turn}")) || turn == "pass",
                    "{}",
                    after.body
                );
            }
            Some(_) => two.bob(&format!("{game} move 101 bob oak4jay {turn}")),
            None => break,
        }
        played.extend(position.play_all(turn).unwrap());
    }
    assert!(position.to_move().is_none(), "{game} goes on after {turns:?}");
    assert_eq!(two.turns(), played);
    let page = two.alice.get(&path);
    assert!(page.body.contains("The game is over"), "{}", page.body);
    assert!(!page.body.contains("value=\"play\""));
    two.daemon.stop_well();
}

#[test]
fn forms_is_played_by_clicks_and_by_mail() {
    plays(include_str!("../../crates/games/tests/playthroughs/forms.txt"));
}

#[test]
fn pow2_is_played_by_clicks_and_by_mail() {
    plays(include_str!("../../crates/games/tests/playthroughs/pow2.txt"));
}

#[test]
fn ringworm_is_played_by_clicks_and_by_mail() {
    plays(include_str!("../../crates/games/tests/playthroughs/ringworm.txt"));
}

#[test]
fn shapechess_is_played_by_clicks_and_by_mail() {
    plays(include_str!(
        "../../crates/games/tests/playthroughs/shapechess.txt"
    ));
}

#[test]
fn whoever_opens_every_link_changes_nothing() {
    let two = Two::after(&["Pow2 challenge alice bob"]);
    two.setup.wait_for_delivery();
    let before = two.state();
    let (mut open, mut seen) = (
        vec![two.alice.home.clone(), two.path("Pow2", "turn")],
        BTreeSet::new(),
    );
    while let Some(path) = open.pop() {
        if seen.len() >= 500 || !seen.insert(path.clone()) {
            continue;
        }
        let page = two.alice.get(&path);
        // A whole turn of a line that is tried leads to the board after it.
        let is_known = matches!(page.status, 200 | 404) || page.status == 303 && path.contains("/try/");
        assert!(is_known, "{path}: {page:?}");
        let place = path.split_once('?').map_or(path.as_str(), |(place, _)| place);
        for link in links(&page.body) {
            match link.strip_prefix('?') {
                Some(query) => open.push(format!("{place}?{query}")),
                None if link.starts_with('/') => open.insert(0, link),
                None => {}
            }
        }
    }
    assert!(seen.len() > 60, "{seen:?}");
    assert_eq!(two.state(), before);
}

#[test]
fn a_form_that_is_sent_twice_plays_once_also_after_the_board_has_moved_on() {
    let two = Two::after(&["Pow2 challenge alice bob"]);
    let path = two.path("Pow2", "turn");
    let (page, other) = (
        two.alice.choose(&path, "m13-j7"),
        two.alice.choose(&path, "m13-k11"),
    );
    let played = form(&page.body, "play");
    for _ in 0..2 {
        let after = two.alice.done(&path, &played);
        assert!(after.body.contains("It is not your turn"), "{}", after.body);
        assert_eq!(two.turns(), ["m13-j7"]);
    }
    two.bob("Pow2 move 101 bob oak4jay a1-e1");
    let before = two.state();
    // The back button, and the same button again.
    assert!(two.alice.done(&path, &played).body.contains("Your turn, alice"));
    // A tab that was open for long: the same piece could still go there.
    let stale = two
        .alice
        .post(&path, &form(&other.body, "play").with("words", "Hello"));
    assert_eq!(stale.status, 409, "{stale:?}");
    let said = "Not played on Pow2 Board 101, alice: the board has moved on, and the page is from before your turn m13-j7.";
    assert!(stale.body.contains(said), "{}", stale.body);
    assert!(
        stale.body.contains(">Hello</textarea>"),
        "the words are not lost: {}",
        stale.body
    );
    assert_eq!(two.turns(), ["m13-j7", "a1-e1"]);
    assert_eq!(two.state()[0], before[0]);
}

#[test]
fn a_turn_can_be_typed_and_one_that_is_none_is_refused_on_the_page() {
    let two = Two::after(&["Pow2 challenge alice bob"]);
    let path = two.path("Pow2", "turn");
    two.setup.wait_for_delivery();
    let before = two.state();
    let typed = |turn: &str| two.alice.get(&format!("{path}?{}", parameter("turn", turn))).body;
    let wrong = typed("m13-d3");
    assert!(
        wrong.contains("m13-<mark>d3</mark>") && wrong.contains("There is no point d3 on this board."),
        "{wrong}"
    );
    // What the piece can do, and what was meant if that can be played.
    assert!(
        wrong.contains("?turn=m13-j7") && !wrong.contains("?turn=d2"),
        "{wrong}"
    );
    let near = typed("m13-j6");
    let meant = near.split_once("Possible:").unwrap_or_else(|| panic!("{near}")).1;
    assert!(
        meant.split_once("</ul>").unwrap().0.contains(">m13-j7</a>"),
        "{near}"
    );
    assert!(!wrong.contains("value=\"play\""));
    let whole = typed(" M13 - M5 ");
    assert!(
        whole.contains("<p class=\"far\">m13-m5:l4</p>") && whole.contains("You will have "),
        "{whole}"
    );
    assert!(whole.contains("href=\"mailto:pbmserv%2B"), "{whole}");
    assert!(typed("<script>").contains("&lt;script&gt;"));
    // A form need not come from the page.
    let forged = form(&whole, "play")
        .with("turn", "m13-d3")
        .with("words", "My words");
    let refused = two.alice.post(&path, &forged);
    assert_eq!(refused.status, 409, "{refused:?}");
    assert!(refused.body.contains("There is no point d3"), "{}", refused.body);
    assert_eq!(two.turns(), Vec::<String>::new());
    assert_eq!(two.state()[0], before[0]);
}

#[test]
fn a_turn_that_was_chosen_can_be_written_as_a_mail() {
    let two = Two::after(&["Pow2 challenge alice bob"]);
    let page = two.alice.choose(&two.path("Pow2", "turn"), "m13-j7").body;
    let mail = links(&page)
        .into_iter()
        .find(|link| link.starts_with("mailto:pbmserv%2B"));
    let mail = url::Url::parse(&mail.unwrap()).unwrap();
    let field = |wanted: &str| {
        let mut fields = mail.query_pairs();
        fields
            .find(|(name, _)| name == wanted)
            .map(|(_, text)| text.into_owned())
            .unwrap()
    };
    assert_eq!(
        (field("subject").as_str(), field("body").as_str()),
        ("Re: Pow2 Board 101 alice", "m13-j7")
    );
    let to = mail.path().replace("%2B", "+");
    let bytes = message(ALICE, "written@home.example", &field("subject"), &field("body"));
    let reply = Client::connect(two.daemon.port)
        .unwrap()
        .send_to(ALICE, &[&to], &bytes);
    assert!(reply.unwrap().starts_with("250"));
    assert_eq!(two.turns(), ["m13-j7"]);
}

#[test]
fn a_form_from_elsewhere_and_a_link_of_nobody_do_nothing() {
    let two = Two::after(&["Pow2 challenge alice bob"]);
    let path = two.path("Pow2", "turn");
    let play = form(&two.alice.choose(&path, "m13-j7").body, "play");
    for header in [
        "Origin: https://evil.example\r\n",
        "Origin: null\r\n",
        "Sec-Fetch-Site: cross-site\r\n",
    ] {
        assert_eq!(two.alice.post_with(&path, &play, header).status, 403, "{header}");
    }
    let nobody = path.replacen("/k/k", "/k/kb", 1);
    assert_eq!(two.alice.post(&nobody, &play).status, 404);
    assert_eq!(two.alice.get(&nobody).status, 404);
    assert_eq!(two.alice.get("/games/board/Pow2/101/turn").status, 404);
    for broken in [
        play.clone().with("do", "signoff"),
        play.clone().with("shown", "x"),
        Form { fields: Vec::new() },
    ] {
        assert_eq!(two.alice.post(&path, &broken).status, 400, "{broken:?}");
    }
    assert_eq!(two.turns(), Vec::<String>::new());
    // Text browsers say nothing of where they come from.
    assert_eq!(two.alice.post_with(&path, &play, "").status, 303);
    assert_eq!(two.turns(), ["m13-j7"]);
}

#[test]
fn offers_a_queue_words_and_the_end_go_by_buttons() {
    let two = Two::after(&["Pow2 challenge alice bob"]);
    let path = two.path("Pow2", "turn");
    let page = || two.alice.get(&path).body;
    assert!(
        !page().contains("value=\"undo\""),
        "there is no turn to take back: {}",
        page()
    );
    let press = |button: &str, fields: &[(&str, &str)]| {
        let form = fields.iter().fold(form(&page(), button), |form, (name, value)| {
            form.with(name, value)
        });
        two.alice.done(&path, &form).body
    };
    two.alice
        .done(&path, &form(&two.alice.choose(&path, "m13-j7").body, "play"));
    assert!(page().contains("value=\"undo\""), "{}", page());
    let queued = press("queue", &[("turn", "m1-m5")]);
    assert!(queued.contains("<li>if any then m1-m5</li>"), "{queued}");
    assert!(!press("unplan", &[]).contains("<li>if any"));
    press("queue", &[("turn", "m1-m5 then m5-m7")]);
    assert!(press("chat", &[("words", "Hello bob")]).contains("Your words go to bob"));
    let noted = press("note", &[("words", "the corner\r\nis <weak>")]);
    assert!(noted.contains("the corner<br>is &lt;weak&gt;"), "{noted}");
    two.setup.wait_for_delivery();
    let letters = Mailbox::new(&two.setup.data.join("mail"), BOB).fetch();
    assert!(
        letters.iter().all(|mail| !mail.text.contains("the corner")),
        "{letters:?}"
    );
    assert!(
        letters.iter().any(|mail| mail.text.contains("Hello bob")),
        "{letters:?}"
    );
    two.bob("Pow2 move 101 bob oak4jay a1-e1");
    assert_eq!(two.turns().len(), 3, "the queue has played");
    two.bob("Pow2 move 101 bob oak4jay propose");
    let offered = page();
    assert!(offered.contains("Accept the offer of a draw"), "{offered}");
    assert!(!press("reject", &[]).contains("Accept the offer"));
    let question = two.alice.get(&two.path("Pow2", "resign")).body;
    assert!(question.contains("Do you give the game to bob?"), "{question}");
    assert!(!page().contains("The game is over"));
    let over = two.alice.done(&path, &form(&question, "resign")).body;
    assert!(over.contains("The game is over"), "{over}");
}

#[test]
fn a_game_against_a_computer_begins_on_the_page_of_a_player() {
    let two = Two::after(&[]);
    let page = two.alice.get(&two.alice.home).body;
    for offered in [
        "<option>Reversi</option>",
        "<option>bot-easy</option>",
        "Play a computer",
    ] {
        assert!(page.contains(offered), "{offered}: {page}");
    }
    let begin = Form { fields: Vec::new() }
        .with("form", "a-form")
        .with("game", "Reversi")
        .with("opponent", "bot-easy");
    for _ in 0..2 {
        let after = two.alice.post(&format!("{}begin", two.alice.home), &begin);
        assert_eq!(after.status, 303, "{after:?}");
        assert_eq!(count(&two.setup.look(), "SELECT count(*) FROM boards"), 1);
    }
}
