//! Moves on many boards. Each board uses one connection, so that its turns arrive in order.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use pbmserv::engine::folder::Folder;
use pbmserv_core::store::{Location, Reader, Server};
use pbmserv_core::table::Board;
use pbmserv_games::Match;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use crate::smtp::Session;
use crate::town::{PASSWORD, game, mail, number_of};

/// The times.
pub(crate) struct Took {
    /// Of each mail, from MAIL to the final 250.
    pub(crate) each: Vec<Duration>,
    /// Of the whole run.
    pub(crate) all: Duration,
}

/// A board at the start of the run.
struct Table {
    board: Board,
    position: Box<dyn Match>,
}

impl Table {
    /// The next turn as a mail; `None` when the game is over.
    fn next(&mut self, rng: &mut ChaCha8Rng) -> Option<pbmserv_mail::doors::Message> {
        let seat = self.board.at(self.position.to_move()?);
        let turn = self.position.random_turn(rng)?;
        self.position.play_all(&turn).unwrap();
        let (number, userid) = (self.board.number, &seat.userid);
        let subject = format!("Pow2 move {number} {userid} {PASSWORD} {turn}");
        Some(mail(number_of(userid), &subject))
    }
}

/// Sends the moves over these connections, all of which are open before the time starts.
pub(crate) async fn send(place: &str, server: &str, connections: usize, mails: usize) -> Took {
    let mut rounds: Vec<Vec<_>> = (0..connections).map(|_| Vec::new()).collect();
    for (number, turns) in turns(place, mails).into_iter().enumerate() {
        rounds[number % connections].push(turns);
    }
    let mut sessions = Vec::new();
    for round in rounds {
        sessions.push((Session::open(server).await, round));
    }
    let begun = Instant::now();
    let mut under_way = tokio::task::JoinSet::new();
    for (mut session, boards) in sessions {
        under_way.spawn(async move {
            let mut each = Vec::new();
            let longest = boards.iter().map(Vec::len).max().unwrap_or_default();
            for turn in 0..longest {
                for message in boards.iter().filter_map(|board| board.get(turn)) {
                    let begun = Instant::now();
                    session.send(message).await;
                    each.push(begun.elapsed());
                }
            }
            each
        });
    }
    let each = under_way.join_all().await.concat();
    Took {
        each,
        all: begun.elapsed(),
    }
}

/// Distributes the mails as lists, each with the turns of one board.
fn turns(place: &str, mails: usize) -> Vec<Vec<pbmserv_mail::doors::Message>> {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let mut tables = tables(place, mails);
    let mut turns: Vec<Vec<_>> = tables.iter().map(|_| Vec::new()).collect();
    let mut made = 0;
    while made < mails {
        let before = made;
        for (table, turns) in tables.iter_mut().zip(&mut turns) {
            if made < mails
                && let Some(turn) = table.next(&mut rng)
            {
                turns.push(turn);
                made += 1;
            }
        }
        assert!(made > before, "the boards are all over");
    }
    turns
}

/// A data folder, or the address of a database of PostgreSQL.
fn database(place: &str) -> Location {
    match place.starts_with("postgres://") {
        true => Location::Server(Arc::new(Server::new(place, None).unwrap())),
        false => Location::File(Folder::open(Path::new(place)).unwrap().database()),
    }
}

/// The running boards, at most one per mail.
fn tables(place: &str, most: usize) -> Vec<Table> {
    let reader = Reader::open(database(place)).unwrap();
    let pow2 = game("Pow2");
    let numbers = 101..reader.next_number(pow2).unwrap();
    let boards = numbers.filter_map(|number| reader.board(pow2, number).unwrap());
    let running = boards.filter(|board| board.end.is_none()).take(most);
    let table = |board: Board| {
        let turns = reader.turns(board.id).unwrap();
        let position = board.replay(turns, usize::MAX).unwrap().game;
        Table { board, position }
    };
    running.map(table).collect()
}
