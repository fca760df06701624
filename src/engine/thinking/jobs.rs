//! What waits to be thought about, and in which order.
//!
//! Each player is served with one position at a time. First comes whose last minutes have taken the least of the processors,
//! with what the position will probably take: so a cheap position comes before dear ones, and nobody waits for all boards of
//! another one. Young accounts with addresses at one domain count as one player: a stranger makes as many as wanted.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};
use pbmserv_games::bots::Level;

use pbmserv_core::store::{self, Advice, AdviceKind, Reader, ThoughtPosition, WaitingBoard};
use pbmserv_core::table::PlayerId;
use pbmserv_mail::organisation;

use crate::engine::attempts::Noted;
use crate::engine::meters::ThoughtKind;

/// The most boards and the most questions among which the next is chosen.
const MAX_WAITING: u32 = 1000;

/// The most players of whom it is remembered what they have taken.
const MAX_SERVED: usize = 10_000;

/// After this time half of what a player has taken is forgotten.
const HALF_LIFE: Duration = Duration::from_secs(10 * 60);

/// One position of five is the one that has waited longest. Where something cheap always waits, a player with a dear position would
/// otherwise wait without an end.
const OLDEST_OF: u64 = 5;

/// Until then an account is young.
const YOUNG: TimeDelta = TimeDelta::days(7);

/// For whom the gazette is searched for.
const NOBODY: PlayerId = PlayerId(0);

/// Something to think about, for a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Job {
    Turn(WaitingBoard),
    Advice(Advice),
    /// What the issue of this number is made of; it is wanted since then. It is for nobody, and comes after all others.
    Gazette(i64, DateTime<Utc>),
}

impl Job {
    pub(super) const fn player(&self) -> PlayerId {
        match self {
            Self::Turn(board) => board.player,
            Self::Advice(advice) => advice.player,
            Self::Gazette(..) => NOBODY,
        }
    }

    pub(super) const fn since(&self) -> DateTime<Utc> {
        match self {
            Self::Turn(board) => board.since,
            Self::Advice(advice) => advice.asked_at,
            Self::Gazette(_, since) => *since,
        }
    }

    /// What is thought about, as the database knows it.
    pub(super) const fn noted(&self) -> Noted {
        let (board, event) = match self {
            Self::Turn(board) => (board.board, board.event),
            Self::Advice(advice) => (advice.board, advice.event),
            Self::Gazette(number, _) => return Noted::Gazette(*number),
        };
        Noted::Board(ThoughtPosition { board, event })
    }

    /// What it will probably take of a processor; `docs/bots.md` has what was measured.
    fn expected(&self) -> Duration {
        let level = match self {
            Self::Turn(board) => board.computer.computer().map(|computer| computer.level),
            Self::Advice(advice) if advice.kind == AdviceKind::Review => return Duration::from_secs(5),
            Self::Advice(_) => Some(Level::Hard),
            Self::Gazette(..) => return Duration::from_secs(30),
        };
        Duration::from_millis(match level {
            Some(Level::Easy) => 20,
            Some(Level::Medium) => 200,
            Some(Level::Hard) | None => 1200,
        })
    }

    /// What is asked.
    pub(super) const fn kind(&self) -> ThoughtKind {
        match self {
            Self::Turn(_) => ThoughtKind::Turn,
            Self::Advice(advice) => ThoughtKind::Advice(advice.kind),
            Self::Gazette(..) => ThoughtKind::Gazette,
        }
    }
}

/// All that waits, and which of its players count together.
#[derive(Clone, Debug, Default)]
pub(super) struct WaitingJobs {
    jobs: Vec<Job>,
    /// The domain of each young account.
    young: HashMap<PlayerId, String>,
}

impl WaitingJobs {
    /// Reads it.
    ///
    /// # Errors
    /// The database cannot be read.
    pub(super) fn read(reader: &Reader, now: DateTime<Utc>) -> store::Result<Self> {
        let boards = reader.waiting_for_computers(MAX_WAITING)?;
        let young = match boards.as_slice() {
            // Who waits alone comes first in any case.
            [] | [_] => Vec::new(),
            _ => reader.young_among_waiting(now - YOUNG, MAX_WAITING)?,
        };
        let advice = reader.advice(MAX_WAITING)?;
        let gazette = reader.sought_gazette()?;
        let gazette = gazette.map(|(number, since)| Job::Gazette(number, since));
        let boards = boards.into_iter().map(Job::Turn);
        let domain = |address: &str| {
            let domain = address.rsplit('@').next().unwrap_or_default();
            organisation(domain).unwrap_or(domain).to_owned()
        };
        Ok(Self {
            jobs: boards
                .chain(advice.into_iter().map(Job::Advice))
                .chain(gazette)
                .collect(),
            young: young
                .iter()
                .map(|(player, address)| (*player, domain(address)))
                .collect(),
        })
    }

