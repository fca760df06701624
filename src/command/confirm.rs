//! The answer to the one question that an unconfirmed address gets.

use crate::games::GAMES;
use crate::letters::Welcome;

use super::help;
use super::signup::already;
use super::{Addressee, Change, Context, Decision, Letter, Stop};

/// The address in this row is its player's: the word `confirm` came in answer to our question.
///
/// # Errors
/// A fault of ours only; a row that is gone changes nothing.
pub(crate) fn confirm(context: &Context<'_>, address_row: i64) -> Result<Decision, Stop> {
    let Some(row) = context.store.address_by_id(address_row)? else {
        return Ok(Decision::default());
    };
    let Some(player) = context.store.player_by_id(row.player)? else {
        return Ok(Decision::default());
    };
    let to = Addressee::Mailbox {
        userid: player.userid.clone(),
        address: row.address.clone(),
    };
    let letter = |content| Letter {
        to,
        board: None,
        is_answer: true,
        content,
    };
    let proven = Some(player.id);
    if row.confirmed_at.is_some() {
        let letters = vec![letter(already(&player.userid).into())];
        return Ok(Decision {
            letters,
            proven,
            ..Decision::default()
        });
    }
    let changes = vec![Change::ConfirmAddress(row.id)];
    Ok(Decision {
        changes,
        letters: vec![letter(welcome(&player.userid).into())],
        proven,
    })
}

/// The greeting of a player whose account is ready.
pub(super) fn welcome(userid: &str) -> Welcome {
    Welcome {
        userid: userid.to_owned(),
        games: help::games(),
        game: GAMES.first().map_or("", |game| game.facts.name).to_owned(),
    }
}
