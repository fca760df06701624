use chrono::DateTime;
use pbmserv_games::{Options, Seat, find};
use proptest::prelude::*;

use crate::table::plan::MAX_PLANNED;
use crate::table::{Likeness, Plan, Played, before_plan, likeness};

fn read(text: &str) -> String {
    match Plan::read(text, 0) {
        Ok(plan) => plan.to_line(),
        Err(no) => format!("! {}", no.sentence),
    }
}

#[test]
fn a_plan_is_read_as_people_write_it() {
    let same = "if e5 then d5, if f5 then f4";
    for text in [
        "if e5 then d5 else if f5 then f4",
        "if e5 then d5\nif f5 then f4",
        "If e5, then d5. If f5, then f4.",
        "- if e5 then d5\n- if f5 then f4",
        "if he plays e5 then I play d5\nelse if f5 then I'll answer f4",
        "  if e5 then d5\n  if f5 then f4",
        "IF e5 THEN d5 ELSE IF f5 THEN f4",
        "if e5 then d5\n\nelse if f5 then f4\n",
        "if e5 then d5;\nif f5 then f4;",
        "if e5, d5\nif f5, f4",
        "if e5: d5 else if f5: f4",
        "if he plays e5 I play d5\nif she plays f5 I'll play f4",
        "wenn e5 dann d5 sonst wenn f5 dann f4",
        "Wenn er e5 spielt, dann spiele ich d5\nWenn f5, f4",
        "si e5 alors d5\nsi f5 alors f4",
    ] {
        assert_eq!(read(text), same, "{text}");
    }
    for (text, line) in [
        ("if any then e5", "if any then e5"),
        ("if anything else then e5", "if any then e5"),
        ("if e5 then d5 else c3", "if e5 then d5, if any then c3"),
        ("if e5 then d5 otherwise c3", "if e5 then d5, if any then c3"),
        ("if e5 then d5\nelse c3", "if e5 then d5, if any then c3"),
        ("if e5 then d5 then c3", "if e5 then d5 (if any then c3)"),
        ("if e5 then d5; c3", "if e5 then d5 (if any then c3)"),
        (
            "if e5 then d5; if f5 then f4 else if g5 then g4",
            "if e5 then d5 (if f5 then f4, if g5 then g4)",
        ),
        (
            "if e5 then d5\n  if e6 then d6\n    if e7 then d7\n  if e8 then d8\nif f5 then f4",
            "if e5 then d5 (if e6 then d6 (if e7 then d7), if e8 then d8), if f5 then f4",
        ),
        ("if e5 then d5\n\tif e6 then d6", "if e5 then d5 (if e6 then d6)"),
        ("if a1 -> a2 then m13-m5:l4", "if a1 -> a2 then m13-m5:l4"),
    ] {
        assert_eq!(read(text), line, "{text}");
    }
}

#[test]
fn what_is_no_plan_is_refused_with_a_sentence() {
    for text in [
        "",
        "if",
        "if e5",
        "if e5 then",
        "if then d5",
        "then d5",
        "e5 then d5",
        "if e5 if f5 then f4",
        "if e5 else d5",
        "if e5 then any",
        "if e5; then d5",
        "if e5 then d5 else",
        "d4; if e5 then d5",
        "if e5 then d5\nif E5 then d6",
        "if any then d5\nif any then d6",
        "if e5 then d5 else",
    ] {
        assert!(read(text).starts_with("! "), "{text}: {}", read(text));
    }
    let many = |count: usize| {
        (0..count)
            .map(|n| format!("if a{n} then b1\n"))
            .collect::<String>()
    };
    assert!(Plan::read(&many(MAX_PLANNED), 0).is_ok());
    assert!(Plan::read(&many(MAX_PLANNED + 1), 0).is_err());
    let deep = |count: usize| format!("if a1 then b1{}", " then b1".repeat(count - 1));
    assert!(Plan::read(&deep(10), 0).is_ok());
    assert!(Plan::read(&deep(11), 0).is_err());
    assert!(read(&format!("if {} then b1", "a".repeat(201))).starts_with("! "));
}

