//! `user`: the accounts, for the operator.

use crate::games::GAMES;
use crate::letters::columns;
use crate::service::office::Office;
use crate::store::{AddressRow, BoardFilter};

/// All players as a table.
pub(super) fn list(office: &Office) -> anyhow::Result<String> {
    let reader = office.reader()?;
    let mut rows = vec![["Userid", "Addresses", "Boards"].map(str::to_owned).to_vec()];
    for player in reader.players()? {
        let addresses = reader.addresses(player.id)?;
        let shown: Vec<_> = addresses
            .iter()
            .map(|row| {
                format!(
                    "{}{}",
                    row.address,
                    match row.confirmed_at {
                        None => " (unconfirmed)",
                        Some(_) if row.is_failing() => " (mail fails)",
                        Some(_) => "",
                    }
                )
            })
            .collect();
        let filter = BoardFilter {
            player: Some(player.id),
            running: Some(true),
            limit: 1000,
            ..BoardFilter::default()
        };
        rows.push(vec![
            player.userid,
            shown.join(", "),
            reader.boards(filter)?.len().to_string(),
        ]);
    }
    Ok(format!("{}\n", columns(&rows)))
}

/// What became of the mail to an address lately, if it failed.
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

/// One player: addresses, displays, boards.
pub(super) fn show(office: &Office, userid: &str) -> anyhow::Result<String> {
    let reader = office.reader()?;
    let Some(player) = reader.player(userid)? else {
        anyhow::bail!("there is no player called {userid}")
    };
    let mut out = format!("{}\n", player.userid);
    for row in reader.addresses(player.id)? {
        let state = match row.confirmed_at {
            Some(at) => format!("confirmed {}", at.format("%Y-%m-%d %H:%M UTC")),
            None => "not confirmed".to_owned(),
        };
        out.push_str(&format!("  address {}: {state}{}\n", row.address, failures(&row)));
    }
    for game in GAMES {
        out.push_str(&format!(
            "  {} display: {}\n",
            game.facts.name,
            reader.display(player.id, game)?.word()
        ));
    }
    let boards = reader.boards(BoardFilter {
        player: Some(player.id),
        limit: 1000,
        ..BoardFilter::default()
    })?;
    for board in boards {
        let state = if board.end.is_some() { "over" } else { "running" };
        out.push_str(&format!("  {}: {state}, {} turns\n", board.name(), board.turns));
    }
    Ok(out)
}
