//! The end of a board, for every command that can end one.
//!
//! Ratings are written in the transaction that ends a game. They hold nothing that the finished games do not say: when the
//! arithmetic changes, the start counts them again. `rated.gainless` says whose rating could not rise, so that a recount does the
//! same.

use chrono::{DateTime, Utc};

use crate::command::wording::told::Told;
use crate::command::{Change, InternalError};
use crate::store::Reader;
use crate::table::{Board, End, Gainless, PlayerId, Rated, SHORT_BELOW, Seated, YOUNG_FOR};

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
    pub(crate) fn with_ratings(&self, sentence: Told) -> Told {
        match &self.about_ratings {
            Some(about) => sentence.with(&format!("\n\n{about}")),
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
            let (gainless, why) = gainless(earlier, store, board, now)?;
            let rated = Rated::new(board, before, ending.outcome, gainless, now);
            let change = |index: usize| {
                let (before, after) = (before[index].rating, rated.after[index].rating);
                format!(
                    "{} {} -> {}",
                    board.players[index].userid,
                    before.shown(),
                    after.shown()
                )
            };
            let whole = Rated::new(board, before, ending.outcome, Gainless::default(), now);
            let why = match rated.after == whole.after {
                true => String::new(),
                false => why,
            };
            let about = format!("Ratings: {}, {}.{why}", change(0), change(1));
            counted = Some(rated);
            Some(about)
        }
    };
    Ok(Ended {
        rated: counted,
        about_ratings,
    })
}

/// Whose rating the end of this board cannot raise, and a sentence why: else whoever makes accounts, or has a friend, could
/// make any rating. A rating that falls by it falls, so nobody resigns out of a loss.
fn gainless(
    earlier: &[Change],
    store: &Reader,
    board: &Board,
    now: DateTime<Utc>,
) -> Result<(Gainless, String), InternalError> {
    let players = board.players.each_ref().map(|player| player.id);
    let is_of_both = |rated: &Rated| {
        let is_same =
            std::ptr::eq(rated.game, board.game) && players.iter().all(|id| rated.players.contains(id));
        is_same && rated.is_short && rated.gainless != Gainless::BOTH
    };
    let was_short = |change: &Change| matches!(change, Change::Rate(rated) if is_of_both(rated));
    if board.turns < SHORT_BELOW
        && (earlier.iter().any(was_short) || store.has_short_game(board.game, players, now - YOUNG_FOR)?)
    {
        let why = " Nobody gains by it: of games of fewer than four turns between the same two, one counts in a week.";
        return Ok((Gainless::BOTH, why.to_owned()));
    }
    let mut why = String::new();
    let mut is_young = [false; 2];
    for (seated, is_young) in board.players.iter().zip(&mut is_young) {
        if let Some(reason) = why_young(store, seated, now)? {
            *is_young = true;
            why = format!(" Nobody gains by a win against {}, {reason}.", seated.userid);
        }
    }
    let [first, second] = is_young;
    Ok((Gainless([second, first]), why))
}

/// Why nobody gains by a win against this player.
fn why_young(
    store: &Reader,
    seated: &Seated,
    now: DateTime<Utc>,
) -> Result<Option<&'static str>, InternalError> {
    if seated.id.is_computer() {
        return Ok(None);
    }
    if store.joined_at(seated.id)?.is_some_and(|at| at > now - YOUNG_FOR) {
        return Ok(Some("whose account is less than a week old"));
    }
    let rows = store.addresses(seated.id)?;
    let is_confirmed = rows.iter().any(|row| row.confirmed_at.is_some());
    Ok((!is_confirmed).then_some("who has not confirmed an address"))
}
