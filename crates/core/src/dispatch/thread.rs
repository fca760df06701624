//! The mail thread of a board, and the name of its letters' sender.
//!
//! The `References` of all letters about a board to one address begin with the same Message-ID, the root, which no mail has:
//! so they are one thread, whichever of them its reader has deleted, and the first letter belongs to it too.
//!
//! There is a root for each board and address, not one for the board: letters of both players that meet in one mailbox,
//! because one was forwarded there, do not mix, and nobody else who knows of the board can write into its thread. For
//! that the root is a MAC, which only the server can compute. A reply to the root proves nothing, since no mail of the
//! outbox has it.

use crate::command::{InternalError, Letter};
use crate::store::Store;
use crate::table::BoardId;
use pbmserv_mail::{Address, Key};

use super::handler::Cause;

/// Domain separation: no other tag made with the same key is valid here.
const DOMAIN: &str = "thread";

/// The place of a letter in a thread.
#[derive(Debug, Default)]
pub(super) struct ThreadPlace {
    pub(super) in_reply_to: Option<String>,
    pub(super) references: Vec<String>,
    /// Whether the address has had a letter about the board before.
    pub(super) is_later: bool,
}

/// The place of a letter to this address: below the newest one about its board, and below the current message if the
/// letter answers it.
pub(super) fn place(
    store: &Store,
    key: &Key,
    server: &Address,
    cause: &Cause<'_>,
    letter: &Letter,
    (board, address): (Option<BoardId>, &Address),
) -> Result<ThreadPlace, InternalError> {
    let mut place = ThreadPlace::default();
    let mut parents = Vec::new();
    if let Some(board) = board {
        // The root in use stays, also after the key has changed.
        let (newest, begun) = store.newest_mail(board, address)?.unzip();
        let root = begun
            .flatten()
            .unwrap_or_else(|| root(key, server, board, address));
        place.references.push(root);
        place.is_later = newest.is_some();
        parents.extend(newest);
    }
    if cause.is_answered_by(letter) {
        parents.extend(cause.message_id.map(str::to_owned));
    }
    place.in_reply_to = parents.last().cloned();
    place.references.extend(parents);
    Ok(place)
}

/// The Message-ID at the head of `References` in all letters about this board to this address, for ever.
fn root(key: &Key, server: &Address, board: BoardId, address: &Address) -> String {
    let tag = key.tag(
        DOMAIN,
        &[&board.0.to_be_bytes(), address.key().as_bytes()].concat(),
    );
    let tag = data_encoding::BASE32_NOPAD.encode(&tag).to_ascii_lowercase();
    format!("board.{tag}@{}", server.domain())
}
