//! `key rotate`: a new key for the tokens of letters, while no server runs.

use anyhow::Context as _;
use chrono::{DateTime, Utc};
use clap::Subcommand;

use crate::config::Config;
use crate::engine::configured_folder::{database_error, existing_folder};
use crate::engine::folder::FolderError;
use crate::engine::{keys, permissions};
use pbmserv_core::store::Store;
use pbmserv_mail::Key;

use super::caller::Caller;

#[expect(missing_docs, reason = "what is documented here is printed by --help")]
#[derive(Clone, Debug, Subcommand)]
pub enum KeyVerb {
    /// Make a new key. Letters that were sent can still be answered. The server must not run.
    Rotate {
        /// Void all former keys, for a key that is lost or that others have seen: no letter that was sent can be answered.
        #[arg(long)]
        void: bool,
    },
}

impl KeyVerb {
    /// Carries it out. Returns what to print.
    ///
    /// # Errors
    /// A server runs, there is no folder, or no database in it, or the key cannot be read or written.
    pub fn run(&self, config: &Config, now: DateTime<Utc>) -> anyhow::Result<String> {
        let Self::Rotate { void } = *self;
        let folder = existing_folder(config)?;
        let _lock = folder.lock().map_err(|error| match error {
            FolderError::InUse(path) => {
                anyhow::anyhow!(
                    "a pbmserv uses the data folder {path}: stop it, and start it again afterwards"
                )
            }
            other => other.into(),
        })?;
        permissions::close_to_others(&config.server.data).with_context(|| config.placed("server.data"))?;
        anyhow::ensure!(
            !folder.has_database_file() || folder.database().exists(),
            "{}: there is no database here, so there is no letter that a key belongs to",
            folder.path().display()
        );
        folder
            .is_no_copy()
            .with_context(|| config.placed("server.data"))?;
        let store = Store::open(folder.location()).map_err(|error| database_error(config, &folder, error))?;
        let key = match void {
            true => Key::generate()?,
            false => keys::load(&folder, &store)
                .context("a lost key is replaced by pbmserv key rotate --void")?
                .rotated()?,
        };
        let about = if void { "void" } else { "" };
        // The log first: an entry without a new key misleads less than a new key without an entry.
        let entry = Caller::of_this_process().audited("key rotate", "all", about.to_owned(), String::new());
        store.add_audited(now, &entry)?;
        keys::replace(&folder, &store, &key)?;
        store.close_alone()?;
        Ok(said(void, key.former()))
    }
}

fn said(void: bool, former: usize) -> String {
    if void {
        return "The key is new, and no former one counts.\n\
                Answers to letters that were sent are refused: players write their password, or answer a newer letter.\n\
                Questions about addresses, tokens for passwords and links to leave have lost their value: who asks again gets a new one.\n\
                A mail that bounces from now on is not recognised if it was sent before.\n\
                Letters that wait to be sent get the new key.\n"
            .to_owned();
    }
    format!(
        "The key is new. Letters that were sent can still be answered: {former} of at most {} former keys count.\n\
         Make a backup: one made before has only the former key.\n",
        Key::MOST - 1
    )
}
