//! The server in one sentence, for `systemctl status`.

use pbmserv_core::store::{Queues, Totals};

use super::health::Findings;

/// What the server does, or the worst fault that `/healthz` names. It changes only when something happens: an age
/// would be wrong a minute later, and for ever if the server hangs.
pub(super) fn of(findings: &Findings, census: Option<&Totals>) -> String {
    let faults = findings.report().trouble;
    // The first of equals.
    let worst = faults.iter().rev().max_by_key(|fault| fault.state);
    match worst {
        None if findings.is_elsewhere => of_waiting(findings).unwrap_or_default(),
        None => deeds(findings.queues.as_ref().ok(), census),
        Some(worst) if faults.len() == 1 => worst.sentence.clone(),
        Some(worst) => format!(
            "{} And {} more: see pbmserv check.",
            worst.sentence,
            faults.len() - 1
        ),
    }
}

/// For whom a server waits; `None`: it has the engine.
pub(super) fn of_waiting(findings: &Findings) -> Option<String> {
    findings.is_elsewhere.then(|| match &findings.holder {
        Some(holder) => format!(
            "it waits: {} has the engine since {}",
            holder.host,
            holder.since.format("%Y-%m-%d at %H:%M UTC")
        ),
        None => "it waits, and is about to take the engine".to_owned(),
    })
}

fn deeds(queues: Option<&Queues>, census: Option<&Totals>) -> String {
    let boards = census.map(|census| {
        let running = census.boards.iter().map(|game| game.running).sum();
        counted(running, ["no board runs", "1 board runs", "boards run"])
    });
    let mails = queues.map(|queues| match queues.waiting.mails {
        Queues::MOST => format!("{} mails or more wait", Queues::MOST),
        mails => counted(mails, ["no mail waits", "1 mail waits", "mails wait"]),
    });
    let last = queues.map(|queues| match queues.last_in {
        Some(at) => format!("the last mail came on {}", at.format("%Y-%m-%d at %H:%M UTC")),
        None => "no mail has come".to_owned(),
    });
    let parts: Vec<_> = [boards, mails, last].into_iter().flatten().collect();
    parts.join("; ")
}

fn counted(count: u32, [none, one, many]: [&str; 3]) -> String {
    match count {
        0 => none.to_owned(),
        1 => one.to_owned(),
        _ => format!("{count} {many}"),
    }
}

#[cfg(test)]
mod tests {
    use chrono::{TimeZone as _, Utc};

    use super::*;
    use crate::daemon::monitoring::health::tests::well;
    use pbmserv_core::store::{GameStats, QueueState};

    fn census(running: u32) -> Totals {
        let game = GameStats {
            game: "Pow2".to_owned(),
            running,
            over: 9,
        };
        Totals {
            boards: vec![game.clone(), game],
            ..Totals::default()
        }
    }

    fn queues(mails: u32, last_in: Option<chrono::DateTime<Utc>>) -> Queues {
        let waiting = QueueState { mails, oldest: None };
        Queues {
            waiting,
            last_in,
            ..Queues::default()
        }
    }

    #[test]
    fn a_server_that_is_well_says_what_it_does() {
        let mut findings = well();
        findings.queues = Ok(queues(0, None));
        assert_eq!(
            of(&findings, Some(&census(0))),
            "no board runs; no mail waits; no mail has come"
        );
        let at = Utc.with_ymd_and_hms(2030, 1, 1, 9, 5, 59).unwrap();
        findings.queues = Ok(queues(12, Some(at)));
        assert_eq!(
            of(&findings, Some(&census(3))),
            "6 boards run; 12 mails wait; the last mail came on 2030-01-01 at 09:05 UTC"
        );
        // The count of boards took too long.
        findings.queues = Ok(queues(Queues::MOST, Some(at)));
        assert_eq!(
            of(&findings, None),
            "10000 mails or more wait; the last mail came on 2030-01-01 at 09:05 UTC"
        );
    }

    #[test]
    fn the_worst_fault_comes_before_what_it_does() {
        let mut findings = well();
        findings.queues = Ok(Queues {
            failed: QueueState {
                mails: 1,
                oldest: None,
            },
            ..Queues::default()
        });
        assert_eq!(
            of(&findings, None),
            "Messages could not be handled: see pbmserv queue list --inbox --state failed."
        );
        findings.is_engine_gone = true;
        assert_eq!(
            of(&findings, None),
            "The engine has ended. And 1 more: see pbmserv check."
        );
        let (_, door) = &mut findings.doors[0];
        door.is_running = false;
        assert_eq!(
            of(&findings, None),
            "The engine has ended. And 2 more: see pbmserv check."
        );
    }
}
