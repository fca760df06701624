//! `demo`: shows in a minute what the server does. It starts a real server on a free port, with a temporary folder. Two
//! players sign up, challenge, make a mistake, and play a whole game by SMTP.

use std::io::Write;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use mail_parser::MessageParser;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use crate::admin::Demo;
use crate::config::{Accounts, Config, Server, Smtp};
use crate::daemon::serve::{Running, start};
use crate::engine::TimeSource;
use crate::games::{self, Game, Match, Options, Outcome, Seat};
use crate::outbox::{Maildirs, Relay};

/// The address of the demo server.
const SERVER: &str = "pbmserv@demo.example";

/// How long an answer may take before the demo gives up.
const PATIENCE: Duration = Duration::from_secs(20);

/// A player of the demo, who writes by SMTP and reads a Maildir.
struct Player {
    userid: &'static str,
    password: &'static str,
    address: String,
    mailbox: PathBuf,
    received: usize,
}

/// A mail as a player reads it.
struct Letter {
    subject: String,
    text: String,
}

/// Plays the demo.
///
/// # Errors
/// The server cannot start, does not answer in time, or gives an unexpected answer.
pub async fn run(demo: &Demo, out: &mut dyn Write) -> anyhow::Result<()> {
    let game = games::find(&demo.game).with_context(|| {
        let known: Vec<_> = games::GAMES.iter().map(|game| game.facts.name).collect();
        format!(
            "there is no game called {}: it is one of {}",
            demo.game,
            known.join(", ")
        )
    })?;
    let folder = Temporary::new()?;
    let running = start(&config(&folder.0), TimeSource::machine(), Some(demo.seed)).await?;
    let played = play(demo, game, &running, &folder.0, out).await;
    running.stop().await;
    played
}

fn config(data: &Path) -> Config {
    Config {
        server: Server {
            address: SERVER.into(),
            data: data.into(),
            ..Server::default()
        },
        smtp: Smtp {
            listen: "127.0.0.1:0".into(),
            ..Smtp::default()
        },
        accounts: Accounts {
            confirm: false,
            ..Accounts::default()
        },
        ..Config::default()
    }
}

async fn play(
    demo: &Demo,
    game: &'static Game,
    running: &Running,
    data: &Path,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let started = Instant::now();
    let port = running.smtp.context("the SMTP door is closed")?.port();
    let maildirs = Maildirs::new(data.join("mail"));
    let player = |userid: &'static str, password| -> anyhow::Result<Player> {
        let address = format!("{userid}@players.example");
        let mailbox = maildirs.mailbox(&address.parse()?);
        Ok(Player {
            userid,
            password,
            address,
            mailbox,
            received: 0,
        })
    };
    let players = [player("alice", "under-the-rose")?, player("bob", "open-sesame")?];
    let mut table = Table {
        server: Relay::new(&format!("smtp://127.0.0.1:{port}"), None)?,
        players,
        out,
        quiet: demo.quiet,
        sent: 0,
    };
    table.say(&format!(
        "A server listens on 127.0.0.1:{port}. Two players sign up, and want plain text: a terminal shows no pictures."
    ))?;
    for seat in Seat::BOTH {
        let Player { userid, password, .. } = table.players[seat.index()];
        for subject in [
            format!("signup {userid} {password}"),
            format!("set {userid} {password} text"),
        ] {
            table.write(seat, &subject, "").await?;
            table.read(seat).await?;
        }
    }
    let name = game.facts.name;
    table
        .write(
            Seat::First,
            &format!("{name} challenge alice bob"),
            "Hello Bob, have you time for a game?",
        )
        .await?;
    let board = board_of(&table.read(Seat::First).await?)?;
    table.read(Seat::Second).await?;
    table.say("alice errs: a misspelt verb, then a turn that the rules forbid.")?;
    let start = game.start(&Options::none(game.facts))?;
    let forbidden = forbidden_turn(start.as_ref())?;
    for subject in [
        format!("{name} mvve {board} alice under-the-rose"),
        format!("{name} move {board} alice under-the-rose {forbidden}"),
    ] {
        table.write(Seat::First, &subject, "").await?;
        table.read(Seat::First).await?;
    }
    let mut position = game.start(&Options::none(game.facts))?;
    let mut rng = ChaCha8Rng::seed_from_u64(demo.seed);
    let mut turns = 0;
    while let Some(seat) = position.to_move() {
        let turn = next_turn(position.as_ref(), &mut rng)?;
        position.play(&turn)?;
        turns += 1;
        let Player { userid, password, .. } = table.players[seat.index()];
        table
            .write(
                seat,
                &format!("{name} Board {board} {userid} {password} {turn}"),
                "",
            )
            .await?;
        let news = table.read(seat.other()).await?;
        table.read(seat).await?;
        ensure!(
            news.text.contains(&turn),
            "the news do not tell of {turn}:\n{}",
            news.text
        );
        ensure!(
            news.text
                .contains(&first_row(&position.draw(games::Display::Large))),
            "the board is not the one played"
        );
    }
    summary(&mut table, game, position.as_ref(), turns, started)
}

/// The mistake: a turn that only the opponent could play, or a text that is not a turn if there is no such turn.
fn forbidden_turn(start: &dyn Match) -> anyhow::Result<String> {
    let mut next = start.fork();
    if let Some(turn) = start.turns(1).pop() {
        next.play(&turn)?;
    }
    let of_the_opponent = next
        .turns(1000)
        .into_iter()
        .find(|turn| start.read(turn).is_err());
    Ok(of_the_opponent.unwrap_or_else(|| "nonsense".to_owned()))
}

