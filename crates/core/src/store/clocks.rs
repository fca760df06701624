//! The boards' clocks: when a board is due, and which warnings were sent.

use chrono::{DateTime, TimeDelta, Utc};
use pbmserv_games::Seat;

use crate::table::{BoardId, Limit, Warning};

use super::value::{millis, time};
use super::{Reader, Result, Store};

/// The note that holds when all clocks were last set otherwise than by what happened on their boards, in milliseconds since 1970.
const CLOCKS_SET: &str = "clocks_set_at";

impl Reader {
    /// When the clocks of all boards were last set otherwise than by what happened on them.
    pub fn clocks_set_at(&self) -> Result<Option<DateTime<Utc>>> {
        let note = self.note(CLOCKS_SET)?;
        Ok(note.and_then(|note| Some(time(note.parse().ok()?))))
    }

    /// The board that is due first, and when.
    pub fn first_due_board(&self) -> Result<Option<(DateTime<Utc>, i64)>> {
        let sql = "SELECT due_at, id FROM boards WHERE due_at IS NOT NULL ORDER BY due_at, id LIMIT 1";
        self.db.find(sql, &[], |row| Ok((row.get(0)?, row.get(1)?)))
    }

    /// When the player in this seat was warned about this time limit.
    pub fn warned_at(&self, board: BoardId, seat: Seat, by: Limit) -> Result<Option<DateTime<Utc>>> {
        let sql = "SELECT warned_at FROM warnings WHERE board = $1 AND seat = $2 AND total = $3";
        self.db
            .find(sql, &[&board, &seat, &(by == Limit::Total)], |row| row.get(0))
    }

    /// The state of the warning to the player in this seat about this time limit. It counts as delivered when one of
    /// its mails is delivered. A mail that was given up also counts, and so does a warning without any address:
    /// otherwise the board of an unreachable player would never end.
    pub fn warning(&self, board: BoardId, seat: Seat, by: Limit) -> Result<Warning> {
        let sql = "SELECT warned_at, first_mail, last_mail FROM warnings WHERE board = $1 AND seat = $2 AND total = $3";
        let found = self
            .db
            .find(sql, &[&board, &seat, &(by == Limit::Total)], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })?;
        let Some((written, first, last)): Option<(_, i64, i64)> = found else {
            return Ok(Warning::None);
        };
        let sql = "SELECT MIN(CASE WHEN state = 'sent' THEN settled_at END), \
                   SUM(CASE WHEN settled_at IS NULL THEN 1 ELSE 0 END), MAX(settled_at) \
                   FROM outbox WHERE id BETWEEN $1 AND $2";
        let (sent, open, settled) = self.db.one(sql, &[&first, &last], |row| {
            Ok((row.get(0)?, row.get::<Option<i64>>(1)?, row.get::<Option<_>>(2)?))
        })?;
        let was_sending = |until: DateTime<Utc>| {
            let sql =
                "SELECT id FROM outbox WHERE settled_at > $1 AND settled_at <= $2 AND state = 'sent' LIMIT 1";
            let any = self.db.find(sql, &[&written, &until], |row| row.get::<i64>(0))?;
            Ok::<_, super::Error>(any.is_some())
        };
        Ok(match (sent, open) {
            (Some(at), _) => Warning::Sent { written, at },
            (None, Some(1..)) => Warning::OnItsWay,
            (None, _) => {
                let at = settled.unwrap_or(written);
                Warning::GivenUp {
                    written,
                    at,
                    was_sending: was_sending(at)?,
                }
            }
        })
    }

    /// The highest mail number so far.
    pub fn last_mail(&self) -> Result<i64> {
        self.db
            .one("SELECT COALESCE(MAX(id), 0) FROM outbox", &[], |row| row.get(0))
    }

    /// The latest time in the newest message and the newest mail.
    pub fn latest_time(&self) -> Result<Option<DateTime<Utc>>> {
        let mut latest = None;
        for sql in [
            "SELECT received_at FROM inbox ORDER BY id DESC LIMIT 1",
            "SELECT created_at FROM outbox ORDER BY id DESC LIMIT 1",
        ] {
            latest = latest.max(self.db.find(sql, &[], |row| row.get(0))?);
        }
        Ok(latest)
    }
}

impl Store {
    /// Notes that all clocks are set, so that calendars get what follows from them as news.
    pub(super) fn clocks_are_set(&self, now: DateTime<Utc>) -> Result<()> {
        self.set_note(CLOCKS_SET, &millis(now).to_string())
    }

