//! What holds for every board that a step changes.

use pbmserv_games::Seat;

use super::{Does, Step, Was, Why};
use crate::clock::Tick;
use crate::deed::{Act, What};
use crate::foreseen::{End, Stand};
use crate::mail::{Reply, Way};
use crate::view::{Board, COMPUTER, View};

pub(super) fn judge(view: &View, step: &Step<'_>) {
    let began = view.boards.len() - began(step);
    for id in began..view.boards.len() {
        assert!(
            begins_rightly(view, step, id),
            "this board may not begin: {:?}",
            view.boards[id].row
        );
        holds(view, &view.boards[id]);
    }
    if let Why::Mail(letter, "done") = step.why
        && let Way::Subject(deed) = &letter.way
        && let What::Begin(_, players) = &deed.what
        && let Some(writer) = step.known
        && players.iter().any(|userid| view.account(userid) == Some(writer))
    {
        assert_eq!(
            began + 1,
            view.boards.len(),
            "a challenge is done, and no board began"
        );
    }
    for (id, was) in &step.before {
        let board = &view.boards[*id];
        holds(view, board);
        may_change(view, step, *id, was);
        clock_goes_on(view, step, *id, was);
        if matches!(step.why, Why::Due) {
            is_in_time(view, step, *id, was);
        }
    }
    // What could be done was done.
    for (id, table) in &step.tables {
        let board = &view.boards[*id];
        if step.is_sure && is_newest(view, step, *id) {
            let name = board.at.name();
            assert_eq!(board.progress.turns, table.turns, "{name}");
            assert_eq!(board.progress.end, table.end, "{name}");
            assert_eq!(board.row.submitted, table.submitted, "{name}");
            if !matches!(step.does.first(), Some((_, Does::Reseats(..)))) {
                assert_eq!(board.row.queue_by(), table.queue_by(), "{name}");
            }
        }
    }
}

/// How many boards began.
fn began(step: &Step<'_>) -> usize {
    let changes = step.effect.changes.iter();
    changes
        .filter(|change| change.table == "boards" && change.old.is_none())
        .count()
}

/// Whether a reply knows everything that has happened on a board.
fn is_newest(view: &View, step: &Step<'_>, id: usize) -> bool {
    let Some(Way::Answer { shown, .. }) = step.letter().map(|letter| &letter.way) else {
        return true;
    };
    let row = step.before.get(&id).map_or(&view.boards[id].row, |was| &was.row);
    let newest = row.position_event.max(row.offer_event).max(row.submitted_event);
    shown.is_some_and(|shown| shown >= newest)
}

/// What holds for a board at any time: the columns follow from the turns and the end.
pub(crate) fn holds(view: &View, board: &Board) {
    let (row, name) = (&board.row, board.at.name());
    let stand = Stand {
        turns: i64::try_from(row.turns).unwrap(),
        to_move: row.to_move.map(|seat| i64::try_from(seat).unwrap()),
        end: row
            .result
            .clone()
            .zip(row.result_by.clone())
            .filter(|(result, _)| result != "removed" && result != "void"),
    };
    let mut replayed = board.progress.stand();
    replayed.end = replayed
        .end
        .filter(|(result, _)| result != "removed" && result != "void");
    assert_eq!(stand, replayed, "{name}");
    let by_rules = board.progress.end_by_rules();
    let is_by_rules = matches!(board.progress.end, Some(End::Finished(_, "rules")));
    assert_eq!(by_rules.is_some(), is_by_rules, "{name}: {row:?}");
    assert!(!is_by_rules || by_rules == board.progress.end, "{name}: {row:?}");
    assert_eq!(row.is_over(), row.result.is_some(), "{name}: {row:?}");
    let is_at_rest = row.is_over() || board.mover().is_some_and(|mover| view.is_timeless(mover));
    assert_eq!(row.clock_since.is_none(), is_at_rest, "{name}: {row:?}");
    assert_eq!(row.due_at.is_none(), is_at_rest, "{name}: {row:?}");
    if row.is_over() {
        assert!(row.queue.is_none() && row.submitted.is_none(), "{name}: {row:?}");
        assert!(
            board.warnings.is_empty() && board.watchers.is_empty(),
            "{name}: {row:?}"
        );
    }
    assert!(
        row.queue_by.is_none() || row.queue_by != row.to_move,
        "{name}: {row:?}"
    );
    assert!(
        row.offer
            .as_deref()
            .is_none_or(|offer| (offer == "rematch") == row.is_over()),
        "{name}: {row:?}"
    );
}

