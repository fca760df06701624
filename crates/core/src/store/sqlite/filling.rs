//! Filling tables with the rows of another database.

use super::{Sqlite, Table};
use crate::store::Result;
use crate::store::value::{Kept, ToValue};

impl Sqlite {
    /// Adds rows, all within the open transaction.
    pub(in crate::store) fn fill(&self, table: &Table, rows: &[Vec<Kept>]) -> Result<()> {
        let places: Vec<_> = (1..=table.columns.len())
            .map(|place| format!("${place}"))
            .collect();
        let sql = format!(
            "INSERT INTO {} ({}) VALUES ({})",
            table.name,
            table.listed(),
            places.join(", ")
        );
        for row in rows {
            let values: Vec<&dyn ToValue> = row.iter().map(|value| value as &dyn ToValue).collect();
            self.execute(&sql, &values)?;
        }
        Ok(())
    }

    /// Removes all rows.
    pub(in crate::store) fn clear(&self, tables: &[Table]) -> Result<()> {
        tables
            .iter()
            .rev()
            .try_for_each(|table| self.run(&format!("DELETE FROM {}", table.name)))
    }
}
