//! Simulated people, each with a temperament, who choose the next command. They see what is stored, and
//! make mistakes on purpose.

pub(crate) mod others;
mod playing;

use pbmserv_games::GAMES;
use pbmserv_mail::outbox::Identity;
use rand::RngExt;
use rand::rngs::ChaCha8Rng;

use crate::deed::{Act, At, Deed, What, Who};
use crate::mail::{Answer, Letter, Way};
use crate::post::{Mailbox, PostOffice, Token};
use crate::view::{Account, DAY, HOUR, View};
use crate::world::{DIRECTOR, SECRET};

/// A person.
#[derive(Debug)]
pub(crate) struct Person {
    /// The first address.
    pub(crate) home: String,
    /// The number of further addresses they have had.
    addresses: u32,
    /// The number of accounts and passwords they have had.
    tries: u32,
    /// Their account, or what they believe it is.
    pub(crate) account: Option<usize>,
    /// The hours between two readings of their mail.
    pace: f64,
    /// The rate of their mistakes.
    clumsy: f64,
    /// How often they write to others.
    chatty: f64,
    /// Whether they want plain text only; HTML takes most of the server's time.
    is_plain: bool,
    /// Whether mail to them bounces while they are away.
    bounces: bool,
    /// When they pause, or return.
    turns_at: i64,
    pub(crate) is_active: bool,
}

/// What a person looks at before writing.
pub(crate) struct Sight<'a> {
    pub(crate) view: &'a View,
    pub(crate) post: &'a PostOffice,
    pub(crate) identity: &'a Identity,
    pub(crate) rng: &'a mut ChaCha8Rng,
}

impl Sight<'_> {
    /// Whether a token for this account is still valid.
    fn holds(&self, account: usize, token: &Token) -> bool {
        token.delivered > self.view.accounts[account].tokens_since
    }
}

impl Person {
    pub(crate) fn new(number: usize, now: i64, rng: &mut ChaCha8Rng) -> Self {
        let pace = match rng.random_range(0..10) {
            0..2 => 18.0,
            2..7 => 72.0,
            _ => 280.0,
        };
        Self {
            home: format!("p{number}@home{}.example", number % 7),
            addresses: 0,
            tries: 0,
            account: None,
            pace,
            clumsy: if rng.random_bool(0.1) { 0.25 } else { 0.03 },
            chatty: if rng.random_bool(0.15) { 0.3 } else { 0.05 },
            is_plain: rng.random_bool(0.97),
            bounces: rng.random_bool(0.1),
            turns_at: now + rng.random_range(20..120) * DAY,
            is_active: true,
        }
    }

    /// When they next read their mail.
    pub(crate) fn next(&mut self, now: i64, rng: &mut ChaCha8Rng) -> i64 {
        if now >= self.turns_at {
            self.is_active = !self.is_active;
            let days = if self.is_active { 20..120 } else { 10..250 };
            self.turns_at = now + rng.random_range(days) * DAY;
        }
        if !self.is_active {
            return if self.bounces {
                now + 20 * HOUR
            } else {
                self.turns_at
            };
        }
        let hours = -self.pace * rng.random::<f64>().max(1e-4).ln();
        now + (hours as i64).max(1) * HOUR
    }

    fn new_password(&mut self) -> String {
        self.tries += 1;
        let user = self.home.split('@').next().unwrap().len();
        format!(
            "{SECRET}{}-{:04}",
            self.tries,
            (self.tries as usize * 7919 + user * 104_729) % 10_000
        )
    }

    fn new_address(&mut self) -> String {
        self.addresses += 1;
        self.home.replacen('@', &format!("-{}@", self.addresses), 1)
    }

    /// What they write now.
    pub(crate) fn write(&mut self, sight: &mut Sight<'_>) -> Vec<Letter> {
        let number = self
            .account
            .filter(|account| !sight.view.accounts[*account].is_deleted());
        let mailbox = sight.post.mailbox(&self.home);
        if !self.is_active {
            return self.bounce(sight, &mailbox);
        }
        let Some(number) = number else {
            return vec![self.sign_up(sight)];
        };
        let account = &sight.view.accounts[number];
        let from = self.from(account, sight.rng);
        let one = |way| vec![Letter::new(&from, way)];
        // Most questions are answered by their recipient.
        for own in account.confirmed(false) {
            if let Some(question) = sight.post.mailbox(&own).question
                && sight.rng.random_bool(0.8)
            {
                let answer = Answer {
                    token: Some(question),
                    bearer: Some(number),
                    words: "confirm",
                    ..Answer::default()
                };
                return vec![Letter::new(&own, Way::Answer(answer))];
            }
        }
        if sight.rng.random_bool(0.01) {
            return one(match sight.rng.random_range(0..3) {
                0 => Way::Automatic,
                1 => Way::Prose,
                _ => Way::Subject(Deed::open(garbled(sight.rng))),
            });
        }
        let who = Who {
            userid: account.userid().to_owned(),
            password: account.password.clone(),
        };
        if account.confirmed(true).is_empty() || account.is_away() {
            let is_back = sight.rng.random_bool(0.3);
            let deed = if is_back {
                Deed::by(&who, format!("signup {}", who.words()))
            } else {
                self.other(sight, number, &who)
            };
            return one(Way::Subject(deed));
        }
        if account.wants("html") && self.is_plain {
            let words = if sight.rng.random_bool(0.5) {
                "text"
            } else {
                "text width 60"
            };
            return one(Way::Subject(Deed::by(
                &who,
                format!("set {} {words}", who.words()),
            )));
        }
        if account.is_disabled() && sight.rng.random_bool(0.9) {
            return Vec::new();
        }
        if account.userid() == DIRECTOR && sight.rng.random_bool(0.1) {
            let saying = "The tournament begins in May.".into();
            return vec![Letter {
                from,
                way: Way::Subject(Deed::by(&who, format!("broadcast {}", who.words()))),
                saying,
            }];
        }
        if sight.rng.random_bool(0.002) {
            return self.flood(sight, number, &who, &from);
        }
        let mut letters = self.play(sight, number, &who, &from);
        if letters.is_empty() || sight.rng.random_bool(0.2) {
            let deed = match self.wants_board(sight, number) {
                true => self.challenge(sight, number),
                false => {
                    let who = self.misspelt(sight, who.clone());
                    self.other(sight, number, &who)
                }
            };
            let saying = self.saying(sight, &deed);
            let way = self.way(sight, deed, number, &who);
            letters.push(Letter { from, way, saying });
        }
        if sight.rng.random_bool(0.02) {
            let from = letters.last().unwrap().from.clone();
            letters.push(Letter::new(&from, Way::Again));
        }
        letters
    }

