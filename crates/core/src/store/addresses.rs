//! The players' email addresses.

use chrono::{DateTime, NaiveDate, Utc};

use crate::table::PlayerId;
use pbmserv_mail::Address;

use super::memo::Rows;
use super::numbers::Numbered;
use super::row::Row;
use super::value::day;
use super::{Error, Reader, Result, Store};

/// A player's address, as stored.
#[derive(Clone, Debug)]
pub struct AddressRow {
    /// The number of the row.
    pub id: i64,
    /// The player who added it.
    pub player: PlayerId,
    /// As written; compared by its key.
    pub address: Address,
    /// When the owner confirmed it; `None` until then.
    pub confirmed_at: Option<DateTime<Utc>>,
    /// Whether this address is removed when another one is confirmed.
    pub is_replaced: bool,
    /// The number of different days (UTC) with a permanent delivery failure since the last mail from this address.
    pub failed_days: u32,
    /// The last such day.
    pub failed_on: Option<NaiveDate>,
}

/// After failures on this many different days the server stops writing to an address.
pub(super) const FAILED_DAYS: u32 = 3;

impl AddressRow {
    /// Whether the server may write there: the address is confirmed and not failing.
    #[must_use]
    pub const fn is_reachable(&self) -> bool {
        self.confirmed_at.is_some() && !self.is_failing()
    }

    /// Whether the server stopped writing to it after too many failures. A mail from the address ends that.
    #[must_use]
    pub const fn is_failing(&self) -> bool {
        self.failed_days >= FAILED_DAYS
    }
}

const ADDRESS: &str =
    "SELECT id, player, address, confirmed_at, replaced, failed_days, failed_on FROM addresses";

impl Reader {
    /// The addresses of a player, oldest first.
    pub fn addresses(&self, player: PlayerId) -> Result<Vec<AddressRow>> {
        self.db.all(
            &format!("{ADDRESS} WHERE player = $1 ORDER BY id"),
            &[&player],
            address,
        )
    }

    /// All rows with this address: several players may share a mailbox.
    pub fn address_rows(&self, wanted: &Address) -> Result<Vec<AddressRow>> {
        self.db.memo.once(Rows::Addresses, wanted.key(), |key| {
            let sql = format!("{ADDRESS} WHERE address_key = $1 ORDER BY id");
            self.db.all(&sql, &[key], address)
        })
    }

    /// The number of confirmed addresses with other characters than ASCII before the `@`. Domains are in ASCII in the key.
    pub fn addresses_outside_ascii(&self) -> Result<u32> {
        let sql = "SELECT COUNT(*) FROM addresses WHERE confirmed_at IS NOT NULL AND LENGTH(address_key) <> OCTET_LENGTH(address_key)";
        self.db.one(sql, &[], |row| row.get(0))
    }

    /// Whether this is a confirmed address of anybody.
    pub fn is_confirmed(&self, address: &Address) -> Result<bool> {
        let rows = self.address_rows(address)?;
        Ok(rows.iter().any(|row| row.confirmed_at.is_some()))
    }

    /// Whether this is a confirmed address of this player.
    pub fn is_confirmed_of(&self, address: &Address, player: PlayerId) -> Result<bool> {
        let rows = self.address_rows(address)?;
        Ok(rows
            .iter()
            .any(|row| row.player == player && row.confirmed_at.is_some()))
    }

    /// The address with this row number.
    pub fn address_by_id(&self, id: i64) -> Result<Option<AddressRow>> {
        self.db.find(&format!("{ADDRESS} WHERE id = $1"), &[&id], address)
    }
}

impl Store {
    /// Adds an address; returns its row number.
    pub fn add_address(
        &self,
        player: PlayerId,
        address: &Address,
        confirmed_at: Option<DateTime<Utc>>,
        now: DateTime<Utc>,
    ) -> Result<i64> {
        let id = self.next_number_of(Numbered::Addresses)?;
        let sql = "INSERT INTO addresses (id, player, address, address_key, confirmed_at, created_at) \
                   VALUES ($1, $2, $3, $4, $5, $6)";
        self.db.write(
            sql,
            &[
                &id,
                &player,
                &address.as_str(),
                &address.key(),
                &confirmed_at,
                &now,
            ],
        )?;
        if confirmed_at.is_some() {
            self.set_expiry(player, None)?;
        }
        Ok(id)
    }

