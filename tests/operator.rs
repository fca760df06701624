//! What the operator changes by hand, with a running daemon and without one.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test says what must hold by failing, and tells of its run"
)]

#[expect(dead_code, reason = "each file of tests uses its part")]
mod daemon;

use daemon::mailbox::Mailbox;
use daemon::{House, count};

const ALICE: &str = "alice@home.example";
const BOB: &str = "bob@home.example";

fn fill(house: &House) {
    house.done(&["mail", ALICE, "signup alice secret1"]);
    house.done(&["mail", BOB, "signup bob secret2"]);
    house.done(&["mail", ALICE, "Pow2 challenge alice bob"]);
}

/// The verb is refused in one sentence that holds these words, and nothing is changed.
#[track_caller]
fn refused(house: &House, words: &[&str], why: &str) {
    let before = count(&house.look(), "SELECT COUNT(*) FROM audit");
    let output = house.run(words);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{words:?}: {error}");
    assert!(error.contains(why), "{words:?}: {error}");
    assert_eq!(error.trim_end().lines().count(), 1, "{error}");
    assert_eq!(count(&house.look(), "SELECT COUNT(*) FROM audit"), before);
}

/// The texts of all mails delivered to this address.
fn mails(house: &House, address: &str) -> String {
    house.wait_for_delivery();
    let mails = Mailbox::new(&house.data.join("mail"), address).fetch();
    mails
        .into_iter()
        .map(|mail| format!("{}\n{}\n", mail.subject, mail.text))
        .collect()
}

#[test]
fn an_account_is_made_closed_opened_renamed_and_erased_by_hand() {
    let folder = tempfile::tempdir().unwrap();
    let house = House::new(folder.path());
    fill(&house);
    let daemon = house.serve();
    let why = ["--why", "she asked on the telephone"];
    let verb = |words: &[&str]| house.done(&[words, &why].concat());

    let told = verb(&["user", "add", "carol", "carol@home.example", "--confirmed"]);
    let password = told
        .lines()
        .find_map(|line| line.strip_prefix("the password is "))
        .unwrap();
    assert!(mails(&house, "carol@home.example").contains("Welcome"));
    let set = house.done(&[
        "mail",
        "carol@home.example",
        &format!("Pow2 set carol {password} small"),
    ]);
    assert!(set.contains("carol now gets the small board"), "{set}");

    verb(&["user", "disable", "alice"]);
    assert!(mails(&house, ALICE).contains("The account of alice is closed by the operator."));
    assert!(mails(&house, ALICE).contains("she asked on the telephone"));
    let turn = house.done(&["mail", ALICE, "Pow2 move 101 alice secret1 m13-m5"]);
    assert!(turn.contains("is closed by the operator"), "{turn}");
    let challenge = house.done(&["mail", BOB, "Pow2 challenge bob alice"]);
    assert!(challenge.contains("takes no challenges"), "{challenge}");
    assert_eq!(count(&house.look(), "SELECT COUNT(*) FROM boards"), 1);
    refused(
        &house,
        &[&["user", "disable", "alice"][..], &why].concat(),
        "closed already",
    );
    verb(&["user", "enable", "alice"]);
    let turn = house.done(&["mail", ALICE, "Pow2 move 101 alice secret1 m13-m5"]);
    assert!(turn.contains("alice played m13-m5:l4"), "{turn}");

    verb(&["user", "rename", "alice", "Alicia"]);
    assert!(house.done(&["board", "show", "Pow2", "101"]).contains("Alicia"));
    refused(
        &house,
        &[&["user", "rename", "Alicia", "bob"][..], &why].concat(),
        "is taken",
    );
    refused(
        &house,
        &[&["user", "rename", "Alicia", "pow2"][..], &why].concat(),
        "has a meaning of its own",
    );

    verb(&["user", "address", "add", "bob", "bob@work.example"]);
    assert!(mails(&house, "bob@work.example").contains("confirm"));
    refused(
        &house,
        &[&["user", "address", "remove", "bob", BOB][..], &why].concat(),
        "last confirmed",
    );
    verb(&["user", "address", "remove", "bob", "bob@work.example"]);

    verb(&["user", "erase", "bob"]);
    assert!(mails(&house, BOB).contains("is erased by the operator"));
    refused(
        &house,
        &[&["user", "erase", "bob"][..], &why].concat(),
        "no player called bob",
    );
    daemon.stop_well();

    let log = house.done(&["audit", "--json"]);
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
    let about = house.done(&["audit", "carol"]);
    assert!(
        about.contains("user add") && !about.contains("disable"),
        "{about}"
    );
}

