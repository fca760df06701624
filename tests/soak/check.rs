//! Comparison of the server with the model, and the invariants of the database.

use std::collections::BTreeMap;

use pbmserv_core::store::{Reader, Store};
use pbmserv_games::{Outcome, Seat};
use rusqlite::Connection;

use crate::deed::name;
use crate::foreseen::ratings::{Finished, Ratings};
use crate::mail::Letter;
use crate::model::boards::Offer;
use crate::model::computers::COMPUTER;
use crate::model::{Board, DAY, Expected, place};
use crate::soak::Soak;
use crate::world::{Row, Taken};
use crate::{interests, secrets};

/// Letters in comparable form.
type Rows = Vec<(String, &'static str, bool)>;

/// The letters written must be the expected ones.
pub(crate) fn rows(foreseen: &Rows, written: &[Row], context: &str) {
    let mut counts: BTreeMap<(&str, &str, bool), i32> = BTreeMap::new();
    for (to, kind, is_answer) in foreseen {
        *counts.entry((to, kind, *is_answer)).or_default() += 1;
    }
    for row in written {
        *counts.entry((&row.to, &row.kind, row.is_answer)).or_default() -= 1;
    }
    counts.retain(|_, count| *count != 0);
    if !counts.is_empty() {
        let texts: Vec<_> = written
            .iter()
            .map(|row| format!("{} {}: {:.300}", row.to, row.kind, row.text))
            .collect();
        panic!(
            "{context}\nletters missing (> 0) or too many (< 0): {counts:#?}\nwritten:\n{}",
            texts.join("\n")
        );
    }
}

/// Whether a text contains the words of a mark, between stars, in this order.
pub(crate) fn bears(text: &str, mark: &str) -> bool {
    let mut rest = text;
    mark.split('*').map(str::trim).all(|part| match rest.find(part) {
        Some(at) => {
            rest = &rest[at + part.len()..];
            true
        }
        None => false,
    })
}

/// The outcome of a mail must be the expected one.
pub(crate) fn mail(letter: &Letter, expected: &Expected, taken: &Taken) {
    let context = format!("{letter:?}\n{expected:?}");
    rows(&expected.rows, &taken.rows, &context);
    let answers: Vec<&Row> = taken.rows.iter().filter(|row| row.is_answer).collect();
    let texts = || {
        answers
            .iter()
            .map(|row| format!("{}: {}", row.kind, row.text))
            .collect::<Vec<_>>()
            .join("\n")
    };
    assert_eq!(taken.fate, expected.fate, "{context}\n{}", texts());
    if answers.is_empty() {
        return;
    }
    let marks: Vec<&str> = expected
        .commands
        .iter()
        .map(|(_, _, mark)| mark.as_str())
        .collect();
    let is_transcript = answers.iter().any(|row| row.kind == "transcript");
    let is_told = match is_transcript {
        true => answers
            .iter()
            .any(|row| row.kind == "transcript" && bears(&row.text, &marks.join("*"))),
        false => answers
            .iter()
            .all(|row| marks.iter().all(|mark| bears(&row.text, mark))),
    };
    assert!(is_told, "{context}\n{}", texts());
}

/// One number from the database.
fn count(look: &Connection, sql: &str) -> i64 {
    look.query_row(sql, [], |row| row.get(0)).unwrap()
}

/// Texts are deleted after their retention.
pub(crate) fn forgotten(soak: &Soak) {
    let (look, now) = (&soak.world.look, soak.model.now);
    let old = now - 90 * DAY;
    for sql in [
        format!("SELECT COUNT(*) FROM inbox WHERE received_at < {old} AND (commands <> '' OR header_from IS NOT NULL)"),
        format!("SELECT COUNT(*) FROM outbox WHERE created_at < {old} AND letter IS NOT NULL"),
        format!("SELECT COUNT(*) FROM tallies WHERE day < {}", now / DAY),
        "SELECT COUNT(*) FROM begun".to_owned(),
        "SELECT COUNT(*) FROM warnings WHERE board IN (SELECT id FROM boards WHERE ended_at IS NOT NULL)".to_owned(),
        "SELECT COUNT(*) FROM watched_boards WHERE board IN (SELECT id FROM boards WHERE ended_at IS NOT NULL)".to_owned(),
        "SELECT COUNT(*) FROM digest_news WHERE player NOT IN (SELECT player FROM digests)".to_owned(),
        "SELECT COUNT(*) FROM inbox WHERE state = 'failed'".to_owned(),
        "SELECT COUNT(*) FROM outbox WHERE state = 'failed' AND last_error NOT LIKE 'bounced%'".to_owned(),
    ] {
        assert_eq!(count(look, &sql), 0, "{sql}");
    }
}

/// The rows of a query as text.
pub(crate) fn lines(look: &Connection, sql: &str) -> Vec<String> {
    let mut statement = look.prepare_cached(sql).unwrap();
    let found = statement.query_map([], |row| row.get(0)).unwrap();
    found.collect::<Result<_, _>>().unwrap()
}

/// The stored rows must be the expected ones, in any order.
pub(crate) fn same(what: &str, mut stored: Vec<String>, mut foreseen: Vec<String>) {
    stored.sort();
    foreseen.sort();
    if stored != foreseen {
        let missing: Vec<_> = foreseen
            .iter()
            .filter(|line| !stored.contains(line))
            .take(10)
            .collect();
        let surplus: Vec<_> = stored
            .iter()
            .filter(|line| !foreseen.contains(line))
            .take(10)
            .collect();
        panic!("{what}: foreseen and not stored: {missing:#?}, stored and not foreseen: {surplus:#?}");
    }
}

/// The stored boards and accounts agree with the model.
pub(crate) fn compare(soak: &Soak) {
    let (look, model) = (&soak.world.look, &soak.model);
    let seat = |seat: Option<Seat>| seat.map_or_else(|| "-".to_owned(), |seat| seat.index().to_string());
    let stored = lines(
        look,
        "SELECT id || ' ' || game || ' ' || number || ' ' || options || ' ' || first_player || ' ' || second_player || ' ' || rated \
         || ' ' || turns || ' ' || COALESCE(to_move, '-') || ' ' || COALESCE(result, '-') || ' ' || COALESCE(result_by, '-') \
         || ' ' || COALESCE(offer, '-') || ' ' || COALESCE(offer_by, '-') || ' ' || COALESCE(queue_by, '-') \
         || ' ' || COALESCE(submitted, '-') || ' ' || first_used || ' ' || second_used FROM boards",
    );
    let player = |player: usize| match player {
        COMPUTER => "-1".to_owned(),
        player => (player + 1).to_string(),
    };
    let board = |(id, board): (usize, &Board)| {
        let (offer, offer_by) = match board.offer {
            None => ("-", None),
            Some((Offer::Draw, by)) => ("draw", Some(by)),
            Some((Offer::Undo, by)) => ("undo", Some(by)),
            Some((Offer::Rematch, by)) => ("rematch", Some(by)),
        };
        format!(
            "{} {} {} {} {} {} {} {} {offer} {} {} {} {} {}",
            id + 1,
            name(board.at.game),
            board.at.number,
            board.options,
            player(board.players[0]),
            player(board.players[1]),
            u8::from(board.rated),
            board.progress.stand(),
            seat(offer_by),
            seat(board.queue.as_ref().map(|(by, _)| *by)),
            board.submitted.as_deref().unwrap_or("-"),
            board.clock.used[0],
            board.clock.used[1],
        )
    };
    same(
        "boards",
        stored,
        model.boards.iter().enumerate().map(board).collect(),
    );
    due_in_time(soak);
    ratings(soak);
    let stored = lines(
        look,
        "SELECT players.id || ' ' || userid || ' ' || (away_since IS NOT NULL) || ' ' || (disabled_at IS NOT NULL) \
         || ' ' || COALESCE((SELECT GROUP_CONCAT(address || ':' || (confirmed_at IS NOT NULL) || replaced || failed_days, ' ') \
         FROM (SELECT * FROM addresses WHERE player = players.id ORDER BY id)), '') FROM players WHERE id > 0",
    );
    let account = |(id, account): (usize, &crate::model::Account)| {
        let own = account.addresses.iter().map(|own| {
            format!(
                "{}:{}{}{}",
                own.text,
                u8::from(own.confirmed),
                u8::from(own.replaced),
                own.failed_days
            )
        });
        let erased = format!("deleted-{}", id + 1);
        let userid = if account.deleted { &erased } else { &account.userid };
        let (away, disabled) = (u8::from(account.away), u8::from(account.disabled));
        format!(
            "{} {userid} {away} {disabled} {}",
            id + 1,
            own.collect::<Vec<_>>().join(" ")
        )
    };
    same(
        "accounts",
        stored,
        model.accounts.iter().enumerate().map(account).collect(),
    );
    interests::same_interests(soak);
}

/// The finished games are counted, each once, and the ratings follow from them in the order in which the server
/// counted: the model does not know the order of games that end at the same time.
fn ratings(soak: &Soak) {
    let joined = |seat| format!("(SELECT created_at FROM players WHERE id = b.{seat}_player AND id > 0)");
    let sql = format!(
        "SELECT r.board, b.ended_at, {}, {} FROM rated r JOIN boards b ON b.id = r.board ORDER BY r.ordinal",
        joined("first"),
        joined("second")
    );
    let mut statement = soak.world.look.prepare_cached(&sql).unwrap();
    let counted = statement.query_map([], |row| {
        Ok((row.get(0)?, row.get(1)?, [row.get(2)?, row.get(3)?]))
    });
    let counted: Vec<(i64, i64, [Option<i64>; 2])> = counted.unwrap().collect::<Result<_, _>>().unwrap();
    let mut left: BTreeMap<usize, Outcome> = (soak.model.boards.iter().enumerate())
        .filter(|(_, board)| board.rated)
        .filter_map(|(id, board)| Some((id, board.end()?.outcome()?)))
        .collect();
    let mut ratings = Ratings::<i64>::none();
    for (id, at, joined) in counted {
        let outcome = left.remove(&place(id));
        let outcome =
            outcome.unwrap_or_else(|| panic!("board {id} is counted twice, or is none that counts"));
        let board = &soak.model.boards[place(id)];
        let players = board.players.map(|player| i64::try_from(player + 1).unwrap());
        let finished = Finished {
            players,
            joined,
            turns: board.progress.turns.len(),
            outcome,
            at,
        };
        ratings.count(name(board.at.game), finished);
    }
    assert!(left.is_empty(), "not counted: {left:?}");
    assert_eq!(ratings.difference(&soak.world.look, "id").unwrap(), None);
}

/// Every running clock has a stored time for its next event, and no other has.
fn due_in_time(soak: &Soak) {
    let model = &soak.model;
    let mut statement = soak
        .world
        .look
        .prepare_cached("SELECT due_at FROM boards ORDER BY id")
        .unwrap();
    let stored = statement.query_map([], |row| row.get(0)).unwrap();
    for (board, due) in model.boards.iter().zip(stored) {
        let due: Option<i64> = due.unwrap();
        let next = board
            .to_move()
            .and_then(|seat| board.clock.next(seat, model.steady_since, model.now));
        let is_right = match (due, next) {
            (Some(due), Some((at, _))) => due <= at,
            (None, None) => true,
            _ => false,
        };
        assert!(
            is_right,
            "{} is due at {due:?}, and has {next:?} to do",
            board.at.name()
        );
    }
}

/// The complete check: every turn, the whole file, the ratings from the first game on, every secret.
pub(crate) fn all(soak: &Soak) {
    compare(soak);
    forgotten(soak);
    let reader = Reader::open(soak.world.database()).unwrap();
    assert_eq!(reader.faults().unwrap(), Vec::<String>::new());
    let stored = lines(
        &soak.world.look,
        "SELECT board || ' ' || ordinal || ' ' || seat || ' ' || turn FROM turns",
    );
    let turns = soak.model.boards.iter().enumerate().flat_map(|(id, board)| {
        let rows = board.progress.rows().into_iter();
        rows.map(move |(ordinal, seat, turn)| format!("{} {ordinal} {seat} {turn}", id + 1))
    });
    same("turns", stored, turns.collect());
    for (id, board) in soak
        .model
        .boards
        .iter()
        .enumerate()
        .filter(|(_, board)| board.end().is_none())
    {
        let id = pbmserv_core::table::BoardId(i64::try_from(id + 1).unwrap());
        let stored = reader.board_by_id(id).unwrap().unwrap();
        let replayed = stored.replay(reader.turns(id).unwrap(), usize::MAX).unwrap();
        let draw = |game: &dyn pbmserv_games::Match| game.draw(pbmserv_games::Display::Large);
        assert_eq!(
            draw(replayed.game.as_ref()),
            draw(board.progress.position.as_ref()),
            "{}",
            board.at.name()
        );
    }
    recount(soak, &reader);
    secrets::no_secret(soak);
    let faults = soak.world.post.faults.lock().unwrap();
    assert!(faults.is_empty(), "{faults:#?}");
}

/// The ratings follow from the finished games.
fn recount(soak: &Soak, reader: &Reader) {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("copy.sqlite");
    reader.copy_to(&copy, &mut |_| ()).unwrap();
    let store = Store::open(&copy).unwrap();
    store.recount_ratings().unwrap();
    drop(store);
    let sql = "SELECT player || ' ' || game || ' ' || rating || ' ' || deviation || ' ' || volatility || ' ' || won || ' ' || lost \
               || ' ' || drawn || ' ' || rated_at FROM ratings";
    let recounted = lines(&Connection::open(&copy).unwrap(), sql);
    same("ratings", lines(&soak.world.look, sql), recounted);
}
