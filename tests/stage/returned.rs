//! Bounces of the server's mails, and complaints about them.

use std::sync::atomic::{AtomicU32, Ordering};

use pbmserv_mail::doors::Message;
use pbmserv_mail::outbox::Identity;
use pbmserv_mail::{Address, Envelope};

use crate::stage::Stage;

/// The envelope sender of the mail with this number.
pub(crate) fn envelope_sender(stage: &Stage, mail: i64) -> Address {
    let key = (*stage.server.key).clone();
    let identity = Identity::new(stage.server.address.clone(), "", key).unwrap();
    identity.envelope_sender(mail)
}

/// The delivery status notification (RFC 3464) for the mail with this number to this address, with this status.
pub(crate) fn bounce(stage: &Stage, mail: i64, address: &str, status: &str) -> Message {
    let recipient = envelope_sender(stage, mail);
    let bytes = format!(
        "From: MAILER-DAEMON@mx.example\r\nTo: {recipient}\r\nSubject: Undelivered Mail\r\n\
         Auto-Submitted: auto-replied\r\nMessage-ID: <{mail}-{status}-{}@mx.example>\r\n\
         Content-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n\
         --b\r\n\r\nSorry.\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\n\
         Reporting-MTA: dns; mx.example\r\n\r\nFinal-Recipient: rfc822; {address}\r\nAction: failed\r\n\
         Status: {status}\r\n--b--\r\n",
        stage.server.now().timestamp_millis()
    );
    Message {
        client: None,
        mark: None,
        envelope: Envelope {
            sender: None,
            recipients: vec![recipient],
        },
        bytes: bytes.into_bytes().into(),
    }
}

/// A provider's complaint (RFC 5965) of this type, with these fields of the report and of the mail that it is about.
pub(crate) fn complaint(stage: &Stage, kind: &str, report: &str, about: &str) -> Message {
    static SENT: AtomicU32 = AtomicU32::new(0);
    let bytes = format!(
        "From: complaints@isp.example\r\nTo: {own}\r\nSubject: FW: spam\r\nMessage-ID: <{number}@isp.example>\r\n\
         Content-Type: multipart/report; report-type=feedback-report; boundary=b\r\n\r\n\
         --b\r\n\r\nThis is a spam report.\r\n--b\r\nContent-Type: message/feedback-report\r\n\r\n\
         Feedback-Type: {kind}\r\nUser-Agent: isp/1.0\r\nVersion: 1\r\n{report}\r\n\
         --b\r\nContent-Type: message/rfc822\r\n\r\nSubject: a mail\r\n{about}\r\n\r\nWords.\r\n--b--\r\n",
        own = stage.server.address,
        number = SENT.fetch_add(1, Ordering::Relaxed),
    );
    Message {
        client: None,
        mark: None,
        envelope: Envelope {
            sender: Some(Address::parse("complaints@isp.example").unwrap()),
            recipients: vec![stage.server.address.clone()],
        },
        bytes: bytes.into_bytes().into(),
    }
}
