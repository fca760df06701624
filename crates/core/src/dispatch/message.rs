//! Handles one message: records it, takes its steps in order, and records the outcome.

use chrono::{DateTime, Utc};

use crate::command::{
    self, Addressee, Belief, Context, Decision, InternalError, Letter, Proofs, Refused, Unchecked, Undecided,
    answered, several_open,
};
use crate::letters::Apology;
use crate::store::{Outcome, Received, State, Store};
use crate::table::PlayerId;
use pbmserv_mail::Address;

use super::again::Coming;
use super::command_result::{CommandOutcome, CommandResult};
use super::failures;
use super::gathered::Gathered;
use super::handler::{Cause, Handler};
use super::message_run::{Handling, Next};
use super::repeating::{NO_COMMAND, REPEATING};
use super::reply_context::ReplyContext;
use super::request::{Request, Returned};
use super::steps::Step;
use super::trust::Trust;

/// The record of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// Its row in `inbox`.
    pub id: i64,
    /// Its final state.
    pub state: State,
    /// The reason for the state, if there is one.
    pub reason: Option<String>,
}

impl Recorded {
    pub(super) fn of(id: i64, outcome: Outcome) -> Self {
        Self {
            id,
            state: outcome.state,
            reason: outcome.reason,
        }
    }
}

/// The outcome of a message in its savepoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Handled {
    /// Recorded, with all its effects.
    Recorded(Recorded),
    /// Recorded earlier, in this row: nothing is done again.
    Duplicate(i64),
    /// Nothing was done, for this reason, and nothing but a count is kept of it.
    Counted(State, String),
    /// This hash must be computed first. The caller must roll the savepoint back.
    Check(Box<Unchecked>),
    /// Whether `From` is authenticated must be found out first, since nothing else proves the writer. The caller must roll the
    /// savepoint back.
    Unasked,
}

impl Handled {
    /// Whether the message must be handled again, and nothing of it may stay.
    #[must_use]
    pub const fn is_to_be_repeated(&self) -> bool {
        matches!(self, Self::Check(_) | Self::Unasked)
    }

    /// Its row in `inbox`, if it has one.
    #[must_use]
    pub const fn id(&self) -> Option<i64> {
        match self {
            Self::Recorded(Recorded { id, .. }) | Self::Duplicate(id) => Some(*id),
            Self::Counted(..) | Self::Check(_) | Self::Unasked => None,
        }
    }

    /// What has become of it in a word, and the reason if there is one.
    #[must_use]
    pub fn fate(&self) -> (&'static str, Option<&str>) {
        match self {
            Self::Recorded(recorded) => (recorded.state.word(), recorded.reason.as_deref()),
            Self::Duplicate(_) => ("duplicate", None),
            Self::Counted(state, reason) => (state.word(), Some(reason)),
            Self::Check(_) | Self::Unasked => ("unchecked", None),
        }
    }
}

