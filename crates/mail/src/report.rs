//! Delivery status notifications (RFC 3464) about our mail.

use super::header::Header;
use super::parts::{Parts, Type, decoded};

/// The most parts of a report that are examined.
const PARTS_MAX: usize = 20;
/// The most bytes of the `message/delivery-status` part that are read.
const STATUS_MAX_BYTES: usize = 64 * 1024;

/// The worst status in a delivery report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryReport {
    /// The class of the status (RFC 3463): 2 success, 4 persistent transient failure, 5 permanent failure.
    pub class: u8,
    /// The whole status, such as `5.1.1`.
    pub status: String,
}

/// Whether a message, or one of its parts, is a delivery report; and its content, if the `message/delivery-status` part
/// can be read. `is_notification`: whether its reverse-path is null.
pub(super) fn delivery_report(
    header: &Header<'_>,
    body: &[u8],
    is_notification: bool,
) -> (bool, Option<DeliveryReport>) {
    let kind = Type::of(header);
    // OpenSMTPD writes `mixed`. So does a person who forwards a report, but with a reverse-path.
    let is_report = kind.name == "multipart/report" || (is_notification && kind.name == "multipart/mixed");
    let mut is_ours = is_report && kind.report.as_deref() == Some("delivery-status");
    let mut worst: Option<DeliveryReport> = None;
    let Some(parts) = Parts::of(&kind, body).filter(|_| is_report) else {
        return (is_ours, None);
    };
    for part in parts.take(PARTS_MAX) {
        let Ok((header, body)) = Header::split(part) else {
            continue;
        };
        let name = Type::of(&header).name;
        if name != "message/delivery-status" && name != "message/global-delivery-status" {
            continue;
        }
        is_ours = true;
        let status = decoded(&header, &body[..body.len().min(STATUS_MAX_BYTES)]);
        for report in String::from_utf8_lossy(&status).lines().filter_map(status_of) {
            if worst.as_ref().is_none_or(|worst| worst.class < report.class) {
                worst = Some(report);
            }
        }
    }
    (is_ours, worst)
}

/// A bounce without such a part, as qmail and older Exim write it: a permanent failure.
///
/// Other messages with the null reverse-path do not count: vacation responders use it too (RFC 3834, section 3.3), from
/// mailboxes that accept mail.
pub(super) fn plain_bounce(header: &Header<'_>, body: &[u8]) -> Option<DeliveryReport> {
    // Exim names the failed recipients of a bounce, but not in a warning about a delay.
    let is_exim = header.has("X-Failed-Recipients");
    // Every bounce of qmail begins like this (<https://cr.yp.to/proto/qsbmf.txt>); qmail sends no warnings about
    // delays.
    let is_qmail = || {
        let words = body.trim_ascii_start();
        words.starts_with(b"Hi. This is the ") || words.starts_with(b"Hi. This is the\n")
    };
    (is_exim || is_qmail()).then(|| DeliveryReport {
        class: 5,
        status: "5.0.0".to_owned(),
    })
}

/// The status in a `Status` field (RFC 3464, section 2.3.4).
fn status_of(line: &str) -> Option<DeliveryReport> {
    let (name, value) = line.split_once(':')?;
    if !name.trim().eq_ignore_ascii_case("Status") {
        return None;
    }
    let status = value.split_whitespace().next()?;
    let mut numbers = status.split('.');
    let is_number = |text: &str| (1..=3).contains(&text.len()) && text.bytes().all(|c| c.is_ascii_digit());
    let class = numbers.next().filter(|class| matches!(*class, "2" | "4" | "5"))?;
    let is_whole = numbers.next().is_some_and(is_number)
        && numbers.next().is_some_and(is_number)
        && numbers.next().is_none();
    is_whole.then(|| DeliveryReport {
        class: class.as_bytes()[0] - b'0',
        status: status.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_bounce_and_a_vacation_notice_are_distinguished() {
        let read = |text: &str| {
            let (header, body) = Header::split(text.as_bytes()).ok().unwrap();
            plain_bounce(&header, body).map(|report| report.class)
        };
        let exim = "X-Failed-Recipients: a@b\nAuto-Submitted: auto-replied\nSubject: Mail delivery failed\n\n\
                    This message was created automatically.\n";
        let qmail = "From: MAILER-DAEMON@x\nSubject: failure notice\n\n\
                     Hi. This is the qmail-send program at x.\n";
        assert_eq!((read(exim), read(qmail)), (Some(5), Some(5)));
        for other in [
            "Subject: On holiday\nAuto-Submitted: auto-replied\n\nHi. I am away.\n",
            "Subject: Warning: message delayed 24 hours\nAuto-Submitted: auto-replied\n\nNot yet.\n",
            "Subject: x\n\n> Hi. This is the qmail-send program at x.\n",
        ] {
            assert_eq!(read(other), None, "{other}");
        }
    }

    #[test]
    fn the_worst_status_counts_and_nothing_but_a_report_has_one() {
        let report = |kind: &str| {
            format!(
                "Content-Type: multipart/report; report-type={kind}; boundary=b\n\n--b\n\nSorry. Status: 4.0.0\n--b\n\
                 Content-Type: message/delivery-status\n\nReporting-MTA: dns; x\n\nStatus: 2.1.5\n\n\
                 Final-Recipient: rfc822; a@b\nAction: failed\nstatus: 5.1.1 (no such user)\n\nStatus: 4.2.2\n--b--\n"
            )
        };
        let read_from = |text: &str, is_notification: bool| {
            let (header, body) = Header::split(text.as_bytes()).ok().unwrap();
            delivery_report(&header, body, is_notification)
        };
        let read = |text: &str| read_from(text, true);
        let worst = DeliveryReport {
            class: 5,
            status: "5.1.1".to_owned(),
        };
        let text = report("delivery-status");
        assert_eq!(read(&text), (true, Some(worst.clone())));
        let mixed = text.replace("multipart/report", "multipart/mixed");
        assert_eq!(read_from(&mixed, true), (true, Some(worst)));
        assert_eq!(read_from(&mixed, false), (false, None));
        let other = report("disposition-notification").replace("delivery-status", "disposition-notification");
        assert_eq!(read(&other), (false, None));
        assert_eq!(read("Subject: x\n\nStatus: 5.1.1\n"), (false, None));
        for bad in [
            "Status: 9.1.1",
            "Status: 5",
            "Status: 5.1.1.1",
            "Status: 5.x.1",
            "Status:",
        ] {
            assert_eq!(status_of(bad), None, "{bad}");
        }
    }
}
