//! The server without its doors: the engine, the password checker, readers of the database. Doors and the
//! operator's verbs pass their messages to it.

use std::cell::RefCell;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;

use anyhow::Context as _;
use rand::SeedableRng;
use rand::rngs::StdRng;
use tokio::sync::{Notify, watch};

use crate::config::Config;
use pbmserv_core::command::{ComputerSettings, Secret, Settings};
use pbmserv_core::dispatch::{Handler, Witness};
use pbmserv_core::letters::Letters;
use pbmserv_core::store::{self, Holder, Reader, Store};
use pbmserv_mail::doors::Health;
use pbmserv_mail::outbox::{Identity, Reach};
use pbmserv_mail::{Address, Key, OwnAddresses};

use super::configured::{letters, limits, meters, settings};
use super::configured_folder::{data_folder, database_error};
use super::disk::Disk;
use super::exports::Exports;
use super::folder::{Folder, FolderError, Lock};
use super::keys;
use super::lanes::Lanes;
use super::meters::Meters;
use super::pages::Pages;
use super::passwords::{CheckError, Passwords};
use super::permissions;
use super::place;
use super::queue::OutboxQueue;
use super::readers::Readers;
use super::senders::Senders;
use super::thinking::Thinking;
use super::web_links::WebLinks;
use super::{Engine, Inspection, TimeSource};

/// The server without its doors.
pub struct Server {
    /// The data folder.
    pub folder: Folder,
    /// The room on its disk.
    pub disk: Arc<Disk>,
    /// The server's address.
    pub address: Address,
    /// The name of the server, as in `From`.
    pub name: String,
    /// The one writer.
    pub engine: Engine,
    /// The counters of `/metrics`.
    pub meters: Meters,
    /// Notified after each commit.
    pub wake: Arc<Notify>,
    /// The rows of the outbox, for the sender.
    pub rows: Arc<OutboxQueue>,
    /// The key of tokens.
    pub key: Arc<Key>,
    /// The threads in which computers think.
    pub thinking: Arc<Thinking>,
    pub(super) web: WebLinks,
    pub(super) pages: Arc<Pages>,
    pub(super) settings: Mutex<Settings>,
    /// Recognizes the envelope senders of our own mails, to which bounces come.
    pub(super) identity: Identity,
    /// Who says whether senders are authenticated.
    pub(super) witness: Witness,
    /// Finds it out, if nobody else says it.
    pub(super) senders: Senders,
    pub(super) passwords: Arc<Passwords>,
    /// Which addresses can be written to.
    pub(super) reach: Reach,
    pub(super) lanes: Lanes,
    pub(super) readers: Readers,
    /// What makes all that is stored of a player.
    pub(super) exports: Exports,
    pub(super) clock: TimeSource,
    /// The health of the doors that fetch mail, as soon as they are open.
    pub mailboxes: OnceLock<Vec<watch::Receiver<Health>>>,
    /// The reading of the whole database.
    pub inspection: Inspection,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server")
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}

/// What a server is made around.
pub(super) struct Core {
    pub(super) own: OwnAddresses,
    pub(super) folder: Folder,
    pub(super) letters: Arc<Letters>,
    pub(super) settings: Settings,
    pub(super) key: Arc<Key>,
    pub(super) engine: Engine,
    pub(super) meters: Meters,
    pub(super) wake: Arc<Notify>,
    pub(super) clock: TimeSource,
}

/// The engine's thread, to be joined when the server closes.
#[derive(Debug)]
pub struct Closing {
    engine: JoinHandle<()>,
    _lock: Lock,
}

impl Closing {
    /// Waits until the engine has finished all queued tasks. Every [`Server`] must be dropped first.
    pub fn wait(self) {
        if self.engine.join().is_err() {
            tracing::error!("the engine's thread ended in a panic");
        }
    }
}

