//! The games of leagues, cups and ladders: how a board of one begins, and what becomes of the boards of who leaves.

use chrono::{DateTime, Utc};
use pbmserv_games::{By, Ending, Outcome, Seat};

use crate::command::playing::beginning::begin;
use crate::command::playing::ended::ended_after;
use crate::command::wording::news::News;
use crate::command::{Change, CompanyChange, Context, Decision, InternalError, Letter};
use crate::seasons::{Format, Table};
use crate::store::{FullContest, PairingRow};
use crate::table::{Board, End, Player, Position, Unreplayable};

/// The board of a game of a contest, and its position; `None`: the account of a player is erased.
pub(crate) fn game_of(
    context: &Context<'_>,
    contest: &FullContest,
    game: &PairingRow,
) -> Result<Option<(Board, Position)>, InternalError> {
    let Some(second) = game.pairing.second else {
        return Ok(None);
    };
    let player = |entrant: usize| context.store.player_by_id(contest.entrants[entrant].player);
    let (Some(first), Some(second)) = (player(game.pairing.first)?, player(second)?) else {
        return Ok(None);
    };
    let new = &contest.row.new;
    let start = new.game.start(&new.options).map_err(|refusal| {
        InternalError::Unreplayable(Unreplayable {
            board: contest.row.name(),
            ordinal: 0,
            refusal,
        })
    })?;
    let terms = (new.options.clone(), new.terms);
    begin(context, new.game, start, terms, [&first, &second]).map(Some)
}

/// A game of a contest begins. The letters follow once all games of the round have begun.
pub(crate) fn game_begins(
    context: &Context<'_>,
    contest: &FullContest,
    game: &PairingRow,
) -> Result<Decision, InternalError> {
    let Some((board, _)) = game_of(context, contest, game)? else {
        return Ok(Decision::nothing());
    };
    Ok(Decision {
        changes: vec![Change::Company(CompanyChange::BeginPairing {
            pairing: game.id,
            board: Box::new(board),
        })],
        ..Decision::default()
    })
}

/// Whether all games of an entrant who leaves now are annulled, by the arithmetic of the tables.
#[must_use]
pub fn is_annulled(contest: &FullContest, entrant: usize, now: DateTime<Utc>) -> bool {
    let mut facts = contest.facts();
    if let Some(leaver) = facts.entrants.get_mut(entrant) {
        leaver.left_at = Some(now);
    }
    let is_all_play_all = |table: &Table| facts.format == Format::League || table.group > 0;
    let tables = facts.tables();
    let mut rows = tables
        .iter()
        .filter(|table| is_all_play_all(table))
        .flat_map(|table| &table.rows);
    rows.any(|row| row.entrant == entrant && row.place.is_none())
}

/// A player leaves a contest that has begun: all of their boards there that run are over. Before half of the games of a division
/// or a group are over these count for nobody; otherwise they are lost.
pub(crate) fn withdrawn(
    context: &Context<'_>,
    contest: &FullContest,
    player: &Player,
) -> Result<(Vec<Change>, Vec<Letter>), InternalError> {
    let (mut changes, mut letters) = (Vec::new(), Vec::new());
    let Some(entrant) = contest.place_of(player.id) else {
        return Ok((changes, letters));
    };
    let is_annulled = is_annulled(contest, entrant, context.now);
    let running = contest
        .games_of(entrant)
        .filter_map(|row| row.board)
        .filter(|board| !board.is_over);
    for paired in running {
        let Some(mut board) = context.store.board_by_id(paired.id)? else {
            continue;
        };
        let Some(seat) = board.seat_of(player.id).filter(|_| board.end.is_none()) else {
            continue;
        };
        let position = context.position(&board)?;
        let (name, userid, what) = (board.name(), &player.userid, contest.row.name());
        let have_moved = Seat::BOTH.into_iter().all(|seat| board.has_moved(seat));
        let (end, sentence) = match (is_annulled, have_moved) {
            (true, _) => (
                End::Void,
                format!("{userid} has left {what} early: {name} counts for nobody."),
            ),
            (false, true) => (
                End::Finished(Ending {
                    outcome: Outcome::Won(seat.other()),
                    by: By::Resignation,
                }),
                format!(
                    "{userid} has left {what} and resigned {name}: {} has won.",
                    board.at(seat.other()).userid
                ),
            ),
            (false, false) => (
                End::Removed(seat),
                format!("{userid} has left {what}: {name} is removed."),
            ),
        };
        board.ended(end, context.now);
        let ended = ended_after(&changes, context.store, &board, context.now)?;
        let news = News {
            board: &board,
            position: &position,
            sentence: ended.with_ratings(sentence.into()),
            comment: None,
        };
        letters.extend(news.to_all(context, Some(player.id))?);
        changes.extend(ended.changes(board));
    }
    changes.push(Change::Company(CompanyChange::LeaveContest {
        contest: contest.row.id,
        player: player.id,
    }));
    // Who leaves gets one answer, not a letter a board.
    letters.retain(|letter| !letter.is_answer);
    Ok((changes, letters))
}
