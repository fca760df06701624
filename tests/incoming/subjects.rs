//! The subjects of the letters about a board as they come back: none is a turn or a command, whatever mail programs, lists
//! and filters add.

use pbmserv_core::command::{COMMANDS, Script};
use pbmserv_core::letters::Headline;
use pbmserv_games::GAMES;
use pbmserv_mail::{clean_subject, plain};

use super::answers::read;

/// What is added, `S` for the subject. Words below are not: the subject of a board is the beginning of a command.
const ADDED: [&str; 16] = [
    "S",
    "Re: S",
    "re:S",
    "RE : S",
    "Re: Re: Re: S",
    "Re[2]: S",
    "AW: S",
    "Antw: S",
    "回复：S",
    "Fwd: Re: S",
    "[games] Re: S",
    "Re: [EXTERNAL] S **",
    "[Fwd: S]",
    "S (fwd)",
    "***SPAM*** Re: S",
    "EXTERNAL: S",
];
/// How many of these are removed without a trace.
const REMOVED: usize = 12;

/// Userids that look like something else, but for the first.
const USERIDS: [&str; 6] = ["bob", "m13-j7", "M1-E1", "resigned", "draw", "a1"];

/// Every subject of a letter about a board of Pow2.
fn subjects() -> Vec<String> {
    let mut all = Vec::new();
    for userid in USERIDS {
        let boards = [
            "Pow2 101 against U",
            "Pow2 101, U against bob",
            "Pow2 101, bob against U",
        ];
        for board in boards.map(|board| board.replace('U', userid)) {
            all.extend(Headline::ALL.map(|headline| headline.subject(&board)));
        }
        all.push(format!("Pow2 Board 101 {userid}"));
    }
    all.push("Pow2 Board 101".to_owned());
    all
}

#[test]
fn a_subject_that_comes_back_is_no_turn_and_no_command() {
    let mut wrong = Vec::new();
    for subject in subjects() {
        for (nth, added) in ADDED.iter().enumerate() {
            let returned = plain(&clean_subject(&added.replace('S', &subject)));
            let is_as_sent = returned == subject;
            let script = COMMANDS.read_script(&returned, "");
            let is_wrong = match script {
                Script::Nothing => false,
                // The subject of a board is the beginning of a command, whose password is missing.
                Script::Misread(_) => Headline::is_subject(&returned),
                Script::Command(_) | Script::Batch(_) => true,
            };
            if is_wrong || (nth < REMOVED && !is_as_sent) {
                wrong.push(format!("{returned}: {script:?}"));
            }
            for words in ["", "Thank you for the game!"] {
                let found = read("Pow2", words, &returned);
                // If the opponent is called m13-j7, the server may ask.
                if found != "-" && (is_as_sent || !found.starts_with("ask ")) {
                    wrong.push(format!("{returned}, {words}: {found}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_list_of_commands_below_a_subject_of_ours_is_read() {
    for subject in subjects() {
        let script = COMMANDS.read_script(&subject, "list\nPow2 show 101\n");
        assert_eq!(script.lines().len(), 2, "{subject}");
    }
}

#[test]
fn every_headline_of_every_game_is_known_again() {
    for headline in Headline::ALL {
        for game in GAMES {
            let subject = headline.subject(&format!("{} 101 against bob", game.facts.name));
            assert!(Headline::is_subject(&subject), "{subject}");
            assert!(Headline::is_subject(&subject.to_uppercase()), "{subject}");
        }
    }
    for subject in [
        "Your turn",
        "Your turn: ",
        "Your turn: Pow2 101",
        "Your turn: Shogi 101 against bob",
        "Your turn: Pow2 x against bob",
        "Your turn: Pow2 101 against bob m13-j7",
        "Whose turn: Pow2 101 against bob",
        "Pow2 move 101 alice: against",
    ] {
        assert!(!Headline::is_subject(subject), "{subject}");
    }
}
