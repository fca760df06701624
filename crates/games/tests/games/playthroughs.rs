//! Playthroughs: whole games as files that a player can read. Every game has at least one, in
//! `tests/playthroughs/`.
//!
//! The first line of a file names the game and its options; each line `Turn N: ...` ends with the turn. Lines that
//! begin with `;` say where the game comes from. The board follows a turn if it was there in the file before. The
//! test writes everything else. `UPDATE_PLAYTHROUGHS=1 cargo test -p pbmserv-games --test games playthroughs` rewrites the files,
//! and plays a random game for a game without a file.

use std::fmt::Write as _;
use std::path::Path;

use pbmserv_games::{Display, GAMES, Game, Match, Options, Outcome};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

/// Legal turns are not counted beyond this: Ringworm can have millions.
const MAX_COUNTED: usize = 10_000;

struct Playthrough {
    game: &'static Game,
    options: Options,
    remarks: String,
    turns: Vec<Turn>,
}

struct Turn {
    /// One turn, or several of the same player in the notation of the game.
    text: String,
    shows_board: bool,
}

impl Playthrough {
    fn read(file: &str) -> Self {
        let (title, rest) = file.split_once('\n').unwrap();
        let mut words = title.split_whitespace();
        let game = pbmserv_games::find(words.next().unwrap()).unwrap_or_else(|| panic!("no game: {title}"));
        let mut playthrough = Self {
            game,
            options: Options::parse(game.facts, words).unwrap(),
            remarks: String::new(),
            turns: Vec::new(),
        };
        for line in rest.lines() {
            if line.starts_with(';') {
                playthrough.remarks += &format!("{line}\n");
            } else if let Some(turn) = line.strip_prefix("Turn ") {
                let text = turn.split_whitespace().last().unwrap().to_owned();
                playthrough.turns.push(Turn {
                    text,
                    shows_board: false,
                });
            } else if let Some(turn) = playthrough.turns.last_mut() {
                turn.shows_board |= !line.is_empty() && !line.starts_with("- ");
            }
        }
        playthrough
    }

    fn at_random(game: &'static Game) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(64);
        let options = Options::none(game.facts);
        let mut position = game.start(&options).unwrap();
        let mut turns = Vec::new();
        while let Some(turn) = position.random_turn(&mut rng) {
            turns.push(Turn {
                text: position.play(&turn).unwrap(),
                shows_board: turns.len() % 5 == 4,
            });
        }
        Self {
            game,
            options,
            remarks: "; A game of random turns.\n".to_owned(),
            turns,
        }
    }

    /// The file.
    fn written(&self) -> String {
        let facts = self.game.facts;
        let mut position = self.game.start(&self.options).unwrap();
        let mut file = format!("{} {}", facts.name, self.options).trim_end().to_owned();
        let _ = write!(file, "\n{}\n{}", self.remarks, position.draw(Display::Small));
        for (number, turn) in (1..).zip(&self.turns) {
            let seat = position.to_move().expect("a turn after the end");
            let before = position.fork();
            let played = position
                .play_all(&turn.text)
                .unwrap_or_else(|refusal| panic!("{} turn {number}: {refusal}", facts.name));
            assert_eq!(played.join(","), turn.text, "{} turn {number}", facts.name);
            let _ = writeln!(
                file,
                "\nTurn {number}: of {} {} plays {}",
                choices(before.as_ref()),
                facts.sides[seat.index()],
                turn.text
            );
            for change in changes(before.as_ref(), position.as_ref()) {
                let _ = writeln!(file, "- {change}");
            }
            if turn.shows_board && number < self.turns.len() {
                let _ = write!(file, "\n{}", position.draw(Display::Small));
            }
        }
        let side = |seat: pbmserv_games::Seat| facts.sides[seat.index()];
        let end = match (position.outcome(), position.to_move()) {
            (Some(Outcome::Won(seat)), _) => format!("{} has won.", side(seat)),
            (Some(Outcome::Drawn), _) => "The game is drawn.".to_owned(),
            (None, seat) => format!("{} is to move.", side(seat.unwrap())),
        };
        let _ = write!(file, "\n{}\n{end}\n", position.draw(Display::Large));
        file
    }
}

/// The number of legal turns of the player.
fn choices(position: &dyn Match) -> String {
    match position.turns(MAX_COUNTED + 1).len() {
        1 => "1 turn".to_owned(),
        count if count <= MAX_COUNTED => format!("{count} turns"),
        _ => format!("more than {MAX_COUNTED} turns"),
    }
}

/// Changes of the counts above the board, and whether pieces have left it.
fn changes(before: &dyn Match, after: &dyn Match) -> Vec<String> {
    let mut changes = Vec::new();
    let pieces = [before, after].map(|position| position.cells().len());
    if pieces[1] < pieces[0] {
        changes.push(format!("pieces: {} -> {}", pieces[0], pieces[1]));
    }
    let earlier = before.info();
    for (what, counts) in after.info() {
        let sides: Vec<String> = counts
            .iter()
            .filter_map(|(side, count)| {
                let old = earlier.iter().filter(|(name, _)| *name == what);
                let old = old.flat_map(|(_, counts)| counts).find(|(name, _)| name == side);
                match old {
                    Some((_, old)) if old == count => None,
                    Some((_, old)) => Some(format!("{side} {old} -> {count}")),
                    None => Some(format!("{side} {count}")),
                }
            })
            .collect();
        if !sides.is_empty() {
            changes.push(format!("{what}: {}", sides.join(", ")));
        }
    }
    changes
}

#[test]
fn every_game_has_playthroughs_and_plays_them_as_they_stand() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/playthroughs");
    let is_update = std::env::var_os("UPDATE_PLAYTHROUGHS").is_some();
    let files = std::fs::read_dir(&folder).unwrap();
    let mut files: Vec<_> = files.map(|entry| entry.unwrap().path()).collect();
    let mut played = Vec::new();
    let mut different = Vec::new();
    files.sort();
    for path in files {
        let file = std::fs::read_to_string(&path).unwrap();
        let playthrough = Playthrough::read(&file);
        let written = playthrough.written();
        if is_update {
            std::fs::write(&path, &written).unwrap();
        } else if let Some(at) = first_difference(&file, &written) {
            different.push(format!("{}, line {at}", path.display()));
        }
        played.push(playthrough.game.facts.name);
    }
    for game in GAMES.iter().filter(|game| !played.contains(&game.facts.name)) {
        let name = game.facts.name;
        assert!(
            is_update,
            "{name} has no playthrough: UPDATE_PLAYTHROUGHS=1 plays one"
        );
        let path = folder.join(format!("{}.txt", name.to_lowercase()));
        std::fs::write(path, Playthrough::at_random(game).written()).unwrap();
    }
    assert!(
        different.is_empty(),
        "played differently:\n{}",
        different.join("\n")
    );
}

/// The first line that differs, counted from 1.
fn first_difference(file: &str, written: &str) -> Option<usize> {
    if file == written {
        return None;
    }
    let same = file.lines().zip(written.lines()).take_while(|(a, b)| a == b);
    Some(same.count() + 1)
}