/// Why the data folder cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum NotOpened {
    /// Another process uses the folder, perhaps only for a moment.
    #[error(transparent)]
    InUse(anyhow::Error),
    /// Another server has the engine of the database, which several can use: this one can wait for it.
    #[error(transparent)]
    Held(anyhow::Error),
    /// It is a copy of the folder of another server, which would send the same mails.
    #[error(transparent)]
    Copy(anyhow::Error),
    /// The operator must act: the folder is not writable, the database is newer than this program, a template
    /// is wrong.
    #[error(transparent)]
    Wrong(#[from] anyhow::Error),
}

/// What becomes of a data folder that is a copy of another.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Copies {
    Refused,
    /// It does not count as in use here.
    Opened,
}

impl NotOpened {
    /// The lock of the data folder was not given.
    #[must_use]
    pub fn not_locked(config: &Config, error: FolderError) -> Self {
        let not_opened = match error {
            FolderError::InUse(_) => Self::InUse,
            _ => Self::Wrong,
        };
        not_opened(anyhow::Error::from(error).context(config.placed("server.data")))
    }
}

impl Server {
    /// Opens the data folder and starts the engine, unless the database is of an older version. `seed` makes Message-IDs repeatable, for the demo and tests.
    ///
    /// # Errors
    /// [`NotOpened`].
    pub fn open(
        config: &Config,
        clock: TimeSource,
        seed: Option<u64>,
    ) -> Result<(Arc<Self>, Closing), NotOpened> {
        Self::open_unless(Copies::Refused, config, clock, seed)
    }

    /// The same for who sends nothing: the data folder may also be a copy, and stays one.
    ///
    /// # Errors
    /// [`NotOpened`], without [`NotOpened::Copy`].
    pub fn open_even_a_copy(
        config: &Config,
        clock: TimeSource,
        seed: Option<u64>,
    ) -> Result<(Arc<Self>, Closing), NotOpened> {
        Self::open_unless(Copies::Opened, config, clock, seed)
    }

    fn open_unless(
        copies: Copies,
        config: &Config,
        clock: TimeSource,
        seed: Option<u64>,
    ) -> Result<(Arc<Self>, Closing), NotOpened> {
        let own = config
            .own_addresses()
            .ok_or_else(|| anyhow::anyhow!(config.placed("server.address is not a mail address")))?;
        let folder = data_folder(config)?;
        let lock = folder
            .lock()
            .map_err(|error| NotOpened::not_locked(config, error))?;
        Self::open_locked(copies, config, clock, seed, own, folder, lock).map_err(|error| {
            match (error.downcast_ref(), error.downcast_ref()) {
                (Some(FolderError::Copy { .. } | FolderError::Moved { .. }), _) => NotOpened::Copy(error),
                (_, Some(store::Error::InUse { .. })) => NotOpened::Held(error),
                _ => NotOpened::Wrong(error),
            }
        })
    }

