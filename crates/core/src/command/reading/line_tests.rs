//! Property tests of the line reader.

use proptest::prelude::*;
use proptest::sample::select;

use crate::command::COMMANDS;

use super::*;
use crate::command::reading::hidden;

/// A password that is part of no other word.
const SECRET: &str = "Zq8xWv3kLm";

fn all_examples() -> Vec<String> {
    let of = |game: &'static Game| {
        COMMANDS
            .iter()
            .flat_map(|command| command.examples_for(Some(game)))
    };
    GAMES.iter().flat_map(of).collect()
}

/// Words of lines, right or wrong; some are the password.
fn word() -> impl Strategy<Value = String> {
    let mut known: Vec<String> = [
        "alice",
        "bob",
        "101",
        "101#2",
        "new",
        "m13-j7",
        "-",
        "--",
        "---",
        "-exact",
        "-nothing",
        "--unrated",
        "--nagtime=3",
        "--nothing",
        "small",
        "next",
        "tutorial",
        "#",
        "=",
        "alice@example.org",
    ]
    .map(str::to_owned)
    .to_vec();
    known.extend(COMMANDS.iter().map(|command| command.verb.to_owned()));
    known.extend(
        COMMANDS
            .iter()
            .flat_map(|command| command.aliases)
            .map(|alias| (*alias).to_owned()),
    );
    known.extend(GAMES.iter().map(|game| game.facts.name.to_owned()));
    let secret = [
        SECRET.to_owned(),
        SECRET.to_lowercase(),
        format!("-{SECRET}"),
        format!("--{SECRET}"),
        format!("--unrated={SECRET}"),
        format!("101#{SECRET}"),
        format!("m13-j7{SECRET}"),
        format!("{SECRET}@example.org"),
    ];
    prop_oneof![4 => select(known), 3 => select(secret.to_vec()), 1 => "\\PC{1,12}"]
}

/// A line of such words, or an example of a command with some words replaced.
fn line() -> impl Strategy<Value = String> {
    let replaced = (
        select(all_examples()),
        prop::collection::vec((any::<prop::sample::Index>(), word()), 0..3),
    )
        .prop_map(|(line, changes)| {
            let mut words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            for (index, word) in changes {
                let at = index.index(words.len());
                words[at] = word;
            }
            words.join(" ")
        });
    let free = prop::collection::vec(word(), 0..9).prop_map(|words| words.join(" "));
    prop_oneof![replaced, free]
}

fn texts(words: &[Word]) -> Vec<String> {
    words.iter().map(|word| word.text.clone()).collect()
}

