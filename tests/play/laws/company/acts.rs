//! What people and the operator do on a simulated day.

use clap::Parser as _;
use pbmserv::admin::board::{BoardArgs, BoardResult, BoardVerb, TableResult};
use pbmserv::admin::{Caller, Cli, Verb, VerbRequest, Why};
use pbmserv_core::store::Outgoing;
use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use rand::seq::IndexedRandom;

use super::{House, Running, address};
use crate::laws::mail;
use crate::stage::{Mail, database};

impl House {
    /// The letters to the sender.
    pub(super) async fn send(&mut self, mail: &Mail<'_>) -> Vec<Outgoing> {
        let (_, letters) = self.stage().send(mail).await;
        let (own, others): (Vec<_>, Vec<_>) = letters
            .into_iter()
            .partition(|letter| letter.to.as_str() == mail.from);
        self.note(&own, true);
        self.note(&others, false);
        own
    }

    /// A player answers a letter about a board with these words.
    pub(super) async fn answer(&mut self, player: usize, board: &Running, words: &str) {
        let from = address(player);
        let key = (from.clone(), board.game.clone(), board.number);
        let Some(answerable) = self.answerable.get(&key) else {
            return;
        };
        let line = match answerable.names_board {
            true => format!("{} {} {words}\n", board.game, board.number),
            false => format!("{words}\n"),
        };
        let mut mail = mail(&from, "Re: a board", &line);
        mail.to = mail.to.with_detail(&answerable.detail);
        self.send(&mail).await;
    }

    /// A player whose mail provider says who wrote it commands this.
    pub(super) async fn command(&mut self, player: usize, line: &str) -> Vec<Outgoing> {
        let from = address(player);
        let mut mail = mail(&from, line, "");
        let results = "Authentication-Results: mx.games.example; dmarc=pass header.from=example.org\r\n";
        mail.header = format!("{results}{}", mail.header);
        self.send(&mail).await
    }

    pub(super) async fn rule(&mut self, verb: BoardVerb) {
        self.order(Verb::Board(verb)).await;
    }

    async fn order(&mut self, verb: Verb) {
        let request = VerbRequest {
            verb,
            caller: Caller::of_this_process(),
        };
        request.run(&self.stage().server).await;
        let letters = self.stage().collect().await;
        self.note(&letters, true);
    }

    /// The boards of contests and ladders that run.
    pub(super) fn running(&self) -> Vec<Running> {
        let sql = "SELECT b.game, b.number, p.userid, q.userid, b.turns, b.to_move FROM boards b \
                   JOIN players p ON p.id = b.first_player JOIN players q ON q.id = b.second_player \
                   WHERE b.ended_at IS NULL ORDER BY b.id";
        let number = |userid: &str| userid.trim_start_matches('p').parse().unwrap();
        let rows = database::rows(self.stage().data(), sql);
        let board = |row: Vec<String>| Running {
            game: row[0].clone(),
            number: row[1].parse().unwrap(),
            players: [number(&row[2]), number(&row[3])],
            turns: row[4].parse().unwrap(),
            to_move: row[5].parse().unwrap(),
        };
        rows.into_iter().map(board).collect()
    }

    /// What people and the operator do on a day.
    pub(super) async fn act(&mut self) {
        for board in self.running() {
            let mover = board.players[board.to_move];
            // Some are slow, and some do not answer at all.
            let pace = [0.5, 0.3, 0.15, 0.02][mover % 4];
            if !self.rng.random_bool(pace) {
                continue;
            }
            if board.turns >= 2 && self.rng.random_bool(0.7) || self.rng.random_bool(0.02) {
                self.answer(mover, &board, "resign").await;
                continue;
            }
            let turns = database::rows(
                self.stage().data(),
                &format!(
                    "SELECT t.turn FROM turns t JOIN boards b ON b.id = t.board WHERE b.game = '{}' AND b.number = {} \
                     ORDER BY t.ordinal",
                    board.game, board.number
                ),
            );
            let game = pbmserv_games::find(&board.game).unwrap();
            let mut position = game.start(&pbmserv_games::Options::none(game.facts)).unwrap();
            for turn in &turns {
                position.play(&turn[0]).unwrap();
            }
            let turn = position.random_turn(&mut self.rng).unwrap();
            self.answer(mover, &board, &turn).await;
        }
        self.act_otherwise().await;
    }

    pub(super) async fn act_otherwise(&mut self) {
        let players = self.plan.players;
        let someone = |rng: &mut ChaCha8Rng| rng.random_range(0..players);
        let game = self.plan.games[0];
        let often = (players as f64 / 100.0).min(1.0);
        if self.rng.random_bool(0.3 * often) {
            let (who, line) = (
                someone(&mut self.rng),
                ["3", "off", "12"].choose(&mut self.rng).unwrap(),
            );
            self.command(who, &format!("vacation {line}")).await;
        }
        if self.rng.random_bool(0.2 * often) {
            let who = someone(&mut self.rng);
            let game = *self.plan.games.choose(&mut self.rng).unwrap();
            let what = *["withdraw", "leave", "join", "join"]
                .choose(&mut self.rng)
                .unwrap();
            self.command(who, &format!("{game} league {what}")).await;
        }
        for _ in 0..players.div_ceil(40) {
            let (who, whom) = (someone(&mut self.rng), someone(&mut self.rng));
            self.command(who, &format!("{game} ladder challenge p{whom}"))
                .await;
        }
        if self.rng.random_bool(0.1) {
            let (who, month) = (someone(&mut self.rng), self.rng.random_range(0..12));
            self.command(who, &format!("cup leave month-{month}")).await;
        }
        if self.rng.random_bool(0.03 * often.max(0.5)) {
            let what = *["disable", "erase --yes"].choose(&mut self.rng).unwrap();
            // p0 asks for the tables.
            let who = self.rng.random_range(1..players);
            let line = format!("pbmserv user {what} p{who} --why moved");
            let order = Cli::try_parse_from(line.split(' ')).unwrap();
            self.order(order.verb).await;
        }
        let boards = self.running();
        if let Some(board) = boards.choose(&mut self.rng) {
            let at = BoardArgs {
                game: board.game.clone(),
                number: board.number,
            };
            let why = Why {
                why: "so it is".into(),
            };
            let result = *[
                TableResult::First,
                TableResult::Draw,
                TableResult::None,
                TableResult::Void,
                TableResult::Played,
            ]
            .choose(&mut self.rng)
            .unwrap();
            match self.rng.random_range(0..12) {
                0 => self.rule(BoardVerb::Void { board: at, why }).await,
                1 => {
                    let result = BoardResult::Second;
                    self.rule(BoardVerb::End {
                        board: at,
                        result,
                        why,
                    })
                    .await;
                }
                2 | 3 => {
                    self.rule(BoardVerb::Table {
                        board: at,
                        result,
                        why,
                    })
                    .await;
                }
                _ => {}
            }
        }
    }

    /// A cup of each format in turn, which some join.
    pub(super) async fn make_cup(&mut self, month: i64) {
        let game = self.plan.games[0];
        let format = ["swiss", "knockout", "groups"][month as usize % 3];
        let maker = usize::try_from(month).unwrap() % self.plan.players;
        self.command(
            maker,
            &format!("cup new month-{month} {game} --format={format} --size=16"),
        )
        .await;
        for _ in 0..18 {
            let who = self.rng.random_range(0..self.plan.players);
            self.command(who, &format!("cup join month-{month}")).await;
        }
    }
}
