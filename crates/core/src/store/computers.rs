//! What computers are asked for, and what became of it: boards that wait for their turn, advice, and notes on records.

use chrono::{DateTime, Utc};

use crate::table::{Board, BoardId, BoardLetter, COMPUTERS, PlayerId};

use super::outbox::Awaits;
use super::row::Row;
use super::{Error, Reader, Result, Store};

/// A board whose computer is to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitingBoard {
    pub board: BoardId,
    pub computer: PlayerId,
    /// The other player.
    pub player: PlayerId,
    /// Since when it waits.
    pub since: DateTime<Utc>,
    /// The event that made the position.
    pub event: u32,
}

/// What a computer is asked to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdviceKind {
    /// A good turn.
    Hint,
    /// What the turns of a finished game have cost.
    Review,
}

impl AdviceKind {
    /// As the database and the metrics name it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Hint => "hint",
            Self::Review => "review",
        }
    }
}

/// Advice that a player has asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Advice {
    /// What for.
    pub kind: AdviceKind,
    /// About which board.
    pub board: BoardId,
    /// Who asks.
    pub player: PlayerId,
    /// The event that made the position which it is for.
    pub event: u32,
    /// When it was asked for.
    pub asked_at: DateTime<Utc>,
}

/// What a note on a board is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoteKind {
    /// A player got this advice.
    Hint,
    /// A computer let a turn be taken back.
    Undo,
    /// What a turn has cost.
    Review,
}

impl NoteKind {
    const ALL: [Self; 3] = [Self::Hint, Self::Undo, Self::Review];

    const fn word(self) -> &'static str {
        match self {
            Self::Hint => "hint",
            Self::Undo => "undo",
            Self::Review => "review",
        }
    }
}

/// A comment of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardNote {
    /// The number of the turn that it is about, from 1; both players' turns count.
    pub ordinal: u32,
    /// What it is about.
    pub kind: NoteKind,
    /// On one line.
    pub text: String,
}

/// A receipt whose place the answer of a computer takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AwaitedReceipt {
    /// The message that it answers.
    pub inbox: Option<i64>,
    /// The Message-ID of that message.
    pub in_reply_to: Option<String>,
    /// The door by which that message came.
    pub door: Option<String>,
    /// Whether that message had words for the computer.
    pub had_words: bool,
}

/// The predicate of the partial index `boards_by_computer`. Queries must repeat it word for word to use the index.
const WAITING: &str = "(to_move = 0 AND first_player < 0) OR (to_move = 1 AND second_player < 0)";

/// Whether the position is not one that computers leave alone.
const SERVED: &str =
    "NOT EXISTS (SELECT 1 FROM thoughts WHERE board = boards.id AND event = position_event AND is_left = 1)";

fn waiting_sql() -> String {
    format!(
        "SELECT id, CASE WHEN first_player > second_player THEN first_player ELSE second_player END AS player, moved_at, \
         position_event, CASE WHEN first_player > second_player THEN second_player ELSE first_player END FROM boards WHERE ({WAITING}) AND {SERVED} ORDER BY moved_at, id LIMIT $1"
    )
}

fn count_sql() -> String {
    format!(
        "SELECT COUNT(*), MIN(moved_at) FROM (SELECT moved_at FROM boards WHERE ({WAITING}) AND {SERVED} \
         ORDER BY moved_at, id LIMIT $1) AS first"
    )
}

const AWAITING: &str = "awaits > 0 AND state = 'waiting'";

fn receipts() -> String {
    format!("{AWAITING} AND awaits <> {}", Awaits::Look.number())
}

/// The mail of this letter, if it waits to be seen; the parameters are its board and its number.
fn unseen(letter: [&str; 2]) -> String {
    let [board, number] = letter;
    format!(
        "board = {board} AND about = {number} AND {AWAITING} AND awaits = {}",
        Awaits::Look.number()
    )
}

impl Reader {
    /// The boards whose computer is to move, which have waited longest first.
    pub fn waiting_for_computers(&self, limit: u32) -> Result<Vec<WaitingBoard>> {
        self.db.all(&waiting_sql(), &[&limit], |row| {
            Ok(WaitingBoard {
                board: row.get(0)?,
                player: row.get(1)?,
                since: row.get(2)?,
                event: row.get(3)?,
                computer: row.get(4)?,
            })
        })
    }