fn holds_secret(text: &str) -> bool {
    text.to_lowercase().contains(&SECRET.to_lowercase())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_text_is_read_or_refused_within_bounds(text in "\\PC{0,1200}") {
        match COMMANDS.read_line(&text) {
            Ok(line) => prop_assert!(line.text.len() <= MAX_LINE_BYTES),
            Err(misread) => {
                prop_assert!(misread.echo.text.len() <= 4 * MAX_LINE_BYTES);
                prop_assert!(misread.refused.reason.len() <= 500);
            }
        }
    }

    #[test]
    fn a_line_is_read_again_from_its_own_words(text in line()) {
        let Ok(line) = COMMANDS.read_line(&text) else { return Ok(()) };
        let mut words: Vec<String> = line.game.iter().map(|game| game.facts.name.to_owned()).collect();
        words.push(line.command.verb.to_owned());
        words.extend(line.form.map(|form| form.word.to_owned()));
        for part in [&line.server_options, &line.game_options, &line.fixed, &line.words] {
            words.extend(texts(part));
        }
        words.extend(line.turns.iter().map(|rest| rest.text.clone()));
        let again = COMMANDS.read_line(&words.join("  ")).expect("its own words");
        prop_assert_eq!(again.command.verb, line.command.verb);
        prop_assert_eq!(again.form, line.form);
        prop_assert_eq!(again.game.map(|game| game.facts.name), line.game.map(|game| game.facts.name));
        for (part, same) in [
            (&again.fixed, &line.fixed),
            (&again.words, &line.words),
            (&again.game_options, &line.game_options),
            (&again.server_options, &line.server_options),
        ] {
            prop_assert_eq!(texts(part), texts(same));
        }
        prop_assert_eq!(again.turns.map(|rest| rest.text), line.turns.map(|rest| rest.text));
    }

    #[test]
    fn case_matters_in_passwords_alone(text in select(all_examples()), upper in prop::collection::vec(any::<bool>(), 80)) {
        let line = COMMANDS.read_line(&text).expect("an example");
        let mut bits = upper.into_iter().cycle();
        let turned: String = text
            .chars()
            .map(|c| if bits.next() == Some(true) { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() })
            .collect();
        let other = COMMANDS.read_line(&turned).expect("the same example");
        prop_assert_eq!(other.command.verb, line.command.verb);
        prop_assert_eq!(other.game.map(|game| game.facts.name), line.game.map(|game| game.facts.name));
        for (_, password) in other.secrets() {
            prop_assert_eq!(&password.text, &turned[password.at.clone()], "a password is kept as written");
        }
    }

    #[test]
    fn options_stand_anywhere_before_the_turn(places in prop::collection::vec(0_usize..4, 2)) {
        for game in GAMES {
            let name = game.facts.name;
            let mut words = vec![name, "challenge", "alice", "bob"];
            words.insert(words.len().min(2 + places[0] % 3), "--unrated");
            words.insert(words.len().min(2 + places[1]), "-x=3");
            let line = COMMANDS.read_line(&words.join(" ")).expect("a challenge");
            prop_assert_eq!(texts(&line.fixed), ["alice", "bob"]);
            prop_assert_eq!(texts(&line.server_options), ["--unrated"]);
            prop_assert_eq!(texts(&line.game_options), ["-x=3"]);
            let mut words = vec![name, "preview", "new", "a1", "-b2", "--c3"];
            words.insert(2 + places[0] % 2, "-x");
            let line = COMMANDS.read_line(&words.join(" ")).expect("a preview");
            prop_assert_eq!(texts(&line.game_options), ["-x"]);
            prop_assert_eq!(line.turns.map(|rest| rest.text), Some("a1 -b2 --c3".to_owned()));
        }
    }

    #[test]
    fn before_it_is_judged_a_line_shows_no_password(text in line()) {
        let script = COMMANDS.read_script(&text, "");
        prop_assert!(!holds_secret(&script.unjudged()), "{}", script.unjudged());
        let printed = format!("{script:?}");
        prop_assert!(!holds_secret(&printed), "{printed}");
        if let Err(misread) = COMMANDS.read_line(&text) {
            prop_assert!(!holds_secret(&misread.refused.reason), "{}", misread.refused.reason);
            prop_assert!(!misread.refused.near.iter().any(|near| holds_secret(near)));
        }
    }

    #[test]
    fn once_it_is_done_a_line_shows_all_but_its_secrets(text in line()) {
        let Ok(line) = COMMANDS.read_line(&text) else { return Ok(()) };
        let masked = line.masked();
        for (_, secret) in line.secrets() {
            let in_words = |text: &str| text.split(' ').any(|word| word == secret.text);
            let names = line.text[..line.verb.at.end].len();
            // A word that is too short for a password may also be elsewhere in the line, such as `101` as a board.
            let is_one = secret.text.chars().count() >= hidden::SHORTEST_PASSWORD;
            prop_assert!(!(is_one && in_words(&masked[names..])), "{masked}");
        }
        if line.secrets().next().is_none() {
            prop_assert_eq!(masked, line.text);
        }
    }

    #[test]
    fn the_caret_stands_within_the_line(text in line()) {
        if let Err(misread) = COMMANDS.read_line(&text) {
            let width = misread.echo.text.chars().count();
            if let Some(caret) = misread.echo.caret {
                prop_assert!(caret.start < caret.end && caret.end <= width + 2, "{caret:?} in {width}");
            }
        }
    }
}

#[test]
fn one_hyphen_is_the_games_and_two_are_the_servers() {
    let game = GAMES[0].facts.name;
    let line = COMMANDS
        .read_line(&format!("{game} challenge -exact alice --unrated bob"))
        .unwrap();
    assert_eq!(texts(&line.game_options), ["-exact"]);
    assert_eq!(texts(&line.server_options), ["--unrated"]);
    let misread = COMMANDS
        .read_line(&format!("{game} challenge alice bob --exact"))
        .unwrap_err();
    assert_eq!(misread.refused.reason, "challenge does not take this option.");
}

