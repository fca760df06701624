//! Who has typed the key: sessions, each behind a token that is not the key. They are in memory alone, so a restart ends them.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, TimeDelta, Utc};
use data_encoding::BASE32_NOPAD;
use sha2::{Digest, Sha256};

use crate::web::press::form_number;

/// How long a session lasts.
pub(super) const LASTS: TimeDelta = TimeDelta::hours(12);

/// The most sessions; one more ends the oldest.
const MAX_SESSIONS: usize = 16;

/// The forms of a session that can still be sent. A page has one number for all its forms.
const MAX_FORMS: usize = 256;

/// What a session's last forms have done, for the pages after them.
const MAX_SAID: usize = 16;

/// The session of a request.
#[derive(Clone)]
pub(super) struct Visit {
    pub(super) token: String,
}

/// What a form has done, or why it has done nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) is_done: bool,
    pub(super) sentence: String,
}

#[derive(Debug)]
struct Session {
    until: DateTime<Utc>,
    /// The numbers of forms that were not sent yet, the oldest first.
    forms: VecDeque<String>,
    said: VecDeque<(String, Said)>,
}

/// All sessions, by a digest of their tokens: how long a look takes says nothing of a token.
#[derive(Debug, Default)]
pub(super) struct Sessions(Mutex<HashMap<[u8; 32], Session>>);

fn digest(token: &str) -> [u8; 32] {
    Sha256::digest(token).into()
}

/// Keeps the newest of these.
fn keep<T>(list: &mut VecDeque<T>, new: T, most: usize) {
    list.push_back(new);
    while list.len() > most {
        list.pop_front();
    }
}

impl Sessions {
    fn all(&self) -> MutexGuard<'_, HashMap<[u8; 32], Session>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a session; returns its token.
    pub(super) fn begin(&self, now: DateTime<Utc>) -> String {
        let token = BASE32_NOPAD.encode(&rand::random::<[u8; 20]>()).to_lowercase();
        let mut all = self.all();
        all.retain(|_, session| session.until > now);
        while all.len() >= MAX_SESSIONS {
            let oldest = all.iter().min_by_key(|(_, session)| session.until);
            let Some(oldest) = oldest.map(|(digest, _)| *digest) else {
                break;
            };
            all.remove(&oldest);
        }
        let session = Session {
            until: now + LASTS,
            forms: VecDeque::new(),
            said: VecDeque::new(),
        };
        all.insert(digest(&token), session);
        token
    }

    pub(super) fn is_open(&self, token: &str, now: DateTime<Utc>) -> bool {
        let all = self.all();
        all.get(&digest(token)).is_some_and(|session| session.until > now)
    }

    pub(super) fn end(&self, token: &str) {
        self.all().remove(&digest(token));
    }

    /// A number for the forms of a page. Only one form with it is taken.
    pub(super) fn form(&self, token: &str) -> String {
        let number = form_number();
        if let Some(session) = self.all().get_mut(&digest(token)) {
            keep(&mut session.forms, number.clone(), MAX_FORMS);
        }
        number
    }

    /// Takes a form; false: it was taken before, or is of no page of this session.
    pub(super) fn take(&self, token: &str, form: &str) -> bool {
        let mut all = self.all();
        let Some(session) = all.get_mut(&digest(token)) else {
            return false;
        };
        let place = session.forms.iter().position(|known| known == form);
        place.and_then(|place| session.forms.remove(place)).is_some()
    }

    /// Notes what a form has done.
    pub(super) fn note(&self, token: &str, form: &str, said: Said) {
        if let Some(session) = self.all().get_mut(&digest(token)) {
            keep(&mut session.said, (form.to_owned(), said), MAX_SAID);
        }
    }

    pub(super) fn said(&self, token: &str, form: &str) -> Option<Said> {
        let all = self.all();
        let said = &all.get(&digest(token))?.said;
        let found = said.iter().find(|(known, _)| known == form);
        found.map(|(_, said)| said.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_ends_after_half_a_day_or_when_it_is_ended() {
        let sessions = Sessions::default();
        let now = DateTime::UNIX_EPOCH;
        let [one, two] = [sessions.begin(now), sessions.begin(now)];
        assert!(sessions.is_open(&one, now + LASTS - TimeDelta::seconds(1)));
        assert!(!sessions.is_open(&one, now + LASTS));
        assert!(!sessions.is_open("", now));
        sessions.end(&one);
        assert!(!sessions.is_open(&one, now) && sessions.is_open(&two, now));
        for _ in 0..MAX_SESSIONS {
            sessions.begin(now + TimeDelta::hours(1));
        }
        assert!(!sessions.is_open(&two, now), "the oldest gives way");
    }

    #[test]
    fn a_form_is_taken_once_and_in_its_session_alone() {
        let sessions = Sessions::default();
        let now = DateTime::UNIX_EPOCH;
        let [one, two] = [sessions.begin(now), sessions.begin(now)];
        let form = sessions.form(&one);
        assert!(!sessions.take(&two, &form) && !sessions.take(&one, "") && !sessions.take("", &form));
        assert!(sessions.take(&one, &form));
        assert!(!sessions.take(&one, &form), "sent again");
        for _ in 0..MAX_FORMS + 10 {
            sessions.form(&one);
        }
        assert_eq!(sessions.all()[&digest(&one)].forms.len(), MAX_FORMS);
    }
}
