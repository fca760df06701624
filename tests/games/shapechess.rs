//! Shape Chess as the rest of the server sees it: several actions in one text, and a playthrough to be read.

use std::cmp::Reverse;
use std::fmt::Write as _;

use pbmserv::games::{self, Display, Match, Options, Outcome, Seat};
use rand::rngs::ChaCha8Rng;
use rand::seq::IteratorRandom;
use rand::{RngExt, SeedableRng};

const PLAYTHROUGH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/playthroughs/shapechess.txt");

fn start() -> Box<dyn Match> {
    let game = games::find("Shape").unwrap();
    game.start(&Options::none(game.facts)).unwrap()
}

fn points(position: &dyn Match) -> [u32; 2] {
    let info = position.info();
    assert_eq!(
        (info[0].0, info[0].1[0].0, info[0].1[1].0),
        ("points", "Black", "White")
    );
    [info[0].1[0].1, info[0].1[1].1]
}

fn side(position: &dyn Match) -> Option<&'static str> {
    Some(position.facts().sides[position.to_move()?.index()])
}

/// `UPDATE_PLAYTHROUGHS=1 cargo test --test games` plays a new game and writes it.
#[test]
fn the_playthrough_is_as_it_was() {
    let turns: Vec<String> = if std::env::var_os("UPDATE_PLAYTHROUGHS").is_some() {
        let turns = game(66);
        std::fs::write(PLAYTHROUGH, playthrough(&turns)).unwrap();
        turns
    } else {
        let text = std::fs::read_to_string(PLAYTHROUGH).unwrap();
        let turn = |line: &str| Some(line.strip_prefix("Turn ")?.split_once("sends ")?.1.to_owned());
        text.lines().filter_map(turn).collect()
    };
    assert_eq!(playthrough(&turns), std::fs::read_to_string(PLAYTHROUGH).unwrap());
}

/// The texts that the players send, with all actions of a turn in one.
fn playthrough(texts: &[String]) -> String {
    let mut position = start();
    let mut told = format!("Shape Chess\n\n{}", position.draw(Display::Small));
    for (number, text) in (1..).zip(texts) {
        let (mover, before) = (position.to_move().unwrap(), points(position.as_ref()));
        let (count, name) = (position.perft(1), side(position.as_ref()).unwrap());
        let _ = write!(
            told,
            "\nTurn {number}: with {count} actions to choose from {name} sends {text}\n"
        );
        let actions = position.play_all(text).unwrap();
        assert_eq!(actions.join(","), *text);
        let gained = points(position.as_ref())[mover.index()] - before[mover.index()];
        if gained > 0 {
            let _ = writeln!(told, "{name} scores {gained}.");
        }
        if gained > 0 || number % 5 == 0 {
            let _ = write!(told, "\n{}", position.draw(Display::Small));
        }
    }
    let end = match position.outcome() {
        Some(Outcome::Won(seat)) => format!("{} has won.", position.facts().sides[seat.index()]),
        other => format!("{other:?}"),
    };
    let _ = write!(told, "\n{}\n{end}\n", position.draw(Display::Large));
    told
}

/// Two players who score when they can, else look for an action that lets the opponent score least.
fn game(seed: u64) -> Vec<String> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut position = start();
    let mut texts = Vec::new();
    while let Some(mover) = position.to_move() {
        let mut actions = Vec::new();
        while position.to_move() == Some(mover) {
            let action = choice(position.as_ref(), mover, &mut rng);
            actions.push(position.play(&action).unwrap());
        }
        texts.push(actions.join(","));
    }
    texts
}

fn choice(position: &dyn Match, mover: Seat, rng: &mut ChaCha8Rng) -> String {
    let (gain, best) = most(position, mover).unwrap();
    if gain > 0 {
        return best;
    }
    // Most drops are beside a stone, the first in the middle: so the game is short enough to be read.
    let cells = position.cells();
    let place = |name: &str| {
        (
            i32::from(name.as_bytes()[0] - b'a'),
            name[1..].parse::<i32>().unwrap() - 1,
        )
    };
    let beside = |(x, y): (i32, i32)| {
        let near = |name: &str| (place(name).0 - x).abs() < 2 && (place(name).1 - y).abs() < 2;
        cells.iter().any(|(name, _)| near(name))
            || (cells.len() < 4 && (4..8).contains(&x) && (4..8).contains(&y))
    };
    let turns = position.turns(usize::MAX);
    let drops = turns
        .iter()
        .filter(|turn| !turn.contains('-') && beside(place(turn)));
    let mut candidates = drops.sample(rng, 8);
    let anywhere = if rng.random_range(0..2) == 0 { 12 } else { 2 };
    candidates.extend(turns.iter().sample(rng, anywhere));
    let threat = |turn: &&String| {
        let mut after = position.fork();
        after.play(turn).unwrap();
        after
            .to_move()
            .and_then(|seat| most(after.as_ref(), seat))
            .map_or(0, |(gain, _)| gain)
    };
    candidates.into_iter().min_by_key(threat).unwrap().clone()
}

/// The most that one action scores, and the action.
fn most(position: &dyn Match, seat: Seat) -> Option<(u32, String)> {
    let before = points(position)[seat.index()];
    let gain = |turn: String| {
        let mut after = position.fork();
        after.play(&turn).unwrap();
        (points(after.as_ref())[seat.index()] - before, turn)
    };
    position
        .turns(usize::MAX)
        .into_iter()
        .map(gain)
        .max_by_key(|(gain, turn)| (*gain, Reverse(turn.clone())))
}
