//! Reply tokens: the detail of the address that an answer comes back to, `pbmserv+TOKEN@host`.
//!
//! A token is a number and a tag, both in base32. The number is the row that the token is for; for a seat it also says
//! what its letter has shown ([`BoardLetter`](crate::table::BoardLetter)). The tag is a MAC, under
//! the server's key, of the number and the generation of the account; for a seat also of the player in it. So tokens
//! need no table. A new generation of the account, or another player in the seat, makes them invalid. Upper and lower
//! case are equal, since mail servers may change it.

use chrono::{DateTime, Utc};

use crate::command::Tokens;
use crate::store::{NoticeTarget, Purpose};
use crate::table::{Player, PlayerId};
use pbmserv_mail::{Address, Key};

use super::notices::notice_code;

/// The prefix of the number. Tokens of seats are the most frequent, so they have none.
const fn prefix(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Confirm => "c",
        Purpose::Seat => "",
        Purpose::Join => "j",
        Purpose::Reset => "r",
        Purpose::Leave => "u",
        Purpose::Proposal => "p",
        Purpose::Digest => "d",
        Purpose::Invitation => "i",
        Purpose::Page => "k",
        Purpose::BoardPage => "b",
        Purpose::DigestPage => "l",
        Purpose::Export => "x",
        Purpose::Gazette => "g",
    }
}

/// The token for this row, under the generation of the account it belongs to.
#[must_use]
pub fn token(key: &Key, purpose: Purpose, row: i64, generation: i64) -> String {
    let number = row.to_be_bytes();
    let significant = number
        .iter()
        .position(|byte| *byte != 0)
        .unwrap_or(number.len() - 1);
    let number = ENCODING.encode(&number[significant..]);
    let (domain, message) = tagged(purpose, row, generation);
    let tag = ENCODING.encode(&key.tag(domain, &message));
    format!("{}{number}-{tag}", prefix(purpose)).to_ascii_lowercase()
}

/// A received token, not yet verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Claim {
    /// The row that it claims to be for.
    pub row: i64,
    purpose: Purpose,
    tag: Vec<u8>,
}

impl Claim {
    /// Parses a detail as a token for this purpose.
    #[must_use]
    pub(super) fn read(detail: &str, purpose: Purpose) -> Option<Self> {
        let detail = detail.to_ascii_uppercase();
        let (number, tag) = detail
            .strip_prefix(&prefix(purpose).to_ascii_uppercase())?
            .split_once('-')?;
        let bytes = ENCODING
            .decode(number.as_bytes())
            .ok()
            .filter(|bytes| bytes.len() <= 8)?;
        // A number has one spelling: without leading zeros.
        if bytes.len() > 1 && bytes.starts_with(&[0]) {
            return None;
        }
        let row = bytes
            .iter()
            .fold(0_i64, |row, byte| (row << 8) | i64::from(*byte));
        let tag = ENCODING.decode(tag.as_bytes()).ok()?;
        Some(Self { row, purpose, tag })
    }

    /// The same for the first of these purposes whose form it has, with that purpose.
    #[must_use]
    pub(super) fn of(detail: &str, purposes: [Purpose; 3]) -> Option<(Purpose, Self)> {
        purposes
            .into_iter()
            .find_map(|purpose| Some((purpose, Self::read(detail, purpose)?)))
    }

    /// Whether this server made the token, for an account that still has this generation. Runs in constant time.
    #[must_use]
    pub(super) fn is_true(&self, key: &Key, generation: i64) -> bool {
        let (domain, message) = tagged(self.purpose, self.row, generation);
        self.tag.len() == TAG_BYTES && key.agrees(domain, &message, &self.tag)
    }
}

/// The bits of the generation in [`seat_generation`].
const GENERATION_BITS: u32 = 20;

/// Player and generation in one number, which the tag of a seat's token covers. So a substitute makes the tokens of the
/// previous player invalid.
#[must_use]
pub const fn seat_generation(player: PlayerId, generation: i64) -> i64 {
    (player.0 << GENERATION_BITS) | (generation & ((1 << GENERATION_BITS) - 1))
}

/// The bits of the hour in [`expiring_number`].
const HOUR_BITS: u32 = 24;

/// The number of a token that expires: the player, and the hour of expiry, counted since 1970.
#[must_use]
pub(super) fn expiring_number(player: PlayerId, until: DateTime<Utc>) -> i64 {
    let hour = until.timestamp() / 3600;
    (player.0 << HOUR_BITS) | (hour & ((1 << HOUR_BITS) - 1))
}

/// The player in the number of a token that expires; `None` if it has expired.
#[must_use]
pub(super) fn player_of_expiring(number: i64, now: DateTime<Utc>) -> Option<PlayerId> {
    let hour = number & ((1 << HOUR_BITS) - 1);
    (now.timestamp() < hour * 3600).then_some(PlayerId(number >> HOUR_BITS))
}

/// The bits of the row in [`row_of_player`].
const ROW_BITS: u32 = 32;

