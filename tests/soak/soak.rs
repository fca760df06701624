//! The main loop: the clock goes from one hour with events to the next; people write, and each step of the server is judged.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, TimeZone, Utc};
use pbmserv_mail::outbox::Identity;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use tempfile::TempDir;

use crate::check;
use crate::deed::{Deed, What};
use crate::laws::{self, Why as Cause};
use crate::mail::{Letter, Mail, Way};
use crate::operator;
use crate::people::{Person, Sight, pick};
use crate::rows::{Change, Row};
use crate::tally::Tally;
use crate::view::{DAY, HOUR, View};
use crate::world::{Effect, World};

/// The length of the run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// The same seed writes the same mails, as long as the server answers the same.
    pub(crate) seed: u64,
    pub(crate) people: usize,
    /// The run ends after this real time, or this simulated time.
    pub(crate) real: Duration,
    pub(crate) simulated: TimeDelta,
}

/// Everything.
pub(crate) struct Soak {
    pub(crate) plan: Plan,
    pub(crate) world: World,
    pub(crate) view: View,
    pub(crate) tally: Tally,
    pub(crate) people: Vec<Person>,
    pub(crate) rng: ChaCha8Rng,
    pub(crate) identity: Identity,
    /// When each person reads their mail.
    looks: BinaryHeap<Reverse<(i64, usize)>>,
    last: Option<Mail>,
    mails: u64,
    begun: i64,
    /// The time of the last complete check, and its duration.
    looked: (Instant, Duration),
}

fn time(at: i64) -> DateTime<Utc> {
    DateTime::from_timestamp_millis(at).unwrap()
}

impl Soak {
    pub(crate) fn begin(plan: Plan, data: TempDir) -> Self {
        let now = Utc.with_ymd_and_hms(2026, 11, 20, 0, 0, 0).unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(plan.seed);
        crate::log::keep(&data.path().join("soak.log"));
        let world = World::open(data, now);
        let now = now.timestamp_millis();
        let people: Vec<Person> = (0..plan.people)
            .map(|number| Person::new(number, now, &mut rng))
            .collect();
        // People arrive in the first two months, most of them in the first weeks.
        let looks = (0..plan.people)
            .map(|number| Reverse((now + HOUR * (number * 1440 / plan.people) as i64, number)));
        let identity = Identity::new(world.server().address.clone(), "", (*world.server().key).clone());
        Self {
            plan,
            looks: looks.collect(),
            identity: identity.unwrap(),
            view: View {
                now,
                steady_since: now,
                ..View::default()
            },
            tally: Tally::default(),
            people,
            rng,
            world,
            last: None,
            mails: 0,
            begun: now,
            looked: (Instant::now(), Duration::ZERO),
        }
    }

    /// Plays until the plan is fulfilled, then checks everything once more.
    pub(crate) async fn run(&mut self) {
        let started = Instant::now();
        let end = self.begun + self.plan.simulated.num_milliseconds();
        while started.elapsed() < self.plan.real && self.view.now < end {
            self.hour().await;
        }
        self.world.deliver().await;
        self.forget_old_texts().await;
        check::all(self);
        self.tally.print(self, started.elapsed());
    }

    /// The days that were simulated.
    pub(crate) const fn days(&self) -> i64 {
        (self.view.now - self.begun) / DAY
    }

    /// Goes to the next moment with an event.
    async fn hour(&mut self) {
        let Some(Reverse((look, _))) = self.looks.peek() else {
            unreachable!("somebody always looks again")
        };
        let due = self
            .world
            .next_due()
            .map_or(i64::MAX, |due| due.timestamp_millis());
        if let Some(foreseen) = laws::next_due(&self.view) {
            assert!(
                due <= foreseen,
                "the server would do at {due} what is due at {foreseen}"
            );
        }
        let tomorrow = (self.view.now / DAY + 1) * DAY;
        let next = (*look).min(due).min(tomorrow).max(self.view.now);
        self.world.deliver().await;
        self.world.go_to(time(next));
        self.view.now = next;
        self.let_happen().await;
        if next == tomorrow {
            self.day().await;
        }
        while let Some(Reverse((look, person))) = self.looks.peek().copied()
            && look <= self.view.now
        {
            self.looks.pop();
            self.look(person).await;
        }
    }

    /// Judges what the server has done since the last step.
    pub(crate) fn judge(&mut self, cause: &Cause<'_>, effect: &Effect, is_sure: bool) {
        self.view.delivered = self.world.post.delivered;
        laws::judge(&mut self.view, cause, effect, is_sure);
        self.tally.step(cause, effect);
    }

    /// Judges what the server has done by itself.
    fn judge_news(&mut self, cause: &Cause<'_>) {
        let effect = self.world.effect();
        self.judge(cause, &effect, true);
    }

    /// Does what is due.
    async fn let_happen(&mut self) {
        while self.world.do_what_is_due().await {
            self.judge_news(&Cause::Due);
            self.let_computers_play().await;
        }
        laws::nothing_is_late(&self.view);
    }

    /// Somebody reads their mail and writes.
    async fn look(&mut self, person: usize) {
        let mut sight = Sight {
            view: &self.view,
            post: &self.world.post,
            identity: &self.identity,
            rng: &mut self.rng,
        };
        let letters = self.people[person].write(&mut sight);
        for letter in letters {
            self.send(&letter).await;
            if let Way::Subject(Deed {
                what: What::SignUp,
                who: Some(who),
                ..
            }) = &letter.way
                && self.people[person]
                    .account
                    .is_none_or(|account| self.view.accounts[account].is_deleted())
            {
                let own = self.view.account(&who.userid);
                self.people[person].account =
                    own.filter(|own| self.view.accounts[*own].password == who.password);
            }
        }
        let next = self.people[person].next(self.view.now, &mut self.rng);
        self.looks.push(Reverse((next.max(self.view.now + HOUR), person)));
    }