/// A board begins for the players whom a writer named who may, and who hear each other.
fn begins_rightly(view: &View, step: &Step<'_>, id: usize) -> bool {
    let Board { at, players, row, .. } = &view.boards[id];
    let is_writer = |player: &usize| step.acting.contains(player) || step.known == Some(*player);
    let is_challenge = step.asks(|what| match what {
        What::Begin(game, userids) => {
            let named = userids.each_ref().map(|userid| match userid.starts_with("bot-") {
                true => COMPUTER,
                false => view.account(userid).unwrap_or(COMPUTER),
            });
            *game == at.game && named == *players && (step.known.is_some() || !step.acting.is_empty())
        }
        _ => false,
    });
    let is_rematch = step.does.iter().any(|(old, does)| {
        let [first, second] = view.boards[*old].players;
        let seat = match does {
            Does::Act(seat, Act::Rematch | Act::Accept) => *seat,
            _ => return false,
        };
        let offered = step
            .before
            .get(old)
            .map_or(&view.boards[*old].row, |was| &was.row)
            .offer();
        let is_agreed = offered == Some(("rematch", seat.other())) || players.contains(&COMPUTER);
        is_agreed && *players == [second, first] && players.iter().any(is_writer)
    });
    let is_fit = players
        .iter()
        .filter(|player| **player != COMPUTER)
        .all(|player| {
            let account = &view.accounts[*player];
            !account.is_away() && !account.is_disabled() && !account.reached_at().is_empty()
        });
    let [first, second] = *players;
    let is_number = view.boards[..id]
        .iter()
        .rev()
        .find(|board| board.at.game == at.game);
    let is_number = is_number.map_or(101, |board| board.at.number + 1) == at.number;
    let is_fresh = row.started_at == view.now && row.turns == 0 && row.used() == [0, 0];
    (is_challenge || is_rematch)
        && is_fit
        && is_fresh
        && is_number
        && first != second
        && !view.blocks(first, second)
        && !view.blocks(second, first)
        && !(row.rated == 1 && players.contains(&COMPUTER))
}

