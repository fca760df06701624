//! A model of the server, written from its help and not from its code: accounts, boards, clocks. For each mail it
//! predicts whether it is carried out or why not, and which kind of letter goes to whom.
//!
//! It uses the rules of the games (from `games`, which has separate tests). Of the texts it knows only the marks
//! by which an answer is recognised.

pub(crate) mod accounts;
mod away;
pub(crate) mod begin;
pub(crate) mod boards;
pub(crate) mod clock;
pub(crate) mod computers;
mod hear;
mod leave;
mod look;
mod older;
mod people;
mod play;
mod refusals;
mod rematch;
mod rule;
mod time;
mod watch;
mod words;

use std::collections::HashMap;

pub(crate) use accounts::Account;
pub(crate) use boards::Board;
pub(crate) use leave::place;
pub(crate) use refusals::REFUSALS;
pub(crate) use time::Happened;

use crate::deed::{At, Who};

/// Milliseconds of a minute, an hour and a day.
pub(crate) const MINUTE: i64 = 60_000;
pub(crate) const HOUR: i64 = 60 * MINUTE;
pub(crate) const DAY: i64 = 24 * HOUR;

/// The limits of the configuration.
const ASKS_A_DAY: u32 = 10;
const QUESTIONS_A_DAY: usize = 3;
const CHALLENGES_A_DAY: u32 = 30;
const CHALLENGES_FOR_OTHERS_A_DAY: u32 = 3;
const MESSAGES_A_DAY: u32 = 50;
const HINTS_A_DAY: u32 = 10;
const GUESSES_FROM_ONE: usize = 5;
const GUESSES_FROM_ALL: usize = 50;
const REFUSALS_A_DAY: u32 = 50;
const ANSWERS_A_DAY: u32 = 500;
const UNPROVEN_ANSWERS_A_DAY: u32 = ANSWERS_A_DAY / 5;
const STRANGERS_ANSWERS_A_DAY: u32 = 30;
/// Commands of a list before one with a password.
const MAX_UNPROVEN: usize = 5;
const DIGEST_HOUR: i64 = 8;

/// The state of the model.
pub(crate) struct Model {
    /// The time, in milliseconds since 1970.
    pub(crate) now: i64,
    /// The start of the server.
    pub(crate) steady_since: i64,
    pub(crate) accounts: Vec<Account>,
    /// By userid in lower case, without erased accounts.
    pub(crate) by_userid: HashMap<String, usize>,
    /// All boards that ever began.
    pub(crate) boards: Vec<Board>,
    pub(crate) by_place: HashMap<At, usize>,
    /// The next board number of each game.
    pub(crate) next_number: Vec<u32>,
    /// The watchers of each game, and whether they get only the ends.
    pub(crate) watchers: Vec<HashMap<usize, bool>>,
    /// When players were asked to confirm games.
    proposals: HashMap<begin::Proposal, i64>,
    /// Today's counts.
    tallies: HashMap<String, (i64, u32)>,
    /// The times of rate-limited letters to each address.
    sent: HashMap<(String, &'static str), Vec<i64>>,
    /// Bounced mails.
    bounced: std::collections::HashSet<i64>,
    /// The userid of the director.
    pub(crate) director: String,
}

/// How far the writer of a mail is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    /// By a password or a token; or no mail is the cause.
    Proven,
    /// By the address of a player.
    Known,
    Stranger,
}

/// The recipient of a letter.
#[derive(Clone, Debug, PartialEq, Eq)]
enum To {
    /// The sender of the current mail.
    Sender,
    /// All confirmed addresses of a player that do not bounce.
    Player(usize),
    /// One address.
    Address(String),
}

/// A letter that must be written.
#[derive(Clone, Debug)]
struct Out {
    to: To,
    kind: &'static str,
    is_answer: bool,
    /// Whether it can wait for the daily mail of a player who wants that.
    can_wait: bool,
    /// Whether it has an attachment.
    has_file: bool,
}

impl Out {
    fn answer(to: To, kind: &'static str) -> Self {
        Self {
            to,
            kind,
            is_answer: true,
            can_wait: false,
            has_file: false,
        }
    }

    fn news(to: To, kind: &'static str) -> Self {
        Self {
            is_answer: false,
            ..Self::answer(to, kind)
        }
    }
}

