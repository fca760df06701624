//! Visitors who ask for pictures that nobody has asked for, beside a player's page. `FLOOD_BOARDS` and `FLOOD_PICTURES_SECONDS`
//! change the run.

use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::number;
use crate::daemon::browser::{Browser, web_port};
use crate::daemon::http::{ALICE, Answer, rest};
use crate::daemon::smtp::{send, stream_from};
use crate::pages::served;

/// Addresses that ask, the connections of each, and the time from one request of a connection to the next: twenty a second for
/// an address, which is its rate.
const ADDRESSES: u8 = 5;
const CONNECTIONS: usize = 4;
const PACE: Duration = Duration::from_millis(200);

/// The columns and rows of a board, and the boards that one mail begins. More boards than the server keeps pictures of have each
/// drawn again.
const SIZE: usize = 19;
const BEGUN_BY_A_MAIL: usize = 40;

/// The time between two looks of the player.
const LOOKS: Duration = Duration::from_millis(100);

#[test]
fn pictures_of_others_hold_up_no_page() {
    let boards = usize::try_from(number("FLOOD_BOARDS", 30)).unwrap();
    let seconds = Duration::from_secs(number("FLOOD_PICTURES_SECONDS", 3));
    let folder = tempfile::tempdir().unwrap();
    let (_setup, daemon, alice) = served(&folder);
    for first in (0..boards).step_by(BEGUN_BY_A_MAIL) {
        let lines: String = (first..boards.min(first + BEGUN_BY_A_MAIL)).map(board).collect();
        send(
            daemon.port,
            ALICE,
            &format!("boards{first}@home.example"),
            "multiple",
            &format!("set alice fig7elk\n{lines}"),
        );
    }
    let port = web_port(&daemon);
    let alone = looks(&alice, seconds);
    let (is_over, drawn, refused) = (AtomicBool::new(false), AtomicUsize::new(0), AtomicUsize::new(0));
    let beside = std::thread::scope(|scope| {
        for visitor in 0..usize::from(ADDRESSES) * CONNECTIONS {
            let (is_over, drawn, refused) = (&is_over, &drawn, &refused);
            scope.spawn(move || {
                let address = [127, 6, 0, 1 + u8::try_from(visitor / CONNECTIONS).unwrap()];
                let mut due = Instant::now();
                for board in (visitor..).step_by(usize::from(ADDRESSES) * CONNECTIONS) {
                    if is_over.load(Ordering::Relaxed) {
                        break;
                    }
                    let path = format!("/games/board/Hex/{}/picture.png", 101 + board % boards);
                    match picture(address, port, &path) {
                        200 => drawn.fetch_add(1, Ordering::Relaxed),
                        status => {
                            assert_eq!(status, 503, "{path}");
                            refused.fetch_add(1, Ordering::Relaxed)
                        }
                    };
                    due += PACE;
                    std::thread::sleep(due.saturating_duration_since(Instant::now()));
                }
            });
        }
        let beside = looks(&alice, seconds);
        is_over.store(true, Ordering::SeqCst);
        beside
    });
    let drawn = drawn.into_inner();
    eprintln!(
        "a player's page alone: {}; beside {drawn} pictures of {boards} boards in {seconds:?} for five addresses, and {} that were \
         put off: {}",
        told(alone),
        refused.into_inner(),
        told(beside),
    );
    assert!(drawn > 0);
    daemon.stop_well();
}

/// The lines that begin a board with another stone on it than all others.
fn board(number: usize) -> String {
    let column = char::from(b'a' + u8::try_from(number % SIZE).unwrap());
    let (board, row) = (101 + number, 1 + number / SIZE);
    format!("Hex challenge alice bob -size={SIZE}\nHex move {board} alice fig7elk {column}{row}\n")
}

/// The status of the answer to a request for a picture.
fn picture(address: [u8; 4], port: u16, path: &str) -> u16 {
    let mut stream = stream_from(address, port).unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: games.example\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    Answer::read(&rest(&mut stream)).status
}

/// How long each of a player's looks at the page of a board took.
fn looks(alice: &Browser, time: Duration) -> Vec<Duration> {
    let (begun, mut took) = (Instant::now(), Vec::new());
    while begun.elapsed() < time {
        let asked = Instant::now();
        let page = alice.get(&format!("{}board/Pow2/101", alice.home));
        assert_eq!(page.status, 200, "{page:?}");
        took.push(asked.elapsed());
        std::thread::sleep(LOOKS);
    }
    took
}

fn told(mut took: Vec<Duration>) -> String {
    took.sort_unstable();
    let at = |share: usize| took[(took.len() - 1) * share / 100];
    format!("median {:.1?}, 99 % {:.1?} of {}", at(50), at(99), took.len())
}