    /// Gives a mail to the server, and judges what it does.
    async fn send(&mut self, letter: &Letter) {
        let mail = match (&letter.way, &self.last) {
            (Way::Again, Some(last)) => last.clone(),
            (Way::Again, None) => return,
            _ => letter.mail(self.mails),
        };
        let ends_tokens = letter.deeds().iter().any(|deed| {
            // What these end is known only when all earlier letters are delivered.
            deed.begins(&["change ", "remove ", "reset ", "delete "])
        });
        if ends_tokens || letter.confirms() {
            self.world.deliver().await;
        }
        self.mails += 1;
        let is_guessed = check::is_guessed(self, letter);
        let accounts = self.view.accounts.len();
        let taken = self.world.take(&mail).await;
        self.judge(&Cause::Mail(letter, &taken.fate), &taken.effect, !is_guessed);
        check::is_answered(self, letter, &taken);
        self.keep_passwords(letter, &taken.fate, accounts);
        self.tally.mail(letter, &taken);
        self.let_computers_play().await;
        self.last = Some(mail);
    }

    /// What passwords are after a mail.
    fn keep_passwords(&mut self, letter: &Letter, fate: &str, accounts_before: usize) {
        let Way::Subject(deed) = &letter.way else { return };
        let account = match (&deed.what, &deed.who) {
            (What::NewPassword(_), Some(who)) => self.view.account(&who.userid),
            (What::NewPassword(_), None) => deed.by_token,
            (What::SignUp, _) => (self.view.accounts.len() > accounts_before).then_some(accounts_before),
            _ => None,
        };
        let password = match &deed.what {
            What::NewPassword(new) => new,
            _ => deed.who.as_ref().map_or("", |who| &who.password),
        };
        if let Some(account) = account.filter(|_| fate == "done") {
            self.view.accounts[account].password = password.to_owned();
        }
    }

    /// Computers play until people are to move everywhere.
    async fn let_computers_play(&mut self) {
        while let Some((board, turn)) = self.world.let_computer_play().await {
            self.judge_news(&Cause::Computer(board, &turn));
        }
    }

    /// Daily events.
    async fn day(&mut self) {
        self.forget_old_texts().await;
        let day = self.days();
        check::forgotten(self);
        if self.rng.random_bool(0.2) {
            self.operate().await;
        }
        if day % 50 == 20 {
            self.world.deliver().await;
            let by = *pick(&mut self.rng, &[-3, 5, 30]);
            let before = self.view.now;
            self.view.now += by * HOUR;
            self.view.steady_since = self.view.now;
            self.world.set_clock(time(self.view.now)).await;
            self.judge_clock(before).await;
        }
        if day % 40 == 39 {
            self.restart().await;
        }
        if day % 30 == 29 {
            self.look_at_all().await;
        }
    }

    /// The server has noticed that its clock was set, and done what is due since.
    async fn judge_clock(&mut self, before: i64) {
        let mut effect = self.world.effect();
        // What moved the clocks comes first, in one write of all boards.
        let runs = |row: &Option<Row>| row.as_ref().is_some_and(|row| row.has("clock_since"));
        let is_moved =
            |change: &&Change| runs(&change.old) && runs(&change.new) && change.alters("clock_since");
        let moved = effect.changes.iter().take_while(is_moved).count();
        let mut clocks = Effect::default();
        clocks.changes.extend(effect.changes.drain(..moved));
        self.judge(&Cause::ClockSet(before), &clocks, true);
        self.judge(&Cause::Due, &effect, true);
        self.let_happen().await;
    }

    async fn forget_old_texts(&mut self) {
        self.world.forget_old_texts().await;
        self.judge_news(&Cause::Nothing);
        self.world.forget_changes();
    }

    /// Checks everything. The check takes longer as data grows, so it gets at most a tenth of the time.
    async fn look_at_all(&mut self) {
        let (before, took) = self.looked;
        if before.elapsed() < took * 10 {
            return;
        }
        self.world.deliver().await;
        let begun = Instant::now();
        check::all(self);
        self.looked = (Instant::now(), begun.elapsed());
        self.tally.tell_progress(self.view.now - self.begun);
    }

    /// An action of the operator.
    async fn operate(&mut self) {
        let Some(order) = operator::order(&self.view, &mut self.rng) else {
            return;
        };
        self.world.deliver().await;
        let is_done = self.world.operate(&order.line).await;
        self.judge_news(&Cause::Operator(&order, is_done));
        let kind = if is_done { "operator" } else { "refused operator" };
        let words: Vec<&str> = order.line.split(' ').take(2).collect();
        self.tally.count(kind, words.join(" "));
        self.let_computers_play().await;
    }

    /// Stops the server and starts it again: at once, or after days.
    async fn restart(&mut self) {
        let hours = *pick(&mut self.rng, &[0, 0, 1, 50]);
        self.world.restart(TimeDelta::hours(hours)).await;
        self.view.now += hours * HOUR;
        if hours > 0 {
            self.view.steady_since = self.view.now;
        }
        self.tally.count("by itself", "restart");
        self.judge_news(&Cause::Nothing);
        self.forget_old_texts().await;
        self.let_happen().await;
    }
}
