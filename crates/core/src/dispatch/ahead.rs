//! The threads of letters that are about to be posted, asked for together.

use crate::command::{Addressee, Letter};
use crate::store::{Result, Store};
use crate::table::{BoardId, PlayerId};

/// The threads of letters that are about to be posted.
///
/// # Errors
/// The database cannot be read.
pub(super) fn of_letters<'a>(
    store: &Store,
    letters: impl ExactSizeIterator<Item = &'a Letter>,
) -> Result<()> {
    if !store.is_far() || letters.len() < 2 {
        return Ok(());
    }
    let mut threads = Vec::new();
    for letter in letters {
        if let (Addressee::Player(player), Some((game, number))) = (&letter.to, letter.board)
            && let Some(board) = store.board(game, number)?
        {
            threads.push((board.id, *player));
        }
    }
    ask_threads(store, threads)
}

/// Asks for the newest mails about boards to these players, and for what they have not been mailed.
pub(super) fn ask_threads(
    store: &Store,
    threads: impl IntoIterator<Item = (BoardId, PlayerId)>,
) -> Result<()> {
    let (mut asked, mut readers) = (Vec::new(), Vec::new());
    for (board, player) in threads {
        readers.push((board, player));
        let rows = store.addresses(player)?.into_iter();
        asked.extend(rows.map(|row| (board, row.address)));
    }
    store.ahead(|store| {
        for (board, address) in &asked {
            let _ = store.newest_mail(*board, address);
        }
        for (board, reader) in &readers {
            let _ = store.board_news(*reader, *board);
        }
    });
    Ok(())
}
