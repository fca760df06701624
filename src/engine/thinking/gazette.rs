//! What the gazette is made of: the game of the week, and a position to solve.
//!
//! The score of a game is the sum of both ratings and what its deciding turn cost, the more of it the later that turn was. A quick
//! look at each game finds that turn; a sure one at the turn alone says what it is told as.

use std::sync::atomic::AtomicBool;

use pbmserv_core::store::{DecidingTurn, Finds, Riddle, Searched};
use pbmserv_core::table::{Board, BoardId, Played};
use pbmserv_games::bots::{Cost, Puzzle, cost_of, puzzle, quick_costs};

/// A turn that cost less decides nothing, in thousandths of the expected result.
const LEAST_LOST: i32 = 100;

/// How many games get a sure look until one keeps what the quick one saw.
const SURE_LOOKS: usize = 3;

/// What the search for a position to solve may take in all, in tenths of a microsecond.
const EFFORT: u64 = 200_000_000;

/// What is found among these games.
pub(super) fn find(searched: &Searched, stop: &AtomicBool) -> Finds {
    let game = game_of_the_week(searched, stop);
    let of_the_week = game.as_ref().map(|game| game.board);
    Finds {
        // The end of the game of the week stands beside it.
        riddle: riddle(searched, of_the_week, stop),
        game,
    }
}

fn texts(turns: &[Played]) -> Vec<String> {
    turns.iter().map(|turn| turn.text.clone()).collect()
}

/// What a turn adds to the score of its game.
fn weight(cost: &Cost, turns: usize) -> f64 {
    f64::from(cost.lost) * f64::from(cost.number) / turns.max(1) as f64
}

fn game_of_the_week(searched: &Searched, stop: &AtomicBool) -> Option<DecidingTurn> {
    let mut looked = Vec::new();
    for (board, turns, ratings) in &searched.games {
        let texts = texts(turns);
        let costs = quick_costs(board.game, &board.options, &texts, stop);
        let decided = costs
            .into_iter()
            .filter(|cost| cost.lost >= LEAST_LOST)
            .max_by(|one, other| weight(one, texts.len()).total_cmp(&weight(other, texts.len())));
        if let Some(cost) = decided {
            looked.push((ratings + weight(&cost, texts.len()), board, texts, cost.number));
        }
    }
    looked.sort_by(|(one, ..), (other, ..)| other.total_cmp(one));
    looked
        .iter()
        .take(SURE_LOOKS)
        .find_map(|(_, board, texts, number)| {
            let cost = cost_of(board.game, &board.options, texts, *number, stop)?;
            (cost.lost >= LEAST_LOST).then_some(DecidingTurn {
                board: board.id,
                number: cost.number,
                better: cost.better,
                lost: cost.lost,
            })
        })
}

fn riddle(searched: &Searched, without: Option<BoardId>, stop: &AtomicBool) -> Option<Riddle> {
    let mut effort = EFFORT;
    let mut best: Option<(&Board, Puzzle)> = None;
    for (board, turns) in searched
        .riddles
        .iter()
        .filter(|(board, _)| Some(board.id) != without)
    {
        let found = puzzle(board.game, &board.options, &texts(turns), &mut effort, stop);
        if let Some(found) = found
            && best.as_ref().is_none_or(|(_, best)| found.merit() > best.merit())
        {
            best = Some((board, found));
        }
        if best.as_ref().is_some_and(|(_, best)| best.is_best()) || effort == 0 {
            break;
        }
    }
    let (board, Puzzle { played, turns, wins }) = best?;
    Some(Riddle {
        board: board.id,
        played: u32::try_from(played).ok()?,
        needs: turns,
        wins,
    })
}
