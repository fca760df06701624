use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use super::position;
use crate::families::backgammon::{Game, Loss, State, Turn, Variant, draw};
use crate::{Display, Match, Options, Seat, find};

fn start(game: &str, points: u8) -> Box<dyn Match> {
    let game = find(game).unwrap();
    let points = format!("-points={points}");
    let options = Options::parse(game.facts, [points.as_str()]).unwrap();
    game.start(&options).unwrap()
}

/// Backgammon to five points after these turns.
fn after(turns: &str) -> Box<dyn Match> {
    let mut position = start("Backgammon", 5);
    for turn in turns.split_whitespace() {
        position
            .play(turn)
            .unwrap_or_else(|refusal| panic!("{turn}: {refusal}"));
    }
    position
}

fn refused(position: &dyn Match, text: &str) -> String {
    position.read(text).unwrap_err().to_string()
}

const OPENED: &str = "roll roll 31:8/5,6/5 ";

/// White owns the cube at 2, so Black's dice are due.
const OWNED: &str = "roll roll 31:8/5,6/5 double take 64:24/14 roll 21:13/11*,6/5 ";

#[test]
fn an_offer_is_written_in_several_ways() {
    let position = after(OPENED);
    for (text, turn) in [
        ("concede", "concede"),
        ("Concede the game", "concede"),
        ("concede single game", "concede"),
        ("concede a gammon", "concede,gammon"),
        ("concede g", "concede,gammon"),
        ("*concede backgammon*", "concede,backgammon"),
        ("concede bg", "concede,backgammon"),
    ] {
        let text = text.trim_start_matches('*');
        assert_eq!(position.read(text).as_deref(), Ok(turn), "{text}");
    }
    for text in ["concede defeat", "give up", "resign", "concede 4", "concede the"] {
        assert!(position.read(text).is_err(), "{text}");
    }
}

#[test]
fn who_accepts_wins_so_many_times_the_cube() {
    for (offer, score) in [("concede", 2), ("concede,gammon", 4), ("concede,backgammon", 6)] {
        let position = after(&format!("{OPENED} double take 64:24/14 {offer}"));
        assert_eq!(position.to_move(), Some(Seat::Second));
        assert_eq!(position.turns(9), ["accept", "refuse"]);
        let said = position.effects(&["accept".to_owned()]).remove(0);
        let mut over = position.fork();
        over.play("accept").unwrap();
        match score {
            6 => {
                assert_eq!(said, "won a backgammon, 6 points; the match ended 6-0");
                assert!(over.outcome().is_some());
            }
            _ => {
                assert!(
                    said.contains(&format!("{score} points; the match stands at {score}-0")),
                    "{said}"
                );
                assert!(over.due_roll().is_some_and(|due| due.must_differ));
                assert_eq!(over.info()[2], ("score", vec![("White", 0), ("Black", score)]));
            }
        }
    }
}

#[test]
fn who_was_refused_goes_on_with_the_same_dice_and_offers_more_or_nothing() {
    let mut position = after(OPENED);
    for turn in ["concede", "refuse"] {
        position.play(turn).unwrap();
        assert_eq!(position.due_roll(), None);
    }
    assert_eq!(position.turns(9), ["roll", "double"]);
    let said = "Your opponent refused that in this turn: offer more, or go on.";
    assert_eq!(refused(position.as_ref(), "concede"), said);
    position.play("roll").unwrap();
    assert_eq!(position.due_roll().map(|due| due.number), Some(2));
    position.roll([6, 4]);
    assert_eq!(refused(position.as_ref(), "concede"), said);
    assert_eq!(position.play("concede gammon").unwrap(), "64:concede,gammon");
    assert_eq!((position.dice(), position.due_roll()), (None, None));
    position.roll([1, 1]);
    assert_eq!(
        refused(position.as_ref(), "64:24/14"),
        "Your opponent offers to lose a gammon: accept it, or refuse it. Possible: accept, refuse."
    );
    position.play("reject").unwrap();
    assert_eq!((position.dice(), position.due_roll()), (Some([6, 4]), None));
    position.roll([1, 1]);
    assert_eq!(position.play("24/14").unwrap(), "64:24/14");
    position.play("roll").unwrap();
    assert_eq!(
        position.due_roll().map(|due| due.number),
        Some(3),
        "an offer takes no roll"
    );
    position.roll([2, 1]);
    assert!(position.play("concede").is_ok(), "it is another turn");
}