#[test]
fn a_password_is_read_from_standard_input_and_stands_nowhere() {
    let folder = tempfile::tempdir().unwrap();
    let house = House::new(folder.path());
    fill(&house);
    let words = ["user", "passwd", "alice", "--password-stdin", "--why", "lost"];
    let output = house.run_with(&words, b"brandnew7\n");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(!String::from_utf8_lossy(&output.stdout).contains("brandnew7"));
    let set = house.done(&["mail", ALICE, "Pow2 set alice brandnew7 small"]);
    assert!(set.contains("small board"), "{set}");
    let set = house.done(&["mail", ALICE, "Pow2 set alice secret1 small"]);
    assert!(set.contains("not the password"), "{set}");
    assert!(!house.done(&["audit"]).contains("brandnew7"));
    let output = house.run_with(&words, b"short\n");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn mails_to_send_are_shown_held_dropped_and_tried_again() {
    let folder = tempfile::tempdir().unwrap();
    let house = House::new(folder.path());
    let stuck = house
        .with("PBMSERV_DELIVERY_TRANSPORT", "smtp")
        .with("PBMSERV_DELIVERY_URL", "smtp://127.0.0.1:1");
    let daemon = stuck.serve();
    stuck.done(&["mail", ALICE, "signup alice secret1"]);
    stuck.done(&["mail", ALICE, "help"]);
    let shown = stuck.done(&["queue", "show", "2"]);
    assert!(
        shown.contains("To: alice@home.example") && shown.contains("Subject: Help"),
        "{shown}"
    );
    let taken = stuck.done(&["queue", "show", "1", "--inbox"]);
    assert!(
        taken.contains("signup alice ******") && !taken.contains("secret1"),
        "{taken}"
    );
    stuck.done(&["queue", "hold", "1"]);
    stuck.done(&["queue", "drop", "2", "--why", "no need"]);
    refused(&stuck, &["queue", "hold", "2"], "no waiting mail 2");
    refused(&stuck, &["queue", "show", "7"], "no mail 7");
    daemon.stop_well();
    let daemon = house.serve();
    house.wait_for_delivery();
    assert!(mails(&house, ALICE).is_empty(), "one is held, one is dropped");
    house.done(&["queue", "retry", "1"]);
    assert!(mails(&house, ALICE).contains("Welcome"));
    assert!(house.done(&["audit"]).contains("no need"));
    daemon.stop_well();
}

#[test]
fn an_announcement_goes_to_all_who_are_here() {
    let folder = tempfile::tempdir().unwrap();
    let house = House::new(folder.path());
    fill(&house);
    house.done(&["mail", BOB, "signoff bob secret2"]);
    let output = house.run_with(&["announce"], b"The server moves tonight.\n");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(mails(&house, ALICE).contains("The server moves tonight."));
    assert!(!mails(&house, BOB).contains("The server moves tonight."));
    let output = house.run_with(&["announce"], b" \n");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_mail_whose_handling_failed_comes_again_when_the_fault_is_mended() {
    let folder = tempfile::tempdir().unwrap();
    let house = House::new(folder.path());
    fill(&house);
    house.done(&["mail", ALICE, "Pow2 move 101 alice secret1 m13-m5"]);
    let tamper = |turn: &str| {
        let conn = rusqlite::Connection::open(house.database()).unwrap();
        assert_eq!(conn.execute("UPDATE turns SET turn = ?1", [turn]).unwrap(), 1);
    };
    let turn: String = house
        .look()
        .query_row("SELECT turn FROM turns", [], |row| row.get(0))
        .unwrap();
    tamper("a1-a1");
    let told = house.done(&["mail", BOB, "Pow2 move 101 bob secret2 a1-e1"]);
    assert!(told.contains("fault"), "{told}");
    let failed = house.done(&["queue", "list", "--inbox", "--state", "failed", "--json"]);
    let failed: serde_json::Value = serde_json::from_str(&failed).unwrap();
    let number = failed[0]["id"].to_string();
    assert!(
        house
            .done(&["queue", "show", "--inbox", &number])
            .contains("Kept in: ")
    );
    tamper(&turn);
    let told = house.done(&[
        "queue",
        "retry",
        "--inbox",
        &number,
        "--why",
        "the turn is mended",
    ]);
    assert!(told.trim_end().ends_with("done"), "{told}");
    assert!(
        house
            .done(&["board", "show", "Pow2", "101"])
            .contains("bob: a1-e1")
    );
    assert!(
        house
            .done(&["queue", "show", "--inbox", &number])
            .contains("tried again as mail")
    );
    refused(&house, &["queue", "retry", "--inbox", &number], "not kept");
}
