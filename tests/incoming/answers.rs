//! Answers to a board's letter: what is a turn, what is words, and what is asked about.

use pbmserv_core::command::COMMANDS;
use pbmserv_core::table::{Board, BoardId, NewBoard, Player, PlayerId, Presence, Seated, Terms};
use pbmserv_games::{GAMES, Game, Match, Options, Seat, find};
use pbmserv_mail::{Address, OwnAddresses, envelope_from_header, plain};
use proptest::prelude::*;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

/// What became of an answer: `play TURN` or the verb, each with a comma between; `ask MEANT`; `-` for words alone. What
/// the other player reads follows `|`.
fn reading(game: &'static Game, position: &dyn Match, body: &str, subject: &str) -> String {
    let seated = |id, userid: &str| Seated {
        id: PlayerId(id),
        userid: userid.to_owned(),
    };
    let new = NewBoard {
        game,
        number: 101,
        options: Options::none(game.facts),
        players: [seated(1, "alice"), seated(2, "bob")],
        terms: Terms::default(),
        dice: None,
    };
    let mut board = Board::begun(
        new,
        position.to_move(),
        [Presence::HERE; 2],
        chrono::DateTime::UNIX_EPOCH,
    );
    board.id = BoardId(1);
    let is_first = position.to_move() == Some(Seat::First);
    let player = Player {
        id: PlayerId(if is_first { 1 } else { 2 }),
        userid: if is_first { "alice" } else { "bob" }.to_owned(),
        password_hash: String::new(),
        generation: 1,
        away_since: None,
        disabled_at: None,
    };
    let answer = COMMANDS.read_reply(body, &plain(subject), &board, &player, position);
    if let Some(doubt) = answer.doubt {
        let about = match (doubt.is_in_chat, doubt.is_about_capital) {
            (true, _) => "chat: ",
            (_, true) => "capital: ",
            _ => "",
        };
        return format!("ask {about}{}", doubt.meant.join(" or "));
    }
    let done: Vec<String> = answer
        .commands
        .iter()
        .map(|(line, _)| match &line.turns {
            Some(turn) => format!("{} {}", line.command.verb, turn.text),
            None => line.command.verb.to_owned(),
        })
        .collect();
    let said: Vec<&str> = answer.commands.iter().map(|(_, said)| said.as_str()).collect();
    let said = said.join("").trim().replace("\n\n", " / ").replace('\n', " / ");
    match (done.is_empty(), said.is_empty()) {
        (true, _) => "-".to_owned(),
        (false, true) => done.join(", "),
        (false, false) => format!("{} | {said}", done.join(", ")),
    }
}

/// What is read of an answer at the start of a game; ` / ` stands for a new line.
pub(crate) fn read(name: &str, body: &str, subject: &str) -> String {
    let game = find(name).unwrap();
    let position = game.start(&Options::none(game.facts)).unwrap();
    reading(game, position.as_ref(), &body.replace(" / ", "\n"), subject)
}

