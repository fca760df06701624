//! Boards independent of the game: players, terms, turns and end.
//!
//! [`Board`] has the rules as transitions. The store saves their results and decides nothing.

mod board;
mod calendar;
mod clock;
mod computer;
mod dice;
mod events;
mod fair_dice;
mod game_record;
mod guest;
mod pause;
mod plan;
mod plan_text;
mod position;
mod preferences;
mod rating;
mod record;
mod reminders;
mod taking;
mod terms;
mod unasked;
mod vacation;

use chrono::{DateTime, Utc};

pub use board::{Board, End, NewBoard, Offer};
pub(crate) use board::{Stale, Unsaved};
pub use calendar::{Calendar, NotQuiet, QuietDays};
pub use clock::{Clock, Limit, Presence, REMINDED_EVERY, Tick, TurnsPlayed, WARNED_BEFORE, Warning};
pub use computer::{COMPUTERS, Computer};
pub use dice::{Dice, word_given};
pub use events::{BoardLetter, Events};
pub use fair_dice::{UnfairDice, check_dice};
pub use guest::GuestGame;
pub use pause::MAX_PAUSE;
pub(crate) use plan::MAX_IN_A_ROW;
pub use plan::{Plan, PlannedTurn, dice_of, play_with_roll};
pub(crate) use plan_text::{Likeness, before_plan, likeness};
pub use position::{Played, Position, Unreplayable};
pub use preferences::Preferences;
pub(crate) use rating::POINTS;
pub use rating::{ESTABLISHED_BELOW, FORMULA, Gainless, Rated, Rating, SHORT_BELOW, Standing, YOUNG_FOR};
pub use reminders::{NoReminders, Reminders};
pub use taking::Taking;
pub use terms::{NoTerms, Refill, Terms};
pub use unasked::Unasked;
pub use vacation::{DAYS_A_YEAR, Vacation, days_left};

/// The row number of a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PlayerId(pub i64);

/// What the userid of an erased account begins with. Nobody can sign up with such a userid.
const ERASED: &str = "deleted-";

/// Whether this is the userid of an erased account.
#[must_use]
pub fn is_erased(userid: &str) -> bool {
    let start = userid.get(..ERASED.len());
    start.is_some_and(|start| start.eq_ignore_ascii_case(ERASED))
}

impl PlayerId {
    /// The userid that stands on the boards of this player once the account is erased.
    #[must_use]
    pub fn erased_userid(self) -> String {
        format!("{ERASED}{}", self.0)
    }
}

/// The row number of a board. Players know a board by its game and its number in that game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BoardId(pub i64);

/// A player's account.
#[derive(Clone, PartialEq, Eq)]
pub struct Player {
    /// The number of the row.
    pub id: PlayerId,
    /// In the player's own capitals; compared ignoring case.
    pub userid: String,
    /// The password hash as a PHC string.
    pub password_hash: String,
    /// Increased to make all earlier tokens invalid.
    pub generation: i64,
    /// When they went away; `None` while they are active.
    pub away_since: Option<DateTime<Utc>>,
    /// When the operator disabled the account; `None` while it is enabled.
    pub disabled_at: Option<DateTime<Utc>>,
}

impl std::fmt::Debug for Player {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Player")
            .field("id", &self.id)
            .field("userid", &self.userid)
            .finish_non_exhaustive()
    }
}

/// A player with a seat at a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seated {
    /// The number of the player's row.
    pub id: PlayerId,
    /// In the player's own capitals.
    pub userid: String,
}

impl Seated {
    /// The userid, with a mark if it is a computer's: `bot-easy (computer)`.
    #[must_use]
    pub fn marked(&self) -> String {
        match self.id.is_computer() {
            true => format!("{} (computer)", self.userid),
            false => self.userid.clone(),
        }
    }
}
