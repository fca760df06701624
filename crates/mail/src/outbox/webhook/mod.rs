//! Notices that are posted to web addresses which players name: the only client of HTTP here.
//!
//! A player may name any host, so nothing of this machine or its network may be reached by it. The name is looked up once, all of its
//! addresses must be public, and the connection goes to one of these addresses and not to the name. No redirect is followed,
//! no proxy is used, the whole takes five seconds at most, and of the answer only the status is read.

mod public;
mod target;

pub use target::{BadWebhook, Webhook, WebhookForm};

use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpStream, lookup_host};
use tokio::time::timeout;
use tokio_rustls::rustls::RootCertStore;

use crate::stream::{Encryption, in_plain_words, system_roots};

/// The time for all of it: the name, the connection, the answer.
const WHOLE: Duration = Duration::from_secs(5);

/// The time for a connection to one of several addresses.
const CONNECTING: Duration = Duration::from_secs(2);

/// The most addresses of a host that are tried.
const MAX_ADDRESSES: usize = 3;

/// The most that is read of an answer, in bytes.
const MAX_ANSWER: u64 = 1024;

/// The answer of a name server.
pub type Found = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;

/// A line for somebody who is elsewhere, and a page about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// What it is, in two words.
    pub title: String,
    /// The line, without the end of a line.
    pub line: String,
    /// A page for everybody; empty for none.
    pub click: String,
}

/// Why a notice was not taken, in a phrase that does not name the address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotTaken(String);

impl NotTaken {
    fn because(why: impl Into<String>) -> Self {
        Self(why.into())
    }
}

/// Posts notices.
#[derive(Clone)]
pub struct Poster {
    names: Arc<dyn Fn(&str) -> Found + Send + Sync>,
    /// Where a connection to an address goes; `None`: nowhere.
    places: Arc<dyn Fn(IpAddr) -> Option<SocketAddr> + Send + Sync>,
    roots: RootCertStore,
}

impl std::fmt::Debug for Poster {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Poster").finish_non_exhaustive()
    }
}

impl Default for Poster {
    /// To public addresses, at the port of HTTPS, trusting whom this machine trusts.
    fn default() -> Self {
        let names = |host: &str| -> Found {
            let host = host.to_owned();
            Box::pin(async move { Ok(lookup_host((host, 443)).await?.map(|place| place.ip()).collect()) })
        };
        let places = |address| public::is_public(address).then(|| SocketAddr::new(address, 443));
        Self::with(names, places, system_roots())
    }
}

impl Poster {
    /// With other names and places than those of the world: for tests. No configuration leads here.
    pub fn with(
        names: impl Fn(&str) -> Found + Send + Sync + 'static,
        places: impl Fn(IpAddr) -> Option<SocketAddr> + Send + Sync + 'static,
        roots: RootCertStore,
    ) -> Self {
        Self {
            names: Arc::new(names),
            places: Arc::new(places),
            roots,
        }
    }

    /// The same with other names.
    #[must_use]
    pub fn with_names(self, names: impl Fn(&str) -> Found + Send + Sync + 'static) -> Self {
        Self {
            names: Arc::new(names),
            ..self
        }
    }

    /// Posts a notice once.
    ///
    /// # Errors
    /// It was not taken, as far as is known.
    pub async fn post(&self, to: &Webhook, form: WebhookForm, notice: &Notice) -> Result<(), NotTaken> {
        match timeout(WHOLE, self.try_to(to, form, notice)).await {
            Ok(done) => done,
            Err(_) => Err(NotTaken::because("it did not answer within five seconds")),
        }
    }

    async fn try_to(&self, to: &Webhook, form: WebhookForm, notice: &Notice) -> Result<(), NotTaken> {
        let found = (self.names)(to.host()).await;
        let found = found.map_err(|_| NotTaken::because("its host has no address"))?;
        // One that is not public condemns them all: who publishes it means no good.
        let places: Option<Vec<SocketAddr>> = found.into_iter().map(&*self.places).collect();
        let places = places.ok_or_else(|| NotTaken::because("its host has no public address"))?;
        let stream = connected(&places).await?;
        let encryption = Encryption::with(to.host(), self.roots.clone())
            .map_err(|error| NotTaken::because(error.to_string()))?;
        let failed = |error: io::Error| NotTaken::because(in_plain_words(&error).to_string());
        let mut stream = encryption.over(Box::new(stream)).await.map_err(failed)?;
        stream
            .write_all(request(to, form, notice).as_bytes())
            .await
            .map_err(failed)?;
        stream.flush().await.map_err(failed)?;
        let mut answer = Vec::new();
        let mut rest = stream.take(MAX_ANSWER);
        while !answer.contains(&b'\n') {
            match rest.read_buf(&mut answer).await {
                Ok(0) | Err(_) => break,
                Ok(_) => {}
            }
        }
        match status(&answer) {
            Some(200..=299) => Ok(()),
            Some(300..=399) => Err(NotTaken::because("it redirects to another address")),
            Some(status) => Err(NotTaken::because(format!("it answered {status}"))),
            None => Err(NotTaken::because("it did not answer as a web server does")),
        }
    }
}

async fn connected(places: &[SocketAddr]) -> Result<TcpStream, NotTaken> {
    for place in places.iter().take(MAX_ADDRESSES) {
        if let Ok(Ok(stream)) = timeout(CONNECTING, TcpStream::connect(place)).await {
            return Ok(stream);
        }
    }
    Err(NotTaken::because("it could not be reached"))
}

/// The status in the first line of an answer.
fn status(answer: &[u8]) -> Option<u16> {
    let line = answer.strip_prefix(b"HTTP/1.")?;
    let digits = line.get(2..5)?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// The whole request. What a player has written of it is the URL, which the parser has escaped.
fn request(to: &Webhook, form: WebhookForm, notice: &Notice) -> String {
    let Notice { title, line, click } = notice;
    let path = &to.url[url::Position::BeforePath..];
    let (kind, body, more) = match form {
        WebhookForm::Text => {
            let click = click.split_whitespace().next().unwrap_or_default();
            let more = match click {
                "" => String::new(),
                click => format!("Click: {click}\r\n"),
            };
            ("text/plain; charset=utf-8", line.clone(), more)
        }
        WebhookForm::Json => {
            // Other programs look for the line under other names.
            let body =
                json!({"title": title, "message": line, "click": click, "text": line, "content": line});
            ("application/json", body.to_string(), String::new())
        }
    };
    format!(
        "POST {path} HTTP/1.1\r\nHost: {host}\r\nUser-Agent: pbmserv\r\nContent-Type: {kind}\r\n\
         Content-Length: {bytes}\r\n{more}Connection: close\r\n\r\n{body}",
        host = to.host(),
        bytes = body.len(),
    )
}

#[cfg(test)]
mod tests;
