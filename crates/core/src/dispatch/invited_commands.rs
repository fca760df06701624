//! The commands in an answer to an invitation or to the gazette.

use pbmserv_games::GAMES;

use crate::command::{COMMANDS, InternalError, Line, Misread};
use crate::store::Store;
use crate::table::Player;

use super::request::Request;

/// A command in such an answer.
#[derive(Debug)]
pub(super) struct InvitedCommand {
    /// The command, or why some of its words have no place.
    pub(super) read: Result<Line, Box<Misread>>,
    /// The text that belongs to it.
    pub(super) text: String,
}

/// The commands in an answer to an invitation. A line that names no game is about the one that the other player seeks,
/// or else about the first.
pub(super) fn invited(
    request: &Request,
    store: &Store,
    player: &Player,
) -> Result<Vec<InvitedCommand>, InternalError> {
    let mut commands = Vec::new();
    for (line, text) in COMMANDS.read_invited(&request.comment, &request.subject, player) {
        // Such a line is asked about first.
        if !line.is_for_a_token() || line.may_hold_a_password(store)? {
            return Ok(Vec::new());
        }
        let mut game = None;
        if line.lacks_game() {
            if let Some(other) = line.other(store)? {
                for one in GAMES {
                    if game.is_none() && store.seek(other.id, one)?.is_some() {
                        game = Some(one);
                    }
                }
            }
            game = game.or(GAMES.first());
        }
        commands.push(InvitedCommand {
            read: line.read(game),
            text,
        });
    }
    Ok(commands)
}