/// A command that is carried out.
#[derive(Debug, Default)]
struct Done {
    /// The authenticated player.
    proven: Option<usize>,
    out: Vec<Out>,
    /// Words of the answer; parts between stars, in this order.
    mark: String,
}

impl Done {
    /// An answer for the sender.
    fn answer(kind: &'static str, mark: impl Into<String>) -> Verdict {
        Ok(Self {
            proven: None,
            out: vec![Out::answer(To::Sender, kind)],
            mark: mark.into(),
        })
    }

    /// An action or answer for an authenticated player.
    fn by(player: usize, kind: &'static str, mark: impl Into<String>) -> Self {
        Self {
            proven: Some(player),
            out: vec![Out::answer(To::Player(player), kind)],
            mark: mark.into(),
        }
    }
}

/// A command that is refused.
#[derive(Debug)]
struct No {
    /// One of [`REFUSALS`].
    mark: &'static str,
    proven: Option<usize>,
    wrong_password_of: Option<usize>,
}

impl No {
    fn because(mark: &'static str) -> Self {
        assert!(REFUSALS.contains(&mark), "not among REFUSALS: {mark}");
        Self {
            mark,
            proven: None,
            wrong_password_of: None,
        }
    }

    /// The same, to this player.
    const fn to(self, player: usize) -> Self {
        Self {
            proven: Some(player),
            ..self
        }
    }
}

type Verdict = Result<Done, No>;

