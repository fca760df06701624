//! A healthy daemon as monitoring sees it: `/healthz`, `/metrics`, the log, and the dashboard and alerts built on
//! them.

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::daemon::http::{ALICE, play, watched};
use crate::daemon::mailbox::files;
use crate::daemon::smtp::{Client, message};
use crate::daemon::{self, Setup, until};

#[test]
fn nothing_is_served_unless_it_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let daemon = Setup::new(folder.path()).serve();
    assert_eq!(daemon.http(), None);
    assert!(daemon.log().contains(" http=nowhere"), "{}", daemon.log());
    daemon.stop_well();
}

#[test]
fn a_server_that_works_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let setup = watched(folder.path());
    let daemon = setup.serve();
    let page = daemon.page("/healthz");
    assert_eq!(page.status, 200, "{page:?}");
    assert!(page.header.contains("content-type: application/json"), "{page:?}");
    let health = page.json();
    assert_eq!(health["status"], "ok", "{health}");
    assert_eq!(health["doors"]["smtp"]["state"], "ok", "{health}");
    assert_eq!(health["doors"]["control"]["state"], "ok", "{health}");
    assert_eq!(health["parts"]["timer"]["state"], "ok", "{health}");
    assert_eq!(health["trouble"], serde_json::json!([]), "{health}");
    play(&daemon);
    setup.wait_for_delivery();
    let health = daemon.health_when("a mail was sent", |_, health| {
        health["sender"]["last_ok"].is_string()
    });
    assert_eq!(health["status"], "ok", "{health}");
    assert!(health["database"]["last_write"].is_string(), "{health}");
    daemon.stop_well();
}

#[test]
fn what_is_done_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    let setup = watched(folder.path());
    let daemon = setup.serve();
    for line in [
        "pbmserv_mails_in_total{door=\"smtp\",result=\"done\"}",
        "pbmserv_commands_total{result=\"done\",verb=\"signup\"}",
        "pbmserv_mails_out_total{result=\"sent\"}",
    ] {
        assert!(
            daemon.page("/metrics").body.contains(&format!("{line} 0\n")),
            "{line} is there from the start"
        );
    }
    play(&daemon);
    setup.wait_for_delivery();
    let page = daemon.page("/metrics");
    assert_eq!(page.status, 200);
    assert!(
        page.header.contains("text/plain; version=0.0.4"),
        "{}",
        page.header
    );
    eprintln!("{}", page.body);
    let metric = |line: &str| daemon.metric(line);
    assert_eq!(
        metric("pbmserv_mails_in_total{door=\"smtp\",result=\"done\"}"),
        4.0
    );
    assert_eq!(
        metric("pbmserv_mails_in_total{door=\"smtp\",result=\"refused\"}"),
        2.0
    );
    assert_eq!(
        metric("pbmserv_commands_total{result=\"done\",verb=\"signup\"}"),
        2.0
    );
    assert_eq!(
        metric("pbmserv_commands_total{result=\"refused\",verb=\"move\"}"),
        1.0
    );
    assert_eq!(
        metric("pbmserv_commands_total{result=\"refused\",verb=\"none\"}"),
        1.0
    );
    let refusals: f64 = ["unreadable", "impossible", "ambiguous"]
        .iter()
        .map(|kind| metric(&format!("pbmserv_refusals_total{{kind=\"{kind}\"}}")))
        .sum();
    assert_eq!(refusals, 2.0);
    let sent = daemon::count(&setup.look(), "SELECT COUNT(*) FROM outbox WHERE state = 'sent'");
    assert!(sent > 5);
    assert_eq!(metric("pbmserv_mails_out_total{result=\"sent\"}"), sent as f64);
    assert_eq!(metric("pbmserv_batch_messages_sum"), 6.0);
    assert_eq!(metric("pbmserv_message_seconds_count"), 6.0);
    assert!(metric("pbmserv_transaction_seconds_count") >= 6.0);
    assert_eq!(
        metric("pbmserv_queue_mails{queue=\"outbox\",state=\"waiting\"}"),
        0.0
    );
    assert_eq!(metric("pbmserv_door_alive{door=\"smtp\"}"), 1.0);
    assert_eq!(metric("pbmserv_sender_alive"), 1.0);
    assert_eq!(metric("pbmserv_healthy"), 1.0);
    assert!(metric("pbmserv_database_bytes") > 10_000.0);
    // A second copy is recognised as a duplicate.
    let copy = message(
        ALICE,
        "0@home.example",
        "signup alice fig7elk",
        "some words for bob",
    );
    Client::connect(daemon.port).unwrap().send(ALICE, &copy).unwrap();
    assert_eq!(
        metric("pbmserv_mails_in_total{door=\"smtp\",result=\"duplicate\"}"),
        1.0
    );
    // These counts are queried only every 15 seconds.
    until("the board and the players are seen", || {
        let boards = metric("pbmserv_boards{game=\"Pow2\",state=\"running\"}");
        let found = boards == 1.0 && metric("pbmserv_players") == 2.0;
        std::thread::sleep(Duration::from_millis(100));
        found.then_some(())
    });
    daemon.stop_well();
}

