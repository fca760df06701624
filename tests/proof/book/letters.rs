//! The letters that mails have caused: written once, delivered unchanged, and copies identical.

use std::collections::HashMap;

use pbmserv::letters::Draft;

use super::checker::{Found, Remains, Rows};
use super::{Deed, Delivered, Mail};

/// A row of `outbox`.
pub(super) struct Letter {
    inbox: Option<i64>,
    message_id: String,
    recipient: String,
    subject: String,
    state: String,
    words: Option<String>,
}

/// What a player said in a packed letter: the messages of players, as `Pair::words` makes them, are lines with nothing else.
fn words(letter: &[u8]) -> Option<String> {
    let facts = Draft::unpacked(letter).ok()?.facts;
    let fields = [
        facts.get("saying").and_then(|saying| saying.get("text")),
        facts.get("text"),
    ];
    let said = fields.into_iter().flatten().filter_map(|text| text.as_str());
    said.map(str::trim)
        .find(|text| text.starts_with("words-"))
        .map(str::to_owned)
}

impl Remains<'_> {
    pub(super) fn letters(&self) -> Rows<Letter> {
        let sql = "SELECT inbox, message_id, recipient, subject, state, letter FROM outbox";
        self.rows(sql, |row| {
            Ok(Letter {
                inbox: row.get(0)?,
                message_id: row.get(1)?,
                recipient: row.get(2)?,
                subject: row.get(3)?,
                state: row.get(4)?,
                words: row
                    .get::<_, Option<Vec<u8>>>(5)?
                    .and_then(|letter| words(&letter)),
            })
        })
    }

    /// Each accepted mail has its letters, and there are no others.
    pub(super) fn written(
        &self,
        present: &[&Mail],
        inbox: &HashMap<String, i64>,
        letters: &[Letter],
        faults: &mut Vec<String>,
    ) {
        let mut of: HashMap<i64, Vec<&Letter>> = HashMap::new();
        for letter in letters {
            match letter.inbox {
                Some(id) => of.entry(id).or_default().push(letter),
                None => faults.push(format!("{} answers no mail", letter.message_id)),
            }
        }
        for mail in present {
            let letters = inbox
                .get(&mail.id)
                .and_then(|id| of.remove(id))
                .unwrap_or_default();
            let mut to: Vec<_> = letters
                .iter()
                .map(|letter| letter.recipient.to_lowercase())
                .collect();
            to.sort();
            if to != mail.letters {
                faults.push(format!(
                    "{} ({}) has letters to {to:?}, not to {:?}",
                    mail.id, mail.subject, mail.letters
                ));
            }
            for deed in &mail.deeds {
                if let Deed::Say(words) = deed
                    && !letters
                        .iter()
                        .any(|letter| letter.words.as_ref().is_some_and(|said| said.starts_with(words)))
                {
                    faults.push(format!("no letter says {words}"));
                }
            }
        }
        for (id, letters) in of {
            faults.push(format!(
                "{} letters belong to the mail {id} of nobody",
                letters.len()
            ));
        }
    }

    /// A letter marked as sent was delivered; a delivered letter was in the outbox; copies are identical.
    pub(super) fn posted(&self, letters: &[Letter], found: &mut Found, faults: &mut Vec<String>) {
        let rows: HashMap<_, _> = letters
            .iter()
            .map(|letter| (letter.message_id.as_str(), letter))
            .collect();
        if rows.len() != letters.len() {
            faults.push("two letters have the same Message-ID".to_owned());
        }
        let mut first: HashMap<&str, &Delivered> = HashMap::new();
        for delivered in self.delivered.unwrap_or_default() {
            let id = delivered.message_id.as_str();
            let Some(letter) = rows.get(id) else {
                faults.push(format!("{id} was delivered and never written"));
                continue;
            };
            if delivered.to != letter.recipient.to_lowercase() || delivered.subject != letter.subject {
                faults.push(format!("{id} was not delivered as it was written: {delivered:?}"));
            }
            match first.insert(id, delivered) {
                Some(other) if other != delivered => {
                    faults.push(format!("{id} was delivered with another content the second time"));
                }
                Some(_) => found.copies += 1,
                None => {}
            }
        }
        for letter in letters {
            let id = &letter.message_id;
            match letter.state.as_str() {
                "sent" if self.delivered.is_some() && !first.contains_key(id.as_str()) => {
                    faults.push(format!("{id} counts as sent and was delivered to nobody"));
                }
                "sent" => {}
                "waiting" if !self.is_quiet => {}
                state => faults.push(format!("{id} is {state}")),
            }
        }
        found.letters = letters.len();
    }
}
