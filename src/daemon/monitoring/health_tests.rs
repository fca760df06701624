use super::*;
use crate::engine::FailedWrite;

fn noon() -> DateTime<Utc> {
    "2030-01-01T12:00:00Z".parse().unwrap()
}

fn minutes_ago(minutes: i64) -> DateTime<Utc> {
    noon() - TimeDelta::minutes(minutes)
}

/// A server that works.
pub(in crate::daemon::monitoring) fn well() -> Findings {
    let part = Part {
        is_running: true,
        reach: None,
    };
    let reaching = Part {
        reach: Some(Reach {
            last_ok: Some(minutes_ago(1)),
            ..Reach::default()
        }),
        ..part
    };
    Findings {
        now: noon(),
        is_elsewhere: false,
        holder: None,
        replication: None,
        is_engine_gone: false,
        busy_for: None,
        tasks: 0,
        writing: Writing::default(),
        disk: Room::default(),
        log: LogState::default(),
        certificate: None,
        inspected: Inspected::default(),
        queues: Ok(Queues::default()),
        sender: Some(reaching),
        doors: vec![("smtp", part), ("maildir", reaching)],
        parts: vec![("timer", part)],
    }
}

/// The page that results from one changed finding.
#[track_caller]
fn judged(change: impl FnOnce(&mut Findings)) -> (State, String) {
    let mut findings = well();
    change(&mut findings);
    let report = findings.report();
    assert_eq!(report.trouble.is_empty(), report.status == State::Ok);
    let sentences: Vec<_> = report
        .trouble
        .into_iter()
        .map(|trouble| trouble.sentence)
        .collect();
    (report.status, sentences.join(" "))
}

/// A write that failed then.
fn full(at: DateTime<Utc>) -> Option<FailedWrite> {
    Some(FailedWrite {
        at,
        why: "the disk is full",
        remedy: "free space on its disk",
    })
}

fn down(minutes: i64) -> Option<Reach> {
    Some(Reach {
        down_since: Some(minutes_ago(minutes)),
        ..Reach::default()
    })
}

#[test]
fn what_works_is_ok() {
    assert_eq!(judged(|_| {}), (State::Ok, String::new()));
    let busy = |findings: &mut Findings| findings.busy_for = Some(Duration::from_secs(10));
    assert_eq!(judged(busy).0, State::Ok, "a lock is waited for");
}

#[test]
fn an_engine_that_has_ended_or_hangs_is_down() {
    let (state, text) = judged(|findings| findings.is_engine_gone = true);
    assert_eq!((state, text.as_str()), (State::Down, "The engine has ended."));
    let (state, text) = judged(|findings| findings.busy_for = Some(Duration::from_secs(16)));
    assert_eq!(state, State::Down);
    assert!(text.contains("16 seconds"), "{text}");
}

#[test]
fn a_server_that_waits_is_no_trouble_and_gets_no_clicks() {
    let mut findings = well();
    findings.is_elsewhere = true;
    findings.sender = None;
    findings.holder = Some(Holder {
        host: "db2 (process 7)".to_owned(),
        since: minutes_ago(5),
    });
    // What fails is a matter of the other one.
    findings.queues = Ok(Queues {
        failed: QueueState {
            mails: 1,
            oldest: None,
        },
        ..Queues::default()
    });
    let report = findings.report();
    assert_eq!(report.status, State::Waiting);
    assert!(report.trouble.is_empty() && !report.is_well());
    let text = report.text();
    for part in [
        r#""status": "waiting""#,
        r#""at": "db2 (process 7)""#,
        "2030-01-01T11:55:00Z",
    ] {
        assert!(text.contains(part), "{text}");
    }
    findings.queues = Err("its server cannot be reached");
    assert_eq!(findings.report().status, State::Down);
}

