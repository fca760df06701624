//! Changes by the operator, with a running daemon and without one.

use crate::daemon::mailbox::Mailbox;
use crate::daemon::{self, Setup, count};

const ALICE: &str = "alice@home.example";
const BOB: &str = "bob@home.example";

fn fill(setup: &Setup) {
    setup.done(&["mail", ALICE, "signup alice fig7elk"]);
    setup.done(&["mail", BOB, "signup bob oak4jay"]);
    setup.done(&["mail", ALICE, "Pow2 challenge alice bob"]);
}

/// The verb fails with one sentence that contains these words, and nothing is changed.
#[track_caller]
fn refused(setup: &Setup, words: &[&str], why: &str) {
    let before = count(&setup.look(), "SELECT COUNT(*) FROM audit");
    let output = setup.run(words);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{words:?}: {error}");
    assert!(error.contains(why), "{words:?}: {error}");
    assert_eq!(error.trim_end().lines().count(), 1, "{error}");
    assert_eq!(count(&setup.look(), "SELECT COUNT(*) FROM audit"), before);
}

/// The texts of all mails delivered to this address.
fn mails(setup: &Setup, address: &str) -> String {
    setup.wait_for_delivery();
    let mails = Mailbox::new(&setup.data.join("mail"), address).fetch();
    mails
        .into_iter()
        .map(|mail| format!("{}\n{}\n", mail.subject, mail.text))
        .collect()
}

#[test]
fn an_account_is_made_closed_opened_renamed_and_erased_by_hand() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    fill(&setup);
    let daemon = setup.serve();
    let why = ["--why", "she asked on the telephone"];
    let verb = |words: &[&str]| setup.done(&[words, &why].concat());

    let printed = verb(&["user", "add", "carol", "carol@home.example", "--confirmed"]);
    let password = printed
        .lines()
        .find_map(|line| line.strip_prefix("the password is "))
        .unwrap();
    assert!(mails(&setup, "carol@home.example").contains("Welcome"));
    let set = setup.done(&[
        "mail",
        "carol@home.example",
        &format!("Pow2 set carol {password} small"),
    ]);
    assert!(set.contains("You will now get the small board"), "{set}");

    verb(&["user", "disable", "alice"]);
    assert!(mails(&setup, ALICE).contains("The account of alice is closed by the operator."));
    assert!(mails(&setup, ALICE).contains("she asked on the telephone"));
    let turn = setup.done(&["mail", ALICE, "Pow2 move 101 alice fig7elk m13-m5"]);
    assert!(turn.contains("is closed by the operator"), "{turn}");
    let challenge = setup.done(&["mail", BOB, "Pow2 challenge bob alice"]);
    assert!(challenge.contains("takes no challenges"), "{challenge}");
    assert_eq!(count(&setup.look(), "SELECT COUNT(*) FROM boards"), 1);
    refused(
        &setup,
        &[&["user", "disable", "alice"][..], &why].concat(),
        "closed already",
    );
    verb(&["user", "enable", "alice"]);
    let turn = setup.done(&["mail", ALICE, "Pow2 move 101 alice fig7elk m13-m5"]);
    assert!(turn.contains("You played m13-m5:l4"), "{turn}");

    verb(&["user", "rename", "alice", "Alicia"]);
    assert!(setup.done(&["board", "show", "Pow2", "101"]).contains("Alicia"));
    refused(
        &setup,
        &[&["user", "rename", "Alicia", "bob"][..], &why].concat(),
        "is taken",
    );
    refused(
        &setup,
        &[&["user", "rename", "Alicia", "pow2"][..], &why].concat(),
        "has a meaning of its own",
    );

    verb(&["user", "address", "add", "bob", "bob@work.example"]);
    assert!(mails(&setup, "bob@work.example").contains("confirm"));
    refused(
        &setup,
        &[&["user", "address", "remove", "bob", BOB][..], &why].concat(),
        "last confirmed",
    );
    verb(&["user", "address", "remove", "bob", "bob@work.example"]);

    verb(&["user", "erase", "bob"]);
    assert!(mails(&setup, BOB).contains("is erased by the operator"));
    refused(
        &setup,
        &[&["user", "erase", "bob"][..], &why].concat(),
        "no player called bob",
    );
    daemon.stop_well();

    let log = setup.done(&["audit", "--json"]);
    let log: Vec<serde_json::Value> = serde_json::from_str(&log).unwrap();
    assert_eq!(log.len(), 7);
    assert!(
        log.iter()
            .all(|row| row["why"] == "she asked on the telephone" && row["who"] != "")
    );
    assert!(
        !log.iter()
            .any(|row| row.to_string().contains("bob") && row["verb"] == "user erase")
    );
    let about = setup.done(&["audit", "carol"]);
    assert!(
        about.contains("user add") && !about.contains("disable"),
        "{about}"
    );
}

