//! A database that this program cannot read, of a later release or from before the first one, is left as it is.

use std::fs;

use rusqlite::Connection;

use crate::checks::{ALICE, finds};
use crate::daemon::Setup;
use crate::migrations::{FIRST, NEXT, at, copies, played, upgraded};

#[test]
fn the_program_of_before_takes_the_copy_and_not_what_was_migrated() {
    let folder = tempfile::tempdir().unwrap();
    let first = Setup::new(folder.path());
    played(&first);
    upgraded(&first).done(&["migrate"]);
    let before = fs::read(first.database()).unwrap();
    let newer =
        format!("is at migration {NEXT}, but this program knows only {FIRST}: install the newer program");
    let error = first.does_not_start();
    assert!(error.contains(&newer), "{error}");
    for words in [&["migrate"][..], &["user", "list"], &["compact"]] {
        let output = first.run(words);
        assert_eq!(output.status.code(), Some(1), "{words:?}: {output:?}");
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.contains(&newer), "{words:?}: {error}");
    }
    finds(&first, &[&newer]);
    assert!(fs::read(first.database()).unwrap() == before);
    let copy = copies(&first, "").pop().unwrap();
    first.done(&["restore", copy.to_str().unwrap()]);
    first.serve().stop_well();
    assert_eq!(at(&first.database()), FIRST);
    let board = first.done(&["board", "show", "Pow2", "101"]);
    assert!(board.contains("m13-m5"), "{board}");
}

#[test]
fn a_database_from_before_the_first_release_is_refused_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    played(&setup);
    let conn = Connection::open(setup.database()).unwrap();
    conn.pragma_update(None, "user_version", 34).unwrap();
    conn.close().unwrap();
    let before = fs::read(setup.database()).unwrap();
    let refused = "was made by a version before the first release, and this program cannot read it: begin with an empty one";
    let error = setup.does_not_start();
    assert!(error.contains(refused), "{error}");
    let saved = folder.path().join("saved");
    fs::create_dir(&saved).unwrap();
    for name in ["pbmserv.sqlite", "key"] {
        fs::copy(setup.data.join(name), saved.join(name)).unwrap();
    }
    let saved = saved.to_str().unwrap();
    let verbs: [&[&str]; 7] = [
        &["migrate"],
        &["user", "list"],
        &["mail", ALICE, "help"],
        &["compact"],
        &["restore", saved],
        &["backup", "verify", saved],
        &["backup", saved],
    ];
    for words in verbs {
        let output = setup.run(words);
        assert_eq!(output.status.code(), Some(1), "{words:?}: {output:?}");
        // A look at backups prints what it finds.
        let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert!(said.contains(refused), "{words:?}: {said}");
        assert_eq!(said.trim_end().lines().count(), 1, "{words:?}: {said}");
    }
    finds(&setup, &[refused]);
    assert!(fs::read(setup.database()).unwrap() == before);
    assert!(copies(&setup, "").is_empty());
}
