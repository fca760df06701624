//! People with their temperaments: who does what next. They know what the model knows, and err on purpose.

use pbmserv::games::{GAMES, Seat};
use pbmserv::outbox::House;
use pbmserv::table::Unasked;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::mail::{Act, At, Deed, Letter, Reply, Watched, Way, Who, Wish};
use crate::model::{Account, Board, DAY, HOUR, Model};
use crate::world::{Mailbox, PostOffice, SECRET, Token};

/// Somebody who plays.
#[derive(Debug)]
pub(crate) struct Person {
    /// The first address.
    pub(crate) home: String,
    /// How many more addresses they have had.
    addresses: u32,
    /// How many accounts and passwords they have had.
    tries: u32,
    /// The account that they have, or think they have.
    pub(crate) account: Option<usize>,
    /// How long they wait between two looks at their mail, in hours.
    pace: f64,
    /// How often they err.
    clumsy: f64,
    /// How much they write to others.
    chatty: f64,
    /// Whether they want no HTML, which costs the server most of its time.
    is_plain: bool,
    /// Whether mail to them comes back while they are away.
    bounces: bool,
    /// When they stop playing for a while, or begin again.
    turns_at: i64,
    pub(crate) is_active: bool,
}

/// What a person looks at before they write.
pub(crate) struct Sight<'a> {
    pub(crate) model: &'a Model,
    pub(crate) post: &'a PostOffice,
    pub(crate) house: &'a House,
    pub(crate) rng: &'a mut ChaCha8Rng,
    /// Since which delivery the tokens of each account are good.
    pub(crate) tokens_since: &'a [u64],
}

/// Options of each game; the last ones cannot be.
const OPTIONS: [&[&str]; 4] = [
    &["", "-exact", "-noborder", "-fast", "-middle", "-fast -middle"],
    &["-size=6", "-size=8", "-size=6 -standard", "-nonsense"],
    &["-size=12 -target=4", "-size=12 -target=4", "-size=13 -target=5"],
    &[""],
];

/// The server's options.
const TERMS: [&str; 8] = [
    "",
    "",
    "",
    "--unrated",
    "--nagtime=3 --forfeittime=9",
    "--totaltime=60",
    "--totaltime=15 --forfeittime=10",
    "--nagtime=soon",
];

impl Person {
    pub(crate) fn new(number: usize, now: i64, rng: &mut ChaCha8Rng) -> Self {
        let pace = match rng.random_range(0..10) {
            0..2 => 9.0,
            2..7 => 48.0,
            _ => 140.0,
        };
        Self {
            home: format!("p{number}@home{}.example", number % 7),
            addresses: 0,
            tries: 0,
            account: None,
            pace,
            clumsy: if rng.random_bool(0.1) { 0.25 } else { 0.03 },
            chatty: if rng.random_bool(0.15) { 0.3 } else { 0.05 },
            is_plain: rng.random_bool(0.85),
            bounces: rng.random_bool(0.1),
            turns_at: now + rng.random_range(20..120) * DAY,
            is_active: true,
        }
    }

