//! What may be written because of a message, by how far its writer is known.
//!
//! A message that proves its writer is answered, up to `answers_a_day` to one address; the last of these answers says
//! so, and the last refusal. Anybody can send all other messages in anybody's name. Their answers are counted apart, so
//! that they never use up those of a player. All mail that strangers cause is bounded for the whole server. What is caused from the address
//! of a player goes to that player and the opponents, and is bounded for each source: so a forger of one name leaves the
//! other players what is theirs.
//!
//! A letter about an event that makes it its reader's turn, begins or ends the board, warns or rules always comes. Anything else
//! is mailed `messages_a_day` times from one player to another; the rest is kept (`digest_news`, at most 100 for a board and a
//! reader) and joins the next letter about the board.

use chrono::{DateTime, DurationRound as _, TimeDelta, Utc};

use crate::command::{Addressee, InternalError, Letter, Sender, Weight};
use crate::letters::{Times, last_answer, last_refusal, last_unproven_answer};
use crate::store::{RateLimit, State, Store, Unproven, hourly};
use pbmserv_mail::Address;

use super::handler::{Cause, Handler, Limits};
use super::message_run::Handling;
use super::trust::Trust;

/// The share of `answers_a_day` for answers to unproven mail, to the address of a player. A player asks for few boards
/// and lists in a day, and each of these answers may be to somebody else who forged the address.
const UNPROVEN_SHARE: u32 = 5;

/// How many times `mails_an_hour` are served from the surroundings of one source: a domain, or the networks around a
/// client. The owner of one has thousands of sources there; but a large provider has thousands of players, of whom ten
/// at a time may well do without their passwords.
const AROUND: u32 = 10;

/// The share of `strangers_mails_an_hour` that one source may cause with the address of a player.
const SOURCES_SHARE: u32 = 10;

/// The reason for dropping a message of a stranger beyond the server-wide bound.
const ENOUGH_IS_SENT: &str = "too much mail was sent in this hour because of mails that prove nobody";

/// The same for one source that uses the address of a player.
const ENOUGH_FROM_THERE: &str =
    "too much mail was sent in this hour because of mails from there that prove nobody";

/// How many mails may be sent in an hour because of unproven messages, and the key under which they are counted.
struct Bound {
    key: String,
    most: u32,
}

/// What becomes of a letter at one address.
pub(super) enum Allowance {
    /// It is sent.
    Sent,
    /// It is sent, and says that it is the last answer of the day.
    Last(String),
    /// It is not sent.
    Withheld,
}

/// What becomes of a letter about what a player does.
pub(super) enum Mailing {
    /// It is mailed.
    Mailed,
    /// It is mailed, and counts under this key.
    Counted(String),
    /// Its reader has had enough from that player today: it joins the next letter about the board.
    Later,
    /// Its reader has blocked that player.
    Unheard,
}

impl Limits {
    /// Answers in a day to one address, to messages of this standing.
    fn answers(&self, standing: Trust) -> u32 {
        match standing {
            Trust::Proven => self.answers_a_day,
            Trust::Known => (self.answers_a_day / UNPROVEN_SHARE).max(self.strangers_answers_a_day),
            Trust::Stranger => self.strangers_answers_a_day,
        }
    }

    /// The bound of what a message causes; `None` if it is proven.
    fn bound(&self, standing: Trust, sender: Option<&Sender>, now: DateTime<Utc>) -> Option<Bound> {
        let most = self.strangers_mails_an_hour;
        let (key, most) = match (standing, sender) {
            (Trust::Proven, _) => return None,
            (Trust::Known, Some(sender)) => (sender.source(), most.div_ceil(SOURCES_SHARE)),
            (Trust::Known | Trust::Stranger, _) => (Unproven::STRANGERS.to_owned(), most),
        };
        let key = hourly(&key, now);
        Some(Bound { key, most })
    }
}

/// How many dropped messages are recorded in an hour, and how many refused forms of a player in a day. All others are counted.
const RECORDED: u32 = 200;
const RECORDED_FORMS: u32 = 50;

impl Handling<'_> {
    /// Whether enough messages of this kind are recorded, and this one is only counted: a dropped one, or a refused form.
    pub(super) fn is_only_counted(&self, state: State) -> Result<bool, InternalError> {
        let player = self.request.page.as_ref().map(|page| page.by.id);
        let (what, key, most) = match (state, player) {
            (State::Dropped, _) if !self.is_proven => {
                (RateLimit::Unproven, hourly(Unproven::DROPPED, self.now), RECORDED)
            }
            (State::Refused, Some(player)) => {
                (RateLimit::Refused, format!("form {}", player.0), RECORDED_FORMS)
            }
            _ => return Ok(false),
        };
        let before = self.store.tally(what, &key, self.now)?;
        // Beyond that not even the count is written.
        if before < most {
            self.store.count(what, &key, 1, self.now)?;
        }
        Ok(before >= most)
    }
}

