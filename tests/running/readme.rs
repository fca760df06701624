//! Runs the README: each `$ pbmserv ...` of its console block is executed, and the output must contain the lines
//! below it, in their order. `...` stands for omitted lines.

use std::process::Command;

use crate::daemon::PROGRAM;

/// The commands of the block, each with the lines printed below it.
fn session(readme: &str) -> Vec<(String, Vec<String>)> {
    let block = readme
        .split("```console\n")
        .nth(1)
        .unwrap()
        .split("```")
        .next()
        .unwrap();
    let mut session: Vec<(String, Vec<String>)> = Vec::new();
    for line in block.lines() {
        match line.strip_prefix("$ pbmserv ") {
            Some(command) => session.push((command.to_owned(), Vec::new())),
            None => session.last_mut().unwrap().1.push(line.to_owned()),
        }
    }
    session
}

/// Splits a command line as a shell does, with single quotes only.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (index, part) in line.split('\'').enumerate() {
        if index % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}

/// Whether the output is as expected; `...` stands for any number of lines.
fn agrees(expected: &[String], printed: &[&str]) -> bool {
    match expected.split_first() {
        None => printed.is_empty(),
        Some((dots, rest)) if dots == "..." => {
            (0..=printed.len()).any(|skipped| agrees(rest, &printed[skipped..]))
        }
        Some((line, rest)) => printed.first() == Some(&line.as_str()) && agrees(rest, &printed[1..]),
    }
}

#[test]
fn the_game_by_mail_is_as_printed() {
    let readme = include_str!("../../README.md");
    let folder = tempfile::tempdir().unwrap();
    let session = session(readme);
    assert!(session.len() >= 7);
    for (command, expected) in session {
        let run = Command::new(PROGRAM)
            .args(words(&command))
            // This machine may have an /etc/pbmserv.toml.
            .env("PBMSERV_CONFIG", "")
            .current_dir(&folder)
            .output()
            .unwrap();
        assert!(run.status.success(), "{command}: {run:?}");
        let printed = String::from_utf8(run.stdout).unwrap();
        let printed: Vec<_> = printed.lines().collect();
        assert!(
            agrees(&expected, &printed),
            "pbmserv {command} printed:\n{}",
            printed.join("\n")
        );
    }
}

#[test]
fn the_example_prints_what_it_says() {
    assert!(agrees(&["...".into(), "b".into()], &["a", "b"]));
    assert!(!agrees(&["a".into()], &["a", "b"]));
    assert!(!agrees(&["...".into(), "c".into()], &["a", "b"]));
}

#[test]
fn the_console_block_has_about_thirty_lines() {
    let block = include_str!("../../README.md")
        .split("```console\n")
        .nth(1)
        .unwrap()
        .split("```")
        .next()
        .unwrap();
    assert!(
        (25..=40).contains(&block.lines().count()),
        "{}",
        block.lines().count()
    );
}
