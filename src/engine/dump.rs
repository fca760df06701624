//! A database of PostgreSQL as a file, by its own programs: `pg_dump` reads one state of it while it is in use.

use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::Context as _;

use pbmserv_core::store::Server;

/// The file in a backup.
pub const NAME: &str = "pbmserv.dump";

/// Saves the database into a new file, in the form that `pg_restore` reads.
///
/// # Errors
/// The program is missing, or says why it failed.
pub fn write(server: &Server, file: &Path) -> anyhow::Result<()> {
    let environment = server.environment().map_err(anyhow::Error::msg)?;
    let mut command = Command::new(&server.pg_dump);
    command
        .envs(environment)
        .arg("--format=custom")
        .arg("--file")
        .arg(file);
    run(command, &server.pg_dump)
}

/// Reads a whole file as `pg_restore` does, and restores nothing.
///
/// # Errors
/// The program is missing, or the file is damaged.
pub fn verify(pg_dump: &Path, file: &Path) -> anyhow::Result<()> {
    let pg_restore = pg_dump.with_file_name("pg_restore");
    let mut command = Command::new(&pg_restore);
    command.arg("--file=/dev/null").arg(file);
    run(command, &pg_restore)
}

fn run(mut command: Command, program: &Path) -> anyhow::Result<()> {
    let name = program
        .file_name()
        .unwrap_or(OsStr::new(""))
        .to_string_lossy()
        .into_owned();
    let done = command.stdin(Stdio::null()).stdout(Stdio::null()).output();
    let done = match done {
        Err(error) if error.kind() == ErrorKind::NotFound => anyhow::bail!(
            "there is no program {}: install the client of PostgreSQL (Debian: postgresql-client), or name it in store.pg_dump",
            program.display()
        ),
        done => done.with_context(|| program.display().to_string())?,
    };
    let said = String::from_utf8_lossy(&done.stderr);
    let said = said
        .lines()
        .next()
        .unwrap_or_default()
        .trim_start_matches(&format!("{name}: "))
        .to_owned();
    anyhow::ensure!(done.status.success(), "{name} failed: {said}");
    Ok(())
}
