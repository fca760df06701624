//! What a computer thinks of one position or game.

use std::sync::atomic::{AtomicBool, Ordering};

use chrono::{DateTime, Utc};
use pbmserv_games::Match;
use pbmserv_games::bots::{self, Cost};
use sha2::{Digest, Sha256};

use pbmserv_core::dispatch::FoundTurn;
use pbmserv_core::store::{self, AdviceKind, Finds, Reader, Searched};
use pbmserv_core::table::{Board, Played};

use crate::engine::attempts::Noted;

use super::gazette;
use super::jobs::Job;

/// What came of thinking.
pub(super) enum Thought {
    Turn(FoundTurn),
    Costs(Vec<Cost>),
    Gazette(Finds),
    /// The board is not waiting any more, or the server stops.
    Nothing,
}

/// A job with all that it needs of the database.
pub(super) enum Question {
    Board {
        job: Job,
        board: Box<Board>,
        turns: Vec<Played>,
    },
    Gazette(Searched),
}

impl Question {
    /// Whether a turn is asked for, for which a player waits.
    pub(super) fn is_turn(&self) -> bool {
        match self {
            Self::Board {
                job: Job::Advice(advice),
                ..
            } => advice.kind == AdviceKind::Hint,
            Self::Board { .. } => true,
            Self::Gazette(_) => false,
        }
    }

    /// `None`: the board is gone, or has changed between the two looks at it.
    ///
    /// # Errors
    /// The database cannot be read.
    pub(super) fn read(reader: &Reader, job: Job, now: DateTime<Utc>) -> store::Result<Option<Self>> {
        let id = match job.noted() {
            Noted::Board(position) => position.board,
            Noted::Gazette(number) => {
                return reader
                    .searched_for_gazette(number, now)
                    .map(|all| Some(Self::Gazette(all)));
            }
            Noted::Visitor(_) => return Ok(None),
        };
        let board = reader.board_by_id(id)?;
        let turns = reader.turns(id)?;
        let board = board.filter(|board| board.turns as usize == turns.len());
        Ok(board.map(|board| Self::Board {
            job,
            board: board.into(),
            turns,
        }))
    }
}

/// Thinks about what is asked, until `stop` is true.
///
/// # Errors
/// No turn was found: a fault of ours.
pub(super) fn thought_of(question: &Question, stop: &AtomicBool) -> Result<Thought, String> {
    let (job, board, turns) = match question {
        Question::Board { job, board, turns } => (job, board, turns),
        Question::Gazette(searched) => {
            let finds = gazette::find(searched, stop);
            return Ok(match stop.load(Ordering::Relaxed) {
                true => Thought::Nothing,
                false => Thought::Gazette(finds),
            });
        }
    };
    match job {
        Job::Turn(_) => {
            let level = board.to_move.and_then(|seat| board.at(seat).id.computer());
            level.map_or(Ok(Thought::Nothing), |computer| {
                turn(board, turns, stop, |game| {
                    bots::think(game, computer.level, seed(board), stop)
                })
            })
        }
        Job::Advice(advice) if advice.kind == AdviceKind::Review => {
            let texts: Vec<_> = turns.iter().map(|turn| turn.text.clone()).collect();
            let costs = bots::costs(board.game, &board.options, &texts, stop);
            Ok(match stop.load(Ordering::Relaxed) {
                true => Thought::Nothing,
                false => Thought::Costs(costs),
            })
        }
        // The answer says that the board has changed.
        Job::Advice(advice) if board.end.is_some() || board.events.position != advice.event => {
            Ok(Thought::Turn(FoundTurn::none()))
        }
        Job::Gazette(..) => Ok(Thought::Nothing),
        Job::Advice(_) => turn(board, turns, stop, |game| bots::advise(game, stop)),
    }
}

fn turn(
    board: &Board,
    turns: &[Played],
    stop: &AtomicBool,
    think: impl Fn(&dyn Match) -> Option<bots::Thought>,
) -> Result<Thought, String> {
    let position = board
        .replay(turns.to_vec(), usize::MAX)
        .map_err(|error| error.to_string())?;
    match think(position.game.as_ref()) {
        Some(found) => Ok(Thought::Turn(FoundTurn {
            event: board.events.position,
            turn: found.turn,
            value: found.value,
        })),
        None if stop.load(Ordering::Relaxed) => Ok(Thought::Nothing),
        None => Err("it found no turn".to_owned()),
    }
}

/// The chance of a computer at this turn of a board.
fn seed(board: &Board) -> u64 {
    seed_of(&format!(
        "{} {} {}",
        board.game.facts.name, board.number, board.turns
    ))
}

/// The chance of a computer where this is played, the same on every machine.
pub(super) fn seed_of(played: &str) -> u64 {
    let digest = Sha256::digest(played.as_bytes());
    digest[..8]
        .iter()
        .fold(0, |seed, byte| seed << 8 | u64::from(*byte))
}
