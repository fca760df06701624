//! The letters of ours that a message may quote.

use crate::letters::{Draft, LetterKind};
use crate::store::{self, Purpose, Reader};
use crate::table::BoardLetter;

use super::request::Request;
use super::token::Claim;

/// The most letters that are looked at. A message quotes one, and programs keep the whole thread in `References`.
const MAX_LETTERS: u32 = 4;

impl Request {
    /// The kinds and the facts of the letters that the message may quote: those that it answers, by its header, and those
    /// with its token to its sender.
    ///
    /// Nothing here is proven, and nothing follows from it but what is cut out of the message.
    ///
    /// # Errors
    /// Those of the database.
    pub fn quoted(&self, store: &Reader) -> store::Result<Vec<(Option<LetterKind>, Draft)>> {
        let mut letters = Vec::new();
        let answered = self.mail.in_reply_to.iter().rev();
        let ids = answered.chain(self.mail.references.iter().rev());
        let mut seen: Vec<&String> = Vec::new();
        for id in ids {
            if seen.len() >= MAX_LETTERS as usize {
                break;
            }
            if !seen.contains(&id) {
                seen.push(id);
                letters.extend(store.sent_letter(id)?);
            }
        }
        let mut claims = self.details.iter();
        let claim = claims.find_map(|detail| Claim::read(detail, Purpose::Seat));
        if let (Some(claim), Some(from)) = (claim, &self.mail.from) {
            let board = BoardLetter::of_number(claim.row).board;
            letters.extend(store.letters_about(board, from, claim.row)?);
        }
        Ok(letters)
    }
}