/// The turn to play. Of a few random turns it is the one with the greatest advantage in pieces, so that the game ends
/// soon.
fn next_turn(position: &dyn Match, rng: &mut ChaCha8Rng) -> anyhow::Result<String> {
    let own = position.to_move();
    let mut best: Option<(i64, String)> = None;
    for _ in 0..8 {
        let turn = position
            .random_turn(rng)
            .context("there is no legal turn in a game that goes on")?;
        let mut after = position.fork();
        after.play(&turn)?;
        let score = match after.outcome() {
            Some(Outcome::Won(seat)) if Some(seat) == own => i64::MAX,
            Some(Outcome::Won(_)) => i64::MIN,
            _ => advantage(after.as_ref(), own),
        };
        if best.as_ref().is_none_or(|(least, _)| score > *least) {
            best = Some((score, turn));
        }
    }
    best.map(|(_, turn)| turn)
        .context("there is no legal turn in a game that goes on")
}

/// The number of a side's pieces minus the opponent's.
fn advantage(position: &dyn Match, side: Option<Seat>) -> i64 {
    let letters = position.facts().letters;
    let count = |seat: Seat| {
        let own = |letter: char| letters[seat.index()].contains(letter);
        i64::try_from(position.cells().iter().filter(|(_, letter)| own(*letter)).count()).unwrap_or_default()
    };
    side.map_or(0, |side| count(side) - count(side.other()))
}

fn summary(
    table: &mut Table<'_>,
    game: &Game,
    position: &dyn Match,
    turns: usize,
    started: Instant,
) -> anyhow::Result<()> {
    let result = match position.outcome() {
        Some(Outcome::Won(seat)) => {
            let side = game.facts.sides[seat.index()];
            format!("{} ({side}) has won", table.players[seat.index()].userid)
        }
        Some(Outcome::Drawn) => "a draw".to_owned(),
        None => bail!("the game did not end"),
    };
    let received: usize = table.players.iter().map(|player| player.received).sum();
    let seconds = started.elapsed().as_secs_f64();
    writeln!(
        table.out,
        "{}: {result} after {turns} turns. {} mails went to the server, {received} came back, in {seconds:.1} seconds.",
        game.facts.title, table.sent
    )?;
    Ok(())
}

/// The number of the board in a subject such as `Pow2 Board 101 alice`.
fn board_of(letter: &Letter) -> anyhow::Result<u32> {
    let word = letter.subject.split_whitespace().nth(2).unwrap_or_default();
    word.parse()
        .with_context(|| format!("no board has begun: {}\n{}", letter.subject, letter.text))
}

fn first_row(board: &str) -> String {
    board.lines().next().unwrap_or_default().to_owned()
}

struct Table<'a> {
    server: Relay,
    players: [Player; 2],
    out: &'a mut dyn Write,
    quiet: bool,
    sent: usize,
}

impl Table<'_> {
    fn say(&mut self, text: &str) -> anyhow::Result<()> {
        if !self.quiet {
            writeln!(self.out, "\n=== {text}")?;
        }
        Ok(())
    }

    async fn write(&mut self, seat: Seat, subject: &str, body: &str) -> anyhow::Result<()> {
        let player = &self.players[seat.index()];
        if !self.quiet {
            let shown = subject.replace(player.password, "******");
            writeln!(self.out, "\n>>> {} writes: {shown}", player.userid)?;
        }
        let mail = lettre::Message::builder()
            .from(player.address.parse()?)
            .to(SERVER.parse()?)
            .subject(subject)
            .message_id(None)
            .body(body.to_owned())?;
        self.server
            .send(&player.address, SERVER, &mail.formatted())
            .await
            .with_context(|| format!("{} could not write", player.userid))?;
        self.sent += 1;
        Ok(())
    }

    /// Waits for the next mail to a player and removes it from the mailbox.
    async fn read(&mut self, seat: Seat) -> anyhow::Result<Letter> {
        let player = &mut self.players[seat.index()];
        let waited = Instant::now();
        let path = loop {
            if let Some(path) = oldest(&player.mailbox.join("new")) {
                break path;
            }
            ensure!(
                waited.elapsed() < PATIENCE,
                "{} got no mail in {PATIENCE:?}",
                player.userid
            );
            tokio::time::sleep(Duration::from_millis(1)).await;
        };
        let bytes = std::fs::read(&path)?;
        std::fs::remove_file(&path)?;
        player.received += 1;
        let message = MessageParser::default()
            .parse(&bytes)
            .context("a mail cannot be read")?;
        let subject = message.subject().unwrap_or_default().to_owned();
        let text = message
            .body_text(0)
            .map(std::borrow::Cow::into_owned)
            .unwrap_or_default()
            .replace("\r\n", "\n");
        if !self.quiet {
            writeln!(self.out, "\n<<< {} reads: {subject}\n", player.userid)?;
            for line in text.lines() {
                writeln!(self.out, "{}", format!("    {line}").trim_end())?;
            }
        }
        Ok(Letter { subject, text })
    }
}

fn oldest(folder: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder)
        .ok()?
        .flatten()
        .map(|entry| entry.path());
    entries.min()
}

/// A folder that is removed when this is dropped.
struct Temporary(PathBuf);

impl Temporary {
    fn new() -> anyhow::Result<Self> {
        let key = crate::mail::Key::generate()?;
        let name = data_encoding::HEXLOWER.encode(&key.tag("folder", b"demo")[..6]);
        let path = std::env::temp_dir().join(format!("pbmserv-demo-{name}"));
        let created = std::fs::DirBuilder::new().mode(0o700).create(&path);
        created.with_context(|| format!("{} cannot be made", path.display()))?;
        Ok(Self(path))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.0) {
            tracing::warn!(%error, folder = %self.0.display(), "the folder of the demo could not be removed");
        }
    }
}
