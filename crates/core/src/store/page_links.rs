//! The links of players to their pages, which can be replaced.

use crate::table::PlayerId;

use super::{Reader, Result, Store};

impl Reader {
    /// How often the links of a player were replaced.
    pub fn page_links(&self, player: PlayerId) -> Result<i64> {
        let sql = "SELECT renewed FROM page_links WHERE player = $1";
        Ok(self.db.find(sql, &[&player], |row| row.get(0))?.unwrap_or(0))
    }
}

impl Store {
    /// Makes all links of a player invalid, so that the next letter brings new ones.
    pub fn renew_page_links(&self, player: PlayerId) -> Result<()> {
        let sql = "INSERT INTO page_links (player, renewed) VALUES ($1, 1) \
                   ON CONFLICT (player) DO UPDATE SET renewed = page_links.renewed + 1";
        self.db.write(sql, &[&player])?;
        Ok(())
    }
}
