//! The pages for the operator, on a running daemon: who gets in, what each button changes, and what no page says.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;

use crate::daemon::http::Answer;
use crate::daemon::postgres::rows;
use crate::daemon::{Daemon, PATIENCE, Setup, count, until};

const ALICE: &str = "alice@home.example";
const BOB: &str = "bob@home.example";

/// Two players and a board, whose letters cannot be delivered.
fn setup(folder: &std::path::Path) -> Setup {
    let setup = Setup::new(folder).with("PBMSERV_OPERATOR_LISTEN", "127.0.0.1:0");
    setup.done(&["mail", ALICE, "signup alice fig7elk"]);
    setup.done(&["mail", BOB, "signup bob oak4jay"]);
    setup.done(&["mail", ALICE, "Pow2 challenge alice bob"]);
    setup
        .with("PBMSERV_DELIVERY_TRANSPORT", "smtp")
        .with("PBMSERV_DELIVERY_URL", "smtp://127.0.0.1:9")
}

/// A browser at the operator's pages.
struct Desk {
    port: u16,
    cookie: String,
}

impl Desk {
    /// A browser that has not logged in.
    fn new(daemon: &Daemon) -> Self {
        let log = daemon.log();
        let (_, port) = log.split_once(" operator=127.0.0.1:").unwrap();
        Self {
            port: port.split([' ', '\n']).next().unwrap().parse().unwrap(),
            cookie: String::new(),
        }
    }

    /// One that has.
    fn open(daemon: &Daemon, setup: &Setup) -> Self {
        let mut desk = Self::new(daemon);
        let answer = desk.post("/login", &[("key", &key(setup))]);
        assert_eq!(answer.status, 303, "{answer:?}");
        let (_, cookie) = answer.header.split_once("set-cookie: ").unwrap();
        for flag in ["httponly", "samesite=strict", "max-age=43200", "path=/"] {
            assert!(cookie.contains(flag), "{cookie}");
        }
        desk.cookie = cookie.split(';').next().unwrap().to_owned();
        desk
    }