/// The expected outcome of a mail.
#[derive(Debug, Default)]
pub(crate) struct Expected {
    pub(crate) fate: &'static str,
    /// Address, kind, and whether it is a reply, of each letter, sorted.
    pub(crate) rows: Vec<(String, &'static str, bool)>,
    /// Of each command its verb, whether it is carried out, and the mark of its answer; empty: no answer.
    pub(crate) commands: Vec<(&'static str, bool, String)>,
}

impl Model {
    pub(crate) fn new(now: i64, director: &str) -> Self {
        let games = pbmserv_games::GAMES.len();
        Self {
            now,
            steady_since: now,
            accounts: Vec::new(),
            by_userid: HashMap::new(),
            boards: Vec::new(),
            by_place: HashMap::new(),
            next_number: vec![101; games],
            watchers: vec![HashMap::new(); games],
            proposals: HashMap::new(),
            tallies: HashMap::new(),
            sent: HashMap::new(),
            bounced: std::collections::HashSet::new(),
            director: director.to_owned(),
        }
    }

    /// The players with this confirmed address.
    pub(crate) fn known(&self, from: &str) -> Option<usize> {
        let has = |account: &Account| {
            account
                .addresses
                .iter()
                .any(|own| own.confirmed && own.text == from)
        };
        self.accounts.iter().position(has)
    }

    /// The player whom a userid and a password authenticate, or the refusal.
    fn prove(&self, who: &Who, from: &str) -> Result<usize, No> {
        let Some(&player) = self.by_userid.get(&who.userid.to_ascii_lowercase()) else {
            return Err(No::because("There is no player *"));
        };
        let account = &self.accounts[player];
        if self.is_refused(player, from) {
            return Err(No::because("There were too many wrong passwords for"));
        }
        if account.password != who.password {
            return Err(No {
                wrong_password_of: Some(player),
                ..No::because("That is not the password of")
            });
        }
        self.open(player)
    }

    /// Under what a wrong password of a mail for this player counts: the account's own addresses count apart.
    fn guesser(&self, player: usize, from: &str) -> String {
        let mut own = self.accounts[player].addresses.iter();
        match own.any(|own| own.confirmed && own.text == from) {
            true => "own".to_owned(),
            false => from.to_owned(),
        }
    }

    /// Whether no more passwords for this player are read in mail from an address.
    fn is_refused(&self, player: usize, from: &str) -> bool {
        let by = self.guesser(player, from);
        let since = self.now - HOUR;
        let recent = || self.accounts[player].guesses.iter().filter(|(_, at)| *at > since);
        let same = recent().filter(|(who, _)| *who == by).count();
        let others = recent().filter(|(who, _)| who != "own").count();
        match by.as_str() {
            "own" => same >= GUESSES_FROM_ALL,
            _ => same >= GUESSES_FROM_ONE || others >= GUESSES_FROM_ALL,
        }
    }

    /// A player whose account is enabled.
    fn open(&self, player: usize) -> Result<usize, No> {
        match self.accounts[player].disabled {
            false => Ok(player),
            true => Err(No::because("is closed by the operator of this server").to(player)),
        }
    }

    /// The player with this userid.
    fn player(&self, userid: &str) -> Result<usize, No> {
        if userid == computers::BOT {
            return Ok(computers::COMPUTER);
        }
        let found = self.by_userid.get(&userid.to_ascii_lowercase());
        found.copied().ok_or_else(|| No::because("There is no player *"))
    }

    /// The board with this number.
    fn board(&self, at: At) -> Result<usize, No> {
        let found = self.by_place.get(&at);
        found.copied().ok_or_else(|| No::because("There is no * Board"))
    }

    /// Today's count.
    fn tally(&self, what: &str) -> u32 {
        let today = self.now / DAY;
        self.tallies
            .get(what)
            .filter(|(day, _)| *day == today)
            .map_or(0, |(_, count)| *count)
    }

    fn count(&mut self, what: String, more: u32) {
        let count = self.tally(&what) + more;
        self.tallies.insert(what, (self.now / DAY, count));
    }

    /// The number of rate-limited letters of a kind to an address in the last day.
    fn sent_today(&self, address: &str, kind: &'static str) -> usize {
        let since = self.now - DAY;
        let sent = self.sent.get(&(address.to_owned(), kind));
        sent.map_or(0, |sent| sent.iter().filter(|at| **at > since).count())
    }

    /// Whether an address may get one more answer today. If so it is counted.
    fn may_answer(&mut self, address: &str, kind: &str, standing: Standing) -> bool {
        let (what, most) = match standing {
            Standing::Proven => ("answered", ANSWERS_A_DAY),
            Standing::Known => ("unproven", UNPROVEN_ANSWERS_A_DAY),
            Standing::Stranger => ("unproven", STRANGERS_ANSWERS_A_DAY),
        };
        let (answered, refused) = (format!("{what} {address}"), format!("refused {address}"));
        let is_refusal = kind == "notdone" && standing != Standing::Proven;
        let may = self.tally(&answered) < most && !(is_refusal && self.tally(&refused) >= REFUSALS_A_DAY);
        if may {
            self.count(answered, 1);
            self.count(refused, u32::from(is_refusal));
        }
        may
    }

    /// The standing of the writer of a mail that proves nothing.
    fn unproven(&self, from: &str) -> Standing {
        match self.known(from) {
            Some(_) => Standing::Known,
            None => Standing::Stranger,
        }
    }

    /// Writes letters, to the present addresses of the recipients. `from` is the sender of the current mail.
    fn post(
        &mut self,
        out: &[Out],
        from: Option<&str>,
        standing: Standing,
    ) -> Vec<(String, &'static str, bool)> {
        let mut rows = Vec::new();
        for letter in out {
            let mut addresses: Vec<String> = Vec::new();
            let mut reader = match (&letter.to, standing) {
                (To::Player(_) | To::Address(_), Standing::Stranger) => Standing::Known,
                _ => standing,
            };
            match &letter.to {
                To::Sender => addresses.extend(from.map(str::to_owned)),
                To::Address(address) => addresses.push(address.clone()),
                To::Player(computers::COMPUTER) => {}
                To::Player(player) => {
                    let account = &mut self.accounts[*player];
                    if letter.can_wait && !letter.is_answer && account.wants.digest {
                        account.news += 1;
                        continue;
                    }
                    let reachable = account.addresses.iter().filter(|own| own.is_reachable());
                    addresses.extend(reachable.map(|own| own.text.clone()));
                    if addresses.is_empty() && letter.is_answer {
                        reader = Standing::Stranger;
                        addresses.extend(from.map(str::to_owned));
                    }
                }
            }
            for address in addresses {
                if letter.is_answer && !self.may_answer(&address, letter.kind, reader) {
                    continue;
                }
                if ["question", "forgot", "dead", "message"].contains(&letter.kind) {
                    let since = self.now - DAY;
                    let sent = self.sent.entry((address.clone(), letter.kind)).or_default();
                    sent.retain(|at| *at > since);
                    sent.push(self.now);
                }
                rows.push((address, letter.kind, letter.is_answer));
            }
        }
        rows
    }
}
