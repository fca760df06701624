//! The addresses of players.

use chrono::{DateTime, Utc};
use rusqlite::{OptionalExtension, Row};

use crate::mail::Address;
use crate::table::PlayerId;

use super::numbers::Numbered;
use super::{Error, Reader, Result, Store, millis, time};

/// One address of a player.
#[derive(Clone, Debug)]
pub struct AddressRow {
    /// The number of the row.
    pub id: i64,
    /// Whose.
    pub player: PlayerId,
    /// The address.
    pub address: Address,
    /// When its owner said that it is theirs; `None` until then.
    pub confirmed_at: Option<DateTime<Utc>>,
    /// Whether it goes as soon as another one is confirmed.
    pub is_replaced: bool,
}

const ADDRESS: &str = "SELECT id, player, address, confirmed_at, replaced FROM addresses";

impl Reader {
    /// The addresses of a player, oldest first.
    ///
    /// # Errors
    /// SQLite's, or an address that is none.
    pub fn addresses(&self, player: PlayerId) -> Result<Vec<AddressRow>> {
        let mut statement = self
            .conn
            .prepare_cached(&format!("{ADDRESS} WHERE player = $1 ORDER BY id"))?;
        rows(statement.query_map([player.0], address)?)
    }

    /// The rows of one address: several players may share a mailbox.
    ///
    /// # Errors
    /// SQLite's, or an address that is none.
    pub fn address_rows(&self, wanted: &Address) -> Result<Vec<AddressRow>> {
        let mut statement = self
            .conn
            .prepare_cached(&format!("{ADDRESS} WHERE address_key = $1 ORDER BY id"))?;
        rows(statement.query_map([wanted.key()], address)?)
    }

    /// The address of this row.
    ///
    /// # Errors
    /// SQLite's, or an address that is none.
    pub fn address_by_id(&self, id: i64) -> Result<Option<AddressRow>> {
        let mut statement = self.conn.prepare_cached(&format!("{ADDRESS} WHERE id = $1"))?;
        statement.query_row([id], address).optional()?.transpose()
    }
}

impl Store {
    /// Adds an address; gives the number of its row.
    ///
    /// # Errors
    /// SQLite's.
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
        let values = (
            id,
            player.0,
            address.as_str(),
            address.key(),
            confirmed_at.map(millis),
            millis(now),
        );
        self.conn.prepare_cached(sql)?.execute(values)?;
        Ok(id)
    }

    /// The owner of this address has said that it is theirs. Those that it replaces go.
    ///
    /// # Errors
    /// SQLite's.
    pub fn confirm_address(&self, id: i64, now: DateTime<Utc>) -> Result<()> {
        let sql =
            "UPDATE addresses SET confirmed_at = $1 WHERE id = $2 AND confirmed_at IS NULL RETURNING player";
        let player: Option<i64> = self
            .conn
            .prepare_cached(sql)?
            .query_row((millis(now), id), |row| row.get(0))
            .optional()?;
        match player {
            Some(player) => self.drop_replaced(PlayerId(player)),
            None => Ok(()),
        }
    }

    /// Takes an address away from its player. What was mailed there ends: tokens that it holds are void.
    ///
    /// # Errors
    /// SQLite's.
    pub fn remove_address(&self, id: i64) -> Result<()> {
        let sql = "DELETE FROM addresses WHERE id = $1 RETURNING player";
        let player: Option<i64> = self
            .conn
            .prepare_cached(sql)?
            .query_row([id], |row| row.get(0))
            .optional()?;
        match player {
            Some(player) => self.raise_generation(PlayerId(player)),
            None => Ok(()),
        }
    }

    /// These are a player's addresses from now on, and no others. Until one of them is confirmed the confirmed
    /// ones before stay beside them.
    ///
    /// # Errors
    /// SQLite's.
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
                self.conn.prepare_cached(sql)?.execute((!is_kept, row.id))?;
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

    /// Takes away what is replaced, once there is a confirmed address in its place.
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

fn address(row: &Row<'_>) -> rusqlite::Result<Result<AddressRow>> {
    let (id, player, confirmed): (i64, i64, Option<i64>) = (row.get(0)?, row.get(1)?, row.get(3)?);
    let (text, is_replaced): (String, bool) = (row.get(2)?, row.get(4)?);
    let parsed = Address::parse(&text).map_err(|_| Error::Corrupt(format!("address row {id} is no address")));
    Ok(parsed.map(|address| AddressRow {
        id,
        player: PlayerId(player),
        address,
        confirmed_at: confirmed.map(time),
        is_replaced,
    }))
}

fn rows<T>(found: impl Iterator<Item = rusqlite::Result<Result<T>>>) -> Result<Vec<T>> {
    found.map(|row| row?).collect()
}
