//! `match`: computer players against one another.

use std::io::{self, Write};
use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use clap::Args;
use rustix::time::{ClockId, clock_gettime};
use thiserror::Error;

use crate::bots::contest::{self, Player, Seeds};
use crate::games::{self, GAMES, Game, Options, Outcome, Refusal, Seat};
use crate::kit::mix::mix;
use crate::kit::reading::shown;

use super::progress::Progress;

// Not a doc comment, because clap would print it instead of the help of the verb.
#[derive(Clone, Debug, Args)]
pub struct Contest {
    /// The game.
    pub game: String,
    /// A player: easy, medium, hard, random, or uct:N with N random games a turn.
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
    #[error("There is no game {name}. The games are: {games}.")]
    Game { name: String, games: String },
    #[error("{0}")]
    Options(#[from] Refusal),
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
    /// An unknown game, wrong options, or a writer that fails.
    pub fn run(&self, out: &mut dyn Write) -> Result<(), Error> {
        let game = games::find(&self.game).ok_or_else(|| Error::Game {
            name: shown(&self.game),
            games: GAMES
                .iter()
                .map(|game| game.facts.name)
                .collect::<Vec<_>>()
                .join(", "),
        })?;
        let options = Options::parse(game.facts, self.options.iter().map(String::as_str))?;
        game.start(&options)?;
        let tally = self.played(game, &options);
        let names = [self.player, self.opponent].map(|player| player.to_string());
        write!(out, "{}", tally.report(&names))?;
        Ok(out.flush()?)
    }

    fn played(&self, game: &Game, options: &Options) -> Tally {
        let progress = Progress::begin(format!("playing {}", game.facts.name));
        let next = AtomicU32::new(0);
        let (results, played) = mpsc::channel();
        let mut tally = Tally::default();
        std::thread::scope(|scope| {
            for _ in 0..std::thread::available_parallelism().map_or(1, NonZero::get) {
                let (results, next) = (results.clone(), &next);
                scope.spawn(move || {
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= self.games || results.send(self.one(game, options, number)).is_err() {
                            break;
                        }
                    }
                });
            }
            drop(results);
            for (done, one) in (1..).zip(played) {
                tally.add(&one);
                progress.at(done, u64::from(self.games));
            }
        });
        tally
    }

    /// Game number `number`, from 0.
    fn one(&self, game: &Game, options: &Options, number: u32) -> Tally {
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
        let outcome = contest::play(
            game,
            options,
            players,
            seeds,
            &AtomicBool::new(false),
            &mut |seat, _| {
                let now = cpu();
                let (place, time) = (place(seat), now.saturating_sub(last));
                tally.turns[place] += 1;
                tally.time[place] += time;
                tally.longest[place] = tally.longest[place].max(time);
                last = now;
            },
        );
        match outcome {
            Some(Outcome::Won(seat)) => {
                tally.first += u32::from(seat == Seat::First);
                tally.wins += u32::from(place(seat) == 0);
                tally.losses += u32::from(place(seat) == 1);
            }
            Some(Outcome::Drawn) => tally.draws += 1,
            None => {}
        }
        tally
    }
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