    /// When they look at their mail next.
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
            "{SECRET}-{}-{:04}",
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
            .filter(|account| !sight.model.accounts[*account].deleted);
        let mailbox = sight.post.mailbox(&self.home);
        if !self.is_active {
            return self.bounce(sight, &mailbox);
        }
        let Some(number) = number else {
            return vec![self.sign_up(sight)];
        };
        let account = &sight.model.accounts[number];
        let from = self.from(account, sight.rng);
        let one = |way| {
            vec![Letter {
                from: from.clone(),
                way,
                saying: String::new(),
            }]
        };
        // Questions are answered by those who were asked, mostly.
        for own in account.addresses.iter().filter(|own| !own.confirmed) {
            if let Some(question) = sight.post.mailbox(&own.text).question
                && sight.rng.random_bool(0.8)
            {
                return vec![Letter {
                    from: own.text.clone(),
                    way: Way::Confirm(question),
                    saying: String::new(),
                }];
            }
        }
        if sight.rng.random_bool(0.01) {
            return one(match sight.rng.random_range(0..3) {
                0 => Way::Automatic,
                1 => Way::Prose,
                _ => Way::Subject(Deed::Garbled(garbled(sight.rng).to_owned())),
            });
        }
        let who = Who {
            userid: account.userid.clone(),
            password: account.password.clone(),
        };
        if !account.is_confirmed() || account.away {
            let is_back = sight.rng.random_bool(0.3);
            let deed = if is_back {
                Deed::Signup(who, None)
            } else {
                self.other(sight, number, who)
            };
            return one(Way::Subject(deed));
        }
        if account.wants.html && self.is_plain {
            let words = if sight.rng.random_bool(0.5) {
                "text"
            } else {
                "text width 60"
            }
            .to_owned();
            return one(Way::Subject(Deed::Set {
                who,
                game: None,
                words,
            }));
        }
        if account.disabled && sight.rng.random_bool(0.9) {
            return Vec::new();
        }
        if account.userid == sight.model.director && sight.rng.random_bool(0.02) {
            let saying = "The tournament begins in May.".into();
            return vec![Letter {
                from,
                way: Way::Subject(Deed::Broadcast(who)),
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
                    self.other(sight, number, who)
                }
            };
            let saying = self.saying(sight, &deed);
            let way = self.way(sight, deed, number, &who);
            letters.push(Letter { from, way, saying });
        }
        if sight.rng.random_bool(0.02) {
            let from = letters.last().unwrap().from.clone();
            letters.push(Letter {
                from,
                way: Way::Again,
                saying: String::new(),
            });
        }
        letters
    }

    /// One command is the subject, or stands in a list with another.
    fn way(&mut self, sight: &mut Sight<'_>, deed: Deed, number: usize, who: &Who) -> Way {
        let ends = matches!(
            deed,
            Deed::Delete(_) | Deed::ChangePassword(..) | Deed::Reset { .. } | Deed::Signup(..)
        );
        if ends || matches!(deed, Deed::Garbled(_)) || sight.rng.random_bool(0.9) {
            if sight.rng.random_bool(0.02)
                && let Some(way) = leave(sight, &self.home)
            {
                return way;
            }
            return Way::Subject(deed);
        }
        let mut deeds = vec![Deed::List(None), deed];
        if sight.rng.random_bool(0.5) {
            let more = self.other(sight, number, who.clone());
            // Hashes of two new passwords in one mail are for another test.
            if !matches!(
                more,
                Deed::Delete(_) | Deed::ChangePassword(..) | Deed::Reset { .. } | Deed::Signup(..)
            ) {
                deeds.push(more);
            }
        }
        Way::Batch(deeds)
    }

    /// Mostly one of the own addresses; sometimes a friend's machine.
    fn from(&self, account: &Account, rng: &mut ChaCha8Rng) -> String {
        let own = account
            .addresses
            .iter()
            .filter(|own| own.confirmed)
            .map(|own| own.text.clone());
        let own: Vec<_> = own.collect();
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
        vec![Letter {
            from: self.home.clone(),
            way: Way::Bounce(newest, sight.house.envelope_sender(newest)),
            saying: String::new(),
        }]
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
        Letter {
            from: self.home.clone(),
            way: Way::Subject(Deed::Signup(who, None)),
            saying: String::new(),
        }
    }

    /// Who somebody says they are, and sometimes it is wrong.
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
        let needs = matches!(
            deed,
            Deed::Message(..) | Deed::Broadcast(_) | Deed::On(_, _, Act::Chat)
        );
        let says = if needs { 0.95 } else { self.chatty };
        if sight.rng.random_bool(says) {
            "Good luck, and a nice weekend.".into()
        } else {
            String::new()
        }
    }

    /// What is to be done on the boards that wait, a few of them.
    fn play(&mut self, sight: &mut Sight<'_>, number: usize, who: &Who, from: &str) -> Vec<Letter> {
        let boards = sight.model.accounts[number].running.clone();
        let mut deeds = Vec::new();
        for board in boards.into_iter().take(4) {
            let board = &sight.model.boards[board];
            let seat = board.seat_of(number).unwrap();
            let act = if board.to_move() == Some(seat) {
                turn(board, seat, sight.rng)
            } else {
                waiting(board, seat, self.chatty, sight.rng)
            };
            if let Some(act) = act {
                deeds.push(Deed::On(board.at, self.misspelt(sight, who.clone()), act));
            }
        }
        if sight.rng.random_bool(self.clumsy / 4.0) {
            deeds.push(Deed::On(any_board(sight), who.clone(), Act::Move("a1-b1".into())));
        }
        let mailbox = sight.post.mailbox(from);
        if deeds.len() > 1 && sight.rng.random_bool(0.3) {
            let saying = "Greetings from the train.".into();
            return vec![Letter {
                from: from.to_owned(),
                way: Way::Batch(deeds),
                saying,
            }];
        }
        let letter = |deed: Deed| {
            let saying = self.saying(sight, &deed);
            let way = reply(sight, &mailbox, number, &deed).unwrap_or(Way::Subject(deed));
            Letter {
                from: from.to_owned(),
                way,
                saying,
            }
        };
        deeds.into_iter().map(letter).collect()
    }

    fn wants_board(&self, sight: &mut Sight<'_>, number: usize) -> bool {
        sight.model.accounts[number].running.len() < 3 && sight.rng.random_bool(0.6)
    }

    fn challenge(&mut self, sight: &mut Sight<'_>, number: usize) -> Deed {
        let own = sight.model.accounts[number].userid.clone();
        let other = someone(sight).unwrap_or_else(|| own.clone());
        let game = sight.rng.random_range(0..GAMES.len());
        let mut players = if sight.rng.random_bool(0.5) {
            [own, other]
        } else {
            [other, own]
        };
        if sight.rng.random_bool(0.02) {
            players[0] = someone(sight).unwrap();
        }
        Deed::Challenge {
            game,
            players,
            options: options(game, sight.rng),
        }
    }

    /// Something else.
    fn other(&mut self, sight: &mut Sight<'_>, number: usize, who: Who) -> Deed {
        let game = sight.rng.random_range(0..GAMES.len());
        let account = &sight.model.accounts[number];
        let other = someone(sight).unwrap_or_else(|| "nobody".into());
        let at = any_board(sight);
        let watched = if sight.rng.random_bool(0.1) {
            Watched::Game(game)
        } else {
            Watched::Board(at)
        };
        let odd = sight.rng.random_bool(0.05);
        match sight.rng.random_range(0..100) {
            0..3 => Deed::Help(
                ["commands", "tutorial", "ratings", "mail", "clocks", "Pow2", ""]
                    [sight.rng.random_range(0..7)],
            ),
            3..5 => {
                let address = if odd {
                    self.home.clone()
                } else {
                    self.new_address()
                };
                Deed::Add(who, address)
            }
            5..7 => {
                let own = account
                    .addresses
                    .iter()
                    .map(|own| own.text.clone())
                    .collect::<Vec<_>>();
                Deed::Remove(
                    who,
                    if odd || own.is_empty() {
                        "x@home.example".into()
                    } else {
                        pick(sight.rng, &own).clone()
                    },
                )
            }
            7..9 => {
                let new = if odd {
                    who.password.clone()
                } else {
                    self.new_password()
                };
                Deed::ChangePassword(who, new)
            }
            9 => {
                let address = if account.addresses.len() < 5 {
                    self.new_address()
                } else {
                    self.home.clone()
                };
                Deed::ChangeAddress(who, address)
            }
            10..12 => Deed::Forgot(if odd {
                format!("nobody{number}")
            } else {
                who.userid
            }),
            12..15 => match self.reset(sight, number) {
                Some(deed) => deed,
                None => Deed::Forgot(who.userid),
            },
            15..17 => Deed::Block(who, if odd { account.userid.clone() } else { other }),
            17..20 => {
                let blocked = account
                    .blocks
                    .iter()
                    .map(|other| sight.model.accounts[*other].userid.clone());
                let blocked = blocked.filter(|userid| !userid.is_empty()).min();
                Deed::Unblock(who, blocked.unwrap_or(other))
            }
            20..25 => Deed::Message(who, vec![other]),
            25 => Deed::Broadcast(who),
            26..31 => Deed::Vacation(
                who,
                match sight.rng.random_range(0..8) {
                    0 => Wish::Tell,
                    1 => Wish::Off,
                    _ => Wish::Days(sight.rng.random_range(2..if odd { 60 } else { 16 })),
                },
            ),
            31 => Deed::Signoff(who),
            32 if sight.rng.random_bool(0.4) && number > 0 => Deed::Delete(who),
            32..46 => {
                let words = [
                    "text",
                    "picture off",
                    "text width 60",
                    "reminders off",
                    "digest on",
                    "html picture on",
                    "broadcasts off",
                    "digest off",
                    "reminders on large",
                    "",
                    "shiny",
                    "digest perhaps",
                    "small",
                    "text",
                    "picture off",
                ];
                let words = (*pick(sight.rng, &words)).to_owned();
                let game = (["small", "large"].contains(&words.as_str()) || odd).then_some(game);
                Deed::Set { who, game, words }
            }
            46..48 => Deed::List((game > 1).then_some(game)),
            48..50 => Deed::All {
                shows: game > 1,
                userid: other,
                selector: ["", "next", "all", "inactive"][game],
            },
            50..56 => Deed::Seek {
                game,
                who,
                count: sight.rng.random_range(0..4),
                options: options(game, sight.rng),
            },
            56..59 => Deed::Accept(game, who),
            59..61 => Deed::Reject(game, who),
            61..64 => Deed::Limit(
                game,
                who,
                ["", "none", "2", "5", "20", "many"][sight.rng.random_range(0..6)].into(),
            ),
            64..67 => preview(sight, game, at),
            67..69 => Deed::Show(at),
            69..71 => Deed::ShowAs(at, who),
            71..73 => Deed::Games(game, if odd { "all".into() } else { other }),
            73..75 => Deed::History(
                game,
                if odd {
                    vec![other.clone(), other]
                } else {
                    vec![other, account.userid.clone()]
                },
            ),
            75..78 => Deed::Record(at),
            78 => Deed::Standings(game),
            79..88 => Deed::Subscribe(watched, who),
            88..93 => {
                let own = account
                    .watches
                    .keys()
                    .min()
                    .map(|board| Watched::Board(sight.model.boards[*board].at));
                Deed::Unsubscribe(own.filter(|_| !odd).unwrap_or(watched), who)
            }
            93..97 => Deed::Notify(watched, who),
            97 => Deed::On(at, who, Act::Chat),
            98 => Deed::On(at, who, Act::Resign),
            _ => Deed::On(at, who, Act::Move("accept".into())),
        }
    }

    /// The same again and again, until there is enough of it.
    fn flood(&mut self, sight: &mut Sight<'_>, number: usize, who: &Who, from: &str) -> Vec<Letter> {
        let other = someone(sight).unwrap_or_default();
        let account = &sight.model.accounts[number];
        let (times, deed) = match sight.rng.random_range(0..6) {
            0 => {
                let guess = Who {
                    password: format!("{SECRET}-guess"),
                    ..who.clone()
                };
                (
                    7,
                    Deed::Set {
                        who: guess,
                        game: None,
                        words: String::new(),
                    },
                )
            }
            1 => (12, Deed::Forgot("nobody".into())),
            2 => (5, Deed::Add(who.clone(), self.new_address())),
            3 => (52, Deed::Message(who.clone(), vec![other])),
            4 => (
                32,
                Deed::Challenge {
                    game: 1,
                    players: [who.userid.clone(), other],
                    options: "-size=4".into(),
                },
            ),
            _ => match account.running.first() {
                Some(board) => (
                    52,
                    Deed::On(sight.model.boards[*board].at, who.clone(), Act::Chat),
                ),
                None => (2, Deed::Signoff(who.clone())),
            },
        };
        let letter = Letter {
            from: from.to_owned(),
            way: Way::Subject(deed),
            saying: "Once more.".into(),
        };
        vec![letter; times]
    }

    /// Another password by a token: a good one, an old one, or one of another account.
    fn reset(&mut self, sight: &Sight<'_>, number: usize) -> Option<Deed> {
        let Token { text, delivered, at } = sight.post.mailbox(&self.home).reset?;
        let account = &sight.model.accounts[number];
        let is_own = account.addresses.iter().any(|own| own.text == self.home);
        let is_good = is_own && delivered > sight.tokens_since[number] && sight.model.now < at + DAY;
        let is_certain = is_good || delivered <= sight.tokens_since[number] || sight.model.now > at + 2 * DAY;
        is_certain.then(|| Deed::Reset {
            userid: account.userid.clone(),
            token: text,
            new: self.new_password(),
            is_good,
        })
    }
}

