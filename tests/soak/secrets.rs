//! Searches every file of the server for the passwords and tokens of the soak.

use std::fs::File;
use std::io::Read;

use crate::soak::Soak;
use crate::world::SECRET;

/// No file of the server contains a password or a token.
pub(crate) fn no_secret(soak: &Soak) {
    let database = soak.world.database();
    let tokens = soak.world.post.tokens.lock().unwrap();
    let log = database.with_file_name("soak.log");
    for path in [database.clone(), database.with_extension("sqlite-wal"), log] {
        let Ok(file) = File::open(&path) else { continue };
        // The part before the hyphen is a number and not secret.
        let tags = tokens.iter().filter_map(|token| Some(token.split_once('-')?.1));
        let found = Needles::new(tags.chain([SECRET])).find_in(file);
        assert_eq!(found, None, "a password or a token stands in {}", path.display());
    }
}

/// Searches for many words at once, ignoring case, reading a file once in pieces.
struct Needles {
    words: Vec<Vec<u8>>,
    /// The words that begin with each pair of bytes.
    by_start: Vec<Vec<usize>>,
    longest: usize,
}

impl Needles {
    fn new<'a>(words: impl Iterator<Item = &'a str>) -> Self {
        let words: Vec<Vec<u8>> = words.map(|word| word.to_ascii_lowercase().into_bytes()).collect();
        let mut by_start = vec![Vec::new(); 1 << 16];
        for (number, word) in words.iter().enumerate() {
            by_start[Self::start(word[0], word[1])].push(number);
        }
        let longest = words.iter().map(Vec::len).max().unwrap_or_default();
        Self {
            words,
            by_start,
            longest,
        }
    }

    fn start(first: u8, second: u8) -> usize {
        usize::from(first) << 8 | usize::from(second)
    }

    /// The first match.
    fn find_in(&self, mut from: impl Read) -> Option<String> {
        let mut piece = Vec::new();
        loop {
            // The end of a piece is searched again with the next one, since a word may cross the border.
            piece.drain(..piece.len().saturating_sub(self.longest));
            let before = piece.len();
            let read = from.by_ref().take(1 << 20).read_to_end(&mut piece).unwrap();
            if read == 0 {
                return None;
            }
            piece[before..].make_ascii_lowercase();
            for at in 0..piece.len() - 1 {
                for number in &self.by_start[Self::start(piece[at], piece[at + 1])] {
                    if piece[at..].starts_with(&self.words[*number]) {
                        return Some(String::from_utf8_lossy(&self.words[*number]).into_owned());
                    }
                }
            }
        }
    }
}

#[test]
fn needles_are_found_wherever_they_lie() {
    let needles = Needles::new(["xyzzy", "ab3d"].into_iter());
    let hay = vec![b'x'; (1 << 20) + 100];
    assert_eq!(needles.find_in(hay.as_slice()), None);
    for at in [0, 17, (1 << 20) - 3, 1 << 20, hay.len() - 4] {
        let mut hay = hay.clone();
        hay.splice(at..at + 4, *b"Ab3D");
        assert_eq!(needles.find_in(hay.as_slice()).as_deref(), Some("ab3d"), "{at}");
    }
}
