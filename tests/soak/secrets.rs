//! Searches every file of the server for the passwords and tokens of the soak.

use std::fs::File;
use std::io::Read;

use crate::soak::Soak;
use crate::world::SECRET;

/// How much of a file is searched at a time, and how much of it again with the next piece: a word may cross the border.
const PIECE: usize = 1 << 20;
const AGAIN: usize = 100;

/// No file of the server contains a password or a token.
pub(crate) fn no_secret(soak: &Soak) {
    let database = soak.world.database();
    let tokens = &soak.world.post.tokens;
    // The part before the hyphen is a number and not secret.
    let tags = tokens.iter().filter_map(|token| Some(token.split_once('-')?.1));
    let words: Vec<String> = tags.chain([SECRET]).map(str::to_ascii_lowercase).collect();
    let log = database.with_file_name("soak.log");
    for path in [database.clone(), database.with_extension("sqlite-wal"), log] {
        let Ok(mut file) = File::open(&path) else { continue };
        let mut piece = Vec::new();
        while file.by_ref().take(PIECE as u64).read_to_end(&mut piece).unwrap() > 0 {
            let text = String::from_utf8_lossy(&piece).to_ascii_lowercase();
            let found = words.iter().find(|word| text.contains(*word));
            assert_eq!(found, None, "a password or a token stands in {}", path.display());
            piece.drain(..piece.len().saturating_sub(AGAIN));
        }
    }
}
