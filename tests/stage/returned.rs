//! Bounces of the server's mails.

use pbmserv::doors::Message;
use pbmserv::mail::{Address, Envelope};
use pbmserv::outbox::Identity;

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
