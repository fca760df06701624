//! Every button of every page, in every state of a board, pressed by everybody: the page says what happened, in words that fit.

use std::cell::Cell;
use std::collections::BTreeSet;

use clap::Parser as _;
use pbmserv::admin::{Caller, Cli, VerbRequest};
use pbmserv::dispatch::{Purpose, page_key};
use pbmserv::games::{Outcome, Seat, find};
use pbmserv::outbox::Outgoing;
use pbmserv::table::{Board, End};
use pbmserv::web::buttons;

use super::{ALICE, Answer, BOB, PATH, Pages, attributes, unescaped};

const CAROL: &str = "carol@home.example";

/// How a board comes into a state: who writes what. `void` is the director's.
const STATES: [(&str, &[(&str, &str)]); 17] = [
    ("before the first turn", &[]),
    (
        "before the second player's first turn",
        &[("alice", "move # m13-j7")],
    ),
    ("running", &[("alice", "move # m13-j7"), ("bob", "move # a1-e1")]),
    (
        "the turn of the other",
        &[
            ("alice", "move # m13-j7"),
            ("bob", "move # a1-e1"),
            ("alice", "move # m1-i1"),
        ],
    ),
    (
        "queued",
        &[("alice", "move # m13-j7"), ("alice", "queue # m1-i1")],
    ),
    (
        "a draw offered by the other",
        &[
            ("alice", "move # m13-j7"),
            ("bob", "move # a1-e1"),
            ("bob", "move # propose"),
        ],
    ),
    (
        "a draw offered by the player to move",
        &[
            ("alice", "move # m13-j7"),
            ("bob", "move # a1-e1"),
            ("alice", "move # propose"),
        ],
    ),
    (
        "asked to take a turn back",
        &[
            ("alice", "move # m13-j7"),
            ("bob", "move # a1-e1"),
            ("bob", "move # undo"),
        ],
    ),
    ("declined", &[("bob", "resign #")]),
    (
        "declined after a turn",
        &[("alice", "move # m13-j7"), ("bob", "resign #")],
    ),
    ("resigned", &[("alice", "move # m13-j7"), ("alice", "resign #")]),
    (
        "a draw",
        &[
            ("alice", "move # m13-j7"),
            ("bob", "move # propose"),
            ("alice", "move # accept"),
        ],
    ),
    (
        "a rematch offered by the other",
        &[
            ("alice", "move # m13-j7"),
            ("alice", "resign #"),
            ("bob", "rematch #"),
        ],
    ),
    (
        "a rematch offered by the player",
        &[
            ("alice", "move # m13-j7"),
            ("alice", "resign #"),
            ("alice", "rematch #"),
        ],
    ),
    ("void", &[("alice", "move # m13-j7"), ("director", "void")]),
    ("against a computer", &[("bot-easy", "")]),
    (
        "against a computer, running",
        &[("bot-easy", ""), ("alice", "move # m13-j7")],
    ),
];

/// Who presses, by the beginning of the paths of their pages.
const VIEWERS: [&str; 5] = ["alice", "alice's letter", "bob", "carol", "nobody"];

struct House {
    pages: Pages,
    forms: Cell<u32>,
    clients: Cell<u32>,
}

