//! The demo: a game of each kind, by mail.

use pbmserv::admin::Demo;
use pbmserv::demo;
use pbmserv::games::GAMES;

#[test]
fn the_demo_plays_every_game_by_mail_to_its_end() {
    std::thread::scope(|games| {
        for game in GAMES {
            games.spawn(|| {
                let mut out = Vec::new();
                let demo = Demo {
                    game: game.facts.name.into(),
                    seed: 1,
                    quiet: true,
                };
                let runtime = tokio::runtime::Runtime::new().unwrap();
                runtime.block_on(demo::run(&demo, &mut out)).unwrap();
                let summary = String::from_utf8(out).unwrap();
                assert!(summary.starts_with(game.facts.title), "{summary}");
            });
        }
    });
}
