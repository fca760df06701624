//! `demo`: shows in a minute what the server does. It starts a real server on a free port, with a temporary folder. Two
//! players sign up; one tries a turn against a computer, then they play a whole game by answering its mails, and one of them errs.

mod pictures;
mod player;
mod screen;

use std::io::Write;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, bail, ensure};
use pbmserv_games::{Display, Game, Match, Options, Outcome, Seat};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use crate::admin::Demo;
use crate::config::{Accounts, Config, Server, Smtp};
use crate::daemon::serve::{Running, start};
use crate::engine::TimeSource;
use pbmserv_mail::outbox::{Maildirs, Relay};

use player::{Letter, Player, SERVER};
use screen::{Detail, Screen};

pub use pictures::Protocol;

/// A board with more lines is shown once.
const LARGE_BOARD_LINES: usize = 18;

/// What to do after it.
const NEXT: &str = "
To play yourself:
  pbmserv init               asks a few questions and sets up a server: behind your mail server,
                             or with nothing but a mailbox at a provider
  pbmserv mail you@example.org 'signup you PASSWORD'
                             tries it without mail: the answers stand on the screen
  pbmserv demo --all         the same with every mail; --game Hex plays another game";

/// Plays the demo. `pictures`: how the terminal shows pictures; `None` if it cannot, or `out` is none. `columns`: how wide it is.
///
/// # Errors
/// The server cannot start, does not answer in time, or gives an unexpected answer.
pub async fn run(
    demo: &Demo,
    pictures: Option<Protocol>,
    columns: usize,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let game = pbmserv_games::find(&demo.game).with_context(|| {
        let known: Vec<_> = pbmserv_games::GAMES.iter().map(|game| game.facts.name).collect();
        format!(
            "there is no game called {}: it is one of {}",
            demo.game,
            known.join(", ")
        )
    })?;
    let screen = Screen {
        out,
        detail: match (demo.quiet, demo.all) {
            (true, _) => Detail::Summary,
            (_, true) => Detail::All,
            _ => Detail::Short,
        },
        pictures,
        columns,
    };
    let folder = Temporary::new()?;
    let running = start(&config(&folder.0), TimeSource::machine(), Some(demo.seed)).await?;
    let played = play(demo, game, &running, &folder.0, screen).await;
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
    screen: Screen<'_>,
) -> anyhow::Result<()> {
    let started = Instant::now();
    let port = running.smtp.context("the SMTP door is closed")?.port();
    let maildirs = Maildirs::new(data.join("mail"));
    let mut table = Table {
        server: Relay::new(&format!("smtp://127.0.0.1:{port}"), None)?,
        players: [
            Player::new("alice", "under-the-rose", &maildirs)?,
            Player::new("bob", "open-sesame", &maildirs)?,
        ],
        screen,
        sent: 0,
    };
    table.screen.say(&format!(
        "A server listens on 127.0.0.1:{port}. alice and bob write to it by mail; nothing leaves your machine."
    ))?;
    table.sign_up(game).await?;
    table.practise(game).await?;
    table.begin(game).await?;
    let mut position = game.start(&Options::none(game.facts))?;
    let turns = table.play(position.as_mut(), demo.seed).await?;
    table.summary(game, position.as_ref(), turns, started)
}

/// The mistake: a turn that only the opponent could play, or a word that is a turn in other games if there is no such turn.
fn forbidden_turn(start: &dyn Match) -> anyhow::Result<String> {
    let mut next = start.fork();
    if let Some(turn) = start.turns(1).pop() {
        next.play(&turn)?;
    }
    let of_the_opponent = next
        .turns(1000)
        .into_iter()
        .find(|turn| start.read(turn).is_err());
    let unknown = if start.facts().knows_pass { "swap" } else { "pass" };
    Ok(of_the_opponent.unwrap_or_else(|| unknown.to_owned()))
}

/// A turn as a player writes it. A capital that begins a line may be a telephone's, so there the server would ask.
fn written(turn: &str) -> String {
    match turn.starts_with(char::is_uppercase) {
        true => format!("move {turn}"),
        false => turn.to_owned(),
    }
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

/// The server and the players.
struct Table<'a> {
    server: Relay,
    players: [Player; 2],
    screen: Screen<'a>,
    sent: usize,
}

