//! The server without its doors: the engine, the passwords, the readers. Doors and the operator's verbs hand
//! their messages in here.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use anyhow::Context as _;
use rand::SeedableRng;
use rand::rngs::StdRng;
use sha2::{Digest, Sha256};
use tokio::sync::Notify;

use crate::command::{Script, Sender, Settings, says_confirm};
use crate::config::Config;
use crate::dispatch::{self, Desk, Handled, Request, Returned};
use crate::doors::{Intake, Mark, Message, Verdict};
use crate::letters::Letters;
use crate::mail::{self, Address, Key};
use crate::outbox::House;
use crate::store::{Reader, Store};

use super::engine::{Clock, Engine, Job, Report, Unavailable};
use super::folder::{Folder, FolderError, Lock};
use super::meters::{self, Meters};
use super::pages::Pages;
use super::passwords::Passwords;
use super::queue::Rows;

/// How often a message goes back for another check of its passwords: only when accounts change at the same
/// moment.
const CHECKS: u32 = 5;

/// The server without its doors.
pub struct Office {
    /// The data folder.
    pub folder: Folder,
    /// The server's address.
    pub address: Address,
    /// The one writer.
    pub engine: Engine,
    /// What is counted for a monitoring.
    pub meters: Meters,
    /// Notified after each commit.
    pub wake: Arc<Notify>,
    /// The rows of the outbox, for the sender.
    pub rows: Arc<Rows>,
    /// The key of tokens.
    pub key: Arc<Key>,
    pages: Arc<Pages>,
    settings: Mutex<Settings>,
    /// Knows the envelope senders of our mails.
    house: House,
    /// The mail server whose word about senders is needed; `None`: senders are believed.
    authserv_id: Option<String>,
    passwords: Arc<Passwords>,
    clock: Clock,
}

impl std::fmt::Debug for Office {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Office")
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}

/// What is to be waited for when the office closes.
#[derive(Debug)]
pub struct Closing {
    engine: JoinHandle<()>,
    _lock: Lock,
}

impl Closing {
    /// Waits until the engine has done all that was handed in. Every [`Office`] must be dropped before.
    pub fn wait(self) {
        if self.engine.join().is_err() {
            tracing::error!("the engine's thread ended in a panic");
        }
    }
}

/// Why the data folder cannot be opened: one sentence.
#[derive(Debug, thiserror::Error)]
pub enum NotOpened {
    /// Another process uses the folder, perhaps for a moment only.
    #[error(transparent)]
    InUse(anyhow::Error),
    /// The operator has to do something: the folder is unwritable, the database newer, a template wrong.
    #[error(transparent)]
    Wrong(#[from] anyhow::Error),
}

impl Office {
    /// Opens the data folder and starts the engine. `seed` makes Message-IDs repeatable, for the demo and tests.
    ///
    /// # Errors
    /// [`NotOpened`].
    pub fn open(config: &Config, clock: Clock, seed: Option<u64>) -> Result<(Arc<Self>, Closing), NotOpened> {
        let address = config
            .address()
            .ok_or_else(|| anyhow::anyhow!(config.placed("server.address is no mail address")))?;
        let folder = data_folder(config)?;
        let lock = folder.lock().map_err(|error| {
            let not_opened = match error {
                FolderError::InUse(_) => NotOpened::InUse,
                _ => NotOpened::Wrong,
            };
            not_opened(anyhow::Error::from(error).context(config.placed("server.data")))
        })?;
        Ok(Self::open_locked(config, clock, seed, address, folder, lock)?)
    }

    fn open_locked(
        config: &Config,
        clock: Clock,
        seed: Option<u64>,
        address: Address,
        folder: Folder,
        lock: Lock,
    ) -> anyhow::Result<(Arc<Self>, Closing)> {
        let letters = Arc::new(letters(config, &address)?);
        folder
            .was_not_emptied()
            .with_context(|| config.placed("server.data"))?;
        let store = Store::open(&folder.database()).map_err(|error| {
            let (path, remedy) = (folder.database(), error.remedy());
            anyhow::anyhow!(config.placed(&format!("server.data: {}: {error}: {remedy}", path.display())))
        })?;
        // After the database: a key without one tells that there was one.
        let key = Arc::new(Key::load_or_create(&folder.key())?);
        let pages = Arc::new(Pages::new(address.clone(), key.clone(), letters.clone()));
        let settings = settings(config, &address);
        let desk = Desk {
            settings: settings.clone(),
            limits: limits(config),
            letters,
            key: key.clone(),
            rng: seed.map_or_else(rand::make_rng, StdRng::seed_from_u64),
            steady_since: clock.now(),
            judged: Vec::new(),
        };
        let meters = match config.http.listen.is_empty() {
            true => Meters::off(),
            false => Meters::on()?,
        };
        let wake = Arc::new(Notify::new());
        let (engine, thread) = Engine::start(
            store,
            desk,
            folder.clone(),
            clock.clone(),
            wake.clone(),
            meters.clone(),
        )?;
        let reader = Reader::open(&folder.database())?;
        let rows = Arc::new(Rows::new(
            reader,
            engine.clone(),
            key.clone(),
            pages.clone(),
            meters.clone(),
        ));
        let passwords = Arc::new(Passwords::new(folder.database(), Key::generate()?));
        let house = House::new(address.clone(), config.server.name.clone(), (*key).clone())
            .with_context(|| config.placed("server.address"))?;
        let office = Self {
            house,
            authserv_id: config.auth.authserv_id().map(str::to_owned),
            folder,
            address,
            engine,
            meters,
            wake,
            rows,
            key,
            pages,
            settings: Mutex::new(settings),
            passwords,
            clock,
        };
        Ok((
            Arc::new(office),
            Closing {
                engine: thread,
                _lock: lock,
            },
        ))
    }

