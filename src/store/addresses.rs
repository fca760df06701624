//! The addresses of players.

use chrono::{DateTime, NaiveDate, Utc};

use crate::mail::Address;
use crate::table::PlayerId;

use super::numbers::Numbered;
use super::sqlite::Row;
use super::value::day;
use super::{Error, Reader, Result, Store};

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
    /// On how many different days (UTC) mail to it failed for good, since the last mail came from it.
    pub failed_days: u32,
    /// The last of these days.
    pub failed_on: Option<NaiveDate>,
}

/// After failures on so many different days an address is not written to.
pub(super) const FAILED_DAYS: u32 = 3;

impl AddressRow {
    /// Whether mail may go there: its owner has said that it is theirs, and it takes mail.
    #[must_use]
    pub const fn is_reachable(&self) -> bool {
        self.confirmed_at.is_some() && !self.is_failing()
    }

    /// Whether mail to it failed so often that it is not written to until a mail comes from it.
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

    /// The rows of one address: several players may share a mailbox.
    pub fn address_rows(&self, wanted: &Address) -> Result<Vec<AddressRow>> {
        self.db.all(
            &format!("{ADDRESS} WHERE address_key = $1 ORDER BY id"),
            &[&wanted.key()],
            address,
        )
    }

    /// The address of this row.
    pub fn address_by_id(&self, id: i64) -> Result<Option<AddressRow>> {
        self.db.find(&format!("{ADDRESS} WHERE id = $1"), &[&id], address)
    }
}

impl Store {
    /// Adds an address; gives the number of its row.
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
        self.db.execute(
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
        Ok(id)
    }

    /// The owner of this address has said that it is theirs. Those that it replaces go.
    pub fn confirm_address(&self, id: i64, now: DateTime<Utc>) -> Result<()> {
        let sql = "UPDATE addresses SET confirmed_at = $1, failed_days = 0, failed_on = NULL \
                   WHERE id = $2 AND confirmed_at IS NULL RETURNING player";
        let player: Option<PlayerId> = self.db.find(sql, &[&now, &id], |row| row.get(0))?;
        match player {
            Some(player) => self.drop_replaced(player),
            None => Ok(()),
        }
    }

    /// Mail to this address has failed for good today. Gives the players for whom it has now failed on so many
    /// days that it is not written to any more.
    pub fn address_failed(&self, address: &Address, now: DateTime<Utc>) -> Result<Vec<PlayerId>> {
        let sql = "UPDATE addresses SET failed_days = failed_days + 1, failed_on = $1 \
                   WHERE address_key = $2 AND (failed_on IS NULL OR failed_on < $1) RETURNING player, failed_days";
        let failed: Vec<(PlayerId, u32)> = self.db.all(sql, &[&day(now), &address.key()], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
        let failing = failed.into_iter().filter(|(_, days)| *days == FAILED_DAYS);
        Ok(failing.map(|(player, _)| player).collect())
    }

    /// A mail has come from this address: what failed before counts no more.
    pub fn address_works(&self, address: &Address) -> Result<()> {
        let sql = "UPDATE addresses SET failed_days = 0, failed_on = NULL WHERE address_key = $1 AND failed_days > 0";
        self.db.execute(sql, &[&address.key()])?;
        Ok(())
    }

    /// Takes an address away from its player. What was mailed there ends: tokens that it holds are void.
    pub fn remove_address(&self, id: i64) -> Result<()> {
        let sql = "DELETE FROM addresses WHERE id = $1 RETURNING player";
        let player: Option<PlayerId> = self.db.find(sql, &[&id], |row| row.get(0))?;
        match player {
            Some(player) => self.raise_generation(player),
            None => Ok(()),
        }
    }

    /// These are a player's addresses from now on, and no others. Until one of them is confirmed the confirmed
    /// ones before stay beside them.
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
                self.db.execute(sql, &[&!is_kept, &row.id])?;
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
