//! A record file: one that replays is read alike after it was written again, any other is refused in words.

use pbmserv_games::record::{Record, json};

/// Reads the bytes as a record.
pub fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    match text.parse::<Record>() {
        Err(error) => assert!(!error.to_string().contains('\n')),
        Ok(record) => {
            let written = record.to_string();
            match record.replay() {
                Ok(replayed) => {
                    assert_eq!(written.parse::<Record>().as_ref(), Ok(&record), "{written}");
                    assert!(!json(&replayed).contains('\n') && !replayed.sentence().is_empty());
                }
                Err(error) => assert!(!error.to_string().is_empty()),
            }
        }
    }
}