    fn ask(&self, bytes: &str) -> Answer {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(bytes.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        Answer::read(&answer)
    }

    fn get(&self, path: &str) -> Answer {
        self.ask(&format!(
            "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\nCookie: {}\r\n\r\n",
            self.port, self.cookie
        ))
    }

    fn post(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let own = format!(
            "Host: 127.0.0.1:{}\r\nOrigin: http://127.0.0.1:{}\r\n",
            self.port, self.port
        );
        self.post_with(path, fields, &own)
    }

    /// The same with these header fields about where it comes from.
    fn post_with(&self, path: &str, fields: &[(&str, &str)], from: &str) -> Answer {
        let mut body = url::form_urlencoded::Serializer::new(String::new());
        let body = body.extend_pairs(fields).finish();
        self.ask(&format!(
            "POST {path} HTTP/1.1\r\n{from}Connection: close\r\nCookie: {}\r\n\
             Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{body}",
            self.cookie,
            body.len()
        ))
    }

    /// The number of the forms on a page.
    fn form(&self, path: &str) -> String {
        let page = self.get(path);
        assert_eq!(page.status, 200, "{path}: {page:?}");
        let (_, form) = page.body.split_once("name=\"form\" value=\"").unwrap();
        form.split('"').next().unwrap().to_owned()
    }

    /// Presses a button of a page; returns the page that says what was done.
    fn press(&self, path: &str, fields: &[(&str, &str)]) -> String {
        let form = self.form(path);
        let answer = self.post("/act", &[fields, &[("form", &form)]].concat());
        assert_eq!(answer.status, 303, "{answer:?}");
        let (_, place) = answer.header.split_once("location: ").unwrap();
        let page = self.get(place.lines().next().unwrap());
        assert_eq!(page.status, 200, "{page:?}");
        page.body
    }
}

fn key(setup: &Setup) -> String {
    let key = fs::read_to_string(setup.data.join("operator.key")).unwrap();
    key.trim().to_owned()
}

#[test]
fn only_the_key_opens_the_pages_and_nothing_says_it() {
    let folder = tempfile::tempdir().unwrap();
    let setup = setup(folder.path());
    let daemon = setup.serve();
    let file = setup.data.join("operator.key");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let key = key(&setup);
    let stranger = Desk::new(&daemon);
    for path in [
        "/",
        "/queue",
        "/boards/Pow2/101",
        "/players/alice",
        "/audit",
        "/nowhere",
        "/login",
    ] {
        let page = stranger.get(path);
        assert_eq!(page.status, 403, "{path}");
        assert!(page.body.contains("name=\"key\""), "{page:?}");
        assert!(
            !page.body.contains("alice") && !page.body.contains("Queue"),
            "{path}: {page:?}"
        );
    }
    let refused = stranger.post(
        "/act",
        &[("do", "user disable"), ("userid", "alice"), ("why", "x")],
    );
    assert_eq!(refused.status, 403);
    let wrong = stranger.post("/login", &[("key", &key[1..])]);
    assert_eq!(wrong.status, 403);
    assert!(!wrong.header.contains("set-cookie"), "{wrong:?}");

    let desk = Desk::open(&daemon, &setup);
    let mut pages = String::new();
    for path in [
        "/",
        "/queue",
        "/queue?box=in",
        "/boards?all=yes",
        "/boards/Pow2/101",
        "/players",
        "/players/alice",
        "/waiting",
        "/audit",
    ] {
        let page = desk.get(path);
        assert_eq!(page.status, 200, "{path}: {page:?}");
        assert!(page.header.contains("cache-control: no-store"), "{page:?}");
        assert!(page.header.contains("default-src 'none'"), "{page:?}");
        pages.push_str(&page.header);
        pages.push_str(&page.body);
    }
    assert!(!pages.contains(&key), "a page has the key");
    assert!(
        !pages.contains(desk.cookie.split('=').nth(1).unwrap()),
        "a page has the token"
    );
    assert_eq!(desk.get("/boards/Pow2/999").status, 404);
    assert_eq!(desk.get("/boards/%ff/1").status, 400);
    assert_eq!(desk.get("/queue?state=a&state=b").status, 400);
    assert_eq!(desk.get("/queue/in/99999999999999999999").status, 404);

    let form = desk.form("/");
    assert_eq!(desk.post("/logout", &[("form", &form)]).status, 303);
    assert_eq!(desk.get("/").status, 403, "the session has ended");

    // Ten wrong keys, and then not even the right one is read for a while.
    let statuses: Vec<_> = (0..12)
        .map(|_| stranger.post("/login", &[("key", "wrong")]).status)
        .collect();
    assert!(statuses.ends_with(&[429, 429]), "{statuses:?}");
    assert_eq!(stranger.post("/login", &[("key", &key)]).status, 429);
    let log = daemon.stop_well();
    assert!(
        !log.contains(&key) && !log.contains(desk.cookie.split('=').nth(1).unwrap()),
        "{log}"
    );
}

#[test]
fn a_page_elsewhere_sends_no_form_and_opens_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let setup = setup(folder.path());
    let daemon = setup.serve();
    let desk = Desk::open(&daemon, &setup);
    let port = desk.port;
    let form = desk.form("/players/alice");
    let act = [
        ("do", "user disable"),
        ("userid", "alice"),
        ("why", "x"),
        ("form", form.as_str()),
    ];
    for from in [
        format!("Host: 127.0.0.1:{port}\r\nOrigin: https://evil.example\r\n"),
        format!("Host: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:1\r\n"),
        format!("Host: 127.0.0.1:{port}\r\nOrigin: null\r\n"),
        format!("Host: 127.0.0.1:{port}\r\nSec-Fetch-Site: same-site\r\n"),
        "Host: evil.example\r\nOrigin: http://evil.example\r\n".to_owned(),
        format!("Host: 127.0.0.1:{port}\r\nHost: 127.0.0.1:{port}\r\n"),
        String::new(),
    ] {
        let answer = desk.post_with("/act", &act, &from);
        assert!([400, 403].contains(&answer.status), "{from}: {answer:?}");
    }
    // A name that somebody lets lead to this machine reads nothing either.
    let read = desk.ask(&format!(
        "GET /audit HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\nCookie: {}\r\n\r\n",
        desk.cookie
    ));
    assert_eq!(read.status, 403, "{read:?}");
    assert!(setup.done(&["user", "show", "alice"]).contains("alice: active"));
    // The form has not been used up by that. Another session has no use for it.
    let other = Desk::open(&daemon, &setup);
    assert_eq!(other.post("/act", &act).status, 409);
    let through_a_tunnel = desk.post_with(
        "/act",
        &act,
        "Host: localhost:9999\r\nOrigin: http://localhost:9999\r\n",
    );
    assert_eq!(through_a_tunnel.status, 303, "{through_a_tunnel:?}");
    assert_eq!(desk.post("/act", &act).status, 409, "a form acts once");
    assert_eq!(count(&setup.look(), "SELECT COUNT(*) FROM audit"), 1);
    daemon.stop_well();
}

