//! A server for the tests of buttons and forms: boards in every state, and pages of everybody.

use std::cell::Cell;

use clap::Parser as _;
use pbmserv::admin::{Caller, Cli, VerbRequest};
use pbmserv::config::Config;
use pbmserv_core::dispatch::{Purpose, page_key};
use pbmserv_core::store::Outgoing;
use pbmserv_core::table::Board;
use pbmserv_games::find;
use pbmserv_mail::Address;

use crate::stage::{Mail, SERVER};

use super::{ALICE, Answer, BOB, PATH, Pages, unescaped};

const CAROL: &str = "carol@home.example";

/// How a board comes into a state: who writes what, or which verb the director uses. The first player is alice; the second one
/// is the computer that is named first, or bob.
pub(super) const STATES: [(&str, &str); 21] = [
    ("before the first turn", ""),
    ("before the second player's first turn", "alice move # m13-j7"),
    ("running", "alice move # m13-j7; bob move # a1-e1"),
    (
        "the turn of the other",
        "alice move # m13-j7; bob move # a1-e1; alice move # m1-i1",
    ),
    ("queued", "alice move # m13-j7; alice queue # m1-i1"),
    (
        "a draw offered by the other",
        "alice move # m13-j7; bob move # a1-e1; bob move # propose",
    ),
    (
        "a draw offered by the player to move",
        "alice move # m13-j7; bob move # a1-e1; alice move # propose",
    ),
    (
        "asked to take a turn back",
        "alice move # m13-j7; bob move # a1-e1; bob move # undo",
    ),
    ("declined", "bob resign #"),
    ("declined after a turn", "alice move # m13-j7; bob resign #"),
    ("resigned", "alice move # m13-j7; alice resign #"),
    (
        "a draw",
        "alice move # m13-j7; bob move # propose; alice move # accept",
    ),
    (
        "a rematch offered by the other",
        "alice move # m13-j7; alice resign #; bob rematch #",
    ),
    (
        "a rematch offered by the player",
        "alice move # m13-j7; alice resign #; alice rematch #",
    ),
    ("void", "alice move # m13-j7; director void"),
    ("against a computer", "bot-easy"),
    ("against a computer, running", "bot-easy; alice move # m13-j7"),
    (
        "a pause asked for",
        "alice move # m13-j7; bob move # a1-e1; alice move # pause",
    ),
    (
        "paused",
        "alice move # m13-j7; bob move # a1-e1; alice move # pause; bob move # accept",
    ),
    (
        "words on a turn",
        "alice move # m13-j7; alice resign #; alice comment # 1 Well begun",
    ),
    (
        "public words on a turn",
        "alice move # m13-j7; alice resign #; alice comment # 1 Well begun; alice comment # public; bob comment # public",
    ),
];

pub(super) struct House {
    pub(super) pages: Pages,
    forms: Cell<u32>,
    clients: Cell<u32>,
}

impl House {
    pub(super) async fn open() -> Self {
        let house = Self::configured(|_| {}).await;
        house.pages.ask(ALICE, "signup alice fig7elk").await;
        house.pages.ask(BOB, "signup bob oak4jay").await;
        house.pages.ask(CAROL, "signup carol zebra-41").await;
        house
    }

    /// Without players, and without limits.
    pub(super) async fn configured(configure: impl Fn(&mut Config)) -> Self {
        let pages = Pages::configured(|config| {
            configure(config);
            let limits = &mut config.limits;
            for limit in [
                &mut limits.challenges_a_day,
                &mut limits.messages_a_day,
                &mut limits.mails_an_hour,
                &mut limits.answers_a_day,
                &mut limits.strangers_answers_a_day,
                &mut limits.strangers_mails_an_hour,
            ] {
                *limit = 1_000_000;
            }
            config.web.trusted_proxies = vec!["127.0.0.1".to_owned()].try_into().unwrap();
        })
        .await;
        Self {
            pages,
            forms: Cell::new(0),
            clients: Cell::new(0),
        }
    }

    pub(super) fn board(&self, number: u32) -> Board {
        let reader = self.pages.stage.server.reader().unwrap();
        reader.board(find("Pow2").unwrap(), number).unwrap().unwrap()
    }

    /// A new board in this state; returns its number.
    pub(super) async fn set_up(&self, (_, events): (&str, &str)) -> u32 {
        let other = match events.starts_with("bot-easy") {
            true => "bot-easy",
            false => "bob",
        };
        let letters = self.write("alice", &format!("challenge {other}"), 0).await;
        let number: u32 = letters[0].subject.split(' ').nth(2).unwrap().parse().unwrap();
        for (who, what) in events.split("; ").filter_map(|event| event.split_once(' ')) {
            match who {
                "director" => drop(
                    self.operate(&["board", what, "Pow2", &number.to_string(), "--why", "A test"])
                        .await,
                ),
                who => drop(self.write(who, what, number).await),
            }
        }
        self.pages.stage.collect().await;
        number
    }

