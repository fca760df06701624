//! What all pages share: the server, where the pages are, who may see them.

use std::net::IpAddr;
use std::sync::Arc;

use anyhow::Context as _;
use chrono::{DateTime, Utc};
use hyper::HeaderMap;
use tokio::sync::Semaphore;
use url::Url;

use crate::config::Web;
use crate::engine::readers::{Readers, SESSIONS};
use crate::engine::server::Server;
use pbmserv_core::store::Reader;
use pbmserv_mail::doors::smtp::Networks;

use super::fault::Fault;
use super::pictures::Pictures;
use super::rates::Rates;
use super::templates::{BUILT_IN, Templates};

/// The most requests that wait for the answer of a computer.
const WAITERS: usize = 64;

/// What all pages share.
pub struct Site {
    pub(super) server: Arc<Server>,
    pub(super) templates: Templates,
    /// Where browsers find the pages; its path ends with a slash.
    pub(super) base: Url,
    /// The origins from which forms may come.
    pub(super) origins: Vec<String>,
    /// Whether there are pages for everybody.
    pub(super) is_public: bool,
    pub(super) rates: Rates,
    pub(super) pictures: Pictures,
    /// Who may wait for the answer of a computer.
    pub(super) waiters: Semaphore,
    proxies: Networks,
    readers: Readers,
}

impl Site {
    /// The pages of a server that listens at this place.
    pub(super) fn new(server: Arc<Server>, config: &Web, place: &str) -> anyhow::Result<Self> {
        let there = Web {
            listen: place.to_owned(),
            ..config.clone()
        };
        let base = there.base().context("web.url is no address of pages")?;
        let mut origins = vec![base.origin().ascii_serialization()];
        if let (true, Some((_, port))) = (config.url.is_empty(), place.rsplit_once(':')) {
            origins.push(format!("http://localhost:{port}"));
        }
        // More pages at a time would be made no faster, and the engine and the doors need the processors too.
        let processors = std::thread::available_parallelism().map_or(2, usize::from);
        let database = server.folder.location();
        let at_a_time = match database.file() {
            Some(_) => processors,
            None => processors.min(SESSIONS),
        };
        let readers = Readers::new(database, at_a_time);
        Ok(Self {
            server,
            templates: Templates::load(BUILT_IN)?,
            base,
            origins,
            is_public: config.public,
            rates: Rates::default(),
            pictures: Pictures::default(),
            waiters: Semaphore::new(WAITERS),
            proxies: config.trusted_proxies.clone(),
            readers,
        })
    }

    /// Whether this is the address of a web server before this one.
    pub(super) fn is_proxy(&self, peer: IpAddr) -> bool {
        self.proxies.contains(peer)
    }

    /// Who sent a request: the last address in `X-Forwarded-For` that is no proxy's, if a proxy has sent it.
    pub(super) fn client(&self, peer: IpAddr, header: &HeaderMap) -> IpAddr {
        if !self.is_proxy(peer) {
            return peer;
        }
        let fields = header.get_all("x-forwarded-for").iter();
        let texts: Vec<&str> = fields
            .filter_map(|field| field.to_str().ok())
            .flat_map(|field| field.split(','))
            .collect();
        let mut client = peer;
        for text in texts.iter().rev() {
            let Ok(address) = text.trim().parse::<IpAddr>() else {
                break;
            };
            client = address.to_canonical();
            if !self.is_proxy(client) {
                break;
            }
        }
        client
    }

    /// The time of day.
    pub(super) fn now(&self) -> DateTime<Utc> {
        self.server.now()
    }

    /// Has a page made from the database, outside the threads of the connections.
    pub(super) async fn look<T: Send + 'static>(
        &self,
        make: impl FnOnce(&Reader) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, Fault> {
        self.readers.ask(move |reader| Ok(make(reader))).await?
    }
}
