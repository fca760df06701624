//! What a message needs of the database, asked for together before it is needed. With a database on a server each answer by
//! itself takes longer than its statement; with a file nothing is done here. A guess that is wrong costs a little time.

use chrono::{DateTime, Utc};

use crate::command::{Argument, Guesser, Line, Script, Settings};
use crate::store::{RateLimit, Reader, Result, Store, hourly};
use crate::table::Board;

use super::ahead::ask_threads;
use super::request::Request;

/// Asks for what the messages of a batch need, before the first of them is handled. What one of them changes is read again by
/// those after it.
///
/// # Errors
/// The database cannot be read.
pub fn look_ahead(
    store: &Store,
    requests: &[&Request],
    settings: &Settings,
    now: DateTime<Utc>,
) -> Result<()> {
    if !store.is_far() {
        return Ok(());
    }
    store.ahead(|store| {
        for request in requests {
            ask(store, request, now);
        }
    });
    let (mut boards, mut guessers) = (Vec::new(), Vec::new());
    for request in requests {
        let Script::Command(line) = &request.script else {
            continue;
        };
        if let Some((userid, _)) = line.password()
            && let Some(player) = store.player(&userid.text)?
        {
            guessers.push(Guesser::of(store, &request.sender, player.id)?);
        }
        boards.extend(board_of(store, line)?.map(|board| (board, !request.comment.is_empty())));
    }
    store.ahead(|store| {
        for guesser in &guessers {
            let _ = guesser.is_refused(store, settings.guesses, now);
            for (what, key) in guesser.counts(now) {
                let _ = store.tally(what, &key, now);
            }
        }
        for (board, has_words) in &boards {
            store.ask_of_board(board);
            if *has_words {
                let [first, second] = board.players.each_ref().map(|player| player.id);
                let _ = store.has_blocked(first, second);
                let _ = store.has_blocked(second, first);
            }
        }
    });
    let players = boards
        .iter()
        .flat_map(|(board, _)| board.players.each_ref().map(|player| (board.id, player.id)));
    ask_threads(store, players)
}

/// What any message of this sender needs, and the board and the player that its command names.
pub(super) fn of_message(store: &Store, request: &Request, now: DateTime<Utc>) {
    store.ahead(|store| ask(store, request, now));
}

fn ask(store: &Reader, request: &Request, now: DateTime<Utc>) {
    if let (Some(identity), Some(copy)) = (&request.identity, &request.copy()) {
        let _ = store.seen([identity, copy]);
    }
    if let Some(first) = request.refused(None) {
        let _ = store.seen([&first, &first]);
    }
    let sender = &request.sender;
    if let Some(address) = &sender.from {
        let _ = store.complaint(address);
        let _ = store.address_rows(address);
        let _ = store.tally(RateLimit::Answered, &address.limit_key(), now);
    }
    let source = hourly(&sender.source(), now);
    let _ = store.tally(RateLimit::Unproven, &source, now);
    let _ = store.tally(RateLimit::Caused, &source, now);
    let _ = store.tally(RateLimit::UnprovenAround, &hourly(&sender.realm(), now), now);
    if let Script::Command(line) = &request.script {
        let _ = board_of(store, line);
        if let Some(userid) = line.word_in(Argument::Userid) {
            let _ = store.player(&userid.text);
        }
    }
}

/// The board that a command names.
fn board_of(store: &Reader, line: &Line) -> Result<Option<Board>> {
    match (line.game, line.board().map(|(_, number)| number.try_into())) {
        (Some(game), Some(Ok(number))) => store.board(game, number),
        _ => Ok(None),
    }
}
