//! Who plays against a computer on pages gets no mail about what a page has shown, and each mail that no page has shown.

use std::time::Duration;

use chrono::TimeDelta;
use pbmserv_core::store::Outgoing;
use pbmserv_core::table::Board;
use pbmserv_games::{Game, find};

use super::{ALICE, Answer, Pages};

struct Player {
    pages: Pages,
    number: u32,
    clicks: u32,
}

fn game() -> &'static Game {
    find("Breakthrough").unwrap()
}

impl Player {
    async fn new() -> Self {
        let pages = Pages::open().await;
        pages.ask(ALICE, "signup alice fig7elk").await;
        let begun = pages.ask(ALICE, "Breakthrough challenge alice bot-easy").await;
        assert_eq!(begun.len(), 1);
        Self {
            pages,
            number: 101,
            clicks: 0,
        }
    }

    fn board(&self) -> Board {
        let reader = self.pages.stage.server.reader().unwrap();
        reader.board(game(), self.number).unwrap().unwrap()
    }

    fn path(&self) -> String {
        let home = self.pages.own("alice");
        format!("{home}board/Breakthrough/{}/turn", self.number)
    }

    /// Plays a turn by a form while the computer thinks; returns where the answer leads.
    async fn click(&mut self) -> String {
        let board = self.board();
        let reader = self.pages.stage.server.reader().unwrap();
        let position = board.replay(reader.turns(board.id).unwrap(), usize::MAX).unwrap();
        let turn = position.game.turns(50).pop().unwrap();
        self.clicks += 1;
        let (clicks, shown) = (self.clicks, board.events.newest());
        let form = format!("form=click{clicks}&shown={shown}&do=play&turn={turn}");
        let path = self.path();
        let thinking = &self.pages.stage.server.thinking;
        let thinks = async {
            // The page waits for the computer, which thinks once the turn is stored.
            while self.board().events.newest() == shown {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            thinking.until_idle().await.unwrap();
        };
        let (answer, ()) = tokio::join!(self.pages.post(&path, &form), thinks);
        answer.field("location").unwrap().to_owned()
    }

    async fn open(&self, place: &str) -> Answer {
        let page = self.pages.get(place).await;
        assert!(page.body.contains("Your turn, alice"), "{}", page.body);
        page
    }

    /// The mails that are sent in the next minutes.
    async fn minutes_later(&self) -> Vec<Outgoing> {
        self.pages.stage.pass(TimeDelta::minutes(3));
        self.pages.stage.collect().await
    }

    /// Waits until the mail about the board as it is has been dropped.
    async fn until_seen(&self) {
        let board = self.board();
        let letter = board.letter_to(board.to_move.unwrap());
        let reader = self.pages.stage.server.reader().unwrap();
        while reader.is_unseen(letter).unwrap() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    fn is_unseen(&self) -> bool {
        let board = self.board();
        let letter = board.letter_to(board.to_move.unwrap());
        self.pages
            .stage
            .server
            .reader()
            .unwrap()
            .is_unseen(letter)
            .unwrap()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn thirty_clicks_bring_a_mail_for_each_end_and_each_begin() {
    let mut alice = Player::new().await;
    let mut ended = 0;
    while alice.clicks < 30 {
        let place = alice.click().await;
        let letters = alice.pages.stage.collect().await;
        match alice.board().end {
            None => {
                assert!(letters.is_empty(), "{letters:?}");
                alice.open(&place).await;
            }
            Some(_) => {
                assert_eq!(letters.len(), 1, "{letters:?}");
                assert!(letters[0].text.contains("won"), "{letters:?}");
                ended += 1;
                let begun = alice.pages.ask(ALICE, "Breakthrough challenge alice bot-easy");
                assert_eq!(begun.await.len(), 1);
                alice.number += 1;
            }
        }
    }
    assert!(ended < 4);
    alice.pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_turn_whose_answer_the_page_has_shown_brings_no_mail_later() {
    let mut alice = Player::new().await;
    let place = alice.click().await;
    assert!(alice.is_unseen());
    alice.open(&place).await;
    alice.until_seen().await;
    assert!(alice.minutes_later().await.is_empty());
    // The thread of the board goes on from a mail that was sent.
    let letters = alice.pages.ask(ALICE, "Breakthrough show 101").await;
    assert_eq!(letters.len(), 1);
    alice.pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_browser_that_was_closed_and_a_link_that_a_program_follows_bring_the_mail() {
    let mut alice = Player::new().await;
    let place = alice.click().await;
    let letters = alice.minutes_later().await;
    assert_eq!(letters.len(), 1);
    assert!(letters[0].text.contains("Your turn"), "{}", letters[0].text);
    // What is followed has no mark of a form, or one that was never given.
    alice.open(&place).await;
    alice.click().await;
    let path = alice.path();
    for did in ["", "?did=abc", &format!("?did={}", "a".repeat(52))] {
        alice.open(&format!("{path}{did}")).await;
    }
    tokio::time::sleep(Duration::from_millis(1500)).await;
    assert!(alice.is_unseen());
    assert_eq!(alice.minutes_later().await.len(), 1);
    alice.pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stop_before_the_page_is_shown_leaves_the_mail() {
    let mut alice = Player::new().await;
    let place = alice.click().await;
    alice.open(&place).await;
    let number = alice.number;
    let pages = alice.pages.restarted(TimeDelta::minutes(3), |_| {}).await;
    let alice = Player {
        pages,
        number,
        clicks: 1,
    };
    assert_eq!(alice.minutes_later().await.len(), 1);
    alice.pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_mail_about_the_board_lets_the_one_go_that_waits() {
    let mut alice = Player::new().await;
    alice.click().await;
    let letters = alice.pages.ask(ALICE, "Breakthrough show 101").await;
    assert_eq!(letters.len(), 2, "{letters:?}");
    assert!(alice.minutes_later().await.is_empty());
    alice.pages.close().await;
}
