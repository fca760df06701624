//! The whole of a database into another one, of either engine: table by table in the order of their keys, some rows a commit.
//!
//! What a kill leaves in the target is the beginning of the tables in their order, and a note that keeps every server out. The next
//! attempt compares that beginning with the source and goes on behind it. At the end all tables are compared: the rows are
//! counted, and a digest is made of their values, on both sides alike.

use std::ops::ControlFlow;

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

use super::database::Database;
use super::location::Location;
use super::migrations::refuse_older;
use super::sqlite::{Table, tables};
use super::value::{Kept, ToValue};
use super::{Error, Reader, Result, Store};

/// The note in the target that names the source until the copy is complete.
const UNFINISHED: &str = "unfinished_copy_of";

/// Facts about a server are copied last, but for those of the place where it was.
const NOTES: &str = "notes";

/// One commit has at most so many rows, and about so many bytes.
const MAX_ROWS: usize = 10_000;
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// What the target is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// Nobody has used it.
    Empty,
    /// A copy of this database was begun in it.
    Begun {
        /// The place of the source.
        from: String,
    },
    /// It has players, or letters.
    Used,
}

/// What a transfer is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moving {
    /// Rows that an earlier attempt has copied are compared.
    Resuming,
    /// The source has changed since that attempt: what it copied was removed.
    Anew,
    /// Rows are copied.
    Copying,
    /// All rows are compared.
    Comparing,
}

/// What was copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copied {
    /// How many tables.
    pub tables: usize,
    /// How many rows.
    pub rows: u64,
    /// The SHA-256 of all values, the same on both sides, in hexadecimal digits.
    pub digest: String,
}

/// A copy on its way. Both databases are open for writing, so no server has either.
#[derive(Debug)]
pub struct Transfer {
    from: Store,
    to: Store,
    tables: Vec<Table>,
    rows: u64,
}

impl Transfer {
    /// Opens both databases; creates the tables of the target.
    ///
    /// # Errors
    /// A server has one of them, one cannot be opened, or the source is not at the newest migration.
    pub fn open(from: &Location, to: &Location) -> Result<Self> {
        // Without a look first an empty database would get tables.
        let found = Database::open_for_reading(from)?.migration()?;
        if found == 0 {
            return Err(Error::Corrupt(format!("{from} is no database of pbmserv")));
        }
        refuse_older(from, found)?;
        let from = Database::open_for_writing(from)?;
        let to = Database::open_migrated(to, &mut |_, _| ())?;
        from.remember_file()?;
        to.remember_file()?;
        let mut tables = tables()?;
        tables.retain(|table| table.name != NOTES);
        let mut rows: u64 = 0;
        for table in &tables {
            let sql = format!("SELECT COUNT(*) FROM {}", table.name);
            rows += u64::try_from(from.one(&sql, &[], |row| row.get::<i64>(0))?).unwrap_or_default();
        }
        Ok(Self {
            from: Store::of(from),
            to: Store::of(to),
            tables,
            rows,
        })
    }

    /// The source.
    #[must_use]
    pub const fn from(&self) -> &Store {
        &self.from
    }

    /// The target.
    #[must_use]
    pub const fn to(&self) -> &Store {
        &self.to
    }

    /// The rows of the source.
    #[must_use]
    pub const fn rows(&self) -> u64 {
        self.rows
    }

    /// What the target is.
    pub fn target(&self) -> Result<Target> {
        self.to.as_target()
    }

    /// Copies all rows that the target lacks, and compares all. The target stays closed to servers.
    ///
    /// # Errors
    /// For example, a connection is lost: the next attempt goes on. [`Error::Unequal`]: a begun copy is that of another
    /// database, or both are not equal in the end.
    pub fn run(&self, at: &mut dyn FnMut(Moving, u64)) -> Result<Copied> {
        let place = self.from.location().to_string();
        match self.target()? {
            Target::Empty => self.begin(&place)?,
            Target::Used => return Err(Error::NotEmpty(self.to.location().to_string())),
            Target::Begun { from } => match self.compare(false, &mut |rows| at(Moving::Resuming, rows)) {
                Err(Error::Unequal(_)) if from == place => {
                    at(Moving::Anew, 0);
                    self.begin(&place)?;
                }
                compared => drop(compared?),
            },
        }
        let mut rows = 0;
        for table in &self.tables {
            self.copy(table, &mut rows, at)?;
        }
        self.compare(true, &mut |rows| at(Moving::Comparing, rows))
    }

