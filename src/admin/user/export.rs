//! `user export`: everything that is stored of a player, as one file of JSON.

use crate::engine::server::Server;

pub(super) fn export(server: &Server, userid: &str) -> anyhow::Result<String> {
    let reader = server.reader()?;
    let Some(player) = reader.player(userid)? else {
        anyhow::bail!("there is no player called {userid}")
    };
    let everything = reader.everything_of(&player, &server.address, server.now(), usize::MAX)?;
    Ok(everything.unwrap_or_default())
}
