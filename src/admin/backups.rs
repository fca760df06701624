//! `backup list` and `backup verify`: what backups there are, and whether they could be restored.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::Context as _;
use serde::Serialize;

use pbmserv_core::letters::columns;
use pbmserv_core::store::{Contents, open_copy};
use pbmserv_mail::Key;

use crate::engine::{copies, dump};

use super::backup::{self, BackupVerb};
use super::control::{Answer, sentence};
use super::progress::Progress;

/// A backup in the list.
#[derive(Debug, Serialize)]
struct Listed {
    folder: String,
    bytes: u64,
    has_key: bool,
}

/// Returns what to print; the exit code is 1 if a backup is damaged.
///
/// # Errors
/// The folder cannot be read, or has no backup to verify.
pub fn run(verb: &BackupVerb) -> anyhow::Result<Answer> {
    match verb {
        BackupVerb::List { folder, json } => list(folder, *json).map(Answer::from),
        BackupVerb::Verify { folder } => verify(folder),
    }
}

fn list(folder: &Path, json: bool) -> anyhow::Result<String> {
    let mut listed = Vec::new();
    for path in backup::all(folder)? {
        let Some(database) = backup::database_in(&path) else {
            continue;
        };
        let about = fs::metadata(&database).with_context(|| database.display().to_string())?;
        listed.push(Listed {
            folder: path.display().to_string(),
            bytes: about.len(),
            has_key: path.join("key").is_file() || is_dump(&database),
        });
    }
    if json {
        return Ok(format!("{}\n", serde_json::to_string(&listed)?));
    }
    let heading = ["Backup", "Bytes", "Key"].map(str::to_owned);
    let mut rows = vec![heading.to_vec()];
    for row in listed {
        let key = if row.has_key { "yes" } else { "missing" };
        rows.push(vec![row.folder, row.bytes.to_string(), key.to_owned()]);
    }
    Ok(format!("{}\n", columns(&rows)))
}

fn verify(folder: &Path) -> anyhow::Result<Answer> {
    let is_one = backup::database_in(folder).is_some();
    let backups = if is_one {
        vec![folder.to_owned()]
    } else {
        backup::all(folder)?
    };
    anyhow::ensure!(!backups.is_empty(), "{} has no backup", folder.display());
    let mut answer = Answer::default();
    let progress = Progress::begin("checking");
    let all = backups.len();
    for (number, path) in (1..).zip(backups) {
        progress.say(format!("checking backup {number} of {all}"));
        let shown = path.display();
        let _ = match look(&path) {
            Ok((Some(found), has_sums)) => writeln!(
                answer.out,
                "ok     {shown}: {} players, {} boards, {} turns, {} mails{}",
                found.players,
                found.boards,
                found.turns,
                found.mails,
                without_sums(has_sums)
            ),
            Ok((None, has_sums)) => writeln!(
                answer.out,
                "ok     {shown}: pg_restore reads it to its end; what it has, adopt says after a restore{}",
                without_sums(has_sums)
            ),
            Err(error) => {
                answer.code = 1;
                let error = sentence(&error);
                writeln!(
                    answer.out,
                    "FAULT  {shown}: {error}: it cannot be restored, use another"
                )
            }
        };
    }
    Ok(answer)
}

const fn without_sums(has_sums: bool) -> &'static str {
    match has_sums {
        true => "",
        false => " (it has no sums, so changed words would not be noticed)",
    }
}

/// What is in it, and whether it has sums. `None`: it is of PostgreSQL, which alone can say what is in it.
fn look(backup: &Path) -> anyhow::Result<(Option<Contents>, bool)> {
    let has_sums = copies::has_its_sums(backup)?;
    if let Some(dump) = backup::database_in(backup).filter(|database| is_dump(database)) {
        dump::verify(Path::new("pg_dump"), &dump)?;
        return Ok((None, has_sums));
    }
    let contents = open_copy(&backup.join("pbmserv.sqlite"))?.contents()?;
    Key::load(&backup.join("key"))?;
    Ok((Some(contents), has_sums))
}

/// Whether it was written by `pg_dump`, with the key in it.
fn is_dump(database: &Path) -> bool {
    database.ends_with(dump::NAME)
}
