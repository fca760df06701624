//! An IMAP server whose mailbox holds one mail, and which lets nobody in without STARTTLS.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::tls;

/// The server.
pub(crate) struct Imap {
    pub(crate) port: u16,
    is_marked: Arc<AtomicBool>,
}

impl Imap {
    /// A server with this mail.
    pub(crate) fn with(mail: &[u8]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = Self {
            port: listener.local_addr().unwrap().port(),
            is_marked: Arc::default(),
        };
        let (mail, is_marked) = (
            String::from_utf8(mail.to_vec()).unwrap(),
            server.is_marked.clone(),
        );
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (mail, is_marked) = (mail.clone(), is_marked.clone());
                thread::spawn(move || converse(stream, &mail, &is_marked));
            }
        });
        server
    }

    /// Whether the mail was marked as done.
    pub(crate) fn is_marked(&self) -> bool {
        self.is_marked.load(Ordering::Relaxed)
    }
}

fn converse(stream: TcpStream, mail: &str, is_marked: &AtomicBool) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    stream.get_mut().write_all(b"* OK ready\r\n")?;
    let mut line = String::new();
    stream.read_line(&mut line)?;
    match line.trim_end().split_once(' ') {
        Some((tag, "STARTTLS")) => {
            stream
                .get_mut()
                .write_all(format!("{tag} OK go ahead\r\n").as_bytes())?;
            session(
                &mut BufReader::new(tls::encrypted(stream.into_inner())),
                mail,
                is_marked,
            )
        }
        _ => stream.get_mut().write_all(b"* BYE STARTTLS first\r\n"),
    }
}

fn session(
    stream: &mut BufReader<impl Read + Write>,
    mail: &str,
    is_marked: &AtomicBool,
) -> std::io::Result<()> {
    let mut line = String::new();
    while stream.read_line(&mut line)? > 0 {
        let (tag, command) = line.trim_end().split_once(' ').unwrap_or_default();
        let untagged = answer(command, mail, is_marked.load(Ordering::Relaxed));
        is_marked.fetch_or(command.starts_with("UID STORE"), Ordering::Relaxed);
        let answer = format!("{untagged}{tag} OK done\r\n");
        stream.get_mut().write_all(answer.as_bytes())?;
        line.clear();
    }
    Ok(())
}

/// What the server says before the end of a command's answer.
pub(crate) fn answer(command: &str, mail: &str, is_marked: bool) -> String {
    let (length, found) = (mail.len(), if is_marked { "" } else { " 1" });
    match command.split(' ').take(2).collect::<Vec<_>>().as_slice() {
        ["CAPABILITY"] => "* CAPABILITY IMAP4rev1\r\n".to_owned(),
        ["SELECT", _] => {
            "* 1 EXISTS\r\n* OK [PERMANENTFLAGS (\\*)] any\r\n* OK [UIDVALIDITY 1] first\r\n".to_owned()
        }
        ["UID", "SEARCH"] => format!("* SEARCH{found}\r\n"),
        ["UID", "FETCH"] if command.contains("BODY") => {
            format!("* 1 FETCH (UID 1 BODY[] {{{length}}}\r\n{mail})\r\n")
        }
        ["UID", "FETCH"] => {
            format!("* 1 FETCH (UID 1 RFC822.SIZE {length} INTERNALDATE \"21-Nov-2026 08:00:00 +0000\")\r\n")
        }
        _ => String::new(),
    }
}
