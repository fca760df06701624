use rand::rngs::ChaCha8Rng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

use super::position;
use crate::families::backgammon::{Crawford, Game, Position, State, Turn, Variant, draw};
use crate::{Display, Seat};

fn game(length: u8) -> Game {
    Game::new(Variant::Backgammon, length).unwrap()
}

/// Plays these turns; a pair of digits is a roll.
fn after(mut game: Game, turns: &str) -> Game {
    for word in turns.split(';').map(str::trim).filter(|word| !word.is_empty()) {
        let dice: Vec<u8> = word
            .bytes()
            .filter(u8::is_ascii_digit)
            .map(|c| c - b'0')
            .collect();
        if let (true, 2, [one, other]) = (game.needs_roll(), word.len(), dice.as_slice()) {
            game.roll([*one, *other]).unwrap();
            continue;
        }
        let turn = game
            .read(word)
            .unwrap_or_else(|refusal| panic!("{word}: {refusal}"));
        game.play(&turn);
    }
    game
}

fn effects(game: &Game, turn: &str) -> Vec<String> {
    game.effects(&game.read(turn).unwrap())
}

/// White on roll, one step from winning.
fn about_to_win(length: u8, black: &[(u8, u8)]) -> Game {
    let mut game = after(game(length), "31; 8/5 6/5");
    game.position = position(&[(1, 1), (0, 14)], black);
    game.mover = Seat::First;
    game.state = State::NeedsRoll;
    game
}

#[test]
fn matches_have_odd_lengths() {
    for length in [0, 2, 4, 24, 26, 27, 255] {
        assert!(Game::new(Variant::Backgammon, length).is_err(), "{length}");
    }
    for length in (1..=25).step_by(2) {
        assert!(Game::new(Variant::Hypergammon, length).is_ok(), "{length}");
    }
}

#[test]
fn the_opening_roll_decides_who_begins() {
    let mut opening = game(3);
    assert_eq!(
        (opening.state(), opening.to_move()),
        (State::NeedsOpeningRoll, None)
    );
    assert!(opening.roll([4, 4]).is_err());
    assert!(opening.roll([0, 4]).is_err());
    assert!(opening.needs_roll());
    let mut other = opening;
    opening.roll([3, 1]).unwrap();
    other.roll([1, 3]).unwrap();
    assert_eq!(
        (opening.to_move(), other.to_move()),
        (Some(Seat::First), Some(Seat::Second))
    );
    assert!(opening.roll([3, 1]).is_err());
}

#[test]
fn the_cube_goes_from_hand_to_hand() {
    let game = after(game(7), "31; 8/5 6/5");
    assert_eq!(
        (game.state(), game.to_move()),
        (State::RollOrDouble, Some(Seat::Second))
    );
    assert_eq!(effects(&game, "double"), ["offered the cube at 2"]);
    let offered = after(game, "double");
    assert_eq!(
        (offered.state(), offered.to_move()),
        (State::Doubled, Some(Seat::First))
    );
    assert!(effects(&offered, "take").is_empty());
    assert_eq!(
        effects(&offered, "drop"),
        ["lost the game, 1 point; the match stands at 0-1"]
    );
    let taken = after(offered, "take");
    assert_eq!(
        (taken.cube(), taken.to_move()),
        ((2, Some(Seat::First)), Some(Seat::Second))
    );
    let next = after(taken, "42; 8/4 6/4");
    assert_eq!(next.state(), State::RollOrDouble);
    let next = after(next, "roll; 61; 13/7 8/7");
    assert_eq!(next.state(), State::NeedsRoll);
    assert_eq!(
        next.read("double").unwrap_err().to_string(),
        "Your opponent owns the cube."
    );
    let dropped = after(offered, "pass");
    assert_eq!(
        (dropped.score(), dropped.cube(), dropped.state()),
        ([0, 1], (1, None), State::NeedsOpeningRoll)
    );
    assert_eq!(*dropped.position(), Position::start(Variant::Backgammon));
}

#[test]
fn turns_out_of_place_are_refused() {
    let opening = game(3);
    let refused = |game: &Game, text: &str| game.read(text).unwrap_err().to_string();
    assert_eq!(refused(&opening, "8/5"), "The opening roll comes first.");
    let to_play = after(opening, "31");
    let beginnings = [
        ("double", "You double only before your roll, and you have 3-1."),
        ("take", "No cube is offered: play your roll 3-1."),
        ("roll", "Your roll is 3-1: play it."),
        ("pass", "You pass only if no checker can move; with 3-1 one can."),
    ];
    for (text, said) in beginnings {
        let refusal = to_play.read(text).unwrap_err();
        assert_eq!((refusal.reason.as_str(), refusal.choices.len()), (said, 12));
    }
    let rolling = after(to_play, "8/5 6/5");
    assert_eq!(
        refused(&rolling, "8/5"),
        "You roll or double first. Possible: roll, double."
    );
    let unknown = "\"whatnow\" is no turn. You roll or double first. Possible: roll, double.";
    assert_eq!(refused(&rolling, "what now"), unknown);
    let offered = after(rolling, "double");
    let offer = "You are offered the cube at 2: take it, or drop the game. Possible: take, drop.";
    assert_eq!(refused(&offered, "24/20 24/22"), offer);
    let due = after(rolling, "roll");
    assert_eq!(refused(&due, "8/5"), "The dice are rolled first.");
    assert_eq!(
        refused(&due, "double"),
        "You chose to roll, so you do not double now."
    );
    let mut same = due;
    same.play(&Turn::Take);
    assert_eq!(same, due, "no double was offered");
}