impl Handler {
    /// Handles one message.
    ///
    /// # Errors
    /// The server failed, and the caller must roll the savepoint back.
    pub fn handle(
        &mut self,
        store: &Store,
        request: &Request,
        proofs: &Proofs,
        now: DateTime<Utc>,
    ) -> Result<Handled, InternalError> {
        let copy = request.copy();
        let answers = ReplyContext::of(request, store, &self.key, now)?;
        let refused = match Coming::of(store, request, &answers)? {
            Coming::New(refused) => refused,
            Coming::Copy(before) => {
                let must_ask = self.tell_again(store, request, &answers, before, now)?;
                return Ok(if must_ask {
                    Handled::Unasked
                } else {
                    Handled::Duplicate(before)
                });
            }
        };
        failures::have_written(store, request)?;
        let is_proven = request.sender.belief == Belief::Authenticated || !answers.tokens().is_empty();
        // If all goes well, so that the index of identities is written once.
        let will_be_proven = is_proven || proofs.has_right();
        let received = received(request, now);
        let expected = Outcome {
            state: State::Done,
            reason: None,
            is_proven: will_be_proven,
            identity: if will_be_proven { request.identity } else { copy },
        };
        let id = store.add_received(&received, &expected)?;
        let reported = match &request.returned {
            Some(Returned {
                mail,
                failure: Some(status),
            }) => Some(self.take_bounce(store, &request.cause(id), *mail, status, now)?),
            _ => self.take_complaint(store, request, id, now)?,
        };
        if let Some((state, why)) = reported {
            let outcome = Outcome {
                identity: match state {
                    State::Done => request.identity,
                    _ => copy,
                },
                ..Outcome::of(state, why)
            };
            store.settle_received(id, &expected, &outcome, &received.commands)?;
            return Ok(Handled::Recorded(Recorded::of(id, outcome)));
        }
        if request.is_for_postmaster(&self.settings.own) {
            return self.pass_on(store, request, (id, &received, &expected), now);
        }
        if let Some(why) = &request.mail.silence {
            if why.is_list() {
                self.tell_of_list(store, request, &answers, id, now)?;
            }
            let outcome = Outcome {
                identity: copy,
                ..Outcome::of(State::Ignored, why.to_string())
            };
            store.settle_received(id, &expected, &outcome, &received.commands)?;
            return Ok(Handled::Recorded(Recorded::of(id, outcome)));
        }
        let unproven = Trust::unproven(store, &request.sender)?;
        let dropped_unless_proven = match request.sender.belief {
            Belief::Authenticated => None,
            // Anyone who bears a token has proven who they are.
            _ if answers.token_player().is_some() => None,
            Belief::Missing | Belief::Unasked => Some("its sender is not authenticated"),
            Belief::Agreed | Belief::Doubted => self.why_unserved(store, &request.sender, unproven, now)?,
        };
        let handling = Handling {
            handler: self,
            store,
            request,
            proofs,
            now,
            answers: &answers,
            letters: answers.letters(),
            copy,
            refused,
            id,
            received,
            expected,
            dropped_unless_proven,
            commands: Vec::new(),
            state: None,
            said: None,
            proven: Vec::new(),
            is_proven,
            unproven,
            has_several: false,
            gathered: Gathered::default(),
            is_carried_out: false,
            has_asked: false,
        };
        handling.run()
    }

    /// Records a message whose handling failed, and sends an apology: to its player, if a token or a password proves who
    /// that is.
    pub fn set_aside(
        &mut self,
        store: &Store,
        request: &Request,
        proofs: &Proofs,
        why: &str,
        now: DateTime<Utc>,
    ) -> Result<Recorded, InternalError> {
        let outcome = Outcome {
            identity: request.copy(),
            ..Outcome::of(State::Failed, why.to_owned())
        };
        let id = store.add_received(&received(request, now), &outcome)?;
        let answers = ReplyContext::of(request, store, &self.key, now)?;
        if request.mail.silence.is_none() {
            let player = match answers.token_player() {
                Some(player) => Some(player),
                None => proven_by(store, proofs)?,
            };
            let is_proven = player.is_some() || request.sender.belief == Belief::Authenticated;
            let cause = Cause {
                standing: match is_proven {
                    true => Trust::Proven,
                    false => Trust::unproven(store, &request.sender)?,
                },
                ..request.cause(id)
            };
            let letter = Letter {
                to: player.map_or(Addressee::Sender, Addressee::Player),
                ..Letter::answer(Apology { number: id }.into())
            };
            self.post(store, &cause, &letter, now)?;
        }
        Ok(Recorded::of(id, outcome))
    }
}

