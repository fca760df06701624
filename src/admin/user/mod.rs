//! `user`: the accounts. A doc comment of a verb or an argument is a line of the help.
#![expect(missing_docs, reason = "what is documented here is printed by --help")]

mod export;
mod show;

use clap::{Args, Subcommand};
use rand::RngExt;
use serde::{Deserialize, Serialize};

use crate::engine::server::Server;
use pbmserv_core::command::operator::operate;

use super::audit::change;
use super::caller::Caller;
use super::caller::Why;
use super::sure::Sure;
pub use show::Filter;

#[derive(Clone, Debug, Subcommand, Serialize, Deserialize)]
pub enum UserVerb {
    /// List players.
    List(Filter),
    /// Show one player.
    Show {
        /// The userid.
        userid: String,
        /// Print one line of JSON.
        #[arg(long)]
        json: bool,
    },
    /// Print everything that is stored of a player, as JSON with the records of all boards.
    Export {
        /// The userid.
        userid: String,
    },
    /// Create an account. The player must confirm the address, unless you confirm it.
    Add {
        /// The userid.
        userid: String,
        /// The address.
        address: String,
        /// You know that the address is the player's: no confirmation question is sent.
        #[arg(long)]
        confirmed: bool,
        #[command(flatten)]
        password: PasswordArgs,
        #[command(flatten)]
        why: Why,
    },
    /// Set another password for a player.
    Passwd {
        /// The userid.
        userid: String,
        #[command(flatten)]
        password: PasswordArgs,
        #[command(flatten)]
        why: Why,
    },
    /// Change the userid of a player, on all boards.
    Rename {
        /// The userid.
        userid: String,
        /// The new userid.
        to: String,
        #[command(flatten)]
        why: Why,
    },
    /// Close an account: it can do nothing and cannot be challenged. Its boards stay until you end or reseat them.
    Disable {
        /// The userid.
        userid: String,
        #[command(flatten)]
        why: Why,
    },
    /// Open an account again.
    Enable {
        /// The userid.
        userid: String,
        #[command(flatten)]
        why: Why,
    },
    /// Erase an account for good: its boards end, its finished games stay without a name.
    Erase {
        /// The userid.
        userid: String,
        #[command(flatten)]
        sure: Sure,
        /// The reason, for the audit log and for the players concerned.
        #[arg(long, value_name = "REASON", required_unless_present = "dry_run")]
        why: Option<String>,
    },
    /// Add an address to an account, or take one from it.
    #[command(subcommand)]
    Address(AddressVerb),
}

#[derive(Clone, Debug, Subcommand, Serialize, Deserialize)]
pub enum AddressVerb {
    /// Add an address. The player must confirm it, unless you confirm it.
    Add {
        /// The userid.
        userid: String,
        /// The address.
        address: String,
        /// You know that the address is the player's: no confirmation question is sent.
        #[arg(long)]
        confirmed: bool,
        #[command(flatten)]
        why: Why,
    },
    /// Remove an address.
    Remove {
        /// The userid.
        userid: String,
        /// The address.
        address: String,
        #[command(flatten)]
        why: Why,
    },
}

#[derive(Clone, Debug, Args, Serialize, Deserialize)]
pub struct PasswordArgs {
    /// Read the password from the first line of standard input. Otherwise a random one is printed.
    #[arg(long)]
    pub password_stdin: bool,
}

impl UserVerb {
    /// How many bytes of standard input the verb reads at most.
    pub(super) const fn input_bytes(&self) -> u64 {
        match self {
            Self::Add { password, .. } | Self::Passwd { password, .. } if password.password_stdin => 1024,
            _ => 0,
        }
    }

    /// The same as a question, if the operator is to be asked.
    pub(super) fn rehearsal(&self) -> Option<Self> {
        match self {
            Self::Erase { userid, sure, why } => Some(Self::Erase {
                userid: userid.clone(),
                sure: sure.rehearsal()?,
                why: why.clone(),
            }),
            _ => None,
        }
    }