#[test]
fn prose_is_no_plan() {
    let has_digit = |text: &str| text.len() < 6 && text.contains(|c: char| c.is_ascii_digit());
    let is = |line: &str| likeness(line, has_digit) > Likeness::Words;
    for line in [
        "if you like, then we can pause",
        "If e5 was better then",
        "else I must resign",
        "then e5",
        "e5",
        "what if e5 then d5",
        "if only",
    ] {
        assert!(!is(line), "{line}");
    }
    for line in [
        "if e5 then d5",
        "  If any then d5",
        "* if e5 then zz",
        "else d5",
        "else if e5 then d5",
    ] {
        assert!(is(line), "{line}");
    }
    assert_eq!(likeness("if e5, d5", has_digit), Likeness::Wholly);
    assert_eq!(likeness("if e5 then dddddddd", has_digit), Likeness::Partly);
    assert_eq!(
        likeness("if e5 then d5 was better than that", has_digit),
        Likeness::Partly
    );
    assert_eq!(before_plan("d4; if e5 then d5"), Some(0..2));
    assert_eq!(before_plan("d4, if e5 then d5"), Some(0..2));
    assert_eq!(before_plan("if e5 then d5"), None);
    assert_eq!(before_plan("d4"), None);
}

#[test]
fn each_roll_has_its_answer() {
    let game = find("Backgammon").unwrap();
    let mut before = game.start(&Options::none(game.facts)).unwrap();
    before.play_all("roll").unwrap();
    before.play_all("roll").unwrap();
    let plan = Plan::read(
        "if any then 31: 8/5 6/5\nif 61:13/7,8/7 then 42:8/4,6/4 else if any then 64:24/14",
        2,
    );
    let plan = plan.unwrap();
    assert_eq!(plan.answers().len(), 3);
    assert_eq!(plan.checked(before.as_ref(), Seat::Second), Ok(()));
    let mut now = before.fork();
    let text = now.play("52:24/22,13/8").unwrap();
    let played = [Played {
        seat: Seat::First,
        text,
        at: DateTime::UNIX_EPOCH,
        event: 2,
    }];
    let mut answers = Vec::new();
    for dice in [[3, 1], [6, 4], [5, 5]] {
        let mut now = now.fork();
        now.roll(dice);
        let (reply, _) = plan.answer_to(before.as_ref(), now.as_ref(), &played).unwrap();
        answers.push(reply);
    }
    assert_eq!(
        answers,
        ["31: 8/5 6/5", "64:24/14", "31: 8/5 6/5"],
        "the last is refused when it is played"
    );
    let twice = Plan::read("if any then 31: 8/5 6/5\nif any then 13:24/20", 2).unwrap_err();
    assert_eq!(twice.sentence, "any has two answers at the same place.");
}

#[test]
fn the_answer_is_that_of_the_turns_that_were_played() {
    let game = find("Breakthrough").unwrap();
    let mut position = game.start(&Options::none(game.facts)).unwrap();
    let before = position.fork();
    let text = position.play("a2-a3").unwrap();
    let now = position;
    let played = [Played {
        seat: Seat::First,
        text,
        at: DateTime::UNIX_EPOCH,
        event: 2,
    }];
    let plan = Plan::read(
        "if any then h7-h6\nif a2a3 then a7-a6\n  if b2-b3 then b7-b6\nif c2-c3 then c7-c6",
        0,
    )
    .unwrap();
    let (reply, rest) = plan.answer_to(before.as_ref(), now.as_ref(), &played).unwrap();
    assert_eq!(reply, "a7-a6", "a named turn goes before any");
    assert_eq!(Plan::after(2, rest).unwrap().to_line(), "if b2-b3 then b7-b6");
    let other = Plan::read("if c2-c3 then c7-c6", 0).unwrap();
    assert_eq!(other.answer_to(before.as_ref(), now.as_ref(), &played), None);
    let queue = Plan::queue(0, vec!["a7-a6".into(), "b7-b6".into()]);
    let (reply, rest) = queue.answer_to(before.as_ref(), now.as_ref(), &played).unwrap();
    assert_eq!(
        (reply, Plan::after(2, rest)),
        ("a7-a6", Some(Plan::queue(2, vec!["b7-b6".into()])))
    );
    assert_eq!(plan.checked(before.as_ref(), Seat::Second), Ok(()));
    let wrong = Plan::read("if a2-a3 then a2-a3", 0).unwrap();
    assert!(wrong.checked(before.as_ref(), Seat::Second).is_err());
    let own = Plan::read("if a2-a3 then a7-a6", 0).unwrap();
    assert!(
        own.checked(before.as_ref(), Seat::First).is_err(),
        "it is not the other player's turn"
    );
}