    /// A connection that only looks.
    ///
    /// # Errors
    /// The database cannot be opened any more.
    pub fn reader(&self) -> crate::store::Result<Reader> {
        Reader::open(&self.folder.database())
    }

    /// Takes over the limits and templates of a configuration.
    ///
    /// # Errors
    /// A template is wrong: then nothing is taken over.
    pub async fn reload(&self, config: &Config) -> anyhow::Result<()> {
        let letters = Arc::new(letters(config, &self.address)?);
        self.pages.change(letters.clone());
        let limits = limits(config);
        let old = self.settings();
        let new = Settings {
            confirm: old.confirm,
            directors: old.directors,
            ..settings(config, &self.address)
        };
        let settings = new.clone();
        let changed = self.engine.change_desk(move |desk| {
            desk.letters = letters;
            desk.limits = limits;
            desk.settings = settings;
        });
        changed.await?;
        *self.settings.lock().unwrap_or_else(PoisonError::into_inner) = new;
        Ok(())
    }

    fn settings(&self) -> Settings {
        self.settings
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// The time.
    #[must_use]
    pub fn now(&self) -> chrono::DateTime<chrono::Utc> {
        self.clock.now()
    }

    /// Reads a message.
    ///
    /// # Errors
    /// It cannot be read, in one sentence.
    pub fn read(&self, door: &'static str, message: &Message) -> Result<Request, mail::Unreadable> {
        let incoming = mail::read(
            &message.bytes,
            &message.envelope,
            &mail::House {
                address: &self.address,
            },
        )?;
        let mut text = incoming.text.join("\n");
        if incoming.is_cut {
            text.push_str("\n[The mail is longer; the rest is not read.]");
        }
        let subject = mail::plain(&mail::clean_subject(&incoming.subject));
        let returned = self
            .house
            .bounced(&message.envelope.recipient)
            .map(|mail| Returned {
                mail,
                failure: incoming
                    .delivery_report
                    .as_ref()
                    .filter(|report| report.class == 5)
                    .map(|report| report.status.clone()),
            });
        Ok(Request {
            door,
            sender: self.sender(message, &incoming),
            reverse_path: message.envelope.sender.clone(),
            returned,
            recipient: message.envelope.recipient.clone(),
            message_id: incoming.message_id,
            in_reply_to: incoming.in_reply_to,
            identity: incoming.digest.or(message.mark.map(Mark::digest)),
            digest: Sha256::digest(&message.bytes).into(),
            silence: incoming.silence.map(|silence| silence.to_string()),
            script: Script::read(&subject, &text),
            says_confirm: says_confirm(&text) || says_confirm(&subject),
            comment: text,
            subject,
            bytes: message.bytes.clone(),
        })
    }

    /// Who wrote, as far as it may be believed.
    fn sender(&self, message: &Message, incoming: &mail::Incoming) -> Sender {
        let from = incoming.from.clone();
        match &self.authserv_id {
            None => Sender {
                envelope: message.envelope.sender.clone(),
                from,
                is_believed: true,
            },
            Some(id) if incoming.passed_dmarc(id) => Sender {
                envelope: from.clone(),
                from,
                is_believed: true,
            },
            Some(_) => Sender {
                envelope: message.envelope.sender.clone(),
                from,
                is_believed: false,
            },
        }
    }

    /// Checks the passwords of a message and has it handled.
    ///
    /// # Errors
    /// [`Unavailable`]: nothing was done; it may be tried again later.
    pub async fn handle(
        &self,
        request: Request,
        is_rehearsal: bool,
        wants_letters: bool,
    ) -> Result<Report, Unavailable> {
        let door = request.door;
        let handled = self.handle_uncounted(request, is_rehearsal, wants_letters).await;
        if !is_rehearsal {
            let fate = handled.as_ref().map_or(meters::DEFERRED, |report| &report.fate.0);
            self.meters.came_in(door, fate);
        }
        handled
    }

    async fn handle_uncounted(
        &self,
        request: Request,
        is_rehearsal: bool,
        wants_letters: bool,
    ) -> Result<Report, Unavailable> {
        let request = Arc::new(request);
        for _ in 0..CHECKS {
            let checked = self
                .passwords
                .check(&request.script, &request.sender, &self.settings(), self.now())
                .await;
            let proofs = checked.map_err(|error| Unavailable(error.to_string()))?;
            let job = Job {
                request: request.clone(),
                proofs,
                is_rehearsal,
                wants_letters,
            };
            let report = self.engine.handle(job).await?;
            if report.handled != Handled::Check {
                return Ok(report);
            }
        }
        Err(Unavailable(
            "the account changed while its password was checked".into(),
        ))
    }

    async fn take(&self, door: &'static str, message: Message) -> Verdict {
        let started = std::time::Instant::now();
        let request = match catch_unwind(AssertUnwindSafe(|| self.read(door, &message))) {
            Ok(Ok(request)) => request,
            Ok(Err(unreadable)) => {
                self.meters.came_in(door, meters::UNUSABLE);
                tracing::info!(door, sender = masked_address(message.envelope.sender.as_ref()), why = %unreadable, "mail unusable");
                return Verdict::Unusable(unreadable.to_string());
            }
            // It would fail again however often it came: better its sender is told than that it is repeated.
            Err(_) => {
                tracing::error!(door, "reading a message failed");
                self.meters.came_in(door, meters::UNUSABLE);
                return Verdict::Unusable(
                    "the message cannot be read, through a fault of this server".into(),
                );
            }
        };
        let commands = request.script.unjudged();
        let sender = masked_address(request.sender.envelope.as_ref());
        match self.handle(request, false, false).await {
            Ok(report) => {
                let id = match report.handled {
                    Handled::Recorded(id) | Handled::Duplicate(id) => id,
                    Handled::Check => 0,
                };
                let (fate, why) = report.fate;
                let why = why.unwrap_or_default();
                let took = started.elapsed();
                self.meters.message(took);
                let milliseconds = took.as_millis();
                let first = report.commands.first;
                let verb = first.and_then(|first| first.verb).unwrap_or_default();
                let board = first.and_then(|first| first.board);
                let board = board.map(|(game, number)| format!("{game}.{number}"));
                let board = board.unwrap_or_default();
                tracing::info!(
                    id,
                    door,
                    sender,
                    fate,
                    why,
                    verb,
                    board,
                    commands = report.commands.count,
                    command = commands,
                    milliseconds,
                    "mail"
                );
                Verdict::Accepted(id)
            }
            Err(unavailable) => {
                // Whoever found the trouble has told it, once and not for each mail.
                tracing::info!(door, sender, why = %unavailable, "mail not taken");
                Verdict::TryLater(unavailable.to_string())
            }
        }
    }

    /// The intake of one door.
    #[must_use]
    pub fn door(self: &Arc<Self>, name: &'static str) -> Door {
        Door {
            office: self.clone(),
            name,
        }
    }
}

/// The office as a door sees it.
#[derive(Clone, Debug)]
pub struct Door {
    office: Arc<Office>,
    name: &'static str,
}

impl Intake for Door {
    fn is_ours(&self, recipient: &Address) -> bool {
        recipient.is_delivered_to(&self.office.address)
    }

