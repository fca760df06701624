//! The daily mail that a message answers, with its boards.

use crate::command::{InternalError, LetterAnswered};
use crate::store::{DigestLetter, ListedBoard, Purpose, Store};
use crate::table::{Board, BoardLetter, Player};
use pbmserv_mail::Key;

use super::claims::{answered, claims, is_of};
use super::request::Request;

/// A daily mail that a message answers.
#[derive(Debug)]
pub(super) struct AnsweredDigest {
    /// Its number.
    pub(super) row: i64,
    /// Its reader.
    pub(super) player: Player,
    /// The boards that it showed and that its reader may still answer about, as they are now and as they were shown.
    pub(super) boards: Vec<(Board, ListedBoard)>,
}

impl AnsweredDigest {
    /// The daily mail that a message answers: by its token, or by `In-Reply-To` if it comes from its reader.
    pub(super) fn of(request: &Request, store: &Store, key: &Key) -> Result<Option<Self>, InternalError> {
        for claim in claims(request, Purpose::Digest) {
            if let Some((letter, player)) = reader(store, claim.row)?
                && claim.is_true(key, player.generation)
            {
                return Self::new(store, letter, player).map(Some);
            }
        }
        if !request.details.is_empty() {
            return Ok(None);
        }
        let Some(row) = answered(request, store, Purpose::Digest)? else {
            return Ok(None);
        };
        match reader(store, row)? {
            Some((letter, player)) if is_of(request, store, &player)? => {
                Self::new(store, letter, player).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn new(store: &Store, letter: DigestLetter, player: Player) -> Result<Self, InternalError> {
        let mut boards = Vec::with_capacity(letter.boards.len());
        for listed in letter.boards {
            let board = store.board_by_id(listed.board)?;
            // A substitute may sit there now.
            let is_answerable = |board: &Board| board.seat_of(player.id).is_some() && board.can_be_answered();
            boards.extend(board.filter(is_answerable).map(|board| (board, listed)));
        }
        Ok(Self {
            row: letter.id,
            player,
            boards,
        })
    }

    /// Its boards, each as a letter about it.
    pub(super) fn letters(&self) -> Vec<LetterAnswered> {
        let letter = |(board, shown): &(Board, ListedBoard)| {
            let about = BoardLetter {
                board: board.id,
                seat: board.seat_of(self.player.id)?,
                event: shown.event,
            };
            Some(LetterAnswered::new(about, board))
        };
        self.boards.iter().filter_map(letter).collect()
    }

    /// The board that an answer is about which names none: the only one that waited, or the only one at all.
    pub(super) fn only(&self) -> Option<usize> {
        let waited = self
            .boards
            .iter()
            .enumerate()
            .filter(|(_, (_, shown))| shown.is_waiting);
        let waited: Vec<_> = waited.map(|(place, _)| place).collect();
        match (waited.as_slice(), self.boards.len()) {
            ([one], _) => Some(*one),
            ([], 1) => Some(0),
            _ => None,
        }
    }
}

fn reader(store: &Store, row: i64) -> Result<Option<(DigestLetter, Player)>, InternalError> {
    let Some(letter) = store.digest_letter(row)? else {
        return Ok(None);
    };
    let player = store.player_by_id(letter.player)?;
    Ok(player.map(|player| (letter, player)))
}
