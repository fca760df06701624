//! `match`: computer players against one another.

use std::io::{self, Write};
use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use clap::Args;
use pbmserv_games::bots::contest::{self, Failure, Player, Seeds};
use pbmserv_games::kit::mix::mix;
use pbmserv_games::{Match, Outcome, Seat};
use rustix::time::{ClockId, clock_gettime};
use thiserror::Error;

use super::progress::Progress;
use super::start;

// Not a doc comment, because clap would print it instead of the help of the verb.
#[derive(Clone, Debug, Args)]
pub struct Contest {
    /// The game.
    pub game: String,
    /// A player: bot-easy, bot-medium, bot-hard, random, or uct:N with N random games a turn.
    pub player: Player,
    /// The other player.
    pub opponent: Player,
    /// How many games. They are played in pairs with the same beginning and other colours.
    #[arg(long, default_value_t = 20)]
    pub games: u32,
    /// The random seed. The same seed plays the same games.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// The game's options.
    #[arg(allow_hyphen_values = true, trailing_var_arg = true)]
    pub options: Vec<String>,
}

#[derive(Debug, Error)]
pub enum Error {
    #[error(transparent)]
    Start(#[from] start::Error),
    #[error("Game {number} has no result: {failure}. The same seed plays it again")]
    Game { number: u32, failure: Failure },
    #[error("The result could not be written")]
    Write(#[from] io::Error),
}

/// What came of the games, for the first player named.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    wins: u32,
    draws: u32,
    losses: u32,
    /// Wins of the player who moves first, whoever that is.
    first: u32,
    /// Turns and processor time of each player.
    turns: [u32; 2],
    time: [Duration; 2],
    /// The longest of all thoughts of each player.
    longest: [Duration; 2],
}

impl Contest {
    /// Plays the games on all cores, and writes the result for the first player.
    ///
    /// # Errors
    /// An unknown game, wrong options, a player that finds no legal turn, or a writer that fails.
    pub fn run(&self, out: &mut dyn Write) -> Result<(), Error> {
        let start = start::position(&self.game, &self.options)?;
        let progress = Progress::begin(format!("playing {}", start.facts().name));
        let one = |number, stop: &AtomicBool| self.one(start.as_ref(), number, stop);
        let tally = played(self.games, &one, &mut |done| {
            progress.at(done, u64::from(self.games));
        })?;
        drop(progress);
        let names = [self.player, self.opponent].map(|player| player.to_string());
        write!(out, "{}", tally.report(&names))?;
        Ok(out.flush()?)
    }