    /// Of the players whose computer is to move, those with an account that is younger than `since`, each with an address.
    pub fn young_among_waiting(&self, since: DateTime<Utc>, limit: u32) -> Result<Vec<(PlayerId, String)>> {
        let sql = format!(
            "SELECT players.id, MIN(address_key) FROM players JOIN addresses ON addresses.player = players.id \
             WHERE players.created_at > $2 AND players.id IN (SELECT player FROM ({}) AS waiting) GROUP BY players.id",
            waiting_sql()
        );
        self.db
            .all(&sql, &[&limit, &since], |row| Ok((row.get(0)?, row.get(1)?)))
    }

    /// How many boards wait for a computer, at most `limit`, and since when the first.
    pub(super) fn count_waiting_for_computers(&self, limit: u32) -> Result<(u32, Option<DateTime<Utc>>)> {
        self.db
            .one(&count_sql(), &[&limit], |row| Ok((row.get(0)?, row.get(1)?)))
    }

    /// The advice that is asked for, the oldest first.
    pub fn advice(&self, limit: u32) -> Result<Vec<Advice>> {
        let sql = "SELECT kind, board, player, event, asked_at FROM advice ORDER BY id LIMIT $1";
        self.db.all(sql, &[&limit], advice)
    }

    /// The advice of this kind that a player has asked for about a board.
    pub fn advice_about(&self, kind: AdviceKind, board: BoardId, player: PlayerId) -> Result<Option<Advice>> {
        let sql = "SELECT kind, board, player, event, asked_at FROM advice \
                   WHERE kind = $1 AND board = $2 AND player = $3";
        self.db.find(sql, &[&kind.word(), &board, &player], advice)
    }

    /// Whether a receipt for this message waits for the answer of a computer.
    pub fn is_awaited(&self, inbox: i64) -> Result<bool> {
        let sql = format!(
            "SELECT EXISTS (SELECT 1 FROM outbox WHERE inbox = $1 AND {})",
            receipts()
        );
        self.db.one(&sql, &[&inbox], |row| row.get(0))
    }

    /// Whether a mail that shows the board as this letter waits for its reader to see that on a page.
    pub fn is_unseen(&self, letter: BoardLetter) -> Result<bool> {
        let sql = format!(
            "SELECT EXISTS (SELECT 1 FROM outbox WHERE {})",
            unseen(["$1", "$2"])
        );
        self.db
            .one(&sql, &[&letter.board, &letter.number()], |row| row.get(0))
    }

    /// The notes on a board, in the order of its turns.
    pub fn board_notes(&self, board: BoardId) -> Result<Vec<BoardNote>> {
        let sql = "SELECT ordinal, kind, text FROM board_notes WHERE board = $1 ORDER BY ordinal, kind";
        self.db.all(sql, &[&board], |row| {
            let kind: &str = row.get(1)?;
            let known = NoteKind::ALL.into_iter().find(|one| one.word() == kind);
            Ok(BoardNote {
                ordinal: row.get(0)?,
                kind: known.ok_or_else(|| Error::Corrupt(format!("a note has the unknown kind {kind}")))?,
                text: row.get(2)?,
            })
        })
    }

    /// What the computer of a board thought of the position after its last turn, in thousandths for itself.
    pub fn estimate(&self, board: BoardId) -> Result<Option<i64>> {
        let sql = "SELECT estimate FROM boards WHERE id = $1";
        Ok(self.db.find(sql, &[&board], |row| row.get(0))?.flatten())
    }
}

impl Store {
    /// Gives the computer players their rows. A userid that a player has already stays that player's.
    pub(super) fn seat_computers(&self) -> Result<()> {
        for computer in &COMPUTERS {
            if self.player_by_id(computer.id)?.is_none() && self.player(computer.userid)?.is_none() {
                let sql = "INSERT INTO players (id, userid, userid_key, password_hash, created_at, seen_at) \
                           VALUES ($1, $2, $2, '', 0, 0)";
                self.db.write(sql, &[&computer.id, &computer.userid])?;
            }
        }
        Ok(())
    }

    /// Notes that a player asks for advice. A newer question takes the place of an older one of the same kind.
    pub fn ask_advice(&self, advice: &Advice) -> Result<()> {
        let Advice {
            kind,
            board,
            player,
            event,
            asked_at,
        } = advice;
        let sql = "INSERT INTO advice (kind, board, player, event, asked_at) VALUES ($1, $2, $3, $4, $5) \
                   ON CONFLICT (kind, board, player) DO UPDATE SET event = excluded.event, asked_at = excluded.asked_at";
        self.db
            .write(sql, &[&kind.word(), board, player, event, asked_at])?;
        Ok(())
    }

