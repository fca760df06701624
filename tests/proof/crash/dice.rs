//! Kills in games with dice: no kill gives a second roll, and every letter says the same dice of the same turn.

use std::collections::BTreeMap;
use std::thread;
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::alone;
use crate::daemon::mailbox;
use crate::daemon::{Daemon, Setup, seed, smtp, until};
use pbmserv_core::store::{BoardFilter, Reader};
use pbmserv_core::table::{Board, End, check_dice};

const PLAYERS: [(&str, &str); 2] = [
    ("a@home.example", "alice fig7elk"),
    ("b@home.example", "bob fig7elk"),
];

const GAMES: [&str; 3] = ["Backgammon -points=5", "Nackgammon", "Hypergammon -points=3"];

const KILLS: usize = 12;

/// The boards, with what was played on each.
struct House {
    setup: Setup,
    daemon: Option<Daemon>,
    sent: usize,
    rng: StdRng,
}

impl House {
    fn send(&mut self, (from, _): (&str, &str), subject: &str) -> Result<String, std::io::Error> {
        self.sent += 1;
        let bytes = smtp::message(from, &format!("{}@home.example", self.sent), subject, "");
        smtp::Client::connect(self.daemon.as_ref().unwrap().port)?.send(from, &bytes)
    }

    fn boards(&self) -> (Reader, Vec<Board>) {
        let reader = Reader::open(self.setup.database()).unwrap();
        let filter = BoardFilter {
            limit: 100,
            ..BoardFilter::default()
        };
        let boards = reader.boards(filter).unwrap();
        (reader, boards)
    }

    /// A turn on each board that runs, from the player to move.
    fn turns(&mut self) -> Vec<((&'static str, &'static str), String)> {
        let (reader, boards) = self.boards();
        let mut mails = Vec::new();
        for board in boards.iter().filter(|board| board.end.is_none()) {
            let position = board.replay(reader.turns(board.id).unwrap(), usize::MAX).unwrap();
            let player = PLAYERS[position.game.to_move().unwrap().index()];
            let turn = position.game.random_turn(&mut self.rng).unwrap();
            let (name, number) = (board.game.facts.name, board.number);
            mails.push((player, format!("{name} move {number} {} {turn}", player.1)));
        }
        mails
    }

    /// What the board keeps of its dice.
    fn secrets(&self) -> Vec<String> {
        let look = self.setup.look();
        let sql = "SELECT number || ' ' || hex(dice_seed) || ' ' || dice_words FROM boards ORDER BY id";
        let mut statement = look.prepare(sql).unwrap();
        let rows = statement.query_map([], |row| row.get(0)).unwrap();
        rows.collect::<rusqlite::Result<_>>().unwrap()
    }
}

#[test]
fn no_kill_gives_a_second_roll() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let mail = folder.path().join("mail");
    let setup = Setup::new(folder.path())
        .with("PBMSERV_DELIVERY_MAILDIR", &mail.to_string_lossy())
        .with("PBMSERV_ACCOUNTS_CONFIRM", "false");
    let mut house = House {
        daemon: Some(setup.serve()),
        setup,
        sent: 0,
        rng: StdRng::seed_from_u64(seed()),
    };
    for player in PLAYERS {
        house.send(player, &format!("signup {}", player.1)).unwrap();
    }
    house.setup.wait_for_delivery();
    for game in GAMES {
        let (name, options) = game.split_once(' ').unwrap_or((game, ""));
        house
            .send(
                PLAYERS[0],
                format!("{name} challenge alice bob {options}").trim_end(),
            )
            .unwrap();
    }
    until("all boards have begun", || {
        (house.boards().1.len() == GAMES.len()).then_some(())
    });
    let mut kept = Vec::new();
    for round in 0..KILLS {
        for (player, line) in house.turns() {
            // A mail that was cut off is not sent again: the next turn is for the board as it stands.
            let _ = house.send(player, &line);
        }
        thread::sleep(Duration::from_millis(house.rng.random_range(0..60)));
        let log = house.daemon.take().unwrap().kill_and_tell();
        assert!(!log.contains("panicked"), "{log}");
        house.daemon = Some(house.setup.serve());
        house.setup.wait_for_delivery();
        let (reader, boards) = house.boards();
        if boards
            .iter()
            .all(|board| reader.turns(board.id).unwrap().len() >= 2)
        {
            let secrets = house.secrets();
            if !kept.is_empty() {
                assert_eq!(kept, secrets, "round {round}");
            }
            kept = secrets;
        }
    }
    assert_eq!(kept.len(), GAMES.len(), "all have rolled");
    let (_, boards) = house.boards();
    for board in boards.iter().filter(|board| board.end.is_none()) {
        let line = format!(
            "{} resign {} {}",
            board.game.facts.name, board.number, PLAYERS[0].1
        );
        house.send(PLAYERS[0], &line).unwrap();
    }
    house.setup.wait_for_delivery();
    house.daemon.take().unwrap().stop_well();
    judge(&house, &mail);
}

/// The record of each board is fair, and every letter that says a roll says that of the turns it shows.
fn judge(house: &House, mail: &std::path::Path) {
    let (reader, boards) = house.boards();
    let mut rolls = BTreeMap::new();
    for board in &boards {
        assert!(matches!(board.end, Some(End::Finished(_))), "{}", board.name());
        let record = reader.record_of(board, None, &[]).unwrap().unwrap();
        let checked = check_dice(&record).unwrap_or_else(|unfair| panic!("{unfair}: {record}"));
        let turns = reader.turns(board.id).unwrap();
        assert!(checked > 0 && turns.len() > KILLS / 2, "{record}");
        for count in 2..=turns.len() {
            let position = board.replay(turns[..count].to_vec(), usize::MAX).unwrap();
            rolls.insert((board.name(), count), position.game.dice());
        }
    }
    let mut letters = 0;
    for letter in mailbox::all(mail) {
        let Some(rolled) = letter.text.split("olled ").nth(1) else {
            continue;
        };
        let Some(name) = boards
            .iter()
            .map(Board::name)
            .find(|name| letter.text.contains(name))
        else {
            continue;
        };
        let dice: Vec<u8> = rolled
            .bytes()
            .take(3)
            .filter(u8::is_ascii_digit)
            .map(|c| c - b'0')
            .collect();
        let Some(count) = shown_turns(&letter.text) else {
            continue;
        };
        let Some(known) = rolls.get(&(name.clone(), count)) else {
            continue;
        };
        let mut known =
            known.unwrap_or_else(|| panic!("no dice of {name} after {count} turns:\n{}", letter.text));
        known.sort_unstable_by(|one, other| other.cmp(one));
        let mut dice = dice;
        dice.sort_unstable_by(|one, other| other.cmp(one));
        assert_eq!(dice, known, "{name} after {count} turns:\n{}", letter.text);
        letters += 1;
    }
    assert!(letters > KILLS, "{letters} letters say a roll");
}

/// How many turns a letter lists; `None` if it does not list all of the game.
fn shown_turns(text: &str) -> Option<usize> {
    let (_, list) = text.split_once("\n  No. ")?;
    let rows: Vec<&str> = list
        .lines()
        .skip(1)
        .take_while(|line| line.starts_with("  "))
        .collect();
    if !rows.first()?.trim_start().starts_with("1 ") {
        return None;
    }
    // Several turns of one player stand in a row, and so do the ways of several checkers.
    let words = rows.iter().flat_map(|row| row.split_whitespace().skip(1));
    let parts = words.flat_map(|turns| turns.split(','));
    let is_turn = |part: &&str| part.contains(':') || !part.contains('/');
    Some(parts.filter(is_turn).count())
}
