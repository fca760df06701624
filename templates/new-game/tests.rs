//! What is still to be done here, each with a sentence; then a slow model, counts of turns and refusals.

use super::*;

fn is_done(text: &str) -> bool {
    !text.contains("TO DO")
}

#[test]
fn the_facts_are_written() {
    let facts = [FACTS.designer, FACTS.summary, FACTS.source];
    let message = "mod.rs: say who invented the game, what it is in one line, and where its rules are published.";
    assert!(facts.into_iter().all(is_done), "{message}");
}

#[test]
fn the_rules_are_written() {
    let message = "rules.txt: write the rules for somebody who has never seen the game.";
    assert!(is_done(FACTS.rules), "{message}");
}

#[test]
fn the_rule_is_the_game_s_own() {
    let message = "mod.rs: write the rule, the words for what a turn did, and the estimate; each TO DO there says where.";
    assert!(is_done(include_str!("mod.rs")), "{message}");
}

#[test]
fn the_help_shows_two_turns() {
    let message = "mod.rs: choose two turns for the help that show what is particular, each with its reason.";
    assert!(FACTS.worked.turns.iter().all(|(_, reason)| is_done(reason)), "{message}");
}

#[test]
fn the_rules_have_pictures() {
    let message = "pictured.rs: show positions for the sentences of the rules.";
    assert!(!FACTS.pictured.is_empty(), "{message}");
}

#[test]
fn turns_are_counted_as_elsewhere() {
    panic!("tests.rs: count the turns (`lockstep::perft`) and compare with a source or a second program.");
}

#[test]
fn random_games_are_those_of_a_slow_model() {
    panic!("tests.rs: write the rules a second time, as plain as possible, and play both (`lockstep::lockstep`).");
}
