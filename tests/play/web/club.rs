//! A server for the tests of leagues, ladders and cups: twelve players in a half-played season, a cup of each format, a ladder.

use chrono::TimeDelta;
use pbmserv_core::store::FullContest;
use pbmserv_games::find;

use super::house::House;

/// The players, the strongest first once the games are over.
pub(super) const PLAYERS: [&str; 12] = [
    "alice", "bob", "carol", "dora", "emil", "fred", "gina", "hugo", "ines", "jan", "kate", "luis",
];

const PASSWORD: &str = "fig7elk";

/// Days until the season begins.
const UNTIL_SEASON: i64 = 42;

/// Which of the games of a contest are over.
#[derive(Clone, Copy)]
pub(super) enum Share {
    Half,
    All,
}

pub(super) struct Club {
    pub(super) house: House,
}

impl Club {
    /// The players have joined the league of Hex and its ladder, and nothing has begun.
    pub(super) async fn open() -> Self {
        let house = House::configured(|config| config.server.directors = vec!["alice".to_owned()]).await;
        let club = Self { house };
        for player in PLAYERS {
            club.done(player, &format!("signup {player} {PASSWORD}")).await;
            club.done(player, &format!("Hex league {player} {PASSWORD} join"))
                .await;
        }
        for player in &PLAYERS[..7] {
            club.done(player, &format!("Hex ladder {player} {PASSWORD} join"))
                .await;
        }
        club
    }

    /// The season is half played, and so are a cup of each format; one more is open, and one is private.
    pub(super) async fn played() -> Self {
        let club = Self::open().await;
        for (name, options, players) in [
            ("spring Pow2", "--format=swiss --rounds=4", 9),
            ("trophy Pow2", "--format=knockout", 7),
            ("pokal Hex", "--format=groups", 9),
            ("open-cup Hex", "--format=swiss --rounds=3", 3),
        ] {
            club.new_cup(name, options, &PLAYERS[..players]).await;
        }
        club.write(
            "alice",
            "cup alice fig7elk new secret Hex --format=knockout --private --from=2026-12-20",
        )
        .await;
        for guest in ["bob", "carol"] {
            club.write("alice", &format!("cup alice fig7elk invite secret {guest}"))
                .await;
            club.write(guest, &format!("cup {guest} fig7elk join secret"))
                .await;
        }
        club.write("fred", "set fred fig7elk web off").await;
        club.live(UNTIL_SEASON).await;
        for name in ["spring", "trophy", "pokal", "secret"] {
            club.end_games(&club.cup(name), Share::All).await;
            club.live(1).await;
        }
        club.end_games(&club.cup("spring"), Share::Half).await;
        club.end_games(&club.cup("trophy"), Share::Half).await;
        for division in [1, 2] {
            club.end_games(&club.division(1, division), Share::Half).await;
        }
        club.write("emil", "Hex ladder emil fig7elk challenge alice")
            .await;
        club.write("gina", "Hex ladder gina fig7elk challenge carol")
            .await;
        club.write("luis", "vacation luis fig7elk 7").await;
        club.live(1).await;
        club
    }

    /// A cup by the director, its name and its game, which these players have joined. The one that stays open begins last.
    pub(super) async fn new_cup(&self, cup: &str, options: &str, players: &[&str]) {
        let (name, _) = cup.split_once(' ').unwrap();
        let from = match name {
            "open-cup" => "--from=2027-02-20",
            _ => "--from=2026-12-20",
        };
        self.write("alice", &format!("cup alice fig7elk new {cup} {options} {from}"))
            .await;
        for player in players {
            self.write(player, &format!("cup {player} fig7elk join {name}"))
                .await;
        }
    }

    async fn done(&self, who: &str, line: &str) {
        let letters = self.house.pages.ask(&format!("{who}@home.example"), line).await;
        assert!(
            !letters.iter().any(|letter| letter.kind == "notdone"),
            "{line}: {letters:?}"
        );
    }

    /// A mail whose command is done.
    pub(super) async fn write(&self, who: &str, line: &str) {
        self.done(who, line).await;
    }

    /// Lets so many days pass, as the timer does.
    pub(super) async fn live(&self, days: i64) {
        self.house.pages.stage.live(TimeDelta::days(days)).await;
    }

    pub(super) fn cup(&self, name: &str) -> FullContest {
        let reader = self.house.pages.stage.server.reader().unwrap();
        let row = reader.cup(name).unwrap().unwrap();
        reader.filled(row).unwrap()
    }

    pub(super) fn division(&self, season: u32, division: u32) -> FullContest {
        let reader = self.house.pages.stage.server.reader().unwrap();
        let hex = find("Hex").unwrap();
        let row = reader.divisions_from(hex, season, division, 1).unwrap().remove(0);
        reader.filled(row).unwrap()
    }

    /// Ends games of a contest that run: who is first in the alphabet wins. In a first round each seventh is a draw; in Hex, which
    /// has none, the table has it as one by a ruling.
    pub(super) async fn end_games(&self, contest: &FullContest, share: Share) {
        let userid = |entrant: usize| contest.entrants[entrant].userid.clone();
        let running: Vec<_> = contest
            .pairings
            .iter()
            .filter(|row| row.board.is_some_and(|board| !board.is_over))
            .collect();
        let count = match share {
            Share::Half => running.len() / 2,
            Share::All => running.len(),
        };
        let game = contest.row.new.game.facts.name;
        for row in running.into_iter().take(count) {
            let number = row.board.unwrap().number;
            let (first, second) = (userid(row.pairing.first), userid(row.pairing.second.unwrap()));
            let is_draw = number % 7 == 0 && contest.round() == 1;
            let result = match first < second {
                _ if is_draw && game == "Pow2" => "draw",
                true => "first",
                false => "second",
            };
            let number = number.to_string();
            self.rule("end", game, &number, result).await;
            if is_draw && game == "Hex" {
                self.rule("table", game, &number, "draw").await;
            }
        }
        self.house.pages.stage.collect().await;
    }

    /// Everybody plays a turn in a contest of Hex.
    pub(super) async fn first_turns(&self, contest: &FullContest) {
        let reader = self.house.pages.stage.server.reader().unwrap();
        for (place, entrant) in contest.entrants.iter().enumerate() {
            let mut games = contest.games_of(place);
            let game = games.find(|row| row.pairing.first == place).unwrap();
            let board = reader.board_by_id(game.board.unwrap().id).unwrap().unwrap();
            let position = board.replay(Vec::new(), 0).unwrap();
            let turn = position.game.turns(1).pop().unwrap();
            let (number, userid) = (board.number, &entrant.userid);
            self.write(userid, &format!("Hex move {number} {userid} {PASSWORD} {turn}"))
                .await;
        }
    }

    async fn rule(&self, verb: &str, game: &str, number: &str, result: &str) {
        self.house
            .operate(&["board", verb, game, number, result, "--why", "A test"])
            .await;
    }

    pub(super) async fn close(self) {
        self.house.pages.close().await;
    }
}
