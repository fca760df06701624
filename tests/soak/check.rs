//! What is checked besides the laws of a step: the answer to each mail, and from time to time the whole database.

use std::collections::BTreeMap;

use pbmserv_core::store::Reader;
use pbmserv_games::Outcome;
use rusqlite::Connection;

use crate::deed::name;
use crate::foreseen::ratings::{Finished, Ratings};
use crate::laws;
use crate::mail::{Answer, Letter, Way};
use crate::secrets;
use crate::soak::Soak;
use crate::view::{DAY, HOUR, place};
use crate::world::Taken;

/// The fewest answers a day after which none may come.
const FEWEST_ANSWERS: i64 = 30;

/// Every mail is answered, or there is a reason why it is not.
pub(crate) fn is_answered(soak: &Soak, letter: &Letter, taken: &Taken) {
    let is_for_nobody = matches!(letter.way, Way::Again | Way::Automatic | Way::Bounce(..));
    let letters = &taken.effect.letters;
    // A program has unsubscribed, or an address was confirmed to which mail fails.
    let is_word = |answer: &Answer| answer.deed.is_none() && answer.about.is_none();
    let is_for_nobody = is_for_nobody || letter.answer().is_some_and(is_word);
    if is_for_nobody
        || letters
            .iter()
            .any(|letter| letter.is_answer || letter.kind == "question")
    {
        return;
    }
    let day = soak.view.now / DAY;
    let sql = "SELECT COALESCE(MAX(count), 0) FROM tallies WHERE day = ?1 AND key LIKE '%' || ?2 || '%'";
    let mut statement = soak.world.look.prepare_cached(sql).unwrap();
    let count: i64 = statement
        .query_row((day, &letter.from), |row| row.get(0))
        .unwrap();
    // One letter a day says that a token is dead.
    let sql = "SELECT COUNT(*) FROM outbox WHERE kind = 'dead' AND recipient_key = ?1 AND created_at > ?2";
    let mut statement = soak.world.look.prepare_cached(sql).unwrap();
    let dead: i64 = statement
        .query_row((&letter.from, soak.view.now - DAY), |row| row.get(0))
        .unwrap();
    let is_to_token = letter.answer().is_some();
    let is_known = soak.view.known(&letter.from).is_some();
    let may_be_silent = count >= FEWEST_ANSWERS || is_to_token && (dead > 0 || !is_known);
    assert!(may_be_silent, "no answer to {letter:?}, which is {}", taken.fate);
}

/// Whether wrong passwords were tried for a writer of this mail lately, so that the right one may be refused.
pub(crate) fn is_guessed(soak: &Soak, letter: &Letter) -> bool {
    let sql = "SELECT COUNT(*) FROM guesses WHERE player = ?1 AND at > ?2";
    let mut statement = soak.world.look.prepare_cached(sql).unwrap();
    letter.deeds().iter().any(|deed| {
        let who = deed.who.as_ref().and_then(|who| soak.view.account(&who.userid));
        who.is_some_and(|who| {
            let since = soak.view.now - HOUR;
            let count: i64 = statement
                .query_row((i64::try_from(who + 1).unwrap(), since), |row| row.get(0))
                .unwrap();
            count > 0
        })
    })
}

/// One number from the database.
fn count(look: &Connection, sql: &str) -> i64 {
    look.query_row(sql, [], |row| row.get(0)).unwrap()
}

/// Texts are deleted after their retention.
pub(crate) fn forgotten(soak: &Soak) {
    let (look, now) = (&soak.world.look, soak.view.now);
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

/// The finished games are counted, each once, and the ratings follow from them in the order in which the server
/// counted: some end at the same time.
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
    let mut left: BTreeMap<usize, Outcome> = (soak.view.boards.iter().enumerate())
        .filter(|(_, board)| board.row.int("rated") == Some(1))
        .filter_map(|(id, board)| Some((id, board.progress.end?.outcome()?)))
        .collect();
    let mut ratings = Ratings::<i64>::none();
    for (id, at, joined) in counted {
        let outcome = left.remove(&place(id));
        let outcome =
            outcome.unwrap_or_else(|| panic!("board {id} is counted twice, or is none that counts"));
        let board = &soak.view.boards[place(id)];
        let players = ["first_player", "second_player"].map(|player| board.row.int(player).unwrap());
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

/// The complete check: every row as the changes told it, every board, the whole file, the ratings from the first game on, every
/// secret.
pub(crate) fn all(soak: &Soak) {
    forgotten(soak);
    ratings(soak);
    let reader = Reader::open(soak.world.database()).unwrap();
    assert_eq!(reader.faults().unwrap(), Vec::<String>::new());
    let sql =
        "SELECT board || ' ' || ordinal || ' ' || seat || ' ' || turn FROM turns ORDER BY board, ordinal";
    let boards = soak.view.boards.iter().enumerate();
    let turns = boards.flat_map(|(id, board)| {
        let rows = board.progress.rows().into_iter();
        rows.map(move |(ordinal, seat, turn)| format!("{} {ordinal} {seat} {turn}", id + 1))
    });
    assert_eq!(lines(&soak.world.look, sql), turns.collect::<Vec<_>>());
    let running = soak.view.boards.iter().filter(|board| !board.row.is_over());
    running.for_each(|board| laws::holds(&soak.view, board));
    secrets::no_secret(soak);
}
