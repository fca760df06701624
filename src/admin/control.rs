//! The control socket's protocol, and its client. A connection carries one request and one answer. A request is a
//! line of JSON, then the standard input of the verb up to the end of the stream; an answer is JSON. Before it may come
//! lines of JSON that say what a long verb is at.

use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::config::Config;
use crate::engine::server::Server;
use pbmserv_core::store::Copying;

use super::caller::Caller;
use super::ingest::IngestError;
use super::progress::CopyReporter;
use super::verb::Verb;

/// The longest request: the largest possible message, with room for the JSON.
pub const MAX_REQUEST_BYTES: u64 = 96 * 1024 * 1024;

/// How long a request may take to arrive, and its answer to be read.
pub const ARRIVAL: Duration = Duration::from_secs(60);

/// A line of the daemon.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Line {
    /// What the verb is at.
    At {
        /// The only verb that takes long copies the database.
        copying: Copying,
    },
    /// The last one.
    Answer(Answer),
}

/// A verb, and who asks for it.
#[derive(Clone, Serialize, Deserialize)]
pub struct VerbRequest {
    /// The verb to run.
    pub verb: Verb,
    /// Who runs it.
    pub caller: Caller,
}

/// The result of a verb.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Answer {
    /// The exit code.
    pub code: u8,
    /// For standard output.
    pub out: String,
    /// One sentence for standard error; empty if there is none.
    pub err: String,
}

impl VerbRequest {
    /// The request of this process. A relative path becomes absolute, since the daemon has another current folder.
    ///
    /// # Errors
    /// Standard input cannot be read, or is longer than a message may be.
    pub fn new(mut verb: Verb, config: &Config, input: impl Read) -> anyhow::Result<Self> {
        if let Verb::Backup(backup) = &mut verb {
            backup.make_absolute()?;
        }
        let mut caller = Caller::of_this_process();
        input
            .take(verb.input_bytes(config))
            .read_to_end(&mut caller.input)?;
        let most = config.smtp.max_message_bytes;
        if matches!(verb, Verb::Ingest { .. }) && caller.input.len() > most {
            let sentence = format!("the message is longer than {most} bytes");
            return Err(IngestError::Unusable(sentence).into());
        }
        Ok(Self { verb, caller })
    }

    /// The request in these bytes.
    ///
    /// # Errors
    /// They are not what [`ask`] sends.
    pub fn parse(bytes: &[u8]) -> serde_json::Result<Self> {
        // JSON has no line break of its own: serde_json escapes those in strings.
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let (line, input) = bytes.split_at(end.unwrap_or(bytes.len()));
        let mut request: Self = serde_json::from_slice(line)?;
        request.caller.input = input.get(1..).unwrap_or_default().to_vec();
        Ok(request)
    }

    /// Runs the verb when it has its turn, in a thread that may wait for the database.
    pub async fn run_apart(self, server: Arc<Server>, turns: Arc<Semaphore>, at: CopyReporter) -> Answer {
        let turn = turns.acquire_owned().await;
        let runtime = Handle::current();
        let run = move || {
            let _turn = turn;
            runtime.block_on(self.run_and_tell(&server, at))
        };
        let done = tokio::task::spawn_blocking(run).await;
        done.unwrap_or_else(|error| Answer::from(anyhow::Error::from(error)))
    }

    /// Runs the verb in the process that has the data folder open.
    pub async fn run(self, server: &Arc<Server>) -> Answer {
        self.run_and_tell(server, CopyReporter::default()).await
    }

    /// The same, and `at` learns what the verb is at.
    pub async fn run_and_tell(self, server: &Arc<Server>, at: CopyReporter) -> Answer {
        let done = self.verb.run(server, self.caller, at).await;
        done.map_or_else(Answer::from, Answer::from)
    }
}

impl From<String> for Answer {
    fn from(out: String) -> Self {
        Self {
            out,
            ..Self::default()
        }
    }
}

impl From<anyhow::Error> for Answer {
    fn from(error: anyhow::Error) -> Self {
        Self {
            code: error.downcast_ref().map_or(1, IngestError::code),
            out: String::new(),
            err: sentence(&error),
        }
    }
}

/// An error with its causes, each of them once: many errors name their cause themselves.
pub(super) fn sentence(error: &anyhow::Error) -> String {
    let mut said = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if said.is_empty() {
            said = cause;
        } else if !said.contains(&cause) {
            said.push_str(": ");
            said.push_str(&cause);
        }
    }
    said
}

/// Asks the running daemon, and waits for its answer for at most `patience`. Meanwhile `at` learns what the verb is at.
///
/// # Errors
/// There is no answer, or it cannot be read. [`io::ErrorKind::TimedOut`] after `patience`.
pub async fn ask(
    path: &Path,
    request: &VerbRequest,
    patience: Duration,
    mut at: impl FnMut(Copying),
) -> io::Result<Answer> {
    let mut stream = UnixStream::connect(path).await?;
    let asked = async {
        let mut line = serde_json::to_vec(request).map_err(io::Error::other)?;
        line.push(b'\n');
        stream.write_all(&line).await?;
        stream.write_all(&request.caller.input).await?;
        stream.shutdown().await?;
        let mut lines = BufReader::new(stream).lines();
        while let Some(line) = lines.next_line().await? {
            match serde_json::from_str(&line).map_err(io::Error::other)? {
                Line::At { copying } => at(copying),
                Line::Answer(answer) => return Ok(answer),
            }
        }
        Err(io::ErrorKind::UnexpectedEof.into())
    };
    timeout(patience, asked).await?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_carries_its_input_as_it_is() {
        let verb = Verb::Ingest {
            sender: Some("a\nb".to_owned()),
            recipient: None,
        };
        let request = VerbRequest::new(verb, &Config::default(), &b"{}\n\n\xff"[..]).unwrap();
        let mut sent = serde_json::to_vec(&request).unwrap();
        sent.push(b'\n');
        sent.extend(&request.caller.input);
        let read = VerbRequest::parse(&sent).unwrap();
        assert!(matches!(read.verb, Verb::Ingest { sender: Some(sender), .. } if sender == "a\nb"));
        assert_eq!(read.caller.input, b"{}\n\n\xff");
        assert_eq!(read.caller.who, request.caller.who);
    }

    #[test]
    fn a_cause_is_told_once() {
        let cause = io::Error::other("the disk is on fire");
        let error = anyhow::Error::from(cause)
            .context("/x: the disk is on fire")
            .context("copying");
        assert_eq!(sentence(&error), "copying: /x: the disk is on fire");
    }

    #[test]
    fn a_verb_that_needs_no_data_folder_is_no_request() {
        let request = VerbRequest::new(Verb::Serve, &Config::default(), io::empty()).unwrap();
        assert!(serde_json::to_vec(&request).is_err());
        assert!(VerbRequest::parse(br#"{"verb":"Serve","caller":{"who":"root"}}"#).is_err());
    }
}
