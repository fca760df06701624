//! The server of the database, as configured.

use std::sync::Arc;

use super::Config;
use pbmserv_core::store::Server;
use pbmserv_mail::login::Login;

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
        let mut server = Server::new(&self.store.url, login)
            .map_err(|error| anyhow::anyhow!(self.placed(&format!("store.url: {error}"))))?;
        server.pg_dump.clone_from(&self.store.pg_dump);
        Ok(Some(Arc::new(server)))
    }
}