#[test]
fn a_password_is_read_from_standard_input_and_stands_nowhere() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    fill(&setup);
    let words = ["user", "passwd", "alice", "--password-stdin", "--why", "lost"];
    let output = setup.run_with(&words, b"brandnew7\n");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(!String::from_utf8_lossy(&output.stdout).contains("brandnew7"));
    let set = setup.done(&["mail", ALICE, "Pow2 set alice brandnew7 small"]);
    assert!(set.contains("small board"), "{set}");
    let set = setup.done(&["mail", ALICE, "Pow2 set alice fig7elk small"]);
    assert!(set.contains("not the password"), "{set}");
    assert!(!setup.done(&["audit"]).contains("brandnew7"));
    let output = setup.run_with(&words, b"short\n");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn mails_to_send_are_shown_held_dropped_and_tried_again() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    let stuck = setup
        .with("PBMSERV_DELIVERY_TRANSPORT", "smtp")
        .with("PBMSERV_DELIVERY_URL", "smtp://127.0.0.1:1");
    let daemon = stuck.serve();
    stuck.done(&["mail", ALICE, "signup alice fig7elk"]);
    stuck.done(&["mail", ALICE, "help"]);
    let shown = stuck.done(&["queue", "show", "2"]);
    assert!(
        shown.contains("To: alice@home.example") && shown.contains("Subject: Help"),
        "{shown}"
    );
    let taken = stuck.done(&["queue", "show", "1", "--inbox"]);
    assert!(
        taken.contains("signup alice ******") && !taken.contains("fig7elk"),
        "{taken}"
    );
    stuck.done(&["queue", "hold", "1"]);
    stuck.done(&["queue", "drop", "2", "--why", "no need"]);
    refused(&stuck, &["queue", "hold", "2"], "no waiting mail 2");
    refused(&stuck, &["queue", "show", "7"], "no mail 7");
    daemon.stop_well();
    let daemon = setup.serve();
    setup.wait_for_delivery();
    assert!(mails(&setup, ALICE).is_empty(), "one is held, one is dropped");
    setup.done(&["queue", "retry", "1"]);
    assert!(mails(&setup, ALICE).contains("Welcome"));
    assert!(setup.done(&["audit"]).contains("no need"));
    daemon.stop_well();
}

