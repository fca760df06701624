//! SGF: what is written is read back, and files of other programs are read.

use pbmserv::games::record::Record;
use pbmserv::games::{self, Ending, GAMES, Options};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rstest::rstest;

fn read(text: &str) -> Record {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

fn refused(text: &str) -> String {
    text.parse::<Record>().unwrap_err().to_string()
}

fn record(game: &str, options: &str, turns: &str) -> Record {
    let game = games::find(game).unwrap();
    let mut record = Record::new(
        game,
        Options::parse(game.facts, options.split_whitespace()).unwrap(),
    );
    record.turns = turns.split_whitespace().map(str::to_owned).collect();
    record
}

#[test]
fn a_record_is_written_as_custom_has_it() {
    let mut hex = record("Hex", "-size=5", "c2 swap d4");
    hex.board = Some("101".to_owned());
    hex.first = Some("alice".to_owned());
    hex.second = Some("b[o]b".to_owned());
    hex.date = Some("2026-11-20".to_owned());
    hex.ending = Some("Second wins by resignation".parse().unwrap());
    hex.comments.0 = vec![(3, "a \\ hint".to_owned())];
    let head = format!("(;FF[4]CA[UTF-8]AP[pbmserv:{}]", env!("CARGO_PKG_VERSION"));
    assert_eq!(
        hex.sgf().unwrap(),
        format!(
            "{head}GM[11]SZ[5]\nGN[Hex Board 101]PB[alice]PW[b[o\\]b]DT[2026-11-20]RE[W+R]\n\
             ;B[c2];W[swap-pieces];B[d4]C[a \\\\ hint]\n)\n"
        )
    );
    // A stone of the other colour takes the place of the first one.
    let gomoku = record("Gomoku", "-exact", "h8 swap i9");
    assert_eq!(
        gomoku.sgf().unwrap(),
        format!("{head}GM[4]SZ[15]\nGN[Gomoku]RU[-exact]\n;B[hh];W[hh];B[ig]\n)\n")
    );
    let reversi = record("Reversi", "", "d3 c3 c4");
    assert_eq!(
        reversi.sgf().unwrap(),
        format!("{head}GM[2]SZ[8]\nGN[Reversi]\n;B[d3];W[c3];B[c4]\n)\n")
    );
    assert_eq!(record("Amazons", "", "").sgf(), None);
}

#[test]
fn whole_games_are_read_back() {
    for game in GAMES.iter().filter(|game| game.sgf.is_some()) {
        for (seed, options) in (0..).zip(["", "-size=10", "-noswap -size=19", "-exact", "-size=6"]) {
            let Ok(options) = Options::parse(game.facts, options.split_whitespace()) else {
                continue;
            };
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let mut position = game.start(&options).unwrap();
            let mut record = Record::new(game, options);
            while let Some(turn) = position.random_turn(&mut rng) {
                record.turns.push(position.play(&turn).unwrap());
            }
            record.first = Some("a]b\\".to_owned());
            record.ending = position.outcome().map(Ending::by_rules);
            let again = read(&record.sgf().unwrap());
            assert_eq!(again.game.facts.name, game.facts.name);
            assert_eq!(again.options, record.options);
            assert_eq!(again.turns, record.turns);
            assert_eq!(again.ending, record.ending);
            assert_eq!(again.first, record.first);
        }
    }
}

#[test]
fn an_end_that_the_rules_do_not_know_is_read_back() {
    for result in [
        "First wins by resignation",
        "Second wins by forfeit",
        "First wins by adjudication",
        "Draw by agreement",
    ] {
        let mut gomoku = record("Gomoku", "", "h8 i9");
        gomoku.ending = Some(result.parse().unwrap());
        assert_eq!(read(&gomoku.sgf().unwrap()).ending, gomoku.ending, "{result}");
    }
    assert_eq!(read(&record("Hex", "", "a1").sgf().unwrap()).ending, None);
}

#[test]
fn a_game_of_little_golem_is_read() {
    // White begins there, points are letters, and the game stands in the event.
    let text = "(;FF[4]EV[hex.mc.2011.feb.1.10]PB[second]PW[first]SZ[13]RE[B]GC[game #1]\
                SO[http://www.littlegolem.com];W[ll];B[swap];W[gg];B[fi];W[resign])";
    let record = read(text);
    assert_eq!(record.game.facts.name, "Hex");
    assert_eq!(record.options.to_string(), "-size=13");
    assert_eq!(record.turns, ["l12", "swap", "g7", "f9"]);
    assert_eq!(record.first.as_deref(), Some("first"));
    let ending = record.ending.map(|ending| ending.to_string());
    assert_eq!(ending.as_deref(), Some("Second wins by resignation"));
}

#[test]
fn a_game_of_a_program_for_othello_is_read() {
    // Its root has the start position and the first move, and a pass may be left out.
    let text = "(;FF[4]GM[2]AP[edax:4.6]\nPC[Edax]DT[2026-11-20]\nPB[a]PW[b]\n\
                SZ[8]AB[e4][d5]AW[d4][e5]PL[B]\nRE[Void]\nB[d3];W[c3];\nB[c4];)";
    assert_eq!(read(text).turns, ["d3", "c3", "c4"]);
    let other = text.replace("AB[e4]", "AB[e4][a1]");
    assert_eq!(
        refused(&other),
        "Line 4: The stones that are set up are not the start position of the game."
    );
}

#[test]
fn a_pass_that_is_left_out_is_found_again() {
    let game = games::find("Reversi").unwrap();
    let mut found = false;
    for seed in 0..200 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut record = record("Reversi", "", "");
        let mut position = game.start(&record.options).unwrap();
        while let Some(turn) = position.random_turn(&mut rng) {
            record.turns.push(position.play(&turn).unwrap());
        }
        if record.turns.iter().any(|turn| turn == "pass") {
            let text = record.sgf().unwrap();
            let without = text.replace(";B[PA]", "").replace(";W[PA]", "");
            assert_ne!(text, without);
            assert_eq!(read(&without).turns, record.turns);
            found = true;
        }
    }
    assert!(found);
}

