//! How well our players of backgammon play, by GNU Backgammon, which answers on a port of this machine: `gnubg errors PORT SEED COUNT`
//! prints how much the plays of each level give away in positions of games, and `gnubg matches PORT LEVEL SEED COUNT POINTS` plays
//! matches against it. `tests/lockstep/gnubg_play.py` starts both.
//!
//! The line that it reads is a board as FIBS sends it (<http://www.fibs.com/fibs_interface.html>, "Board format").

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Error, Result, Write as _};
use std::net::TcpStream;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use pbmserv_games::bots::{self, Level};
use pbmserv_games::families::backgammon::{
    BAR, Crawford, Game as Backgammon, OFF, Position, Roll, State, Turn, Variant, plays,
};
use pbmserv_games::{Match, Options, Seat};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt as _, SeedableRng as _};

static NEVER: AtomicBool = AtomicBool::new(false);

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let number = |text: &str| text.parse::<u64>().map_err(Error::other);
    match words.as_slice() {
        ["errors", port, seed, count] => errors(&mut Gnubg::on(port)?, number(seed)?, number(count)?),
        ["matches", port, level, seed, count, points] => {
            let level = Level::ALL.into_iter().find(|own| own.name() == *level);
            let level = level.ok_or_else(|| Error::other("a level is easy, medium or hard"))?;
            let points = points.parse().map_err(Error::other)?;
            matches(
                &mut Gnubg::on(port)?,
                level,
                number(seed)?,
                number(count)?,
                points,
            )
        }
        _ => Err(Error::other(
            "errors PORT SEED COUNT, or matches PORT LEVEL SEED COUNT POINTS",
        )),
    }
}

/// GNU Backgammon, which waits for questions (its command `external`).
struct Gnubg {
    lines: BufReader<TcpStream>,
}

impl Gnubg {
    fn on(port: &str) -> Result<Self> {
        let stream = TcpStream::connect(format!("localhost:{port}"))?;
        Ok(Self {
            lines: BufReader::new(stream),
        })
    }

    fn ask(&mut self, question: &str) -> Result<String> {
        self.lines
            .get_mut()
            .write_all(format!("{question}\n").as_bytes())?;
        let mut answer = String::new();
        self.lines.read_line(&mut answer)?;
        match answer.starts_with("Error") || answer.is_empty() {
            true => Err(Error::other(format!("{question}: {answer}"))),
            false => Ok(answer.trim().to_owned()),
        }
    }

    /// How often the player on roll wins from here, of one.
    fn chance(&mut self, position: &Position, seat: Seat) -> Result<f64> {
        let board = Board {
            position,
            seat,
            ..Board::of_a_game(position)
        };
        let answer = self.ask(&format!("evaluation fibsboard {board} PLIES 2"))?;
        let first = answer.split_whitespace().next().unwrap_or_default();
        first.parse().map_err(Error::other)
    }
}

/// What FIBS says of a board to the player in this seat.
struct Board<'a> {
    position: &'a Position,
    seat: Seat,
    points: u8,
    score: [u8; 2],
    /// The dice of the player; none before the roll.
    dice: [u8; 2],
    cube: u8,
    may_double: [bool; 2],
    was_doubled: bool,
    is_after_crawford: bool,
}

impl<'a> Board<'a> {
    const fn of_a_game(position: &'a Position) -> Self {
        Self {
            position,
            seat: Seat::First,
            points: 1,
            score: [0; 2],
            dice: [0; 2],
            cube: 1,
            may_double: [true; 2],
            was_doubled: false,
            is_after_crawford: false,
        }
    }
}

