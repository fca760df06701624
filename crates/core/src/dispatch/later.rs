//! What a reader hears of later: in the daily mail, or in the next letter about the board.

use std::borrow::Cow;

use crate::command::{Addressee, InternalError, Letter};
use crate::letters::{LetterKind, News};
use crate::store::Store;

use super::bounds::Mailing;

/// The most events without words that one letter tells of besides its own.
const MAX_EARLIER: usize = 10;

/// Stores news of a board for the daily mail, if the reader wants one and the letter is not urgent, or for the next
/// letter about the board.
pub(super) fn is_for_later(store: &Store, letter: &Letter, mailing: &Mailing) -> Result<bool, InternalError> {
    let is_too_much = matches!(mailing, Mailing::Later);
    let (Addressee::Player(player), Some((game, number))) = (&letter.to, letter.board) else {
        // The next letter about a board says whose clock stands still.
        return Ok(is_too_much);
    };
    let can_wait = !letter.is_answer && !letter.is_urgent && store.preferences(*player)?.digest;
    if !can_wait && !is_too_much {
        return Ok(false);
    }
    let (Some(last), Some(board)) = (letter.content.news(), store.board(game, number)?) else {
        return Ok(is_too_much);
    };
    for news in most_of(letter.earlier.clone()).iter().chain([&last]) {
        store.add_digest_news(*player, board.id, news)?;
    }
    Ok(true)
}

/// The letter with what has happened on its board before, and its reader has not heard of. Who gets a daily mail hears of it
/// there.
pub(super) fn with_earlier<'a>(store: &Store, letter: &'a Letter) -> Result<Cow<'a, Letter>, InternalError> {
    let is_about_board = letter.content.kind == LetterKind::Board;
    let mut earlier = Vec::new();
    if let (Addressee::Player(player), Some((game, number))) = (&letter.to, letter.board)
        && is_about_board
        && !store.preferences(*player)?.digest
        && let Some(board) = store.board(game, number)?
    {
        earlier = store.board_news(*player, board.id)?;
        if !earlier.is_empty() {
            store.forget_board_news(*player, board.id)?;
        }
    }
    earlier.extend(letter.earlier.iter().cloned());
    if earlier.is_empty() {
        return Ok(Cow::Borrowed(letter));
    }
    let content = letter.content.clone().with_earlier(&most_of(earlier));
    Ok(Cow::Owned(Letter {
        content,
        ..letter.clone()
    }))
}

/// The last of these events, and all words.
fn most_of(mut news: Vec<News>) -> Vec<News> {
    let more = news.len().saturating_sub(MAX_EARLIER);
    let mut left_out = 0;
    news.retain(|news| {
        let stays = left_out >= more || news.saying.is_some();
        left_out += usize::from(!stays);
        stays
    });
    if left_out > 0 {
        let sentence = format!("{left_out} events before these are left out.");
        news.insert(
            0,
            News {
                sentence,
                saying: None,
            },
        );
    }
    news
}
