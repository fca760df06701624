//! A record file: what is read is written again, and replays or is refused.

use pbmserv::games::record::{Record, json};

/// Reads the bytes as a record.
pub fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    match text.parse::<Record>() {
        Err(error) => assert!(!error.to_string().contains('\n')),
        Ok(record) => {
            let written = record.to_string();
            assert_eq!(written.parse::<Record>().as_ref(), Ok(&record), "{written}");
            match record.replay() {
                Ok(replayed) => assert!(!json(&replayed).contains('\n') && !replayed.sentence().is_empty()),
                Err(error) => assert!(!error.to_string().is_empty()),
            }
        }
    }
}