#[test]
fn a_database_that_cannot_be_read_or_written_is_down() {
    let (state, text) = judged(|findings| findings.queues = Err("it is damaged"));
    assert_eq!(state, State::Down);
    assert!(text.contains("cannot be read: it is damaged"), "{text}");
    let (state, text) = judged(|findings| {
        findings.writing.failing_since = Some(minutes_ago(3));
        findings.writing.last_error = full(minutes_ago(1));
    });
    assert_eq!(state, State::Down);
    assert!(
        text.contains("2030-01-01T11:57:00Z: the disk is full: free space"),
        "{text}"
    );
    let over = |findings: &mut Findings| findings.writing.last_error = full(noon());
    assert_eq!(judged(over).0, State::Ok, "it is over");
}

#[test]
fn a_disk_with_less_room_than_the_floor_is_down() {
    let disk = |free, floor| judged(|it| it.disk = Room { free, floor });
    assert_eq!(disk(Some(10), 10).0, State::Ok);
    assert_eq!(disk(None, 10).0, State::Ok, "unknown");
    let (state, text) = disk(Some(9), 10);
    assert_eq!(state, State::Down);
    assert!(text.contains("9 bytes free"), "{text}");
}

#[test]
fn a_log_that_loses_lines_is_degraded_until_it_works_again() {
    let log = |is_lost| judged(|it| it.log = LogState { dropped: 7, is_lost });
    assert_eq!(log(false).0, State::Ok, "it works again");
    let (state, text) = log(true);
    assert_eq!(state, State::Degraded);
    assert!(text.contains("7 lines"), "{text}");
}

#[test]
fn a_certificate_is_degraded_three_weeks_before_its_end() {
    let left = |days| judged(|it| it.certificate = Some(noon() + TimeDelta::days(days)));
    assert_eq!(left(22).0, State::Ok);
    let (state, text) = left(20);
    assert_eq!(state, State::Degraded);
    assert!(text.contains("expires on 2030-01-21"), "{text}");
    assert!(left(-1).1.contains("has expired on 2029-12-31"));
}

#[test]
fn damage_in_the_database_is_degraded() {
    let (state, text) = judged(|it| it.inspected.faults = 2);
    assert_eq!(state, State::Degraded);
    assert!(text.contains("damage in 2 places"), "{text}");
}

#[test]
fn what_is_out_of_reach_for_a_moment_is_degraded_and_then_down() {
    for (minutes, expected) in [(4, State::Degraded), (6, State::Down)] {
        assert_eq!(
            judged(|it| it.sender.as_mut().unwrap().reach = down(minutes)).0,
            expected
        );
        assert_eq!(judged(|it| it.doors[1].1.reach = down(minutes)).0, expected);
    }
}

#[test]
fn a_part_that_has_ended_is_down() {
    assert_eq!(
        judged(|it| it.sender.as_mut().unwrap().is_running = false).0,
        State::Down
    );
    let (state, text) = judged(|it| it.doors[0].1.is_running = false);
    assert_eq!((state, text.as_str()), (State::Down, "The door smtp has ended."));
    let (state, text) = judged(|it| it.parts[0].1.is_running = false);
    assert_eq!((state, text.as_str()), (State::Down, "The part timer has ended."));
}

#[test]
fn what_waits_long_is_degraded() {
    let waiting = |minutes| QueueState {
        mails: 1,
        oldest: Some(minutes_ago(minutes)),
    };
    let outbox = |minutes| {
        judged(|it| {
            it.queues = Ok(Queues {
                waiting: waiting(minutes),
                ..Queues::default()
            });
        })
    };
    assert_eq!(outbox(59).0, State::Ok);
    assert_eq!(outbox(61).0, State::Degraded);
    let failed = Queues {
        failed: waiting(1),
        ..Queues::default()
    };
    assert_eq!(judged(|it| it.queues = Ok(failed)).0, State::Degraded);
}

#[test]
fn the_worst_of_all_is_what_the_page_says() {
    let (state, text) = judged(|it| {
        it.sender.as_mut().unwrap().reach = down(1);
        it.is_engine_gone = true;
    });
    assert_eq!(state, State::Down);
    assert!(text.contains("engine") && text.contains("sender"), "{text}");
}
