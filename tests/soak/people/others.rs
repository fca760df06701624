//! Commands other than turns: accounts, new boards, questions, and floods.

use pbmserv_games::GAMES;
use rand::RngExt;
use rand::rngs::ChaCha8Rng;

use super::{Person, Sight, any_board, pick, someone};
use crate::deed::{Act, At, Deed, What, Who, name};
use crate::mail::{Letter, Way};
use crate::post::Token;
use crate::view::{Board, COMPUTER, DAY};
use crate::world::{BOT, SECRET};

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
    pub(super) fn wants_board(&self, sight: &mut Sight<'_>, number: usize) -> bool {
        sight.view.accounts[number].running.len() < 3 && sight.rng.random_bool(0.6)
    }

    pub(super) fn challenge(&mut self, sight: &mut Sight<'_>, number: usize) -> Deed {
        let own = sight.view.accounts[number].userid().to_owned();
        let game = sight.rng.random_range(0..GAMES.len());
        let options = options(game, sight.rng);
        if sight.rng.random_ratio(1, 10) {
            return challenge(game, [own, BOT.to_owned()], &options);
        }
        let other = someone(sight).unwrap_or_else(|| own.clone());
        let mut players = if sight.rng.random_bool(0.5) {
            [own, other]
        } else {
            [other, own]
        };
        if sight.rng.random_bool(0.02) {
            players[0] = someone(sight).unwrap();
        }
        challenge(game, players, &options)
    }

    /// Any other command.
    pub(super) fn other(&mut self, sight: &mut Sight<'_>, number: usize, who: Who) -> Deed {
        let game = sight.rng.random_range(0..GAMES.len());
        let account = &sight.view.accounts[number];
        let other = someone(sight).unwrap_or_else(|| "nobody".into());
        let at = any_board(sight);
        let odd = sight.rng.random_bool(0.05);
        // Few watch a whole game, since each gets a letter for every turn of it.
        let watches_game = sight.rng.random_bool(0.01);
        let watched = if watches_game {
            "all".to_owned()
        } else {
            at.number.to_string()
        };
        let (of, own, on) = (name(game), account.userid(), name(at.game));
        let watched_of = if watches_game { of } else { on };
        let by = who.words();
        let line = match sight.rng.random_range(0..100) {
            0..3 => {
                let topics = ["commands", "tutorial", "ratings", "mail", "clocks", "Pow2", ""];
                return Deed::open(format!("help {}", pick(sight.rng, &topics)));
            }
            3..5 if odd => format!("add {by} {}", self.home),
            3..5 => format!("add {by} {}", self.new_address()),
            5..7 => {
                let own: Vec<_> = account.addresses().map(|own| own.text.clone()).collect();
                let is_own = !odd && !own.is_empty();
                let address = if is_own {
                    pick(sight.rng, &own)
                } else {
                    "x@home.example"
                };
                format!("remove {by} {address}")
            }
            7..9 => {
                let new = if odd {
                    who.password.clone()
                } else {
                    self.new_password()
                };
                let line = format!("change password {by} {new}");
                return Deed::by(&who, line).meaning(What::NewPassword(new));
            }
            9 if account.addresses().count() < 5 => format!("change address {by} {}", self.new_address()),
            9 => format!("change address {by} {}", self.home),
            10..12 if odd => return Deed::open(format!("forgot nobody{number}")),
            10..12 => return Deed::open(format!("forgot {}", who.userid)),
            12..15 => {
                let reset = self.reset(sight, number);
                return reset.unwrap_or_else(|| Deed::open(format!("forgot {}", who.userid)));
            }
            15..17 => format!("block {by} {}", if odd { own } else { &other }),
            17..20 => {
                let blocked = account.blocks.keys().filter(|other| **other != COMPUTER);
                let blocked = blocked.map(|other| &sight.view.accounts[*other]);
                let first = blocked
                    .filter(|other| !other.is_deleted())
                    .map(|other| other.userid())
                    .min();
                format!("unblock {by} {}", first.unwrap_or(&other))
            }
            20..25 => return message(&who, &other),
            25 => return broadcast(&who),
            26..31 => {
                let most = if odd { 60 } else { 16 };
                let wish = match sight.rng.random_range(0..8) {
                    0 => String::new(),
                    1 => "off".to_owned(),
                    _ => sight.rng.random_range(2..most).to_string(),
                };
                format!("vacation {by} {wish}")
            }
            31 => return sign_off(&who),
            32 if sight.rng.random_bool(0.4) && number > 0 => {
                return Deed::by(&who, format!("delete {by} really")).meaning(What::Leave);
            }
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
                    "subjects news",
                    "subjects plain",
                ];
                let words = *pick(sight.rng, &words);
                let is_of_game = ["small", "large"].contains(&words) || odd;
                format!("{} set {by} {words}", if is_of_game { of } else { "" })
            }
            46 if odd => return Deed::open(format!("who {}", if game > 1 { of } else { "" })),
            46 => return Deed::open("my games"),
            47 if game == 0 => return Deed::open("who"),
            47 => return Deed::open(format!("list {}", if game > 1 { of } else { "" })),
            48..50 => {
                let verb = if game > 1 { "show" } else { "games" };
                let selector = ["", "next", "all", "inactive"][game % 4];
                return Deed::open(format!("all {verb} {other} {selector}"));
            }
            50..56 => {
                let (count, options) = (sight.rng.random_range(0..4), options(game, sight.rng));
                return Deed {
                    reply: Some(format!("seek {of} {count} {options}")),
                    ..Deed::by(&who, format!("{of} seek {by} {count} {options}"))
                };
            }
            56..59 => format!("{of} accept {by}"),
            59..61 => format!("{of} reject {by}"),
            61..64 => {
                let most = pick(sight.rng, &["", "none", "2", "5", "20", "many"]);
                format!("{of} limit {by} {most}")
            }
            64..67 => return preview(sight, game, at),
            67..69 => return Deed::open(format!("{on} show {}", at.number)),
            69..71 => format!("{on} showas {by} {}", at.number),
            71..73 => return Deed::open(format!("{of} games {}", if odd { "all" } else { &other })),
            73..75 if odd => return Deed::open(format!("{of} history {other} {other}")),
            73..75 => return Deed::open(format!("{of} history {other} {own}")),
            75..77 => return Deed::open(format!("{on} record {}", at.number)),
            77 => {
                let act = if odd { Act::Nothing("review") } else { Act::Rematch };
                return Deed::on(finished(sight, number).unwrap_or(at), &who, act);
            }
            78 if odd => format!("page {by} {}", if number.is_multiple_of(4) { "new" } else { "" }),
            78 => return Deed::open(format!("{of} standings")),
            79..88 => format!("{watched_of} subscribe {watched} {by}"),
            88..93 => match account.watches.keys().next() {
                Some(board) if !odd => {
                    let at = sight.view.boards[*board].at;
                    format!("{} unsubscribe {} {by}", name(at.game), at.number)
                }
                _ => format!("{watched_of} unsubscribe {watched} {by}"),
            },
            93..97 if watches_game => format!("{of} notify {by}"),
            93..97 => format!("{on} notify {by} {}", at.number),
            97 if odd => return Deed::on(at, &who, Act::Nothing("hint")),
            97 => return Deed::on(at, &who, Act::Chat),
            98 => return Deed::on(at, &who, Act::Resign),
            _ => return Deed::on(at, &who, Act::Accept),
        };
        Deed::by(&who, line.trim())
    }

    /// The same command repeatedly, until it reaches a limit.
    pub(super) fn flood(
        &mut self,
        sight: &mut Sight<'_>,
        number: usize,
        who: &Who,
        from: &str,
    ) -> Vec<Letter> {
        let other = someone(sight).unwrap_or_default();
        let letter = |deed| Letter {
            from: from.to_owned(),
            way: Way::Subject(deed),
            saying: "Once more.".into(),
        };
        if sight.rng.random_bool(0.15) {
            // Games for two others: a few begin, of a few more the first player is asked.
            let players = [other, someone(sight).unwrap_or_default()];
            let game = |days| challenge(1, players.clone(), &format!("-size=4 --nagtime={days}"));
            return (1..=9).map(game).map(letter).collect();
        }
        let account = &sight.view.accounts[number];
        let (times, deed) = match sight.rng.random_range(0..6) {
            0 => {
                let password = format!("{SECRET}guess");
                let guess = Who {
                    password,
                    ..who.clone()
                };
                (7, Deed::by(&guess, format!("set {}", guess.words())))
            }
            1 => (12, Deed::open("forgot nobody")),
            2 => (
                5,
                Deed::by(who, format!("add {} {}", who.words(), self.new_address())),
            ),
            3 => (52, message(who, &other)),
            4 => (32, challenge(1, [who.userid.clone(), other], "-size=4")),
            _ => match account.running.first() {
                Some(board) => (52, Deed::on(sight.view.boards[*board].at, who, Act::Chat)),
                None => (2, sign_off(who)),
            },
        };
        vec![letter(deed); times]
    }

    /// A new password by a token: a valid one, an old one, or one of another account.
    fn reset(&mut self, sight: &Sight<'_>, number: usize) -> Option<Deed> {
        let Token { text, delivered, at } = sight.post.mailbox(&self.home).reset?;
        let (account, now) = (&sight.view.accounts[number], sight.view.now);
        let is_fresh = delivered > account.tokens_since;
        let is_good = account.has(&self.home) && is_fresh && now < at + DAY;
        let is_certain = is_good || !is_fresh || now > at + 2 * DAY;
        is_certain.then(|| {
            let new = self.new_password();
            Deed {
                by_token: is_good.then_some(number),
                ..Deed::open(format!("reset {} {text} {new}", account.userid()))
            }
            .meaning(What::NewPassword(new))
        })
    }
}

