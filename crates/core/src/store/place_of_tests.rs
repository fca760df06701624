//! The database of a unit test: a file in its folder, or one of PostgreSQL, if `tests/on-postgres` runs the tests.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::{Location, Server};

/// Where the database of this folder is. Each call makes another one at PostgreSQL.
pub(super) fn place(folder: &Path) -> Location {
    let Ok(server) = std::env::var("POSTGRES_OF_TESTS") else {
        return Location::File(folder.join("test.sqlite"));
    };
    static MADE: AtomicU32 = AtomicU32::new(0);
    let nth = MADE.fetch_add(1, Ordering::Relaxed);
    let name = format!("unit_{}_{nth}", std::process::id());
    let made = Command::new("psql")
        .args(["-X", "-q", "-d", &format!("{server}/postgres"), "-c"])
        .arg(format!("CREATE DATABASE {name} TEMPLATE pattern"))
        .output()
        .unwrap();
    assert!(made.status.success(), "{made:?}");
    Location::Server(Arc::new(Server::new(&format!("{server}/{name}"), None).unwrap()))
}
