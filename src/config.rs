//! The configuration: one TOML file. The environment can set each key too.
//!
//! `[smtp] listen` is `PBMSERV_SMTP_LISTEN` in the environment, which wins. An unknown key is an error that
//! names its place and the nearest known key.

mod bots;
mod check;
mod differences;
mod documented;
mod http;
pub mod keys;
mod leagues;
pub mod lookup;
mod mailboxes;
mod operator;
mod places;
mod read;
mod store;
mod web;

use std::net::SocketAddr;

use serde::{Deserialize, Serialize};

use pbmserv_mail::section::{Key, Section};

pub use keys::{
    Accounts, Auth, Bots, Delivery, Http, Imap, Leagues, Limits, Lmtp, Log, Maildir, Operator, Server, Store,
    Templates, Web,
};
pub use mailboxes::Mailboxes;
pub use places::Places;

/// The section `[smtp]`.
pub type Smtp = pbmserv_mail::doors::smtp::Settings;

macro_rules! configuration {
    ($($name:ident: $Section:ident,)*) => {
        /// The whole configuration, with its defaults. Its keys and what they mean are in [`keys`].
        #[derive(Clone, Debug, Default, Deserialize, Serialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct Config {
            $(
                #[doc = concat!("The section `[", stringify!($name), "]`.")]
                pub $name: $Section,
            )*
            /// Where each key was set, for error messages.
            #[serde(skip)]
            pub places: Places,
        }

        /// The sections and their keys, in the order of the documented file.
        const SECTIONS: &[(&str, &[Key])] = &[$((stringify!($name), <$Section as Section>::KEYS),)*];
    };
}

configuration! {
    server: Server,
    store: Store,
    smtp: Smtp,
    lmtp: Lmtp,
    maildir: Maildir,
    imap: Imap,
    http: Http,
    delivery: Delivery,
    accounts: Accounts,
    auth: Auth,
    web: Web,
    operator: Operator,
    bots: Bots,
    leagues: Leagues,
    limits: Limits,
    log: Log,
    templates: Templates,
}

/// The URL may hold a password.
impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store").finish_non_exhaustive()
    }
}

impl Auth {
    /// The name of that server, if a check is required.
    #[must_use]
    pub fn authserv_id(&self) -> Option<&str> {
        (self.require == "dmarc" && !self.verify).then_some(&self.authserv_id)
    }

    /// The name servers to ask, as far as they can be read.
    #[must_use]
    pub fn name_servers(&self) -> Vec<SocketAddr> {
        self.dns.iter().filter_map(|text| text.parse().ok()).collect()
    }
}

/// The configuration cannot be used: one sentence that names the file, the line and what to do.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Error(String);
