//! Records: what is printed is read back, an error names its line, and a replay reaches the same position.

use pbmserv_games::record::{Error, LONGEST, Record, json};
use pbmserv_games::{By, Display, Ending, GAMES, Options, Outcome, Seat};
use proptest::prelude::*;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

/// The example from the rules of records, as printed: with its revision, which the newest would replace.
const EXAMPLE: &str = "\
[Game \"Pow2\"]
[Options \"-exact\"]
[Rules \"1\"]
[Board \"101\"]
[First \"alice\"]
[Second \"bob\"]
[Date \"2026-11-20\"]
[Result \"*\"]

1. m13-j7  a1-e1
2. j7-i5  e1-e3
";

fn read(text: &str) -> Record {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

fn refused(text: &str) -> String {
    match text.parse::<Record>().and_then(|record| record.replay()) {
        Ok(_) => panic!("accepted: {text}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn the_example_is_read_replayed_and_printed_as_it_was() {
    let record = read(EXAMPLE);
    assert_eq!(record.turns, ["m13-j7", "a1-e1", "j7-i5", "e1-e3"]);
    assert_eq!(
        (record.first.as_deref(), record.second.as_deref()),
        (Some("alice"), Some("bob"))
    );
    assert_eq!(record.to_string(), EXAMPLE);
    let replayed = record.replay().unwrap();
    assert_eq!(replayed.to_move(), Some(Seat::First));
    assert_eq!(replayed.turns, record.turns);
    assert_eq!(
        json(&replayed),
        r#"{"game":"Pow2","options":["-exact"],"rules":1,"turns":4,"to_move":"Light","outcome":null,"cells":{"m1":"O","e3":"X","i5":"O","a13":"X"},"info":{"remaining":{"Light":14,"Dark":14}}}"#
    );
}

#[test]
fn only_the_game_is_required_and_the_layout_is_free() {
    let text = "\u{feff}; a game\r\n{ of\r\n two } [ result \"*\" ]\r\n[Event \"a \\\"cup\\\" \\\\ c:\\d\"][game \"powerOFtwo\"]\r\n\
                1.m13-j7{far}a1-e1;back\r\n2... J7-I5\r\n  3 .";
    let record = read(text.trim_end_matches("  3 ."));
    assert_eq!(record.turns, ["m13-j7", "a1-e1", "J7-I5"]);
    assert_eq!(
        record.others,
        [("Event".to_owned(), "a \"cup\" \\ c:\\d".to_owned())]
    );
    let replayed = record.replay().unwrap();
    assert_eq!(replayed.turns, ["m13-j7", "a1-e1", "j7-i5"]);
    assert_eq!(read(&record.to_string()), record);
    assert_eq!(
        read("[Game \"Pow2\"]").to_string(),
        "[Game \"Pow2\"]\n[Rules \"1\"]\n[Result \"*\"]\n"
    );
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let cases: &[(&str, &str)] = &[
        ("", "The tag [Game \"...\"] is missing."),
        ("1. m13-j7", "The tag [Game \"...\"] is missing."),
        ("\n[Game \"Shogi\"]", "Line 2: There is no such game"),
        (
            "[Game \"Pow2\"]\n[Options \"-slow\"]",
            "Line 2: Pow2 has no option -slow.",
        ),
        (
            "[Options \"-exact -exact\"]\n[Game \"Pow2\"]",
            "Line 1: -exact is given twice.",
        ),
        (
            "[Options \"-fast -middle\"]\n[Game \"Pow2\"]",
            "The game cannot begin: -fast and -middle",
        ),
        (
            "[Game \"Pow2\"]\n[Rules \"2\"]",
            "Line 2: Rules is a revision of the rules of Pow2, from 1 to 1.",
        ),
        ("[Game \"Pow2\"]\n[Rules \"new\"]", "Line 2: Rules is a revision"),
        (
            "[Game \"Pow2\"]\n[Result \"1-0\"]",
            "Line 2: A result is *, First wins,",
        ),
        (
            "[Game \"Pow2\"]\n[GAME \"Pow2\"]",
            "Line 2: The tag GAME is given twice.",
        ),
        (
            "[Game \"Pow2]\n",
            "Line 1: The value of the tag Game does not end on its line.",
        ),
        (
            "[Game Pow2]",
            "Line 1: A tag is written [Name \"value\"]; here \" is missing.",
        ),
        (
            "[Game \"Pow2\"",
            "Line 1: A tag is written [Name \"value\"]; here ] is missing.",
        ),
        (
            "[ \"Pow2\"]",
            "Line 1: A tag is written [Name \"value\"]; here the name is missing.",
        ),
        (
            "[Game \"Pow2\"]\n\n{ no end",
            "Line 3: The comment that begins with { has no }.",
        ),
        (
            "[Game \"Pow2\"] m13-j7\n[Game \"Pow2\"]",
            "Line 2: Tags stand before the first turn",
        ),
        (
            "[Game \"Pow2\"]\n1. m13-j7\n2. a1-c2",
            "Turn 2 on line 3, a1-c2, is refused: There is no point c2",
        ),
        (
            "[Game \"Pow2\"]\nm13-m9:l10 m13-j7",
            "Turn 1 on line 2, m13-m9:l10, is refused: m9 has no occupied",
        ),
        ("[Game \"Pow2\"]\nm13-j7 *", "Turn 2 on line 2, *, is refused: "),
        (
            "[Game \"Pow2\"]\n[Result \"First wins\"]",
            "The result is \"First wins\", but the game is not over after",
        ),
        (
            "[Game \"Pow2\"]\n[Result \"Draw\"]",
            "The result is \"Draw\", but the game is not over after",
        ),
    ];
    for &(text, reason) in cases {
        let error = refused(text);
        assert!(error.starts_with(reason), "{error}");
    }
}

#[test]
fn a_record_is_bounded() {
    assert_eq!(" ".repeat(LONGEST + 1).parse::<Record>(), Err(Error::TooLong));
    let many: String = (0..101).map(|n| format!("[Tag{n} \"\"]\n")).collect();
    assert_eq!(refused(&many), "Line 101: A record has at most 100 tags.");
    let long = format!("[Game \"Pow2\"]\n{}", "m".repeat(100_000));
    assert!(refused(&long).len() < 300);
}

fn random_record(seed: u64, options: &str) -> Record {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let game = pbmserv_games::find("Pow2").unwrap();
    let options = Options::parse(game.facts, options.split_whitespace()).unwrap();
    let mut position = game.start(&options).unwrap();
    let mut record = Record::new(game, options);
    while let Some(turn) = position.random_turn(&mut rng) {
        record.turns.push(position.play(&turn).unwrap());
    }
    record.ending = position.outcome().map(Ending::by_rules);
    record
}

#[test]
fn a_finished_game_ends_as_its_turns_say() {
    let record = random_record(1, "-fast");
    let Some(
        ending @ Ending {
            outcome: Outcome::Won(winner),
            ..
        },
    ) = record.ending
    else {
        panic!()
    };
    let with = |ending| {
        let mut record = record.clone();
        record.ending = ending;
        record
    };
    // `*` means no result: the turns decide.
    for right in [Some(ending), None] {
        assert_eq!(with(right).replay().unwrap().ending, Some(ending));
    }
    let other = Ending::by_rules(Outcome::Won(winner.other()));
    let resigned = Ending {
        by: By::Resignation,
        ..ending
    };
    for wrong in [other, resigned, Ending::by_rules(Outcome::Drawn)] {
        let Err(error) = with(Some(wrong)).replay() else {
            panic!("{wrong} was accepted")
        };
        assert_eq!(
            error.to_string(),
            format!("The result is \"{wrong}\", but the turns end with \"{ending}\".")
        );
    }
    let mut longer = record.clone();
    longer.turns.push("a1-e1".to_owned());
    let Err(error) = longer.replay() else { panic!() };
    assert!(
        error.to_string().ends_with("is refused: The game is over."),
        "{error}"
    );
}

#[test]
fn a_game_ended_at_the_table_is_over_though_its_turns_go_on() {
    let mut record = read(EXAMPLE);
    for by in [By::Resignation, By::Forfeit, By::Agreement, By::Adjudication] {
        let drawn = Ending {
            outcome: Outcome::Drawn,
            by,
        };
        record.ending = Some(drawn);
        let replayed = record.replay().unwrap();
        assert_eq!((replayed.ending, replayed.to_move()), (Some(drawn), None));
        let outcome = format!(
            r#""to_move":null,"outcome":{{"winner":null,"by":"{}"}}"#,
            by.word()
        );
        assert!(json(&replayed).contains(&outcome));
        assert_eq!(read(&record.to_string()), record);
    }
}

#[test]
fn rows_stay_within_seventy_two_columns_where_turns_are_short_enough() {
    let game = &GAMES[0];
    let mut record = Record::new(game, Options::none(game.facts));
    record.turns = vec![
        "a".repeat(40),
        "b".repeat(40),
        "c".repeat(90),
        "d".to_owned(),
        "e".to_owned(),
    ];
    let text = record.to_string();
    let rows: Vec<_> = text.lines().skip(4).collect();
    let (a, b, c) = ("a".repeat(40), "b".repeat(40), "c".repeat(90));
    assert_eq!(
        rows,
        [
            format!("1. {a}"),
            format!("   {b}"),
            format!("2. {c}"),
            "   d".to_owned(),
            "3. e".to_owned()
        ]
    );
    assert_eq!(read(&text), record);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn what_is_printed_is_read_back_and_leads_to_the_same_board(
        seed in any::<u64>(),
        options in prop_oneof![Just(""), Just("-exact -fast"), Just("-noborder -middle")],
        name in "[ -~\u{e4}]{0,20}",
        length in 0usize..80,
    ) {
        let mut record = random_record(seed, options);
        if length < record.turns.len() {
            record.turns.truncate(length);
            record.ending = None;
        }
        record.first = Some(name.clone());
        record.others.push(("Event".to_owned(), name));
        let again = read(&record.to_string());
        prop_assert_eq!(&again, &record);
        let (one, two) = (record.replay().unwrap(), again.replay().unwrap());
        prop_assert_eq!(one.position.draw(Display::Large), two.position.draw(Display::Large));
        prop_assert_eq!(&one.turns, &record.turns);
        prop_assert_eq!(json(&one), json(&two));
    }

    #[test]
    fn junk_is_no_record_and_never_a_panic(
        text in prop_oneof![any::<String>(), "(\\[|Game|\"|Pow2|\\]|\\\\|\\{|\\}|;|\n|1\\.| |m13-j7){0,40}"],
    ) {
        if let Ok(record) = text.parse::<Record>() {
            let _ = record.replay();
            prop_assert_eq!(&read(&record.to_string()), &record);
        }
    }
}
