//! What changes in contests.

use chrono::{DateTime, Utc};

use crate::seasons::{Format, Planned};
use crate::table::{Board, PlayerId};

use super::value::ToValue;
use super::{ContestKind, NewContest, Result, Store, TableRuling};

impl Store {
    /// Adds a contest; it is due when it begins.
    pub fn add_contest(&self, new: &NewContest) -> Result<i64> {
        let (season, division) = match &new.kind {
            ContestKind::Division { season, division } => (Some(*season), Some(*division)),
            ContestKind::Cup { .. } => (None, None),
        };
        let (name, made_by, is_private) = match &new.kind {
            ContestKind::Division { .. } => (None, None, false),
            ContestKind::Cup {
                name,
                made_by,
                is_private,
            } => (Some(name), Some(*made_by), *is_private),
        };
        let (format, rounds) = format_words(new.format);
        let sql = "INSERT INTO contests (game, season, division, name, name_key, format, rounds, seats, options, nag_days, \
                   forfeit_days, total_days, refill, made_by, is_private, begins_at, announced_round, due_at) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, 0, $16)";
        let values: [&dyn ToValue; 16] = [
            &new.game.facts.name,
            &season,
            &division,
            &name,
            &name.map(|name| name.to_ascii_lowercase()),
            &format,
            &rounds,
            &new.seats,
            &new.options.to_string(),
            &new.terms.nag_days,
            &new.terms.forfeit_days,
            &new.terms.total_days,
            &new.terms.refill.to_string(),
            &made_by,
            &is_private,
            &new.begins_at,
        ];
        self.db.insert(sql, &values)
    }

    /// A player takes part, or does again.
    pub fn add_entrant(&self, contest: i64, player: PlayerId, now: DateTime<Utc>) -> Result<()> {
        let sql = "INSERT INTO entrants (contest, player, joined_at, rating) VALUES ($1, $2, $3, 0) \
                   ON CONFLICT (contest, player) DO NOTHING";
        self.db.write(sql, &[&contest, &player, &now])
    }

    /// A player leaves a contest: before it begins without a trace.
    pub fn leave_contest(&self, contest: i64, player: PlayerId, now: DateTime<Utc>) -> Result<()> {
        let sql = "DELETE FROM entrants WHERE contest = $1 AND player = $2 AND number IS NULL";
        self.db.write(sql, &[&contest, &player])?;
        let sql = "UPDATE entrants SET left_at = $1 WHERE contest = $2 AND player = $3 AND left_at IS NULL";
        self.db.write(sql, &[&now, &contest, &player])?;
        self.look_at_contest(contest, now)
    }

    /// Invites a player to a private cup.
    pub fn add_cup_guest(&self, contest: i64, player: PlayerId) -> Result<()> {
        let sql = "INSERT INTO cup_guests (contest, player) VALUES ($1, $2) ON CONFLICT (contest, player) DO NOTHING";
        self.db.write(sql, &[&contest, &player])
    }

    /// The contest begins with these players, in the order of their numbers, each with the rating.
    pub fn begin_contest(&self, contest: i64, players: &[(PlayerId, f64)], now: DateTime<Utc>) -> Result<()> {
        let sql = "UPDATE entrants SET number = $1, rating = $2 WHERE contest = $3 AND player = $4";
        for (number, (player, rating)) in (1_u32..).zip(players) {
            self.db.write_one(sql, &[&number, rating, &contest, player])?;
        }
        let sql = "UPDATE contests SET begun_at = $1, due_at = $1 WHERE id = $2";
        self.db.write_one(sql, &[&now, &contest])
    }

    /// Adds the games of a round.
    pub fn add_pairings(&self, contest: i64, planned: &[Planned]) -> Result<()> {
        let sql =
            "INSERT INTO pairings (contest, round, in_group, first, second) VALUES ($1, $2, $3, $4, $5)";
        for pairing in planned {
            let number = |entrant: usize| i64::try_from(entrant).unwrap_or(i64::MAX) + 1;
            let (first, second) = (number(pairing.first), pairing.second.map(number));
            self.db
                .write(sql, &[&contest, &pairing.round, &pairing.group, &first, &second])?;
        }
        Ok(())
    }

    /// The board of a pairing begins.
    pub fn begin_pairing(&self, pairing: i64, board: &Board) -> Result<()> {
        let id = self.add_board(board)?;
        let sql = "UPDATE pairings SET board = $1 WHERE id = $2 AND board IS NULL";
        self.db.write_one(sql, &[&id, &pairing])
    }

    /// The operator decides how a pairing counts; `None`: as its board ended.
    pub fn rule_pairing(&self, pairing: i64, ruling: Option<TableRuling>, now: DateTime<Utc>) -> Result<()> {
        let (word, at) = (ruling.map(TableRuling::word), ruling.map(|_| now));
        let sql = "UPDATE pairings SET ruling = $1, ruled_at = $2 WHERE id = $3";
        self.db.write_one(sql, &[&word, &at, &pairing])?;
        let sql = "UPDATE contests SET due_at = $1 WHERE ended_at IS NULL AND begun_at IS NOT NULL \
                   AND id = (SELECT contest FROM pairings WHERE id = $2)";
        self.db.write(sql, &[&now, &pairing])
    }

    /// The players have got the letters of a round.
    pub fn set_announced_round(&self, contest: i64, round: u32) -> Result<()> {
        let sql = "UPDATE contests SET announced_round = $1 WHERE id = $2";
        self.db.write_one(sql, &[&round, &contest])
    }

    /// The contest is over, or does not come about.
    pub fn end_contest(&self, contest: i64, now: DateTime<Utc>) -> Result<()> {
        let sql = "UPDATE contests SET ended_at = $1, due_at = NULL WHERE id = $2 AND ended_at IS NULL";
        self.db.write_one(sql, &[&now, &contest])
    }

    /// A contest that has begun is looked at now: something in it is over.
    pub fn look_at_contest(&self, contest: i64, now: DateTime<Utc>) -> Result<()> {
        let sql =
            "UPDATE contests SET due_at = $1 WHERE id = $2 AND begun_at IS NOT NULL AND ended_at IS NULL";
        self.db.write(sql, &[&now, &contest])
    }

    /// Sets when a contest is looked at; `None`: when something in it is over.
    pub fn set_contest_due(&self, contest: i64, at: Option<DateTime<Utc>>) -> Result<()> {
        let sql = "UPDATE contests SET due_at = $1 WHERE id = $2 AND ended_at IS NULL";
        self.db.write(sql, &[&at, &contest])
    }
}

const fn format_words(format: Format) -> (&'static str, u32) {
    match format {
        Format::League => ("league", 0),
        Format::Swiss { rounds } => ("swiss", rounds),
        Format::Knockout => ("knockout", 0),
        Format::Groups => ("groups", 0),
    }
}
