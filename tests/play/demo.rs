//! The demo: a game of each kind, by mail.

use pbmserv::admin::Demo;
use pbmserv::demo::{self, Protocol};
use pbmserv_games::{GAMES, Game};

/// How many lines a picture takes on the screen.
const PICTURE_ROWS: usize = 16;

fn short(game: &Game) -> Demo {
    Demo {
        game: game.facts.name.into(),
        seed: 1,
        all: false,
        quiet: false,
        pictures: None,
    }
}

fn shown(demo: &Demo, pictures: Option<Protocol>) -> String {
    shown_in(demo, pictures, 80)
}

fn shown_in(demo: &Demo, pictures: Option<Protocol>, columns: usize) -> String {
    let mut out = Vec::new();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime
        .block_on(demo::run(demo, pictures, columns, &mut out))
        .unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
#[ignore = "takes long: make long"]
fn the_demo_plays_every_game_by_mail_to_its_end() {
    // All at once would be slower than a player waits for a letter.
    for some in GAMES.chunks(6) {
        std::thread::scope(|games| {
            for game in some {
                games.spawn(|| {
                    let text = shown(&short(game), None);
                    let lines = text.lines().count();
                    // A game with dice has more turns, which are listed.
                    let most = if game.facts.has_dice { 220 } else { 160 };
                    assert!(lines < most, "{lines} lines:\n{text}");
                    assert!(text.lines().all(|line| line.len() <= 120), "{text}");
                    assert!(
                        !text.contains('\x1b') && !text.contains("under-the-rose"),
                        "{text}"
                    );
                    for words in [
                        ">>> alice writes: signup alice ******",
                        ">>> bob answers: ",
                        "<<< bob reads: ",
                        "\n    Not played: ",
                        "\n    Ratings: alice 1500 -> ",
                        "\nTo play yourself:\n",
                    ] {
                        assert!(text.contains(words), "{words}\n{text}");
                    }
                    assert!(text.contains(&format!("\n{}: ", game.facts.title)), "{text}");
                });
            }
        });
    }
}

#[test]
fn the_demo_shows_pictures_every_mail_or_the_summary_alone() {
    let game = &GAMES[0];
    std::thread::scope(|demos| {
        demos.spawn(|| {
            let quiet = shown(
                &Demo {
                    quiet: true,
                    ..short(game)
                },
                Some(Protocol::Kitty),
            );
            assert!(
                quiet.starts_with(game.facts.title) && quiet.lines().count() == 1,
                "{quiet}"
            );
        });
        demos.spawn(|| {
            let all = shown(
                &Demo {
                    all: true,
                    ..short(game)
                },
                None,
            );
            assert!(all.lines().count() > 500 && !all.contains(" more lines]"));
        });
        demos.spawn(|| {
            let text = shown_in(&short(game), None, 40);
            let headings = text
                .lines()
                .filter(|line| ["=== ", ">>> ", "<<< "].iter().any(|mark| line.starts_with(mark)));
            assert!(headings.clone().count() > 10, "{text}");
            for heading in headings {
                assert!(heading.len() <= 40, "{heading}");
            }
        });
        demos.spawn(|| {
            let text = shown(&short(game), Some(Protocol::Kitty));
            let pictures = text.matches("\x1b_Ga=T").count();
            assert_eq!(pictures, 2);
            let rows = text.lines().count() + pictures * PICTURE_ROWS;
            assert!(rows < 160, "{rows} rows");
        });
    });
}
