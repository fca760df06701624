//! Kills while computers think: each turn of a player is answered once, whatever happens, and the player hears of it.

use std::collections::HashMap;
use std::path::Path;
use std::thread;
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::alone;
use crate::daemon::mailbox::Mailbox;
use crate::daemon::{Daemon, Setup, count, seed, smtp, until};
use pbmserv_core::store::{BoardFilter, Reader};

const ALICE: &str = "alice@example.org";

/// The boards. Those of Forms last longer than the test; a player who plays at random may lose at Pow2 in three turns.
const BOARDS: [&str; 4] = [
    "Forms challenge alice bot-easy -size=14",
    "Forms challenge bot-medium alice -size=12",
    "Pow2 challenge alice bot-easy",
    "ShapeChess challenge bot-easy alice",
];

const KILLS: usize = 12;

/// A player of all these boards.
struct Player {
    setup: Setup,
    daemon: Option<Daemon>,
    sent: usize,
}

impl Player {
    fn daemon(&self) -> &Daemon {
        self.daemon.as_ref().unwrap()
    }

    fn send(&mut self, subject: &str) {
        self.sent += 1;
        let (port, id) = (self.daemon().port, format!("{}@home.example", self.sent));
        smtp::send(port, ALICE, &id, subject, "");
    }

    /// Plays a turn on each board where the player is to move.
    fn play(&mut self, rng: &mut StdRng) {
        let reader = Reader::open(self.setup.database()).unwrap();
        let filter = BoardFilter {
            running: Some(true),
            limit: 100,
            ..BoardFilter::default()
        };
        for board in reader.boards(filter).unwrap() {
            if board.waits_for_computer() {
                continue;
            }
            let turns = reader.turns(board.id).unwrap();
            let position = board.replay(turns, usize::MAX).unwrap();
            let turns = position.game.turns(50);
            let turn = &turns[rng.random_range(0..turns.len())];
            let line = format!(
                "{} move {} alice fig7elk {turn}",
                board.game.facts.name, board.number
            );
            self.send(&line);
        }
    }

    fn waiting(&self) -> i64 {
        let sql = "SELECT COUNT(*) FROM boards WHERE (to_move = 0 AND first_player < 0) OR (to_move = 1 AND second_player < 0)";
        count(&self.setup.look(), sql)
    }
}

#[test]
fn a_computer_that_is_killed_while_it_thinks_answers_once() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let mail = folder.path().join("mail");
    let setup = Setup::new(folder.path())
        .with("PBMSERV_DELIVERY_MAILDIR", &mail.to_string_lossy())
        .with("PBMSERV_ACCOUNTS_CONFIRM", "false");
    let mut rng = StdRng::seed_from_u64(seed());
    let mut player = Player {
        daemon: Some(setup.serve()),
        setup,
        sent: 0,
    };
    player.send("signup alice fig7elk");
    for line in BOARDS {
        player.send(line);
    }
    for _ in 0..KILLS {
        player.play(&mut rng);
        thread::sleep(Duration::from_millis(rng.random_range(0..400)));
        let log = player.daemon.take().unwrap().kill_and_tell();
        assert!(
            !log.contains("panicked") && !log.contains("could not think"),
            "{log}"
        );
        player.daemon = Some(player.setup.serve());
        until("all computers have answered", || {
            (player.waiting() == 0).then_some(())
        });
    }
    player.setup.wait_for_delivery();
    player.daemon.take().unwrap().stop_well();
    judge(&player.setup.database(), &mail);
}

/// Turns alternate, the record of each board replays, and each mail of the player has one letter that answers it, or two if the
/// receipt had gone.
fn judge(database: &Path, mail: &Path) {
    let reader = Reader::open(database).unwrap();
    let filter = BoardFilter {
        limit: 100,
        ..BoardFilter::default()
    };
    let boards = reader.boards(filter).unwrap();
    assert_eq!(boards.len(), BOARDS.len());
    for board in boards {
        let turns = reader.turns(board.id).unwrap();
        let is_over = board.end.is_some() && board.game.facts.name != "Forms";
        assert!(
            is_over || turns.len() > KILLS / 2,
            "{}: {} turns",
            board.name(),
            turns.len()
        );
        board.replay(turns, usize::MAX).unwrap();
    }
    let conn = rusqlite::Connection::open(database).unwrap();
    let inbox: Vec<(i64, String)> = conn
        .prepare("SELECT id, message_id FROM inbox WHERE state = 'done'")
        .unwrap()
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap()
        .collect::<rusqlite::Result<_>>()
        .unwrap();
    let mut answers: HashMap<String, usize> = HashMap::new();
    for letter in Mailbox::new(mail, ALICE).fetch() {
        *answers.entry(letter.in_reply_to).or_default() += 1;
    }
    for (id, message_id) in &inbox {
        let heard = answers.get(message_id).copied().unwrap_or_default();
        assert!((1..=2).contains(&heard), "the mail {id} has {heard} answers");
        let kept = count(
            &conn,
            &format!("SELECT COUNT(*) FROM outbox WHERE inbox = {id} AND state = 'sent'"),
        );
        assert!((1..=2).contains(&kept), "the mail {id} has {kept} letters");
    }
}