    /// Confirms an address, and removes the addresses that it replaces. The account stays from now on.
    pub fn confirm_address(&self, id: i64, now: DateTime<Utc>) -> Result<()> {
        let sql = "UPDATE addresses SET confirmed_at = $1, failed_days = 0, failed_on = NULL \
                   WHERE id = $2 AND confirmed_at IS NULL RETURNING player";
        let player: Option<PlayerId> = self.db.find(sql, &[&now, &id], |row| row.get(0))?;
        match player {
            Some(player) => {
                self.set_expiry(player, None)?;
                self.drop_replaced(player)
            }
            None => Ok(()),
        }
    }

    /// Records a permanent delivery failure on this day. Returns the players for whom the address has now reached the
    /// limit.
    pub fn address_failed(&self, address: &Address, now: DateTime<Utc>) -> Result<Vec<PlayerId>> {
        let sql = "UPDATE addresses SET failed_days = failed_days + 1, failed_on = $1 \
                   WHERE address_key = $2 AND (failed_on IS NULL OR failed_on < $1) RETURNING player, failed_days";
        let failed: Vec<(PlayerId, u32)> = self.db.all(sql, &[&day(now), &address.key()], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
        let failing = failed.into_iter().filter(|(_, days)| *days == FAILED_DAYS);
        Ok(failing.map(|(player, _)| player).collect())
    }

    /// Clears the failures: a mail has come from this address. Those of an address that complained stay.
    pub fn address_works(&self, address: &Address) -> Result<()> {
        let sql = "UPDATE addresses SET failed_days = 0, failed_on = NULL WHERE address_key = $1 AND failed_days > 0 \
                   AND NOT EXISTS (SELECT 1 FROM complaints WHERE address_key = $1)";
        self.db.write(sql, &[&address.key()])?;
        Ok(())
    }

    /// Removes an address. Tokens that were mailed to it become invalid; only to a confirmed one were any, apart from that
    /// of its question.
    pub fn remove_address(&self, id: i64) -> Result<()> {
        let sql = "DELETE FROM addresses WHERE id = $1 RETURNING player, confirmed_at IS NOT NULL";
        let removed: Option<(PlayerId, bool)> =
            self.db.find(sql, &[&id], |row| Ok((row.get(0)?, row.get(1)?)))?;
        match removed {
            Some((player, true)) => self.raise_generation(player),
            Some((_, false)) | None => Ok(()),
        }
    }

    /// Replaces all addresses of a player. The old confirmed ones stay until one of the new ones is confirmed.
    pub fn replace_addresses(
        &self,
        player: PlayerId,
        addresses: &[Address],
        confirmed_at: Option<DateTime<Utc>>,
        now: DateTime<Utc>,
    ) -> Result<()> {
        let rows = self.addresses(player)?;
        let is_same = |row: &AddressRow, address: &Address| row.address.key() == address.key();
        for row in &rows {
            let is_kept = addresses.iter().any(|address| is_same(row, address));
            if is_kept || row.confirmed_at.is_some() {
                let sql = "UPDATE addresses SET replaced = $1 WHERE id = $2";
                self.db.write(sql, &[&!is_kept, &row.id])?;
            } else {
                self.remove_address(row.id)?;
            }
        }
        for address in addresses {
            match rows.iter().find(|row| is_same(row, address)) {
                Some(row) if confirmed_at.is_some() => self.confirm_address(row.id, now)?,
                Some(_) => {}
                None => {
                    self.add_address(player, address, confirmed_at, now)?;
                }
            }
        }
        self.raise_generation(player)?;
        self.drop_replaced(player)
    }

    /// Removes the replaced addresses if the player has another confirmed one.
    fn drop_replaced(&self, player: PlayerId) -> Result<()> {
        let rows = self.addresses(player)?;
        if rows
            .iter()
            .any(|row| row.confirmed_at.is_some() && !row.is_replaced)
        {
            for row in rows.iter().filter(|row| row.is_replaced) {
                self.remove_address(row.id)?;
            }
        }
        Ok(())
    }
}

fn address(row: &Row<'_>) -> Result<AddressRow> {
    let id = row.get(0)?;
    let address =
        Address::parse(row.get(2)?).map_err(|_| Error::Corrupt(format!("address row {id} is no address")))?;
    Ok(AddressRow {
        id,
        player: row.get(1)?,
        address,
        confirmed_at: row.get(3)?,
        is_replaced: row.get(4)?,
        failed_days: row.get(5)?,
        failed_on: row.get(6)?,
    })
}