    /// Game number `number`, from 0.
    fn one(&self, start: &dyn Match, number: u32, stop: &AtomicBool) -> Result<Tally, Failure> {
        let is_first = number.is_multiple_of(2);
        let players = if is_first {
            [self.player, self.opponent]
        } else {
            [self.opponent, self.player]
        };
        let place = |seat: Seat| usize::from((seat == Seat::First) != is_first);
        let seeds = Seeds {
            opening: mix([self.seed, u64::from(number / 2)]),
            game: mix([self.seed, u64::from(number), 1]),
        };
        let mut tally = Tally::default();
        let mut last = cpu();
        let outcome = contest::play(start.fork(), players, seeds, stop, &mut |seat, _| {
            let now = cpu();
            let (place, time) = (place(seat), now.saturating_sub(last));
            tally.turns[place] += 1;
            tally.time[place] += time;
            tally.longest[place] = tally.longest[place].max(time);
            last = now;
        });
        match outcome? {
            Outcome::Won(seat) => {
                tally.first += u32::from(seat == Seat::First);
                tally.wins += u32::from(place(seat) == 0);
                tally.losses += u32::from(place(seat) == 1);
            }
            Outcome::Drawn => tally.draws += 1,
        }
        Ok(tally)
    }
}

/// Plays so many games on all cores. `done` is called with the number of games after each.
fn played(
    games: u32,
    one: &(impl Fn(u32, &AtomicBool) -> Result<Tally, Failure> + Sync),
    done: &mut dyn FnMut(u64),
) -> Result<Tally, Error> {
    let (next, stop) = (AtomicU32::new(0), AtomicBool::new(false));
    let (results, received) = mpsc::channel();
    let (mut tally, mut failed) = (Tally::default(), None);
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, NonZero::get) {
            let (results, next, stop) = (results.clone(), &next, &stop);
            scope.spawn(move || {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= games || results.send((number, one(number, stop))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(results);
        for (count, (number, result)) in (1..).zip(received) {
            match result {
                Ok(result) => tally.add(&result),
                Err(failure) => {
                    // The other games would be thrown away.
                    stop.store(true, Ordering::Relaxed);
                    next.store(games, Ordering::Relaxed);
                    let number = number + 1;
                    failed.get_or_insert(Error::Game { number, failure });
                }
            }
            done(count);
        }
    });
    failed.map_or(Ok(tally), Err)
}

impl Tally {
    fn add(&mut self, one: &Self) {
        self.wins += one.wins;
        self.draws += one.draws;
        self.losses += one.losses;
        self.first += one.first;
        for place in 0..2 {
            self.turns[place] += one.turns[place];
            self.time[place] += one.time[place];
            self.longest[place] = self.longest[place].max(one.longest[place]);
        }
    }

    fn report(&self, names: &[String; 2]) -> String {
        let Self {
            wins,
            draws,
            losses,
            first,
            ..
        } = *self;
        let games = f64::from(wins + draws + losses).max(1.0);
        let score = (f64::from(wins) + f64::from(draws) / 2.0) / games;
        let (low, high) = bounds(score, games);
        let mut text = String::new();
        for (place, name) in names.iter().enumerate() {
            let turns = f64::from(self.turns[place]).max(1.0);
            text.push_str(&format!(
                "{name}: {:.1} turns a game, {:.3} s a turn, at most {:.3} s\n",
                turns / games,
                self.time[place].as_secs_f64() / turns,
                self.longest[place].as_secs_f64(),
            ));
        }
        let s = |number: u32| if number == 1 { "" } else { "s" };
        text.push_str(&format!(
            "the first to move won {:.0} % of the games\n\
             score {:.1} % (95 %: {:.1} to {:.1}), Elo {} ({} to {})\n\
             {} {wins} win{}, {draws} draw{}, {losses} loss{}\n",
            100.0 * f64::from(first) / games,
            100.0 * score,
            100.0 * low,
            100.0 * high,
            elo(score),
            elo(low),
            elo(high),
            names[0],
            s(wins),
            s(draws),
            if losses == 1 { "" } else { "es" },
        ));
        text
    }
}

/// Wilson's interval: between these bounds is the true score in 95 of 100 such contests. Draws are taken for half a win, which
/// makes it a little too wide.
fn bounds(score: f64, games: f64) -> (f64, f64) {
    const Z: f64 = 1.96;
    let z = Z * Z / games;
    let middle = (score + z / 2.0) / (1.0 + z);
    let half = Z / (1.0 + z) * (score * (1.0 - score) / games + z / (4.0 * games)).sqrt();
    ((middle - half).max(0.0), (middle + half).min(1.0))
}

/// The difference in Elo that gives this score.
fn elo(score: f64) -> String {
    match 400.0 * (score / (1.0 - score)).log10() {
        difference if difference.is_finite() => format!("{difference:+.0}"),
        difference => if difference > 0.0 { "+inf" } else { "-inf" }.to_owned(),
    }
}

/// The processor time of this thread, which other work of the machine does not change much.
fn cpu() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pbmserv_core::table::COMPUTERS;

    fn contest(game: &str, player: &str, options: &[&str]) -> Contest {
        Contest {
            game: game.to_owned(),
            player: player.parse().unwrap(),
            opponent: Player::Random,
            games: 4,
            seed: 1,
            options: options.iter().map(|option| (*option).to_owned()).collect(),
        }
    }

    #[test]
    fn the_last_line_names_the_player_as_players_know_it_and_counts_all_games() {
        let mut out = Vec::new();
        contest("Forms", "easy", &["-size=4"]).run(&mut out).unwrap();
        let out = String::from_utf8(out).unwrap();
        let last: Vec<_> = out
            .lines()
            .last()
            .unwrap()
            .split([' ', ','])
            .filter(|word| !word.is_empty())
            .collect();
        assert_eq!(last[0], "bot-easy", "{out}");
        let counts = [last[1], last[3], last[5]].map(|count| count.parse::<u32>().unwrap());
        assert_eq!(counts.iter().sum::<u32>(), 4, "{out}");
    }

    #[test]
    fn the_computers_are_called_what_players_call_them() {
        for computer in &COMPUTERS {
            let player: Player = computer.userid.parse().unwrap();
            assert_eq!(player, Player::Bot(computer.level));
            assert_eq!(player.to_string(), computer.userid);
        }
    }

    #[test]
    fn an_unknown_game_is_refused() {
        let refused = contest("shogi", "easy", &[]).run(&mut Vec::new()).unwrap_err();
        assert!(
            refused.to_string().starts_with("There is no game shogi."),
            "{refused}"
        );
    }

    #[test]
    fn a_game_in_which_a_player_finds_no_turn_fails_the_contest() {
        let one = |number, stop: &AtomicBool| match number {
            2 => Err(Failure::NoTurn(Player::Random, 7)),
            _ if stop.load(Ordering::Relaxed) => Err(Failure::Stopped),
            _ => Ok(Tally::default()),
        };
        let failed = played(20, &one, &mut |_| ()).unwrap_err();
        assert_eq!(
            failed.to_string(),
            "Game 3 has no result: random found no turn after 7 turns. The same seed plays it again"
        );
    }
}