#[test]
fn an_announcement_goes_to_all_who_are_here() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    fill(&setup);
    setup.done(&["mail", BOB, "signoff bob oak4jay"]);
    let output = setup.run_with(&["announce"], b"The server moves tonight.\n");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(mails(&setup, ALICE).contains("The server moves tonight."));
    assert!(!mails(&setup, BOB).contains("The server moves tonight."));
    let output = setup.run_with(&["announce"], b" \n");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_mail_whose_handling_failed_comes_again_when_the_fault_is_mended() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    fill(&setup);
    setup.done(&["mail", ALICE, "Pow2 move 101 alice fig7elk m13-m5"]);
    let tamper = |turn: &str| {
        let conn = rusqlite::Connection::open(setup.database()).unwrap();
        assert_eq!(conn.execute("UPDATE turns SET turn = ?1", [turn]).unwrap(), 1);
    };
    let turn: String = setup
        .look()
        .query_row("SELECT turn FROM turns", [], |row| row.get(0))
        .unwrap();
    tamper("a1-a1");
    let printed = setup.done(&["mail", BOB, "Pow2 move 101 bob oak4jay a1-e1"]);
    assert!(printed.contains("fault"), "{printed}");
    let failed = setup.done(&["queue", "list", "--inbox", "--state", "failed", "--json"]);
    let failed: serde_json::Value = serde_json::from_str(&failed).unwrap();
    let number = failed[0]["id"].to_string();
    assert!(
        setup
            .done(&["queue", "show", "--inbox", &number])
            .contains("Kept in: ")
    );
    tamper(&turn);
    let printed = setup.done(&[
        "queue",
        "retry",
        "--inbox",
        &number,
        "--why",
        "the turn is mended",
    ]);
    assert!(printed.trim_end().ends_with("done"), "{printed}");
    assert!(
        setup
            .done(&["board", "show", "Pow2", "101"])
            .contains("bob: a1-e1")
    );
    assert!(
        setup
            .done(&["queue", "show", "--inbox", &number])
            .contains("tried again as mail")
    );
    refused(&setup, &["queue", "retry", "--inbox", &number], "not stored");
}

/// A ruling, with a reason that all players concerned must get.
fn rule(setup: &Setup, words: &[&str]) -> String {
    setup.done(&[&["board"], words, &["--why", "the cat ate the mail"]].concat())
}

#[track_caller]
fn not_ruled(setup: &Setup, words: &[&str], why: &str) {
    let words = [&["board"], words, &["--why", "x"]].concat();
    let state = || {
        let sql = "SELECT group_concat(number || ' ' || turns || ' ' || first_player || ' ' || second_player || ' ' || \
                   COALESCE(result, '-') || ' ' || COALESCE(due_at, '-'), '; ') FROM boards";
        let boards: String = setup.look().query_row(sql, [], |row| row.get(0)).unwrap();
        (boards, count(&setup.look(), "SELECT COUNT(*) FROM outbox"))
    };
    let before = state();
    refused(setup, &words, why);
    assert_eq!(state(), before, "{words:?}");
}

/// The new mails to each of these addresses contain these words and the reason.
#[track_caller]
fn all_read(setup: &Setup, boxes: &mut [Mailbox], words: &str) {
    setup.wait_for_delivery();
    for mailbox in boxes {
        let mails = mailbox.fetch();
        let is_told = |mail: &daemon::mailbox::Mail| {
            let text = mail.text.split_whitespace().collect::<Vec<_>>().join(" ");
            text.contains(words) && text.contains("the cat ate the mail")
        };
        assert!(mails.iter().any(is_told), "{words}: {mails:#?}");
    }
}

fn json(setup: &Setup, words: &[&str]) -> serde_json::Value {
    serde_json::from_str(&setup.done(&[words, &["--json"]].concat())).unwrap()
}