#[test]
fn a_game_offered_after_a_roll_is_answered_as_one_offered_before_it() {
    let game = find("Backgammon").unwrap();
    let options = Options::parse(game.facts, ["-points=3"]).unwrap();
    let mut before = game.start(&options).unwrap();
    for turn in ["roll", "roll", "31:8/5,6/5"] {
        before.play(turn).unwrap();
    }
    let plan = Plan::read("if concede then accept\nif concede gammon then refuse", 0).unwrap();
    let answer = |turns: &[&str]| {
        let mut now = before.fork();
        let played: Vec<_> = turns
            .iter()
            .map(|turn| Played {
                seat: Seat::Second,
                text: now.play(turn).unwrap(),
                at: DateTime::UNIX_EPOCH,
                event: 2,
            })
            .collect();
        let (reply, _) = plan.answer_to(before.as_ref(), now.as_ref(), &played).unwrap();
        reply.to_owned()
    };
    assert_eq!(answer(&["concede"]), "accept");
    assert_eq!(answer(&["roll", "64:concede"]), "accept");
    assert_eq!(answer(&["roll", "64:concede gammon"]), "refuse");
}

#[test]
fn a_line_is_added_where_it_leaves_the_plan() {
    let line = |text: &str| -> Vec<(String, String)> {
        let words: Vec<_> = text.split(' ').map(str::to_owned).collect();
        words
            .chunks(2)
            .map(|pair| (pair[0].clone(), pair[1].clone()))
            .collect()
    };
    let plan = |text: &str| Plan::read(text, 3).unwrap();
    let begun_with = |line: &[_]| Plan::queue(3, Vec::new()).with_line(line);
    let begun = begun_with(&line("e5 d5 e6 d6"));
    assert_eq!(begun.to_line(), "if e5 then d5 (if e6 then d6)");
    let more = begun.with_line(&line("e5 d5 f6 c6")).with_line(&line("g5 g4"));
    assert_eq!(
        more.to_line(),
        "if e5 then d5 (if e6 then d6, if f6 then c6), if g5 then g4"
    );
    assert_eq!(more.clone().with_line(&line("e5 d5 e6 d6")), more, "it has it");
    let deeper = more.clone().with_line(&line("e5 d5 e6 d6 e7 d7"));
    assert_eq!(
        deeper.to_line(),
        "if e5 then d5 (if e6 then d6 (if e7 then d7), if f6 then c6), if g5 then g4"
    );
    let other = more.with_line(&line("e5 c5 e6 d6"));
    assert_eq!(
        other.to_line(),
        "if e5 then c5 (if e6 then d6), if g5 then g4",
        "another answer"
    );
    let any = plan("if any then c3").with_line(&line("e5 d5"));
    assert_eq!(any.to_line(), "if any then c3, if e5 then d5");
    let dice = begun_with(&line("31:8/5 42:8/4"))
        .with_line(&line("31:8/5 64:24/14"))
        .with_line(&line("31:8/5 24:6/4,8/4"));
    assert_eq!(
        dice.to_line(),
        "if 31:8/5 then 24:6/4,8/4, if 31:8/5 then 64:24/14",
        "an answer for each roll"
    );
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "(?s)([a-e1-5]{1,3}|if|then|else|any|;|\n|  |-|\\.|,| |\u{e4}|otherwise){0,40}") {
        if let Ok(plan) = Plan::read(&text, 7) {
            prop_assert_eq!(Plan::of_stored(&plan.to_stored()), Some(plan));
        }
        let _ = likeness(&text, |_| true);
        let _ = before_plan(&text);
    }

    #[test]
    fn any_bytes_are_read_or_refused(text in "\\PC{0,60}") {
        let _ = (Plan::read(&text, 0), likeness(&text, |_| true), before_plan(&text));
    }
}
