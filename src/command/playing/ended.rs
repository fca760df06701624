//! The end of a board: what every command that ends one decides alike.

use chrono::{DateTime, Utc};

use crate::command::{Change, InternalError};
use crate::store::Reader;
use crate::table::{Board, End, PlayerId, Rated};

/// What the end of a board changes beside it.
pub(crate) struct Ended {
    /// The new ratings, if the game counts.
    pub rated: Option<Rated>,
    /// What both players are told about the ratings: a paragraph of its own, or nothing.
    pub about_ratings: Option<String>,
}

impl Ended {
    /// The board as it is now, and the ratings.
    pub(crate) fn changes(self, board: Board) -> Vec<Change> {
        let rate = self.rated.map(Change::Rate);
        [Change::Board(Box::new(board))].into_iter().chain(rate).collect()
    }

    /// The first sentence of the mail that tells the end, and below it what the ratings have become.
    pub(crate) fn told(&self, sentence: String) -> String {
        match &self.about_ratings {
            Some(about) => format!("{sentence}\n\n{about}"),
            None => sentence,
        }
    }
}

/// What this board, which has just ended, comes to. A game counts for the ratings unless it was agreed that it does
/// not; a board that was removed or is void was no game. Nothing of a board that runs.
pub(crate) fn ended(store: &Reader, board: &Board, now: DateTime<Utc>) -> Result<Ended, InternalError> {
    ended_after(&[], store, board, now)
}

/// The same, after other changes of the same decision, which may have counted games of these players.
pub(crate) fn ended_after(
    earlier: &[Change],
    store: &Reader,
    board: &Board,
    now: DateTime<Utc>,
) -> Result<Ended, InternalError> {
    let mut counted = None;
    let about_ratings = match board.end {
        None | Some(End::Removed | End::Void) => None,
        Some(End::Finished(_)) if !board.terms.rated => {
            Some("The game does not count for the ratings.".to_owned())
        }
        Some(End::Finished(ending)) => {
            let players = [board.players[0].id, board.players[1].id];
            let standing = |player: PlayerId| {
                let counted = earlier.iter().rev().find_map(|change| match change {
                    Change::Rate(rated) if std::ptr::eq(rated.game, board.game) => {
                        let at = rated.players.iter().position(|other| *other == player)?;
                        rated.after.get(at).copied()
                    }
                    _ => None,
                });
                counted.map_or_else(|| store.standing(player, board.game), Ok)
            };
            let before = [standing(players[0])?, standing(players[1])?];
            let rated = Rated::new(board.game, board.id, players, before, ending.outcome, now);
            let change = |index: usize| {
                let (before, after) = (before[index].rating, rated.after[index].rating);
                format!(
                    "{} {} -> {}",
                    board.players[index].userid,
                    before.shown(),
                    after.shown()
                )
            };
            let told = format!("Ratings: {}, {}.", change(0), change(1));
            counted = Some(rated);
            Some(told)
        }
    };
    Ok(Ended {
        rated: counted,
        about_ratings,
    })
}