    /// Sets when a board is due; `None`: not until something changes on it.
    pub fn set_board_due(&self, board: BoardId, at: Option<DateTime<Utc>>) -> Result<()> {
        let sql = "UPDATE boards SET due_at = $1 WHERE id = $2";
        self.db.write(sql, &[&at, &board])?;
        Ok(())
    }

    /// Records that the player in this seat was warned. The mails of the warning are those with a higher number than
    /// the given one.
    pub fn add_warning(
        &self,
        board: BoardId,
        seat: Seat,
        by: Limit,
        mails_after: i64,
        now: DateTime<Utc>,
    ) -> Result<()> {
        let sql = "INSERT INTO warnings (board, seat, total, warned_at, first_mail, last_mail) \
                   VALUES ($1, $2, $3, $4, $5, $6) \
                   ON CONFLICT (board, seat, total) DO UPDATE SET warned_at = excluded.warned_at, \
                   first_mail = excluded.first_mail, last_mail = excluded.last_mail";
        self.db.write(
            sql,
            &[
                &board,
                &seat,
                &(by == Limit::Total),
                &now,
                &(mails_after + 1),
                &self.last_mail()?,
            ],
        )?;
        Ok(())
    }

    /// Makes the boards due on which somebody was warned: the end may have moved, and another warning is to name the new one.
    pub fn look_at_warned(&self, now: DateTime<Utc>) -> Result<()> {
        let sql = "UPDATE boards SET due_at = $1 WHERE due_at > $1 AND id IN (SELECT board FROM warnings)";
        self.db.write(sql, &[&now])
    }

    /// Makes the board due whose clock waits for this mail: the mail is settled.
    pub(super) fn mail_is_settled(&self, mail: i64, now: DateTime<Utc>) -> Result<()> {
        let sql = "UPDATE boards SET due_at = $1 WHERE due_at IS NOT NULL \
                   AND id = (SELECT board FROM outbox WHERE outbox.id = $2) \
                   AND EXISTS (SELECT 1 FROM warnings WHERE warnings.board = boards.id \
                   AND first_mail <= $2 AND last_mail >= $2)";
        self.db.write(sql, &[&now, &mail])?;
        Ok(())
    }

    /// Moves all running clocks by the amount that the machine's clock was set forward or back: that was not thinking
    /// time. It is one statement, because reading and writing a million boards one by one would block the server.
    pub fn shift_clocks(&self, by: TimeDelta, now: DateTime<Utc>) -> Result<()> {
        self.clocks_are_set(now)?;
        // A pause ends on its date. Where days are quiet, the end moves by less or not at all: to be due early does no harm.
        let sql = "UPDATE boards SET clock_since = clock_since + $1, \
                   due_at = due_at + CASE WHEN calendar = '' OR $1 < 0 THEN $1 ELSE 0 END \
                   WHERE due_at IS NOT NULL AND paused_until IS NULL";
        self.db.write(sql, &[&by])?;
        self.mend_notices(now)?;
        self.shift_waiting_mails(by)
    }

    /// Repairs the clocks after the machine's clock was set back while the server was down: no clock may have started
    /// in the future, and no warning may have been sent there. All running boards become due, so that the server
    /// computes their next time again. One statement over all boards, as in `shift_clocks`.
    pub fn mend_clocks(&self, now: DateTime<Utc>) -> Result<()> {
        self.clocks_are_set(now)?;
        let sql = "UPDATE boards SET due_at = $1, \
                   clock_since = CASE WHEN clock_since > $1 THEN $1 ELSE clock_since END WHERE due_at IS NOT NULL";
        self.db.write(sql, &[&now])?;
        let sql = "DELETE FROM warnings WHERE warned_at > $1";
        self.db.write(sql, &[&now])?;
        self.mend_notices(now)?;
        self.mend_waiting_mails(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The index must make this lookup independent of the number of boards.
    #[test]
    fn the_first_due_board_is_found_by_an_index() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path().join("test.sqlite")).unwrap();
        for (sql, index) in [
            (
                "SELECT due_at, id FROM boards WHERE due_at IS NOT NULL ORDER BY due_at, id LIMIT 1",
                "boards_by_due",
            ),
            (
                "SELECT ends_at, id FROM vacations WHERE is_over = 0 ORDER BY ends_at, id LIMIT 1",
                "vacations_by_end",
            ),
            (
                "SELECT begun_at, ends_at FROM vacations WHERE player = $1 AND is_over = 0",
                "vacations_by_player",
            ),
        ] {
            let plan = store.db.plan(sql);
            assert!(
                plan.contains(index) && !plan.contains("TEMP B-TREE"),
                "{sql}: {plan}"
            );
        }
    }
}
