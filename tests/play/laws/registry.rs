//! Properties of every command in the registry.

use std::collections::BTreeSet;
use std::path::Path;

use pbmserv_core::command::{COMMANDS, RefusalKind, Scope};
use pbmserv_games::GAMES;
use pbmserv_mail::{clean_subject, plain};

use super::{ALICE, all_examples, ask, called, names};
use crate::stage::Stage;

#[test]
fn every_command_says_what_it_does_and_how_it_is_written() {
    for command in COMMANDS.iter() {
        let verb = command.verb;
        assert!(
            !command.summary.is_empty() && command.summary.len() <= 60,
            "{verb}"
        );
        assert!(
            !command.summary.ends_with('.'),
            "{verb}: a summary is no sentence"
        );
        assert!(command.help.ends_with('.'), "{verb}: help is sentences");
        assert!(!command.examples.is_empty(), "{verb}");
        let begins = match command.scope {
            Scope::Game => format!("GAME {verb}"),
            Scope::Server | Scope::Both => verb.to_owned(),
        };
        let rest = command.syntax.strip_prefix(&begins);
        assert!(
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')),
            "{verb}: {}",
            command.syntax
        );
        for text in [command.syntax, command.summary, command.help] {
            assert!(text.is_ascii(), "{verb}: {text}");
        }
    }
}

#[test]
fn every_example_is_read_as_its_own_command() {
    for (command, example) in all_examples() {
        let line = COMMANDS
            .read_line(&example)
            .unwrap_or_else(|misread| panic!("{example}: {:?}", misread.refused));
        assert_eq!(line.command.verb, command.verb, "{example}");
    }
}

#[test]
fn a_name_means_one_thing() {
    let mut seen = BTreeSet::new();
    for name in COMMANDS.iter().flat_map(|command| names(command)) {
        assert!(seen.insert(name), "{name} is two commands");
        assert_eq!(name, name.to_ascii_lowercase());
        assert!(pbmserv_games::find(name).is_none(), "{name} is a game");
        // Reserved words. `all` is not among them: it is itself a command.
        assert!(
            !["new", "anyone", "server", "me"].contains(&name),
            "{name} is reserved"
        );
    }
}

#[test]
fn every_beginning_of_three_letters_is_understood_or_answered_with_the_candidates() {
    for scope in [Scope::Server, Scope::Game] {
        let open: Vec<_> = COMMANDS
            .iter()
            .filter(|command| command.scope == scope || command.scope == Scope::Both)
            .collect();
        for name in open.iter().flat_map(|command| names(command)) {
            for length in 3..=name.len() {
                let beginning = &name[..length];
                if beginning == "for" {
                    assert!(COMMANDS.read_line("for alice").is_err(), "prose is no forgot");
                    continue;
                }
                let exact = open
                    .iter()
                    .find(|command| names(command).any(|name| name == beginning));
                let begun = open
                    .iter()
                    .filter(|command| names(command).any(|name| name.starts_with(beginning)));
                let meant: Vec<_> = exact.map_or_else(|| begun.collect(), |command| vec![command]);
                let read = COMMANDS.read_line(&called(beginning, scope));
                if let [command] = meant[..] {
                    let verb = match read {
                        Ok(line) => line.command.verb,
                        Err(misread) => misread.command.expect(beginning).1.verb,
                    };
                    assert_eq!(verb, command.verb, "{beginning}");
                } else {
                    let refused = read.unwrap_err().refused;
                    assert_eq!(refused.kind, RefusalKind::Ambiguous, "{beginning}");
                    for command in meant {
                        assert!(
                            refused.sentence().contains(command.verb),
                            "{beginning}: {}",
                            refused.sentence()
                        );
                    }
                }
            }
        }
    }
}

#[tokio::test]
async fn all_help_is_ascii_in_80_columns_and_shows_each_syntax_and_summary() {
    let stage = Stage::open(|_| ());
    let mut topics = vec![
        "help".to_owned(),
        "help commands".into(),
        "help tutorial".into(),
        "help mail".into(),
        "help ratings".into(),
        "help clocks".into(),
    ];
    topics.extend(COMMANDS.iter().map(|command| format!("help {}", command.verb)));
    for game in GAMES {
        topics.push(format!("help {}", game.facts.name));
        topics.extend(
            COMMANDS
                .iter()
                .map(|command| format!("{} help {}", game.facts.name, command.verb)),
        );
    }
    let mut all = String::new();
    for topic in topics {
        stage.pass(chrono::TimeDelta::hours(2));
        let letters = ask(&stage, ALICE, &topic).await;
        let [letter] = letters.as_slice() else {
            panic!("{topic}: {} letters", letters.len());
        };
        assert!(
            letter.subject.starts_with("Help: "),
            "{topic}: {}",
            letter.subject
        );
        for line in letter.text.lines().chain([letter.subject.as_str()]) {
            assert!(line.is_ascii() && line.len() <= 80, "{topic}: {line}");
        }
        all.push_str(&letter.text);
    }
    let all = all.split_whitespace().collect::<Vec<_>>().join(" ");
    for command in COMMANDS.iter() {
        assert!(all.contains(command.syntax), "{}", command.syntax);
        assert!(all.contains(command.summary), "{}", command.summary);
    }
    stage.close().await;
}

#[test]
fn every_command_has_its_place_in_a_story() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conversations");
    let mut shown = BTreeSet::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            continue;
        }
        let story = std::fs::read_to_string(path).unwrap();
        for mail in story.lines().filter_map(|line| line.strip_prefix(">>> ")) {
            let subject = mail.split_once(": ").map_or("", |(_, subject)| subject);
            if let Ok(line) = COMMANDS.read_line(&plain(&clean_subject(subject))) {
                shown.insert(line.command.verb);
            }
        }
    }
    let missing: Vec<_> = COMMANDS
        .iter()
        .map(|command| command.verb)
        .filter(|verb| !shown.contains(verb))
        .collect();
    assert!(missing.is_empty(), "no story uses {missing:?}");
}
