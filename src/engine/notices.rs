//! Posts notices of turns to the web addresses of players, beside the sender of mails, which never waits for them.
//!
//! One posting at a time goes to a place, and few go out at once. A row is forgotten after its place has taken it, so a crash between
//! the two has it posted again.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinSet;

use pbmserv_core::dispatch::{notice_code, notice_line};
use pbmserv_core::letters::Times;
use pbmserv_core::store::{self, NoticeForm, Posted, Posting};
use pbmserv_mail::outbox::{NotTaken, Notice, Poster, Webhook, WebhookForm};

use super::Unavailable;
use super::server::Server;

/// How many places are written to at once.
const AT_ONCE: u32 = 8;

/// The pause after the database could not be read or written.
const RETRY_PAUSE: Duration = Duration::from_secs(60);

/// No sleep is longer, because the clock may be set meanwhile.
const MAX_SLEEP: Duration = Duration::from_secs(3600);

/// What is due and was not posted for a reason that nobody foresaw is not tried again at once.
const LEAST_SLEEP: Duration = Duration::from_secs(1);

/// Why nothing could be posted.
#[derive(Debug, thiserror::Error)]
pub enum NotPosted {
    /// The database could not be read.
    #[error(transparent)]
    Unread(#[from] store::Error),
    /// It could not be written.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

/// Posts what is due until `stop` is true.
pub async fn run(server: Arc<Server>, poster: Poster, mut stop: watch::Receiver<bool>) {
    loop {
        let pause = match post_due(&server, &poster).await {
            Ok(0) => until_next(&server).await,
            Ok(_) => Duration::ZERO,
            Err(error) => {
                tracing::debug!(%error, "notices wait");
                RETRY_PAUSE
            }
        };
        let is_well = pause != RETRY_PAUSE;
        tokio::select! {
            _ = stop.wait_for(|stop| *stop) => return,
            () = tokio::time::sleep(pause) => {}
            () = server.engine.committed(), if is_well => {}
        }
    }
}

async fn until_next(server: &Server) -> Duration {
    let next = server
        .readers
        .ask(store::Reader::next_posting)
        .await
        .ok()
        .flatten();
    let wait = next.and_then(|next| (next - server.now()).to_std().ok());
    wait.map_or(MAX_SLEEP, |wait| wait.clamp(LEAST_SLEEP, MAX_SLEEP))
}

/// Posts what is due now, at most one notice to each of a few places; returns to how many.
///
/// # Errors
/// What was posted may be posted again.
pub async fn post_due(server: &Arc<Server>, poster: &Poster) -> Result<usize, NotPosted> {
    let now = server.now();
    let due = server
        .readers
        .ask(move |reader| reader.postings(now, AT_ONCE))
        .await?;
    if due.is_empty() {
        return Ok(0);
    }
    // Another server may have taken over, and posts the same.
    server.engine.confirm().await?;
    let mut under_way = JoinSet::new();
    for posting in due {
        let (server, poster) = (server.clone(), poster.clone());
        under_way.spawn(async move {
            let result = post(&server, &poster, &posting).await;
            (posting, result)
        });
    }
    // A panic is that one's alone.
    let mut results = Vec::new();
    while let Some(joined) = under_way.join_next().await {
        results.extend(joined.ok());
    }
    let count = results.len();
    let written = server.engine.act(move |handler, store, now| {
        for (posting, result) in results {
            match result {
                Ok(is_taken) => store.posted(&posting, is_taken, now)?,
                Err(why) => {
                    let to = &posting.to;
                    handler.notice_failed(store, to.player, Some(to.asked_at), &why.to_string(), now)?;
                }
            }
        }
        Ok(())
    });
    written.await?;
    Ok(count)
}

/// Posts it, unless it is not worth it any more; returns whether its place has taken something.
async fn post(server: &Server, poster: &Poster, posting: &Posting) -> Result<bool, NotTaken> {
    let to = &posting.to;
    let notice = match &posting.what {
        Some(Posted::Code) => {
            let code = notice_code(&server.key, to);
            Notice {
                title: "Your code".to_owned(),
                line: format!(
                    "pbmserv code {code}: write \"set notify {code}\" to {}",
                    server.address
                ),
                click: String::new(),
            }
        }
        Some(Posted::Turn(board, _)) => {
            let player = to.player;
            let zone = server.readers.ask(move |reader| reader.zone(Some(player))).await;
            let times = Times {
                now: server.now(),
                zone: zone.unwrap_or_default(),
            };
            Notice {
                title: "Your turn".to_owned(),
                line: format!("Your turn: {}", notice_line(board, times)),
                click: server.web.public_board(board),
            }
        }
        Some(Posted::Stale(..)) | None => return Ok(false),
    };
    let form = match to.form {
        NoticeForm::Text => WebhookForm::Text,
        NoticeForm::Json => WebhookForm::Json,
        NoticeForm::Mail => return Ok(false),
    };
    // It was one when it was stored.
    let Ok(webhook) = Webhook::parse(&to.target) else {
        return Ok(false);
    };
    let posted = poster.post(&webhook, form, &notice).await;
    tracing::debug!(
        player = to.player.0,
        is_taken = posted.is_ok(),
        "a notice was posted"
    );
    posted.map(|()| true)
}
