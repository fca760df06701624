//! After an account is erased nothing names its player: no row, no file of the data folder, no line of the log. What counts the
//! mails of a mailbox ends with the day: otherwise who erases an account could begin anew.

use std::fs;

use crate::daemon::http::{BOB, closed_port};
use crate::daemon::{Setup, look, until};

const NAME: &str = "quixote";
const ADDRESS: &str = "alonso.quijano@mancha.example";

/// Each text of each row that has this word, as TABLE.COLUMN: TEXT.
fn rows_with(setup: &Setup, word: &str) -> Vec<String> {
    let conn = look(&setup.database());
    let names = |sql: &str| -> Vec<String> {
        let mut statement = conn.prepare(sql).unwrap();
        let rows = statement.query_map([], |row| row.get(0)).unwrap();
        rows.map(Result::unwrap).collect()
    };
    let mut found = Vec::new();
    for table in names("SELECT name FROM sqlite_master WHERE type = 'table'") {
        for column in names(&format!("SELECT name FROM pragma_table_info('{table}')")) {
            let sql = format!(
                "SELECT CAST({column} AS TEXT) FROM {table} WHERE instr(lower({column}), '{word}') > 0"
            );
            found.extend(
                names(&sql)
                    .into_iter()
                    .map(|text| format!("{table}.{column}: {text}")),
            );
        }
    }
    found
}

/// The files of the data folder with these bytes, but for the mails that were sent into Maildirs in it.
fn files_with(setup: &Setup, word: &str) -> Vec<String> {
    let files = fs::read_dir(&setup.data)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let has = |file: &std::path::PathBuf| {
        let bytes = fs::read(file).unwrap_or_default().to_ascii_lowercase();
        bytes.windows(word.len()).any(|part| part == word.as_bytes())
    };
    files.filter(has).map(|file| file.display().to_string()).collect()
}

#[test]
fn nothing_names_a_player_who_was_erased() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path())
        .with("PBMSERV_ACCOUNTS_CONFIRM", "false")
        .with("PBMSERV_HTTP_LISTEN", &format!("127.0.0.1:{}", closed_port()));
    let daemon = setup.serve();
    let mail = |from: &str, subject: &str, text: &str| setup.done(&["mail", from, subject, text]);
    mail(ADDRESS, &format!("signup {NAME} fig7elk"), "");
    mail(BOB, "signup bob oak4jay", "");
    mail(BOB, &format!("Pow2 challenge bob {NAME}"), "Well met, Quixote!");
    mail(BOB, "Pow2 move 101 bob oak4jay m13-m5", "");
    mail(
        ADDRESS,
        &format!("Pow2 chat 101 {NAME} fig7elk"),
        "These are no windmills.",
    );
    mail(ADDRESS, &format!("vacation {NAME} fig7elk 3"), "");
    mail(ADDRESS, &format!("Hex seek {NAME} fig7elk"), "");
    mail(ADDRESS, "frobnicate", "");
    mail(BOB, "who", "");
    setup.done(&[
        "user",
        "disable",
        NAME,
        "--why",
        &format!("{NAME} wrote from {ADDRESS}."),
    ]);
    setup.done(&["user", "enable", NAME, "--why", "a test"]);
    setup.wait_for_delivery();
    assert!(!rows_with(&setup, NAME).is_empty() && !rows_with(&setup, ADDRESS).is_empty());

    // What there is, its player may have.
    let everything = setup.done(&["user", "export", NAME]);
    let everything: serde_json::Value = serde_json::from_str(&everything).unwrap();
    let rows = &everything["rows"];
    assert_eq!(rows["addresses"][0]["address"], ADDRESS);
    for table in ["players", "boards", "turns", "vacations", "inbox", "outbox"] {
        assert!(rows[table].is_array(), "{table}: {rows}");
    }
    let record = everything["records"]["Pow2-101.txt"].as_str().unwrap();
    assert!(record.contains("[Game ") && record.contains("m13-m5"), "{record}");
    for secret in ["$argon2", "password", "fig7elk"] {
        assert!(!everything.to_string().contains(secret), "{secret}: {everything}");
    }

    let said = daemon.log().len();
    setup.done(&["user", "erase", NAME, "--why", "the player asked", "--yes"]);
    setup.wait_for_delivery();
    // Who is told of it, is told at once.
    until("the last letter is settled", || {
        rows_with(&setup, ADDRESS).is_empty().then_some(())
    });
    assert_eq!(rows_with(&setup, NAME), [""; 0]);
    assert_eq!(rows_with(&setup, "alonso.quijano"), [""; 0]);
    // The next commit empties the WAL, if a verb was reading at that moment.
    mail(BOB, "who", "");
    for word in [NAME, "alonso.quijano"] {
        until("no file has it", || {
            files_with(&setup, word).is_empty().then_some(())
        });
    }
    let audit = setup.done(&["audit"]);
    assert!(audit.contains("erased wrote from erased."), "{audit}");
    let log = daemon.stop_well();
    assert!(!log.contains("alonso.quijano"), "{log}");
    assert!(!log[said..].contains(NAME), "{}", &log[said..]);
    assert_eq!(files_with(&setup, NAME), [""; 0]);
}
