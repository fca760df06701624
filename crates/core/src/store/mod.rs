//! The database. All SQL is in this folder, one file for each family of tables; domain types go in and out.
//!
//! There is one writer, the [`Store`]; each thread that only reads has a [`Reader`]. Both use a `Database`, which is of
//! SQLite or of PostgreSQL: only `sqlite/` and `postgres/` know these engines.
//!
//! # Errors
//! Every function here can fail as the database fails: a full disk, a lock, a damaged file, or a row that this program
//! cannot have written ([`Error`]). A function with further errors lists them.

mod accounts;
mod addresses;
mod audit;
mod blocks;
mod boards;
mod clocks;
mod complaints;
mod computers;
mod connection;
mod contest_changes;
mod contest_lists;
mod contests;
mod counts;
mod database;
mod digests;
mod erasing;
mod error;
mod everything;
mod expiry;
mod finding;
mod forgetting;
mod gazettes;
mod history;
mod holder;
mod inbox;
mod joins;
mod leagues;
mod listings;
mod location;
mod mails;
mod memo;
mod migrations;
mod notices;
mod numbers;
mod outbox;
mod own_addresses;
mod own_notes;
mod page_links;
#[cfg(test)]
mod place_of_tests;
mod postgres;
mod preferences;
mod presence;
mod proposals;
mod purpose;
mod rankings;
mod ratings;
mod replication;
mod restore;
mod row;
mod scanning;
mod seeks;
mod sending;
mod sqlite;
mod tallies;
mod thoughts;
mod transfer;
mod tries;
mod turn_comments;
mod vacations;
mod value;
mod watchers;
mod watching;

pub use accounts::NewPlayer;
pub use addresses::AddressRow;
pub use audit::Audited;
pub use complaints::Complained;
pub use computers::{Advice, AdviceKind, AwaitedReceipt, BoardNote, NoteKind, WaitingBoard};
pub use connection::{Reader, Store};
pub use contests::{
    ContestKind, ContestRow, EntrantRow, FullContest, NewContest, PairedBoard, PairingRow, TableRuling,
};
use database::Database;
pub use digests::{DigestLetter, ListedBoard};
pub use error::{Error, ErrorKind, FileFault, Result};
pub use finding::BoardFilter;
pub use forgetting::{MAILS_DAYS, Round, StepBounds};
pub use gazettes::{DecidingTurn, Finds, Gazette, GazetteAnswer, Riddle, Searched};
pub use history::Score;
pub use holder::Holder;
pub use inbox::{Outcome, Received, ReceivedRow, Refusal, State};
pub use joins::{InvitedTo, JOIN_DAYS, Join};
pub use leagues::{LadderBoard, League};
pub use listings::{GameStats, PlayerRow, PlayersAddress, Stats, player_state};
pub use location::Location;
pub use mails::OutboxRow;
pub use migrations::{
    MIGRATIONS, Migration, lacks_migrations, newest_migration, refuse_older, set_migrations,
};
pub use notices::{NoticeForm, NoticeTarget, Posted, Posting};
pub use outbox::{Awaits, MailState, NewMail, SentMail};
pub use postgres::{BadUrl, Server};
pub use presence::Audience;
pub use proposals::{PROPOSED_FOR, Proposal};
pub use purpose::Purpose;
pub use rankings::Ranked;
pub use replication::Replication;
pub use restore::{BOARDS_LEAP, Contents, open_copy};
pub use scanning::Scan;
pub use seeks::Seek;
pub use sending::{Due, Outgoing, Reply, Served};
pub use sqlite::{Alone, Copying, Pages, fold_log};
pub use tallies::{RateLimit, hourly};
pub use thoughts::ThoughtPosition;
pub use transfer::{Copied, Moving, Target, Transfer};
pub use tries::KeptLine;
pub use turn_comments::TurnComment;
pub use value::millis;
pub use watchers::{Watched, Watcher};
pub use watching::{HourOfMail, QueueState, Queues, Totals, Unproven};

impl Store {
    /// Opens the database, or creates it. Recounts the ratings if the formula has changed.
    ///
    /// # Errors
    /// The file cannot be opened or written, another version of the program wrote it ([`Error::Older`], [`Error::Newer`],
    /// [`Error::Unreleased`]), or it is the beginning of a copy: [`Error::Unfinished`].
    pub fn open(at: impl Into<Location>) -> Result<Self> {
        Self::opened(Database::open_for_writing(&at.into())?)
    }

    /// The same after missing migrations are applied, all or none. `applying` is called with the number of each, and that
    /// of the last.
    ///
    /// # Errors
    /// As those of [`open`](Self::open), but for [`Error::Older`].
    pub fn migrate(at: impl Into<Location>, applying: &mut dyn FnMut(i64, i64)) -> Result<Self> {
        Self::opened(Database::open_migrated(&at.into(), applying)?)
    }

    fn opened(db: Database) -> Result<Self> {
        let store = Self::of(db);
        store.is_finished()?;
        store.recount_if_outdated()?;
        store.seat_computers()?;
        store.remember_file()?;
        Ok(store)
    }
}
