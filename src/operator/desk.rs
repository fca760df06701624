//! What all pages share: the server, the key, the sessions, and how a page gets its facts.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;

use axum::response::Response;
use hyper::StatusCode;
use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::Deserialize;
use tokio::sync::Semaphore;

use crate::admin::{Answer, Caller, Verb, VerbRequest};
use crate::engine::readers::Readers;
use crate::engine::server::Server;
use crate::web::Fault;
use crate::web::answer::{Kind, answer};
use crate::web::templates::Templates;
use pbmserv_core::store::Reader;

use super::guesses::Guesses;
use super::key::OperatorKey;
use super::sessions::{Sessions, Visit};
use super::shown;
use super::style::STYLE_VERSION;

/// What `/healthz` finds, as it prints it.
pub type Healthz = Box<dyn Fn() -> Pin<Box<dyn Future<Output = serde_json::Value> + Send>> + Send + Sync>;

/// Who the audit log says has run a verb of these pages.
const CALLER: &str = "operator page";

/// The most verbs at a time. Each has a thread.
const VERBS: usize = 4;

/// The most look-ups at a time.
const LOOKS: usize = 2;

/// A file of `templates/operator/` with its name there.
macro_rules! file {
    ($name:literal) => {
        ($name, include_str!(concat!("../../templates/operator/", $name)))
    };
}

const TEMPLATES: &[(&str, &str)] = &[
    file!("layout.html"),
    file!("parts.html"),
    file!("login.html"),
    file!("fault.html"),
    file!("health.html"),
    file!("queue.html"),
    file!("mail.html"),
    file!("boards.html"),
    file!("board.html"),
    file!("players.html"),
    file!("player.html"),
    file!("waiting.html"),
    file!("audit.html"),
];

/// What all pages share.
pub(super) struct Desk {
    pub(super) server: Arc<Server>,
    pub(super) healthz: Healthz,
    pub(super) key: OperatorKey,
    pub(super) sessions: Sessions,
    pub(super) guesses: Guesses,
    templates: Templates,
    readers: Readers,
    turns: Arc<Semaphore>,
}

/// What may stand in the address of a page. All of it is optional.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Asked {
    /// The form that has led here.
    pub(super) said: String,
    pub(super) text: String,
    pub(super) state: String,
    pub(super) game: String,
    pub(super) all: String,
    /// `in` for the mails received.
    pub(super) r#box: String,
}

impl Asked {
    pub(super) fn is_inbox(&self) -> bool {
        self.r#box == "in"
    }
}

/// A word from outside, if there is one.
pub(super) fn given(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

impl Desk {
    pub(super) fn new(server: Arc<Server>, healthz: Healthz) -> anyhow::Result<Self> {
        let templates = Templates::load(TEMPLATES)?.with(|templates| {
            templates.add_filter("when", shown::when);
            templates.add_filter("span", shown::span);
            templates.add_filter("size", shown::size);
            templates.add_filter("cut", shown::cut);
            templates.add_filter("in_address", shown::in_address);
        });
        Ok(Self {
            key: OperatorKey::load_or_create(server.folder.path())?,
            sessions: Sessions::default(),
            guesses: Guesses::new(Instant::now()),
            templates,
            readers: Readers::new(server.folder.location(), LOOKS),
            turns: Arc::new(Semaphore::new(VERBS)),
            healthz,
            server,
        })
    }

    /// A page for who has a session.
    pub(super) fn page(
        &self,
        visit: &Visit,
        asked: &Asked,
        template: &str,
        facts: Value,
    ) -> Result<Response, Fault> {
        let said = self.sessions.said(&visit.token, &asked.said);
        let facts = context! {
            form => self.sessions.form(&visit.token),
            said => said.as_ref().map(|said| said.sentence.as_str()),
            is_done => said.as_ref().is_none_or(|said| said.is_done),
            is_in => true,
            now => self.server.now().timestamp_millis(),
            ..facts
        };
        Ok(answer(Kind::Html, self.render(template, facts)?))
    }

    /// The text of a page.
    pub(super) fn render(&self, template: &str, facts: Value) -> Result<String, Fault> {
        let facts = context! {
            name => self.server.name.as_str(),
            style => STYLE_VERSION.as_str(),
            ..facts
        };
        let text = self.templates.render(template, facts);
        text.map_err(|error| Fault::internal(&error))
    }

    /// Runs a verb as the command line does.
    pub(super) async fn run(&self, verb: Verb) -> Answer {
        let caller = Caller {
            who: CALLER.to_owned(),
            ..Caller::default()
        };
        let request = VerbRequest { verb, caller };
        let at = crate::admin::progress::CopyReporter::default();
        request
            .run_apart(self.server.clone(), self.turns.clone(), at)
            .await
    }

    /// What a verb prints as JSON.
    pub(super) async fn json(&self, verb: Verb) -> Result<serde_json::Value, Fault> {
        let answer = self.run(verb).await;
        if answer.code != 0 {
            let title = "It is not there";
            let sentence = capitalised(answer.err.trim().trim_end_matches('.')) + ".";
            return Err(Fault::new(StatusCode::NOT_FOUND, title, sentence));
        }
        serde_json::from_str(&answer.out).map_err(|error| Fault::internal(&error))
    }

    /// Looks something up that no verb prints.
    pub(super) async fn look<T: Send + 'static>(
        &self,
        query: impl FnOnce(&Reader) -> pbmserv_core::store::Result<T> + Send + 'static,
    ) -> pbmserv_core::store::Result<T> {
        self.readers.ask(query).await
    }
}

/// JSON for a template.
pub(super) fn value(json: serde_json::Value) -> Value {
    Value::from(Serde(json))
}

/// The sentences of verbs begin with a small letter, as after `error:`.
pub(super) fn capitalised(sentence: &str) -> String {
    let mut characters = sentence.trim().chars();
    let first = characters.next().map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + characters.as_str()
}