    pub(super) async fn run(self, server: &Server, caller: Caller) -> anyhow::Result<String> {
        match self {
            Self::List(filter) => show::list(server, &filter),
            Self::Show { userid, json } => show::show(server, &userid, json),
            Self::Export { userid } => export::export(server, &userid),
            Self::Add {
                userid,
                address,
                confirmed,
                password,
                why,
            } => {
                let (hash, shown) = password.hash(server, &caller, &userid).await?;
                let what = format!("account created with the address {address}");
                let entry = caller.audited("user add", &userid, what, why.why);
                let out = change(server, entry, move |context, _| {
                    operate::add(context, &userid, &address, hash, confirmed)
                });
                Ok(out.await? + &shown)
            }
            Self::Passwd {
                userid,
                password,
                why,
            } => {
                let (hash, shown) = password.hash(server, &caller, &userid).await?;
                let entry = caller.audited("user passwd", &userid, "password changed", why.why);
                let out = change(server, entry, move |context, why| {
                    operate::password(context, &userid, hash, why)
                });
                Ok(out.await? + &shown)
            }
            Self::Rename { userid, to, why } => {
                let what = format!("userid changed to {to}");
                let entry = caller.audited("user rename", &userid, what, why.why);
                change(server, entry, move |context, why| {
                    operate::rename(context, &userid, &to, why)
                })
                .await
            }
            Self::Disable { userid, why } => {
                let entry = caller.audited("user disable", &userid, "account closed", why.why);
                change(server, entry, move |context, why| {
                    operate::disable(context, &userid, why)
                })
                .await
            }
            Self::Enable { userid, why } => {
                let entry = caller.audited("user enable", &userid, "account opened again", why.why);
                change(server, entry, move |context, why| {
                    operate::enable(context, &userid, why)
                })
                .await
            }
            Self::Erase {
                userid,
                sure: Sure { dry_run: true, .. },
                ..
            } => show::erasure(server, &userid),
            Self::Erase { userid, why, .. } => {
                // The audit log must not name an erased player, so the entry has the id.
                let player = server.reader()?.player(&userid)?;
                let about = player.map_or_else(|| "nobody".to_owned(), |player| player.id.erased_userid());
                let entry = caller.audited("user erase", &about, "account erased", why.unwrap_or_default());
                change(server, entry, move |context, why| {
                    operate::erase(context, &userid, why)
                })
                .await
            }
            Self::Address(AddressVerb::Add {
                userid,
                address,
                confirmed,
                why,
            }) => {
                let entry = caller.audited("user address add", &userid, "address added", why.why);
                change(server, entry, move |context, _| {
                    operate::add_address(context, &userid, &address, confirmed)
                })
                .await
            }
            Self::Address(AddressVerb::Remove { userid, address, why }) => {
                let entry = caller.audited("user address remove", &userid, "address removed", why.why);
                change(server, entry, move |context, _| {
                    operate::remove_address(context, &userid, &address)
                })
                .await
            }
        }
    }
}

impl PasswordArgs {
    /// The hash of the password, and the line to print if the password is random.
    async fn hash(&self, server: &Server, caller: &Caller, userid: &str) -> anyhow::Result<(String, String)> {
        let (password, shown) = if self.password_stdin {
            let password = caller.text()?.lines().next().unwrap_or_default().to_owned();
            let length = password.chars().count();
            let is_good =
                (6..=100).contains(&length) && !password.contains(['"', ':', ' ', '\t', '\n', '\r']);
            anyhow::ensure!(
                is_good,
                "a password has 6 to 100 characters, without blanks, quotes or colons"
            );
            if let Some(why) = operate::why_guessable(userid, &password) {
                anyhow::bail!(why);
            }
            (password, String::new())
        } else {
            let random: [u8; 10] = rand::rng().random();
            let password = data_encoding::BASE32_NOPAD_NOCASE.encode(&random).to_lowercase();
            let shown = format!("the password is {password}\n");
            (password, shown)
        };
        let hash = server.hash_password(password).await?;
        Ok((hash, shown))
    }
}
