//! Matches that GNU Backgammon wrote, and ours.

use std::fmt::Write as _;

use rand::SeedableRng as _;
use rand::rngs::ChaCha8Rng;

use crate::record::Record;
use crate::{Ending, GAMES, Options};

const FIVE_POINTS: &str = include_str!("five-points.mat");

fn read(text: &str) -> Record {
    text.parse().unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn refused(text: &str) -> String {
    text.parse::<Record>().unwrap_err().to_string()
}

fn ending(record: &Record) -> Option<String> {
    record.ending.map(|ending| ending.to_string())
}

#[test]
fn a_match_of_gnu_backgammon_is_read() {
    let record = read(FIVE_POINTS);
    assert_eq!(record.game.facts.name, "Backgammon");
    assert_eq!(record.options.to_string(), "-points=5");
    assert_eq!(
        (record.first.as_deref(), record.second.as_deref()),
        (Some("gnubg"), Some("root"))
    );
    assert_eq!(record.date.as_deref(), Some("2026-11-28"));
    assert_eq!(
        record.turns[..6],
        ["roll", "roll", "25:24/22,13/8", "roll", "51:24/23,13/8", "roll"]
    );
    assert_eq!(ending(&record).as_deref(), Some("First wins"));
    let nackgammon = read(include_str!("nackgammon.mat"));
    assert_eq!(nackgammon.game.facts.name, "Nackgammon");
    assert_eq!(ending(&nackgammon).as_deref(), Some("Second wins"));
    assert_eq!(
        nackgammon.turns.last().map(String::as_str),
        Some("accept"),
        "it was given up"
    );
}

/// Without the names of the players in tags, which GNU Backgammon does not write.
fn without_tags(text: &str) -> String {
    let lines = text.lines().skip_while(|line| line.starts_with(';'));
    lines.map(|line| line.trim_end().to_owned() + "\n").collect()
}

#[test]
fn it_is_written_as_it_was_read_but_for_the_order_of_checkers() {
    let written = read(FIVE_POINTS).mat().unwrap();
    let rows = |text: &str| without_tags(text).lines().map(str::len).collect::<Vec<_>>().len();
    assert_eq!(rows(&written), rows(FIVE_POINTS.trim_end()));
    let first: Vec<_> = written.lines().skip(4).take(9).collect();
    assert_eq!(
        first.join("\n"),
        "\n 5 point match\n\n Game 1\n gnubg : 0                      root : 0\n  \
         1)                             52: 24/22 13/8\n  \
         2) 51: 24/23 13/8              61: 13/7 8/7\n  \
         3) 21: 24/22 23/22             43: 22/18 18/15\n  \
         4) 61: 13/7 8/7                51: 24/23 15/10"
    );
    assert!(written.contains(
        "\n 11)  Doubles => 2                Drops\n      Wins 1 point\n\n Game 2\n gnubg : 1                      root : 0\n"
    ));
    assert_eq!(read(&written), read(FIVE_POINTS));
}

#[test]
fn any_match_is_read_back_wherever_it_stops() {
    for game in GAMES.iter().filter(|game| game.mat.is_some()) {
        for (seed, length) in [
            (1, ""),
            (2, "-points=3"),
            (3, "-points=5"),
            (4, ""),
            (5, "-points=3"),
        ] {
            let options = [length].into_iter().filter(|option| !option.is_empty());
            let options = Options::parse(game.facts, options).unwrap();
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let mut position = game.start(&options).unwrap();
            let mut record = Record::new(game, options);
            (record.first, record.second) = (Some("ann".to_owned()), Some("ben".to_owned()));
            while let Some(turn) = position.random_turn(&mut rng) {
                record.turns.push(position.play(&turn).unwrap());
                record.ending = position.outcome().map(Ending::by_rules);
                let number = record.turns.len();
                if record.ending.is_some() || number.is_multiple_of(17) {
                    let again = read(&record.mat().unwrap());
                    // That the dice may roll is written with the dice.
                    let ends_with_roll = record.turns.last().is_some_and(|turn| turn == "roll");
                    let turns = &record.turns[..number - usize::from(ends_with_roll)];
                    assert_eq!(again.turns, turns, "{} {length}", game.facts.name);
                    assert_eq!(again.ending, record.ending);
                    assert_eq!(again.options, record.options);
                }
            }
        }
    }
}

#[test]
fn a_match_that_was_given_up_and_one_whose_dice_are_not_played_are_read_back() {
    let mut record = read(
        " 3 point match\n\n Game 1\n ann : 0   ben : 0\n  1)                     31: 8/5 6/5\n  2) 64:\n",
    );
    assert_eq!(record.turns, ["roll", "roll", "13:8/5,6/5", "roll"]);
    assert_eq!(record.roll, Some([6, 4]));
    assert!(record.replay().unwrap().position.dice().is_some());
    assert_eq!(read(&record.mat().unwrap()), record);
    record.ending = Some("First wins by resignation".parse().unwrap());
    let text = record.mat().unwrap();
    assert!(text.ends_with("  2) 64:\n      Wins 3 points\n"), "{text}");
    assert_eq!(read(&text), record);
}

#[test]
fn a_game_that_is_given_up_is_offered_and_accepted() {
    let game = |rows: &str| read(&format!(" 7 point match\n\n Game 1\n a : 0   b : 0\n{rows}"));
    let last = |record: &Record| record.turns[record.turns.len() - 2..].join(" ");
    let before_the_roll = game("  1) 31: 8/5 6/5\n      Wins 2 points\n\n Game 2\n a : 2   b : 0\n");
    assert_eq!(last(&before_the_roll), "concede,gammon accept");
    let with_dice = game("  1) 31: 8/5 6/5                 64:\n      Wins 1 point\n");
    assert_eq!(last(&with_dice), "64:concede accept");
    assert_eq!(with_dice.roll, None);
    let doubled = game(&format!(
        "  1) 31: 8/5 6/5                 Doubles => 2\n  2)  Takes                      64: 24/14\n{}Wins 6 points\n",
        " ".repeat(34)
    ));
    assert_eq!(last(&doubled), "concede,backgammon accept");
    let dropped = game(
        "  1) 31: 8/5 6/5                 Doubles => 2\n                                  Wins 1 point\n",
    );
    assert_eq!(last(&dropped), "double drop");
    for record in [before_the_roll, doubled, dropped] {
        assert_eq!(read(&record.mat().unwrap()), record);
    }
}

#[test]
fn what_was_offered_and_refused_is_not_written() {
    let mut record = read(" 5 point match\n\n Game 1\n a : 0   b : 0\n  1) 31: 8/5 6/5\n");
    let rest =
        "concede refuse roll 64:concede,gammon refuse 64:24/14 double take 31:13/10,24/23 roll 31:concede";
    record.turns.extend(rest.split(' ').map(str::to_owned));
    let rows = |record: &Record| {
        record
            .mat()
            .unwrap()
            .lines()
            .skip(8)
            .collect::<Vec<_>>()
            .join("\n")
    };
    let played = "  1) 31: 8/5 6/5                 64: 24/18 18/14\n  2)  Doubles => 2                Takes\n  3) 31: 24/23 13/10             31:";
    assert_eq!(rows(&record), played);
    record.turns.push("accept".to_owned());
    let given_up = played.replace("             31:", "\n      Wins 2 points");
    assert_eq!(rows(&record), given_up);
    let again = read(&record.mat().unwrap());
    assert_eq!(again.turns[again.turns.len() - 2..], ["concede", "accept"]);
    assert_eq!(again.roll, None);
}

#[test]
fn what_other_programs_write_is_read() {
    let record = read(
        "; [Site \"a site\"]\r\n; [Player 1 \"Ann B\"]\r\n\r\n3 point match\r\n\r\n Game 1\r\n Ann B : 0               ben(x) : 0\r\n  \
         1) 52: 24/22 13/8              62: 24/18 13/11\r\n  2) 66: 13/7(2) 8/2(2)          11: Cannot Move\r\n",
    );
    assert_eq!(record.first.as_deref(), Some("Ann B"));
    assert_eq!(record.second.as_deref(), Some("ben(x)"));
    let latin =
        Record::read(b" 1 point match\n\n Game 1\n J\xfcrgen : 0   b : 0\n  1) 31: 8/5 6/5\n").unwrap();
    assert_eq!(latin.first.as_deref(), Some("J\u{fc}rgen"));
}

#[test]
fn what_is_wrong_is_told_with_its_line() {
    let game = |rows: &str| format!(" 5 point match\n\n Game 1\n a : 0   b : 0\n{rows}");
    assert_eq!(
        refused(" 4 point match\n"),
        "Line 1: -points takes 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23 or 25. Possible: -points=3."
    );
    assert_eq!(
        refused("; [Variation \"Tabula\"]\n 5 point match\n"),
        "Line 2: No game here is the variation Tabula."
    );
    assert_eq!(
        refused(&game("  1) 31: 8/5 6/5    64: 24/14\n  2)  Takes\n")),
        "Turn 6 on line 6, take, is refused: You roll or double first. Possible: roll, double."
    );
    let unplayed = refused(&game("  1) 31:          64: 24/14\n"));
    assert!(
        unplayed.starts_with(
            "Turn 3 on line 5, 31:pass, is refused: You pass only if no checker can move; with 3-1"
        ),
        "{unplayed}"
    );
    assert_eq!(
        refused(&game("  1) hello\n")),
        "Line 5: hello is no dice, and no word for the cube."
    );
    assert_eq!(
        refused(&game("hello\n")),
        "Line 5: hello is neither a row of a game nor its score."
    );
    let given_up = |rows: &str| refused(&game(rows));
    assert_eq!(
        given_up("  1) 31: 8/5 6/5\n                                  Wins 1 point\n"),
        "Line 6: The game was given up here, which cannot be played: only the side to move gives a game up."
    );
    assert_eq!(
        given_up("  1) 31: 8/5 6/5\n      Wins 4 points\n"),
        "Line 6: The game was given up here, which cannot be played: 4 is not one, two or three times the cube at 1."
    );
    assert_eq!(
        refused(&game("  1) 31: 8/5 6/5\n\n Game 2\n a : 1   b : 0\n")),
        "Line 8: The score is 1 to 0 here, but after the turns before it 0 to 0."
    );
}

proptest::proptest! {
    #[test]
    fn junk_is_no_match_and_never_a_panic(
        text in "( 1 point match\n| 3 point match\n|Game 1\n|a : 0   b : 0\n|1\\) |31: 8/5 6/5 |64: |Doubles|Takes|Drops|Wins 9|\n|;|\u{fc}|:| ){0,20}"
    ) {
        let mut begun = " 3 point match\n".to_owned();
        let _ = write!(begun, "{text}");
        let _ = text.parse::<Record>();
        let _ = begun.parse::<Record>();
    }
}
