//! The facts of the page of a board.

use chrono::{DateTime, Utc};
use minijinja::value::Serde;
use minijinja::{Value, context};
use pbmserv_games::tagged::Tagged;
use pbmserv_games::{Display, Game, Seat};
use serde::Serialize;

use crate::web::company::of_board;
use crate::web::fault::Fault;
use crate::web::names::{is_someone, seen as as_seen};
use crate::web::times::{iso, times};
use crate::web::viewer::Viewer;
use pbmserv_core::command::{MoverClock, board_ended, board_status, mover_clock, other_clocks};
use pbmserv_core::store::Reader;
use pbmserv_core::table::{Board, End, check_dice};

use super::said::{luck, said};
use super::turns::{around, rows};
use super::view::Seen;

/// The rows of turns that the page of a board shows.
const MAX_ROWS: usize = 20;

/// The other boards of the two players that are listed.
const MAX_RELATED: usize = 6;

#[derive(Serialize)]
struct Person {
    userid: String,
    has_page: bool,
    side: &'static str,
    rating: String,
    is_to_move: bool,
    counts: Vec<u32>,
}

#[derive(Serialize)]
struct Related {
    game: &'static str,
    number: u32,
    status: String,
}

/// The facts of the page.
pub(super) fn facts(
    reader: &Reader,
    seen: &Seen,
    viewer: &Viewer,
    now: DateTime<Utc>,
) -> Result<Value, Fault> {
    let Seen {
        board,
        turns,
        shown,
        then,
    } = seen;
    let facts = board.game.facts;
    let times = times(reader, viewer, now)?;
    let (mut until, mut clocks) = (None, Vec::new());
    if let Some(seat) = board.to_move.filter(|_| seen.is_now()) {
        let clock = mover_clock(reader, board, seat, now)?;
        clocks = other_clocks(reader, board, (seat, &clock), times)?;
        if let MoverClock::Until(at) = clock {
            until = Some(at);
        }
    }
    let seat = viewer.player().and_then(|player| board.seat_of(player.id));
    let status = match (board.end, board.to_move) {
        (Some(end), _) => board_ended(board, end),
        (None, Some(mover)) => format!(
            "{} ({}) to move",
            board.at(mover).userid,
            facts.sides[mover.index()]
        ),
        (None, None) => String::new(),
    };
    let said = said(reader, viewer, board)?;
    let mut said_turns: Vec<_> = said.iter().map(|said| said.turn).collect();
    said_turns.dedup();
    let said_here: Vec<_> = said.iter().filter(|said| said.turn == *shown).cloned().collect();
    let all = rows(turns, *shown);
    let row_count = all.len();
    Ok(context! {
        game => context! {
            name => facts.name,
            title => facts.title,
            sides => facts.sides,
            formats => formats(board.game),
        },
        number => board.number,
        options => board.options.to_string(),
        is_rated => board.terms.rated,
        players => Seat::BOTH.map(|seat| board.at(seat).userid.clone()),
        people => Value::from(Serde(people(reader, seen, now)?)),
        counted => then.position.info().iter().map(|(name, _)| *name).collect::<Vec<_>>(),
        count => turns.len(),
        shown => *shown,
        is_now => seen.is_now(),
        is_over => board.end.is_some(),
        is_removed => !board.can_be_answered(),
        has_record => board.record(turns).is_some(),
        is_player => seat.is_some(),
        is_yours => seat.is_some() && seat == board.to_move && seen.is_now(),
        status,
        offer => board_status(board, seat),
        until => until.map(|until| times.said(until)),
        until_iso => until.map(iso),
        clocks => clocks.join(" "),
        told => seen.told(),
        dice => dice(seen),
        luck => luck(reader, board)?,
        own_note => match viewer.player().filter(|_| seat.is_some()) {
            Some(player) => reader.own_note(player.id, board.id)?,
            None => None,
        },
        said => Value::from(Serde(said_here)),
        said_count => said_turns.len(),
        can_comment => seat.is_some() && *shown > 0 && matches!(board.end, Some(End::Finished(_))),
        picture => Value::from_safe_string(seen.picture().svg()),
        description => seen.picture().description,
        rows => Value::from(Serde(around(all, MAX_ROWS))),
        row_count,
        boards => [Display::Large, Display::Small].map(|display| then.position.draw(display)),
        begun => times.date(board.started_at),
        ended => board.ended_at.map(|at| times.date(at)),
        summary => facts.summary,
        table => of_board(reader, viewer, board)?,
        related => Value::from(Serde(related(reader, viewer, board)?)),
    })
}

/// The formats of other programs that records of the game are written in: the page of each, and the end of its file's name.
fn formats(game: &Game) -> Vec<Value> {
    let kinds = [
        ("record.sgf", game.sgf.map(|_| "sgf")),
        ("record.pgn", game.tagged.map(Tagged::extension)),
        ("record.mat", game.mat.map(|_| "mat")),
    ];
    let written = kinds.into_iter().filter_map(|(path, kind)| Some((path, kind?)));
    written
        .map(|(path, kind)| context! { path => path, kind => kind })
        .collect()
}

/// What the page says of the dice of the board as it stands: what is announced, and what came of the check when it is over.
fn dice(seen: &Seen) -> Option<String> {
    let dice = seen.board.dice.as_ref().filter(|_| seen.is_now())?;
    if seen.board.end.is_none() {
        return Some(format!(
            "The secret of the dice is fixed: its SHA-256 is {}.",
            dice.commitment()
        ));
    }
    Some(match check_dice(&seen.board.record(&seen.turns)?) {
        Ok(rolls) => format!(
            "The dice are fair: all {rolls} rolls follow from the secret that was announced, the words and the board."
        ),
        Err(error) => format!("The dice were checked. {error}"),
    })
}

fn people(reader: &Reader, seen: &Seen, now: DateTime<Utc>) -> Result<Vec<Person>, Fault> {
    let (board, info) = (&seen.board, seen.then.position.info());
    let person = |seat: Seat| -> Result<Person, Fault> {
        let (seated, side) = (board.at(seat), board.game.facts.sides[seat.index()]);
        let counts = info.iter().map(|(_, counts)| {
            let own = counts.iter().find(|(of, _)| *of == side);
            own.map_or(0, |(_, count)| *count)
        });
        Ok(Person {
            userid: seated.userid.clone(),
            has_page: !is_someone(&seated.userid),
            side,
            rating: reader.standing(seated.id, board.game)?.rating_at(now).shown(),
            is_to_move: seen.then.to_move() == Some(seat),
            counts: counts.collect(),
        })
    };
    Seat::BOTH.into_iter().map(person).collect()
}

/// Other boards of the two.
fn related(reader: &Reader, viewer: &Viewer, board: &Board) -> Result<Vec<Related>, Fault> {
    let players = Seat::BOTH.map(|seat| board.at(seat).id);
    let mut boards = reader.boards_of_two(players, MAX_RELATED + 1)?;
    let has_it = |other: &Board| {
        let mut keys = viewer.key.iter();
        keys.all(|key| key.opened.reach.has(other.game, other.number))
    };
    boards.retain(|other| other.id != board.id && has_it(other));
    boards.truncate(MAX_RELATED);
    let related = boards.into_iter().map(|other| {
        let other = as_seen(reader, viewer, other)?;
        Ok(Related {
            game: other.game.facts.name,
            number: other.number,
            status: board_status(&other, None),
        })
    });
    related.collect()
}