#[test]
fn each_button_changes_what_its_verb_changes_and_stands_in_the_audit_log() {
    let folder = tempfile::tempdir().unwrap();
    let setup = setup(folder.path());
    let daemon = setup.serve();
    let desk = Desk::open(&daemon, &setup);
    let player = "/players/alice";
    let page = desk.press(
        player,
        &[("do", "user disable"), ("userid", "alice"), ("why", "she asked")],
    );
    assert!(page.contains("Alice: account closed."), "{page}");
    assert!(setup.done(&["user", "show", "alice"]).contains("alice: disabled"));
    desk.press(
        player,
        &[("do", "user enable"), ("userid", "alice"), ("why", "she is back")],
    );
    assert!(setup.done(&["user", "show", "alice"]).contains("alice: active"));

    let board = "/boards/Pow2/101";
    let of_board = |verb, more: &[(&str, &str)]| {
        let own = [
            ("do", verb),
            ("game", "Pow2"),
            ("number", "101"),
            ("why", "by agreement"),
        ];
        desk.press(board, &[&own, more].concat())
    };
    of_board("board clock", &[("days", "21")]);
    let refused = of_board("board turn", &[("userid", "alice"), ("turn", "no turn")]);
    assert!(refused.contains("Nothing was done:"), "{refused}");
    of_board("board reseat", &[("userid", "bob"), ("to", "nobody")]);
    of_board("board end", &[("result", "draw")]);
    let shown: serde_json::Value =
        serde_json::from_str(&setup.done(&["board", "show", "Pow2", "101", "--json"])).unwrap();
    assert_eq!(shown["result"], "draw");
    let form = desk.form(board);
    let without = [
        ("do", "board void"),
        ("game", "Pow2"),
        ("number", "101"),
        ("why", " "),
        ("form", form.as_str()),
    ];
    assert_eq!(
        desk.post("/act", &without).status,
        400,
        "a ruling needs its reason"
    );
    of_board("board void", &[]);

    // The letters about all that cannot be sent.
    let waiting: Vec<serde_json::Value> =
        serde_json::from_str(&setup.done(&["queue", "list", "--state", "waiting", "--json"])).unwrap();
    let [kept, dropped] = [0, 1].map(|at: usize| waiting[at]["id"].to_string());
    let of_mail = |verb, number: &str| {
        let path = format!("/queue/out/{number}");
        desk.press(&path, &[("do", verb), ("box", "out"), ("number", number)])
    };
    let state = |number: &str| {
        let shown = setup.done(&["queue", "show", number, "--json"]);
        let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
        shown["state"].as_str().unwrap().to_owned()
    };
    of_mail("queue hold", &kept);
    of_mail("queue drop", &dropped);
    assert_eq!([state(&kept), state(&dropped)], ["held", "dropped"]);
    assert!(desk.get("/waiting").body.contains(&format!("Mail {kept}<")));
    assert!(
        desk.get("/queue?box=out&state=held")
            .body
            .contains("1 mail that is held would be tried again now")
    );
    desk.press(
        "/queue?state=held",
        &[("do", "queue retry all"), ("box", "out"), ("state", "held")],
    );
    until("the mail waits again", || {
        (state(&kept) == "waiting").then_some(())
    });

    let audit: Vec<serde_json::Value> = serde_json::from_str(&setup.done(&["audit", "--json"])).unwrap();
    let found: Vec<_> = audit
        .iter()
        .rev()
        .map(|row| [&row["who"], &row["verb"], &row["why"]].map(|text| text.as_str().unwrap()))
        .collect();
    let by = "operator page";
    assert_eq!(
        found,
        [
            [by, "user disable", "she asked"],
            [by, "user enable", "she is back"],
            [by, "board clock", "by agreement"],
            [by, "board end", "by agreement"],
            [by, "board void", "by agreement"],
            [by, "queue hold", ""],
            [by, "queue drop", ""],
            [by, "queue retry", ""],
        ]
    );
    assert!(desk.get("/audit").body.contains("she is back"));
    daemon.stop_well();
}

#[test]
fn the_pages_are_at_a_socket_too_and_nowhere_else() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    for listen in ["0.0.0.0:2590", "[::]:2590", "192.0.2.1:2590"] {
        let error = setup.with("PBMSERV_OPERATOR_LISTEN", listen).does_not_start();
        assert!(
            error.contains("operator.listen is no place of this machine alone"),
            "{error}"
        );
        assert_eq!(error.trim_end().lines().count(), 1, "{error}");
    }
    assert!(!setup.data.join("operator.key").exists());
    let place = folder.path().join("operator.sock");
    let daemon = setup
        .with("PBMSERV_OPERATOR_LISTEN", &format!("unix:{}", place.display()))
        .serve();
    let mut stream = UnixStream::connect(&place).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
        .write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        .unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let page = Answer::read(&answer);
    assert_eq!(page.status, 403);
    assert!(page.body.contains("name=\"key\""), "{page:?}");
    daemon.stop_well();
}

/// With `tests/on-postgres`.
#[test]
fn the_state_of_postgresql_is_shown() {
    let Ok(server) = std::env::var("POSTGRES_OF_TESTS") else {
        eprintln!(
            "left out, since there is no PostgreSQL: tests/on-postgres cargo test --test running operator_page"
        );
        return;
    };
    let database = format!("operator_page_{}", std::process::id());
    let create = format!("CREATE DATABASE {database} TEMPLATE pattern");
    rows(&format!("{server}/postgres"), &create);
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path())
        .with("PBMSERV_STORE_URL", &format!("{server}/{database}"))
        .with("PBMSERV_OPERATOR_LISTEN", "127.0.0.1:0");
    setup.done(&["mail", ALICE, "signup alice fig7elk"]);
    let daemon = setup.serve();
    let desk = Desk::open(&daemon, &setup);
    let page = desk.get("/").body;
    for shown in [
        "has the engine since",
        "one machine, no standby is meant",
        "<b>Mails received</b>: 1 in 48 hours",
    ] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    desk.press(
        "/players/alice",
        &[("do", "user disable"), ("userid", "alice"), ("why", "she asked")],
    );
    assert!(desk.get("/audit").body.contains("she asked"));
    daemon.stop_well();
}