    /// Leaves out what is not to be thought about.
    pub(super) fn retain(&mut self, is_kept: impl Fn(&Job) -> bool) {
        self.jobs.retain(is_kept);
    }

    fn group(&self, player: PlayerId) -> Group {
        match self.young.get(&player) {
            Some(domain) => Group::Domain(domain.clone()),
            None => Group::Player(player),
        }
    }
}

/// Who shares the processors with others as one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Group {
    Player(PlayerId),
    /// All young accounts there.
    Domain(String),
}

/// What somebody has taken of the processors, of which half is forgotten after [`HALF_LIFE`].
#[derive(Clone, Copy, Debug)]
struct Taken {
    seconds: f64,
    at: Instant,
}

impl Taken {
    fn now(self, now: Instant) -> f64 {
        let halves = now.saturating_duration_since(self.at).as_secs_f64() / HALF_LIFE.as_secs_f64();
        self.seconds * (-halves).exp2()
    }
}

/// By what the next position is chosen, the least first.
struct Rank {
    group: Group,
    /// Others come before a second position of one group; alone it may have all threads.
    is_busy: bool,
    of_group: f64,
    of_player: f64,
}

/// A position that is thought about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Chosen {
    pub job: Job,
    group: Group,
}

/// What each has taken, and who is served now.
#[derive(Default)]
pub(super) struct FairQueue {
    busy: Vec<Chosen>,
    taken: HashMap<Group, Taken>,
    /// How many positions were chosen.
    choices: u64,
}

impl FairQueue {
    /// The next position, of those whose player is not served now. What it will probably take is charged at once.
    pub(super) fn choose(&mut self, waiting: &WaitingJobs, now: Instant) -> Option<Chosen> {
        let is_busy = |player: PlayerId| self.busy.iter().any(|busy| busy.job.player() == player);
        let free = waiting.jobs.iter().filter(|job| !is_busy(job.player()));
        let is_by_age = (self.choices + 1).is_multiple_of(OLDEST_OF);
        let ranked = free.map(|job| (self.rank(waiting.group(job.player()), job, now), job));
        let (rank, job) = ranked.min_by(|(one, job), (other, next)| {
            let by_group = one
                .is_busy
                .cmp(&other.is_busy)
                .then(one.of_group.total_cmp(&other.of_group));
            let by_player = one.of_player.total_cmp(&other.of_player);
            let by_age = job.since().cmp(&next.since());
            match is_by_age {
                true => by_age,
                false => by_group.then(by_player).then(by_age),
            }
        })?;
        self.choices += 1;
        let chosen = Chosen {
            job: *job,
            group: rank.group,
        };
        self.busy.push(chosen.clone());
        self.charge(&chosen, job.expected().as_secs_f64(), now);
        Some(chosen)
    }

    fn rank(&self, group: Group, job: &Job, now: Instant) -> Rank {
        let expected = job.expected().as_secs_f64();
        Rank {
            is_busy: self.busy.iter().any(|busy| busy.group == group),
            of_group: self.taken(&group, now) + expected,
            of_player: self.taken(&Group::Player(job.player()), now) + expected,
            group,
        }
    }

    /// A position is done, and has taken this much.
    pub(super) fn done(&mut self, chosen: &Chosen, taken: Duration, now: Instant) {
        self.busy.retain(|busy| busy != chosen);
        let more = taken.as_secs_f64() - chosen.job.expected().as_secs_f64();
        self.charge(chosen, more, now);
    }

    fn taken(&self, group: &Group, now: Instant) -> f64 {
        self.taken.get(group).map_or(0.0, |taken| taken.now(now))
    }