fn challenge(game: usize, players: [String; 2], options: &str) -> Deed {
    Deed::open(format!(
        "{} challenge {} {options}",
        name(game),
        players.join(" ")
    ))
    .meaning(What::Begin(game, players))
}

fn message(who: &Who, to: &str) -> Deed {
    let line = format!("message {} {to}", who.words());
    Deed::by(who, line).meaning(What::Say(Some(vec![to.to_owned()])))
}

pub(super) fn broadcast(who: &Who) -> Deed {
    Deed::by(who, format!("broadcast {}", who.words())).meaning(What::Say(None))
}

fn sign_off(who: &Who) -> Deed {
    Deed::by(who, format!("signoff {}", who.words())).meaning(What::Leave)
}

fn preview(sight: &mut Sight<'_>, game: usize, at: At) -> Deed {
    let known = sight
        .view
        .by_place
        .get(&at)
        .map(|board| &sight.view.boards[*board]);
    let turn = known.and_then(|board| board.progress.position.random_turn(sight.rng));
    Deed::open(match turn.filter(|_| sight.rng.random_bool(0.5)) {
        Some(turn) => format!("{} preview {} {turn}", name(at.game), at.number),
        None => format!(
            "{} preview new {}",
            name(game),
            GAMES[game].facts.example.join(" ")
        ),
    })
}

