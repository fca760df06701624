//! What is done to many at a time, or cannot be undone, is shown first, and on a terminal the operator is asked.

use std::io::{BufRead, Write};

use clap::Args;
use serde::{Deserialize, Serialize};

// Comments of these fields are lines of the help.
#[derive(Clone, Copy, Debug, Default, Args, Serialize, Deserialize)]
#[expect(missing_docs, reason = "what is documented here is printed by --help")]
pub struct Sure {
    /// Only print what would be done.
    #[arg(long)]
    pub dry_run: bool,
    /// Do not ask. Nobody is asked either where standard input is no terminal.
    #[arg(long, conflicts_with = "dry_run")]
    pub yes: bool,
}

impl Sure {
    /// The flags that only print what would be done, if the operator is to be asked.
    pub(super) const fn rehearsal(self) -> Option<Self> {
        match self {
            Self {
                dry_run: false,
                yes: false,
            } => Some(Self {
                dry_run: true,
                yes: false,
            }),
            _ => None,
        }
    }
}

/// Shows what would be done, and asks. Only `y` and `yes` say so.
///
/// # Errors
/// The terminal cannot be read or written.
pub fn ask(would_be_done: &str, input: &mut dyn BufRead, output: &mut dyn Write) -> std::io::Result<bool> {
    write!(output, "{would_be_done}Go on? [y/N] ")?;
    output.flush()?;
    let mut answer = String::new();
    input.read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}
