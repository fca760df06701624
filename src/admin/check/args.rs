//! The flags of `check`.

use std::net::IpAddr;

use clap::Args;

// Comments of these fields are lines of the help.
#[derive(Clone, Debug, Default, Args)]
#[expect(missing_docs, reason = "what is documented here is printed by --help")]
pub struct Check {
    /// The server is not to run yet: that it does not is no fault.
    #[arg(long)]
    pub offline: bool,
    /// Read every row and replay every board too, also those that have ended. It takes minutes if the database is large.
    #[arg(long)]
    pub deep: bool,
    /// Ask the DNS too, for what other mail servers want to find there (deploy/deliverability.md).
    #[arg(long)]
    pub dns: bool,
    /// With --dns: the address from which our mail leaves for the Internet, here or at the relay.
    #[arg(long, value_name = "ADDRESS", requires = "dns")]
    pub ip: Option<IpAddr>,
    /// With --dns: the selector of the key that signs our mail (DKIM).
    #[arg(long, value_name = "NAME", requires = "dns")]
    pub selector: Option<String>,
    /// Print one line of JSON.
    #[arg(long)]
    pub json: bool,
}