    /// Empties the target, and notes what is going to be in it.
    fn begin(&self, from: &str) -> Result<()> {
        self.within(|| {
            self.to.db.clear(&self.tables)?;
            self.to.set_note(UNFINISHED, from)
        })
    }

    /// Copies the rows of a table that follow the last one of the target.
    fn copy(&self, table: &Table, rows: &mut u64, at: &mut dyn FnMut(Moving, u64)) -> Result<()> {
        let (from, to) = (&self.from.db, &self.to.db);
        let sql = format!("SELECT COUNT(*) FROM {}", table.name);
        *rows += u64::try_from(to.one(&sql, &[], |row| row.get::<i64>(0))?).unwrap_or_default();
        let order: Vec<_> = table.key.iter().map(|column| format!("{column} DESC")).collect();
        let (listed, order) = (table.listed(), order.join(", "));
        let sql = format!("SELECT {listed} FROM {} ORDER BY {order} LIMIT 1", table.name);
        let mut last = to.find(&sql, &[], |row| read(row, table))?;
        loop {
            at(Moving::Copying, *rows);
            let page = page(from, table, last.as_ref(), MAX_ROWS, MAX_BYTES)?;
            if page.is_empty() {
                return Ok(());
            }
            self.within(|| to.fill(table, &page))?;
            *rows += page.len() as u64;
            last = page.into_iter().next_back();
        }
    }

    /// Compares both databases: all rows, or those that the target has.
    fn compare(&self, all: bool, at: &mut dyn FnMut(u64)) -> Result<Copied> {
        let (mut rows, mut whole) = (0, Sha256::new());
        for table in &self.tables {
            let mut digests = [Sha256::new(), Sha256::new()];
            let mut last = None;
            loop {
                at(rows);
                let theirs = page(&self.to.db, table, last.as_ref(), MAX_ROWS, MAX_BYTES)?;
                let most = match all {
                    true => theirs.len().max(1),
                    false => theirs.len(),
                };
                let ours = match most {
                    0 => Vec::new(),
                    most => page(&self.from.db, table, last.as_ref(), most, usize::MAX)?,
                };
                for (digest, page) in digests.iter_mut().zip([&ours, &theirs]) {
                    page.iter().flatten().for_each(|value| add(digest, value));
                }
                if ours.len() != theirs.len()
                    || digests[0].clone().finalize() != digests[1].clone().finalize()
                {
                    return Err(Error::Unequal(table.name.clone()));
                }
                rows += theirs.len() as u64;
                match theirs.into_iter().next_back() {
                    Some(row) => last = Some(row),
                    None => break,
                }
            }
            let [digest, _] = digests;
            whole.update(digest.finalize());
        }
        Ok(Copied {
            tables: self.tables.len(),
            rows,
            digest: HEXLOWER.encode(&whole.finalize()),
        })
    }

    /// Copies the notes but for those of the place where a server was, does what the caller adds, and opens the target to
    /// servers, all in one commit. Returns the target.
    ///
    /// # Errors
    /// The target stays closed, or nobody knows: then the next attempt finds it out.
    pub fn finish(self, without: &[&str], add: impl FnOnce(&Store) -> Result<()>) -> Result<Store> {
        let sql = "SELECT name, value FROM notes ORDER BY name";
        let mut notes: Vec<(String, String)> =
            self.from.db.all(sql, &[], |row| Ok((row.get(0)?, row.get(1)?)))?;
        notes.retain(|(name, _)| name != UNFINISHED && !without.contains(&name.as_str()));
        self.within(|| {
            self.to.db.execute("DELETE FROM notes", &[])?;
            for (name, value) in &notes {
                self.to.set_note(name, value)?;
            }
            for table in self.tables.iter().filter(|table| table.is_numbered) {
                self.to.db.go_on_numbering(table)?;
            }
            add(&self.to)
        })?;
        Ok(self.to)
    }

