//! The facts of the page of a line.

use chrono::{DateTime, Utc};
use minijinja::value::Serde;
use minijinja::{Value, context};
use pbmserv_core::command::{TriedTurn, line_in_path};
use pbmserv_core::store::{KeptLine, Reader};
use pbmserv_games::bots::at_first_sight;
use pbmserv_games::kit::words::list;
use pbmserv_games::{Display, Outcome, Seat};
use serde::Serialize;

use crate::web::fault::Fault;
use crate::web::press::{Did, form_number};
use crate::web::turn::{Choosing, Chosen, in_address};
use crate::web::viewer::Viewer;

use super::planning::Planning;
use super::walk::Walk;

/// One turn of the line.
#[derive(Serialize)]
struct Step {
    /// The number of the turn, counted from the first of the board.
    number: usize,
    side: &'static str,
    text: String,
    does: String,
}

/// A line that the player has kept.
#[derive(Serialize)]
struct Kept {
    name: String,
    after: u32,
    line: String,
    turns: usize,
}

impl Kept {
    fn of(kept: KeptLine) -> Self {
        let turns: Vec<String> = kept.turns.split(' ').map(str::to_owned).collect();
        Self {
            line: line_in_path(&turns),
            turns: turns.len(),
            name: kept.name,
            after: kept.after,
        }
    }
}

pub(super) fn facts(
    reader: &Reader,
    viewer: &Viewer,
    walk: &Walk,
    (is_large, refused): (bool, &str),
    did: &Did,
    now: DateTime<Utc>,
) -> Result<Value, Fault> {
    let (board, then) = (&walk.seen.board, &walk.then);
    let facts = board.game.facts;
    let here = format!("{}{}", viewer.root, walk.here());
    let choosing = then.to_move().map(|seat| Choosing {
        then,
        seat,
        other: &board.at(seat.other()).userid,
        here: &here,
        at: "?turn=",
        is_large,
    });
    let chosen = match choosing {
        Some(choosing) => Some(Chosen::of(choosing, &walk.turn)?),
        None => None,
    };
    let board_facts = match &chosen {
        Some(chosen) => chosen.facts(&walk.turn),
        None => context! {
            here => Value::from_safe_string(here.clone()),
            picture => Value::from_safe_string(then.picture().svg()),
            drawing => then.position.draw(Display::Small),
        },
    };
    let whole = chosen.as_ref().and_then(Chosen::whole);
    let player = viewer.player();
    let kept = match player {
        Some(player) => reader.kept_lines(player.id, board.id)?,
        None => Vec::new(),
    };
    let steps = (walk.seen.shown + 1..).zip(&walk.line);
    let steps: Vec<_> = steps
        .map(|(number, turn)| step(number, turn, facts.sides))
        .collect();
    let did = match player {
        Some(_) => did.said(reader, now)?,
        None => String::new(),
    };
    let plays = plays(viewer, walk);
    Ok(context! {
        game => context! { name => facts.name, title => facts.title },
        number => board.number,
        players => Seat::BOTH.map(|seat| board.at(seat).userid.clone()),
        after => walk.seen.shown,
        walked => walk.walked,
        count => walk.line.len(),
        line => line_in_path(&walk.texts()),
        last => walk.last().map(|turn| Value::from(Serde(step(walk.seen.shown + walk.walked, turn, facts.sides)))),
        has_effects => walk.line.iter().any(|turn| !turn.effects.is_empty()),
        steps_of_line => Value::from(Serde(steps)),
        state => state(walk),
        stopped => walk.stopped.as_deref(),
        refused,
        did,
        // It can be added as it is, or go on.
        added => whole.map(|whole| {
            let turns = [whole.to_owned()];
            Value::from_safe_string(format!("{}{}", viewer.root, walk.path_with(&turns)))
        }),
        plays_in_address => plays.as_deref().map(in_address),
        plays,
        planning => Value::from(Serde(Planning::of(viewer, walk))),
        sight => board.end.and_then(|_| sight(walk)),
        new_name => free_name(&kept),
        kept => Value::from(Serde(kept.into_iter().map(Kept::of).collect::<Vec<_>>())),
        form => form_number(),
        ..board_facts
    })
}

fn step(number: usize, turn: &TriedTurn, sides: [&'static str; 2]) -> Step {
    Step {
        number,
        side: sides[turn.seat.index()],
        text: turn.text.clone(),
        does: list(turn.effects.iter().map(String::as_str)),
    }
}

/// Whose turn it is in the line, or how the game ends there.
fn state(walk: &Walk) -> String {
    let side = |seat| walk.then.side(seat);
    match (walk.then.position.outcome(), walk.then.to_move()) {
        (Some(Outcome::Won(seat)), _) => format!("The game is over here: {} has won.", side(seat)),
        (Some(Outcome::Drawn), _) => "The game is over here: a draw.".to_owned(),
        (None, Some(seat)) => format!("{} is to move.", side(seat)),
        (None, None) => String::new(),
    }
}

/// The first turns of the line, if the player can play them now.
fn plays(viewer: &Viewer, walk: &Walk) -> Option<String> {
    let board = &walk.seen.board;
    let seat = board.seat_of(viewer.player()?.id)?;
    let is_possible = board.end.is_none() && walk.seen.is_now() && board.to_move == Some(seat);
    let own = walk
        .line
        .iter()
        .take_while(|turn| is_possible && turn.seat == seat);
    let own: Vec<_> = own.map(|turn| turn.text.as_str()).collect();
    (!own.is_empty()).then(|| own.join(","))
}

/// What a computer says of the position after a game. During one it says nothing: its players have no help.
fn sight(walk: &Walk) -> Option<String> {
    let position = walk.then.position.as_ref();
    let seat = walk.then.to_move()?;
    let points = 50 + at_first_sight(position, seat) / 20;
    Some(format!(
        "At first sight, without reading ahead, a computer expects {points} points of 100 for {} here. It may be wrong.",
        walk.then.side(seat)
    ))
}

/// A name that no line of the player has yet.
fn free_name(kept: &[KeptLine]) -> String {
    let name = |number: usize| format!("line-{number}");
    let is_free = |name: &String| kept.iter().all(|kept| kept.name != *name);
    (1..).map(name).find(is_free).unwrap_or_default()
}