impl Handling<'_> {
    /// Takes all steps in order, and records the outcome.
    fn run(mut self) -> Result<Handled, InternalError> {
        self.prove(self.answers.bearers())?;
        let all = self.steps()?;
        let is_list = |step: &Step<'_>| matches!(step, Step::Batch(_) | Step::Lines(_));
        self.has_several = all.iter().map(Vec::len).sum::<usize>() > 1 || all.iter().flatten().any(is_list);
        for steps in all {
            for (number, step) in steps.iter().enumerate() {
                if number > 0 {
                    self.note_events()?;
                }
                let next = match step {
                    Step::Batch(batch) => self.take_batch(batch)?,
                    Step::Lines(batch) => self.take_batch(batch)?,
                    step => self.take(step)?,
                };
                match next {
                    Next::Step => {}
                    Next::End => break,
                    Next::Check(hash) => return Ok(Handled::Check(hash)),
                    Next::Ask => return Ok(Handled::Unasked),
                }
            }
        }
        if self.must_ask() {
            return Ok(Handled::Unasked);
        }
        self.post_gathered()?;
        if !self.is_proven {
            let (sender, dropped) = (&self.request.sender, self.dropped_unless_proven);
            Handler::count_unproven(self.store, sender, dropped, self.now)?;
        }
        for player in &self.proven {
            self.store.player_wrote(*player, self.now)?;
        }
        let (state, reason) = self.state.take().unzip();
        let state = state.unwrap_or(State::Done);
        if self.is_only_counted(state)? {
            self.store.remove_received(self.id)?;
            return Ok(Handled::Counted(state, reason.unwrap_or_default()));
        }
        if state == State::Refused && self.request.page.is_none() {
            self.store.remember(&self.request.delivery(), self.id)?;
        }
        let identity = match state {
            _ if self.is_carried_out => self.request.identity,
            State::Refused if self.is_proven => self.refused,
            _ if self.is_proven => self.request.identity,
            _ => self.copy,
        };
        let outcome = Outcome {
            state,
            reason: reason.or(self.said.take()),
            is_proven: self.is_proven,
            identity,
        };
        let mut commands = self.commands.join("\n");
        if commands.is_empty() {
            commands.clone_from(&self.received.commands);
        }
        if outcome != self.expected || commands != self.received.commands {
            self.store
                .settle_received(self.id, &self.expected, &outcome, &commands)?;
        }
        Ok(Handled::Recorded(Recorded::of(self.id, outcome)))
    }

    /// Takes one step: decides it, then carries it out or refuses it.
    fn take(&mut self, step: &Step<'_>) -> Result<Next, InternalError> {
        let words = match step {
            Step::Doubtful(..) => &self.request.comment,
            step => step.comment(),
        };
        let context = self.context(words);
        let verdict = match decide(&context, step) {
            Ok(decision) => Ok(decision),
            // Whatever it decides is dropped below.
            Err(Undecided::PasswordUnchecked(hash)) if self.is_in_vain(&hash) => Ok(Decision::default()),
            Err(Undecided::PasswordUnchecked(hash)) => return Ok(Next::Check(hash)),
            Err(Undecided::InternalError(fault)) => return Err(fault),
            Err(Undecided::Refused(refused)) => Err(refused),
        };
        let (proven, echo, refusal) = match (&verdict, step) {
            (Ok(decision), Step::Line(line, _)) => (decision.proven, Some(line.masked()), None),
            (Ok(decision), _) => (decision.proven, None, None),
            (Err(refused), Step::Line(line, _)) => {
                let echo = command::echo_of(&context, line, refused)?.text;
                let letter = match self.request.page.is_some() && line.asks_for_page() {
                    // The page says it. A mail for each would be what is refused.
                    true => None,
                    false => Some(command::refusal_letter(&context, line, refused)?),
                };
                (refused.proven, Some(echo), letter)
            }
            (Err(refused), _) => (refused.proven, None, None),
        };
        // Anyone who bears a token has proven who they are, whatever the command asks for.
        let proven = proven.or(self.answers.token_player());
        self.commands.extend(echo);
        self.is_proven |= proven.is_some();
        self.prove(proven)?;
        // Counted even if the mail is dropped below. Otherwise a sender over the hourly limit could guess passwords
        // without end.
        if let Err(refused) = &verdict
            && let Some(player) = refused.wrong_password_of
        {
            self.add_guess(player)?;
        }
        let is_dropped = proven.is_none() && self.dropped_unless_proven.is_some();
        if is_dropped && self.must_ask() {
            return Ok(Next::Ask);
        }
        let outcome = match &verdict {
            _ if is_dropped => CommandOutcome::Dropped,
            Ok(_) => CommandOutcome::Done,
            Err(refused) => CommandOutcome::Refused(refused.kind),
        };
        match step {
            Step::Line(line, _) => self.handler.results.push(CommandResult::of(line, outcome)),
            Step::Misread(misread) => self.handler.results.push(CommandResult::of_misread(misread)),
            Step::MisreadOwned(misread) => self.handler.results.push(CommandResult::of_misread(misread)),
            _ => {}
        }
        if is_dropped && let Some(why) = self.dropped_unless_proven {
            self.state = Some((State::Dropped, why.to_owned()));
            return Ok(Next::End);
        }
        if step.is_no_command() && self.is_repeating(step)? {
            self.state = Some((State::Ignored, REPEATING.to_owned()));
            return Ok(Next::End);
        }
        match verdict {
            Ok(decision) => {
                if self.request.page.is_some() {
                    self.said = decision.said();
                }
                self.carry_out(decision)?;
                if step.is_no_command() {
                    self.state = Some((State::Refused, NO_COMMAND.to_owned()));
                }
                Ok(Next::Step)
            }
            Err(refused) => {
                // What was done before comes before it.
                self.post_gathered()?;
                // A page shows its refusal itself.
                if let Some(letter) = refusal.filter(|_| self.request.page.is_none()) {
                    self.post(&letter)?;
                }
                self.state = Some((State::Refused, refused.sentence()));
                // The later commands of a reply were written for the case that this one succeeds, so they are skipped.
                Ok(Next::End)
            }
        }
    }
}

