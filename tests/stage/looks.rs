//! What every letter must satisfy, as the reader's mail program shows it.

use mail_parser::{MessageParser, MimeHeaders};
use pbmserv::command::COMMANDS;
use pbmserv::engine::server::Server;
use pbmserv::games;
use pbmserv::mail::{Address, Key};
use pbmserv::outbox::{Identity, Outgoing, Queue, build};

use crate::stage::SERVER;

/// The message of a letter, after all checks.
pub(crate) async fn message_of(server: &Server, letter: &Outgoing) -> Vec<u8> {
    let dressed = server.rows.render(letter.clone()).await;
    let key: &Key = &server.key;
    let identity = Identity::new(Address::parse(SERVER).unwrap(), "Games by mail", key.clone()).unwrap();
    let bytes = build(&dressed, &identity).unwrap().bytes;
    assert!(bytes.is_ascii() && bytes.split(|byte| *byte == b'\n').all(|line| line.len() <= 998));

    let what = format!("{} to {}:\n{}", letter.subject, letter.to, letter.text);
    assert_eq!(letter.draft.is_some(), dressed.page.is_some(), "{what}");
    text_stands(&letter.text, &what);
    subject_is_known(letter, &what);
    let message = MessageParser::default().parse(&bytes).unwrap();
    assert!(!String::from_utf8_lossy(&bytes).contains("flowed"), "{what}");
    let texts: Vec<_> = message
        .parts
        .iter()
        .filter_map(|part| part.content_type())
        .map(|kind| format!("{}/{}", kind.ctype(), kind.subtype().unwrap_or_default()))
        .collect();
    let texts = match &letter.attachment {
        None => texts,
        Some(_) => {
            let inner = texts.strip_prefix(&["multipart/mixed".to_owned()]);
            let inner = inner.and_then(|inner| inner.strip_suffix(&["text/plain".to_owned()]));
            inner.unwrap_or_else(|| panic!("{what}: {texts:?}")).to_vec()
        }
    };
    let Some(page) = &dressed.page else {
        assert!(texts.iter().all(|kind| kind == "text/plain"), "{what}: {texts:?}");
        return bytes;
    };
    let kinds: &[&str] = match page.picture {
        Some(_) => &[
            "multipart/alternative",
            "text/plain",
            "multipart/related",
            "text/html",
            "image/png",
        ],
        None => &["multipart/alternative", "text/plain", "text/html"],
    };
    assert_eq!(texts, kinds, "{what}");
    assert_eq!(page.html.contains("cid:"), page.picture.is_some(), "{what}");
    let mut said = words(&letter.text);
    let stripped = stripped(&page.html);
    let shown = words(&stripped);
    if page.picture.is_some() && shown.len() < said.len() {
        leave_out(&mut said, &words(&board_of(letter)));
    }
    assert_eq!(said, shown, "{what}");
    for link in page.html.split("href=\"").skip(1) {
        link_leads_home(link.split('"').next().unwrap(), &what);
    }
    bytes
}

/// It begins with a sentence; prose is wrapped, drawings are not.
fn text_stands(text: &str, what: &str) {
    let first = text.lines().find(|line| !line.is_empty());
    assert!(first.is_some_and(|line| !line.starts_with(' ')), "{what}");
    for line in text.lines() {
        // A line that begins with a blank, or contains two blanks or a vertical bar, belongs to a board, a table
        // or an example.
        let is_drawn = line.starts_with(' ') || line.contains("  ") || line.contains(" | ");
        let most = if is_drawn { 80 } else { 72 };
        assert!(line.is_ascii() && line.len() <= most, "{line}\n{what}");
    }
}

/// The words; not the line that marks with carets what HTML underlines.
fn words(text: &str) -> Vec<&str> {
    text.split_whitespace()
        .filter(|word| word.bytes().any(|byte| byte != b'^'))
        .collect()
}

/// The drawing in a letter about one board, of which HTML shows the picture.
fn board_of(letter: &Outgoing) -> String {
    let facts: serde_json::Value = serde_json::from_str(&letter.draft.as_ref().unwrap().facts).unwrap();
    facts["board"].as_str().unwrap().to_owned()
}

/// Takes these words, which are there one after the other, out of all.
fn leave_out(all: &mut Vec<&str>, some: &[&str]) {
    let at = all.windows(some.len()).position(|part| part == some).unwrap();
    all.drain(at..at + some.len());
}

