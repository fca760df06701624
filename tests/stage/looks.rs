//! What every letter must satisfy, as the reader's mail program shows it.

use mail_parser::{Message, MessageParser, MimeHeaders};
use pbmserv::engine::server::Server;
use pbmserv_core::command::{COMMANDS, is_typed};
use pbmserv_core::letters::Headline;
use pbmserv_core::store::Outgoing;
use pbmserv_mail::outbox::{Identity, Queue, build};
use pbmserv_mail::{Address, Key, clean_subject, plain};

/// Where the pages are, if the server has some.
pub(crate) const PAGES: &str = "https://games.example/";

/// The message of a letter, after all checks.
pub(crate) async fn message_of(server: &Server, letter: &Outgoing) -> Vec<u8> {
    let dressed = server.rows.render(letter.clone()).await.unwrap();
    let key: &Key = &server.key;
    let identity = Identity::new(server.address.clone(), "Games by mail", key.clone()).unwrap();
    let bytes = build(&dressed, &identity).unwrap().bytes;
    let may_be_utf8 = |line: &[u8]| letter.to.needs_utf8() && line.starts_with(b"To: ");
    let mut lines = bytes.split(|byte| *byte == b'\n');
    assert!(lines.all(|line| (line.is_ascii() || may_be_utf8(line)) && line.len() <= 998));

    let what = format!("{} to {}:\n{}", letter.subject, letter.to, letter.text);
    assert_eq!(
        letter.draft.as_ref().is_some_and(|draft| draft.has_html),
        dressed.page.is_some(),
        "{what}"
    );
    text_stands(&letter.text, &what);
    subject_is_known(letter, &what);
    let message = MessageParser::default().parse(&bytes).unwrap();
    sender_is_known(letter, &message, &server.address, &what);
    assert!(!String::from_utf8_lossy(&bytes).contains("flowed"), "{what}");
    let texts: Vec<_> = message
        .parts
        .iter()
        .filter_map(|part| part.content_type())
        .map(|kind| format!("{}/{}", kind.ctype(), kind.subtype().unwrap_or_default()))
        .collect();
    let texts = match &dressed.attachment {
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
    let mut kinds = vec!["multipart/alternative", "text/plain", "text/html"];
    if !page.pictures.is_empty() {
        kinds.insert(2, "multipart/related");
        kinds.extend(page.pictures.iter().map(|_| "image/png"));
    }
    assert_eq!(texts, kinds, "{what}");
    assert_eq!(page.html.matches("cid:").count(), page.pictures.len(), "{what}");
    let facts = &letter.draft.as_ref().unwrap().facts;
    let mut said = words(&letter.text);
    let stripped = stripped(&page.html);
    let shown = words(&stripped);
    leave_out_what_links_do(&mut said, facts, &page.html, &what);
    leave_out_pages(&mut said, &page.html, &what);
    if !page.pictures.is_empty() && shown.len() < said.len() {
        for board in boards_of(facts) {
            leave_out(&mut said, &words(&board));
        }
    }
    assert_eq!(said, shown, "{what}");
    preheader_is_short(&page.html, &what);
    for link in page.html.split("href=\"").skip(1) {
        link_leads_home(link.split('"').next().unwrap(), &server.address, &what);
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
        let is_address_of_page = line.trim_start().starts_with(PAGES);
        let most = match (is_address_of_page, is_drawn) {
            (true, _) => 200,
            (_, true) => 80,
            _ => 72,
        };
        // Of players are addresses, and words, which are indented.
        let is_ours = !line.starts_with(' ') && !line.contains('@');
        assert!(line.is_ascii() || !is_ours, "{line}\n{what}");
        assert!(line.chars().count() <= most, "{line}\n{what}");
    }
}

/// The words without the marks around them, which depend on where they stand; not the line that marks with carets what
/// HTML underlines.
fn words(text: &str) -> Vec<&str> {
    text.split_whitespace()
        .filter(|word| word.bytes().any(|byte| byte != b'^'))
        .map(|word| word.trim_end_matches([':', ',', '.', ';']))
        .filter(|word| !word.is_empty())
        .collect()
}

/// A verb in HTML is a link that writes it, so only the text says how to go on; and where the text has a command with what
/// it does, HTML shows what it does as a link that gives the command.
fn leave_out_what_links_do(said: &mut Vec<&str>, facts: &serde_json::Value, html: &str, what: &str) {
    let of = |value: &serde_json::Value, name: &str| value[name].as_str().unwrap_or_default().to_owned();
    let mut texts = Vec::new();
    let is_shown = |verb: &&serde_json::Value| html.contains(&format!(">{}</a>", of(verb, "word")));
    let verbs = facts["verbs"].as_array().filter(|_| facts["can_answer"] == true);
    for verb in verbs.into_iter().flatten().filter(is_shown) {
        texts.push(of(verb, "note"));
    }
    if html.contains(">preview</a>") {
        texts.push("and a turn (shows it, unplayed)".to_owned());
    }
    let questions = facts["questions"].as_array().into_iter().flatten();
    let answers = questions.flat_map(|question| question["answers"].as_array().into_iter().flatten());
    let choices = facts["choices"].as_array().into_iter().flatten();
    for choice in choices.chain(answers) {
        let (line, does) = (of(choice, "word"), of(choice, "label"));
        assert!(
            html.contains(&format!(">{does}</a>")),
            "no button for {line} in {what}"
        );
        texts.push(format!("{line} {does}"));
    }
    for step in facts["fewer"].as_array().into_iter().flatten() {
        let line = of(step, "line");
        let link = format!("?subject={}\"", line.replace(' ', "%20"));
        assert!(html.contains(&link), "no link for {line} in {what}");
        texts.push(format!("\"{line}\" for"));
    }
    for text in texts.iter().filter(|text| !text.is_empty()) {
        leave_out(said, &words(text));
    }
}

/// What text says of pages: an address is a link in HTML, and where HTML has a button to it, only text says what it is for.
fn leave_out_pages(said: &mut Vec<&str>, html: &str, what: &str) {
    let is_page = |word: &&str| word.starts_with(PAGES);
    for page in said.iter().filter(|word| is_page(word)) {
        let link = format!("href=\"{}\"", page.replace('/', "&#x2f;"));
        assert!(html.contains(&link), "no link to {page} in {what}");
    }
    said.retain(|word| !is_page(word));
    for offer in ["Or play it here", "Keep it here"].map(words) {
        if said.windows(offer.len()).any(|part| part == offer) {
            leave_out(said, &offer);
        }
    }
}

/// The preheader fits below the subject, and the duty in it is not cut.
fn preheader_is_short(html: &str, what: &str) {
    let (_, rest) = html.split_once("class=\"preheader\"").unwrap();
    let (_, rest) = rest.split_once('>').unwrap();
    let text = unescaped(rest.split("</div>").next().unwrap());
    let count = text.chars().count();
    assert!(
        (10..=90).contains(&count),
        "the preheader {text:?} has {count} characters\n{what}"
    );
    assert!(!text.contains('\n'), "{text:?}\n{what}");
    if let Some((duty, _)) = text.split_once(": ").filter(|_| text.starts_with("Your turn")) {
        assert!(duty.len() <= 40, "{text:?}\n{what}");
    }
}

/// The drawings in a letter with these facts, of which HTML shows the pictures.
fn boards_of(facts: &serde_json::Value) -> Vec<String> {
    let drawn = |facts: &serde_json::Value| facts["board"].as_str().map(str::to_owned);
    let of_a_digest = facts["boards"].as_array().into_iter().flatten();
    let boards = of_a_digest.filter_map(drawn).chain(drawn(facts));
    boards.filter(|board| !board.is_empty()).collect()
}

/// Takes these words, which are there one after the other, out of all.
fn leave_out(all: &mut Vec<&str>, some: &[&str]) {
    let at = all.windows(some.len()).position(|part| part == some).unwrap();
    all.drain(at..at + some.len());
}

/// The visible text of the HTML. Without the preheader and the running head, which repeat what the subject and the first
/// sentences say, and without buttons: text has no such thing, and says how to answer in their place.
fn stripped(html: &str) -> String {
    let (_, body) = html.split_once("<body").unwrap();
    let mut body = body.to_owned();
    for (begin, end) in [
        ("<div class=\"preheader\"", "</div>"),
        ("<p class=\"running", "</p>"),
        ("<td class=\"button\"", "</td>"),
    ] {
        while let Some(from) = body.find(begin) {
            let to = from + body[from..].find(end).unwrap();
            body.replace_range(from..to + end.len(), "<br>");
        }
    }
    let mut out = String::new();
    for part in body.split('<').skip(1) {
        let (tag, text) = part.split_once('>').unwrap();
        let name = tag.split_whitespace().next().unwrap_or_default();
        let is_inline = ["a", "/a", "b", "/b", "span", "/span", "wbr"].contains(&name);
        out.push_str(if is_inline { "" } else { "\n" });
        out.push_str(text);
    }
    unescaped(&out)
}

/// Text with its entities replaced.
fn unescaped(html: &str) -> String {
    let mut out = html.to_owned();
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

/// The address is the plain one, and the name is short, since the list of an inbox shows no more than 20 to 30 characters.
fn sender_is_known(letter: &Outgoing, message: &Message<'_>, server: &Address, what: &str) {
    let from = message.from().and_then(|from| from.first()).unwrap();
    assert_eq!(from.address(), Some(server.as_str()), "{what}");
    let name = match letter.sender_name.as_str() {
        "" => "Games by mail",
        name => name,
    };
    assert_eq!(from.name(), Some(name), "{what}");
    let is_plain = |c: char| c.is_ascii_alphanumeric() || " ,:'?-_\u{2013}".contains(c);
    assert!(name.chars().all(is_plain) && name.chars().count() <= 50, "{what}");
}

/// It names the board and its reader, or has one of the known forms.
fn subject_is_known(letter: &Outgoing, what: &str) {
    // Only a board has several mails with one subject.
    let subject = letter.subject.strip_prefix("Re: ").inspect(|subject| {
        assert!(subject.contains(" Board "), "{what}");
    });
    let subject = subject.unwrap_or(&letter.subject);
    changes_nothing(subject, what);
    if Headline::is_subject(subject) {
        return;
    }
    let (to, words) = (letter.to.to_string(), subject.split(' ').collect::<Vec<_>>());
    match (pbmserv_games::find(words[0]), words.as_slice()) {
        (Some(_), [_, "Board", number, reader @ ..]) => {
            let number = number.parse::<u32>();
            assert!(number.is_ok_and(|number| number > 100), "{what}");
            // Userids are ASCII.
            let is_reader = |userid: &&str| {
                // A name that was proposed says nothing of the address.
                letter.to.needs_utf8()
                    || userid.contains('-')
                    || to
                        .to_lowercase()
                        .starts_with(&format!("{}@", userid.to_lowercase()))
            };
            assert!(reader.len() <= 1 && reader.iter().all(is_reader), "{what}");
        }
        (
            Some(_),
            [
                _,
                "games" | "invite" | "who" | "show" | "preview" | "set" | "history" | "standings" | "seek"
                | "accept" | "reject" | "limit" | "subscribe" | "unsubscribe" | "notify" | "league"
                | "ladder" | "tables",
                ..,
            ],
        )
        | (None, ["list"] | ["my", "games"]) => {}
        (None, [verb] | [verb, _]) if COMMANDS.iter().any(|command| command.verb == *verb) => {}
        (
            None,
            ["Help:" | "Welcome" | "Welcome:" | "Is", ..]
            | ["A", "new", "password", "for", _]
            | ["A", "game", "in", "your", "name,", _]
            | ["Asked:" | "Table:" | "Cup:", ..]
            | ["A", "message", "from", _]
            | ["No", "more", "mails"]
            | ["Your", "notices"]
            | ["pbmserv", "code", _]
            | ["Your", "turn:", ..]
            | ["Your", "game", "of", .., "is", "kept,", _]
            | ["Your", "game", "of", .., "ends", "here"]
            | ["Your", "invitation", "to", _]
            | [_, "invites", "you", "to", "a", "game", ..]
            | ["Your", "boards," | "data,", ..]
            | ["Mail", "to", _, "fails"]
            | [_, "gets", "no", "mail"]
            | ["Wrong", "passwords", "for", _]
            | ["To", "the", "postmaster:", ..]
            | ["Vacation", "of", _]
            | ["The", "gazette,", "number", _]
            | ["Not", "done:", ..]
            | ["Not", "done"]
            | [
                "Your",
                "vacation" | "settings" | "message",
                "was" | "were",
                "not",
                "set" | "changed" | "sent",
            ],
        ) => {}
        (None, [_, "command" | "commands," | "command,", _, "error" | "errors"]) => {}
        _ => panic!("an unknown form of subject: {what}"),
    }
}

/// An answer whose subject its writer has left as it was is no command that changes anything, whatever mail programs and
/// lists have added.
fn changes_nothing(subject: &str, what: &str) {
    for added in [
        "Re: S",
        "Fwd: Re: S",
        "[games] AW: S **",
        "RE: [EXTERNAL] Re: S",
        "Re[2]: S",
    ] {
        let subject = plain(&clean_subject(&added.replace('S', subject)));
        for line in COMMANDS.read_script(&subject, "Thank you!\n").lines() {
            assert!(!line.command.may_change(), "{subject}\n{what}");
        }
    }
}

/// A link composes a mail to the server (RFC 6068), or opens one of its pages.
fn link_leads_home(link: &str, server: &Address, what: &str) {
    let url = unescaped(link);
    if url.starts_with(PAGES) {
        return;
    }
    let rest = url
        .strip_prefix("mailto:")
        .unwrap_or_else(|| panic!("{link}\n{what}"));
    let (to, fields) = rest.split_once('?').unwrap_or((rest, ""));
    let to = Address::parse(&decoded(to)).unwrap();
    assert!(to.is_delivered_to(server), "{link}\n{what}");
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
        // Otherwise it would be cut as a line of the letter that is answered.
        let is_own = |line: &str| is_typed(line) || matches!(line, "yes" | "no");
        assert!(
            name != "body" || value.lines().next().is_some_and(is_own),
            "{value}\n{what}"
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
