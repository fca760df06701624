//! A server that waits, while another one has the engine of the database: it reads, and refuses everything else.

use std::sync::Arc;

use anyhow::Context as _;
use tokio::sync::Notify;

use crate::config::Config;
use pbmserv_core::store::{Error, Reader, refuse_older};

use super::configured::{letters, meters, settings};
use super::configured_folder::{data_folder, database_error};
use super::folder::Lock;
use super::server::{Core, NotOpened, Server};
use super::{Engine, TimeSource, keys};

impl Server {
    /// Opens a server without an engine.
    ///
    /// # Errors
    /// [`NotOpened`]; with a [`store::Error`](Error) if the database cannot be read now, or is of another version.
    pub fn waiting(config: &Config, clock: TimeSource) -> Result<(Arc<Self>, Lock), NotOpened> {
        let own = config
            .own_addresses()
            .ok_or_else(|| anyhow::anyhow!(config.placed("server.address is not a mail address")))?;
        let folder = data_folder(config)?;
        let lock = folder
            .lock()
            .map_err(|error| NotOpened::not_locked(config, error))?;
        let letters = Arc::new(letters(config, own.present())?);
        let read = || {
            let reader = Reader::open(folder.location())?;
            refuse_older(folder.location(), reader.migration()?)?;
            Ok(reader)
        };
        let reader = read().map_err(|error| database_error(config, &folder, error))?;
        // The first server makes it when it begins.
        let key = keys::load(&folder, &reader).map_err(|error| Error::Corrupt(format!("{error:#}")));
        let key = key.map_err(|error| database_error(config, &folder, error))?;
        let core = Core {
            settings: settings(config, &own),
            own,
            letters,
            key: Arc::new(key),
            folder,
            engine: Engine::elsewhere(),
            meters: meters(config)?,
            wake: Arc::new(Notify::new()),
            clock,
        };
        let server = Self::around(config, core).context("a server that waits")?;
        Ok((Arc::new(server), lock))
    }
}
