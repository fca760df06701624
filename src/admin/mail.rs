//! `mail`: handles a mail, and prints the letters that answer it.

use std::fmt::Write as _;
use std::sync::Arc;

use crate::engine::server::Server;
use pbmserv_core::dispatch::{Handled, Recorded};
use pbmserv_core::store::Outgoing;
use pbmserv_mail::doors::Message;
use pbmserv_mail::{Address, Envelope};

pub(super) async fn run(
    server: &Arc<Server>,
    from: &str,
    subject: &str,
    body: &str,
    is_rehearsal: bool,
) -> anyhow::Result<String> {
    let sender = Address::parse(from).map_err(|_| anyhow::anyhow!("{from} is not a mail address"))?;
    let bytes = compose(&sender, &server.address, subject, body)?;
    let envelope = Envelope {
        sender: Some(sender),
        recipients: vec![server.address.clone()],
    };
    let request = server.read(
        "mail",
        &Message {
            envelope,
            bytes: bytes.into(),
            client: None,
            mark: None,
        },
    )?;
    let report = server.handle(request, is_rehearsal, true).await?;
    let letters = match report.handled {
        Handled::Recorded(Recorded { id, .. }) if !is_rehearsal => server.answered(id).await?,
        _ => report.letters,
    };
    let mut out = String::new();
    for letter in &letters {
        print(&mut out, letter);
    }
    if let Handled::Recorded(Recorded { id, .. }) = report.handled
        && !is_rehearsal
    {
        let _ = writeln!(out, "(recorded as mail {id})");
    }
    Ok(out)
}

fn compose(from: &Address, to: &Address, subject: &str, body: &str) -> anyhow::Result<Vec<u8>> {
    let mailbox = |address: &Address| address.as_str().parse();
    let message = lettre::Message::builder()
        .from(mailbox(from)?)
        .to(mailbox(to)?)
        .subject(subject)
        .message_id(None)
        .header(lettre::message::header::ContentType::TEXT_PLAIN)
        .body(body.to_owned())?;
    Ok(message.formatted())
}

/// A letter without the header fields that only programs read.
fn print(out: &mut String, letter: &Outgoing) {
    let _ = writeln!(
        out,
        "To: {}\nSubject: {}\n\n{}",
        letter.to, letter.subject, letter.text
    );
    if let Some((name, text)) = &letter.attachment {
        let _ = writeln!(out, "Attached: {name}\n\n{text}");
    }
}
