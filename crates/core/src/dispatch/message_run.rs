//! The state of a message while it is handled in the open savepoint.

use chrono::{DateTime, Utc};

use crate::command::{
    Belief, COMMANDS, Change, Context, Decision, Guesser, InternalError, Letter, LetterAnswered, Proofs,
    TooMany, Unchecked,
};
use crate::letters::Guesses;
use crate::store::{Purpose, RateLimit, State, Store};
use crate::table::PlayerId;

use super::entry::Entry;
use super::failures;
use super::gathered::Gathered;
use super::handler::{Cause, Handler};
use super::reply_context::ReplyContext;
use super::request::Request;
use super::token::row_of_player;
use super::trust::Trust;

/// A recorded message, and the results of its steps so far.
pub(super) struct Handling<'a> {
    pub(super) handler: &'a mut Handler,
    pub(super) store: &'a Store,
    pub(super) request: &'a Request,
    pub(super) proofs: &'a Proofs,
    pub(super) now: DateTime<Utc>,
    /// Which of our mails it answers.
    pub(super) answers: &'a ReplyContext,
    /// The letters about boards among these.
    pub(super) letters: Vec<LetterAnswered>,
    /// Its digest if it is refused and proven, and nothing of it was carried out; see [`Coming`](super::again::Coming).
    pub(super) refused: Option<[u8; 32]>,
    /// Its row in `inbox`.
    pub(super) entry: Entry,
    /// Why the message is dropped at the first step without a password or token; `None`: it need not be authenticated.
    pub(super) dropped_unless_proven: Option<&'static str>,
    /// Its commands, with passwords masked.
    pub(super) commands: Vec<String>,
    /// The state other than done in which it ends, and the reason.
    pub(super) state: Option<(State, String)>,
    /// What a page says of its command, once that is carried out.
    pub(super) said: Option<String>,
    /// The players whom it has proven to be its writers so far: by the token in its address, then by its lines.
    pub(super) proven: Vec<PlayerId>,
    /// Whether a password, a token or the mail server before this one has authenticated the writer.
    pub(super) is_proven: bool,
    /// The standing of the writer as long as nothing is proven.
    pub(super) unproven: Trust,
    /// Whether it may have several events on a board.
    pub(super) has_several: bool,
    /// The letters about these.
    pub(super) gathered: Gathered<'a>,
    /// Whether anything was changed by it.
    pub(super) is_carried_out: bool,
    /// Whether a command without a proof has caused mail to a third party. A message may do that once.
    pub(super) has_asked: bool,
}

/// How to continue after a step.
pub(super) enum Next {
    /// With the next step.
    Step,
    /// The message is finished.
    End,
    /// Roll back, have this hash computed, and handle the whole message again.
    Check(Box<Unchecked>),
    /// Roll back, find out whether `From` is authenticated, and handle the whole message again.
    Ask,
}

impl<'a> Handling<'a> {
    /// The context of a command with this comment.
    pub(super) fn context<'c>(&'c self, comment: &'c str) -> Context<'c> {
        Context {
            commands: &COMMANDS,
            store: self.store,
            now: self.now,
            settings: &self.handler.settings,
            sender: &self.request.sender,
            proven: &self.proven,
            proofs: self.proofs,
            tokens: self.handler.key.as_ref(),
            rng: &self.handler.rng,
            comment,
            has_asked: self.has_asked && !self.is_proven,
            letters: &self.letters,
        }
    }