/// An answer to the newest mail of the deed's board, if there is one and the deed can stand in an answer.
fn reply(sight: &mut Sight<'_>, mailbox: &Mailbox, number: usize, deed: &Deed) -> Option<Way> {
    let Deed::On(at, who, act) = deed else { return None };
    let is_wrong =
        who.password != sight.model.accounts[number].password || !sight.model.by_place.contains_key(at);
    // What has not the look of a turn is taken for prose in an answer.
    let is_odd = matches!(act, Act::Move(turn) | Act::Submit(turn) if turn.starts_with("a1"));
    if is_wrong || is_odd || sight.rng.random_bool(0.5) {
        return None;
    }
    let (token, message_id) = mailbox.boards.get(&at.list())?;
    let is_stale = token.delivered <= sight.tokens_since[number];
    let by = match sight.rng.random_bool(0.7) {
        true => Reply::Token(token.text.clone()),
        false => Reply::MessageId(message_id.clone()),
    };
    let deed = match sight.rng.random_range(0..30) {
        0 => None,
        1 => Some(Deed::On(*at, Who::default(), Act::Show)),
        _ => Some(Deed::On(*at, Who::default(), act.clone())),
    };
    Some(Way::Answer {
        at: *at,
        account: number,
        by,
        is_stale,
        deed,
    })
}