    /// What a verb of the operator prints.
    pub(super) async fn operate(&self, words: &[&str]) -> String {
        let words = [&["pbmserv"], words].concat();
        let verb = Cli::try_parse_from(words).unwrap().verb;
        let caller = Caller {
            who: "root".into(),
            input: Vec::new(),
        };
        let answer = VerbRequest { verb, caller }.run(&self.pages.stage.server).await;
        assert_eq!(answer.code, 0, "{}", answer.err);
        answer.out
    }

    pub(super) async fn write(&self, who: &str, what: &str, number: u32) -> Vec<Outgoing> {
        let (from, password) = match who {
            "alice" => (ALICE, "fig7elk"),
            _ => (BOB, "oak4jay"),
        };
        let mut words = what.split(' ');
        let verb = words.next().unwrap();
        let line = match what.split_once('#') {
            Some((_, rest)) => format!("Pow2 {verb} {number} {who} {password} {rest}"),
            None => format!("Pow2 {verb} {who} {}", words.next().unwrap()),
        };
        let letters = self.pages.ask(from, line.trim()).await;
        let is_refused = |letter: &Outgoing| letter.kind == "notdone";
        assert!(!letters.iter().any(is_refused), "{line}: {letters:?}");
        letters
    }

    /// The letters that an answer of alice to a letter causes.
    pub(super) async fn answer(&self, letter: &Outgoing, body: &str) -> Vec<Outgoing> {
        self.forms.set(self.forms.get() + 1);
        let mail = Mail {
            from: ALICE,
            to: Address::parse(SERVER)
                .unwrap()
                .with_detail(letter.reply_detail.as_ref().unwrap()),
            header: format!("Message-ID: <answer-{}@players.example>\r\n", self.forms.get()),
            body,
        };
        self.pages.stage.send(&mail).await.1
    }

    /// The beginning of the paths of a viewer's pages.
    pub(super) fn root(&self, viewer: &str, board: &Board) -> String {
        let letter = || {
            let server = &self.pages.stage.server;
            let player = &server.reader().unwrap().player("alice").unwrap().unwrap();
            let letter = board.letter_to(board.seat_of(player.id).unwrap());
            let about = (Purpose::Seat, letter.number());
            page_key(&server.key, about, player.id, player.generation, 0).unwrap()
        };
        match viewer {
            "alice's letter" => format!("{PATH}k/{}/", letter()),
            "nobody" => format!("{PATH}k/kae-aa2wnon5wjxvmdbiplg5ap4kga/"),
            userid => self.pages.own(userid),
        }
    }

    /// A turn that can be played now.
    pub(super) fn turn(&self, board: &Board) -> String {
        let reader = self.pages.stage.server.reader().unwrap();
        let position = board.replay(reader.turns(board.id).unwrap(), usize::MAX).unwrap();
        position.game.turns(1).pop().unwrap_or_else(|| "m1-i1".to_owned())
    }

    /// The fields of a form that nobody has sent yet.
    pub(super) fn form(&self, rest: &str) -> String {
        self.forms.set(self.forms.get() + 1);
        format!("form=form{}&{rest}", self.forms.get())
    }

    /// Opens a page. Each comes from another network, so that there are never too many from one.
    pub(super) async fn get(&self, path: &str) -> Answer {
        self.pages.get_with(path, &self.client()).await
    }

    fn client(&self) -> String {
        self.clients.set(self.clients.get() + 1);
        let [.., high, low] = self.clients.get().to_be_bytes();
        format!("X-Forwarded-For: 198.18.{high}.{low}\r\n")
    }

    /// Sends a form, and opens the page to which the answer leads; whether it was carried out.
    pub(super) async fn press(&self, path: &str, form: &str) -> (bool, Answer) {
        let answer = self.pages.post_with(path, &self.client(), form).await;
        self.pages.stage.server.thinking.until_idle().await.unwrap();
        match answer.field("location").filter(|_| answer.status == 303) {
            Some(place) => (true, self.get(place).await),
            None => (false, answer),
        }
    }
}

/// What a page says of a form in this role; empty if nothing.
pub(super) fn said(page: &str, role: &str) -> String {
    let (_, rest) = page.split_once(&format!(" role=\"{role}\">")).unwrap_or_default();
    let text = rest.split("</p>").next().unwrap_or_default();
    unescaped(&text.replace("<b>", "").replace("</b>", ""))
}

pub(super) fn heading(page: &str) -> String {
    let (_, rest) = page.split_once("<h1>").unwrap_or_default();
    unescaped(rest.split("</h1>").next().unwrap_or_default())
}