    /// This message as the cause of letters about what this player does.
    fn cause(&self, by: Option<PlayerId>) -> Cause<'a> {
        let standing = match self.is_proven {
            true => Trust::Proven,
            false => self.unproven,
        };
        Cause {
            standing,
            by: by
                .or(self.answers.token_player())
                .or(self.proven.first().copied()),
            token_player: self.answers.token_player(),
            answered: match self.answers {
                ReplyContext::Digest(digest) => Some((digest.player.id, Purpose::Digest, digest.row)),
                ReplyContext::Invitation(invited) => {
                    Some((invited.player.id, Purpose::Invitation, invited.number))
                }
                ReplyContext::Gazette(gazette) => {
                    let number = row_of_player(gazette.player.id, gazette.issue);
                    Some((gazette.player.id, Purpose::Gazette, number))
                }
                _ => None,
            },
            ..self.request.cause(self.entry.id)
        }
    }

    /// Whether a hash is of no use, since what it is for is dropped: it can authenticate nobody.
    pub(super) fn is_in_vain(&self, hash: &Unchecked) -> bool {
        let is_dropped = self.dropped_unless_proven.is_some() && !self.is_proven;
        is_dropped && hash.stored.is_none() && hash.proven.is_none()
    }

    /// Whether it must be found out now if `From` is authenticated: nothing else has proven the writer.
    pub(super) fn must_ask(&self) -> bool {
        !self.is_proven && self.request.sender.belief == Belief::Unasked
    }

    /// Notes that these players are proven to be its writers.
    pub(super) fn prove(&mut self, players: impl IntoIterator<Item = PlayerId>) -> Result<(), InternalError> {
        for player in players {
            failures::has_written(self.store, self.request, player)?;
            self.proven.push(player);
        }
        Ok(())
    }

    /// Posts a letter caused by this message.
    pub(super) fn post(&mut self, letter: &Letter) -> Result<(), InternalError> {
        let cause = self.cause(None);
        self.handler.post(self.store, &cause, letter, self.now)
    }

    /// Carries out the decision of one of its steps. If the message may have others, letters about events wait for these.
    pub(super) fn carry_out(&mut self, mut decision: Decision) -> Result<(), InternalError> {
        self.note(&decision);
        let cause = self.cause(decision.proven);
        if self.has_several {
            let events = decision.letters.extract_if(.., |letter| letter.weight.is_some());
            for letter in events {
                self.gathered.add(cause, letter);
            }
        }
        self.handler.carry_out(self.store, &cause, &decision, self.now)
    }

    /// Adds a letter about an event to those of the message.
    pub(super) fn gather(&mut self, by: Option<PlayerId>, letter: Letter) {
        let cause = self.cause(by);
        self.gathered.add(cause, letter);
    }

    /// Posts the letters that were gathered.
    pub(super) fn post_gathered(&mut self) -> Result<(), InternalError> {
        let letters = self.gathered.take(self.store)?;
        for (cause, letter) in letters {
            self.handler.post(self.store, &cause, &letter, self.now)?;
        }
        Ok(())
    }

    /// Notes what a decision does, before it is carried out.
    pub(super) fn note(&mut self, decision: &Decision) {
        let is_asking = |change: &Change| {
            matches!(
                change,
                Change::Count {
                    what: RateLimit::Asked,
                    ..
                }
            )
        };
        self.is_carried_out |= decision.has_effect();
        self.has_asked |= decision.proven.is_none() && decision.changes.iter().any(is_asking);
    }

    /// Notes what the steps so far have changed on the boards that it answers: a step after them was written in the
    /// knowledge of that.
    pub(super) fn note_events(&mut self) -> Result<(), InternalError> {
        for letter in &mut self.letters {
            let id = letter.about.board;
            if let Some(board) = self.store.board_by_id(id)?
                && board.events.newest() > letter.newest
            {
                letter.note(&board, &self.store.turns(id)?);
            }
        }
        Ok(())
    }

    /// Counts a wrong password. The owner of the account is told, once a day, if no more are read from there.
    pub(super) fn add_guess(&mut self, player: PlayerId) -> Result<(), InternalError> {
        let (store, now) = (self.store, self.now);
        let guesser = Guesser::of(store, &self.request.sender, player)?;
        store.add_guess(player, guesser.key(), now)?;
        for (what, key) in guesser.counts(now) {
            store.count(what, &key, 1, now)?;
        }
        let key = player.0.to_string();
        let bound = guesser.is_refused(store, self.handler.settings.guesses, now)?;
        let is_over = bound == Some(TooMany::OfAccount);
        if !is_over || store.tally(RateLimit::Warned, &key, now)? > 0 {
            return Ok(());
        }
        let Some(owner) = store.player_by_id(player)? else {
            return Ok(());
        };
        store.count(RateLimit::Warned, &key, 1, now)?;
        let content = Guesses {
            userid: owner.userid,
            is_in_own_name: guesser.is_own(),
        };
        self.post(&Letter {
            is_urgent: true,
            ..Letter::news(player, content.into())
        })
    }
}