/// The visible text of the HTML, without buttons that open an empty answer: text has no such thing.
fn stripped(html: &str) -> String {
    let (_, body) = html.split_once("<body").unwrap();
    let body = ["Play your turn</a>", "Try again</a>"]
        .iter()
        .fold(body.to_owned(), |body, button| body.replace(button, "</a>"));
    let mut out = String::new();
    for part in body.split('<').skip(1) {
        let (tag, text) = part.split_once('>').unwrap();
        let name = tag.split_whitespace().next().unwrap_or_default();
        let is_inline = ["a", "/a", "b", "/b"].contains(&name);
        out.push_str(if is_inline { "" } else { "\n" });
        out.push_str(text);
    }
    for (entity, c) in [
        ("&nbsp;", " "),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#x27;", "'"),
        ("&#x2f;", "/"),
        ("&amp;", "&"),
    ] {
        out = out.replace(entity, c);
    }
    out
}

/// It names the board and its reader, or has one of the known forms.
fn subject_is_known(letter: &Outgoing, what: &str) {
    let (to, words) = (
        letter.to.to_string(),
        letter.subject.split(' ').collect::<Vec<_>>(),
    );
    match (games::find(words[0]), words.as_slice()) {
        (Some(_), [_, "Board", number, reader @ ..]) => {
            let number = number.parse::<u32>();
            assert!(number.is_ok_and(|number| number > 100), "{what}");
            let is_reader = |userid: &&str| {
                to.to_lowercase()
                    .starts_with(&format!("{}@", userid.to_lowercase()))
            };
            assert!(reader.len() <= 1 && reader.iter().all(is_reader), "{what}");
        }
        (
            Some(_),
            [
                _,
                "games" | "who" | "show" | "preview" | "set" | "history" | "standings" | "seek" | "accept"
                | "reject" | "limit" | "subscribe" | "unsubscribe" | "notify",
                ..,
            ],
        )
        | (None, ["list"] | ["my", "games"]) => {}
        (None, [verb] | [verb, _]) if COMMANDS.iter().any(|command| command.verb == *verb) => {}
        (
            None,
            ["Help:" | "Welcome" | "Is", ..]
            | ["A", "new", "password", "for", _]
            | ["A", "game", "in", "your", "name,", _]
            | ["Asked:", ..]
            | ["A", "message", "from", _]
            | ["Your", "boards,", _]
            | ["Mail", "to", _, "fails"]
            | ["Wrong", "passwords", "for", _]
            | ["To", "the", "postmaster:", ..]
            | ["Vacation", "of", _]
            | ["Not", "done:", ..]
            | ["Not", "done"],
        ) => {}
        (None, [_, "command" | "commands," | "command,", _, "error" | "errors"]) => {}
        _ => panic!("an unknown form of subject: {what}"),
    }
}

/// A link composes a mail to the server (RFC 6068).
fn link_leads_home(link: &str, what: &str) {
    let url = link.replace("&amp;", "&");
    let rest = url
        .strip_prefix("mailto:")
        .unwrap_or_else(|| panic!("{link}\n{what}"));
    let (to, fields) = rest.split_once('?').unwrap_or((rest, ""));
    let to = Address::parse(&decoded(to)).unwrap();
    assert!(
        to.is_delivered_to(&Address::parse(SERVER).unwrap()),
        "{link}\n{what}"
    );
    for field in fields.split('&') {
        let (name, value) = field.split_once('=').unwrap();
        assert!(["subject", "body"].contains(&name), "{link}\n{what}");
        let value = decoded(value);
        assert!(!value.is_empty(), "{link}\n{what}");
        assert!(name == "body" || !value.contains(['\r', '\n']), "{link}\n{what}");
        assert!(
            !value.replace("\r\n", "").contains(['\r', '\n']),
            "{link}\n{what}"
        );
    }
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let hex: String = rest.by_ref().take(2).map(char::from).collect();
                u8::from_str_radix(&hex, 16).unwrap()
            }
            byte => {
                assert!(byte.is_ascii_alphanumeric() || b"-._~@".contains(&byte), "{text}");
                byte
            }
        });
    }
    String::from_utf8(bytes).unwrap()
}
