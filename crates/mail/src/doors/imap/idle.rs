//! Waits for new messages, with IDLE (RFC 2177) if the server offers it.

use std::time::Duration;

use tokio::time::timeout;

use super::connection::Reply;
use super::error::SessionError;
use super::mailbox::{COMMAND, COMMAND_MAX_BYTES, Mailbox, in_time};

impl Mailbox<'_> {
    /// Waits for a new message, at most this long; without IDLE it only sleeps. After cancelling this, the
    /// caller must not use the session any more.
    pub(super) async fn wait(&mut self, poll: Duration) -> Result<(), SessionError> {
        if self.news.is_there {
            return Ok(());
        }
        if !self.abilities.idle {
            tokio::time::sleep(poll).await;
            // Some servers look for new mail only at this command.
            self.simple("NOOP").await?;
            return Ok(());
        }
        self.connection.allow(COMMAND_MAX_BYTES);
        let begun = async {
            let tag = self.connection.send("IDLE").await?;
            let reply = self.connection.reply(&tag, |response| self.news.note(response));
            Ok((reply.await?, tag))
        };
        let (Reply::GoOn, tag) = in_time(COMMAND, begun).await? else {
            // The server announces IDLE but refuses it.
            self.abilities.idle = false;
            return Ok(());
        };
        let announced = async {
            while !self.news.is_there {
                self.news.note(&self.connection.read().await?);
            }
            Ok::<(), SessionError>(())
        };
        if let Ok(ended) = timeout(poll, announced).await {
            ended?;
        }
        in_time(COMMAND, async {
            self.connection.send_line("DONE").await?;
            self.connection
                .end(&tag, |response| self.news.note(response))
                .await
        })
        .await?;
        Ok(())
    }
}
