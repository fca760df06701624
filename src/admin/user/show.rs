//! What `user list` and `user show` print.

use std::collections::BTreeMap;

use clap::Args;
use pbmserv_games::GAMES;
use serde::{Deserialize, Serialize};

use crate::admin::board::show::BoardJson;
use crate::engine::server::Server;
use pbmserv_core::letters::columns;
use pbmserv_core::store::{AddressRow, BoardFilter, Complained, PlayerRow, player_state};
use pbmserv_mail::Address;

// Comments of these fields are lines of the help.
#[derive(Clone, Debug, Default, Args, Serialize, Deserialize)]
#[expect(missing_docs, reason = "what is documented here is printed by --help")]
pub struct Filter {
    /// Only those whose userid or address has this in it.
    pub text: Option<String>,
    /// Only those in this state.
    #[arg(long, value_parser = ["active", "away", "disabled", "computer"])]
    pub state: Option<String>,
    /// Only those with an address from which mail comes back.
    #[arg(long)]
    pub failing: bool,
    /// Only those with an address that is not confirmed.
    #[arg(long)]
    pub unconfirmed: bool,
    /// Only people without a running board.
    #[arg(long)]
    pub idle: bool,
    /// Print one line of JSON.
    #[arg(long)]
    pub json: bool,
}

impl Filter {
    fn has(&self, player: &PlayerRow) -> bool {
        let has = |text: &str, part: &str| text.to_lowercase().contains(&part.to_lowercase());
        let is_named = self.text.as_deref().is_none_or(|part| {
            has(&player.userid, part) || player.addresses.iter().any(|row| has(&row.address, part))
        });
        is_named
            && self.state.as_deref().is_none_or(|state| state == player.state)
            && (!self.failing || player.addresses.iter().any(|row| row.is_failing))
            && (!self.unconfirmed || player.addresses.iter().any(|row| !row.is_confirmed))
            && (!self.idle || player.running == 0 && player.state != "computer")
    }
}

/// What `erase` would do.
pub(super) fn erasure(server: &Server, userid: &str) -> anyhow::Result<String> {
    let reader = server.reader()?;
    let Some(player) = reader.player(userid)? else {
        anyhow::bail!("there is no player called {userid}")
    };
    let boards = reader.boards(BoardFilter {
        player: Some(player.id),
        limit: u32::MAX,
        ..BoardFilter::default()
    })?;
    let (over, running): (Vec<_>, Vec<_>) = boards.iter().partition(|board| board.end.is_some());
    let mut out = format!("the account of {} would be erased for good:\n", player.userid);
    for row in reader.addresses(player.id)? {
        out.push_str(&format!("  address {}\n", row.address.with_scripts()));
    }
    for board in &running {
        out.push_str(&format!("  {} ends\n", board.name()));
    }
    out.push_str(&format!(
        "  finished games that stay without the name: {}\n",
        over.len()
    ));
    Ok(out)
}

pub(super) fn list(server: &Server, filter: &Filter) -> anyhow::Result<String> {
    let mut players = server.reader()?.player_rows()?;
    players.retain(|player| filter.has(player));
    if filter.json {
        return Ok(format!("{}\n", serde_json::to_string(&players)?));
    }
    let heading = ["Userid", "State", "Addresses", "Boards"].map(str::to_owned);
    let mut rows = vec![heading.to_vec()];
    for player in players {
        let shown: Vec<_> = player
            .addresses
            .iter()
            .map(|row| {
                let note = match (row.is_confirmed, row.is_failing) {
                    (false, _) => " (unconfirmed)",
                    (true, true) => " (mail fails)",
                    (true, false) => "",
                };
                format!("{}{note}", Address::stored_with_scripts(&row.address))
            })
            .collect();
        rows.push(vec![
            player.userid,
            player.state.to_owned(),
            shown.join(", "),
            player.running.to_string(),
        ]);
    }
    Ok(format!("{}\n", columns(&rows)))
}

/// A player as JSON; times are milliseconds since 1970.
#[derive(Debug, Serialize)]
struct PlayerJson {
    userid: String,
    state: &'static str,
    addresses: Vec<AddressJson>,
    /// The size of the board in mails, by the name of the game.
    displays: BTreeMap<&'static str, &'static str>,
    boards: Vec<BoardJson>,
}

#[derive(Debug, Serialize)]
struct AddressJson {
    address: String,
    confirmed_at: Option<i64>,
    failed_days: u32,
    is_failing: bool,
}

/// A note about failed mail to an address; empty if no mail has failed lately.
fn failures(row: &AddressRow) -> String {
    let Some(last) = row.failed_on else {
        return String::new();
    };
    let days = match row.failed_days {
        1 => "on 1 day".to_owned(),
        days => format!("on {days} days"),
    };
    let now = if row.is_failing() {
        "; it is not written to until a mail comes from it"
    } else {
        ""
    };
    format!(", mail failed {days}, last on {last}{now}")
}

/// A note about a complaint.
fn complained(complaint: &Complained) -> String {
    format!(
        ", complained of our mail as spam ({}) on {}; it is not written to until a mail comes from it",
        complaint.kind.word(),
        complaint.at.format("%Y-%m-%d")
    )
}

/// One player: addresses, displays, boards.
pub(super) fn show(server: &Server, userid: &str, json: bool) -> anyhow::Result<String> {
    let reader = server.reader()?;
    let Some(player) = reader.player(userid)? else {
        anyhow::bail!("there is no player called {userid}")
    };
    let addresses = reader.addresses(player.id)?;
    let boards = reader.boards(BoardFilter {
        player: Some(player.id),
        limit: 1000,
        ..BoardFilter::default()
    })?;
    let mut displays = BTreeMap::new();
    for game in GAMES {
        displays.insert(game.facts.name, reader.display(player.id, game)?.word());
    }
    let state = player_state(player.away_since.is_some(), player.disabled_at.is_some());
    if json {
        let address = |row: &AddressRow| AddressJson {
            address: row.address.as_str().to_owned(),
            confirmed_at: row.confirmed_at.map(|at| at.timestamp_millis()),
            failed_days: row.failed_days,
            is_failing: row.is_failing(),
        };
        let shown = PlayerJson {
            userid: player.userid,
            state,
            addresses: addresses.iter().map(address).collect(),
            displays,
            boards: boards.iter().map(BoardJson::of).collect(),
        };
        return Ok(format!("{}\n", serde_json::to_string(&shown)?));
    }
    let mut out = format!("{}: {state}\n", player.userid);
    for row in addresses {
        let state = match row.confirmed_at {
            Some(at) => format!("confirmed {}", at.format("%Y-%m-%d %H:%M UTC")),
            None => "not confirmed".to_owned(),
        };
        let trouble = match reader.complaint(&row.address)? {
            Some(complaint) => complained(&complaint),
            None => failures(&row),
        };
        out.push_str(&format!(
            "  address {}: {state}{trouble}\n",
            row.address.with_scripts()
        ));
    }
    for (game, display) in displays {
        out.push_str(&format!("  {game} display: {display}\n"));
    }
    for board in boards {
        let state = if board.end.is_some() { "over" } else { "running" };
        out.push_str(&format!("  {}: {state}, {} turns\n", board.name(), board.turns));
    }
    Ok(out)
}