/// The number of a token for a row that a player is asked about: the player, so that an answer is that player's also after the
/// row is gone, and the row.
#[must_use]
pub(super) const fn row_of_player(player: PlayerId, row: i64) -> i64 {
    (player.0 << ROW_BITS) | (row & ((1 << ROW_BITS) - 1))
}

/// The player and the row in such a number.
#[must_use]
pub(super) const fn player_and_row(number: i64) -> (PlayerId, i64) {
    (PlayerId(number >> ROW_BITS), number & ((1 << ROW_BITS) - 1))
}

impl Tokens for Key {
    fn resets(&self, token: &str, player: &Player, now: DateTime<Utc>) -> bool {
        let Some(claim) = Claim::read(token, Purpose::Reset) else {
            return false;
        };
        claim.is_true(self, player.generation) && player_of_expiring(claim.row, now) == Some(player.id)
    }

    fn hashes(&self, address: &Address) -> Vec<String> {
        let mailbox = address.limit_key();
        let tags = self.tags("uninvited", mailbox.as_bytes());
        tags.map(|tag| data_encoding::BASE32_NOPAD.encode(&tag)).collect()
    }

    fn notice_code(&self, target: &NoticeTarget) -> String {
        notice_code(self, target)
    }
}

const ENCODING: data_encoding::Encoding = data_encoding::BASE32_NOPAD_NOCASE;

/// The length of a whole tag: a shorter one would be another spelling of the same token.
const TAG_BYTES: usize = 16;

/// The domain and the message that a tag covers.
fn tagged(purpose: Purpose, row: i64, generation: i64) -> (&'static str, Vec<u8>) {
    let message = [row.to_be_bytes(), generation.to_be_bytes()].concat();
    (purpose.word(), message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_true_in_any_case_for_its_row_purpose_and_generation_only() {
        let key = Key::from_bytes([7; 32]);
        for row in [0, 1, 255, 256, 65_535, 123_456_789, i64::MAX] {
            for purpose in [
                Purpose::Confirm,
                Purpose::Seat,
                Purpose::Join,
                Purpose::Leave,
                Purpose::Proposal,
                Purpose::Digest,
                Purpose::Invitation,
                Purpose::Page,
                Purpose::BoardPage,
                Purpose::DigestPage,
                Purpose::Export,
                Purpose::Gazette,
            ] {
                let token = token(&key, purpose, row, 3);
                for text in [token.clone(), token.to_ascii_uppercase()] {
                    let claim = Claim::read(&text, purpose).unwrap();
                    assert_eq!(claim.row, row);
                    assert!(claim.is_true(&key, 3));
                    assert!(!claim.is_true(&key, 4));
                    assert!(!claim.is_true(&Key::from_bytes([8; 32]), 3));
                }
                let other = if purpose == Purpose::Seat {
                    Purpose::Confirm
                } else {
                    Purpose::Seat
                };
                assert!(Claim::read(&token, other).is_none_or(|claim| !claim.is_true(&key, 3)));
            }
        }
    }

    #[test]
    fn a_token_for_another_password_is_good_for_one_player_generation_and_day() {
        let key = Key::from_bytes([7; 32]);
        let player = |id, generation| Player {
            id: PlayerId(id),
            userid: "alice".into(),
            password_hash: String::new(),
            generation,
            away_since: None,
            disabled_at: None,
        };
        let now: DateTime<Utc> = "2026-11-20T08:30:00Z".parse().unwrap();
        let until = crate::command::good_until(now);
        let number = expiring_number(PlayerId(77), until);
        let made = token(&key, Purpose::Reset, number, 3);
        let hours = chrono::TimeDelta::hours;
        for text in [made.clone(), made.to_ascii_uppercase()] {
            assert!(key.resets(&text, &player(77, 3), now));
            assert!(key.resets(&text, &player(77, 3), now + hours(24)));
            assert!(!key.resets(&text, &player(77, 3), now + hours(25)));
            assert!(!key.resets(&text, &player(77, 4), now), "used");
            assert!(!key.resets(&text, &player(78, 3), now));
            assert!(!Key::from_bytes([8; 32]).resets(&text, &player(77, 3), now));
        }
        for other in [Purpose::Seat, Purpose::Confirm] {
            let other = token(&key, other, number, 3);
            assert!(!key.resets(&other, &player(77, 3), now));
            assert!(!key.resets(&format!("r{other}"), &player(77, 3), now));
        }
    }

    #[test]
    fn what_is_no_token_is_none() {
        for text in [
            "",
            "-",
            "c-",
            "x",
            "2k",
            "2k-",
            "c2k-!",
            "aaaaaaaa2k-mfzwizdfmzsgk3lqn5xgk4tfmy",
            "99999999999999999999-aa",
            "\u{e9}-a",
        ] {
            let claim = Claim::read(text, Purpose::Seat);
            assert!(
                claim.is_none_or(|claim| !claim.is_true(&Key::from_bytes([7; 32]), 0)),
                "{text}"
            );
        }
    }
}