    fn open_locked(
        copies: Copies,
        config: &Config,
        clock: TimeSource,
        seed: Option<u64>,
        own: OwnAddresses,
        folder: Folder,
        lock: Lock,
    ) -> anyhow::Result<(Arc<Self>, Closing)> {
        let address = own.present().clone();
        let letters = Arc::new(letters(config, &address)?);
        folder
            .was_not_emptied()
            .with_context(|| config.placed("server.data"))?;
        // Before the database is opened: SQLite gives new files the mode of the database.
        permissions::close_to_others(&config.server.data).with_context(|| config.placed("server.data"))?;
        // Before it is written: a newer program would bring a copy to its migrations.
        if copies == Copies::Refused {
            folder
                .is_no_copy()
                .with_context(|| config.placed("server.data"))?;
        }
        let store = Store::open(folder.location()).map_err(|error| database_error(config, &folder, error))?;
        folder
            .has_its_key(store.is_new()?)
            .with_context(|| config.placed("server.data"))?;
        if copies == Copies::Refused {
            place::record(&store)?;
            store.note_address(&address, clock.now())?;
        }
        // After the database: a key without a database means that the database was lost.
        let key = Arc::new(keys::load_or_create(&folder, &store)?);
        let settings = settings(config, &own);
        let handler = Handler {
            settings: settings.clone(),
            limits: limits(config),
            letters: letters.clone(),
            key: key.clone(),
            rng: RefCell::new(seed.map_or_else(rand::make_rng, StdRng::seed_from_u64)),
            steady_since: clock.now(),
            results: Vec::new(),
        };
        let meters = meters(config)?;
        let wake = Arc::new(Notify::new());
        let (engine, thread) = Engine::start(
            store,
            handler,
            folder.clone(),
            clock.clone(),
            wake.clone(),
            meters.clone(),
        )?;
        let core = Core {
            own,
            folder,
            letters,
            settings,
            key,
            engine,
            meters,
            wake,
            clock,
        };
        let server = Self::around(config, core)?;
        Ok((
            Arc::new(server),
            Closing {
                engine: thread,
                _lock: lock,
            },
        ))
    }

    /// The server's addresses.
    #[must_use]
    pub fn own(&self) -> &OwnAddresses {
        self.identity.own()
    }

    /// Opens a read-only connection, for a thread that may wait.
    ///
    /// # Errors
    /// The database cannot be opened.
    pub fn reader(&self) -> store::Result<Reader> {
        Reader::open(self.folder.location())
    }

    /// Who has the engine; `None`: the database is a file.
    ///
    /// # Errors
    /// The database cannot be read now.
    pub async fn holder(&self) -> store::Result<Option<Holder>> {
        self.readers.ask(Reader::holder).await
    }

    /// Applies the limits and templates of a new configuration.
    ///
    /// # Errors
    /// The folder of templates is missing. Nothing was changed then.
    pub async fn reload(&self, config: &Config) -> anyhow::Result<()> {
        let letters = Arc::new(letters(config, &self.address)?);
        self.pages.change(letters.clone());
        let limits = limits(config);
        let old = self.settings();
        let new = Settings {
            confirm: old.confirm,
            has_pages: old.has_pages,
            has_web_notices: old.has_web_notices,
            directors: old.directors,
            reach: old.reach,
            ..settings(config, self.own())
        };
        let settings = new.clone();
        let changed = self.engine.change_handler(move |handler| {
            handler.letters = letters;
            handler.limits = limits;
            handler.settings = settings;
        });
        changed.await?;
        *self.settings.lock().unwrap_or_else(PoisonError::into_inner) = new;
        Ok(())
    }

    /// Which computers play what.
    #[must_use]
    pub fn computers(&self) -> ComputerSettings {
        self.settings().computers
    }

    /// When the next season begins of a league that nobody has joined; `None`: there are no leagues.
    #[must_use]
    pub fn next_season(&self) -> Option<chrono::DateTime<chrono::Utc>> {
        let settings = self.settings();
        let company = settings.company;
        (!company.seasons.is_empty()).then(|| company.next_season(self.now(), settings.digest_hour))
    }

    /// Whether a player is a director.
    #[must_use]
    pub fn is_director(&self, player: &pbmserv_core::table::Player) -> bool {
        self.settings().is_director(player)
    }

    /// Days for one turn on a ladder.
    #[must_use]
    pub fn ladder_days(&self) -> u32 {
        self.settings().company.ladder_days
    }

    fn settings(&self) -> Settings {
        self.settings
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// The time of day.
    #[must_use]
    pub fn now(&self) -> chrono::DateTime<chrono::Utc> {
        self.clock.now()
    }

    /// Hashes a password for the operator; returns a PHC string.
    ///
    /// # Errors
    /// The system provides no randomness, or the server is stopping.
    pub async fn hash_password(&self, password: String) -> Result<String, CheckError> {
        self.passwords.hash(Secret(password)).await
    }
}
