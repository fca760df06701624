//! `stats`: numbers of players, boards and mails.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use chrono::TimeDelta;

use crate::engine::disk;
use crate::engine::server::Server;
use pbmserv_core::store::Stats;

/// What the verb prints.
///
/// # Errors
/// The database cannot be read.
pub fn text(server: &Server) -> anyhow::Result<String> {
    run(server, false)
}

pub(super) fn run(server: &Server, json: bool) -> anyhow::Result<String> {
    let day_ago = server.now() - TimeDelta::days(1);
    let stats = server.reader()?.stats(day_ago.timestamp_millis())?;
    if json {
        return Ok(format!("{}\n", serde_json::to_string(&stats)?));
    }
    Ok(lines(&stats))
}

fn lines(stats: &Stats) -> String {
    let mut out = format!("players: {}, {} of them playing\n", stats.players, stats.playing);
    for row in &stats.boards {
        let (game, running, over) = (&row.game, row.running, row.over);
        let _ = writeln!(out, "{game}: {running} boards running, {over} over");
    }
    let _ = writeln!(out, "turns: {}", stats.turns);
    let list = |counts: &BTreeMap<String, u32>| {
        let shown: Vec<_> = counts
            .iter()
            .map(|(state, count)| format!("{count} {state}"))
            .collect();
        if shown.is_empty() {
            "none".to_owned()
        } else {
            shown.join(", ")
        }
    };
    let _ = writeln!(out, "mails received in a day: {}", list(&stats.taken_in_a_day));
    let _ = writeln!(out, "mails to send, and sent in a day: {}", list(&stats.mails));
    let _ = writeln!(out, "database: {}", disk::in_words(stats.bytes));
    out
}