#[test]
fn a_backup_is_noted() {
    let folder = tempfile::tempdir().unwrap();
    let setup = watched(folder.path());
    let daemon = setup.serve();
    let line = "pbmserv_last_backup_timestamp_seconds";
    assert_eq!(daemon.metric(line), 0.0);
    setup.done(&["backup", &folder.path().join("backups").to_string_lossy()]);
    until("the backup is seen", || {
        (daemon.metric(line) > 1.7e9).then_some(())
    });
    daemon.stop_well();
}

/// The log line of each mail has what an operator searches for, and no secret.
#[test]
fn the_log_has_one_line_a_mail_that_says_all_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let setup = watched(folder.path());
    let daemon = setup.serve();
    play(&daemon);
    setup.wait_for_delivery();
    // The subject of a reply to a board's mail does not say what it does.
    let mails = files(&setup.data.join("mail").join(ALICE).join("new"));
    let token = mails.iter().rev().find_map(|mail| {
        let text = fs::read_to_string(mail).unwrap();
        let field = text.lines().find(|line| line.starts_with("Reply-To:"))?;
        let at = field.find("pbmserv+")?;
        Some(field[at..].trim_end_matches('>').to_owned())
    });
    let token = token.unwrap();
    let mut client = Client::connect(daemon.port).unwrap();
    for line in [
        format!("MAIL FROM:<{ALICE}>"),
        format!("RCPT TO:<{token}>"),
        "DATA".to_owned(),
    ] {
        client.say(&line).unwrap();
    }
    let text = message(ALICE, "answer@home.example", "Re: your turn", "chat\n\nhello");
    client.write(&daemon::smtp::stuffed(&text)).unwrap();
    assert!(client.reply().unwrap().starts_with("250"));
    let log = daemon.stop_well();
    let lines: Vec<_> = log.lines().filter(|line| line.contains(" mail id=")).collect();
    assert_eq!(lines.len(), 7, "{log}");
    for (line, expected) in lines.iter().zip([
        "id=1 door=\"smtp\" sender=\"a***@home.example\" fate=\"done\" why=\"\" verb=\"signup\" board=\"\" ",
        "id=2 door=\"smtp\" sender=\"b***@home.example\" fate=\"done\" why=\"\" verb=\"signup\" board=\"\" ",
        "id=3 door=\"smtp\" sender=\"a***@home.example\" fate=\"done\" why=\"\" verb=\"challenge\" board=\"\" ",
        "id=4 door=\"smtp\" sender=\"a***@home.example\" fate=\"refused\" ",
        "id=5 door=\"smtp\" sender=\"a***@home.example\" fate=\"done\" why=\"\" verb=\"chat\" board=\"Pow2.101\" ",
        "id=6 door=\"smtp\" sender=\"b***@home.example\" fate=\"refused\" ",
        "id=7 door=\"smtp\" sender=\"a***@home.example\" fate=\"done\" why=\"\" verb=\"chat\" board=\"Pow2.101\" ",
    ]) {
        assert!(line.contains(expected), "{line}\n{expected}");
        assert!(line.contains(" milliseconds="), "{line}");
    }
    assert!(
        lines[3].contains("verb=\"move\" board=\"Pow2.101\""),
        "{}",
        lines[3]
    );
    for word in ["fig7elk", "oak4jay", "wrong-guess", "alice@", "bob@", &token] {
        assert!(!log.contains(word), "{word}: {log}");
    }
}

