//! Identifies a message that has neither Message-ID nor `Date`.

use sha2::{Digest, Sha256};

/// A digest of a message's place, its arrival time and its bytes.
///
/// Without Message-ID and `Date`, nothing in a message tells a copy from another message. Doors that leave
/// messages in place until they are handled - in a folder, in a mailbox - see the same message again after a
/// crash between commit and move. The mark recognizes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark([u8; 32]);

impl Mark {
    /// The mark of a message at this place.
    pub(super) fn new(door: &str, place: &[&[u8]], bytes: &[u8]) -> Self {
        let mut whole = Sha256::new();
        let begin = ["pbmserv: one place, version 1".as_bytes(), door.as_bytes()];
        for piece in begin.iter().chain(place) {
            whole.update((piece.len() as u64).to_be_bytes());
            whole.update(piece);
        }
        whole.update(Sha256::digest(bytes));
        Self(whole.finalize().into())
    }

    /// Its bytes.
    #[must_use]
    pub const fn digest(self) -> [u8; 32] {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_piece_counts_and_none_runs_into_the_next() {
        let marks = [
            Mark::new("maildir", &[b"ab", b"c"], b"x"),
            Mark::new("maildir", &[b"a", b"bc"], b"x"),
            Mark::new("maildir", &[b"ab", b"c"], b"y"),
            Mark::new("imap", &[b"ab", b"c"], b"x"),
        ];
        for (at, mark) in marks.iter().enumerate() {
            assert!(!marks[at + 1..].contains(mark));
        }
        assert_eq!(marks[0], Mark::new("maildir", &[b"ab", b"c"], b"x"));
    }
}
