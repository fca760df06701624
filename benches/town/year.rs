//! A year of a busy server, day by day and mail by mail.

use chrono::TimeDelta;
use pbmserv::admin::user::UserVerb;
use pbmserv::admin::{Caller, Verb, VerbRequest, Why};
use pbmserv_core::store::BoardFilter;
use pbmserv_core::table::Board;
use pbmserv_games::{GAMES, Game, Match};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use super::{PASSWORD, Town, number_of, start, userid};

/// The parameters of the year.
pub(crate) struct Year {
    pub(crate) players: usize,
    pub(crate) boards: usize,
    /// After this many turns the player to move resigns, unless the game has ended.
    pub(crate) turns: usize,
}

const DAYS: usize = 365;

/// Half of the boards are of the first game, so that the listings of one game are long.
fn game_of(board: usize) -> &'static Game {
    let others = &GAMES[1..];
    match board % 2 {
        0 => &GAMES[0],
        _ => &others[board / 2 % others.len()],
    }
}

/// The boards that are being played from one year to the next.
pub(crate) struct Tables {
    rng: ChaCha8Rng,
    running: Vec<Table>,
    begun: usize,
}

impl Default for Tables {
    fn default() -> Self {
        Self {
            rng: ChaCha8Rng::seed_from_u64(1),
            running: Vec::new(),
            begun: 0,
        }
    }
}

/// A board that is being played.
struct Table {
    game: &'static Game,
    number: u32,
    players: [usize; 2],
    position: Box<dyn Match>,
    turns: usize,
}

impl Table {
    /// The next mail; `None` when the board has ended.
    fn next(&mut self, longest: usize, rng: &mut ChaCha8Rng) -> Option<(usize, String)> {
        let player = self.players[self.position.to_move()?.index()];
        let (name, number, userid) = (self.game.facts.name, self.number, userid(player));
        if self.turns == longest {
            self.turns += 1;
            return Some((player, format!("{name} resign {number} {userid} {PASSWORD}")));
        }
        if self.turns > longest {
            return None;
        }
        let turn = self.position.random_turn(rng)?;
        self.position.play_all(&turn).unwrap();
        self.turns += 1;
        Some((player, format!("{name} move {number} {userid} {PASSWORD} {turn}")))
    }
}

impl Town {
    /// Plays the year, and what happens beside the games.
    pub(crate) async fn play(&self, year: &Year) {
        self.play_days(year, &mut Tables::default()).await;
        self.seek_and_watch(year).await;
        self.rule(year).await;
        self.deliver().await;
    }

    /// Plays the days of a year: on each, boards begin, and one turn is played on each running board. Boards that begin
    /// in the last days still run at the end.
    pub(crate) async fn play_days(&self, year: &Year, tables: &mut Tables) {
        let before = tables.begun;
        for day in 1..=DAYS {
            let mut challenges = Vec::new();
            while tables.begun < before + year.boards * day / DAYS {
                let first = tables.rng.random_range(0..year.players);
                let second = (first + tables.rng.random_range(1..year.players)) % year.players;
                let game = game_of(tables.begun).facts.name;
                challenges.push((
                    first,
                    format!("{game} challenge {} {}", userid(first), userid(second)),
                ));
                tables.begun += 1;
            }
            let begun = self.begin(challenges).await;
            tables.running.extend(begun);
            let mut turns = Vec::new();
            let rng = &mut tables.rng;
            tables
                .running
                .retain_mut(|table| match table.next(year.turns, rng) {
                    Some(mail) => {
                        turns.push(mail);
                        true
                    }
                    None => false,
                });
            self.ask_all(turns).await;
            self.deliver().await;
            self.pass(TimeDelta::days(1));
            self.server.engine.forget().await.unwrap();
        }
    }

    /// Begins boards; returns them in the order of their numbers.
    async fn begin(&self, challenges: Vec<(usize, String)>) -> Vec<Table> {
        let newest = BoardFilter {
            limit: u32::try_from(challenges.len()).unwrap(),
            ..BoardFilter::default()
        };
        self.ask_all(challenges).await;
        let boards = self.server.reader().unwrap().boards(newest).unwrap();
        let table = |board: Board| Table {
            game: board.game,
            number: board.number,
            players: board.players.map(|player| number_of(&player.userid)),
            position: start(board.game),
            turns: 0,
        };
        boards.into_iter().map(table).collect()
    }

    /// Other activity of players: every fifth seeks a board of each game, and every tenth watches a game.
    async fn seek_and_watch(&self, year: &Year) {
        let mut commands = Vec::new();
        for player in 0..year.players {
            let userid = userid(player);
            for game in GAMES {
                let name = game.facts.name;
                if player % 5 == 0 {
                    commands.push((player, format!("{name} seek {userid} {PASSWORD} 3")));
                }
                if player % 40 == 0 {
                    commands.push((player, format!("{name} notify {userid} {PASSWORD}")));
                }
            }
        }
        self.ask_all(commands).await;
    }

    /// Activity of the operator: every tenth player's account is disabled and enabled.
    async fn rule(&self, year: &Year) {
        for player in (0..year.players).step_by(10) {
            let userid = userid(player);
            let why = Why {
                why: "a complaint".into(),
            };
            for verb in [
                UserVerb::Disable {
                    userid: userid.clone(),
                    why: why.clone(),
                },
                UserVerb::Enable { userid, why },
            ] {
                let request = VerbRequest {
                    verb: Verb::User(verb),
                    caller: Caller::of_this_process(),
                };
                let answer = request.run(&self.server).await;
                assert_eq!(answer.code, 0, "{}", answer.err);
            }
        }
    }
}