#[test]
fn gammons_and_backgammons_count_two_and_three_times_the_cube() {
    let lost = |black: &[(u8, u8)], cube: u8| {
        let mut game = about_to_win(25, black);
        game.cube = cube;
        let game = after(game, "21");
        let said = effects(&game, "1/off");
        (after(game, "1/off").score(), said)
    };
    let said = |text: &str| vec![text.to_owned()];
    let single = lost(&[(6, 14), (0, 1)], 1);
    assert_eq!(
        single,
        ([1, 0], said("won the game, 1 point; the match stands at 1-0"))
    );
    let gammon = lost(&[(6, 15)], 2);
    assert_eq!(
        gammon,
        ([4, 0], said("won a gammon, 4 points; the match stands at 4-0"))
    );
    let backgammon = lost(&[(6, 14), (25, 1)], 4);
    assert_eq!(
        backgammon,
        (
            [12, 0],
            said("won a backgammon, 12 points; the match stands at 12-0")
        )
    );
    let gammon = lost(&[(6, 15)], 16);
    assert_eq!(
        gammon,
        ([32, 0], said("won a gammon, 32 points; the match ended 32-0"))
    );
}

#[test]
fn the_first_game_with_one_point_missing_has_no_cube() {
    let win = "21; 1/off";
    let crawford = after(about_to_win(3, &[(6, 15)]), win);
    assert_eq!((crawford.score(), crawford.crawford()), ([2, 0], Crawford::Now));
    let second = after(crawford, "31; 8/5 6/5");
    assert_eq!(second.state(), State::NeedsRoll);
    assert_eq!(
        second.read("double").unwrap_err().to_string(),
        "Nobody doubles in the Crawford game."
    );
    let mut lost = second;
    lost.position = position(&[(6, 14), (0, 1)], &[(1, 1), (0, 14)]);
    let post = after(lost, win);
    assert_eq!((post.score(), post.crawford()), ([2, 1], Crawford::After));
    let leader = after(post, "13; 8/5 6/5");
    assert_eq!(
        leader.state(),
        State::NeedsRoll,
        "the cube would not help White, who needs one point"
    );
    assert_eq!(
        leader.read("double").unwrap_err().to_string(),
        "The cube at 1 already wins you the match."
    );
    let trailer = after(post, "31; 8/5 6/5");
    assert_eq!(trailer.state(), State::RollOrDouble);
    let over = after(trailer, "double; drop");
    assert_eq!(
        (over.score(), over.winner(), over.state()),
        ([2, 2], None, State::NeedsOpeningRoll)
    );
    let over = after(over, "31; 8/5 6/5; 42; 8/4 6/4");
    assert_eq!(over.state(), State::NeedsRoll);
}

#[test]
fn a_match_of_one_point_has_no_cube() {
    let second = after(game(1), "31; 8/5 6/5");
    assert_eq!(second.state(), State::NeedsRoll);
    assert_eq!(
        second.read("double").unwrap_err().to_string(),
        "A match of one point has no cube."
    );
    let won = after(about_to_win(1, &[(6, 15)]), "21");
    assert_eq!(effects(&won, "1/off"), ["won a gammon"]);
    let won = after(won, "1/off");
    assert_eq!(
        (won.winner(), won.state(), won.to_move()),
        (Some(Seat::First), State::GameOver, None)
    );
    assert_eq!(won.read("roll").unwrap_err().to_string(), "The match is over.");
}

#[test]
fn who_cannot_move_passes() {
    let mut game = after(game(3), "31; 8/5 6/5; roll");
    let closed: Vec<(u8, u8)> = (1..=6).map(|point| (point, 2)).collect();
    game.position = position(&closed, &[(25, 1), (6, 14)]);
    let game = after(game, "66");
    assert_eq!(game.turns(), [Turn::Pass]);
    assert_eq!(after(game, "pass").to_move(), Some(Seat::First));
}

#[test]
fn random_matches_come_to_their_ends() {
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    let mut longest = 0;
    for number in 0..60 {
        let length = [1, 3, 5, 7][number % 4];
        let mut game = Game::new(Variant::ALL[number % 3], length).unwrap();
        let checkers = game.position().checkers(Seat::First);
        let mut turns = 0;
        while game.state() != State::GameOver {
            if game.needs_roll() {
                assert_eq!(game.turns(), []);
                let _ = game.roll([rng.random_range(1..=6), rng.random_range(1..=6)]);
                continue;
            }
            let all = game.turns();
            let turn = *all.choose(&mut rng).unwrap();
            if turns % 5 == 0 {
                assert_eq!(game.read(&turn.to_string()), Ok(turn));
            }
            assert!(game.effects(&turn).len() < 3);
            game.play(&turn);
            assert_eq!(
                Seat::BOTH.map(|seat| game.position().checkers(seat)),
                [checkers; 2]
            );
            if turns % 50 == 0 {
                let small = draw::draw(&game, Seat::Second, Display::Small);
                let large = draw::draw(&game, Seat::First, Display::Large);
                let fits = |text: &str, most: usize| {
                    text.lines()
                        .all(|line| line.len() <= most && line == line.trim_end())
                };
                assert!(small.is_ascii() && fits(&small, 40), "{small}");
                assert!(large.is_ascii() && fits(&large, 79), "{large}");
            }
            turns += 1;
            assert!(turns < 100_000);
        }
        longest = longest.max(turns);
        let winner = game.winner().unwrap();
        let [won, lost] = [winner, winner.other()].map(|seat| game.score()[seat.index()]);
        assert!(won >= length && lost < length);
        assert!(game.turns().is_empty() && !game.needs_roll());
    }
    assert!(longest > 100);
}