/// Answers to a board of Pow2 at its start, where m13-j7, m1-e1:d2 and m13-m5:l4 are legal and a1-e1 is not.
#[rustfmt::skip]
const ANSWERS: &[(&str, &str)] = &[
    // As its help writes it.
    ("m13-j7", "move m13-j7"),
    ("M13 -> J7", "move M13 -> J7"),
    ("m1-e1:d2", "move m1-e1:d2"),
    ("m1 - e1 : d2", "move m1 - e1 : d2"),
    ("move m13-j7", "move m13-j7"),
    ("m13-j7#1", "move m13-j7#1"),
    ("m13-j7 / Good luck!", "move m13-j7 | Good luck!"),
    ("m13-j7 / I thought about m1-m5, too.", "move m13-j7 | I thought about m1-m5, too."),
    // Something around it.
    ("m13-j7.", "move m13-j7"),
    ("m13-j7!", "move m13-j7"),
    ("m13-j7!!!", "move m13-j7"),
    ("\"m13-j7\"", "move m13-j7"),
    ("“m13-j7”.", "move m13-j7"),
    ("«m13-j7»", "move m13-j7"),
    ("'m13-j7'", "move m13-j7"),
    ("(m13-j7)", "move m13-j7"),
    ("[m13-j7]", "move m13-j7"),
    ("*m13-j7*", "move m13-j7"),
    ("`m13-j7`", "move m13-j7"),
    ("- m13-j7", "move m13-j7"),
    ("\u{2022} m13-j7", "move m13-j7"),
    ("m13→j7", "move m13->j7"),
    ("m13 → j7", "move m13 -> j7"),
    ("m13–j7.", "move m13-j7"),
    ("m13-j7#1.", "move m13-j7#1"),
    ("1. m13-j7", "move m13-j7"),
    ("1.m13-j7", "move m13-j7"),
    ("12) m13-j7", "move m13-j7"),
    ("1... m13-j7", "move m13-j7"),
    ("Move: m13-j7", "move m13-j7"),
    ("move m13-j7.", "move m13-j7"),
    ("My move: m13-j7", "move m13-j7"),
    ("My next move is: m13-j7!", "move m13-j7"),
    ("Mein Zug: m13-j7", "move m13-j7"),
    ("Ход: m13-j7", "move m13-j7"),
    ("My move: \"m13-j7\".", "move m13-j7"),
    ("m13-j7 :-)", "move m13-j7 | :-)"),
    ("m13-j7 ;)", "move m13-j7 | ;)"),
    ("m13-j7. :D", "move m13-j7 | :D"),
    ("m13-j7 😀", "move m13-j7 | 😀"),
    ("m13-j7 Good luck", "move m13-j7 | Good luck"),
    ("m13-j7 good luck, Bob!", "move m13-j7 | good luck, Bob!"),
    ("m13-j7, good luck", "move m13-j7 | good luck"),
    ("m13-j7 - have fun", "move m13-j7 | have fun"),
    ("m13-j7 (your turn)", "move m13-j7 | your turn)"),
    ("m13-j7 gg", "move m13-j7 | gg"),
    ("m13-j7 thanks", "move m13-j7 | thanks"),
    ("m13-j7 Viele Grüße", "move m13-j7 | Viele Grüße"),
    ("m13-j7 Bonne chance !", "move m13-j7 | Bonne chance !"),
    ("m13-j7. That was hard.", "move m13-j7 | That was hard."),
    ("m13-j7! Back on 5 December.", "move m13-j7 | Back on 5 December."),
    ("m13-j7. How are you?", "move m13-j7 | How are you?"),
    ("m1 - e1 : d2. Your turn!", "move m1 - e1 : d2 | Your turn!"),
    // A salutation or plain sentences above it.
    ("Hi Anna, / m13-j7", "move m13-j7 | Hi Anna,"),
    ("Hi Anna, /  / m13-j7 /  / Yours, / Bob", "move m13-j7 | Hi Anna, /  / Yours, / Bob"),
    ("Anna, / m13-j7.", "move m13-j7 | Anna,"),
    ("hello / m13-j7 / how are you", "move m13-j7 | hello / how are you"),
    ("Hi Anna, m13-j7", "move m13-j7"),
    ("Guten Morgen! / m13-j7", "move m13-j7 | Guten Morgen!"),
    ("My move: / m13-j7", "move m13-j7"),
    ("Dear Bob, / here is my move: / m13-j7", "move m13-j7 | Dear Bob,"),
    ("Sorry for the delay. / m13-j7", "move m13-j7 | Sorry for the delay."),
    ("Nice weather here! :-) /  / m13-j7", "move m13-j7 | Nice weather here! :-)"),
    ("Your a1-e1 surprised me. / m13-j7", "move m13-j7 | Your a1-e1 surprised me."),
    ("m13-j7. /  / I chose m13-j7 for its looks.", "move m13-j7 | I chose m13-j7 for its looks."),
    // Verbs.
    ("resign.", "resign"),
    ("Resign!", "resign"),
    ("Show.", "show"),
    ("Help!", "help"),
    ("\"help\"", "help"),
    ("undo.", "move undo"),
    ("Propose!", "move Propose"),
    ("accept.", "move accept"),
    ("confirm.", "confirm"),
    ("Hi Anna, / show", "show | Hi Anna,"),
    ("Hi Anna, / resign. / Well played!", "resign | Hi Anna, / Well played!"),
    // In doubt.
    ("I thought about m13-j7 but it is too early", "ask m13-j7"),
    ("I play m13-j7", "ask m13-j7"),
    ("I'd go m13-j7, I think.", "ask m13-j7"),
    ("What about m13-j7?", "ask m13-j7"),
    ("m13-j7?", "ask m13-j7"),
    ("m13-j7!?", "ask m13-j7"),
    ("m13-j7...", "ask m13-j7"),
    ("m13-j7 but I am not sure", "ask m13-j7"),
    ("m13-j7, but only if you let me", "ask m13-j7"),
    ("m13-j7. No, wait.", "ask m13-j7"),
    ("m13-j7 looks strong", "ask m13-j7"),
    ("m13-j7 or m1-m5?", "ask m1-m5 or m13-j7"),
    ("either m13-j7 or m1 - m5", "ask m1-m5 or m13-j7"),
    ("m13-j7! / m1-m5!", "ask m1-m5 or m13-j7"),
    ("m13-j7. / show", "ask m13-j7 or show"),
    ("Hi, / m13-j7 / m1-m5", "ask m1-m5 or m13-j7"),
    ("Not: m13-j7", "ask m13-j7"),
    ("m13-j7 if ok", "ask m13-j7"),
    ("m13-j7 if you like then", "ask m13-j7"),
    ("m13-j7; if a1-e1 then m5-m7", "move m13-j7; if a1-e1 then m5-m7"),
    ("m13-j7 / if a1-e1 then m1-m7", "move m13-j7 | if a1-e1 then m1-m7"),
    ("m13-j7 / if you like, then we can pause", "move m13-j7 | if you like, then we can pause"),
    ("m13-j7 or m1-m5", "ask m1-m5 or m13-j7"),
    ("Anything but m13-j7", "ask m13-j7"),
    ("I was going to play /  / m13-j7 /  / but I saw your threat.", "ask m13-j7"),
    ("This would be a mistake. /  / m13-j7 /  / So I need another day.", "ask m13-j7"),
    ("The best turn is perhaps / m13-j7 / but it costs a piece.", "ask m13-j7"),
    ("Is this your idea? / m13-j7", "ask m13-j7"),
    ("I like m13-j7. / m1-m5 is worse.", "ask m1-m5 or m13-j7"),
    ("I like m13-j7. / m13-j7", "ask m13-j7"),
    ("Was hältst du von m13-j7?", "ask m13-j7"),
    ("I resign", "ask resign"),
    ("resign?", "ask resign"),
    ("I will never / resign / even so", "ask resign"),
    ("please show", "ask show"),
    // Read as far as it goes, so that the refusal says what is wrong with it.
    ("m13-j77", "move m13-j77"),
    ("m1-z9.", "-"),
    ("a1-e1.", "move a1-e1"),
    ("m13-m5 l4", "move m13-m5 l4"),
    ("m13-j7,", "move m13-j7,"),
    // Words.
    ("That was a surprise.", "-"),
    ("Good game so far!", "-"),
    ("I need 2 days, sorry.", "-"),
    ("Are you on e9 or on i9?", "-"),
    ("resign yourself to it, you will lose", "-"),
    ("I would not resign yet", "-"),
    ("Undo? I would never ask for that.", "-"),
    ("move over, here I come", "-"),
    ("Your move is strong, and my m13 is lost.", "-"),
    ("See you at 10:30 in room 7-11", "-"),
    ("", "-"),
    // In a chat.
    ("chat hello", "chat | hello"),
    ("chat hello / m13-j7", "ask chat: m13-j7"),
    ("chat / Hi! / 1. m13-j7.", "ask chat: m13-j7"),
    ("chat m13-j7", "ask chat: m13-j7"),
    ("chat I thought about m13-j7 / for an hour", "chat | I thought about m13-j7 / for an hour"),
    ("chat your / a1-e1 / was good", "chat | your / a1-e1 / was good"),
];

