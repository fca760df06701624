//! People who play Pow2, two at a board, and wait for the answer to each mail.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use pbmserv_games::{Match, Options};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use crate::daemon::mailbox::{Mail, Mailbox};
use crate::daemon::smtp::{Client, message, send};
use crate::daemon::{PATIENCE, SERVER};

/// The time between two looks at a mailbox.
const LOOK: Duration = Duration::from_millis(10);

/// The time in which a player thinks.
const THINKS: Duration = Duration::from_millis(300);

pub(super) fn userid(pair: usize, seat: usize) -> String {
    format!("{}{pair}", ["ann", "ben"][seat])
}

pub(super) fn address(pair: usize, seat: usize) -> String {
    format!("{}@players{pair}.example", userid(pair, seat))
}

pub(super) fn password(pair: usize, seat: usize) -> String {
    format!("pass-{pair}-{seat}")
}

/// Signs all of them up.
pub(super) fn sign_up(port: u16, pairs: usize) {
    for pair in 0..pairs {
        for seat in 0..2 {
            let (who, password) = (userid(pair, seat), password(pair, seat));
            let from = address(pair, seat);
            send(
                port,
                &from,
                &format!("signup@{who}.example"),
                &format!("signup {who} {password}"),
                "",
            );
        }
    }
}

/// One pair plays until the flood is over. `reply_to` is where the first of them answers the letter about their first board.
/// Returns how long each mail waited for its answer.
pub(super) fn play(
    port: u16,
    mail: &Path,
    pair: usize,
    reply_to: &mut Option<String>,
    is_over: &AtomicBool,
) -> Vec<Duration> {
    let mut table = Table::open(port, mail, pair, reply_to.take());
    let mut rng = ChaCha8Rng::seed_from_u64(u64::try_from(pair).unwrap());
    let mut board = None;
    while !is_over.load(Ordering::SeqCst) {
        board = match board.take() {
            None => Some(table.begin()),
            Some((number, position)) => table.turn(number, position, &mut rng),
        };
        std::thread::sleep(THINKS);
    }
    *reply_to = table.reply_to;
    table.waits
}

/// A board with its number and position.
type Board = (String, Box<dyn Match>);

struct Table {
    clients: [Client; 2],
    mailboxes: [Mailbox; 2],
    /// Where the first player answers the letter about the first board, which is not played to its end.
    reply_to: Option<String>,
    pair: usize,
    sent: usize,
    /// Makes the Message-IDs of this run different from those of other runs.
    run: u64,
    waits: Vec<Duration>,
}

impl Table {
    fn open(port: u16, mail: &Path, pair: usize, reply_to: Option<String>) -> Self {
        let both = [0, 1];
        let mut mailboxes = both.map(|seat| Mailbox::new(mail, &address(pair, seat)));
        for mailbox in &mut mailboxes {
            mailbox.fetch();
        }
        Self {
            clients: both.map(|_| Client::connect(port).unwrap()),
            mailboxes,
            reply_to,
            pair,
            sent: 0,
            run: rand::random(),
            waits: Vec::new(),
        }
    }

    /// Answers the first letter with a challenge: the strangers write in the players' names, and a challenge that proves
    /// nobody may go unread among theirs.
    fn begin(&mut self) -> Board {
        let [first, second] = [0, 1].map(|seat| userid(self.pair, seat));
        let to = self.reply_to.clone().unwrap_or_else(|| SERVER.to_owned());
        let answer = self.ask(0, &to, &format!("Pow2 challenge {first} {second}"));
        self.reply_to.get_or_insert(answer.reply_to.clone());
        let number = answer.subject.split_whitespace().nth(2).unwrap_or_default();
        assert!(answer.subject.starts_with("Pow2 Board "), "{answer:?}");
        let game = pbmserv_games::find("Pow2").unwrap();
        let position = game.start(&Options::none(game.facts)).unwrap();
        (number.to_owned(), position)
    }

    /// Plays a random turn; `None` when the game is over.
    fn turn(&mut self, number: String, mut position: Box<dyn Match>, rng: &mut ChaCha8Rng) -> Option<Board> {
        let seat = position.to_move()?.index();
        let turn = position.random_turn(rng)?;
        position.play_all(&turn).unwrap();
        let (who, password) = (userid(self.pair, seat), password(self.pair, seat));
        let answer = self.ask(
            seat,
            SERVER,
            &format!("Pow2 move {number} {who} {password} {turn}"),
        );
        assert!(answer.text.contains("You played"), "{answer:?}");
        position.to_move().is_some().then_some((number, position))
    }

    /// Sends a command to an address of the server and waits for its answer.
    fn ask(&mut self, seat: usize, to: &str, subject: &str) -> Mail {
        self.sent += 1;
        let (run, sent) = (self.run, self.sent);
        let from = address(self.pair, seat);
        let id = format!("{sent}.{run}@{}.example", userid(self.pair, seat));
        let start = Instant::now();
        let reply = self.clients[seat]
            .send_to(&from, &[to], &message(&from, &id, subject, ""))
            .unwrap();
        assert!(reply.starts_with("250"), "{subject}: {reply}");
        loop {
            let mails = self.mailboxes[seat].fetch();
            if let Some(answer) = mails.into_iter().find(|mail| mail.in_reply_to == id) {
                self.waits.push(start.elapsed());
                return answer;
            }
            assert!(start.elapsed() < PATIENCE, "no answer to {subject}");
            std::thread::sleep(LOOK);
        }
    }
}
