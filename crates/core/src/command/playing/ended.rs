//! The end of a board, for every command that can end one.
//!
//! Ratings are written in the transaction that ends a game. They hold nothing that the finished games do not say: when the
//! arithmetic changes, the start counts them again. `rated.gainless` says whose rating could not rise, so that a recount does the
//! same.

use chrono::{DateTime, Utc};
use pbmserv_games::{Outcome, Seat};

use crate::command::wording::sentence::Sentence;
use crate::command::{Change, CompanyChange, InternalError};
use crate::seasons::ranks;
use crate::store::{ContestRow, Reader};
use crate::table::{Board, End, Gainless, PlayerId, Rated, SHORT_BELOW, Seated, YOUNG_FOR};

/// The effect of the end of a board on the ratings, and on the contest of which it is a game.
pub(crate) struct Ended {
    /// The new ratings, if the game counts.
    pub rated: Option<Rated>,
    /// A paragraph about the ratings, for the letters to both players.
    pub about_ratings: Option<String>,
    /// The contest of which it is a game.
    pub contest: Option<i64>,
}

impl Ended {
    /// The changes that store the board and the new ratings.
    pub(crate) fn changes(self, board: Board) -> Vec<Change> {
        let rate = self.rated.map(Change::Rate);
        let look = self
            .contest
            .map(|contest| Change::Company(CompanyChange::LookAt(contest)));
        let board = Change::Board(Box::new(board));
        [board].into_iter().chain(rate).chain(look).collect()
    }

    /// The sentence about the end, with the paragraph about the ratings below it.
    pub(crate) fn with_ratings(&self, sentence: Sentence) -> Sentence {
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
    let contest = match board.end {
        None => None,
        Some(_) => store.contest_of(board.id)?,
    };
    let about_ratings = match board.end {
        None | Some(End::Void) => None,
        Some(End::Removed(seat)) => counts_as_lost(store, board, seat, contest.as_ref())?,
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
            Some(about + &place_won(store, board, ending.outcome)?)
        }
    };
    Ok(Ended {
        rated: counted,
        about_ratings,
        contest: contest.map(|contest| contest.id),
    })
}

/// The place on a ladder that is won by this end, as a sentence with a blank before it.
fn place_won(store: &Reader, board: &Board, outcome: Outcome) -> Result<String, InternalError> {
    if outcome != Outcome::Won(Seat::Second) || !store.is_on_ladder(board.id)? {
        return Ok(String::new());
    }
    let ranks = ranks(store.ladder_events(board.game)?);
    let rank = |seat: Seat| ranks.iter().position(|id| *id == board.at(seat).id);
    Ok(match (rank(Seat::First), rank(Seat::Second)) {
        (Some(defender), Some(challenger)) if defender < challenger => format!(
            " {} takes the place of {} on the {} ladder.",
            board.at(Seat::Second).userid,
            board.at(Seat::First).userid,
            board.game.facts.title
        ),
        _ => String::new(),
    })
}

/// Where the player in this seat loses by a board that is removed before both have moved.
fn counts_as_lost(
    store: &Reader,
    board: &Board,
    seat: Seat,
    contest: Option<&ContestRow>,
) -> Result<Option<String>, InternalError> {
    let userid = &board.at(seat).userid;
    Ok(counted_in(store, board, contest)?.map(|place| format!("{place} it counts as lost by {userid}.")))
}

/// Where a board counts even if it is removed: `In the Hex league, division 2`.
pub(crate) fn counted_in(
    store: &Reader,
    board: &Board,
    contest: Option<&ContestRow>,
) -> Result<Option<String>, InternalError> {
    Ok(match contest {
        Some(contest) => Some(format!("In {}", contest.name())),
        None if store.is_on_ladder(board.id)? => Some(format!("On the {} ladder", board.game.facts.title)),
        None => None,
    })
}

/// Whose rating the end of this board cannot raise, and a sentence why: else somebody who makes accounts, or has a friend, could
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