    async fn submit(&self, message: Message) -> Verdict {
        self.office.take(self.name, message).await
    }
}

/// The data folder of a configuration.
///
/// # Errors
/// It cannot be made; the sentence names the place of its key.
pub fn data_folder(config: &Config) -> anyhow::Result<Folder> {
    Folder::open(&config.server.data).with_context(|| config.placed("server.data"))
}

fn letters(config: &Config, address: &Address) -> anyhow::Result<Letters> {
    let folder = config.templates.folder.as_path();
    if folder.as_os_str().is_empty() {
        return Ok(Letters::load(None, address)?);
    }
    let shown = folder.display();
    if !folder.is_dir() {
        anyhow::bail!(config.placed(&format!(
            "templates.folder: {shown} is no folder: make it, or name none"
        )));
    }
    Letters::load(Some(folder), address).with_context(|| {
        config.placed(&format!(
            "templates.folder: in {shown}, mend the file or remove it"
        ))
    })
}

const fn limits(config: &Config) -> dispatch::Limits {
    dispatch::Limits {
        mails_an_hour: config.limits.mails_an_hour,
        refusals_a_day: config.limits.refusals_a_day,
        answers_a_day: config.limits.answers_a_day,
        strangers_answers_a_day: config.limits.strangers_answers_a_day,
    }
}

fn settings(config: &Config, address: &Address) -> Settings {
    Settings {
        address: address.clone(),
        confirm: config.accounts.confirm,
        guesses_from_one: config.limits.wrong_passwords_from_one,
        guesses_from_all: config.limits.wrong_passwords_from_all,
        questions_a_day: config.limits.questions_a_day,
        digest_hour: config.accounts.digest_hour,
        asks_a_day: config.limits.asks_a_day,
        challenges_a_day: config.limits.challenges_a_day,
        messages_a_day: config.limits.messages_a_day,
        directors: config.server.directors.clone(),
    }
}

/// `a***@example.org`: enough for the operator to know whom, no more than a log should hold.
fn masked_address(address: Option<&Address>) -> String {
    let Some(address) = address else {
        return "<>".to_owned();
    };
    let first: String = address.local().chars().take(1).collect();
    format!("{first}***@{}", address.domain())
}

/// A reader that several tasks share.
pub(super) type SharedReader = Arc<Mutex<Reader>>;