/// What a program does with the `List-Unsubscribe` of the newest mail that has one.
fn leave(sight: &Sight<'_>, address: &str) -> Option<Way> {
    let Token { text, delivered, .. } = sight.post.mailbox(address).leave?;
    let (number, _) = text.strip_prefix('u')?.split_once('-')?;
    let bytes = data_encoding::BASE32_NOPAD_NOCASE
        .decode(number.as_bytes())
        .ok()?;
    let number = bytes
        .iter()
        .fold(0_i64, |row, byte| (row << 8) | i64::from(*byte));
    let (player, unasked) = Unasked::of_number(number)?;
    let is_stale = delivered <= sight.tokens_since[crate::model::place(player.0)];
    Some(Way::Leave(text, player, unasked, is_stale))
}

/// What the player to move does.
fn turn(board: &Board, seat: Seat, rng: &mut ChaCha8Rng) -> Option<Act> {
    let legal = board.position.random_turn(rng)?;
    if board.offer.is_some_and(|(_, by)| by != seat) && rng.random_bool(0.8) {
        let word = if rng.random_bool(0.6) { "accept" } else { "reject" };
        return Some(Act::Move(word.into()));
    }
    // Long games are given up, or agreed.
    let is_long = board.turns.len() > 90;
    Some(match rng.random_range(0..200) {
        0..4 => Act::Resign,
        4..6 => Act::Move("resign".into()),
        6..10 => Act::Move("propose".into()),
        10..13 => Act::Move("accept".into()),
        13..16 => Act::Move("reject".into()),
        16..24 => Act::Submit(legal),
        24..28 => Act::Confirm,
        28..32 => Act::Queue(vec![legal]),
        32..37 => Act::Move("a1-z99".into()),
        37 => Act::Submit("a1-z99".into()),
        38..60 if is_long => Act::Move("propose".into()),
        60..66 if is_long => Act::Resign,
        _ if board.submitted.is_some() => Act::Confirm,
        _ => Act::Move(legal),
    })
}

