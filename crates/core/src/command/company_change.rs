//! What changes in leagues, ladders and cups.

use chrono::{DateTime, Utc};
use pbmserv_games::Game;

use crate::store::{NewContest, TableRuling};
use crate::table::{Board, PlayerId};

/// One change of a league, a ladder or a cup.
#[expect(missing_docs, reason = "the fields say by their names what they hold")]
#[derive(Debug)]
pub enum CompanyChange {
    JoinLeague {
        player: PlayerId,
        game: &'static Game,
        /// When the next season begins, if nobody was in the league before.
        next: DateTime<Utc>,
    },
    /// From the next season on.
    LeaveLeague {
        player: PlayerId,
        game: &'static Game,
    },
    JoinLadder {
        player: PlayerId,
        game: &'static Game,
    },
    LeaveLadder {
        player: PlayerId,
        game: &'static Game,
    },
    /// The second player has challenged the first.
    BeginLadderBoard(Box<Board>),
    NewCup(Box<NewContest>),
    JoinCup {
        contest: i64,
        player: PlayerId,
    },
    InviteToCup {
        contest: i64,
        player: PlayerId,
    },
    LeaveContest {
        contest: i64,
        player: PlayerId,
    },
    /// A player leaves everything that is not over; the ladders only for good.
    LeaveAll {
        player: PlayerId,
        is_for_good: bool,
    },
    BeginPairing {
        pairing: i64,
        board: Box<Board>,
    },
    /// Something in a contest is over.
    LookAt(i64),
    EndContest(i64),
    /// `None`: the pairing counts as its board ended.
    Rule {
        pairing: i64,
        ruling: Option<TableRuling>,
    },
}
