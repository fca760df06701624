//! What a message needs of the database, asked for together before it is needed. With a database on a server each answer by
//! itself takes longer than its statement; with a file nothing is done here. A guess that is wrong costs a little time.

use chrono::{DateTime, Utc};

use crate::command::{Addressee, Argument, Letter, Line, Script, Sender};
use crate::store::{RateLimit, Reader, Result, Store, hourly};

/// What any message of this sender needs, and the board and the player that its command names. `identities` are the digests by
/// which it would be known again.
pub(super) fn of_message(
    store: &Store,
    identities: Option<[&[u8; 32]; 2]>,
    sender: &Sender,
    script: &Script,
    now: DateTime<Utc>,
) {
    store.ahead(|store| {
        if let Some(identities) = identities {
            let _ = store.seen(identities);
        }
        if let Some(address) = &sender.from {
            let _ = store.complaint(address);
            let _ = store.address_rows(address);
            let _ = store.tally(RateLimit::Answered, &address.limit_key(), now);
        }
        let source = hourly(&sender.source(), now);
        let _ = store.tally(RateLimit::Unproven, &source, now);
        let _ = store.tally(RateLimit::Caused, &source, now);
        let _ = store.tally(RateLimit::UnprovenAround, &hourly(&sender.realm(), now), now);
        if let Script::Command(line) = script {
            let _ = of_line(store, line);
        }
    });
}

fn of_line(store: &Reader, line: &Line) -> Result<()> {
    if let (Some(game), Some((_, number))) = (line.game, line.board())
        && let Ok(number) = number.try_into()
    {
        store.board(game, number)?;
    }
    if let Some(userid) = line.word_in(Argument::Userid) {
        store.player(&userid.text)?;
    }
    Ok(())
}

/// The threads of letters that are about to be posted, while nothing is posted yet.
///
/// # Errors
/// The database cannot be read.
pub(super) fn of_letters(store: &Store, letters: &[Letter]) -> Result<()> {
    if !store.is_far() || letters.len() < 2 {
        return Ok(());
    }
    let mut threads = Vec::new();
    for letter in letters {
        if let (Addressee::Player(player), Some((game, number))) = (&letter.to, letter.board)
            && let Some(board) = store.board(game, number)?
        {
            let rows = store.addresses(*player)?.into_iter();
            threads.extend(rows.map(|row| (board.id, row.address)));
        }
    }
    store.ahead(|store| {
        for (board, address) in &threads {
            let _ = store.newest_mail(*board, address);
        }
    });
    for (board, address) in &threads {
        store.newest_mail(*board, address)?;
    }
    Ok(())
}
