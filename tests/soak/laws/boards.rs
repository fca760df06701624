//! What holds for every board that a step changes.

use pbmserv_games::Seat;

use super::table::planned;
use super::{Does, Step, Was, Why};
use crate::clock::Tick;
use crate::deed::{Act, What};
use crate::foreseen::{End, Stand};
use crate::mail::Way;
use crate::rows::Row;
use crate::view::{Board, COMPUTER, View};

pub(super) fn judge(view: &View, step: &Step<'_>) {
    let began = step.effect.changes.iter().filter(|change| change.begins());
    let old = view.boards.len() - began.count();
    for board in &view.boards[old..] {
        assert!(
            begins_rightly(view, step, board),
            "this board may not begin: {:?}",
            board.row
        );
        holds(view, board);
    }
    if let Why::Mail(letter, "done") = step.why
        && let (Way::Subject(_), [deed]) = (&letter.way, letter.deeds())
        && let What::Begin(_, userids) = &deed.what
    {
        let mut players = userids.iter().filter_map(|userid| view.account(userid));
        let is_own = players.any(|player| step.known == Some(player));
        assert!(
            !is_own || view.boards.len() == old + 1,
            "a challenge is done, and no board began"
        );
    }
    for (id, was) in &step.before {
        let board = &view.boards[*id];
        holds(view, board);
        may_change(view, step, *id, was);
        clock_goes_on(view, step, board, was);
        if matches!(step.why, Why::Due) {
            is_in_time(view, step, *id, was);
        }
    }
    // What could be done was done.
    for (id, table) in step
        .tables
        .iter()
        .filter(|(id, _)| step.is_sure && is_newest(view, step, **id))
    {
        let board = &view.boards[*id];
        let name = board.at.name();
        assert_eq!(board.progress.turns, table.turns, "{name}");
        assert_eq!(board.progress.end, table.end, "{name}");
        assert_eq!(board.row.text("submitted"), table.submitted.as_deref(), "{name}");
        assert_eq!(board.row.seat("plan_by"), table.queue_by(), "{name}");
    }
}

/// Whether a reply knows everything that has happened on a board.
fn is_newest(view: &View, step: &Step<'_>, id: usize) -> bool {
    let Some((_, shown)) = step.about() else {
        return true;
    };
    let row = step.row_before(view, id);
    let newest = ["position_event", "offer_event", "submitted_event"].map(|event| row.int(event));
    newest.into_iter().all(|newest| Some(shown) >= newest)
}

/// What holds for a board at any time: the columns follow from the turns and the end.
pub(crate) fn holds(view: &View, board: &Board) {
    let (row, name) = (&board.row, board.at.name());
    let words = ["result", "result_by"].map(|column| row.text(column).map(str::to_owned));
    let [result, by] = words;
    let stand = Stand {
        turns: row.int("turns").unwrap(),
        to_move: row.int("to_move"),
        end: result.zip(by),
    };
    let replayed = board.progress.stand();
    assert_eq!(
        (stand.turns, stand.to_move),
        (replayed.turns, replayed.to_move),
        "{name}"
    );
    assert_eq!(stand.end.is_some(), row.is_over(), "{name}");
    let by_rules = board.progress.end_by_rules();
    let is_by_rules = matches!(board.progress.end, Some(End::Finished(_, "rules")));
    assert!(!is_by_rules || by_rules == board.progress.end, "{name}: {row:?}");
    assert_eq!(by_rules.is_some(), is_by_rules, "{name}: {row:?}");
    let is_at_rest = row.is_over() || board.mover().is_some_and(|mover| view.is_timeless(mover));
    assert_eq!(
        ["clock_since", "due_at"].map(|column| !row.has(column)),
        [is_at_rest; 2],
        "{name}: {row:?}"
    );
    let is_bare = !row.has("plan") && !row.has("submitted") && board.warnings.is_empty();
    assert!(
        !row.is_over() || is_bare && board.watchers.is_empty(),
        "{name}: {row:?}"
    );
    assert!(
        !row.has("plan") || row.int("plan_by") != row.int("to_move"),
        "{name}: {row:?}"
    );
    let is_rematch = row
        .offer()
        .is_none_or(|(offer, _)| (offer == "rematch") == row.is_over());
    assert!(is_rematch, "{name}: {row:?}");
}

/// A board begins for the players whom a writer named who may, and who hear each other.
fn begins_rightly(view: &View, step: &Step<'_>, board: &Board) -> bool {
    let Board { at, players, row, .. } = board;
    let [first, second] = *players;
    let is_challenge = step.asks(|what| match what {
        What::Begin(game, userids) => {
            let named = userids
                .each_ref()
                .map(|userid| view.account(userid).unwrap_or(COMPUTER));
            *game == at.game && named == *players && (step.known.is_some() || !step.acting.is_empty())
        }
        _ => false,
    });
    let is_rematch = step.does.iter().any(|(old, does)| {
        let Does::Act(seat, Act::Rematch | Act::Accept) = does else {
            return false;
        };
        let is_offered = step.row_before(view, *old).offer() == Some(("rematch", seat.other()));
        let is_agreed = is_offered || players.contains(&COMPUTER);
        is_agreed && view.boards[*old].players == [second, first]
    });
    let mut people = players.iter().filter_map(|player| view.accounts.get(*player));
    // Who leaves in the same mail was there.
    let is_leaving = step.asks(|what| matches!(what, What::Leave));
    let mut earlier = view
        .boards
        .iter()
        .rev()
        .filter(|other| other.at.game == at.game && other.at.number < at.number);
    let is_next = earlier.next().map_or(101, |other| other.at.number + 1) == at.number;
    let is_fresh = row.int("started_at") == Some(view.now) && row.used() == [0, 0] && is_next;
    let is_rated = row.int("rated") == Some(1);
    (is_challenge || is_rematch)
        && is_fresh
        && first != second
        && people.all(|account| account.is_here() || is_leaving)
        && !view.blocks(first, second)
        && !view.blocks(second, first)
        && !(is_rated && players.contains(&COMPUTER))
}

