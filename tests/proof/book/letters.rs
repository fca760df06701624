//! The letters that mails have caused: written once, delivered unchanged, and copies identical.

use std::collections::HashMap;

use pbmserv_core::letters::Draft;

use super::checker::{Found, Remains, Rows};
use super::computers::Counts;
use super::{Deed, Delivered, Mail};

/// A row of `outbox`.
pub(super) struct Letter {
    inbox: Option<i64>,
    message_id: String,
    recipient: String,
    subject: String,
    state: String,
    words: Option<String>,
    /// The board that it is about, if a computer plays there.
    against_computer: Option<(String, u32)>,
}

impl Letter {
    /// A letter whose place the letter with a computer's answer has taken: a receipt, or the letter with the first of two turns in
    /// a row.
    fn is_dropped(&self) -> bool {
        self.state == "dropped"
    }

    /// The board of a dropped letter, which only its subject still names.
    fn board_of_dropped(&self) -> Option<(String, u32)> {
        let subject = self.subject.strip_prefix("Re: ").unwrap_or(&self.subject);
        let words: Vec<_> = subject.split(' ').collect();
        match (self.is_dropped(), words.as_slice()) {
            (true, [game, "Board", number, ..]) => Some(((*game).to_owned(), number.parse().ok()?)),
            _ => None,
        }
    }
}

/// What a player said in a packed letter, also before its event: the messages of players, as `Pair::words` makes them, are lines
/// with nothing else.
fn words(letter: &[u8]) -> Option<String> {
    let facts = Draft::unpacked(letter).ok()?.facts;
    let said = |facts: &serde_json::Value| facts.get("saying")?.get("text").cloned();
    let earlier = facts.get("earlier").and_then(|earlier| earlier.as_array());
    let mut fields: Vec<_> = earlier.into_iter().flatten().filter_map(said).collect();
    fields.extend(said(&facts));
    fields.extend(facts.get("text").cloned());
    let said = fields.iter().filter_map(|text| text.as_str());
    said.map(str::trim)
        .find(|text| text.starts_with("words-"))
        .map(str::to_owned)
}

impl Remains<'_> {
    pub(super) fn letters(&self) -> Rows<Letter> {
        let sql = "SELECT inbox, message_id, recipient, subject, state, letter, game, number FROM outbox \
                   LEFT JOIN boards ON boards.id = board AND (first_player < 0 OR second_player < 0)";
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
                against_computer: row.get::<_, Option<String>>(6)?.zip(row.get(7)?),
            })
        })
    }

    /// Each accepted mail has its letters, and there are no others but those of computers that answer late. Returns how many
    /// letters say what a computer has played.
    pub(super) fn written(
        &self,
        present: &[&Mail],
        inbox: &HashMap<String, i64>,
        letters: &[Letter],
        faults: &mut Vec<String>,
    ) -> Counts {
        let mut of: HashMap<i64, Vec<&Letter>> = HashMap::new();
        let mut answers = Counts::new();
        for letter in letters {
            let board = letter.against_computer.clone();
            match (letter.inbox, board.or_else(|| letter.board_of_dropped())) {
                (Some(id), _) => of.entry(id).or_default().push(letter),
                // Where a computer moves twice and the receipt has gone, the letter with its first turn may be one that was dropped.
                (None, Some(board)) => *answers.entry(board).or_default() += 1,
                (None, None) => faults.push(format!(
                    "{} ({}, {}) answers no mail",
                    letter.message_id, letter.subject, letter.state
                )),
            }
        }
        for mail in present {
            let letters = inbox
                .get(&mail.id)
                .and_then(|id| of.remove(id))
                .unwrap_or_default();
            let dropped = letters.iter().filter(|letter| letter.is_dropped()).count();
            match (mail.against_computer, dropped) {
                (_, 0) => {}
                // Each turn of the computer drops what waits for its answer: where it moves twice, also the letter with the first turn,
                // which the last one says too.
                (Some((game, number)), turns) => {
                    *answers.entry((game.to_owned(), number)).or_default() += i64::try_from(turns).unwrap();
                }
                _ => faults.push(format!("{} has {dropped} letters that were dropped", mail.id)),
            }
            let mut to: Vec<_> = letters
                .iter()
                .filter(|letter| !letter.is_dropped())
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
        answers
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
                // A receipt that was being delivered when it was dropped has arrived all the same.
                "sent" | "dropped" => {}
                "waiting" if !self.is_quiet => {}
                state => faults.push(format!("{id} is {state}")),
            }
        }
        found.letters = letters.len();
    }
}
