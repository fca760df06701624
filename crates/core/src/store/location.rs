//! Where the database is.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::postgres::Server;

/// Where the database is: in a file, by SQLite, which is part of this program; or at a server of PostgreSQL.
#[derive(Clone, Debug)]
pub enum Location {
    /// SQLite.
    File(PathBuf),
    /// PostgreSQL.
    Server(Arc<Server>),
}

impl Location {
    /// The file; `None`: the database has none.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            Self::Server(_) => None,
        }
    }

    /// Whether servers on several machines can use the database, of which one has the engine.
    #[must_use]
    pub const fn is_shared(&self) -> bool {
        matches!(self, Self::Server(_))
    }
}

/// For messages, without any secret.
impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(f),
            Self::Server(server) => server.fmt(f),
        }
    }
}

impl From<&Path> for Location {
    fn from(path: &Path) -> Self {
        Self::File(path.to_owned())
    }
}

impl From<PathBuf> for Location {
    fn from(path: PathBuf) -> Self {
        Self::File(path)
    }
}

impl From<&PathBuf> for Location {
    fn from(path: &PathBuf) -> Self {
        Self::File(path.clone())
    }
}

impl From<&Self> for Location {
    fn from(location: &Self) -> Self {
        location.clone()
    }
}
