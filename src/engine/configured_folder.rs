//! The data folder of a configuration and its database, and what is said if they cannot be used.

use anyhow::Context as _;

use crate::config::Config;
use pbmserv_core::store;

use super::folder::Folder;

/// The data folder of a configuration, which must be there.
///
/// # Errors
/// It is missing. The message names the configuration key and where it is set.
pub fn existing_folder(config: &Config) -> anyhow::Result<Folder> {
    let folder = Folder::existing(&config.server.data).with_context(|| config.placed("server.data"))?;
    Ok(folder.with(config.database_server()?))
}

/// Why the database cannot be opened, and the remedy.
#[must_use]
pub fn database_fault(config: &Config, folder: &Folder, error: &store::Error) -> String {
    let (place, remedy) = (folder.location(), error.remedy());
    let key = match folder.has_database_file() {
        true => "server.data",
        false => "store.url",
    };
    config.placed(&match error {
        // They say it all.
        store::Error::Newer { .. } | store::Error::Older { .. } | store::Error::Unreleased { .. } => {
            format!("{key}: {error}")
        }
        _ => format!("{key}: {place}: {error}: {remedy}"),
    })
}

/// The same as an error.
#[must_use]
pub fn database_error(config: &Config, folder: &Folder, error: store::Error) -> anyhow::Error {
    let said = database_fault(config, folder, &error);
    anyhow::Error::from(error).context(said)
}

/// Opens the data folder of a configuration, or makes it.
///
/// # Errors
/// It cannot be created. The message names the configuration key and where it is set.
pub fn data_folder(config: &Config) -> anyhow::Result<Folder> {
    let folder = Folder::open(&config.server.data).with_context(|| config.placed("server.data"))?;
    Ok(folder.with(config.database_server()?))
}