    /// The advice was given, or is not wanted any more.
    pub fn end_advice(&self, kind: AdviceKind, board: BoardId, player: PlayerId) -> Result<()> {
        let sql = "DELETE FROM advice WHERE kind = $1 AND board = $2 AND player = $3";
        self.db.write(sql, &[&kind.word(), &board, &player])?;
        Ok(())
    }

    /// Adds a note to a board; it takes the place of one of the same kind about the same turn.
    pub fn add_note(&self, board: BoardId, note: &BoardNote) -> Result<()> {
        let sql = "INSERT INTO board_notes (board, ordinal, kind, text) VALUES ($1, $2, $3, $4) \
                   ON CONFLICT (board, ordinal, kind) DO UPDATE SET text = excluded.text";
        self.db
            .write(sql, &[&board, &note.ordinal, &note.kind.word(), &note.text])?;
        Ok(())
    }

    /// Stores what the computer of a board thinks of the position.
    pub fn set_estimate(&self, board: BoardId, estimate: i64) -> Result<()> {
        let sql = "UPDATE boards SET estimate = $1 WHERE id = $2";
        self.db.write(sql, &[&estimate, &board])?;
        Ok(())
    }

    /// Drops the receipts about a board that wait for the answer of its computer, since a letter takes their place. If one
    /// is being delivered at this moment, its reader gets both. Their rows stay, as numbers are never given twice, but not in
    /// the thread of the board.
    pub fn drop_awaiting(&self, board: BoardId, now: DateTime<Utc>) -> Result<Option<AwaitedReceipt>> {
        let sql = format!(
            "UPDATE outbox SET state = 'dropped', last_error = 'a later letter says it', settled_at = $1, board = NULL, \
             letter = NULL WHERE board = $2 AND {} \
             RETURNING inbox, in_reply_to, awaits, (SELECT door FROM inbox WHERE inbox.id = outbox.inbox)",
            receipts()
        );
        let dropped = self.db.all(&sql, &[&now, &board], |row| {
            Ok(AwaitedReceipt {
                inbox: row.get(0)?,
                in_reply_to: row.get(1)?,
                door: row.get(3)?,
                had_words: row.get::<i64>(2)? == Awaits::AnswerToWords.number(),
            })
        })?;
        Ok(dropped.into_iter().next())
    }

    /// Drops the mail that shows the board as this letter and waits for its reader to see that on a page, since that has happened.
    pub fn drop_seen(&self, letter: BoardLetter, now: DateTime<Utc>) -> Result<()> {
        let sql = format!(
            "UPDATE outbox SET state = 'dropped', last_error = 'its reader has seen it on a page', settled_at = $1, \
             board = NULL, letter = NULL WHERE {}",
            unseen(["$2", "$3"])
        );
        self.db.write(&sql, &[&now, &letter.board, &letter.number()])?;
        Ok(())
    }

    /// Has the mails about a board that wait for something sent at once, before another letter about it.
    pub fn release_awaiting(&self, board: &Board, now: DateTime<Utc>) -> Result<()> {
        let sql = format!("UPDATE outbox SET due_at = $1, awaits = 0 WHERE board = $2 AND {AWAITING}");
        self.db.write(&sql, &[&now, &board.id])?;
        Ok(())
    }
}

fn advice(row: &Row<'_>) -> Result<Advice> {
    let kind = match row.get::<&str>(0)? {
        "hint" => AdviceKind::Hint,
        "review" => AdviceKind::Review,
        other => {
            return Err(Error::Corrupt(format!(
                "advice of the unknown kind {other} is asked for"
            )));
        }
    };
    Ok(Advice {
        kind,
        board: row.get(1)?,
        player: row.get(2)?,
        event: row.get(3)?,
        asked_at: row.get(4)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_and_receipts_that_wait_are_found_by_their_indexes() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path().join("test.sqlite")).unwrap();
        let plan = store.db.plan(&waiting_sql());
        assert!(
            plan.contains("boards_by_computer") && !plan.contains("TEMP B-TREE"),
            "{plan}"
        );
        let plan = store.db.plan(&count_sql());
        assert!(plan.contains("boards_by_computer"), "{plan}");
        for of_a_board in [format!("board = $1 AND {}", receipts()), unseen(["$1", "$2"])] {
            let plan = store
                .db
                .plan(&format!("SELECT id FROM outbox WHERE {of_a_board}"));
            assert!(plan.contains("outbox_awaiting"), "{plan}");
        }
    }
}
