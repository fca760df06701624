//! The pictures in the rules: the rules play and draw each, and it shows sentences that are there.
//!
//! `unpictured.txt` lists the sentences without one, but for advice; `UPDATE_UNPICTURED=1 cargo test -p pbmserv-games pictured`
//! writes it.

use pbmserv_games::record::Record;
use pbmserv_games::{GAMES, Game, Outcome};

const LIST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/games/unpictured.txt");

/// Whether a line belongs to a drawing: a row of a board, or the letters of its columns.
fn is_drawn(line: &str) -> bool {
    let words: Vec<_> = line.split_whitespace().take(3).collect();
    line.starts_with(' ') && words.len() == 3 && words.iter().skip(1).all(|word| word.len() == 1)
}

/// The sentences of the rules, but for advice.
fn sentences(game: &Game) -> Vec<String> {
    let paragraphs = game.facts.rules.split("\n\n");
    let said = paragraphs.filter(|text| {
        let is_aside = ["Advice.", "The original text."]
            .iter()
            .any(|head| text.starts_with(head));
        !is_aside && !text.lines().any(is_drawn)
    });
    let mut sentences = Vec::new();
    for paragraph in said {
        let text = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
        let parts = text.split_inclusive(". ").map(str::trim);
        // Heads, numbers and dashes of lists are no sentences.
        let parts = parts.filter(|part| part.split(' ').count() > 2);
        sentences.extend(parts.map(|part| part.trim_start_matches("- ").to_owned()));
    }
    sentences
}

#[test]
fn each_picture_of_the_rules_is_played_by_them_and_shows_sentences_that_are_there() {
    let mut unpictured = String::new();
    let (mut all, mut left) = (0, 0);
    for game in GAMES {
        let name = game.facts.name;
        let mut sentences = sentences(game);
        all += sentences.len();
        for pictured in game.facts.pictured {
            let replayed = Record::pictured(game, pictured).unwrap().replay();
            let replayed = replayed.unwrap_or_else(|error| panic!("{name}, {}: {error}", pictured.turns));
            assert!(replayed.picture().svg().contains("class=\"piece\""), "{name}");
            for begin in pictured.rules {
                let before = sentences.len();
                sentences.retain(|sentence| !sentence.starts_with(begin));
                assert_eq!(before - sentences.len(), 1, "{name}: {begin}");
            }
            let won = replayed.position.outcome().map(|outcome| match outcome {
                Outcome::Won(seat) => format!("{} has won.", game.facts.sides[seat.index()]),
                Outcome::Drawn => "a draw.".to_owned(),
            });
            let ends = ["has won.", "a draw."];
            let told = ends.iter().any(|end| pictured.shows.ends_with(end));
            assert_eq!(told, won.is_some(), "{name}: {}", pictured.shows);
            let won = won.unwrap_or_default();
            assert!(
                pictured.shows.ends_with(&won),
                "{name}: {}, {won}",
                pictured.shows
            );
        }
        left += sentences.len();
        unpictured.push_str(&format!("{name}\n"));
        for sentence in sentences {
            unpictured.push_str(&format!("  {sentence}\n"));
        }
    }
    let list =
        format!("Of {all} sentences of the rules, but for advice, {left} have no picture.\n\n{unpictured}");
    if std::env::var_os("UPDATE_UNPICTURED").is_some() {
        std::fs::write(LIST, &list).unwrap();
    }
    assert_eq!(std::fs::read_to_string(LIST).unwrap_or_default(), list);
}
