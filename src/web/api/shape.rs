//! The bodies of answers. Times are RFC 3339 in UTC; a player is an index of `players`, the one who moved first is 0; a userid is
//! null where its player is left out.

use chrono::{DateTime, SecondsFormat, Utc};
use pbmserv_games::{Display, Game, Outcome, Seat};
use serde::Serialize;
use url::Url;

use crate::web::board::Seen;
use crate::web::fault::Fault;
use crate::web::names::is_someone;
use crate::web::standings::RankedRow;
use crate::web::viewer::Viewer;
use pbmserv_core::command::{MoverClock, board_ended, board_status, mover_clock};
use pbmserv_core::store::Reader;
use pbmserv_core::table::{Board, End, Played, Standing};

fn time(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Secs, true)
}

fn userid(shown: &str) -> Option<String> {
    (!is_someone(shown)).then(|| shown.to_owned())
}

#[derive(Serialize)]
pub(super) struct GameFacts {
    name: &'static str,
    title: &'static str,
    summary: &'static str,
    sides: [&'static str; 2],
    notation: &'static str,
}

impl GameFacts {
    pub(super) fn of(game: &Game) -> Self {
        let facts = game.facts;
        Self {
            name: facts.name,
            title: facts.title,
            summary: facts.summary,
            sides: facts.sides,
            notation: facts.notation,
        }
    }
}

/// How a board ended.
#[derive(Serialize)]
struct Ended {
    /// Null for a draw, and for a game without a result.
    winner: Option<usize>,
    sentence: String,
}

/// A board in a list.
#[derive(Serialize)]
pub(super) struct BoardRow {
    game: &'static str,
    number: u32,
    players: [Option<String>; 2],
    to_move: Option<usize>,
    turn_count: u32,
    ended: Option<Ended>,
    begun_at: String,
    moved_at: String,
    ended_at: Option<String>,
    /// The page for everybody.
    page: String,
}

impl BoardRow {
    pub(super) fn of(board: &Board, base: &Url) -> Result<Self, Fault> {
        let winner = match board.end {
            Some(End::Finished(ending)) => match ending.outcome {
                Outcome::Won(seat) => Some(seat.index()),
                Outcome::Drawn => None,
            },
            _ => None,
        };
        let (game, number) = (board.game.facts.name, board.number);
        let page = base.join(&format!("board/{game}/{number}"));
        Ok(Self {
            game,
            number,
            players: Seat::BOTH.map(|seat| userid(&board.at(seat).userid)),
            to_move: board.to_move.map(Seat::index),
            turn_count: board.turns,
            ended: board.end.map(|end| Ended {
                winner,
                sentence: board_ended(board, end),
            }),
            begun_at: time(board.started_at),
            moved_at: time(board.moved_at),
            ended_at: board.ended_at.map(time),
            page: page.map_err(|error| Fault::internal(&error))?.into(),
        })
    }
}

/// A board as it stands.
#[derive(Serialize)]
pub(super) struct BoardFacts {
    #[serde(flatten)]
    row: BoardRow,
    options: String,
    is_rated: bool,
    /// When the time of the player to move ends; null without a limit, and while it stands still.
    until: Option<String>,
    /// Who is to move, and what is offered.
    status: String,
    /// The board as letters draw it.
    drawing: String,
    /// The caller; null for everybody else.
    you: Option<usize>,
    /// For a turn: the newest event. Null for everybody else.
    event: Option<u32>,
}

impl BoardFacts {
    pub(super) fn of(
        reader: &Reader,
        seen: &Seen,
        viewer: &Viewer,
        base: &Url,
        now: DateTime<Utc>,
    ) -> Result<Self, Fault> {
        let board = &seen.board;
        let seat = viewer.player().and_then(|player| board.seat_of(player.id));
        let clock = board.to_move.map(|mover| mover_clock(reader, board, mover, now));
        let until = match clock.transpose()? {
            Some(MoverClock::Until(at)) => Some(at),
            _ => None,
        };
        Ok(Self {
            row: BoardRow::of(board, base)?,
            options: board.options.to_string(),
            is_rated: board.terms.rated,
            until: until.map(time),
            status: board_status(board, seat),
            drawing: seen.then.position.draw(Display::Small),
            you: seat.map(Seat::index),
            event: seat.map(|_| board.events.newest()),
        })
    }
}

/// A turn that was played.
#[derive(Serialize)]
pub(super) struct PlayedTurn {
    player: usize,
    turn: String,
    at: String,
}

impl PlayedTurn {
    pub(super) fn of(played: &Played) -> Self {
        Self {
            player: played.seat.index(),
            turn: played.text.clone(),
            at: time(played.at),
        }
    }
}

/// The legal turns of a position.
#[derive(Serialize)]
pub(super) struct Legal {
    pub(super) turns: Vec<String>,
    /// False if there are more than are listed.
    pub(super) is_complete: bool,
}

/// A player, with the ratings.
#[derive(Serialize)]
pub(super) struct PlayerFacts {
    pub(super) userid: String,
    pub(super) ratings: Vec<Rating>,
}

/// A player's rating at a game.
#[derive(Serialize)]
pub(super) struct Rating {
    game: &'static str,
    rating: i64,
    won: u32,
    lost: u32,
    drawn: u32,
}

impl Rating {
    pub(super) fn of(game: &Game, standing: &Standing, now: DateTime<Utc>) -> Self {
        Self {
            game: game.facts.name,
            rating: whole(&standing.rating_at(now).shown()),
            won: standing.won,
            lost: standing.lost,
            drawn: standing.drawn,
        }
    }
}

/// A player in the standings of a game.
#[derive(Serialize)]
pub(super) struct Ranked {
    /// Null as long as the rating is provisional.
    rank: Option<u32>,
    userid: Option<String>,
    rating: i64,
    won: u32,
    lost: u32,
    drawn: u32,
    running: u32,
}

impl Ranked {
    pub(super) fn of(row: &RankedRow) -> Self {
        Self {
            rank: row.rank.parse().ok(),
            userid: userid(&row.userid),
            rating: whole(&row.rating),
            won: row.won,
            lost: row.lost,
            drawn: row.drawn,
            running: row.running,
        }
    }
}

/// A rating is shown as a whole number.
fn whole(shown: &str) -> i64 {
    shown.parse().unwrap_or_default()
}
