//! Checks of userids that players had before these were kept for somebody else. They keep them: the operator may agree with them
//! upon others.

use std::iter;

use pbmserv_games::GAMES;

use crate::config::Config;
use pbmserv_core::command::operator::operate::sounds_official;
use pbmserv_core::store::{Reader, Result};

use super::findings::{Findings, Subject};

/// Lists them.
pub(super) fn check(config: &Config, reader: &Reader, findings: &mut Findings) -> Result<()> {
    let found = [games(reader)?, official(config, reader)?].concat();
    if found.is_empty() {
        findings.good(
            Subject::Userids,
            "none is the name of a game, and none sounds official",
        );
    }
    for one in found {
        findings.advise(Subject::Userids, one);
    }
    computers(config, reader, findings)
}

/// Commands find the game, so nothing is broken.
fn games(reader: &Reader) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for game in GAMES {
        for name in iter::once(&game.facts.name).chain(game.facts.aliases) {
            found.extend(reader.player(name)?);
        }
    }
    let advice = found.iter().map(|player| {
        format!(
            "{0} has the name of a game, and a command that begins with it means the game: pbmserv user rename {0} OTHER \
             --why REASON, if the player agrees",
            player.userid
        )
    });
    Ok(advice.collect())
}

fn official(config: &Config, reader: &Reader) -> Result<Vec<String>> {
    let server = &config.server;
    let mut found = reader.players()?;
    found.retain(|player| sounds_official(&player.userid, &server.name, &server.directors));
    let advice = found.iter().map(|player| {
        format!(
            "{0} would be taken for somebody who runs this server, and is no director: pbmserv user rename {0} OTHER --why REASON, \
             if the player agrees",
            player.userid
        )
    });
    Ok(advice.collect())
}

/// A player may have had the userid of a computer before there were any.
fn computers(config: &Config, reader: &Reader, findings: &mut Findings) -> Result<()> {
    for userid in &config.bots.players {
        if let Some(player) = reader.player(userid)?
            && !player.id.is_computer()
        {
            let found = format!(
                "{0} is a player, so the computer of that name does not play: pbmserv user rename {0} OTHER --why REASON, and start \
                 the server again; or take it out of bots.players",
                player.userid
            );
            findings.advise(Subject::Bots, found);
        }
    }
    Ok(())
}
