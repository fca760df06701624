//! Applies the missing migrations. The number of the last one is in the table `engine`.

use super::engine::Postgres;
use crate::store::Result;
use crate::store::migrations::{self, Migration};

/// Applies the missing migrations; `applying` is called with the number of each, and that of the last.
pub(super) fn run(writer: &Postgres, list: &[Migration], applying: &mut dyn FnMut(i64, i64)) -> Result<()> {
    let (found, newest) = (writer.migration()?, migrations::newest(list));
    if !migrations::lacks(list, &writer.server, found)? {
        return Ok(());
    }
    writer.run("BEGIN")?;
    let done = list
        .iter()
        .filter(|migration| migration.number > found)
        .try_for_each(|migration| {
            applying(migration.number, newest);
            writer.run(migration.postgres)
        });
    let done = done.and_then(|()| {
        writer.execute("UPDATE engine SET migration = $1", &[&newest])?;
        writer.run("COMMIT")
    });
    if done.is_err() {
        // Without a session the server has done it.
        let _ = writer.run("ROLLBACK");
    }
    done
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::location::Location;
    use crate::store::migrations::MIGRATIONS;
    use crate::store::migrations::tests::LATER;
    use crate::store::place_of_tests::place;
    use crate::store::{Error, Store, newest_migration};

    #[test]
    fn all_missing_migrations_are_applied_or_none() {
        let folder = tempfile::tempdir().unwrap();
        let place = place(folder.path());
        let Location::Server(server) = &place else {
            println!("left out: tests/on-postgres runs it");
            return;
        };
        drop(Store::open(&place).unwrap());
        let writer = Postgres::open_for_writing(server).unwrap();
        let run = |list: &[Migration]| {
            let mut applied = Vec::new();
            let done = run(&writer, list, &mut |number, of| applied.push((number, of)));
            (done.is_ok(), applied, writer.migration().unwrap())
        };
        let started = newest_migration();
        let all = vec![(101, 104), (103, 104), (104, 104)];
        assert_eq!(run(&LATER), (false, all, started));
        assert_eq!(run(&LATER[..3]), (true, vec![(101, 103), (103, 103)], 103));
        assert_eq!(run(&LATER[..3]), (true, vec![], 103));
        let sql = "SELECT COUNT(*) FROM mottos WHERE motto = 'none'";
        assert_eq!(writer.find(sql, &[], |row| row.get::<i64>(0)).unwrap(), Some(1));
        for found in [103_i64, 34] {
            writer
                .execute("UPDATE engine SET migration = $1", &[&found])
                .unwrap();
            assert!(!matches!(run(MIGRATIONS), (true, ..)));
        }
        drop(writer);
        assert!(matches!(Store::open(&place), Err(Error::Unreleased { .. })));
    }
}
