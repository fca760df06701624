//! Builds a server around its engine.

use std::sync::{Arc, Mutex, OnceLock};

use anyhow::Context as _;

use crate::config::Config;
use pbmserv_core::store::Reader;
use pbmserv_mail::Key;
use pbmserv_mail::outbox::Identity;

use super::configured::witness;
use super::disk::Disk;
use super::exports::Exports;
use super::inspection::Inspection;
use super::lanes::Lanes;
use super::pages::Pages;
use super::passwords::Passwords;
use super::queue::OutboxQueue;
use super::readers::{Readers, SESSIONS};
use super::senders::Senders;
use super::server::{Core, Server};
use super::thinking::Thinking;
use super::web_links::WebLinks;

impl Server {
    /// The parts around an engine.
    ///
    /// # Errors
    /// The database cannot be read, or a part of the configuration cannot be used.
    pub(super) fn around(config: &Config, core: Core) -> anyhow::Result<Self> {
        let Core {
            own,
            folder,
            letters,
            settings,
            key,
            engine,
            meters,
            wake,
            clock,
        } = core;
        let address = own.present().clone();
        let pages = Arc::new(Pages::new(address.clone(), letters));
        let reader = Reader::open(folder.location())?;
        let exports = Exports::new(folder.location(), address.clone(), clock.clone());
        let rows = Arc::new(OutboxQueue::new(
            reader,
            engine.clone(),
            key.clone(),
            pages.clone(),
            meters.clone(),
            WebLinks::new(&config.web),
            exports.clone(),
        ));
        let readers = Readers::new(folder.location(), SESSIONS);
        let thinking = Thinking::new(
            engine.clone(),
            readers.clone(),
            meters.clone(),
            clock.clone(),
            config.bots.threads,
        );
        let inspection = Inspection::new(engine.clone(), readers.clone(), clock.clone());
        let passwords = Arc::new(Passwords::new(readers.clone(), Key::generate()?));
        let identity = Identity::new(own, config.server.name.clone(), (*key).clone())
            .with_context(|| config.placed("server.address"))?;
        Ok(Self {
            identity,
            reach: settings.reach.clone(),
            witness: witness(config),
            senders: Senders::new(config, meters.clone())?,
            disk: Arc::new(Disk::new(folder.path(), config.server.min_free_bytes)),
            folder,
            address,
            name: config.server.name.clone(),
            engine,
            meters,
            wake,
            rows,
            key,
            thinking: Arc::new(thinking),
            web: WebLinks::new(&config.web),
            pages,
            settings: Mutex::new(settings),
            passwords,
            lanes: Lanes::new(readers.clone()),
            readers,
            exports,
            mailboxes: OnceLock::new(),
            inspection,
            clock,
        })
    }
}
