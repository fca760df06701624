//! The main loop: the clock goes from one hour with events to the next; the server and the model get the same
//! input, and must agree.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::path::Path;
use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, TimeZone, Utc};
use pbmserv::admin::board::{BoardArgs, BoardResult, BoardVerb};
use pbmserv::admin::sure::Sure;
use pbmserv::admin::user::UserVerb;
use pbmserv::admin::{PerhapsWhy, Verb, Why};
use pbmserv_mail::outbox::Identity;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::check;
use crate::deed::{Deed, name};
use crate::mail::{Letter, Mail, Way};
use crate::model::computers::COMPUTER;
use crate::model::{DAY, HOUR, Model};
use crate::people::{Person, Sight, pick};
use crate::tally::Tally;
use crate::world::World;

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

/// The number of mails between two comparisons of the whole database with the model.
const COMPARED_EVERY: u64 = 4000;

/// Everything.
pub(crate) struct Soak {
    pub(crate) plan: Plan,
    pub(crate) world: World,
    pub(crate) model: Model,
    pub(crate) tally: Tally,
    people: Vec<Person>,
    rng: ChaCha8Rng,
    identity: Identity,
    /// The first delivery with valid tokens of each account, and its generation then.
    tokens_since: Vec<u64>,
    generations: Vec<u32>,
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
    pub(crate) fn begin(plan: Plan, data: &Path) -> Self {
        let now = Utc.with_ymd_and_hms(2026, 11, 20, 0, 0, 0).unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(plan.seed);
        crate::log::keep(&data.join("soak.log"));
        let world = World::open(data, now, "p0");
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
            model: Model::new(now, "p0"),
            tally: Tally::default(),
            people,
            rng,
            world,
            tokens_since: Vec::new(),
            generations: Vec::new(),
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
        while started.elapsed() < self.plan.real && self.model.now < end {
            self.hour().await;
        }
        self.world.deliver().await;
        self.world.forget_old_texts().await;
        check::all(self);
        self.tally.took = started.elapsed();
        self.tally.simulated_days = (self.model.now - self.begun) / DAY;
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
        if let Some(foreseen) = self.model.next_due() {
            assert!(
                due <= foreseen,
                "the server would do at {due} what is due at {foreseen}"
            );
        }
        let tomorrow = (self.model.now / DAY + 1) * DAY;
        let next = (*look).min(due).min(tomorrow).max(self.model.now);
        self.world.deliver().await;
        self.world.go_to(time(next));
        self.model.now = next;
        self.let_happen().await;
        if next == tomorrow {
            self.day().await;
        }
        while let Some(Reverse((look, person))) = self.looks.peek().copied()
            && look <= self.model.now
        {
            self.looks.pop();
            self.look(person).await;
        }
    }

    /// Does what is due.
    async fn let_happen(&mut self) {
        let (due, at) = (self.model.due_now(), self.world.next_due());
        let foreseen = self.model.pass(&mut self.tally.happened);
        let rows = self.world.do_what_is_due().await;
        let context = format!(
            "at {} is due: {due:?}; of the server at {at:?}",
            time(self.model.now)
        );
        check::rows(&foreseen, &rows, &context);
        self.tally.letters(&rows);
    }

    /// Somebody reads their mail and writes.
    async fn look(&mut self, person: usize) {
        self.tokens_since.resize(self.model.accounts.len(), 0);
        self.generations.resize(self.model.accounts.len(), 0);
        let mut sight = Sight {
            model: &self.model,
            post: &self.world.post,
            identity: &self.identity,
            rng: &mut self.rng,
            tokens_since: &self.tokens_since,
        };
        let letters = self.people[person].write(&mut sight);
        for letter in letters {
            self.send(&letter).await;
            if let Way::Subject(Deed::Signup(who, _)) = &letter.way
                && self.people[person]
                    .account
                    .is_none_or(|account| self.model.accounts[account].deleted)
            {
                let own = self.model.by_userid.get(&who.userid);
                self.people[person].account = own
                    .copied()
                    .filter(|own| self.model.accounts[*own].password == who.password);
            }
        }
        let next = self.people[person].next(self.model.now, &mut self.rng);
        self.looks
            .push(Reverse((next.max(self.model.now + HOUR), person)));
    }

    /// Gives a mail to the server and to the model.
    async fn send(&mut self, letter: &Letter) {
        let mail = match (&letter.way, &self.last) {
            (Way::Again, Some(last)) => last.clone(),
            (Way::Again, None) => return,
            _ => letter.mail(self.mails),
        };
        let ends_tokens = match &letter.way {
            Way::Subject(deed) => ends_tokens(deed),
            Way::Batch(deeds) => deeds.iter().any(ends_tokens),
            Way::Confirm(_) => true,
            _ => false,
        };
        if ends_tokens {
            self.world.deliver().await;
        }
        self.mails += 1;
        let taken = self.world.take(&mail).await;
        let expected = self.model.hear(letter);
        check::mail(letter, &expected, &taken);
        self.tally.mail(letter, &expected, &taken);
        self.let_computers_play().await;
        if ends_tokens {
            self.forget_tokens().await;
        }
        self.last = Some(mail);
        if self.mails.is_multiple_of(COMPARED_EVERY) {
            self.world.deliver().await;
            check::compare(self);
        }
    }

