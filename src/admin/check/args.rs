//! The flags of `check`.

use clap::Args;

// Comments of these fields are lines of the help.
#[derive(Clone, Copy, Debug, Default, Args)]
#[expect(missing_docs, reason = "what is documented here is printed by --help")]
pub struct Check {
    /// The server is not to run yet: that it does not is no fault.
    #[arg(long)]
    pub offline: bool,
    /// Print one line of JSON.
    #[arg(long)]
    pub json: bool,
}
