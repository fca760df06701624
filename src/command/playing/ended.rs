//! The end of a board, for every command that can end one.

use chrono::{DateTime, Utc};

use crate::command::{Change, InternalError};
use crate::store::Reader;
use crate::table::{Board, End, PlayerId, Rated};

/// The effect of the end of a board on the ratings.
pub(crate) struct Ended {
    /// The new ratings, if the game counts.
    pub rated: Option<Rated>,
    /// A paragraph about the ratings, for the letters to both players.
    pub about_ratings: Option<String>,
}

impl Ended {
    /// The changes that store the board and the new ratings.
    pub(crate) fn changes(self, board: Board) -> Vec<Change> {
        let rate = self.rated.map(Change::Rate);
        [Change::Board(Box::new(board))].into_iter().chain(rate).collect()
    }

    /// The sentence about the end, with the paragraph about the ratings below it.
    pub(crate) fn with_ratings(&self, sentence: String) -> String {
        match &self.about_ratings {
            Some(about) => format!("{sentence}\n\n{about}"),
            None => sentence,
        }
    }
}

/// Rates this board if it has just ended. A game counts unless its terms say unrated. A removed or void board does not
/// count, and a running board has no effect.
pub(crate) fn ended(store: &Reader, board: &Board, now: DateTime<Utc>) -> Result<Ended, InternalError> {
    ended_after(&[], store, board, now)
}

/// As [`ended`], after other changes of the same decision. These may have rated games of the same players: their new
/// ratings are not stored yet, so they are read from the changes.
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
            let about = format!("Ratings: {}, {}.", change(0), change(1));
            counted = Some(rated);
            Some(about)
        }
    };
    Ok(Ended {
        rated: counted,
        about_ratings,
    })
}