/// What a player does who waits for the other.
fn waiting(board: &Board, seat: Seat, chatty: f64, rng: &mut ChaCha8Rng) -> Option<Act> {
    if board.offer.is_some_and(|(_, by)| by != seat) && rng.random_bool(0.6) {
        return Some(Act::Move("accept".into()));
    }
    if rng.random_bool(chatty / 2.0) {
        return Some(Act::Chat);
    }
    let later = || {
        let mut position = board.position.fork();
        let mut rng = ChaCha8Rng::from_seed([7; 32]);
        position.play(&position.random_turn(&mut rng)?).ok()?;
        position.random_turn(&mut rng)
    };
    Some(match rng.random_range(0..100) {
        0..3 => Act::Move("undo".into()),
        3..7 => Act::Queue(vec![later()?]),
        7 => Act::Queue(vec![later()?, later()?]),
        8 => Act::Queue(vec!["off".into()]),
        9 => Act::Move("a1-b1".into()),
        10 => Act::Move("propose".into()),
        _ => return None,
    })
}

fn preview(sight: &mut Sight<'_>, game: usize, at: At) -> Deed {
    let known = sight
        .model
        .by_place
        .get(&at)
        .map(|board| &sight.model.boards[*board]);
    match known.and_then(|board| board.position.random_turn(sight.rng)) {
        Some(turns) if sight.rng.random_bool(0.5) => Deed::Preview {
            game: at.game,
            board: Some(at.number),
            turns,
        },
        _ => Deed::Preview {
            game,
            board: None,
            turns: GAMES[game].facts.example.join(" "),
        },
    }
}