impl Table<'_> {
    /// Both sign up, and choose the small board, which stands on one screen with the words around it.
    async fn sign_up(&mut self, game: &Game) -> anyhow::Result<()> {
        // Each turn is played by mail, also where there is one only.
        let more = if game.facts.has_dice { " forced off" } else { "" };
        for (seat, detail) in Seat::BOTH.into_iter().zip([Detail::Short, Detail::All]) {
            let Player { userid, password, .. } = self.players[seat.index()];
            self.write(seat, detail, &format!("signup {userid} {password}"), "")
                .await?;
            let welcome = self.read(seat).await?;
            match detail {
                Detail::Short => self.screen.reads_beginning(userid, &welcome, 1)?,
                _ => self.screen.reads_unseen(userid, &welcome)?,
            }
            self.write(
                seat,
                Detail::All,
                &format!("set {userid} {password} small{more}"),
                "",
            )
            .await?;
            let set = self.read(seat).await?;
            self.screen.reads_unseen(userid, &set)?;
        }
        Ok(())
    }

    /// A first turn against a computer, which answers it at once.
    async fn practise(&mut self, game: &'static Game) -> anyhow::Result<()> {
        self.screen
            .say("alice tries a first turn against a computer. One mail brings its answer.")?;
        let challenge = format!("{} challenge alice bot-easy", game.facts.name);
        self.write(Seat::First, Detail::Short, &challenge, "").await?;
        let board = self.read(Seat::First).await?;
        self.screen.reads_unseen("alice", &board)?;
        let start = game.start(&Options::none(game.facts))?;
        let turn = start.turns(1).pop().context("there is no first turn")?;
        self.answer(Seat::First, Detail::Short, &written(&turn)).await?;
        let answered = self.read(Seat::First).await?;
        let words: Vec<_> = answered.text.split_whitespace().collect();
        ensure!(
            words
                .windows(2)
                .any(|pair| matches!(pair, ["bot-easy", "answered" | "said"])),
            "the computer has not answered:\n{}",
            answered.text
        );
        self.screen.reads_beginning("alice", &answered, 1)?;
        Ok(())
    }

    /// The challenge, and a turn that the rules forbid.
    async fn begin(&mut self, game: &'static Game) -> anyhow::Result<()> {
        let name = game.facts.name;
        let start = game.start(&Options::none(game.facts))?;
        self.screen
            .say("bob has signed up too, and alice challenges him. From here on nobody needs a password: they answer.")?;
        let challenge = format!("{name} challenge alice bob");
        let words = "Hello Bob, have you time for a game?";
        self.write(Seat::First, Detail::Short, &challenge, words).await?;
        let news = self.read(Seat::Second).await?;
        self.screen.reads_unseen("bob", &news)?;
        let board = self.read(Seat::First).await?;
        ensure!(
            board.subject.contains(" Board "),
            "no board has begun: {}\n{}",
            board.subject,
            board.text
        );
        let drawing = start.draw(Display::Small);
        match drawing.lines().count() {
            0..=LARGE_BOARD_LINES => self.screen.reads("alice", &board, &drawing)?,
            _ => self.screen.reads_beginning("alice", &board, 2)?,
        }
        self.screen.say("alice errs: a turn that the rules forbid.")?;
        self.answer(Seat::First, Detail::Short, &forbidden_turn(start.as_ref())?)
            .await?;
        let refused = self.read(Seat::First).await?;
        self.screen.reads_beginning("alice", &refused, 2)?;
        Ok(())
    }

    /// The whole game: the first turns and the last one are shown. Gives their number.
    async fn play(&mut self, position: &mut dyn Match, seed: u64) -> anyhow::Result<usize> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (mut turns, mut unseen) = (0, Vec::new());
        while let Some(seat) = position.to_move() {
            let turn = next_turn(position, &mut rng)?;
            position.play(&turn)?;
            turns += 1;
            let is_last = position.to_move().is_none();
            let detail = match turns {
                1 | 2 => Detail::Short,
                _ if is_last => Detail::Short,
                _ => Detail::All,
            };
            match (turns, is_last) {
                (1, _) => self
                    .screen
                    .say("Now a turn that they allow, with a word for bob.")?,
                (2, _) => self.screen.say("bob answers that letter with his turn.")?,
                (_, true) => {
                    self.screen.turns(&unseen)?;
                    self.screen.say("The last turn ends the game.")?;
                }
                _ => unseen.push(turn.clone()),
            }
            let words = if turns == 1 { "\n\nGood luck!" } else { "" };
            self.answer(seat, detail, &format!("{}{words}", written(&turn)))
                .await?;
            let news = self.read(seat.other()).await?;
            let own = self.read(seat).await?;
            self.roll(position, &news, seat.other())?;
            check(&news, &turn, position)?;
            let (mover, other) = (
                self.players[seat.index()].userid,
                self.players[seat.other().index()].userid,
            );
            match turns {
                1 => {
                    self.screen.reads(other, &news, &position.draw(Display::Small))?;
                    self.screen.reads_unseen(mover, &own)?;
                }
                _ if detail == Detail::Short => {
                    self.screen
                        .reads_beginning(other, &news, if is_last { 3 } else { 1 })?;
                    self.screen.reads_unseen(mover, &own)?;
                }
                _ => {
                    self.screen.reads_unseen(other, &news)?;
                    self.screen.reads_unseen(mover, &own)?;
                }
            }
        }
        Ok(turns)
    }

    /// Takes the dice that the letter to the player in this seat names.
    fn roll(&self, position: &mut dyn Match, news: &Letter, reader: Seat) -> anyhow::Result<()> {
        let Some(due) = position.due_roll() else {
            return Ok(());
        };
        let words: Vec<_> = news.text.split_whitespace().collect();
        let rolled = words.windows(3).find_map(|three| {
            let [who, "rolled", dice] = three else { return None };
            let (high, low) = dice.trim_end_matches('.').split_once('-')?;
            Some((*who, [high.parse().ok()?, low.parse().ok()?]))
        });
        let (who, [high, low]) = rolled.context("the letter names no dice")?;
        let roller = if who == "You" { reader } else { reader.other() };
        position.roll(match (due.must_differ, roller) {
            (true, Seat::Second) => [low, high],
            _ => [high, low],
        });
        Ok(())
    }

    fn summary(
        &mut self,
        game: &Game,
        position: &dyn Match,
        turns: usize,
        started: Instant,
    ) -> anyhow::Result<()> {
        let result = match position.outcome() {
            Some(Outcome::Won(seat)) => {
                let side = game.facts.sides[seat.index()];
                format!("{} ({side}) has won", self.players[seat.index()].userid)
            }
            Some(Outcome::Drawn) => "a draw".to_owned(),
            None => bail!("the game did not end"),
        };
        let received: usize = self.players.iter().map(|player| player.received).sum();
        let seconds = started.elapsed().as_secs_f64();
        if self.screen.detail > Detail::Summary {
            writeln!(self.screen.out)?;
        }
        writeln!(
            self.screen.out,
            "{}: {result} after {turns} turns. {} mails in, {received} out, {seconds:.1} seconds.",
            game.facts.title, self.sent
        )?;
        if self.screen.detail > Detail::Summary {
            writeln!(self.screen.out, "{NEXT}")?;
        }
        Ok(())
    }

    /// A new mail, shown with its password hidden.
    async fn write(&mut self, seat: Seat, detail: Detail, subject: &str, text: &str) -> anyhow::Result<()> {
        let player = &self.players[seat.index()];
        let shown = subject.replace(player.password, "******");
        self.screen
            .writes(detail, player.userid, &format!("writes: {shown}"), text)?;
        player.write(&self.server, subject, text).await?;
        self.sent += 1;
        Ok(())
    }

    /// An answer to the last letter.
    async fn answer(&mut self, seat: Seat, detail: Detail, text: &str) -> anyhow::Result<()> {
        let player = &self.players[seat.index()];
        let (first, below) = text.split_once('\n').unwrap_or((text, ""));
        self.screen
            .writes(detail, player.userid, &format!("answers: {first}"), below.trim())?;
        player.answer(&self.server, text).await?;
        self.sent += 1;
        Ok(())
    }

    async fn read(&mut self, seat: Seat) -> anyhow::Result<Letter> {
        self.players[seat.index()].read().await
    }
}

/// Whether the news of a turn are right.
fn check(news: &Letter, turn: &str, position: &dyn Match) -> anyhow::Result<()> {
    ensure!(
        news.text.contains(turn),
        "the news do not tell of {turn}:\n{}",
        news.text
    );
    let board = position.draw(Display::Small);
    let first = board.lines().next().unwrap_or_default();
    ensure!(news.text.contains(first), "the board is not the one played");
    Ok(())
}

/// A folder that is removed when this is dropped.
struct Temporary(PathBuf);

impl Temporary {
    fn new() -> anyhow::Result<Self> {
        let key = pbmserv_mail::Key::generate()?;
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
