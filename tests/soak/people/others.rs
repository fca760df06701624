//! Commands other than turns: accounts, new boards, questions, and floods.

use pbmserv_games::GAMES;
use rand::RngExt;
use rand::rngs::ChaCha8Rng;

use super::{Person, Sight, any_board, pick, someone};
use crate::deed::{Act, At, Deed, Watched, Who, Wish};
use crate::mail::{Letter, Way};
use crate::model::computers::BOT;
use crate::model::{Board, DAY};
use crate::post::Token;
use crate::world::SECRET;

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
        sight.model.accounts[number].running.len() < 3 && sight.rng.random_bool(0.6)
    }

    pub(super) fn challenge(&mut self, sight: &mut Sight<'_>, number: usize) -> Deed {
        let own = sight.model.accounts[number].userid.clone();
        if sight.rng.random_ratio(1, 10) {
            let game = sight.rng.random_range(0..GAMES.len());
            return Deed::Challenge {
                game,
                players: [own, BOT.to_owned()],
                options: options(game, sight.rng),
            };
        }
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

    /// Any other command.
    pub(super) fn other(&mut self, sight: &mut Sight<'_>, number: usize, who: Who) -> Deed {
        let game = sight.rng.random_range(0..GAMES.len());
        let account = &sight.model.accounts[number];
        let other = someone(sight).unwrap_or_else(|| "nobody".into());
        let at = any_board(sight);
        // Few, since each gets a letter for every turn of that game.
        let watched = if sight.rng.random_bool(0.01) {
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
                    "subjects news",
                    "subjects plain",
                ];
                let words = (*pick(sight.rng, &words)).to_owned();
                let game = (["small", "large"].contains(&words.as_str()) || odd).then_some(game);
                Deed::Set { who, game, words }
            }
            46 if odd => Deed::Who((game > 1).then_some(game)),
            46 => Deed::MyGames,
            47 if game == 0 => Deed::Who(None),
            47 => Deed::List((game > 1).then_some(game)),
            48..50 => Deed::All {
                shows: game > 1,
                userid: other,
                selector: ["", "next", "all", "inactive"][game % 4],
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
            75..77 => Deed::Record(at),
            77 if odd => Deed::On(finished(sight, number).unwrap_or(at), who, Act::Review),
            77 => Deed::On(finished(sight, number).unwrap_or(at), who, Act::Rematch),
            78 if odd => Deed::Page(who, number.is_multiple_of(4)),
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
            97 if odd => Deed::On(at, who, Act::Hint),
            97 => Deed::On(at, who, Act::Chat),
            98 => Deed::On(at, who, Act::Resign),
            _ => Deed::On(at, who, Act::Move("accept".into())),
        }
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
            let game = |days| Deed::Challenge {
                game: 1,
                players: players.clone(),
                options: format!("-size=4 --nagtime={days}"),
            };
            return (1..=9).map(game).map(letter).collect();
        }
        let account = &sight.model.accounts[number];
        let (times, deed) = match sight.rng.random_range(0..6) {
            0 => {
                let guess = Who {
                    password: format!("{SECRET}guess"),
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
        vec![letter(deed); times]
    }

    /// A new password by a token: a valid one, an old one, or one of another account.
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

fn preview(sight: &mut Sight<'_>, game: usize, at: At) -> Deed {
    let known = sight
        .model
        .by_place
        .get(&at)
        .map(|board| &sight.model.boards[*board]);
    match known.and_then(|board| board.progress.position.random_turn(sight.rng)) {
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
    let boards = sight.model.boards.iter().rev().take(2000);
    let mut own = boards.filter(|board| board.end().is_some() && board.seat_of(number).is_some());
    let is_offered = |board: &&Board| {
        board
            .offer
            .is_some_and(|(_, by)| Some(by) != board.seat_of(number))
    };
    let newest = own.clone().next();
    own.find(is_offered).or(newest).map(|board| board.at)
}