    /// A transaction of the target.
    fn within(&self, change: impl FnOnce() -> Result<()>) -> Result<()> {
        let to = &self.to.db;
        to.begin()?;
        let done = change().and_then(|()| to.commit());
        if done.is_err() {
            to.rollback();
        }
        done
    }
}

impl Reader {
    /// What it is to a copy that is to be made into it.
    pub fn as_target(&self) -> Result<Target> {
        if self.migration()? == 0 {
            return Ok(Target::Empty);
        }
        Ok(match self.note(UNFINISHED)? {
            Some(from) => Target::Begun { from },
            None if self.is_new()? => Target::Empty,
            None => Target::Used,
        })
    }

    /// Refuses a database whose copy is not finished.
    ///
    /// # Errors
    /// [`Error::Unfinished`]
    pub fn is_finished(&self) -> Result<()> {
        match self.note(UNFINISHED)? {
            Some(from) => Err(Error::Unfinished {
                database: self.location().to_string(),
                from,
            }),
            None => Ok(()),
        }
    }
}

/// The rows that follow this one: so many, or fewer if they are large.
pub(super) fn page(
    db: &Database,
    table: &Table,
    last: Option<&Vec<Kept>>,
    rows: usize,
    bytes: usize,
) -> Result<Vec<Vec<Kept>>> {
    let rows = i64::try_from(rows).unwrap_or(i64::MAX);
    let mut values: Vec<&dyn ToValue> = Vec::new();
    let after = match last {
        None => String::new(),
        Some(last) => {
            for key in &table.key {
                let mut columns = table.columns.iter().zip(last);
                let found = columns.find(|(column, _)| *column == key);
                values.extend(found.map(|(_, value)| value as &dyn ToValue));
            }
            let places: Vec<_> = (1..=values.len()).map(|place| format!("${place}")).collect();
            format!(" WHERE ({}) > ({})", table.listed_key(), places.join(", "))
        }
    };
    values.push(&rows);
    let sql = format!(
        "SELECT {} FROM {}{after} ORDER BY {} LIMIT ${}",
        table.listed(),
        table.name,
        table.listed_key(),
        values.len()
    );
    let (mut page, mut size) = (Vec::new(), 0);
    db.each(&sql, &values, |row| {
        let row = read(row, table)?;
        size += row.iter().map(weight).sum::<usize>();
        page.push(row);
        Ok(match size < bytes {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        })
    })?;
    Ok(page)
}

fn read(row: &super::row::Row<'_>, table: &Table) -> Result<Vec<Kept>> {
    (0..table.columns.len()).map(|column| row.get(column)).collect()
}

const fn weight(value: &Kept) -> usize {
    match value {
        Kept::Text(text) => text.len(),
        Kept::Blob(bytes) => bytes.len(),
        Kept::Null | Kept::Int(_) | Kept::Real(_) => 8,
    }
}

/// Adds a value to a digest. Its type and its length stand before it, so that no two rows have the same bytes.
fn add(digest: &mut Sha256, value: &Kept) {
    let mut put = |kind: u8, bytes: &[u8]| {
        digest.update([kind]);
        digest.update((bytes.len() as u64).to_be_bytes());
        digest.update(bytes);
    };
    match value {
        Kept::Null => put(0, &[]),
        Kept::Int(number) => put(1, &number.to_be_bytes()),
        Kept::Real(number) => put(2, &number.to_bits().to_be_bytes()),
        Kept::Text(text) => put(3, text.as_bytes()),
        Kept::Blob(bytes) => put(4, bytes),
    }
}
