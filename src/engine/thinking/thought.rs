//! What a computer thinks of one position or game.

use std::sync::atomic::{AtomicBool, Ordering};

use pbmserv_games::Match;
use pbmserv_games::bots::{self, Cost};
use sha2::{Digest, Sha256};

use pbmserv_core::dispatch::FoundTurn;
use pbmserv_core::store::{self, AdviceKind, Reader};
use pbmserv_core::table::{Board, Played};

use super::jobs::Job;

/// What came of thinking.
pub(super) enum Thought {
    Turn(FoundTurn),
    Costs(Vec<Cost>),
    /// The board is not waiting any more, or the server stops.
    Nothing,
}

/// A job with all that it needs of the database.
pub(super) struct Question {
    job: Job,
    board: Board,
    turns: Vec<Played>,
}

impl Question {
    /// `None`: the board is gone, or has changed between the two looks at it.
    ///
    /// # Errors
    /// The database cannot be read.
    pub(super) fn read(reader: &Reader, job: Job) -> store::Result<Option<Self>> {
        let board = reader.board_by_id(job.board())?;
        let turns = reader.turns(job.board())?;
        let board = board.filter(|board| board.turns as usize == turns.len());
        Ok(board.map(|board| Self { job, board, turns }))
    }
}

/// Thinks about what is asked, until `stop` is true.
///
/// # Errors
/// No turn was found: a fault of ours.
pub(super) fn thought_of(question: &Question, stop: &AtomicBool) -> Result<Thought, String> {
    let Question { job, board, turns } = question;
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
