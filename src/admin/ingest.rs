//! `ingest`: one message from standard input, for a mail transfer agent that runs it as a pipe.

use std::sync::Arc;

use thiserror::Error;

use crate::engine::server::Server;
use pbmserv_mail::doors::{Intake, Message, Verdict};
use pbmserv_mail::{Given, envelope_from_header};

/// Why a message was not accepted.
#[derive(Debug, Error)]
pub(super) enum IngestError {
    #[error("{0}")]
    Unusable(String),
    #[error("{0}")]
    TryLater(String),
}

impl IngestError {
    /// The exit code, of sysexits.h.
    pub(super) const fn code(&self) -> u8 {
        match self {
            // EX_DATAERR
            Self::Unusable(_) => 65,
            // EX_TEMPFAIL
            Self::TryLater(_) => 75,
        }
    }
}

/// An envelope sender or recipient that is missing is read from the header.
pub(super) async fn run(
    server: &Arc<Server>,
    sender: Option<&str>,
    recipient: Option<&str>,
    bytes: Vec<u8>,
) -> Result<String, IngestError> {
    let envelope = envelope_from_header(&bytes, &Given { sender, recipient }, server.own())
        .map_err(|_| IngestError::Unusable("the sender or the recipient is not a mail address".to_owned()))?;
    let door = server.door("pipe");
    if let Some(other) = envelope.recipients.iter().find(|address| !door.is_ours(address)) {
        return Err(IngestError::Unusable(format!(
            "{other} is not the address of this server, {}",
            server.address
        )));
    }
    if let Some(sender) = &envelope.sender {
        for recipient in &envelope.recipients {
            if !door.can_answer(sender, recipient).await {
                return Err(IngestError::Unusable(format!(
                    "{sender} cannot be answered, since the relay of this server has no SMTPUTF8: \
                     please write from another address"
                )));
            }
        }
    }
    let message = Message {
        envelope,
        bytes: bytes.into(),
        client: None,
        mark: None,
    };
    match door.submit(message).await {
        Verdict::Accepted(_) => Ok(String::new()),
        Verdict::Unusable(why) => Err(IngestError::Unusable(why)),
        Verdict::TryLater(why) => Err(IngestError::TryLater(why)),
    }
}
