//! A turn that is played on a page against a computer brings no mail if the page shows the answer.
//!
//! The mail waits a minute ([`Awaits::Look`](pbmserv_core::store::Awaits::Look)). It is dropped a moment after a page was made that
//! shows the same board, for a browser that has just sent a form of that player: a program that follows links in mails has no
//! mark of a form. A crash before leaves the mail, and so does a browser that was closed. The next form on that board drops it too.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::sleep;

use crate::web::site::Site;
use pbmserv_core::table::BoardLetter;

/// By then the page is on its way.
const SENT_AFTER: Duration = Duration::from_secs(1);

/// Has the mail dropped that shows the board as the page does.
pub(super) fn note(site: &Site, letter: BoardLetter) {
    let server = Arc::downgrade(&site.server);
    tokio::spawn(async move {
        sleep(SENT_AFTER).await;
        if let Some(server) = server.upgrade() {
            let dropped = server
                .engine
                .write(move |store, now| store.drop_seen(letter, now));
            if let Err(error) = dropped.await {
                tracing::warn!(%error, "a mail is sent although its reader has seen on a page what it says");
            }
        }
    });
}