    fn charge(&mut self, chosen: &Chosen, seconds: f64, now: Instant) {
        if self.taken.len() >= MAX_SERVED {
            // A player who has taken little counts as new.
            self.taken.retain(|_, taken| taken.now(now) > 0.1);
        }
        if self.taken.len() >= MAX_SERVED {
            self.taken.clear();
        }
        let own = Group::Player(chosen.job.player());
        let groups = match own == chosen.group {
            true => vec![own],
            false => vec![own, chosen.group.clone()],
        };
        for group in groups {
            let before = self.taken(&group, now);
            let seconds = (before + seconds).max(0.0);
            self.taken.insert(group, Taken { seconds, at: now });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pbmserv_core::table::{BoardId, COMPUTERS};

    fn board_of(job: &Job) -> i64 {
        match job.noted() {
            Noted::Board(position) => position.board.0,
            other => panic!("{other:?}"),
        }
    }

    fn job(board: i64, player: i64, level: Level) -> Job {
        let mut computers = COMPUTERS.iter();
        let computer = computers.find(|computer| computer.level == level).unwrap();
        Job::Turn(WaitingBoard {
            board: BoardId(board),
            computer: computer.id,
            player: PlayerId(player),
            since: DateTime::from_timestamp(board, 0).unwrap(),
            event: 1,
        })
    }

    fn waiting(jobs: &[Job]) -> WaitingJobs {
        WaitingJobs {
            jobs: jobs.to_vec(),
            young: HashMap::new(),
        }
    }

    /// The boards in the order in which one thread serves them, if each takes what is expected.
    fn order(queue: &mut FairQueue, mut waiting: WaitingJobs, now: Instant) -> Vec<i64> {
        let mut order = Vec::new();
        while let Some(chosen) = queue.choose(&waiting, now) {
            order.push(board_of(&chosen.job));
            queue.done(&chosen, chosen.job.expected(), now);
            waiting.retain(|job| *job != chosen.job);
        }
        order
    }

    #[test]
    fn players_are_served_in_turn_each_with_one_board_at_a_time() {
        let now = Instant::now();
        let mut jobs: Vec<_> = (1..=3).map(|board| job(board, 1, Level::Hard)).collect();
        jobs.push(job(4, 2, Level::Hard));
        let mut queue = FairQueue::default();
        let first = queue.choose(&waiting(&jobs), now).unwrap();
        assert_eq!(first.job, jobs[0]);
        assert_eq!(queue.choose(&waiting(&jobs), now).unwrap().job, jobs[3]);
        assert_eq!(queue.choose(&waiting(&jobs), now), None);
        queue.done(&first, first.job.expected(), now);
        assert_eq!(queue.choose(&waiting(&jobs[1..]), now).unwrap().job, jobs[1]);
    }

    #[test]
    fn a_cheap_position_comes_before_dear_ones_and_a_modest_player_before_others() {
        let now = Instant::now();
        let jobs = [
            job(1, 1, Level::Hard),
            job(2, 1, Level::Hard),
            job(3, 2, Level::Medium),
            job(4, 3, Level::Easy),
            job(5, 3, Level::Easy),
        ];
        let mut queue = FairQueue::default();
        assert_eq!(order(&mut queue, waiting(&jobs), now), [4, 5, 3, 1, 2]);
        // Now the second player has taken less than the first one.
        let jobs = [job(6, 1, Level::Hard), job(7, 2, Level::Hard)];
        assert_eq!(order(&mut queue, waiting(&jobs), now), [7, 6]);
        // After an hour that is nearly forgotten.
        let jobs = [job(8, 1, Level::Medium), job(9, 2, Level::Hard)];
        assert_eq!(order(&mut queue, waiting(&jobs), now + 6 * HALF_LIFE), [8, 9]);
    }

    #[test]
    fn a_dear_position_is_not_left_because_cheap_ones_always_wait() {
        let now = Instant::now();
        let mut queue = FairQueue::default();
        let dear = job(1, 1, Level::Hard);
        let chosen = queue.choose(&waiting(&[dear]), now).unwrap();
        queue.done(&chosen, Duration::from_secs(60), now);
        let served = (2..).find(|board| {
            let jobs = [dear, job(*board, *board, Level::Easy)];
            let chosen = queue.choose(&waiting(&jobs), now).unwrap();
            queue.done(&chosen, Duration::ZERO, now);
            chosen.job == dear
        });
        assert_eq!(served, Some(OLDEST_OF as i64));
    }

    #[test]
    fn young_accounts_of_one_domain_count_as_one() {
        let now = Instant::now();
        let strangers: Vec<_> = (1..=90)
            .map(|board| job(board, 100 + board % 30, Level::Hard))
            .collect();
        let mut all = WaitingJobs {
            jobs: strangers,
            young: (0..30)
                .map(|player| (PlayerId(100 + player), "evil.example".to_owned()))
                .collect(),
        };
        let mut queue = FairQueue::default();
        let first = queue.choose(&all, now).unwrap();
        // Nobody else waits, so another one of them may have a thread that is free.
        let second = queue.choose(&all, now).unwrap();
        assert_ne!(second.job.player(), first.job.player());
        queue.done(&second, second.job.expected(), now);
        all.jobs.push(job(91, 1, Level::Easy));
        all.jobs.push(job(92, 2, Level::Hard));
        assert_eq!(board_of(&queue.choose(&all, now).unwrap().job), 91);
        queue.done(&first, first.job.expected(), now);
        assert_eq!(board_of(&queue.choose(&all, now).unwrap().job), 92);
    }

    #[test]
    fn what_is_remembered_of_players_is_bounded() {
        let now = Instant::now();
        let mut queue = FairQueue::default();
        for player in 0..3 * MAX_SERVED as i64 {
            let chosen = queue
                .choose(&waiting(&[job(1, player, Level::Hard)]), now)
                .unwrap();
            queue.done(&chosen, Duration::from_secs(2), now);
        }
        assert!(queue.taken.len() <= MAX_SERVED);
    }
}
