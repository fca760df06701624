//! What a request costs that is refused: bytes that are kept, bytes that are written, time of the processor. `FLOOD_REFUSED`
//! changes how many of each kind are sent.

use std::fs;
use std::io::Write;
use std::path::Path;

use super::number;
use crate::daemon::browser::{Browser, Form, web_port};
use crate::daemon::http::{Answer, rest};
use crate::daemon::smtp::{Client, message, stream_from};
use crate::daemon::{Daemon, Setup, count};
use crate::pages::served;

/// The mails of one source that are served in an hour, dropped ones that are recorded in it, and refused forms that are
/// recorded in a day. So many are sent before what is measured as more than that.
const SERVED_MAILS: u64 = 120;
const RECORDED: u64 = 200;
const RECORDED_FORMS: u64 = 50;

/// The columns of a row: bytes kept, bytes written, and ticks of a processor, a hundred a second.
struct Spent(i64, u64, u64);

fn spent(setup: &Setup, daemon: &Daemon) -> Spent {
    let look = setup.look();
    let pages = count(&look, "PRAGMA page_count") - count(&look, "PRAGMA freelist_count");
    let proc = Path::new("/proc").join(daemon.pid().to_string());
    let io = fs::read_to_string(proc.join("io")).unwrap();
    let written = io.lines().find_map(|line| line.strip_prefix("write_bytes: "));
    let stat = fs::read_to_string(proc.join("stat")).unwrap();
    let (_, fields) = stat.rsplit_once(')').unwrap();
    let ticks = fields.split_whitespace().skip(11).take(2);
    Spent(
        pages * count(&look, "PRAGMA page_size"),
        written.unwrap().parse().unwrap(),
        ticks.map(|number| number.parse::<u64>().unwrap()).sum(),
    )
}

/// Sends so many requests, prints what each has cost, and returns how many rows of the inbox they have left.
fn measured(setup: &Setup, daemon: &Daemon, what: &str, times: u64, mut send: impl FnMut(u64)) -> i64 {
    let rows = || count(&setup.look(), "SELECT COUNT(*) FROM inbox");
    let (had, before) = (rows(), spent(setup, daemon));
    for number in 0..times {
        send(number);
    }
    let after = spent(setup, daemon);
    let each = |all: u64| all as f64 / times as f64;
    let left = rows() - had;
    eprintln!(
        "{what}, {times} times: {} bytes kept, {:.0} written, {:.1} ms of a processor for each; {left} rows",
        (after.0 - before.0) / i64::try_from(times).unwrap(),
        each(after.1 - before.1),
        each(after.2 - before.2) * 10.0,
    );
    left
}

#[test]
fn what_is_refused_leaves_nothing() {
    let times = number("FLOOD_REFUSED", 100);
    let folder = tempfile::tempdir().unwrap();
    let (setup, daemon, _) = served(&folder);
    daemon.stop_well();
    let setup = setup.with("PBMSERV_LIMITS_MAILS_AN_HOUR", &SERVED_MAILS.to_string());
    let daemon = setup.serve();
    let alice = Browser::new(
        &daemon,
        &mut crate::daemon::mailbox::Mailbox::new(&setup.data.join("mail"), crate::daemon::http::ALICE),
    );
    let port = web_port(&daemon);
    let clicked = |number: u64| {
        // As many addresses as the rates need.
        let address = [127, 7, 0, 1 + u8::try_from(number / 200).unwrap()];
        let mut stream = stream_from(address, port).unwrap();
        let request = format!(
            "POST /games/u/anything{number} HTTP/1.1\r\nHost: games.example\r\nConnection: close\r\nContent-Length: 26\r\n\
             Content-Type: application/x-www-form-urlencoded\r\n\r\nList-Unsubscribe=One-Click"
        );
        stream.write_all(request.as_bytes()).unwrap();
        assert_eq!(Answer::read(&rest(&mut stream)).status, 200);
    };
    assert_eq!(
        measured(
            &setup,
            &daemon,
            "a click that unsubscribes nobody",
            times,
            clicked
        ),
        0
    );
    let mut client = Client::connect(daemon.port).unwrap();
    let mut mailed = |number: u64| {
        let from = "eve@evil.example";
        let mail = message(from, &format!("{number}@evil.example"), "help", "");
        assert!(client.send(from, &mail).unwrap().starts_with("250"));
    };
    (0..SERVED_MAILS).for_each(|number| mailed(1_000_000 + number));
    setup.wait_for_delivery();
    let recorded = |number| mailed(2_000_000 + number);
    let kept = measured(
        &setup,
        &daemon,
        "a dropped mail that is recorded",
        RECORDED,
        recorded,
    );
    assert_eq!(kept, i64::try_from(RECORDED).unwrap());
    let dropped = measured(&setup, &daemon, "a dropped mail beyond these", times, mailed);
    assert_eq!(dropped, 0);
    let refused = |number: u64| {
        let form = Form { fields: Vec::new() }
            .with("form", &format!("form{number}"))
            .with("option", "nonsense")
            .with("value", "on");
        let answer = alice.post(&format!("{}set", alice.home), &form);
        assert_ne!(answer.status, 500, "{answer:?}");
    };
    let recorded = |number| refused(1_000_000 + number);
    measured(
        &setup,
        &daemon,
        "a refused form that is recorded",
        RECORDED_FORMS,
        recorded,
    );
    assert_eq!(
        measured(&setup, &daemon, "a refused form beyond these", times, refused),
        0
    );
    daemon.stop_well();
}
