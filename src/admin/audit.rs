//! `audit`, and the two functions through which the operator's changes go. A change and its entry in the audit log are
//! one transaction.

use chrono::{DateTime, Utc};

use crate::engine::server::Server;
use pbmserv_core::command::{Context, Decision, Undecided};
use pbmserv_core::letters::columns;
use pbmserv_core::store::{Audited, Store};

/// Makes a decision with the operator's reason and carries it out. Returns what to print.
pub(super) async fn change(
    server: &Server,
    entry: Audited,
    decide: impl FnOnce(&Context<'_>, &str) -> Result<Decision, Undecided> + Send + 'static,
) -> anyhow::Result<String> {
    let out = format!("{}: {}\n", entry.about, entry.what);
    let done = server.engine.act(move |desk, store, now| {
        let done = desk.operate(store, now, |context| decide(context, &entry.why))?;
        if done.is_ok() {
            store.add_audited(now, &entry)?;
        }
        Ok(done)
    });
    match done.await? {
        Ok(()) => Ok(out),
        Err(refused) => anyhow::bail!("{}", refused.sentence()),
    }
}

/// Changes one row without a decision. Returns false if there is no such row.
pub(super) async fn change_row(
    server: &Server,
    entry: Audited,
    work: impl FnOnce(&Store, DateTime<Utc>) -> pbmserv_core::store::Result<bool> + Send + 'static,
) -> anyhow::Result<bool> {
    let done = server.engine.write(move |store, now| {
        let done = work(store, now)?;
        if done {
            store.add_audited(now, &entry)?;
        }
        Ok(done)
    });
    Ok(done.await?)
}

/// Whether this is the name of a board, such as `Pow2 101`.
fn is_board(name: &str) -> bool {
    let (game, number) = name.split_once(' ').unwrap_or_default();
    pbmserv_games::find(game).is_some() && number.parse::<u32>().is_ok()
}

/// The log, newest first.
pub(super) fn list(server: &Server, about: Option<&str>, limit: u32, json: bool) -> anyhow::Result<String> {
    let reader = server.reader()?;
    let found = reader.audited(about, limit)?;
    if let Some(about) = about.filter(|_| found.is_empty()) {
        let is_number = !about.is_empty() && about.bytes().all(|c| c.is_ascii_digit());
        let is_known = is_number || reader.player(about)?.is_some() || is_board(about);
        anyhow::ensure!(
            is_known,
            "there is nobody called {about}, and no entry about {about}"
        );
    }
    if json {
        return Ok(format!("{}\n", serde_json::to_string(&found)?));
    }
    let heading = ["When", "Who", "Verb", "About", "What", "Why"].map(str::to_owned);
    let mut rows = vec![heading.to_vec()];
    for row in found {
        let at = DateTime::<Utc>::from_timestamp_millis(row.at).unwrap_or_default();
        rows.push(vec![
            at.format("%Y-%m-%d %H:%M").to_string(),
            row.who,
            row.verb,
            row.about,
            row.what,
            row.why,
        ]);
    }
    Ok(format!("{}\n", columns(&rows)))
}
