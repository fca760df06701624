//! The state of a player.

use std::collections::{HashMap, HashSet};

use super::begin::Sought;
use super::{DAY, HOUR};

/// An address of an account.
#[derive(Clone, Debug)]
pub(crate) struct Own {
    pub(crate) text: String,
    pub(crate) confirmed: bool,
    /// It is removed as soon as another one is confirmed.
    pub(crate) replaced: bool,
    pub(crate) failed_days: u32,
    pub(crate) failed_on: Option<i64>,
}

impl Own {
    pub(crate) fn new(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            confirmed: false,
            replaced: false,
            failed_days: 0,
            failed_on: None,
        }
    }

    /// Mail to it has failed on three days.
    pub(crate) const fn is_failing(&self) -> bool {
        self.failed_days >= 3
    }

    pub(crate) const fn is_reachable(&self) -> bool {
        self.confirmed && !self.is_failing()
    }
}

/// The mail preferences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wants {
    pub(crate) html: bool,
    pub(crate) picture: bool,
    pub(crate) reminders: bool,
    pub(crate) digest: bool,
    pub(crate) broadcasts: bool,
    pub(crate) width: u32,
    pub(crate) news_subjects: bool,
}

/// An account.
#[derive(Clone, Debug)]
pub(crate) struct Account {
    pub(crate) userid: String,
    pub(crate) password: String,
    pub(crate) addresses: Vec<Own>,
    pub(crate) away: bool,
    pub(crate) disabled: bool,
    pub(crate) deleted: bool,
    /// When it is removed, until an address is confirmed.
    pub(crate) expires_at: Option<i64>,
    /// The token generation: raised when earlier tokens become invalid.
    pub(crate) generation: u32,
    /// The beginning and the end of the vacation.
    pub(crate) vacation: Option<(i64, i64)>,
    pub(crate) vacations: Vec<(i64, i64)>,
    pub(crate) wants: Wants,
    /// The display of each game, `small` or `large`, if it was set.
    pub(crate) displays: Vec<Option<String>>,
    pub(crate) blocks: HashSet<usize>,
    /// Of each game whether boards are taken, and how many.
    pub(crate) taking: Vec<(bool, Option<u32>)>,
    pub(crate) seeks: Vec<Option<Sought>>,
    /// Watched boards, and whether only the end.
    pub(crate) watches: HashMap<usize, bool>,
    /// The time of the next daily mail.
    pub(crate) digest_due: Option<i64>,
    /// The contents of the next daily mail.
    pub(crate) news: usize,
    /// Wrong passwords: sender and time.
    pub(crate) guesses: Vec<(String, i64)>,
    /// Running boards.
    pub(crate) running: Vec<usize>,
}

impl Account {
    pub(crate) fn new(userid: &str, password: &str) -> Self {
        let games = pbmserv_games::GAMES.len();
        Self {
            userid: userid.to_owned(),
            password: password.to_owned(),
            addresses: Vec::new(),
            away: false,
            disabled: false,
            deleted: false,
            expires_at: None,
            generation: 0,
            vacation: None,
            vacations: Vec::new(),
            wants: Wants {
                html: true,
                picture: true,
                reminders: true,
                digest: false,
                broadcasts: true,
                width: 72,
                news_subjects: false,
            },
            displays: vec![None; games],
            blocks: HashSet::new(),
            taking: vec![(true, None); games],
            seeks: vec![None; games],
            watches: HashMap::new(),
            digest_due: None,
            news: 0,
            guesses: Vec::new(),
            running: Vec::new(),
        }
    }

    pub(crate) fn is_confirmed(&self) -> bool {
        self.addresses.iter().any(|own| own.confirmed)
    }

    pub(crate) fn is_reachable(&self) -> bool {
        self.addresses.iter().any(Own::is_reachable)
    }

    /// Addresses to remove once another one is confirmed.
    pub(super) fn drop_replaced(&mut self) {
        if self.addresses.iter().any(|own| own.confirmed && !own.replaced) {
            let before = self.addresses.len();
            self.addresses.retain(|own| !own.replaced);
            self.generation += u32::from(self.addresses.len() < before);
        }
    }

    /// The time of the next daily mail.
    pub(super) fn next_digest(now: i64) -> i64 {
        let today = now / DAY * DAY + super::DIGEST_HOUR * HOUR;
        if today > now { today } else { today + DAY }
    }
}