/// Without its dice an offer is made before the roll, which is still due when it is refused.
#[test]
fn an_offer_may_come_before_the_roll() {
    let mut position = after(&format!("{OWNED} concede"));
    assert_eq!(position.to_move(), Some(Seat::First));
    assert_eq!(position.due_roll(), None);
    position.play("refuse").unwrap();
    assert_eq!(position.due_roll().map(|due| due.number), Some(4));
    assert!(position.read("concede").is_err() && position.read("64:concede").is_err());
    assert_eq!(position.play("64:concede,gammon").unwrap(), "64:concede,gammon");
}

#[test]
fn offers_that_make_no_sense_are_refused() {
    let game = find("Backgammon").unwrap();
    let mut single = game.start(&Options::none(game.facts)).unwrap();
    assert!(refused(single.as_ref(), "concede").starts_with("Before the first dice"));
    for turn in ["roll", "roll", "31:8/5,6/5"] {
        single.play(turn).unwrap();
    }
    single.roll([6, 4]);
    assert_eq!(
        refused(single.as_ref(), "concede"),
        "There is only this game: to give it up, resign."
    );
    let opening = after("roll roll");
    assert_eq!(
        refused(opening.as_ref(), "concede"),
        "The opening roll comes first."
    );
    let mut opened = after("roll roll");
    opened.roll([3, 1]);
    assert_eq!(
        refused(opened.as_ref(), "concede"),
        "A game is given up after its first play, not before."
    );
    let doubled = after(&format!("{OPENED} double"));
    assert!(refused(doubled.as_ref(), "concede").starts_with("You are offered the cube at 2"));
    let taken = after(&format!("{OPENED} double take"));
    assert_eq!(
        refused(taken.as_ref(), "64:concede"),
        "You cannot give the game up in this turn any more: go on."
    );
    let offered = after(&format!("{OPENED} concede"));
    for text in ["concede", "roll", "take", "double", "8/5", "pass", "accept it"] {
        assert!(
            refused(offered.as_ref(), text).contains("Your opponent offers to lose the game"),
            "{text}"
        );
    }
    let mut race = Game::new(Variant::Backgammon, 5).unwrap();
    race.roll([3, 1]).unwrap();
    race.position = position(&[(6, 14), (0, 1)], &[(6, 15)]);
    for loss in [Loss::Gammon, Loss::Backgammon] {
        let said = format!(
            "You have borne off a checker, so you cannot lose {}. Possible: concede.",
            loss.named()
        );
        assert_eq!(race.may_concede(loss).unwrap_err().to_string(), said);
    }
    assert_eq!(race.concessions(), [Loss::Single]);
}

#[test]
fn an_offer_is_said_and_drawn() {
    let position = after(OWNED);
    let offer = "64:concede,gammon".to_owned();
    assert_eq!(
        position.effects(std::slice::from_ref(&offer)),
        ["offered to give the game up as a gammon for 4 points"]
    );
    let mut offered = position.fork();
    offered.play(&offer).unwrap();
    for display in [Display::Small, Display::Large] {
        let drawn = offered.draw(display);
        for line in [
            "Black has rolled 6-4",
            "Black offers to lose a gammon",
            "White to accept or refuse",
        ] {
            assert!(drawn.contains(line), "{drawn}");
        }
        assert!(drawn.lines().all(|line| line.len() < 80), "{drawn}");
    }
    let words = offered.in_words();
    assert_eq!(
        words[2..],
        ["The dice are 6 and 4.", "Black offers to lose a gammon."]
    );
}