impl std::fmt::Display for Board<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (own, other) = (self.seat, self.seat.other());
        let count = |seat, point| i32::from(self.position.count(seat, point));
        let [one, two] = [own, other].map(|seat| self.score[seat.index()]);
        write!(f, "board:You:other:{}:{one}:{two}", self.points)?;
        write!(f, ":{}", -count(other, BAR))?;
        for point in 1..BAR {
            write!(f, ":{}", count(own, point) - count(other, BAR - point))?;
        }
        write!(f, ":{}", count(own, BAR))?;
        // Whose turn it is; a double is the other player's.
        let turn = if self.was_doubled { -1 } else { 1 };
        let [die, second] = self.dice;
        write!(f, ":{turn}:{die}:{second}:0:0:{}", self.cube)?;
        let [may, other_may] = [own, other].map(|seat| u8::from(self.may_double[seat.index()]));
        write!(f, ":{may}:{other_may}:{}", u8::from(self.was_doubled))?;
        write!(f, ":1:-1:0:25:{}:{}", count(own, OFF), count(other, OFF))?;
        write!(
            f,
            ":{}:{}:2:0:{}:0",
            count(own, BAR),
            count(other, BAR),
            u8::from(self.is_after_crawford)
        )
    }
}

/// A match of ours, as the players see it, and with its board.
struct Played {
    game: Box<dyn Match>,
    known: Backgammon,
}

impl Played {
    fn start(points: u8) -> Result<Self> {
        let backgammon = pbmserv_games::find("Backgammon").ok_or_else(|| Error::other("no Backgammon"))?;
        let option = format!("-points={points}");
        let words = (points > 1).then_some(option.as_str());
        let options = Options::parse(backgammon.facts, words).map_err(Error::other)?;
        let mut game = backgammon.start(&options).map_err(Error::other)?;
        for _ in Seat::BOTH {
            game.play("roll").map_err(Error::other)?;
        }
        let known = Backgammon::new(Variant::Backgammon, points).map_err(Error::other)?;
        Ok(Self { game, known })
    }

    /// Rolls if dice are due.
    fn roll(&mut self, rng: &mut ChaCha8Rng) -> Result<()> {
        while self.known.needs_roll() {
            let dice = [rng.random_range(1..=6), rng.random_range(1..=6)];
            // Equal dice are no opening roll.
            if self.known.roll(dice).is_ok() {
                self.game.roll(dice);
            }
        }
        Ok(())
    }

    fn play(&mut self, text: &str) -> Result<()> {
        let bare = text
            .split_once(':')
            .map_or(text, |(_, play)| play)
            .replace(',', " ");
        let turn = self.known.read(&bare).map_err(Error::other)?;
        self.known.play(&turn);
        self.game.play(text).map_err(Error::other)?;
        Ok(())
    }

    fn choice(&self, level: Level, seed: u64) -> Result<String> {
        let thought = bots::think(self.game.as_ref(), level, seed, &NEVER);
        Ok(thought.ok_or_else(|| Error::other("no turn"))?.turn)
    }
}

fn errors(gnubg: &mut Gnubg, seed: u64, count: u64) -> Result<()> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut given = [0.0; 3];
    let (mut best_plays, mut at_random, mut looked) = ([0; 3], 0.0, 0);
    while looked < count {
        let mut played = Played::start(1)?;
        while played.known.winner().is_none() {
            played.roll(&mut rng)?;
            let (State::ToPlay(roll), Some(seat)) = (played.known.state(), played.known.to_move()) else {
                let turn = played.choice(Level::Medium, rng.random())?;
                played.play(&turn)?;
                continue;
            };
            let legal = plays(played.known.position(), seat, roll);
            if legal.len() > 1 && looked < count && rng.random_range(0..5) == 0 {
                let mut chances = Vec::new();
                for play in &legal {
                    chances.push(match play.result().winner() {
                        Some(_) => 1.0,
                        None => 1.0 - gnubg.chance(play.result(), seat.other())?,
                    });
                }
                let best = chances.iter().copied().fold(0.0, f64::max);
                at_random += best - chances.iter().sum::<f64>() / chances.len() as f64;
                for (level, (given, best_plays)) in
                    Level::ALL.into_iter().zip(given.iter_mut().zip(&mut best_plays))
                {
                    let choice = played.choice(level, rng.random())?;
                    let bare = choice
                        .split_once(':')
                        .map_or("", |(_, play)| play)
                        .replace(',', " ");
                    let found = legal.iter().position(|play| play.to_string() == bare);
                    let found = found.ok_or_else(|| Error::other(format!("{choice} is not legal")))?;
                    *given += best - chances[found];
                    *best_plays += u32::from(best - chances[found] < 0.0005);
                }
                looked += 1;
            }
            let turn = played.choice(Level::Medium, rng.random())?;
            played.play(&turn)?;
        }
    }
    let mean = |sum: f64| 100.0 * sum / count as f64;
    let mut line = format!(
        "{count} positions of one game; a play at random gives {:.2} points of 100 away",
        mean(at_random)
    );
    for (level, (given, best)) in Level::ALL.into_iter().zip(given.into_iter().zip(best_plays)) {
        let _ = write!(
            line,
            "; {} {:.2}, the best play {best} times",
            level.name(),
            mean(given)
        );
    }
    writeln!(std::io::stdout(), "{line}")
}