#[test]
fn turns_words_and_doubts_are_told_apart() {
    let wrong: Vec<String> = ANSWERS
        .iter()
        .map(|(body, expected)| (body, expected, read("Pow2", body, "Pow2 Board 101 alice")))
        .filter(|(_, expected, found)| found != *expected)
        .map(|(body, expected, found)| format!("{body}\n    expected {expected}\n    found    {found}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn answers_of_mail_programs_are_told_apart_too() {
    let own = OwnAddresses::from(Address::parse("pbmserv@games.example").unwrap());
    for (name, expected) in [
        (
            "gmail-greeting-and-turn",
            "move m13->j7 | Hi Anna, / :-) / Good luck, / Carol",
        ),
        ("telephone-subject-turn", "move M13->j7 | Good luck!"),
        (
            "thunderbird-quotation-deleted",
            "move m13-j7 | Have a nice Sunday.",
        ),
        ("alpine-prose-with-a-turn", "ask m1-m5 or m13-j7"),
    ] {
        let file = format!("{}/tests/mails/{name}.eml", env!("CARGO_MANIFEST_DIR"));
        let bytes = std::fs::read(file).unwrap();
        let envelope = envelope_from_header(&bytes, &Default::default(), &own).unwrap();
        let mail = pbmserv_mail::read(&bytes, &envelope, &own, &crate::fuzzed::fuzz::mail::WORDS).unwrap();
        let found = read(
            "Pow2",
            &mail.text.join("\n"),
            &pbmserv_mail::clean_subject(&mail.subject),
        );
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn a_subject_is_read_as_the_text_and_the_text_goes_to_the_other_player() {
    for (subject, body, expected) in [
        ("m13-j7", "", "move m13-j7"),
        ("m13-j7", "Good luck!", "move m13-j7 | Good luck!"),
        ("m13-j7.", "Good luck!", "move m13-j7 | Good luck!"),
        ("Move: m13-j7", "", "move m13-j7"),
        ("1. m13→j7 :-)", "Hello", "move m13->j7 | :-) / Hello"),
        ("m13-j7 good luck", "", "move m13-j7 | good luck"),
        ("\"m13-j7\"", "", "move m13-j7"),
        ("resign.", "Well played.", "resign | Well played."),
        ("Show.", "", "show"),
        ("Help!", "", "help"),
        ("chat hello", "Bob", "chat | hello / Bob"),
        ("I play m13-j7", "", "ask m13-j7"),
        ("m13-j7?", "", "ask m13-j7"),
        ("m13-j7", "m1-m5", "move m1-m5"),
        ("m13-j7", "Hi, / m13-j7.", "move m13-j7 | Hi, / m13-j7."),
        ("m13-j7", "Hi, / m1-m5", "ask m1-m5"),
        ("m13-j7.", "I thought about m1-m5 but", "ask m1-m5"),
        ("Pow2 Board 101 m13-j7", "Hello", "-"),
        ("Pow2 move 101 alice fig7elk m13-j7", "Hi, / m1-m5", "-"),
        ("Not done: m13-j7", "Hello", "-"),
    ] {
        assert_eq!(read("Pow2", body, subject), expected, "{subject}: {body}");
    }
}

#[test]
fn where_a_cell_is_a_turn_prose_with_cells_is_asked_about() {
    for (game, body, expected) in [
        ("ShapeChess", "d4.", "move d4"),
        ("ShapeChess", "Move: d4", "move d4"),
        ("ShapeChess", "d4 was a fine move", "ask d4"),
        ("ShapeChess", "I have an A4 sheet", "ask a4"),
        ("ShapeChess", "c3, good luck", "move c3 | good luck"),
        ("ShapeChess", "c3,", "move c3,"),
        ("ShapeChess", "Hi, / d4 / e5", "ask d4 or e5"),
        ("Ringworm", "q9.", "move q9"),
        ("Ringworm", "Pass!", "move Pass"),
        ("Ringworm", "Pass?", "ask pass"),
        ("Ringworm", "pass me the salt", "ask pass"),
        ("Ringworm", "Q9!", "move q9"),
        ("Pow2", "Pass!", "move Pass"),
        ("Pow2", "pass me the salt", "-"),
        ("Forms", "1. b1-a1 :-)", "move b1-a1 | :-)"),
        ("Forms", "b1-a1, b2-a2", "move b1-a1, b2-a2"),
        ("Forms", "b1-a1 or d1-e1", "ask b1-a1 or d1-e1"),
    ] {
        assert_eq!(read(game, body, ""), expected, "{game}: {body}");
    }
}

#[test]
fn a_capital_that_a_telephone_may_have_made_is_asked_about_if_it_makes_another_turn() {
    for (body, subject, expected) in [
        ("C9", "", "ask capital: C9 or c9"),
        ("C9.", "", "ask capital: C9 or c9"),
        ("\"C9\"", "", "ask capital: C9 or c9"),
        ("1. C9", "", "ask capital: C9 or c9"),
        ("C9 Good luck", "", "ask capital: C9 or c9"),
        ("C9 / Your turn!", "", "ask capital: C9 or c9"),
        ("Hi Anna, / C9", "", "ask capital: C9 or c9"),
        ("Hi Anna, /  / C9! /  / Yours, Bob", "", "ask capital: C9 or c9"),
        ("", "C9", "ask capital: C9 or c9"),
        ("Hello", "C9.", "ask capital: C9 or c9"),
        // A small letter was typed.
        ("c9", "", "move c9"),
        ("c9.", "", "move c9"),
        // The capital does not stand first in the line.
        ("move C9", "", "move C9"),
        ("Move C9", "", "move C9"),
        ("Move c9", "", "move c9"),
        ("Move: C9", "", "move C9"),
        ("Hi Anna, C9", "", "move C9"),
        ("", "move C9", "move C9"),
        // There is one of the cells only.
        ("Q9", "", "move q9"),
        ("Q9 :-)", "", "move q9 | :-)"),
        ("Hi Anna, / Q9", "", "move q9 | Hi Anna,"),
        ("", "Q9", "move q9"),
        // Neither can be played.
        ("C8", "", "move C8"),
        ("Q9,q9", "", "move q9,q9"),
        // Words are words.
        ("Chat C9", "", "ask chat: C9"),
        ("Can you see me?", "", "-"),
        ("Pass", "", "move Pass"),
    ] {
        assert_eq!(read("Ringworm", body, subject), expected, "{subject}: {body}");
    }
    for game in ["Pow2", "Forms", "ShapeChess"] {
        let (game, first) = (find(game).unwrap(), find(game).unwrap().facts.example[0]);
        let capital = first[..1].to_uppercase() + &first[1..];
        let found = read(game.facts.name, &capital, "");
        assert_eq!(found, format!("move {capital}"), "{}", game.facts.name);
    }
}

#[test]
fn of_a_capital_and_a_small_letter_the_one_that_can_be_played_is_meant() {
    let game = find("Ringworm").unwrap();
    for (taken, expected) in [
        ("c9", "move C9,d8,e7"),
        ("C9", "move c9,d8,e7"),
        ("q9", "ask capital: C9,d8,e7 or c9,d8,e7"),
    ] {
        let mut position = game.start(&Options::none(game.facts)).unwrap();
        position.play(taken).unwrap();
        for body in ["C9,d8,e7", "C9, d8, e7.", "Hi,\nC9 d8 e7"] {
            let found = reading(game, position.as_ref(), body, "");
            let bare = found
                .split(" |")
                .next()
                .unwrap()
                .replace(", ", ",")
                .replace(' ', ",");
            assert_eq!(bare, expected.replace(", ", ",").replace(' ', ","), "{body}");
        }
    }
}

#[test]
fn a_very_long_answer_is_read_in_no_time() {
    for piece in [
        "a1 ",
        "m13-j7 ",
        "a1,",
        "(",
        "1. ",
        "Move: ",
        "pass\n",
        "hi\n",
        "q9, t8 - ",
    ] {
        let body = match piece.contains('\n') {
            true => piece.repeat(2000),
            false => piece.repeat(64 * 1024 / piece.len()),
        };
        for game in GAMES {
            let position = game.start(&Options::none(game.facts)).unwrap();
            let begun = std::time::Instant::now();
            reading(game, position.as_ref(), &body, &body);
            assert!(begun.elapsed().as_secs() < 5, "{piece}: {:?}", begun.elapsed());
        }
    }
}

/// A position after some random turns, and a turn that is legal there.
fn random_turn(game: &Game, seed: u64, plies: usize) -> Option<(Box<dyn Match>, String)> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut position = game.start(&Options::none(game.facts)).unwrap();
    for _ in 0..plies {
        let turn = position.random_turn(&mut rng)?;
        position.play(&turn).unwrap();
    }
    let turn = position.random_turn(&mut rng)?;
    Some((position, turn))
}

/// What may stand around a turn; `@` is the turn.
const TRIMMINGS: [&str; 18] = [
    "@",
    "@.",
    "@!",
    "\"@\"",
    "(@)",
    "*@*",
    "1. @",
    "17) @",
    "Move: @",
    "My turn: @!",
    "@ :-)",
    "@ Good luck",
    "@. All is well here.",
    "@, thanks",
    "Hi Anna,\n@",
    "Hi Anna,\n\n@.\n\nYours, Bob",
    "Sorry for the delay.\n\n@",
    "Dear Bob, @",
];

/// Running prose with a turn in it.
const PROSE: [&str; 12] = [
    "I thought about @ but did not like it",
    "@ was my first idea",
    "@?",
    "What about @?",
    "I will play @ if you let me",
    "You could have played @, you know.",
    "Perhaps @.",
    "@ or nothing",
    "I was going to play\n\n@\n\nbut I saw your threat",
    "Not @!",
    "@ - no, wait",
    "My friend says @ is best. I do not know.",
];

/// Spellings of a turn that the help of every game allows.
fn spellings(game: &Game, position: &dyn Match, turn: &str) -> Vec<String> {
    let spaced: String = turn
        .chars()
        .flat_map(|c| match c.is_ascii_alphanumeric() {
            true => vec![c],
            false => vec![' ', c, ' '],
        })
        .collect();
    let all = [
        turn.to_owned(),
        spaced,
        turn.replace('-', "->"),
        turn.replace('-', "→"),
        turn.to_uppercase(),
    ];
    let is_same = |text: &String| position.read(&plain(text)).is_ok_and(|read| read == turn);
    let read: Vec<String> = all.into_iter().filter(is_same).collect();
    assert!(read.len() >= 4, "{}: {turn}", game.facts.name);
    read
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(30))]

    #[test]
    fn a_turn_of_any_game_is_read_with_anything_that_may_stand_around_it(seed: u64, plies in 0..12_usize) {
        for game in GAMES {
            let Some((position, turn)) = random_turn(game, seed, plies) else { continue };
            for written in spellings(game, position.as_ref(), &turn) {
                for around in TRIMMINGS {
                    let found = reading(game, position.as_ref(), &around.replace('@', &written), "");
                    if let Some(meant) = found.strip_prefix("ask capital: ") {
                        prop_assert!(meant.split(" or ").any(|meant| *meant == turn), "{meant}");
                        prop_assert!(written.starts_with(|c: char| c.is_ascii_uppercase()), "{written}");
                        continue;
                    }
                    let played = found.strip_prefix("move ").map(|rest| rest.split('|').next().unwrap().trim());
                    let read = played.and_then(|text| position.read(text).ok());
                    prop_assert_eq!(read.as_ref(), Some(&turn), "{} {}: {}", game.facts.name, around, found);
                }
            }
        }
    }

    #[test]
    fn no_turn_of_any_game_is_played_out_of_prose(seed: u64, plies in 0..12_usize) {
        for game in GAMES {
            let Some((position, turn)) = random_turn(game, seed, plies) else { continue };
            for prose in PROSE {
                for subject in [false, true] {
                    let text = prose.replace('@', &turn);
                    let (body, subject) = if subject { ("", text.replace('\n', " ")) } else { (text.as_str(), String::new()) };
                    let found = reading(game, position.as_ref(), body, &subject);
                    prop_assert!(found.starts_with("ask "), "{} {}: {}", game.facts.name, text, found);
                }
            }
        }
    }

    #[test]
    fn whatever_is_written_is_read_or_asked_about(body in "(m13-j7|a1|b1-a1|pass|resign|chat|hi|but|[.!?,:;()\"-]|[ \n]|1\\.|Move:){0,30}") {
        for game in GAMES {
            let position = game.start(&Options::none(game.facts)).unwrap();
            reading(game, position.as_ref(), &body, "");
        }
    }
}