/// Decides one step.
fn decide(context: &Context<'_>, step: &Step<'_>) -> Result<Decision, Undecided> {
    let server = context.settings.own.present();
    match step {
        Step::Line(line, _) => command::decide(context, line),
        Step::Answered(row, answer) => answered(context, *row, *answer),
        // It proves who reads the mail of an address, and no player.
        Step::Confirm(row, answer) => Ok(Decision {
            proven: None,
            ..answered(context, *row, *answer)?
        }),
        Step::SeveralOpen(row) => Ok(several_open(context, *row)?),
        Step::Leave(player, unasked) => Ok(command::leave(context, player, *unasked)?),
        Step::Misread(misread) => Ok(Decision::answer(command::misread_letter(context, misread)?)),
        Step::MisreadOwned(misread) => Ok(Decision::answer(command::misread_letter(context, misread)?)),
        Step::Offered(player, offer) => Ok(command::offered(context, player, offer)?),
        Step::Nothing(unread) => Ok(Decision::answer(command::nothing_letter(server, *unread))),
        Step::Expected(board, player, unread, _) => {
            let letter = command::expected_letter(context, board, player, *unread)?;
            Ok(Decision {
                proven: Some(player.id),
                ..Decision::answer(letter)
            })
        }
        Step::Doubtful(board, player, doubt) => {
            let letter = command::doubt_letter(context, board, player, doubt)?;
            Ok(Decision {
                proven: Some(player.id),
                ..Decision::answer(letter)
            })
        }
        Step::Uninvited(player) => Ok(command::uninvited(player)),
        Step::NothingBegun { player, is_open } => Ok(command::proposals::nothing_begun(player, *is_open)),
        Step::GameRefused(player, line) => Ok(command::proposals::game_refused(player, line)),
        Step::OutOfReach => Err(Refused::impossible("The link of this page does not reach that.").into()),
        Step::Dead => Ok(Decision::answer(command::dead_letter(server))),
        Step::Which(digest) => {
            let boards = digest.boards.iter().map(|(board, _)| board);
            let letter = command::which_letter(context, boards, &digest.player)?;
            Ok(Decision {
                proven: Some(digest.player.id),
                ..Decision::answer(letter)
            })
        }
        // `take_batch` handles a list, line by line.
        Step::Silent | Step::Batch(_) | Step::Lines(_) => Ok(Decision::default()),
    }
}

/// The player of whom a message has the right password, which was checked before.
fn proven_by(store: &Store, proofs: &Proofs) -> Result<Option<PlayerId>, InternalError> {
    for proof in &proofs.0 {
        if let Some((hash, true)) = &proof.checked
            && let Some(player) = store.player(&proof.userid_key)?
            && player.password_hash == *hash
        {
            return Ok(Some(player.id));
        }
    }
    Ok(None)
}

fn received(request: &Request, now: DateTime<Utc>) -> Received {
    Received {
        received_at: now,
        door: request.door,
        sender: request.envelope.sender.as_ref().map(ToString::to_string),
        recipient: request
            .envelope
            .recipients
            .first()
            .map(without_token)
            .unwrap_or_default(),
        header_from: request.sender.from.as_ref().map(ToString::to_string),
        message_id: request.mail.message_id.clone(),
        commands: request.script.unjudged(),
    }
}

/// The recipient without its detail. That may be a token, which must not be stored, as a password.
fn without_token(recipient: &Address) -> String {
    let local = recipient.local().split('+').next().unwrap_or_default();
    format!("{local}@{}", recipient.domain())
}