    /// One command is the subject, or part of a list.
    fn way(&mut self, sight: &mut Sight<'_>, deed: Deed, number: usize, who: &Who) -> Way {
        // Two new password hashes in one mail are covered by another test.
        let alone = ["delete", "change password", "reset", "signup"];
        if deed.begins(&alone) || sight.rng.random_bool(0.9) {
            if sight.rng.random_bool(0.02)
                && let Some(way) = playing::leave(sight, &self.home)
            {
                return way;
            }
            return playing::invited(sight, &self.home, number, &deed).unwrap_or(Way::Subject(deed));
        }
        let mut deeds = vec![Deed::open("list"), deed];
        if sight.rng.random_bool(0.5) {
            let more = self.other(sight, number, who);
            if !more.begins(&alone) {
                deeds.push(more);
            }
        }
        Way::Batch(deeds)
    }

    /// Mostly one of their addresses; sometimes a friend's.
    fn from(&self, account: &Account, rng: &mut ChaCha8Rng) -> String {
        let own = account.confirmed(true);
        match own.as_slice() {
            _ if rng.random_bool(0.01) => self.home.replace("@home", "@work"),
            [] => self.home.clone(),
            own => pick(rng, own).clone(),
        }
    }

    fn bounce(&self, sight: &Sight<'_>, mailbox: &Mailbox) -> Vec<Letter> {
        let Some(newest) = mailbox.newest.filter(|_| self.bounces) else {
            return Vec::new();
        };
        vec![Letter::new(
            &self.home,
            Way::Bounce(sight.identity.envelope_sender(newest)),
        )]
    }

    fn sign_up(&mut self, sight: &mut Sight<'_>) -> Letter {
        let name = self.home.split('@').next().unwrap().to_owned();
        let letters = ["", "a", "b", "c", "d", "e", "f", "g"];
        let mut who = Who {
            userid: format!("{name}{}", letters[self.tries as usize % letters.len()]),
            password: self.new_password(),
        };
        if sight.rng.random_bool(self.clumsy) {
            match sight.rng.random_range(0..4) {
                0 => who.password = "short".into(),
                1 => who.userid = "x".into(),
                2 => who.userid = "server".into(),
                _ => {
                    if let Some(other) = someone(sight) {
                        who.userid = other;
                    }
                }
            }
        }
        Letter::new(
            &self.home,
            Way::Subject(Deed::by(&who, format!("signup {}", who.words()))),
        )
    }

    /// The claimed identity, which is sometimes wrong.
    fn misspelt(&self, sight: &mut Sight<'_>, mut who: Who) -> Who {
        if sight.rng.random_bool(self.clumsy / 2.0) {
            match sight.rng.random_range(0..4) {
                0 => who.userid = format!("nobody{}", sight.rng.random_range(0..1000)),
                _ => who.password.push('x'),
            }
        }
        who
    }

    fn saying(&self, sight: &mut Sight<'_>, deed: &Deed) -> String {
        let needs = matches!(deed.what, What::Say(_) | What::On(_, Act::Chat));
        let says = if needs { 0.95 } else { self.chatty };
        if sight.rng.random_bool(says) {
            "Good luck, and a nice weekend.".into()
        } else {
            String::new()
        }
    }
}

/// A userid, mostly an existing one.
fn someone(sight: &mut Sight<'_>) -> Option<String> {
    if sight.rng.random_bool(0.02) {
        return Some("nobody".into());
    }
    for _ in 0..20 {
        let place = sight.rng.random_range(0..sight.view.accounts.len().max(1));
        let account = sight.view.accounts.get(place)?;
        // Most challenges go to active players.
        let is_busy = !account.running.is_empty() || sight.rng.random_bool(0.3);
        if !account.is_deleted() && is_busy {
            return Some(account.userid().to_owned());
        }
    }
    None
}

/// A board, most often a new one; sometimes the number does not exist.
fn any_board(sight: &mut Sight<'_>) -> At {
    let game = sight.rng.random_range(0..GAMES.len());
    let next = sight.view.next_number(game);
    let oldest = next.saturating_sub(300).max(101);
    let number = if sight.rng.random_bool(0.03) {
        90_000
    } else {
        sight.rng.random_range(oldest..=next)
    };
    At { game, number }
}

fn garbled(rng: &mut ChaCha8Rng) -> &'static str {
    let lines = [
        "Pow2 mvve 101",
        "Pow3",
        "signup",
        "Forms challenge alice",
        "hlep",
        "Pow2 move 101 alice",
    ];
    lines[rng.random_range(0..lines.len())]
}

pub(crate) fn pick<'a, T>(rng: &mut ChaCha8Rng, of: &'a [T]) -> &'a T {
    &of[rng.random_range(0..of.len())]
}