#[rstest]
#[case(
    "(;FF[4]GM[1]SZ[19];B[aa])",
    "Line 1: SGF is read of these games: GM[2] (Reversi), GM[11] (Hex), GM[4] (Gomoku)."
)]
#[case("(;FF[4]SZ[19];B[aa])", "Line 1: SGF is read of these games:")]
#[case("(;GM[11]\nSZ[20])", "Line 2: -size takes")]
#[case("(;GM[11]SZ[11:12])", "Line 1: The board is a square")]
#[case("(;GM[11]\n;B[a1]\n;B[a2])", "Line 3: It is not the turn of B.")]
#[case("(;GM[11]\n;B[a1]\n;W[z9])", "Turn 2 on line 3, z9, is refused: ")]
#[case(
    "(;GM[11];B[a1];W[b2];B[swap-pieces])",
    "Turn 3 on line 1, swap, is refused: "
)]
#[case("(;GM[11];B[a1];W[swap-sides])", "Turn 2 on line 1, swap-sides, is refused: ")]
#[case("(;GM[11]AB[c3];W[a1])", "Line 1: The stones that are set up are not")]
#[case("(;GM[11];B[a1]", "Line 1: The game that begins with ( has no )")]
fn what_is_wrong_is_told_with_its_line(#[case] text: &str, #[case] reason: &str) {
    let error = refused(text);
    assert!(error.starts_with(reason), "{error}");
}

proptest::proptest! {
    #[test]
    fn junk_is_no_game_and_never_a_panic(
        text in "\\(;(GM\\[11\\]|GM\\[4\\]|;B\\[a1\\]|;W\\[a1\\]|\\[|\\]|\\(|\\)|SZ\\[|5|RU\\[-exact\\]|AB\\[b2\\]|\\\\|\n|RE\\[B\\+R\\]){0,20}",
    ) {
        let _ = text.parse::<Record>();
    }
}
