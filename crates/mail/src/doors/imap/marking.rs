//! Marks messages as handled, or moves them.

use super::connection::quoted;
use super::error::{Fault, SessionError};
use super::mailbox::{COMMAND, COMMAND_MAX_BYTES, DONE, Mailbox};

impl Mailbox<'_> {
    /// Marks a message as handled, or moves it. A refused one is flagged, which most mail programs show as a
    /// star.
    pub(super) async fn mark(&mut self, uid: u32, is_refused: bool) -> Result<(), Fault> {
        if is_refused {
            // Best effort: the mark that counts comes next.
            self.simple(&format!("UID STORE {uid} +FLAGS.SILENT (\\Flagged)"))
                .await?;
        }
        match &self.account.done_folder {
            None => {
                let store = format!("UID STORE {uid} +FLAGS.SILENT ({DONE})");
                self.must(&store, "handled, but the server does not mark it")
                    .await?;
            }
            Some(folder) => {
                let folder = folder.clone();
                if let Err(Fault::Mail(_)) = self.shift(uid, &folder).await {
                    // Somebody may have removed the folder.
                    self.make(&folder).await.or_else(SessionError::of_mail)?;
                    self.shift(uid, &folder).await?;
                }
            }
        }
        self.marked.insert(uid);
        Ok(())
    }

    /// Moves a message to the folder.
    async fn shift(&mut self, uid: u32, folder: &str) -> Result<(), Fault> {
        if self.abilities.r#move {
            let shift = format!("UID MOVE {uid} {}", quoted(folder));
            return self
                .must(
                    &shift,
                    "handled, but the server does not move it to imap.done_folder",
                )
                .await;
        }
        // A message that was copied, but could not be deleted, is not copied again at each attempt.
        if !self.copied.contains(&uid) {
            let copy = format!("UID COPY {uid} {}", quoted(folder));
            self.must(
                &copy,
                "handled, but the server does not copy it to imap.done_folder",
            )
            .await?;
            self.copied.insert(uid);
        }
        let delete = format!("UID STORE {uid} +FLAGS.SILENT (\\Deleted)");
        self.must(
            &delete,
            "handled, but the server does not delete it in the mailbox",
        )
        .await?;
        // Without UIDPLUS it stays, marked as deleted. A plain EXPUNGE would also remove messages that others
        // have deleted. Marked as deleted it is not found again, so this is best effort.
        if self.abilities.uidplus {
            self.simple(&format!("UID EXPUNGE {uid}")).await?;
        }
        self.copied.remove(&uid);
        Ok(())
    }

    /// Runs a command for one message. `what` says what a refusal means.
    async fn must(&mut self, command: &str, what: &str) -> Result<(), Fault> {
        self.heard(command, COMMAND_MAX_BYTES, COMMAND, |_| {})
            .await?
            .or_mail(what)
    }
}