fn options(game: usize, rng: &mut ChaCha8Rng) -> String {
    let plain = rng.random_bool(0.2);
    let mut own = *pick(rng, OPTIONS[game]);
    let mut terms = *pick(rng, &TERMS);
    // What cannot be is asked for now and then.
    if !rng.random_bool(0.05) {
        own = if own.contains("-middle") || own.contains("nonsense") {
            OPTIONS[game][1 % OPTIONS[game].len()]
        } else {
            own
        };
        terms = if terms.contains("soon") { "" } else { terms };
    }
    if plain {
        String::new()
    } else {
        format!("{own} {terms}").trim().to_owned()
    }
}

/// A userid: of somebody who is there, mostly.
fn someone(sight: &mut Sight<'_>) -> Option<String> {
    if sight.rng.random_bool(0.02) {
        return Some("nobody".into());
    }
    for _ in 0..20 {
        let place = sight.rng.random_range(0..sight.model.accounts.len().max(1));
        let account = sight.model.accounts.get(place)?;
        // Most challenge those who play.
        let is_busy = !account.running.is_empty() || sight.rng.random_bool(0.3);
        if !account.deleted && is_busy {
            return Some(account.userid.clone());
        }
    }
    None
}

/// A board, most often a new one; now and then there is none of that number.
fn any_board(sight: &mut Sight<'_>) -> At {
    let game = sight.rng.random_range(0..GAMES.len());
    let next = sight.model.next_number[game];
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
        "Pow2",
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
