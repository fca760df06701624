//! Whether every board replays, finished ones too.

use pbmserv_core::store::{Reader, Result};
use pbmserv_core::table::BoardId;

use super::progress::Progress;

/// Boards that are read at a time.
const AT_ONCE: u32 = 500;

/// Boards that are named.
const NAMED: usize = 10;

/// Replays all boards. Returns a line that says what was found.
pub(super) fn all(reader: &Reader, progress: &Progress, if_faulty: &str) -> Result<String> {
    progress.say("replaying the boards");
    let boards = u64::try_from(reader.contents()?.boards).unwrap_or_default();
    let (mut faults, mut done, mut last) = (Vec::new(), 0, BoardId(i64::MIN));
    loop {
        let page = reader.boards_after(last, AT_ONCE)?;
        let Some(end) = page.last() else {
            break;
        };
        last = end.id;
        for board in &page {
            if let Err(error) = board.replay(reader.turns(board.id)?, usize::MAX) {
                faults.push(error.to_string());
            }
        }
        done += page.len() as u64;
        progress.at(done, boards);
    }
    Ok(match faults.len() {
        0 => "each board replays\n".to_owned(),
        many => {
            faults.truncate(NAMED);
            format!("{many} boards do not replay{if_faulty}: {}\n", faults.join("; "))
        }
    })
}
