//! Files as programs for chess and draughts write them.

use super::write::COLUMNS;
use crate::record::Record;
use crate::{Ending, GAMES, Options};

fn read(text: &str) -> Record {
    text.parse().unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn a_game_of_a_chess_site_is_read() {
    let record = read(
        "[Event \"Rated Blitz game\"]\r\n[Site \"https://chess.example/abc\"]\r\n[Date \"2024.05.01\"]\r\n[White \"ann\"]\r\n\
         [Black \"ben\"]\r\n[Result \"1-0\"]\r\n[UTCDate \"2024.05.01\"]\r\n[Variant \"Standard\"]\r\n[TimeControl \"180+2\"]\r\n\r\n\
         1. e4 { [%clk 0:03:00] } 1... e5 $6 { [%clk 0:02:58] } 2. Qh5?! Nc6 (2... g6 3. Qxe5+ (3. Qf3 Nf6) 3... Qe7) 3. Bc4 Nf6?? \
         4. Qxf7# 1-0\r\n",
    );
    assert_eq!(record.game.facts.name, "Chess");
    assert_eq!(record.turns, ["e4", "e5", "Qh5", "Nc6", "Bc4", "Nf6", "Qxf7"]);
    assert_eq!(record.first.as_deref(), Some("ann"));
    assert_eq!(record.date.as_deref(), Some("2024-05-01"));
    assert_eq!(
        record.ending.map(|ending| ending.to_string()).as_deref(),
        Some("First wins")
    );
    assert!(record.replay().is_ok());
}

#[test]
fn results_before_the_end_are_a_resignation_or_an_agreement() {
    let ending = |result: &str| {
        let record = read(&format!(
            "[White \"a\"]\n[Black \"b\"]\n\n1.d4 d5 2.c4 dxc4 {result}"
        ));
        record.ending.map(|ending| ending.to_string())
    };
    assert_eq!(ending("0-1").as_deref(), Some("Second wins by resignation"));
    assert_eq!(ending("1/2-1/2").as_deref(), Some("Draw by agreement"));
    assert_eq!(ending("*"), None);
}

#[test]
fn what_stands_without_blanks_or_in_tags_only_is_read() {
    let record = read(
        "[White \"a\"]\n[Date \"2024.??.??\"]\n[Result \"0-1\"]\n[Termination \"Time forfeit\"]\n\n\
         1. Nf3(1. f4 e5(1... d5)) d5 2. g3 ! Nf6 3. Bg2 e6 4. 0-0",
    );
    assert_eq!(record.turns.join(" "), "Nf3 d5 g3 Nf6 Bg2 e6 O-O");
    assert_eq!(record.date, None);
    let ending = record.ending.map(|ending| ending.to_string());
    assert_eq!(ending.as_deref(), Some("Second wins by forfeit"));
    let two = "[White \"a\"]\n\n1. e4 *\n\n[White \"b\"]\n\n1. d4 *"
        .parse::<Record>()
        .unwrap_err();
    assert_eq!(two.to_string(), "Line 5: A file is the record of one game.");
}

#[test]
fn what_other_programs_write_is_read() {
    let record = read(
        "% from a database\n[Event \"The \"Great\" match\"]\n[White \"a\"]\n[Variant \"From Position\"]\n\
         [FEN \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\"]\n\n1 e4 e5\n% said here\n2 Nf3 *",
    );
    assert_eq!(record.turns, ["e4", "e5", "Nf3"]);
    for (variant, name) in [
        ("KotH", "KingOfTheHill"),
        ("3-check", "ThreeCheck"),
        ("Racing Kings", "RacingKings"),
    ] {
        assert_eq!(
            read(&format!("[Variant \"{variant}\"]\n\n*")).game.facts.name,
            name
        );
    }
    let hill = "[Variant \"King of the Hill\"]\n[FEN \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\"]\n\n1. e4 *";
    assert_eq!(read(hill).turns, ["e4"]);
    let kings = "[Variant \"Racing Kings\"]\n[FEN \"8/8/8/8/8/8/krbnNBRK/qrbnNBRQ w - - 0 1\"]\n\n1. Kh3 *";
    assert_eq!(read(kings).turns, ["Kh3"]);
    let latin = Record::read(b"[White \"J\xfcrgen\"]\n[Black \"b\"]\n\n1. e4 *").unwrap();
    assert_eq!(latin.first.as_deref(), Some("J\u{fc}rgen"));
    let ours = Record::read(b"[Game \"Chess\"]\n[First \"J\xfcrgen\"]\n\n1. e4 *").unwrap_err();
    assert_eq!(ours.to_string(), crate::record::Error::NotText.to_string());
}

#[test]
fn the_cause_of_an_end_is_read_back() {
    for by in crate::By::ALL {
        let outcome = match by {
            crate::By::Rules => continue,
            crate::By::Agreement => crate::Outcome::Drawn,
            _ => crate::Outcome::Won(crate::Seat::Second),
        };
        let mut record = read("[White \"a\"]\n\n1. e4 *");
        record.ending = Some(Ending { outcome, by });
        assert_eq!(read(&record.tagged().unwrap()).ending, record.ending);
    }
}

#[test]
fn a_variant_and_a_start_of_960_are_read_and_written() {
    let hill = read("[Variant \"King of the Hill\"]\n[White \"a\"]\n\n1. e4 e5 2. Ke2 *");
    assert_eq!(hill.game.facts.name, "KingOfTheHill");
    let fen = "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1";
    let record = read(&format!(
        "[Variant \"Chess960\"]\n[SetUp \"1\"]\n[FEN \"{fen}\"]\n\n1. e4 *"
    ));
    assert_eq!(record.options.to_string(), "-960=0");
    let text = record.tagged().unwrap();
    assert!(
        text.contains(&format!(
            "[Variant \"Chess960\"]\n[SetUp \"1\"]\n[FEN \"{fen}\"]\n\n1. e4 *\n"
        )),
        "{text}"
    );
    let error = "[FEN \"8/8/8/8/8/8/8/K6k w - - 0 1\"]\n\n1. Ka2"
        .parse::<Record>()
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "Line 1: The game does not begin at one of its own starts, so its turns cannot be judged."
    );
}