    /// Computers play until people are to move everywhere.
    async fn let_computers_play(&mut self) {
        loop {
            let played = self.world.let_computers_play().await;
            if played.is_empty() {
                return;
            }
            for (answer, rows) in played {
                let foreseen = self.model.computer_plays(&answer);
                check::rows(&foreseen, &rows, &format!("{answer:?}"));
                self.tally.letters(&rows);
                self.tally.answers += 1;
            }
        }
    }

    /// The tokens that have just become invalid.
    async fn forget_tokens(&mut self) {
        let delivered = self.world.post.delivered.lock().unwrap().0;
        self.tokens_since.resize(self.model.accounts.len(), 0);
        self.generations.resize(self.model.accounts.len(), 0);
        for (number, account) in self.model.accounts.iter().enumerate() {
            if self.generations[number] != account.generation {
                self.generations[number] = account.generation;
                self.tokens_since[number] = delivered;
            }
        }
    }

    /// Daily events.
    async fn day(&mut self) {
        self.world.forget_old_texts().await;
        let day = (self.model.now - self.begun) / DAY;
        check::forgotten(self);
        if self.rng.random_bool(0.2) {
            self.operate().await;
        }
        if day % 50 == 20 {
            self.world.deliver().await;
            let by = *pick(&mut self.rng, &[-3, 5, 30]);
            self.model.set_clock(self.model.now + by * HOUR);
            self.world.set_clock(time(self.model.now)).await;
            self.let_happen().await;
        }
        if day % 40 == 39 {
            self.restart().await;
        }
        if day % 30 == 29 {
            self.look_at_all().await;
        }
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
        self.tally.looks += 1;
        self.tally.tell_progress(self.model.now - self.begun);
    }

    /// An action of the operator.
    async fn operate(&mut self) {
        if self.model.accounts.len() < 5 {
            return;
        }
        let someone = |model: &Model, rng: &mut ChaCha8Rng| pick(rng, &model.accounts[1..]).userid.clone();
        let (a, b) = (
            someone(&self.model, &mut self.rng),
            someone(&self.model, &mut self.rng),
        );
        let running: Vec<usize> = (0..self.model.boards.len())
            .filter(|board| {
                let board = &self.model.boards[*board];
                board.end().is_none() && !board.players.contains(&COMPUTER)
            })
            .collect();
        if a.is_empty() || b.is_empty() || running.is_empty() {
            return;
        }
        let board = &self.model.boards[*pick(&mut self.rng, &running)];
        let at = board.at;
        let mover = board
            .to_move()
            .map(|seat| self.model.accounts[board.at(seat)].userid.clone());
        let board_args = BoardArgs {
            game: name(at.game).to_owned(),
            number: at.number,
        };
        let why = Why {
            why: "So it was decided.".into(),
        };
        let disabled = self
            .model
            .accounts
            .iter()
            .find(|account| account.disabled && !account.deleted);
        let end = |board, result, why| Verb::Board(BoardVerb::End { board, result, why });
        let verb = match self.rng.random_range(0..34) {
            0 => Verb::Announce {
                why: PerhapsWhy { why: why.why },
            },
            1..3 => Verb::User(UserVerb::Disable { userid: a, why }),
            3..10 => Verb::User(UserVerb::Enable {
                userid: disabled.map_or(a, |account| account.userid.clone()),
                why,
            }),
            10..13 => Verb::User(UserVerb::Rename {
                to: format!("{}r", a.chars().take(15).collect::<String>()),
                userid: a,
                why,
            }),
            13 => Verb::User(UserVerb::Erase {
                userid: a,
                sure: Sure::default(),
                why,
            }),
            14..17 => Verb::Board(BoardVerb::Void {
                board: board_args,
                why,
            }),
            17..20 => end(board_args, BoardResult::First, why),
            20..23 => end(board_args, BoardResult::Second, why),
            23..25 => end(board_args, BoardResult::Draw, why),
            25..28 => Verb::Board(BoardVerb::Undo {
                board: board_args,
                why,
            }),
            28..30 => Verb::Board(BoardVerb::Turn {
                turn: board.progress.position.random_turn(&mut self.rng).unwrap(),
                board: board_args,
                userid: mover.unwrap(),
                why,
            }),
            _ => Verb::Board(BoardVerb::Reseat {
                board: board_args,
                from: mover.unwrap(),
                to: b,
                why,
            }),
        };
        self.world.deliver().await;
        let announced = "The server moves to another machine.";
        let (done, rows) = self.world.operate(verb.clone(), announced).await;
        let (is_done, foreseen) = self.model.operate(&verb);
        let what = self.tally.operation(&verb, done.is_ok());
        assert_eq!(done.is_ok(), is_done, "{what}: {done:?}");
        check::rows(&foreseen, &rows, &what);
        self.tally.letters(&rows);
        self.forget_tokens().await;
    }

    /// Stops the server and starts it again: at once, or after days.
    async fn restart(&mut self) {
        let hours = *pick(&mut self.rng, &[0, 0, 1, 50]);
        self.world.restart(TimeDelta::hours(hours)).await;
        self.model.now += hours * HOUR;
        if hours > 0 {
            self.model.steady_since = self.model.now;
        }
        self.tally.restarts += 1;
        self.world.forget_old_texts().await;
        self.let_happen().await;
    }
}

/// Whether earlier tokens may be invalid after it.
const fn ends_tokens(deed: &Deed) -> bool {
    matches!(
        deed,
        Deed::ChangePassword(..)
            | Deed::ChangeAddress(..)
            | Deed::Remove(..)
            | Deed::Reset { .. }
            | Deed::Delete(_)
    )
}
