//! Addresses whose owner complained of our mail as spam.

use chrono::{DateTime, Utc};

use crate::table::PlayerId;
use pbmserv_mail::{Address, Unwanted};

use super::addresses::FAILED_DAYS;
use super::memo::Rows;
use super::value::day;
use super::{Error, Reader, Result, Store};

/// A complaint from an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complained {
    /// What the report said.
    pub kind: Unwanted,
    /// When it came.
    pub at: DateTime<Utc>,
}

impl Reader {
    /// The complaint from this address, unless a mail has come from it since.
    pub fn complaint(&self, address: &Address) -> Result<Option<Complained>> {
        self.db.memo.once(Rows::Complaints, address.key(), |key| {
            let sql = "SELECT kind, at FROM complaints WHERE address_key = $1";
            self.db.find(sql, &[key], |row| {
                let kind: &str = row.get(0)?;
                let unknown = || Error::Corrupt(format!("a complaint has the unknown kind {kind}"));
                Ok(Complained {
                    kind: Unwanted::of(kind).ok_or_else(unknown)?,
                    at: row.get(1)?,
                })
            })
        })
    }

    /// How many addresses have complained and sent no mail since.
    pub fn complaints(&self) -> Result<u32> {
        self.db
            .one("SELECT COUNT(*) FROM complaints", &[], |row| row.get(0))
    }
}

impl Store {
    /// Ends all mail to an address, whose owner has complained; what waits for it is dropped. Returns the players who were
    /// reached there until now.
    pub fn address_complained(
        &self,
        address: &Address,
        kind: Unwanted,
        now: DateTime<Utc>,
    ) -> Result<Vec<PlayerId>> {
        let key = address.key();
        let sql = "INSERT INTO complaints (address_key, kind, at) VALUES ($1, $2, $3) \
                   ON CONFLICT (address_key) DO NOTHING";
        self.db.write(sql, &[&key, &kind.word(), &now])?;
        let sql = "UPDATE outbox SET state = 'dropped', last_error = $1, settled_at = $2 \
                   WHERE state = 'waiting' AND state <> 'sent' AND recipient_key = $3";
        self.db
            .write(sql, &[&"the reader has complained of our mail", &now, &key])?;
        // The address counts as failing, so that every question whether a player can be reached has one answer.
        let sql = "UPDATE addresses SET failed_days = $1, failed_on = $2 \
                   WHERE address_key = $3 AND failed_days < $1 RETURNING player";
        self.db
            .all(sql, &[&FAILED_DAYS, &day(now), &key], |row| row.get(0))
    }

    /// Forgets the complaint from this address.
    pub fn forget_complaint(&self, address: &Address) -> Result<()> {
        let sql = "DELETE FROM complaints WHERE address_key = $1";
        self.db.write(sql, &[&address.key()])?;
        Ok(())
    }
}