impl House {
    async fn open() -> Self {
        let pages = Pages::configured(|config| {
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
        pages.ask(ALICE, "signup alice fig7elk").await;
        pages.ask(BOB, "signup bob oak4jay").await;
        pages.ask(CAROL, "signup carol zebra-41").await;
        Self {
            pages,
            forms: Cell::new(0),
            clients: Cell::new(0),
        }
    }

    fn board(&self, number: u32) -> Board {
        let reader = self.pages.stage.server.reader().unwrap();
        reader.board(find("Pow2").unwrap(), number).unwrap().unwrap()
    }

    /// A new board in this state; returns its number.
    async fn set_up(&self, (_, events): (&str, &[(&str, &str)])) -> u32 {
        let other = match events.first() {
            Some(("bot-easy", _)) => "bot-easy",
            _ => "bob",
        };
        let letters = self.write("alice", &format!("challenge {other}"), 0).await;
        assert!(
            !letters.is_empty(),
            "{:?}",
            self.pages.stage.server.reader().unwrap().received(None, 1)
        );
        let number: u32 = letters[0].subject.split(' ').nth(2).unwrap().parse().unwrap();
        for (who, what) in events {
            match *who {
                "bot-easy" => {}
                "director" => {
                    let number = number.to_string();
                    let words = ["pbmserv", "board", what, "Pow2", &number, "--why", "A test"];
                    let verb = Cli::try_parse_from(words).unwrap().verb;
                    let caller = Caller {
                        who: "root".into(),
                        input: Vec::new(),
                    };
                    let answer = VerbRequest { verb, caller }.run(&self.pages.stage.server).await;
                    assert_eq!(answer.code, 0, "{}", answer.err);
                }
                who => drop(self.write(who, what, number).await),
            }
        }
        self.pages.stage.collect().await;
        number
    }

    async fn write(&self, who: &str, what: &str, number: u32) -> Vec<Outgoing> {
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

    /// The beginning of the paths of a viewer's pages.
    fn root(&self, viewer: &str, board: &Board) -> String {
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
    fn turn(&self, board: &Board) -> String {
        let reader = self.pages.stage.server.reader().unwrap();
        let position = board.replay(reader.turns(board.id).unwrap(), usize::MAX).unwrap();
        position.game.turns(1).pop().unwrap_or_else(|| "m1-i1".to_owned())
    }

    /// The fields of a form that nobody has sent yet.
    fn form(&self, rest: &str) -> String {
        self.forms.set(self.forms.get() + 1);
        format!("form=form{}&{rest}", self.forms.get())
    }

    /// Opens a page. Each comes from another network, so that there are never too many from one.
    async fn get(&self, path: &str) -> Answer {
        self.pages.get_with(path, &self.client()).await
    }

    fn client(&self) -> String {
        self.clients.set(self.clients.get() + 1);
        let [.., high, low] = self.clients.get().to_be_bytes();
        format!("X-Forwarded-For: 198.18.{high}.{low}\r\n")
    }

    /// Sends a form, and opens the page to which the answer leads; whether it was carried out.
    async fn press(&self, path: &str, form: &str) -> (bool, Answer) {
        let answer = self.pages.post_with(path, &self.client(), form).await;
        self.pages.stage.server.thinking.until_idle().await.unwrap();
        match answer.field("location").filter(|_| answer.status == 303) {
            Some(place) => (true, self.get(place).await),
            None => (false, answer),
        }
    }
}

/// What a page says of a form in this role; empty if nothing.
fn said(page: &str, role: &str) -> String {
    let (_, rest) = page.split_once(&format!(" role=\"{role}\">")).unwrap_or_default();
    let text = rest.split("</p>").next().unwrap_or_default();
    unescaped(&text.replace("<b>", "").replace("</b>", ""))
}

fn heading(page: &str) -> String {
    let (_, rest) = page.split_once("<h1>").unwrap_or_default();
    unescaped(rest.split("</h1>").next().unwrap_or_default())
}

/// The words of a text, without the name of its board.
fn without_board(text: &str, board: &Board) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    text.replace(&format!(" on {}", board.name()), "")
}

/// No page says that somebody has won who has not.
fn assert_true(page: &Answer, board: &Board, case: &str) {
    let text = page.body.replace("nobody has won", "").replace("who has won", "");
    let text = text.replace("(computer, ", "(");
    if text.contains("has won") {
        let winner = match board.end {
            Some(End::Finished(ending)) => match ending.outcome {
                Outcome::Won(seat) => seat,
                Outcome::Drawn => panic!("{case}: {}", page.body),
            },
            _ => panic!("{case}: {}", page.body),
        };
        let (userid, side) = (&board.at(winner).userid, board.game.facts.sides[winner.index()]);
        let names = [userid.clone(), side.to_owned(), format!("{userid} ({side})")];
        let wins = names.map(|name| text.matches(&format!("{name} has won")).count());
        assert_eq!(
            text.matches("has won").count(),
            wins.iter().sum::<usize>(),
            "{case}: {}",
            page.body
        );
    }
    assert!(
        !page.body.contains("There is no such page"),
        "{case}: {}",
        page.body
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_button_in_every_state_says_what_happened() {
    let house = House::open().await;
    let (mut worked, mut refused) = (BTreeSet::new(), BTreeSet::new());
    for state in STATES {
        // The board of the last press, if that has changed nothing.
        let mut unchanged = None;
        for viewer in VIEWERS {
            let is_player = matches!(viewer, "alice" | "alice's letter" | "bob");
            if viewer == "bob" && state.0.starts_with("against a computer") {
                continue;
            }
            for button in buttons() {
                let case = format!("{button} by {viewer}, {}", state.0);
                let number = match unchanged.take() {
                    Some(number) => number,
                    None => house.set_up(state).await,
                };
                let before = house.board(number);
                let root = house.root(viewer, &before);
                let path = format!("{root}board/Pow2/{number}/turn");
                let turn = house.turn(&before);
                if viewer == "carol" && before.end == Some(End::Removed) {
                    // It is nobody's business.
                    assert_eq!(house.get(&path).await.status, 404, "{case}");
                    continue;
                }
                let page = house.get(&format!("{path}?turn={turn}")).await;
                assert_true(&page, &before, &case);
                assert_eq!(
                    page.status,
                    match viewer {
                        "carol" => 403,
                        "nobody" => 404,
                        _ => 200,
                    },
                    "{case}"
                );
                let is_shown = page.body.contains(&format!("value=\"{button}\""))
                    || (button == "resign" && page.body.contains("/resign\">"));
                if button == "resign" && is_player && before.end.is_none() {
                    let own = usize::from(viewer == "bob");
                    let seat = Seat::BOTH[own];
                    let question = house.get(&format!("{root}board/Pow2/{number}/resign")).await.body;
                    let (declines, resigns) = (
                        question.contains("Do you decline the game") && question.contains("nobody has won"),
                        question.contains("Do you give the game") && question.contains("has won"),
                    );
                    let has_moved = before.has_moved(seat);
                    assert_eq!((declines, resigns), (!has_moved, has_moved), "{case}: {question}");
                }
                let is_written =
                    ["play", "chat", "resign"].contains(&button) && page.body.contains("name=\"words\"");
                let words = if is_written { "&words=Hello" } else { "" };
                let form = house.form(&format!(
                    "shown={}&do={button}&turn={turn}{words}",
                    before.events.newest()
                ));
                let (is_done, after) = house.press(&path, &form).await;
                let board = house.board(number);
                assert_true(&after, &board, &case);
                let letters = house.pages.stage.collect().await;
                let is_changed = format!("{before:?}") != format!("{board:?}") || !letters.is_empty();
                assert_eq!(
                    is_done, is_changed,
                    "{case}: {} {board:?} {letters:?}",
                    after.body
                );
                if is_done {
                    worked.insert(button);
                    assert!(is_player, "{case}");
                    assert_eq!(after.status, 200, "{case}");
                    let told = said(&after.body, "status");
                    // The heading says the last turn.
                    let told = if told.is_empty() {
                        heading(&after.body)
                    } else {
                        told
                    };
                    let own = if viewer == "bob" { BOB } else { ALICE };
                    let letter = letters.iter().find(|letter| letter.to.as_str() == own).unwrap();
                    let text = without_board(&letter.text, &board);
                    assert!(
                        text.contains(&without_board(&told, &board))
                            || button == "chat" && told.starts_with("Your words go to"),
                        "{case}: {told} of {text}"
                    );
                } else {
                    unchanged = Some(number);
                    refused.insert(button);
                    let can_refuse =
                        ["propose", "undo"].contains(&button) && state.0.starts_with("against a computer");
                    assert!(!is_shown || can_refuse, "{case}: {}", after.body);
                    let told = match is_player {
                        true => (after.status, said(&after.body, "alert")),
                        false => (after.status, heading(&after.body)),
                    };
                    let status = match viewer {
                        "carol" => 403,
                        "nobody" => 404,
                        _ => 409,
                    };
                    assert!(told.0 == status && !told.1.is_empty(), "{case}: {}", after.body);
                }
                let (_, again) = house.press(&path, &form).await;
                assert_eq!(
                    format!("{board:?}"),
                    format!("{:?}", house.board(number)),
                    "{case}"
                );
                assert_true(&again, &board, &case);
                match is_done {
                    true => assert!(
                        said(&again.body, "status").starts_with("Nothing was changed now"),
                        "{case}: {}",
                        again.body
                    ),
                    false => assert_eq!(said(&again.body, "alert"), said(&after.body, "alert"), "{case}"),
                }
            }
        }
    }
    let all: BTreeSet<_> = buttons().collect();
    assert_eq!((worked, refused), (all.clone(), all));
    house.pages.close().await;
}

/// The forms of a page that change something, as a browser sends them: one for each button.
fn forms(page: &str) -> Vec<(String, String)> {
    let mut sent = Vec::new();
    for rest in page.split("<form method=\"post\"").skip(1) {
        let form = rest.split("</form>").next().unwrap();
        let (mut fields, mut pressed) = (Vec::new(), Vec::new());
        for tag in form.split('<').skip(1) {
            let one = |name: &str| attributes(tag, name).into_iter().next();
            let value = match tag.split([' ', '>']).next().unwrap() {
                "input" => one("value").unwrap_or_default(),
                "textarea" => "Hello".to_owned(),
                "select" => form
                    .split("<option>")
                    .nth(1)
                    .unwrap()
                    .split('<')
                    .next()
                    .unwrap()
                    .to_owned(),
                "button" => {
                    pressed.push(one("name").zip(one("value")));
                    continue;
                }
                _ => continue,
            };
            fields.extend(one("name").map(|name| (name, value)));
        }
        // The second select of a form has the second list.
        if let Some((_, list)) = form.split_once("name=\"opponent\">") {
            let first = list.split("<option>").nth(1).unwrap().split('<').next().unwrap();
            fields.retain(|(name, _)| name != "opponent");
            fields.push(("opponent".to_owned(), first.to_owned()));
        }
        let action = attributes(form, "action").remove(0);
        for button in pressed {
            let all = fields.iter().cloned().chain(button);
            let mut form = url::form_urlencoded::Serializer::new(String::new());
            form.extend_pairs(all);
            sent.push((action.clone(), form.finish()));
        }
    }
    sent
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_form_says_what_it_did_and_sent_again_that_it_did_nothing() {
    let house = House::open().await;
    let number = house.set_up(STATES[2]).await;
    house.pages.ask(BOB, "Forms seek bob oak4jay 2").await;
    let board = house.board(number);
    let reader = house.pages.stage.server.reader().unwrap();
    let alice = reader.player("alice").unwrap().unwrap();
    let digest = pbmserv::table::Unasked::Digest.number(alice.id).unwrap();
    let leave = pbmserv::dispatch::token(
        &house.pages.stage.server.key,
        Purpose::Leave,
        digest,
        alice.generation,
    );
    house.pages.ask(ALICE, "set alice fig7elk digest on").await;
    let state = || {
        let boards = |game: &str| reader.board_counts(find(game).unwrap()).unwrap();
        format!(
            "{:?} {:?}",
            reader.preferences(alice.id).unwrap(),
            ["Forms", "Pow2"].map(boards)
        )
    };
    let mut pressed = BTreeSet::new();
    for place in [
        format!("{PATH}u/{leave}"),
        house.root("alice", &board),
        house.root("alice's letter", &board),
        format!("{}board/Pow2/{number}/turn", house.root("alice", &board)),
    ] {
        let page = house.get(&place).await.body;
        let all = forms(&page);
        assert!(!all.is_empty(), "{page}");
        for (action, form) in all {
            let (is_done, after) = house.press(&action, &form).await;
            assert_eq!(after.status, 200, "{action} {form}: {}", after.body);
            let before = state();
            let (_, again) = house.press(&action, &form).await;
            assert_eq!(state(), before, "{action} {form}");
            if action.contains("/u/") {
                assert!(
                    after.body.contains("They have ended") && again.body.contains("Nothing was changed now")
                );
            } else {
                let (after, again) = (said(&after.body, "status"), said(&again.body, "status"));
                assert!(is_done && !after.is_empty(), "{action} {form}");
                assert!(
                    again.starts_with("Nothing was changed now") && again.contains(&after),
                    "{action} {form}: {again}"
                );
            }
            pressed.insert(kind(&action, &board));
        }
        house.pages.stage.collect().await;
    }
    // All that there are.
    let mut written = BTreeSet::new();
    for file in std::fs::read_dir("templates/web").unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        let forms = text.split("method=\"post\" action=\"").skip(1);
        written.extend(forms.map(|rest| {
            let action = rest.split('"').next().unwrap();
            action
                .split("{{")
                .map(|part| part.split("}}").last().unwrap())
                .collect::<String>()
        }));
    }
    assert_eq!(pressed, written);
    house.pages.close().await;
}

/// The address of a form, without what differs from page to page.
fn kind(action: &str, board: &Board) -> String {
    match action.split_once("/u/") {
        Some(_) => "u/".to_owned(),
        None => {
            let (_, own) = action.split_once("/k/").unwrap();
            let (_, place) = own.split_once('/').unwrap();
            place.replace(&format!("Pow2/{}", board.number), "/")
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_that_asks_whether_to_decline_resigns_nothing_later() {
    let house = House::open().await;
    let number = house.set_up(STATES[0]).await;
    let board = house.board(number);
    let turn = format!("{}board/Pow2/{number}/turn", house.root("alice", &board));
    let form = house.form(&format!("shown={}&do=resign", board.events.newest()));
    house.write("alice", "move # m13-j7", number).await;
    let (is_done, after) = house.press(&turn, &form).await;
    assert!(
        !is_done && said(&after.body, "alert").contains("Nothing was done"),
        "{}",
        after.body
    );
    assert_eq!(house.board(number).end, None);
    house.pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_that_is_there_says_which_requests_it_takes() {
    let house = House::open().await;
    let own = house.pages.own("alice");
    for (place, method, allowed) in [
        (PATH.to_owned(), "POST", "GET,HEAD"),
        (format!("{own}house"), "PUT", "GET,HEAD"),
        (format!("{own}set"), "GET", "POST"),
        (format!("{own}board/Pow2/101/turn"), "DELETE", "GET,HEAD,POST"),
    ] {
        let request =
            format!("{method} {place} HTTP/1.1\r\nHost: games.example\r\nConnection: close\r\n\r\n");
        let answer = house.pages.raw(request.as_bytes()).await;
        assert_eq!(
            (answer.status, answer.field("allow")),
            (405, Some(allowed)),
            "{place}: {answer:?}"
        );
        assert!(answer.body.contains("Nothing was done"), "{answer:?}");
    }
    house.pages.close().await;
}
