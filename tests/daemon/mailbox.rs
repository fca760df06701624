//! A player's mailbox: a Maildir, read as mail programs read it.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use mail_parser::MessageParser;

/// A mail as its reader gets it.
#[derive(Clone, Debug)]
pub(crate) struct Mail {
    pub(crate) message_id: String,
    pub(crate) in_reply_to: String,
    /// The address of `Reply-To`, which may hold a token.
    pub(crate) reply_to: String,
    pub(crate) subject: String,
    pub(crate) text: String,
}

/// The Maildir of one address.
pub(crate) struct Mailbox {
    folder: PathBuf,
    seen: HashSet<PathBuf>,
}

impl Mailbox {
    /// The Maildir of a plain address below this folder of Maildirs.
    pub(crate) fn new(mail: &Path, address: &str) -> Self {
        Self {
            folder: mail.join(address),
            seen: HashSet::new(),
        }
    }

    /// Reads `new` and moves it to `cur`, so that a second delivery of the same mail is a second file.
    pub(crate) fn fetch(&mut self) -> Vec<Mail> {
        for path in files(&self.folder.join("new")) {
            let name = path.file_name().unwrap().to_string_lossy();
            let copies = (0..).map(|copy| self.folder.join("cur").join(format!("{name}:2,S{copy}")));
            let free = copies.into_iter().find(|path| !path.exists()).unwrap();
            // The daemon may replace it at this moment, but never removes it.
            fs::rename(&path, free).unwrap();
        }
        let fresh: Vec<_> = files(&self.folder.join("cur"))
            .into_iter()
            .filter(|path| self.seen.insert(path.clone()))
            .collect();
        fresh.iter().map(|path| read(path)).collect()
    }
}

/// Every mail in every mailbox below this folder, in `new` or `cur`.
pub(crate) fn all(mail: &Path) -> Vec<Mail> {
    files(mail).iter().flat_map(|mailbox| of(mailbox)).collect()
}

/// Every mail in this mailbox, in `new` or `cur`.
pub(crate) fn of(mailbox: &Path) -> Vec<Mail> {
    ["new", "cur"]
        .iter()
        .flat_map(|part| files(&mailbox.join(part)))
        .map(|path| read(&path))
        .collect()
}

/// The files of a folder, in order; none if there is no such folder.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn read(path: &Path) -> Mail {
    let bytes = fs::read(path).unwrap();
    let mail = MessageParser::default()
        .parse(&bytes)
        .unwrap_or_else(|| panic!("{}: no mail", path.display()));
    Mail {
        message_id: mail.message_id().unwrap_or_default().to_owned(),
        in_reply_to: mail.in_reply_to().as_text().unwrap_or_default().to_owned(),
        reply_to: (mail.reply_to())
            .and_then(|list| list.first()?.address())
            .unwrap_or_default()
            .to_owned(),
        subject: mail.subject().unwrap_or_default().to_owned(),
        text: mail.body_text(0).unwrap_or_default().replace("\r\n", "\n"),
    }
}