#[test]
fn an_offer_is_a_step_wherever_it_may_be_made() {
    let labels = |position: &dyn Match, begun: &str| {
        let steps = position.continuations(begun).unwrap().steps;
        steps
            .into_iter()
            .map(|step| step.label)
            .collect::<Vec<_>>()
            .join(" ")
    };
    let mut position = after(OPENED);
    assert_eq!(labels(position.as_ref(), ""), "roll double concede");
    assert_eq!(labels(position.as_ref(), "concede"), "gammon backgammon");
    let begun = position.continuations("concede").unwrap();
    assert_eq!(begun.whole.as_deref(), Some("concede"));
    assert_eq!(begun.steps[0].text, "concede,gammon");
    position.play("concede").unwrap();
    assert_eq!(labels(position.as_ref(), ""), "accept refuse");
    position.play("refuse").unwrap();
    assert_eq!(position.continuations("concede").unwrap().whole, None);
    position.play("roll").unwrap();
    position.roll([6, 4]);
    assert_eq!(labels(position.as_ref(), ""), "24 13 8 6 concede");
    assert_eq!(labels(position.as_ref(), "64:concede"), "gammon backgammon");
    let steps = position.continuations("64:").unwrap().steps;
    assert_eq!(steps.last().unwrap().text, "64:concede");
}

/// Offers and answers at random, at any time, between turns at random.
#[test]
fn matches_with_offers_end_and_are_replayed_from_their_turns() {
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    for (game, seed) in ["Backgammon", "Nackgammon", "Hypergammon"]
        .into_iter()
        .zip(0..)
        .cycle()
        .take(24)
    {
        let mut played = start(game, [3, 5, 7][seed % 3]);
        let mut turns = Vec::new();
        let mut rolls = 0;
        while played.outcome().is_none() {
            if let Some(due) = played.due_roll() {
                assert_eq!(due.number, rolls + 1, "no roll is passed over or drawn twice");
                played.roll([rng.random_range(1..=6), rng.random_range(1..=6)]);
                rolls += u32::from(played.due_roll().is_none());
                continue;
            }
            let offer = ["concede", "concede gammon", "concede backgammon"][rng.random_range(0..3)];
            let turn = match (rng.random_range(0..15), played.read(offer)) {
                (0, Ok(offer)) => offer,
                _ => played.random_turn(&mut rng).unwrap(),
            };
            let mover = played.to_move();
            let turn = played.play(&turn).unwrap();
            if turn.contains("concede") {
                assert_ne!(played.to_move(), mover);
            }
            turns.push(turn);
            assert!(turns.len() < 100_000);
        }
        let mut again = start(game, [3, 5, 7][seed % 3]);
        for turn in &turns {
            assert_eq!(again.play(turn).as_ref(), Ok(turn));
        }
        assert_eq!(again.outcome(), played.outcome());
        assert_eq!(again.walk().key(), played.walk().key());
    }
}

#[test]
fn each_offer_is_another_position() {
    let keys = [
        "",
        "concede",
        "concede,gammon",
        "concede refuse",
        "concede,gammon refuse",
        "double",
        "roll",
    ]
    .map(|turns| after(&format!("{OPENED} {turns}")).walk().key());
    for (place, key) in keys.iter().enumerate() {
        assert!(!keys[..place].contains(key), "{place}");
    }
}

#[test]
fn an_offer_changes_no_checker_in_the_drawing() {
    let mut game = Game::new(Variant::Backgammon, 5).unwrap();
    game.roll([3, 1]).unwrap();
    game.play(&game.turns()[0]);
    let before = draw::draw(&game, Seat::First, Display::Small);
    game.play(&Turn::Concede(Loss::Single));
    assert_eq!(game.state(), State::Conceded(Loss::Single));
    let offered = draw::draw(&game, Seat::First, Display::Small);
    let rows = |text: &str| text.lines().take(14).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(rows(&before), rows(&offered));
    game.play(&Turn::Refuse);
    assert_eq!(draw::draw(&game, Seat::First, Display::Small), before);
}