impl Handler {
    /// What becomes of a letter about what a player does at a reader who is somebody else, if it need not be mailed.
    pub(super) fn mailing(
        &self,
        store: &Store,
        cause: &Cause<'_>,
        letter: &Letter,
        now: DateTime<Utc>,
    ) -> Result<Mailing, InternalError> {
        let (Addressee::Player(reader), Some(by), Some(weight)) = (&letter.to, cause.by, letter.weight)
        else {
            return Ok(Mailing::Mailed);
        };
        if letter.is_answer || *reader == by || weight == Weight::Needed {
            return Ok(Mailing::Mailed);
        }
        if weight == Weight::Slight && store.has_blocked(*reader, by)? {
            return Ok(Mailing::Unheard);
        }
        let key = format!("{}>{}", by.0, reader.0);
        Ok(match store.tally(RateLimit::News, &key, now)? {
            mailed if mailed >= self.settings.messages_a_day => Mailing::Later,
            _ => Mailing::Counted(key),
        })
    }

    /// Why an unproven message is not served now.
    pub(super) fn why_unserved(
        &self,
        store: &Store,
        sender: &Sender,
        standing: Trust,
        now: DateTime<Utc>,
    ) -> Result<Option<&'static str>, InternalError> {
        let most = self.limits.mails_an_hour;
        let from_source = store.tally(RateLimit::Unproven, &hourly(&sender.source(), now), now)?;
        let from_around = store.tally(RateLimit::UnprovenAround, &hourly(&sender.realm(), now), now)?;
        let is_crowded = standing == Trust::Stranger && from_around >= most.saturating_mul(AROUND);
        if from_source >= most || is_crowded {
            return Ok(Some("too many mails in an hour"));
        }
        let Some(bound) = self.limits.bound(standing, Some(sender), now) else {
            return Ok(None);
        };
        let is_reached = store.tally(RateLimit::Caused, &bound.key, now)? >= bound.most;
        Ok(is_reached.then_some(match standing {
            Trust::Known => ENOUGH_FROM_THERE,
            _ => ENOUGH_IS_SENT,
        }))
    }

    /// Counts an unproven message under what it came from, with the reason if it was dropped.
    pub(super) fn count_unproven(
        store: &Store,
        sender: &Sender,
        dropped: Option<&str>,
        now: DateTime<Utc>,
    ) -> Result<(), InternalError> {
        if dropped == Some(ENOUGH_IS_SENT) {
            store.count(RateLimit::Caused, &hourly(Unproven::DROPPED, now), 1, now)?;
        }
        store.count(RateLimit::Unproven, &hourly(&sender.source(), now), 1, now)?;
        Ok(store.count(RateLimit::UnprovenAround, &hourly(&sender.realm(), now), 1, now)?)
    }

    /// Whether this address, of a reader of this standing, may get the letter, if it is an answer. If so it is counted.
    /// `is_proven` is said of the message that it answers: its writer may be a player whose addresses accept no mail, who is
    /// then answered elsewhere as few times as a stranger.
    pub(super) fn allow(
        &self,
        store: &Store,
        letter: &Letter,
        (address, reader): (&Address, Trust),
        is_proven: bool,
        times: Times,
    ) -> Result<Allowance, InternalError> {
        if !letter.is_answer {
            return Ok(Allowance::Sent);
        }
        let (key, now) = (address.limit_key(), times.now);
        let is_refusal = letter.content.kind.is_refusal() && !is_proven;
        let most_refusals = self.limits.refusals_a_day;
        let refused = match is_refusal {
            true => store.tally(RateLimit::Refused, &key, now)?,
            false => 0,
        };
        if is_refusal && refused >= most_refusals {
            return Ok(Allowance::Withheld);
        }
        let most = self.limits.answers(reader);
        let what = match is_proven {
            true => RateLimit::Answered,
            false => RateLimit::AnsweredUnproven,
        };
        let before = store.tally(what, &key, now)?;
        if before >= most {
            tracing::info!(
                kind = letter.content.kind.name(),
                "letter not sent: its address has reached the daily limit of answers"
            );
            return Ok(Allowance::Withheld);
        }
        store.count(what, &key, 1, now)?;
        if is_refusal {
            store.count(RateLimit::Refused, &key, 1, now)?;
        }
        // A day of the limits is one of UTC.
        let until = now.duration_trunc(TimeDelta::days(1)).unwrap_or(now) + TimeDelta::days(1);
        let until = times.exact(until);
        Ok(if is_proven && before + 1 == most {
            Allowance::Last(last_answer(&until))
        } else if !is_proven && before + 1 == most {
            Allowance::Last(last_unproven_answer(&until))
        } else if is_refusal && refused + 1 == most_refusals {
            Allowance::Last(last_refusal(&until))
        } else {
            Allowance::Sent
        })
    }

    /// Counts a mail that a message makes the server send.
    pub(super) fn count_caused(
        &self,
        store: &Store,
        cause: &Cause<'_>,
        now: DateTime<Utc>,
    ) -> Result<(), InternalError> {
        let Some(bound) = self.limits.bound(cause.standing, cause.sender, now) else {
            return Ok(());
        };
        store.count(RateLimit::Caused, &bound.key, 1, now)?;
        if cause.standing == Trust::Known {
            store.count(RateLimit::Caused, &hourly(Unproven::PLAYERS, now), 1, now)?;
        } else if store.tally(RateLimit::Caused, &bound.key, now)? == bound.most {
            tracing::warn!(
                "{ENOUGH_IS_SENT} (limits.strangers_mails_an_hour): such mails are dropped until the next hour"
            );
        }
        Ok(())
    }
}