/// All rulings on boards, by a running daemon or without one.
fn rulings(setup: &Setup) {
    let mailbox = |address: &str| Mailbox::new(&setup.data.join("mail"), address);
    let carol = "carol@home.example";
    setup.done(&["mail", carol, "signup carol bay5owl"]);
    setup.done(&["mail", carol, "Pow2 subscribe 101 carol bay5owl"]);
    let mut all = [mailbox(ALICE), mailbox(BOB), mailbox(carol)];
    setup.wait_for_delivery();
    for mailbox in &mut all {
        mailbox.fetch();
    }

    // A turn, after which the other player's queued turn is played.
    setup.done(&["mail", BOB, "Pow2 queue 101 bob oak4jay a1-e1"]);
    not_ruled(
        setup,
        &["turn", "Pow2", "101", "bob", "a1-e1"],
        "It is the turn of alice",
    );
    not_ruled(setup, &["turn", "Pow2", "101", "alice", "a1-e1"], "Not played");
    not_ruled(
        setup,
        &["turn", "Pow2", "101", "dora", "m13-j7"],
        "no player called dora",
    );
    not_ruled(
        setup,
        &["turn", "Pow2", "107", "alice", "m13-j7"],
        "There is no Pow2 Board 107.",
    );
    not_ruled(setup, &["undo", "Pow2", "101"], "no turn to take back");
    let printed = rule(setup, &["turn", "pow2", "101", "alice", "m13-j7"]);
    assert_eq!(printed, "Pow2 101: m13-j7 played for alice\n");
    all_read(setup, &mut all, "played m13-j7 on Pow2 Board 101. Then ");
    rule(setup, &["undo", "Pow2", "101"]);
    all_read(
        setup,
        &mut all,
        "The operator has taken a1-e1 back on Pow2 Board 101.",
    );
    let board = json(setup, &["board", "show", "Pow2", "101"]);
    assert_eq!(
        (&board["turns"], &board["to_move"]),
        (&1.into(), &"second".into())
    );
    assert_eq!(board["played"][0]["turn"], "m13-j7");

    // More time, but never more than the terms allow, and never less than is left.
    not_ruled(setup, &["clock", "Pow2", "101", "--days", "22"], "1 to 21 days");
    not_ruled(setup, &["clock", "Pow2", "101", "--days", "0"], "1 to 21 days");
    not_ruled(setup, &["clock", "Pow2", "101", "--days", "3"], "or more");
    rule(setup, &["clock", "Pow2", "101", "--days", "21"]);
    all_read(
        setup,
        &mut all,
        "The operator gives bob time to move on Pow2 Board 101: 21 days from now.",
    );

    not_ruled(setup, &["end", "Pow2", "102", "first"], "no Pow2 Board 102");
    rule(setup, &["end", "Pow2", "101", "second"]);
    all_read(setup, &mut all, "The operator has decided Pow2 Board 101: ");
    for verb in [&["undo", "Pow2", "101"][..], &["end", "Pow2", "101", "draw"]] {
        not_ruled(setup, verb, "Pow2 Board 101 is over.");
    }
    let shown = json(setup, &["board", "list", "--all"]);
    assert_eq!(
        (&shown[0]["result"], &shown[0]["by"]),
        (&"second".into(), &"adjudication".into())
    );

    setup.done(&["mail", ALICE, "Forms challenge alice bob"]);
    not_ruled(setup, &["end", "Forms", "101", "draw"], "Forms has no draws");
    rule(setup, &["void", "Forms", "101"]);
    all_read(
        setup,
        &mut all[..2],
        "The operator has declared Forms Board 101 void",
    );
    assert_eq!(count(&setup.look(), "SELECT COUNT(*) FROM rated"), 1);
    let record = setup.done(&["mail", ALICE, "Forms record 101"]);
    assert!(
        record.contains("Forms Board 101 is void: it has no record."),
        "{record}"
    );

    // A finished and counted game is declared void.
    rule(setup, &["void", "Pow2", "101"]);
    all_read(
        setup,
        &mut all[..2],
        "The operator has declared Pow2 Board 101 void after its end: it counts for nobody. \
         The ratings are computed again without it.",
    );
    let sql = "SELECT (SELECT COUNT(*) FROM rated) + (SELECT COUNT(*) FROM ratings)";
    assert_eq!(count(&setup.look(), sql), 0);
    not_ruled(setup, &["void", "Pow2", "101"], "counts for nobody already");

    let log = json(setup, &["audit", "Pow2 101"]);
    let verbs: Vec<_> = log
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["verb"].as_str().unwrap())
        .collect();
    assert_eq!(
        verbs,
        [
            "board void",
            "board end",
            "board clock",
            "board undo",
            "board turn"
        ]
    );
    assert!(
        log.as_array()
            .unwrap()
            .iter()
            .all(|row| row["why"] == "the cat ate the mail")
    );
    let unsaid = ["board", "undo", "Pow2", "101"];
    assert_eq!(
        setup.run(&unsaid).status.code(),
        Some(2),
        "a reason must be given"
    );
    refused(setup, &[&unsaid[..], &["--why", " "]].concat(), "Say why");
}

