//! Ends all boards of a player who signs off.

use pbmserv_games::{By, Ending, Outcome, Seat};

use crate::command::playing::ended::ended_after;
use crate::command::wording::news::News;
use crate::command::wording::sentence::Sentence;
use crate::command::{
    Addressee, Change, CompanyChange, Context, Decision, InternalError, Letter, Undecided, Weight,
};
use crate::store::BoardFilter;
use crate::table::{Board, End, Player};

/// The effect of a signoff on a player's boards.
pub(crate) struct Leave {
    pub(crate) changes: Vec<Change>,
    pub(crate) letters: Vec<Letter>,
    /// How many boards were resigned or removed, as part of a sentence.
    pub(crate) summary: String,
}

impl Leave {
    pub(crate) fn decision(self, player: &Player) -> Decision {
        Decision {
            changes: self.changes,
            letters: self.letters,
            proven: Some(player.id),
        }
    }
}

/// The boards that a player who leaves would end.
pub(crate) fn running(context: &Context<'_>, player: &Player) -> Result<Vec<Board>, InternalError> {
    Ok(context.store.boards(BoardFilter {
        player: Some(player.id),
        running: Some(true),
        limit: u32::MAX,
        ..BoardFilter::default()
    })?)
}

/// Whether a player who leaves resigns this board: both have moved. Otherwise it is removed.
pub(crate) fn would_resign(board: &Board) -> bool {
    Seat::BOTH.into_iter().all(|seat| board.has_moved(seat))
}

/// How a player leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leaving {
    /// The player can come back.
    SignsOff,
    /// The account is erased.
    Erases,
}

/// Ends all boards of a player, with letters to the opponents and the watchers.
pub(crate) fn leave(context: &Context<'_>, player: &Player, how: Leaving) -> Result<Leave, Undecided> {
    let erased = player.id.erased_userid();
    let (what, after) = match how {
        Leaving::SignsOff => ("signed off", String::new()),
        Leaving::Erases => (
            "left for good",
            format!(" From now on {} stands there as {erased}.", player.userid),
        ),
    };
    let (mut changes, mut letters) = (Vec::new(), Vec::new());
    let (mut resigned, mut removed) = (0, 0);
    for mut board in running(context, player)? {
        let Some(seat) = board.seat_of(player.id) else {
            continue;
        };
        let position = context.position(&board)?;
        if how == Leaving::Erases {
            board.players[seat.index()].userid.clone_from(&erased);
        }
        let (name, other) = (board.name(), seat.other());
        let (end, sentence) = if would_resign(&board) {
            let ending = Ending {
                outcome: Outcome::Won(other),
                by: By::Resignation,
            };
            resigned += 1;
            let told = Sentence::of(&board, |names| {
                let (leaver, won) = (&player.userid, names.won(other));
                format!("{leaver} has {what} and resigned {name}: {won}.{after}")
            });
            (End::Finished(ending), told)
        } else {
            removed += 1;
            (
                End::Removed(seat),
                format!("{} has {what}: {name} is removed.{after}", player.userid).into(),
            )
        };
        board.ended(end, context.now);
        let ended = ended_after(&changes, context.store, &board, context.now)?;
        let news = News {
            board: &board,
            position: &position,
            sentence: ended.with_ratings(sentence),
            comment: None,
        };
        let reader = board.at(other);
        // After what the message did before on this board.
        letters.push(Letter {
            weight: Some(Weight::Needed),
            ..news.to(context, Addressee::Player(reader.id), Some(reader))?
        });
        letters.extend(news.to_watchers(context)?);
        changes.extend(ended.changes(board));
    }
    changes.push(Change::Company(CompanyChange::LeaveAll {
        player: player.id,
        is_for_good: how == Leaving::Erases,
    }));
    let summary = match (resigned, removed) {
        (0, 0) => "no board was running".to_owned(),
        (_, 0) => format!("{} resigned", count(resigned)),
        (0, _) => format!("{} removed", count(removed)),
        _ => format!("{} resigned, and {} removed", count(resigned), count(removed)),
    };
    Ok(Leave {
        changes,
        letters,
        summary,
    })
}

fn count(boards: usize) -> String {
    match boards {
        1 => "one board is".to_owned(),
        many => format!("{many} boards are"),
    }
}
