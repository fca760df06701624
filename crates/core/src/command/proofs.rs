//! The passwords and tokens of a message, which authenticate its writer.

use std::fmt;

use chrono::{DateTime, Utc};

use crate::command::{Argument, Line, Secret, Unchecked, Word};
use crate::store::NoticeTarget;
use crate::table::Player;
use pbmserv_mail::Address;

/// The wrong passwords of one message that are compared with a stored hash, whosever they are.
const MAX_WRONG: usize = 5;

/// The new passwords of one message that are hashed.
const MAX_NEW: usize = 5;

/// One password of the message. What is known of it is computed on another thread when the engine asks for it, since
/// hashing is slow.
#[derive(Clone)]
pub struct Proof {
    /// The word at the position of the userid, in lower case.
    pub userid_key: String,
    pub password: Secret,
    /// The hash that was stored at that time, and whether the password matches it.
    pub checked: Option<(String, bool)>,
    /// A new hash of the password, if a command stores one.
    pub fresh: Option<String>,
}

impl fmt::Debug for Proof {
    /// Hides the userid too, since it may have changed places with the password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_good = self.checked.as_ref().map(|(_, is_good)| is_good);
        f.debug_struct("Proof")
            .field("is_good", &is_good)
            .finish_non_exhaustive()
    }
}

/// The passwords of a message, each once, in the order of its lines.
#[derive(Clone, Debug, Default)]
pub struct Proofs(pub Vec<Proof>);

impl Proofs {
    /// Whether one of the passwords was found to be right.
    #[must_use]
    pub fn has_right(&self) -> bool {
        let is_right = |proof: &Proof| matches!(proof.checked, Some((_, true)));
        self.0.iter().any(is_right)
    }

    /// The passwords of these lines, of which nothing is known yet.
    #[must_use]
    pub fn of_lines<'a>(lines: impl IntoIterator<Item = &'a Line>) -> Self {
        let mut proofs = Self::default();
        for line in lines {
            let Some(userid) = line.word_in(Argument::Userid) else {
                continue;
            };
            for (_, password) in line.secrets() {
                proofs.entry(&userid.text.to_ascii_lowercase(), &password.text);
            }
        }
        proofs
    }

    /// Notes whether a password matches the hash that was stored.
    pub fn note_checked(&mut self, unchecked: &Unchecked, stored: String, is_good: bool) {
        self.entry(&unchecked.userid_key, &unchecked.password.0).checked = Some((stored, is_good));
    }

    /// Notes the new hash of a password.
    pub fn note_fresh(&mut self, unchecked: &Unchecked, hash: String) {
        self.entry(&unchecked.userid_key, &unchecked.password.0).fresh = Some(hash);
    }

    fn entry(&mut self, userid_key: &str, password: &str) -> &mut Proof {
        let place = self.place(userid_key, password).unwrap_or(self.0.len());
        if place == self.0.len() {
            self.0.push(Proof {
                userid_key: userid_key.to_owned(),
                password: Secret(password.to_owned()),
                checked: None,
                fresh: None,
            });
        }
        &mut self.0[place]
    }

    fn place(&self, userid_key: &str, password: &str) -> Option<usize> {
        let is_it = |proof: &Proof| proof.userid_key == userid_key && proof.password.0 == password;
        self.0.iter().position(is_it)
    }

    fn of(&self, userid: &Word, password: &Word) -> Option<&Proof> {
        let place = self.place(&userid.text.to_ascii_lowercase(), &password.text)?;
        self.0.get(place)
    }

    /// Whether this password is the one of the stored hash; `None` if that is not known.
    ///
    /// An earlier line of the message may have set the password, or another one.
    pub(crate) fn is_good(&self, userid: &Word, password: &Word, stored: &str) -> Option<bool> {
        let proof = self.of(userid, password);
        if proof.is_some_and(|proof| proof.fresh.as_deref() == Some(stored)) {
            return Some(true);
        }
        let checked = proof.and_then(|proof| proof.checked.as_ref());
        if let Some((_, is_good)) = checked.filter(|(hash, _)| hash == stored) {
            return Some(*is_good);
        }
        let key = userid.text.to_ascii_lowercase();
        let is_stored = |proof: &Proof| proof.userid_key == key && proof.fresh.as_deref() == Some(stored);
        self.0.iter().any(is_stored).then_some(false)
    }

    /// Whether the message has guessed too often before this password to have it read.
    pub(crate) fn are_too_wrong_for(&self, userid: &Word, password: &Word) -> bool {
        let place = self.place(&userid.text.to_ascii_lowercase(), &password.text);
        let before = self.0.iter().take(place.unwrap_or(self.0.len()));
        let is_wrong = |proof: &&Proof| matches!(proof.checked, Some((_, false)));
        before.filter(is_wrong).count() >= MAX_WRONG
    }

    /// The new hash of this password.
    pub(crate) fn fresh(&self, userid: &Word, password: &Word) -> Option<&String> {
        self.of(userid, password)?.fresh.as_ref()
    }

    /// Whether the message has set as many passwords as one may.
    pub(crate) fn are_too_many(&self) -> bool {
        self.0.iter().filter(|proof| proof.fresh.is_some()).count() >= MAX_NEW
    }
}

/// Verifies tokens written in a line of a mail.
pub trait Tokens: fmt::Debug {
    /// Whether this is a password reset token of this player that has not expired.
    fn resets(&self, token: &str, player: &Player, now: DateTime<Utc>) -> bool;

    /// What is kept of a mailbox that is not to be written to: hashes under the server's keys, the present one first.
    fn hashes(&self, address: &Address) -> Vec<String>;

    /// The code that goes to a place that is to get notices.
    fn notice_code(&self, target: &NoticeTarget) -> String;
}