/// The metrics that the dashboard and the alerts query.
fn expressions() -> Vec<String> {
    fn collect(value: &serde_json::Value, found: &mut Vec<String>) {
        match value {
            serde_json::Value::Array(values) => values.iter().for_each(|value| collect(value, found)),
            serde_json::Value::Object(fields) => {
                for (name, value) in fields {
                    match value.as_str() {
                        Some(text) if matches!(name.as_str(), "expr" | "query" | "definition") => {
                            found.push(text.to_owned());
                        }
                        // The names of labels for a legend are checked with their query.
                        Some(_) => {}
                        None => collect(value, found),
                    }
                }
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    let dashboard = serde_json::from_str(include_str!("../../deploy/grafana.json")).unwrap();
    collect(&dashboard, &mut found);
    let rules = include_str!("../../deploy/alerts.yml").lines();
    found.extend(rules.filter_map(|line| Some(line.trim().strip_prefix("expr: ")?.to_owned())));
    found
}

/// Our metrics in an expression, each with its selector.
fn metrics_in(expression: &str) -> Vec<(String, Vec<(String, String)>)> {
    let mut found = Vec::new();
    let is_begun = |at: usize| !expression[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let ours = ["pbmserv_", "process_"].map(|prefix| expression.match_indices(prefix));
    for (at, _) in ours.into_iter().flatten().filter(|(at, _)| is_begun(*at)) {
        let rest = &expression[at..];
        let end = rest
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        let selector = after.strip_prefix('{').and_then(|after| after.split_once('}'));
        let labels = selector.map_or_else(Vec::new, |(inside, _)| {
            let pair = |pair: &str| {
                let (label, value) = pair.split_once('=').unwrap();
                (label.to_owned(), value.to_owned())
            };
            inside.split(',').map(pair).collect()
        });
        found.push((name.to_owned(), labels));
    }
    found
}

/// The labels in `by (a, b)` and `{{a}}`.
fn labels_named(text: &str) -> Vec<String> {
    let between = |open: &str, close: &str| {
        let parts = text.split(open).skip(1);
        let inside = parts.filter_map(|part| Some(part.split_once(close)?.0.to_owned()));
        inside.collect::<Vec<_>>()
    };
    let lists = [between("by (", ")"), between("{{", "}}")].concat();
    let words = lists.iter().flat_map(|list| list.split(','));
    words.map(|word| word.trim().to_owned()).collect()
}

/// Labels that Prometheus adds, and the bucket label of histograms.
const OTHERS: [&str; 3] = ["instance", "job", "le"];

/// `/metrics` after a game.
fn metrics_page() -> String {
    let folder = tempfile::tempdir().unwrap();
    let maildir = folder.path().join("Maildir");
    for part in ["cur", "new", "tmp"] {
        fs::create_dir_all(maildir.join(part)).unwrap();
    }
    // A door whose mails may be put aside.
    let setup = watched(folder.path()).with("PBMSERV_MAILDIR_PATH", &maildir.to_string_lossy());
    let daemon = setup.serve();
    play(&daemon);
    setup.wait_for_delivery();
    let page = daemon.page("/metrics").body;
    daemon.stop_well();
    page
}

#[test]
fn the_dashboard_and_the_alerts_ask_for_what_there_is() {
    let page = metrics_page();
    let expressions = expressions();
    assert!(expressions.len() > 40, "{}", expressions.len());
    let mut asked = 0;
    for expression in &expressions {
        let metrics = metrics_in(expression);
        for (name, labels) in &metrics {
            asked += 1;
            let is_of = |line: &&str| {
                let rest = line.strip_prefix(name.as_str());
                rest.is_some_and(|rest| rest.starts_with(['{', ' ']))
            };
            let lines: Vec<_> = page.lines().filter(is_of).collect();
            assert!(!lines.is_empty(), "{name} is no metric: {expression}");
            for (label, value) in labels.iter().filter(|(label, _)| !OTHERS.contains(&&**label)) {
                assert!(
                    lines
                        .iter()
                        .any(|line| line.contains(&format!("{label}={value}"))),
                    "{name} has no {label}={value}: {expression}"
                );
            }
        }
        for label in labels_named(expression) {
            let is_there = metrics.iter().any(|(name, _)| {
                let with_label = |line: &str| line.starts_with(name) && line.contains(&format!("{label}=\""));
                page.lines().any(with_label)
            });
            assert!(
                is_there || OTHERS.contains(&&*label),
                "nothing has {label}: {expression}"
            );
        }
    }
    assert!(asked > 40, "{asked}");
    // Legends and sentences name existing labels.
    let texts = [
        include_str!("../../deploy/grafana.json"),
        include_str!("../../deploy/alerts.yml"),
    ];
    for label in texts.iter().flat_map(|text| labels_named(text)) {
        let label = label.trim_start_matches("$labels.");
        let is_there = page.contains(&format!("{label}=\"")) || label.starts_with("$value");
        assert!(is_there || OTHERS.contains(&label), "nothing has {label}");
    }
    let known = page
        .lines()
        .filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next());
    let everywhere = [texts[0], texts[1], include_str!("../../deploy/README.md")].concat();
    for name in known {
        assert!(everywhere.contains(name), "nobody says what {name} is for");
    }
}

/// promtool checks the page, the rules, their tests and the expressions.
#[test]
#[ignore = "needs promtool (Debian: prometheus)"]
fn prometheus_takes_the_metrics_the_alerts_and_the_dashboard() {
    let promtool = |words: &[&str], input: &str| {
        let mut child = Command::new("promtool")
            .args(words)
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert!(output.status.success(), "{words:?}: {said}");
        said
    };
    // It reports style problems too.
    assert_eq!(promtool(&["check", "metrics"], &metrics_page()), "");
    promtool(&["check", "rules", "deploy/alerts.yml"], "");
    promtool(&["test", "rules", "tests/alerts/alerts.test.yml"], "");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("expressions.yml");
    let mut rules = "groups:\n- name: all\n  rules:\n".to_owned();
    for (number, expression) in expressions().iter().enumerate() {
        if expression.contains("label_values") {
            continue;
        }
        let plain = expression
            .replace("$__rate_interval", "5m")
            .replace("$instance", ".*");
        let quoted = serde_json::to_string(&plain).unwrap();
        rules += &format!("  - record: asked:{number}\n    expr: {quoted}\n");
    }
    fs::write(&file, rules).unwrap();
    promtool(&["check", "rules", file.to_str().unwrap()], "");
}