fn matches(gnubg: &mut Gnubg, level: Level, seed: u64, count: u64, points: u8) -> Result<()> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut won, mut games, mut turns, mut time) = (0, 0, 0_u32, 0.0);
    for number in 0..count {
        let mut played = Played::start(points)?;
        let ours = if number % 2 == 0 {
            Seat::First
        } else {
            Seat::Second
        };
        let mut score = [0; 2];
        while played.known.winner().is_none() {
            played.roll(&mut rng)?;
            let Some(seat) = played.known.to_move() else { break };
            let turn = if seat == ours {
                let started = Instant::now();
                let turn = played.choice(level, rng.random())?;
                time += started.elapsed().as_secs_f64();
                turns += 1;
                turn
            } else {
                answer(gnubg, &played.known, seat)?
            };
            played.play(&turn)?;
            if played.known.score() != score {
                score = played.known.score();
                games += 1;
            }
        }
        won += u64::from(played.known.winner() == Some(ours));
        let [own, other] = [ours, ours.other()].map(|seat| played.known.score()[seat.index()]);
        writeln!(std::io::stdout(), "match {}: {own} to {other}", number + 1)?;
    }
    writeln!(
        std::io::stdout(),
        "{} won {won} of {count} matches of {points} points, {games} games, {:.2} s a turn",
        level.name(),
        time / f64::from(turns.max(1))
    )
}

/// The turn of GNU Backgammon.
fn answer(gnubg: &mut Gnubg, game: &Backgammon, seat: Seat) -> Result<String> {
    let (cube, _) = game.cube();
    let mut board = Board {
        seat,
        points: game.length(),
        score: game.score(),
        cube,
        may_double: may_double(game),
        is_after_crawford: game.crawford() == Crawford::After,
        ..Board::of_a_game(game.position())
    };
    match game.state() {
        State::ToPlay(roll) => {
            if game.turns() == [Turn::Pass] {
                return Ok("pass".to_owned());
            }
            board.dice = dice(roll);
            Ok(gnubg.ask(&board.to_string())?.replace(' ', ","))
        }
        State::Doubled => {
            (board.was_doubled, board.may_double) = (true, [false; 2]);
            gnubg.ask(&board.to_string())
        }
        _ => gnubg.ask(&board.to_string()),
    }
}

/// Who may double. That nobody may says that somebody has, so it is not said where the cube is of no use.
fn may_double(game: &Backgammon) -> [bool; 2] {
    match Seat::BOTH.map(|seat| game.may_double(seat)) {
        [false, false] => [true; 2],
        may => may,
    }
}

fn dice(roll: Roll) -> [u8; 2] {
    match roll.numbers().as_slice() {
        [one, other, ..] => [*one, *other],
        _ => [0; 2],
    }
}