#[test]
fn a_game_of_a_draughts_program_is_read() {
    let record = read(
        "[Event \"x\"]\n[Black \"ann\"]\n[White \"ben\"]\n[Result \"*\"]\n[GameType \"21\"]\n\n1. 11-15 22-18 2. 15x22 25x18 {book} *",
    );
    assert_eq!(record.game.facts.name, "Checkers");
    assert_eq!(record.turns, ["11-15", "22-18", "15x22", "25x18"]);
    assert_eq!(
        (record.first.as_deref(), record.second.as_deref()),
        (Some("ann"), Some("ben"))
    );
    let other = "[GameType \"23\"]\n\n1. c3-d4".parse::<Record>().unwrap_err();
    assert_eq!(other.to_string(), "Line 1: No game here is written with 23.");
}

#[test]
fn a_refused_turn_is_told_with_its_line() {
    let error = "[White \"a\"]\n\n1. e4 e5\n2. Ke3".parse::<Record>().unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("Turn 3 on line 4, Ke3, is refused: "),
        "{error}"
    );
}

#[test]
fn what_is_written_is_read_back() {
    use rand::SeedableRng as _;
    for game in GAMES.iter().filter(|game| game.tagged.is_some()) {
        let mut rng = rand::rngs::ChaCha8Rng::seed_from_u64(7);
        let mut position = game.start(&Options::none(game.facts)).unwrap();
        let mut record = Record::new(game, Options::none(game.facts));
        while let Some(turn) = position.random_turn(&mut rng) {
            record.turns.push(position.play(&turn).unwrap());
        }
        record.ending = position.outcome().map(Ending::by_rules);
        (record.first, record.board) = (Some("a\"b".to_owned()), Some("101".to_owned()));
        let text = record.tagged().unwrap();
        assert!(text.lines().all(|line| line.len() <= COLUMNS + 40));
        let again = read(&text);
        assert_eq!(
            (again.game.facts.name, &again.turns),
            (game.facts.name, &record.turns)
        );
        assert_eq!(
            (again.ending, &again.first),
            (record.ending, &record.first),
            "{text}"
        );
    }
}

proptest::proptest! {
    #[test]
    fn junk_is_no_game_and_never_a_panic(text in "(\\[White \"a\"\\]|\\[FEN \"[a-z8/]{0,9}\"\\]|\\[GameType \"2[01]\"\\]|1\\.|e4|11-15|\\(|\\)|\\$|\\{|\\}|1-0|\n| ){0,20}") {
        let _ = text.parse::<Record>();
    }
}
