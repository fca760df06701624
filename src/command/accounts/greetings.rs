//! The letters about an account that is ready.

use crate::command::wording::served::games;
use crate::games::GAMES;
use crate::letters::{Done, Welcome};

/// The reply to a `confirm` for an address that is already confirmed.
pub(crate) fn already(userid: &str) -> Done {
    Done {
        subject: format!("Welcome back, {userid}"),
        sentence: format!("This address is confirmed already, {userid}."),
        hint: "Try help, or help tutorial.".into(),
    }
}

/// The greeting of a player whose account is ready.
pub(crate) fn welcome(userid: &str) -> Welcome {
    Welcome {
        userid: userid.to_owned(),
        games: games(),
        game: GAMES.first().map_or("", |game| game.facts.name).to_owned(),
    }
}
