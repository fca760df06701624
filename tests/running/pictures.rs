//! The verb that writes the pictures of a record: SVG and PNG.

use std::process::Command;

use pbmserv_games::record::Record;
use pbmserv_games::{GAMES, Options};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use resvg::tiny_skia::Pixmap;

use crate::daemon::PROGRAM;

fn show(words: &[&str]) -> std::process::Output {
    Command::new(PROGRAM).arg("show").args(words).output().unwrap()
}

#[test]
fn it_writes_both_pictures_of_a_record() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (text, svg, image) = (file("game.txt"), file("game.svg"), file("game.png"));
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    for game in GAMES {
        let options = Options::none(game.facts);
        let mut position = game.start(&options).unwrap();
        let mut record = Record::new(game, options);
        for _ in 0..5 {
            let turn = position.random_turn(&mut rng).unwrap();
            record.turns.push(position.play(&turn).unwrap());
        }
        std::fs::write(&text, record.to_string()).unwrap();
        let done = show(&[&text, "--svg", &svg, "--png", &image, "--width", "300"]);
        assert!(done.status.success() && done.stdout.is_empty() && done.stderr.is_empty());
        let wanted = record.replay().unwrap().picture().svg();
        assert_eq!(std::fs::read_to_string(&svg).unwrap(), wanted);
        let pixels = Pixmap::decode_png(&std::fs::read(&image).unwrap()).unwrap();
        assert_eq!(pixels.width(), 300);
        assert_eq!(show(&[&text, "--svg", "-"]).stdout, wanted.as_bytes());
    }
}

#[test]
fn it_refuses_a_wrong_record_in_one_sentence_and_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (text, svg, image) = (file("game.txt"), file("game.svg"), file("game.png"));
    std::fs::write(&text, "[Game \"Pow2\"]\n\n1. m13-j7\n   m13-j7").unwrap();
    let refused = |words: &[&str], code: i32, sentence: &str| {
        let done = show(words);
        let said = String::from_utf8(done.stderr).unwrap();
        assert_eq!(done.status.code(), Some(code), "{said}");
        assert!(said.contains(sentence), "{said}");
        assert!(code != 1 || said.lines().count() == 1, "{said}");
        assert!(done.stdout.is_empty());
        assert!(!std::fs::exists(&svg).unwrap() && !std::fs::exists(&image).unwrap());
    };
    refused(
        &[&text, "--svg", &svg, "--png", &image],
        1,
        "Turn 2 on line 4, m13-j7, is refused: There is no piece on m13.",
    );
    refused(&[&file("none.txt"), "--svg", &svg], 1, "none.txt: ");
    std::fs::write(&text, "[Game \"Pow2\"]").unwrap();
    refused(&[&text, "--svg", &file("no/such/folder.svg")], 1, "folder.svg: ");
    refused(&[&text], 2, "--svg");
    refused(&[&text, "--png", &image, "--width", "99999"], 2, "99999");
}
