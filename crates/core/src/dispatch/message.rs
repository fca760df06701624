//! Handles one message: records it, takes its steps in order, and records the outcome.

use chrono::{DateTime, Utc};

use crate::command::{
    self, Belief, Context, Decision, InternalError, PAGE_DOOR, Proofs, Refused, Script, Undecided, answered,
    ask_on_page, ask_sender, join_on_page, keep, named, several_open, still_asked,
};
use crate::store::{Outcome, State, Store};

use super::again::Coming;
use super::command_result::{CommandOutcome, CommandResult};
use super::entry::{Entry, Handled};
use super::failures;
use super::gathered::Gathered;
use super::handler::Handler;
use super::message_run::{Handling, Next};
use super::repeating::{NO_COMMAND, REPEATING};
use super::reply_context::ReplyContext;
use super::request::{Request, Returned};
use super::steps::Step;
use super::trust::Trust;

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
        let entry = Entry::begin(store, request, is_proven || proofs.has_right(), now)?;
        if let ReplyContext::Page(_, Some(shown)) = &answers {
            store.drop_seen(shown.about, now)?;
        }
        if let Some(handled) = self.handle_without_commands(store, request, &answers, &entry, now)? {
            return Ok(handled);
        }
        let unproven = Trust::unproven(store, &request.sender)?;
        let handling = Handling {
            dropped_unless_proven: self.why_dropped(store, request, &answers, unproven, now)?,
            handler: self,
            store,
            request,
            proofs,
            now,
            answers: &answers,
            letters: answers.letters(),
            refused,
            entry,
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

    /// Handles a message in which no command is looked for: a bounce, a complaint, a mail to the postmaster, and one that is
    /// never answered. `None`: it is another.
    fn handle_without_commands(
        &mut self,
        store: &Store,
        request: &Request,
        answers: &ReplyContext,
        entry: &Entry,
        now: DateTime<Utc>,
    ) -> Result<Option<Handled>, InternalError> {
        let reported = match &request.returned {
            Some(Returned {
                mail,
                failure: Some(status),
            }) => Some(self.take_bounce(store, &request.cause(entry.id), *mail, status, now)?),
            _ => self.take_complaint(store, request, entry.id, now)?,
        };
        if let Some((state, why)) = reported {
            let outcome = Outcome {
                identity: match state {
                    State::Done => request.identity,
                    _ => entry.copy,
                },
                ..Outcome::of(state, why)
            };
            return entry.settle(store, outcome).map(Some);
        }
        if request.is_for_postmaster(&self.settings.own) {
            return self.pass_on(store, request, entry, now).map(Some);
        }
        let Some(why) = &request.mail.silence else {
            return Ok(None);
        };
        if why.is_list() {
            self.tell_of_list(store, request, answers, entry.id, now)?;
        }
        let outcome = Outcome {
            identity: entry.copy,
            ..Outcome::of(State::Ignored, why.to_string())
        };
        entry.settle(store, outcome).map(Some)
    }

    /// Why a message is dropped at its first step without a password or token; `None`: it need not be authenticated.
    fn why_dropped(
        &self,
        store: &Store,
        request: &Request,
        answers: &ReplyContext,
        unproven: Trust,
        now: DateTime<Utc>,
    ) -> Result<Option<&'static str>, InternalError> {
        match request.sender.belief {
            Belief::Authenticated => Ok(None),
            // Anyone who bears a token has proven who they are.
            _ if answers.token_player().is_some() || answers.is_newcomer() => Ok(None),
            Belief::Missing | Belief::Unasked => Ok(Some("its sender is not authenticated")),
            Belief::Agreed | Belief::Doubted => self.why_unserved(store, &request.sender, unproven, now),
        }
    }
}