/// Every way to leave words out of the lines with a password, and to write the password somewhere else.
#[test]
fn a_password_stays_hidden_however_the_words_are_shifted() {
    let is_userid = |word: &str| ["alice", "bob"].contains(&word);
    let mut shown = 0;
    for text in all_examples().iter().filter(|text| text.contains("fig7elk")) {
        let words: Vec<&str> = text.split(' ').filter(|word| *word != "fig7elk").collect();
        for left in 0_u32..1 << words.len() {
            let is_left = |at: &usize| (left >> at) & 1 == 1;
            let kept: Vec<&str> = (0..words.len()).filter(is_left).map(|at| words[at]).collect();
            for at in 0..=kept.len() {
                let line = [&kept[..at], &[SECRET], &kept[at..]].concat().join(" ");
                let Err(misread) = COMMANDS.read_line(&line) else {
                    continue;
                };
                assert!(!holds_secret(&misread.echo.text), "{line}: {}", misread.echo.text);
                let Some(read) = misread.line else { continue };
                let missing = read.missing(&is_userid);
                let refused = missing.as_ref().unwrap_or(&misread.refused);
                let echo = read.echo(refused, &is_userid).text;
                assert!(!holds_secret(&echo), "{line}: {echo}");
                assert!(!holds_secret(&refused.reason), "{line}: {}", refused.reason);
                shown += usize::from(echo.contains("alice"));
            }
        }
    }
    assert!(shown > 200, "the userid is hardly ever shown: {shown}");
}

#[test]
fn a_word_too_many_that_is_an_option_is_suggested_as_one() {
    for (text, near) in [
        ("Forms challenge alice bob -size 6", "-size=6"),
        ("Forms challenge alice bob size=8", "-size=8"),
        ("Forms challenge -size alice bob 99", "-size=18"),
        ("Pow2 challenge alice bob fast", "-fast"),
        ("Pow2 challenge alice bob Middle", "-middle"),
        ("Pow2 challenge alice bob unrated", "--unrated"),
    ] {
        let misread = COMMANDS.read_line(text).unwrap_err();
        assert_eq!(misread.refused.near, [near], "{text}");
    }
    for text in [
        "Pow2 challenge alice bob please",
        "Pow2 resign 101 alice fig7elk fast",
    ] {
        let misread = COMMANDS.read_line(text).unwrap_err();
        assert!(misread.refused.near.is_empty(), "{text}");
    }
}

#[test]
fn a_word_for_a_turn_may_stand_before_the_board() {
    for (written, meant) in [
        ("Pow2 undo 101 alice fig7elk", "Pow2 move 101 alice fig7elk undo"),
        (
            "Reversi Pass 101#3 alice fig7elk",
            "Reversi move 101#3 alice fig7elk Pass",
        ),
        ("hex swap 101", "hex move 101 swap"),
        ("LOA propose", "LOA move propose"),
    ] {
        let text = |written| match COMMANDS.read_line(written) {
            Ok(line) => line.text,
            Err(misread) => misread.line.unwrap().text,
        };
        assert_eq!(text(written), meant);
        let has_board = written.contains("101");
        assert_eq!(COMMANDS.begins_a_command(written), has_board, "{written}");
    }
    for prose in ["Hex undo", "Reversi pass the salt, please"] {
        assert!(!COMMANDS.begins_a_command(prose), "{prose}");
    }
}

#[test]
fn a_line_of_prose_that_begins_with_the_name_of_a_game_is_no_command() {
    let begins = |text: &str| COMMANDS.begins_a_command(text);
    for prose in [
        "Hex is a game that I like.",
        "Reversi",
        "Amazons!",
        "Forms are hard",
        "Hex move by move, it is a fine game",
        "Hex more than ever",
        "Amazons show no mercy",
        "Reversi for 2 players?",
    ] {
        assert!(!begins(prose), "{prose}");
    }
    for command in [
        "Hex move 101 alice fig7elk c5",
        "hex challenge alice bob -size=5",
        "Reversi challenge alice bob",
        "Hex mvoe 101 alice fig7elk c5",
        "Hex chalenge alice bob",
        "Hex move alice fig7elk c5",
        "LOA games",
        "Amazons rules",
    ] {
        assert!(begins(command), "{command}");
    }
}
