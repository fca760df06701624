//! The database, as configured.

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Config;
use crate::login::Login;
use crate::store::Server;

/// The database.
#[derive(Clone, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Store {
    /// A database at a server of PostgreSQL: `postgres://user@host/database`; empty: a file in the data folder.
    pub url: String,
    /// The file whose first line is the password of that user.
    pub password_file: PathBuf,
}

/// The URL may hold a password.
impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store").finish_non_exhaustive()
    }
}

impl Config {
    /// The server of the database; `None`: the database is a file in the data folder.
    ///
    /// # Errors
    /// One sentence that names the key and what to do.
    pub fn database_server(&self) -> anyhow::Result<Option<Arc<Server>>> {
        if self.store.url.is_empty() {
            return Ok(None);
        }
        let login = Login::configured("store", "password", &self.store.password_file, "")
            .map_err(|error| anyhow::anyhow!(self.placed(&error.to_string())))?;
        let server = Server::new(&self.store.url, login)
            .map_err(|error| anyhow::anyhow!(self.placed(&format!("store.url: {error}"))))?;
        Ok(Some(Arc::new(server)))
    }
}