impl Handling<'_> {
    /// Takes all steps in order, and records the outcome.
    fn run(mut self) -> Result<Handled, InternalError> {
        self.prove(self.answers.bearers())?;
        let all = self.steps()?;
        let is_list = |step: &Step<'_>| matches!(step, Step::Batch(_) | Step::Lines(_));
        self.has_several = all.iter().map(Vec::len).sum::<usize>() > 1 || all.iter().flatten().any(is_list);
        if let Some(unfinished) = self.take_all(&all)? {
            return Ok(unfinished);
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
        self.settle()
    }

    /// Takes the steps of each list, until one fails. Returns what must be done before the message is handled again, if
    /// anything must.
    fn take_all(&mut self, all: &[Vec<Step<'_>>]) -> Result<Option<Handled>, InternalError> {
        for steps in all {
            for (number, step) in steps.iter().enumerate() {
                if number > 0 {
                    self.note_events()?;
                }
                let begun = self.of_invitation(step)?;
                let next = match begun.as_ref().unwrap_or(step) {
                    Step::Begin(_) | Step::FirstTurn(..) => Next::End,
                    Step::Batch(batch) => self.take_batch(batch)?,
                    Step::Lines(batch) => self.take_batch(batch)?,
                    step => self.take(step)?,
                };
                match next {
                    Next::Step => {}
                    Next::End => break,
                    Next::Check(hash) => return Ok(Some(Handled::Check(hash))),
                    Next::Ask => return Ok(Some(Handled::Unasked)),
                }
            }
        }
        Ok(None)
    }

    /// Records the outcome.
    fn settle(mut self) -> Result<Handled, InternalError> {
        let (state, reason) = self.state.take().unzip();
        let state = state.unwrap_or(State::Done);
        if self.is_only_counted(state)? {
            self.store.remove_received(self.entry.id)?;
            return Ok(Handled::Counted(state, reason.unwrap_or_default()));
        }
        if state == State::Refused && self.request.page.is_none() {
            self.store.remember(&self.request.delivery(), self.entry.id)?;
        }
        let outcome = Outcome {
            state,
            reason: reason.or(self.said.take()),
            is_proven: self.is_proven,
            identity: match state {
                _ if self.is_carried_out => self.request.identity,
                State::Refused if self.is_proven => self.refused,
                _ if self.is_proven => self.request.identity,
                _ => self.entry.copy,
            },
        };
        let commands = self.commands.join("\n");
        let commands = match commands.as_str() {
            "" => &self.entry.received.commands,
            commands => commands,
        };
        self.entry.settle_with(self.store, outcome, commands)
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
            // Own words that named nothing, answered by what can be done.
            Step::Offered(..) => {
                if let Script::Misread(misread) = &self.request.script {
                    self.handler.results.push(CommandResult::of_misread(misread));
                }
            }
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
                // What has a mark is looked for by its page.
                if self.request.door == PAGE_DOOR && self.request.identity.is_some() {
                    self.said = decision.said();
                }
                let is_asked = decision.asks_for_name();
                self.carry_out(decision)?;
                if step.is_no_command() && !is_asked {
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
        Step::AskForName(address, name, game) => ask_on_page(context, address, name, *game),
        Step::Keep(row) => Ok(keep(context, *row)?),
        Step::Join(row, given) => join_on_page(context, *row, given),
        Step::Named(row, given) => named(context, *row, given),
        Step::Misread(misread) if let Some(asked) = ask_sender(context, misread.wanted_name())? => Ok(asked),
        Step::Nothing(_) if let Some(asked) = ask_sender(context, None)? => Ok(asked),
        Step::Misread(misread)
            if !misread.is_near()
                && let Some(asked) = still_asked(context)? =>
        {
            Ok(asked)
        }
        Step::Nothing(None) if let Some(asked) = still_asked(context)? => Ok(asked),
        Step::Misread(misread) => Ok(Decision::answer(command::misread_letter(context, misread)?)),
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
        Step::NothingBegun { player, is_open } => Ok(command::proposals::nothing_begun(player, *is_open)),
        Step::GameRefused(player, line) => Ok(command::proposals::game_refused(player, line)),
        Step::Solve(player, issue, line, _) => Ok(command::solve(context, player, *issue, line)?),
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
        Step::Silent | Step::Batch(_) | Step::Lines(_) | Step::Begin(_) | Step::FirstTurn(..) => {
            Ok(Decision::default())
        }
    }
}
