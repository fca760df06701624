//! A game with its options on the first line and turns below it, good and bad.

use pbmserv_games::{Display, Match, Refusal};

/// The most lines that are played: what is found after them is found before them too.
const MAX_LINES: usize = 60;

/// Plays the lines.
pub fn run(bytes: &[u8]) {
    let Some((first, turns)) = super::first_line(bytes) else {
        return;
    };
    let Some((game, options)) = super::game_of(first) else {
        return;
    };
    let Ok(mut position) = game.start(&options) else {
        return;
    };
    for line in turns.lines().take(MAX_LINES) {
        let before = position.fork();
        match position.play_all(line) {
            Ok(played) => {
                assert!(!played.is_empty());
                // The text of a turn means that turn alone.
                let words = before.effects(&played).join(", ");
                assert!(words.is_ascii() && words.len() <= 200, "{words}");
                let mut again = before;
                for turn in &played {
                    assert_eq!(again.play(turn).as_ref(), Ok(turn));
                }
                assert_eq!(seen(again.as_ref()), seen(position.as_ref()));
                assert_eq!(position.to_move().is_none(), position.outcome().is_some());
            }
            Err(refusal) => {
                check(&refusal, line);
                assert_eq!(seen(before.as_ref()), seen(position.as_ref()));
            }
        }
    }
    for display in [Display::Small, Display::Large] {
        assert!(
            position
                .draw(display)
                .lines()
                .all(|line| line.chars().count() <= 80)
        );
    }
}

/// All that can be seen of a position.
fn seen(position: &dyn Match) -> (String, Vec<(String, char)>, Option<pbmserv_games::Seat>) {
    (
        position.draw(Display::Small),
        position.cells(),
        position.to_move(),
    )
}

fn check(refusal: &Refusal, line: &str) {
    assert!(!refusal.reason.is_empty());
    if let Some(at) = &refusal.at {
        assert!(line.get(at.clone()).is_some(), "{at:?} of {line:?}");
    }
}
