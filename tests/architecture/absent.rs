//! What is absent: words that stand in no file but some.

use super::{is_test, product, sources};

/// The code of a file: what stands before its tests and outside comments.
fn code(text: &str) -> String {
    let before_tests = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = before_tests
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Asserts that words stand in no file of the libraries and the program, apart from the places allowed.
fn only_in(words: &[&str], allowed: &[&str]) {
    for (path, text) in product() {
        let name = path.to_string_lossy().into_owned();
        if is_test(&path) || allowed.iter().any(|place| name.contains(place)) {
            continue;
        }
        for word in words {
            assert!(
                !code(&text).contains(word),
                "{name} has {word}, which belongs to {allowed:?}"
            );
        }
    }
}

#[test]
fn only_the_store_has_sql() {
    only_in(
        &["SELECT ", "INSERT INTO", "UPDATE ", "DELETE FROM"],
        &["/store/"],
    );
}

#[test]
fn one_room_of_the_store_knows_the_engine() {
    only_in(&["rusqlite", "PRAGMA "], &["/store/sqlite/"]);
}

/// Where a connection is opened, a thread may wait: a start, a verb, or a look-up that has a thread of its own.
#[test]
fn no_thread_of_the_event_loop_waits_for_the_database() {
    only_in(
        &["Reader::open(", "server.reader()"],
        &[
            "/store/",
            "/admin/",
            "/engine/readers.rs",
            "/engine/server.rs",
            "/engine/assembly.rs",
            "/engine/standby.rs",
            "/engine/folder.rs",
            "/engine/copies.rs",
            "/engine/migration.rs",
            "/daemon/waiting.rs",
            "/daemon/monitoring/",
        ],
    );
}

#[test]
fn only_mail_reads_mime() {
    only_in(&["mail_parser"], &["crates/mail/", "/demo/"]);
}

#[test]
fn only_the_outbox_sends() {
    only_in(&["lettre"], &["/outbox/", "/demo/", "/admin/mail.rs"]);
}

#[test]
fn only_its_door_speaks_imap() {
    only_in(&["imap_proto"], &["/doors/imap/"]);
}

#[test]
fn only_the_pictures_of_the_kit_are_drawn_pixel_by_pixel() {
    only_in(&["resvg"], &["/kit/picture/png.rs"]);
}

/// That they know no mail and no database, Cargo holds: their package needs nothing of the server.
#[test]
fn games_know_no_clock_no_files_and_no_dice() {
    for (path, text) in sources("crates/games/src") {
        if is_test(&path) {
            continue;
        }
        let words = [
            "std::fs",
            "std::net",
            "std::io",
            "std::time",
            "std::thread",
            "std::env",
            "rand::rng()",
            "SysRng",
            "ThreadRng",
        ];
        for word in words {
            assert!(!code(&text).contains(word), "{} has {word}", path.display());
        }
    }
}

/// So that a letter is the same at each attempt to send it.
#[test]
fn what_makes_a_letter_of_its_facts_knows_no_time_and_no_chance() {
    for (path, text) in product() {
        let name = path.to_string_lossy().into_owned();
        if is_test(&path) || !(name.contains("/letters/") || name.ends_with("/engine/pages.rs")) {
            continue;
        }
        for word in ["Utc::now", "SystemTime", "Instant", "TimeSource", "rand::"] {
            assert!(!code(&text).contains(word), "{name} has {word}");
        }
    }
}

#[test]
fn only_the_letters_are_compressed() {
    only_in(&["flate2::"], &["/letters/draft.rs"]);
}

#[test]
fn every_module_says_what_it_is() {
    for (path, text) in product() {
        assert!(
            is_test(&path) || text.starts_with("//!"),
            "{} does not begin with //!",
            path.display()
        );
    }
}

#[test]
fn no_file_speaks_of_a_machine() {
    for folder in ["src", "crates", "tests"] {
        for (path, text) in sources(folder) {
            let home = concat!("/ho", "me/");
            assert!(!text.contains(home), "{} has a path of a machine", path.display());
        }
    }
}
