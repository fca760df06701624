//! Who runs a verb, and why.

use clap::Args;
use serde::{Deserialize, Serialize};

use pbmserv_core::store::Audited;

/// The data of the calling process that the daemon needs. It has no `Debug`, because the input may be a password.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct Caller {
    /// The account on the machine. With sudo it is the account that ran sudo.
    pub who: String,
    /// The standard input of the verb.
    #[serde(skip)]
    pub input: Vec<u8>,
}

impl Caller {
    /// This process, with no input.
    #[must_use]
    pub fn of_this_process() -> Self {
        let named = ["SUDO_USER", "LOGNAME", "USER"]
            .into_iter()
            .find_map(|name| std::env::var(name).ok().filter(|user| !user.is_empty()));
        let who = named.unwrap_or_else(|| format!("account {}", rustix::process::geteuid().as_raw()));
        Self {
            who,
            input: Vec::new(),
        }
    }

    /// The input as text.
    pub(super) fn text(&self) -> anyhow::Result<&str> {
        std::str::from_utf8(&self.input).map_err(|_| anyhow::anyhow!("standard input is not text in UTF-8"))
    }

    /// An entry of the audit log. The store adds the time.
    pub(super) fn audited(
        self,
        verb: &str,
        about: &(impl ToString + ?Sized),
        what: impl Into<String>,
        why: String,
    ) -> Audited {
        Audited {
            at: 0,
            who: self.who,
            verb: verb.to_owned(),
            about: about.to_string(),
            what: what.into(),
            why,
        }
    }
}

// Comments of these fields are lines of the help.
#[derive(Clone, Debug, Args, Serialize, Deserialize)]
#[expect(missing_docs, reason = "what is documented here is printed by --help")]
pub struct Why {
    /// The reason, for the audit log and for the players concerned.
    #[arg(long, value_name = "REASON")]
    pub why: String,
}

#[derive(Clone, Debug, Args, Serialize, Deserialize)]
#[expect(missing_docs, reason = "what is documented here is printed by --help")]
pub struct PerhapsWhy {
    /// The reason, for the audit log.
    #[arg(long, value_name = "REASON", default_value = "")]
    pub why: String,
}