/// Options of a game; the last ones cannot be. A game that is not named here is played without any.
fn of_game(game: usize) -> &'static [&'static str] {
    match GAMES[game].facts.name {
        "Pow2" => &["", "-exact", "-noborder", "-fast", "-middle", "-fast -middle"],
        "Forms" => &["-size=6", "-size=8", "-size=6 -standard", "-nonsense"],
        "ShapeChess" => &["-size=12 -target=4", "-size=12 -target=4", "-size=13 -target=5"],
        "Breakthrough" => &["-size=5", "-size=6", "", "-nonsense"],
        "Reversi" | "Amazons" => &["-size=6", "-size=6", "-size=8", "-nonsense"],
        "LOA" => &["", "-scrambled"],
        "Hex" => &["-size=4", "-size=5 -noswap", "-size=6", "-nonsense"],
        "Gomoku" => &["-size=9", "-size=9 -exact", "-size=9 -noswap"],
        _ => &[""],
    }
}

fn options(game: usize, rng: &mut ChaCha8Rng) -> String {
    let possible = of_game(game);
    let plain = rng.random_bool(0.2);
    let mut own = *pick(rng, possible);
    let mut terms = *pick(rng, &TERMS);
    // Sometimes something invalid.
    if !rng.random_bool(0.05) {
        own = if own.contains("-middle") || own.contains("nonsense") {
            possible[1 % possible.len()]
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

/// The newest finished board of this player, or one on which the other offers a rematch.
fn finished(sight: &Sight<'_>, number: usize) -> Option<At> {
    let boards = sight.view.boards.iter().rev().take(2000);
    let mut own = boards.filter(|board| board.row.is_over() && board.seat_of(number).is_some());
    let is_offered = |board: &&Board| {
        let offer = board.row.offer();
        offer.is_some_and(|(_, by)| Some(by) != board.seat_of(number))
    };
    let newest = own.clone().next();
    own.find(is_offered).or(newest).map(|board| board.at)
}