#[test]
fn a_running_server_rules_on_boards() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    fill(&setup);
    let daemon = setup.serve();
    rulings(&setup);
    daemon.stop_well();
}

#[test]
fn boards_are_ruled_on_without_a_server() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    fill(&setup);
    rulings(&setup);
}

#[test]
fn a_substitute_takes_a_seat_with_all_its_time() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    fill(&setup);
    let carol = "carol@home.example";
    setup.done(&["mail", carol, "signup carol bay5owl"]);
    setup.done(&["mail", ALICE, "Pow2 move 101 alice fig7elk m13-j7"]);
    setup.done(&["mail", ALICE, "Pow2 queue 101 alice fig7elk m1-m5"]);
    setup.done(&["mail", ALICE, "Pow2 move 101 alice fig7elk propose"]);
    let set = |sql: &str| {
        let conn = rusqlite::Connection::open(setup.database()).unwrap();
        conn.execute(sql, []).unwrap()
    };
    set("UPDATE boards SET first_used = 864000000, second_used = 432000000");
    not_ruled(
        &setup,
        &["reseat", "Pow2", "101", "carol", "alice"],
        "carol does not play on",
    );
    not_ruled(
        &setup,
        &["reseat", "Pow2", "101", "alice", "bob"],
        "bob plays on Pow2 Board 101 already.",
    );
    not_ruled(
        &setup,
        &["reseat", "Pow2", "101", "alice", "dora"],
        "no player called dora",
    );
    setup.done(&["user", "disable", "carol", "--why", "x"]);
    not_ruled(
        &setup,
        &["reseat", "Pow2", "101", "alice", "carol"],
        "The account of carol is closed.",
    );
    setup.done(&["user", "enable", "carol", "--why", "x"]);
    let daemon = setup.serve();
    let mut all = [ALICE, BOB, carol].map(|address| Mailbox::new(&setup.data.join("mail"), address));
    setup.wait_for_delivery();
    for mailbox in &mut all {
        mailbox.fetch();
    }
    rule(&setup, &["reseat", "Pow2", "101", "alice", "carol"]);
    setup.wait_for_delivery();
    let [_, _, of_carol] = &mut all;
    let read: Vec<_> = of_carol.fetch();
    assert_eq!(read.len(), 1, "{read:#?}");
    assert!(
        read[0]
            .text
            .contains("carol plays in the place of alice on Pow2 Board 101")
    );
    assert!(
        !read[0].text.contains("m1-m5"),
        "what alice had queued is alice's: {}",
        read[0].text
    );
    assert!(!read[0].text.contains("offers a draw"), "{}", read[0].text);
    all_read(
        &setup,
        &mut all[..2],
        "carol plays in the place of alice on Pow2 Board 101 from now on.",
    );
    let one = |sql: &str| count(&setup.look(), sql);
    assert_eq!(one("SELECT first_used FROM boards"), 0);
    assert!(one("SELECT second_used FROM boards") >= 432_000_000);
    assert_eq!(
        one("SELECT COUNT(*) FROM boards WHERE plan IS NULL AND plan_by IS NULL AND offer IS NULL"),
        1
    );
    let old = setup.done(&["mail", ALICE, "Pow2 resign 101 alice fig7elk"]);
    assert!(old.contains("alice does not play on Pow2 Board 101"), "{old}");
    setup.done(&["mail", BOB, "Pow2 move 101 bob oak4jay a1-e1"]);
    let new = setup.done(&["mail", carol, "Pow2 move 101 carol bay5owl m1-m5"]);
    assert!(new.contains("You played m1-m5"), "{new}");

    // The new player is on vacation, so the clock stands still.
    setup.done(&["mail", ALICE, "vacation alice fig7elk 5"]);
    rule(&setup, &["reseat", "Pow2", "101", "bob", "alice"]);
    assert_eq!(
        one("SELECT COUNT(*) FROM boards WHERE clock_since IS NULL AND due_at IS NULL AND second_used = 0"),
        1
    );
    setup.done(&["mail", ALICE, "vacation alice fig7elk off"]);
    assert_eq!(
        one("SELECT COUNT(*) FROM boards WHERE clock_since IS NOT NULL AND due_at IS NOT NULL"),
        1
    );
    daemon.stop_well();
}