/// Only who may change a board has changed it, and only as it may be.
fn may_change(view: &View, step: &Step<'_>, id: usize, was: &Was) {
    let board = &view.boards[id];
    let (row, before, name) = (&board.row, &was.row, board.at.name());
    let fixed = |row: &crate::view::Row| {
        let terms = (
            row.rated,
            row.nag_days,
            row.forfeit_days,
            row.total_days,
            row.started_at,
        );
        (row.game.clone(), row.number, row.options.clone(), terms)
    };
    assert_eq!(fixed(row), fixed(before), "{name}");
    let reseats = step.does.iter().find_map(|(_, does)| match does {
        Does::Reseats(from, to) => Some(
            before
                .players()
                .map(|player| if player == *from { *to } else { player }),
        ),
        _ => None,
    });
    assert_eq!(board.players, reseats.unwrap_or(before.players()), "{name}");
    if before.is_over() {
        let again = crate::view::Row {
            offer: before.offer.clone(),
            offer_by: before.offer_by,
            offer_event: before.offer_event,
            ..row.clone()
        };
        assert_eq!(&again, before, "a board that is over has changed");
    }
    // Of the commands that changed it some may have been refused, all together or as they stand there.
    let is_same = board.progress.turns == was.turns && row.end() == before.end();
    let is_due = matches!(step.why, Why::Due) && row.end() != before.end();
    let is_asked = step
        .tables
        .get(&id)
        .is_some_and(|table| board.progress.turns == table.turns && board.progress.end == table.end);
    assert!(
        is_same || is_asked || is_due,
        "nobody has asked for it: {name} {row:?}"
    );
    if board.progress.turns != was.turns {
        assert!(row.offer.is_none() && row.submitted.is_none(), "{name}: {row:?}");
    }
    let does = |seat: Seat| {
        let player = board.players[seat.index()];
        step.does
            .iter()
            .any(|(on, does)| *on == id && matches!(does, Does::Act(by, _) if *by == seat))
            && step.acting.contains(&player)
    };
    if row.offer() != before.offer()
        && let Some((_, by)) = row.offer()
    {
        assert!(does(by), "{name}: {by:?} has offered nothing");
    }
    let is_rest = |old: &str, new: &str| old.ends_with(new);
    if let (Some(queue), Some(by)) = (&row.queue, row.queue_by())
        && !before.queue.as_ref().is_some_and(|old| is_rest(old, queue))
    {
        assert!(does(by), "{name}: {by:?} has queued nothing");
    }
    if row.submitted != before.submitted && row.submitted.is_some() {
        assert!(does(before.to_move().unwrap()), "{name}: nothing was submitted");
    }
    // A reply is judged on its board, and by its player's seat.
    if let Some(Way::Answer { at, by, .. }) = step.letter().map(|letter| &letter.way)
        && (!is_same || row.offer != before.offer)
    {
        assert_eq!(*at, board.at, "a reply changed another board");
        assert!(matches!(by, Reply::Token(_) | Reply::MessageId(_)));
    }
}

/// The time that a player has thought is counted once, for that player.
fn clock_goes_on(view: &View, step: &Step<'_>, id: usize, was: &Was) {
    let board = &view.boards[id];
    let (row, before, name) = (&board.row, &was.row, board.at.name());
    let then = match step.why {
        // A ruling may give time.
        Why::Operator(..) => return,
        Why::ClockSet(then) => *then,
        _ => view.now,
    };
    let (mut used, mut thinking) = (before.used(), before.thinking(then));
    if board.progress.turns != was.turns {
        used[before.to_move().unwrap().index()] += thinking;
        thinking = 0;
    }
    // The last thinking of a board that ends without a turn is not stored.
    let is_kept = row.is_over() || row.thinking(view.now) == thinking;
    assert!(
        row.used() == used && is_kept,
        "{name}: {row:?}, before {before:?}"
    );
}

/// A clock does what it has to do, and not before it has to.
fn is_in_time(view: &View, step: &Step<'_>, id: usize, was: &Was) {
    let board = &view.boards[id];
    let name = board.at.name();
    let tick = was.tick.filter(|(at, _)| *at <= view.now).map(|(_, tick)| tick);
    if board.row.end() != was.row.end() && !step.tables.contains_key(&id) {
        assert_eq!(
            tick,
            Some(Tick::End),
            "{name} ends at {}: {:?}",
            view.now,
            was.tick
        );
        let (loser, offer) = (was.row.to_move().unwrap(), was.row.offer());
        let has_moved = |seat: Seat| was.turns.iter().any(|(by, _)| *by == seat);
        let end = match has_moved(loser) && has_moved(loser.other()) {
            false => End::Removed,
            true if offer == Some(("draw", loser.other())) => End::Finished(None, "forfeit"),
            true => End::Finished(Some(loser.other()), "forfeit"),
        };
        assert_eq!(board.progress.end, Some(end), "{name}");
        return;
    }
    if board.row.reminded != was.row.reminded {
        assert_eq!(tick, Some(Tick::Remind), "{name} at {}: {:?}", view.now, was.tick);
        assert_eq!(board.row.reminded, Some(was.row.thinking(view.now)), "{name}");
    }
    if board.warnings != was.warnings && !board.row.is_over() {
        assert_eq!(tick, Some(Tick::Warn), "{name} at {}: {:?}", view.now, was.tick);
    }
}
