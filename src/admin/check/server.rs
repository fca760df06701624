//! Asks the running server what it knows of itself.

use std::io::ErrorKind;

use serde::{Deserialize, Serialize};

use crate::admin::caller::Caller;
use crate::admin::control::{self, VerbRequest};
use crate::admin::verb::Verb;
use crate::config::Config;
use crate::engine::folder::Folder;

use super::doors::PATIENCE;
use super::findings::{Findings, Subject};

/// Parts of the server's health that `check` looks at itself, with more to say.
const OWN: [&str; 4] = ["disk", "outbox", "inbox", "standby"];

/// What the running server knows of itself: the findings of `/healthz`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Health {
    /// The version of the program that runs.
    pub version: String,
    /// Empty if all is well.
    pub faults: Vec<Fault>,
    /// For whom it waits, if another server has the engine.
    #[serde(default)]
    pub waits: Option<String>,
}

/// A problem of a part of the server.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Fault {
    /// The part, as it is called in `/healthz`.
    pub part: String,
    /// What is wrong and what to do.
    pub sentence: String,
}

/// Whether a server runs on this data folder.
pub(super) enum State {
    Running(Health),
    /// It took the request and gave no answer in time.
    Silent,
    /// It gave an answer that says nothing of its health.
    Answered(String),
    NotRunning,
    /// This account may not ask.
    Unknown(String),
}

impl State {
    /// Whether the server waits for another one that has the engine.
    pub(super) const fn waits(&self) -> bool {
        matches!(self, Self::Running(Health { waits: Some(_), .. }))
    }

    pub(super) async fn ask(config: &Config) -> Self {
        let Ok(folder) = Folder::existing(&config.server.data) else {
            return Self::NotRunning;
        };
        let request = VerbRequest {
            verb: Verb::Health,
            caller: Caller::default(),
        };
        match control::ask(&folder.socket(), &request, PATIENCE, |_| ()).await {
            Ok(answer) => match serde_json::from_str(&answer.out) {
                Ok(health) => Self::Running(health),
                Err(_) => Self::Answered(answer.err),
            },
            Err(error) => match error.kind() {
                ErrorKind::TimedOut => Self::Silent,
                ErrorKind::NotFound | ErrorKind::ConnectionRefused => Self::NotRunning,
                _ => Self::Unknown(format!("{}: {error}", folder.socket().display())),
            },
        }
    }

    /// `start` is what a start would do.
    pub(super) fn tell(self, start: &str, is_offline: bool, findings: &mut Findings) {
        match self {
            Self::Running(health) => {
                let version = env!("CARGO_PKG_VERSION");
                if health.version != version {
                    let found = format!(
                        "version {} runs, this program is {version}: restart the server",
                        health.version
                    );
                    findings.bad(Subject::Server, found);
                }
                let mut faults = health.faults;
                faults.retain(|fault| !OWN.contains(&fault.part.as_str()));
                if findings.has_fault(Subject::Certificate) {
                    faults.retain(|fault| fault.part != "certificate");
                }
                match health.waits {
                    Some(waits) => findings.good(Subject::Server, waits),
                    None if faults.is_empty() => findings.good(Subject::Server, "it runs and answers"),
                    None => {}
                }
                for fault in faults {
                    findings.bad(Subject::Server, fault.sentence);
                }
            }
            Self::Silent => findings.bad(
                Subject::Server,
                "it runs but does not answer: read its log, then restart it",
            ),
            Self::Answered(said) => findings.bad(
                Subject::Server,
                format!(
                    "it runs but does not know this question ({said}): restart it, so that this version runs"
                ),
            ),
            Self::Unknown(why) => findings.bad(
                Subject::Server,
                format!("it cannot be asked: {why}: run this as the server's account"),
            ),
            Self::NotRunning => {
                let would = match findings.stoppers.as_slice() {
                    [] => format!("a start would {start}"),
                    faults => format!("a start would fail: {}", faults.join(", ")),
                };
                if is_offline {
                    findings.good(Subject::Server, format!("it does not run; {would}"));
                } else {
                    let remedy = "systemctl start pbmserv, or pbmserv serve; before the first start, pbmserv check --offline";
                    findings.bad(Subject::Server, format!("it does not run; {would}: {remedy}"));
                }
            }
        }
    }
}