#[test]
fn a_board_that_does_not_replay_is_looked_at_and_declared_void() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    fill(&setup);
    setup.done(&["mail", ALICE, "Pow2 move 101 alice fig7elk m13-m5"]);
    let conn = rusqlite::Connection::open(setup.database()).unwrap();
    conn.execute("UPDATE turns SET turn = 'a1-a1'", []).unwrap();
    drop(conn);
    let shown = setup.done(&["board", "show", "Pow2", "101"]);
    assert!(
        shown.contains("alice: a1-a1") && shown.contains("does not replay at turn 1"),
        "{shown}"
    );
    for words in [
        &["turn", "Pow2", "101", "bob", "a1-e1"][..],
        &["undo", "Pow2", "101"],
        &["end", "Pow2", "101", "draw"],
        &["clock", "Pow2", "101", "--days", "21"],
        &["reseat", "Pow2", "101", "alice", "bob"],
    ] {
        not_ruled(&setup, words, "all that can be done is to void it");
    }
    let mut all = [ALICE, BOB].map(|address| Mailbox::new(&setup.data.join("mail"), address));
    rule(&setup, &["void", "Pow2", "101"]);
    all_read(
        &setup,
        &mut all,
        "The operator has declared Pow2 Board 101 void: it is over, and counts for nobody.",
    );
    let output = setup.run(&["check"]);
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(printed.contains("ok     boards: 0 run"), "{printed}");
}

#[test]
fn what_is_listed_is_there_as_json_too() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    fill(&setup);
    setup.done(&["mail", ALICE, "Pow2 move 101 alice fig7elk m13-j7"]);
    setup.done(&["mail", BOB, "signoff bob wrong99"]);
    setup.done(&["user", "disable", "bob", "--why", "x"]);
    let users = json(&setup, &["user", "list"]);
    assert_eq!(users[0]["userid"], "alice");
    assert_eq!(users[0]["addresses"][0]["address"], ALICE);
    assert_eq!(
        (&users[0]["state"], &users[1]["state"]),
        (&"active".into(), &"disabled".into())
    );
    assert_eq!(
        (&users[0]["running"], &users[1]["running"]),
        (&1.into(), &1.into())
    );
    let alice = json(&setup, &["user", "show", "alice"]);
    assert_eq!(alice["displays"]["Pow2"], "large");
    assert_eq!(
        (&alice["boards"][0]["first"], &alice["boards"][0]["turns"]),
        (&"alice".into(), &1.into())
    );
    let boards = json(&setup, &["board", "list", "Pow2"]);
    assert_eq!(
        (&boards[0]["number"], &boards[0]["result"]),
        (&101.into(), &serde_json::Value::Null)
    );
    let mail = json(&setup, &["queue", "show", "1"]);
    assert_eq!(
        (&mail["recipient"], &mail["state"]),
        (&ALICE.into(), &"sent".into())
    );
    assert!(mail["text"].as_str().unwrap().contains("alice"));
    let taken = json(&setup, &["queue", "show", "1", "--inbox"]);
    assert_eq!(taken["commands"], "signup alice ******");
    let stats = json(&setup, &["stats"]);
    assert_eq!(
        (&stats["players"], &stats["playing"], &stats["turns"]),
        (&1.into(), &1.into(), &1.into())
    );
    assert_eq!(
        stats["boards"],
        serde_json::json!([{"game": "Pow2", "running": 1, "over": 0}])
    );
    assert_eq!(
        stats["taken_in_a_day"],
        serde_json::json!({"done": 4, "refused": 1})
    );
    let printed = setup.done(&["stats"]);
    assert!(printed.contains("Pow2: 1 boards running, 0 over"), "{printed}");
    let list = setup.done(&["user", "list"]);
    assert!(list.contains("disabled"), "{list}");
}
