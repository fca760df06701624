//! A form on a board against a computer waits a moment for the answer, so that the next page shows it.
//!
//! Nothing depends on it: who waits longer looks again by a link. A page that loaded itself again would lose what is typed there.

use std::time::Duration;

use tokio::time::{sleep, timeout};

use crate::web::board::Place;
use crate::web::site::Site;
use crate::web::viewer::Viewer;

const PATIENCE: Duration = Duration::from_secs(3);

/// The least time between two looks at the board: on a busy server there are many commits.
const PAUSE: Duration = Duration::from_millis(100);

/// Waits until the computer, if it is to move, has played; at most for `PATIENCE`, and not at all if many wait.
pub(super) async fn wait(site: &Site, viewer: &Viewer, place: &Place) {
    let Ok(_one) = site.waiters.try_acquire() else {
        return;
    };
    let mut commits = site.server.engine.next_due();
    let looks = async {
        loop {
            commits.mark_unchanged();
            let (at, look) = (place.clone(), viewer.clone());
            let waits = site.look(move |reader| Ok(at.board(reader, &look)?.waits_for_computer()));
            if !waits.await.unwrap_or(false) {
                return;
            }
            sleep(PAUSE).await;
            if commits.changed().await.is_err() {
                return;
            }
        }
    };
    let _ = timeout(PATIENCE, looks).await;
}