/// Only who may change a board has changed it, and only as it may be.
fn may_change(view: &View, step: &Step<'_>, id: usize, was: &Was) {
    let board = &view.boards[id];
    let (row, before, name) = (&board.row, &was.row, board.at.name());
    let same = |columns: &[&str]| columns.iter().all(|column| row.0[column] == before.0[column]);
    assert!(
        same(&["game", "number", "options", "rules", "rated", "started_at"]),
        "{name}"
    );
    assert!(same(&["nag_days", "forfeit_days", "total_days"]), "{name}");
    let reseated = step.does.iter().find_map(|(_, does)| match does {
        Does::Reseats(from, to) => Some(
            before
                .players()
                .map(|player| if player == *from { *to } else { player }),
        ),
        _ => None,
    });
    assert_eq!(board.players, reseated.unwrap_or(before.players()), "{name}");
    let is_same = board.progress.turns == was.turns && row.end() == before.end();
    assert!(
        !before.is_over() || is_same && same(&["ended_at", "first_used", "second_used"]),
        "{name} was over"
    );
    // Of the commands that changed it some may have been refused, all together or as they stand there.
    let is_asked = step
        .tables
        .get(&id)
        .is_some_and(|table| board.progress.turns == table.turns && board.progress.end == table.end);
    let is_due = matches!(step.why, Why::Due) && row.end() != before.end();
    assert!(
        is_same || is_asked || is_due,
        "nobody has asked for it: {name} {row:?}"
    );
    let is_moved = board.progress.turns != was.turns;
    // A turn in answer to an older letter is not played.
    if let Some((at, shown)) = step.about()
        && step.asks(|what| matches!(what, What::On(_, Act::Turn(_))))
    {
        let is_newest = Some(shown) >= before.int("position_event");
        assert!(
            !is_moved || is_newest && at == board.at,
            "{name}: answers another letter"
        );
    }
    assert!(
        !is_moved || !row.has("offer") && !row.has("submitted"),
        "{name}: {row:?}"
    );
    let acts = |seat: Option<Seat>| {
        let mut does = step.does.iter().filter(|(on, _)| *on == id);
        does.any(|(_, does)| matches!(does, Does::Act(by, _) if Some(*by) == seat))
    };
    let is_new = |column| row.has(column) && row.0[column] != before.0[column];
    let is_offered = is_new("offer") || row.has("offer") && is_new("offer_by");
    assert!(
        !is_offered || acts(row.seat("offer_by")),
        "{name}: nobody has offered it: {row:?}"
    );
    assert!(
        !is_new("submitted") || acts(before.seat("to_move")),
        "{name}: nobody has submitted it: {row:?}"
    );
    // What is left of a plan was planned.
    let is_queued = !is_new("plan") || planned(before.text("plan")).ends_with(&planned(row.text("plan")));
    assert!(
        is_queued || acts(row.seat("plan_by")),
        "{name}: nobody has planned it: {row:?}"
    );
}

/// The time that a player has thought is counted once, for that player.
fn clock_goes_on(view: &View, step: &Step<'_>, board: &Board, was: &Was) {
    let (row, before) = (&board.row, &was.row);
    let then = match step.why {
        // A ruling may give time.
        Why::Operator(..) => return,
        Why::ClockSet(then) => *then,
        _ => view.now,
    };
    let (mut used, mut thinking) = (before.used(), before.thinking(then));
    if board.progress.turns != was.turns {
        used[before.seat("to_move").unwrap().index()] += thinking;
        thinking = 0;
    }
    // The last thinking of a board that ends without a turn is not stored.
    let is_kept = row.is_over() || row.thinking(view.now) == thinking;
    assert!(
        row.used() == used && is_kept,
        "{}: {row:?}, before {before:?}",
        board.at.name()
    );
}

/// A clock does what it has to do, and not before it has to.
fn is_in_time(view: &View, step: &Step<'_>, id: usize, was: &Was) {
    let board = &view.boards[id];
    let (row, name) = (&board.row, board.at.name());
    let tick = was.tick.filter(|(at, _)| *at <= view.now).map(|(_, tick)| tick);
    let does = |expected| assert_eq!(tick, Some(expected), "{name} at {}: {:?}", view.now, was.tick);
    if row.end() != was.row.end() {
        if step.tables.contains_key(&id) {
            return;
        }
        does(Tick::End);
        let loser = was.row.seat("to_move").unwrap();
        let has_moved = |seat| board.progress.has_moved(seat);
        let is_draw = was.row.offer() == Some(("draw", loser.other()));
        let end = match has_moved(loser) && has_moved(loser.other()) {
            false => End::Removed(loser),
            true => End::Finished((!is_draw).then_some(loser.other()), "forfeit"),
        };
        assert_eq!(board.progress.end, Some(end), "{name}");
        return;
    }
    if row.int("reminded") != was.row.int("reminded") {
        does(Tick::Remind);
        assert_eq!(row.int("reminded"), Some(was.row.thinking(view.now)), "{name}");
    }
    if board.warnings != was.warnings {
        does(Tick::Warn);
    }
}

/// Whether turns, end or players of a board are others than before, or it began.
pub(super) fn is_news(step: &Step<'_>, id: usize, now: &Board) -> bool {
    let of = |row: &Row| (row.end(), row.players());
    let was = step.before.get(&id);
    was.is_none_or(|was| was.turns != now.progress.turns || of(&was.row) != of(&now.row))
}
