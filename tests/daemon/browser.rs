//! A browser without scripts: it opens pages, follows links and sends forms.

use std::cell::Cell;
use std::io::Write;
use std::sync::atomic::{AtomicU32, Ordering};

use super::http::{ALICE, Answer, rest};
use super::mailbox::Mailbox;
use super::smtp::{send, stream_from};
use super::{Daemon, Setup, until};

/// Where the pages are for browsers; a web server before ours would pass them on.
const PLACE: &str = "https://games.example/games/";

/// Requests from one address: fewer than the rate limits let pass at once.
const FROM_ONE_ADDRESS: u32 = 200;

/// The same setup with pages.
pub(crate) fn with_pages(setup: &Setup) -> Setup {
    setup
        .with("PBMSERV_WEB_LISTEN", "127.0.0.1:0")
        .with("PBMSERV_WEB_URL", PLACE)
}

/// The port of the pages.
pub(crate) fn web_port(daemon: &Daemon) -> u16 {
    let log = daemon.log();
    let (_, port) = log.split_once(" web=127.0.0.1:").unwrap();
    port.split([' ', '\n']).next().unwrap().parse().unwrap()
}

/// The browser of a player.
pub(crate) struct Browser {
    port: u16,
    /// The path below which the player's pages are; ends with a slash.
    pub(crate) home: String,
    asked: Cell<u32>,
}

/// A form of a page.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    pub(crate) fields: Vec<(String, String)>,
}

impl Form {
    /// The same with this field.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.fields.retain(|(known, _)| known != name);
        self.fields.push((name.to_owned(), value.to_owned()));
        self
    }
}

impl Browser {
    /// The browser of alice, who asks for the link to all her pages.
    pub(crate) fn new(daemon: &Daemon, mailbox: &mut Mailbox) -> Self {
        static ASKED: AtomicU32 = AtomicU32::new(0);
        let number = ASKED.fetch_add(1, Ordering::Relaxed);
        let id = format!("page{number}@home.example");
        send(daemon.port, ALICE, &id, "page alice fig7elk", "");
        Self::linked(daemon, mailbox, "page alice")
    }

    /// A browser with the link of the newest letter with these words in its subject.
    pub(crate) fn linked(daemon: &Daemon, mailbox: &mut Mailbox, subject: &str) -> Self {
        let key = until("a letter links to the pages", || {
            mailbox.fetch().iter().rev().find_map(|mail| {
                let letter = Some(mail).filter(|mail| mail.subject.contains(subject))?;
                let (_, key) = letter.text.split_once(&format!("{PLACE}k/"))?;
                key.split('/').next().map(str::to_owned)
            })
        });
        Self {
            port: web_port(daemon),
            home: format!("/games/k/{key}/"),
            asked: Cell::new(0),
        }
    }

    /// The page at a path.
    pub(crate) fn get(&self, path: &str) -> Answer {
        self.ask(&format!(
            "GET {path} HTTP/1.1\r\nHost: games.example\r\nConnection: close\r\n\r\n"
        ))
    }

    /// What is answered to a form, which comes with these header fields, lines ended by CRLF.
    pub(crate) fn post_with(&self, path: &str, form: &Form, header: &str) -> Answer {
        let pairs = form
            .fields
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()));
        let body = url::form_urlencoded::Serializer::new(String::new())
            .extend_pairs(pairs)
            .finish();
        self.ask(&format!(
            "POST {path} HTTP/1.1\r\nHost: games.example\r\nConnection: close\r\n{header}\
             Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        ))
    }

    /// What is answered to a form.
    pub(crate) fn post(&self, path: &str, form: &Form) -> Answer {
        self.post_with(
            path,
            form,
            "Origin: https://games.example\r\nSec-Fetch-Site: same-origin\r\n",
        )
    }

    /// The page to which the browser goes after a form.
    pub(crate) fn done(&self, path: &str, form: &Form) -> Answer {
        let answer = self.post(path, form);
        assert_eq!(answer.status, 303, "{answer:?}");
        let (_, place) = answer.header.split_once("location: ").unwrap();
        self.get(place.lines().next().unwrap())
    }

    fn ask(&self, request: &str) -> Answer {
        let asked = self.asked.replace(self.asked.get() + 1);
        let from = [127, 0, 1, 1 + (asked / FROM_ONE_ADDRESS) as u8];
        let mut stream = stream_from(from, self.port).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        Answer::read(&rest(&mut stream))
    }

    /// Chooses a turn link by link, from an empty beginning; returns the page that previews it.
    pub(crate) fn choose(&self, path: &str, turn: &str) -> Answer {
        let (mut page, mut begun) = (self.get(path), String::new());
        for _ in 0..100 {
            assert_eq!(page.status, 200, "{page:?}");
            if page.body.contains(&format!("<p class=\"far\">{turn}</p>")) {
                return page;
            }
            let steps: Vec<_> = links(&page.body)
                .iter()
                .filter_map(|link| begun_in(link))
                .collect();
            let is_on_the_way = |step: &&String| {
                let word = step.trim_end_matches(|c: char| !c.is_alphanumeric());
                word.len() > begun.trim_end_matches(['-', ':', ',']).len() && turn.starts_with(word)
            };
            // `e1` begins `e11-c9` as text, so the longest word is the right one.
            let step = steps.iter().filter(is_on_the_way).max_by_key(|step| step.len());
            let step = step.unwrap_or_else(|| panic!("no link from {begun:?} to {turn}: {steps:?}"));
            begun.clone_from(step);
            page = self.get(&format!("{path}?{}", parameter("turn", step)));
        }
        panic!("{turn} is not complete after 100 steps");
    }
}

/// A parameter of an address.
pub(crate) fn parameter(name: &str, value: &str) -> String {
    url::form_urlencoded::Serializer::new(String::new())
        .append_pair(name, value)
        .finish()
}

/// The turn in a link to a beginning.
fn begun_in(link: &str) -> Option<String> {
    let query = link.strip_prefix('?')?;
    let mut pairs = url::form_urlencoded::parse(query.as_bytes());
    pairs
        .find(|(name, _)| name == "turn")
        .map(|(_, turn)| turn.into_owned())
}

/// Where the links of a page go.
pub(crate) fn links(page: &str) -> Vec<String> {
    let links = page.split("href=\"").skip(1);
    links
        .filter_map(|rest| Some(plain(rest.split_once('"')?.0)))
        .collect()
}

/// The form of a page that has this button.
pub(crate) fn form(page: &str, button: &str) -> Form {
    let forms = page.split("<form method=\"post\"").skip(1);
    let mut forms = forms.map(|rest| rest.split_once("</form>").unwrap().0);
    let is_it = |form: &&str| form.contains(&format!("name=\"do\" value=\"{button}\""));
    let form = forms
        .find(is_it)
        .unwrap_or_else(|| panic!("no button {button} in {page}"));
    let value = |rest: &str| {
        let (name, rest) = rest.split_once("\" value=\"")?;
        Some((name.to_owned(), plain(rest.split_once('"')?.0)))
    };
    let hidden = form.split("<input type=\"hidden\" name=\"").skip(1);
    Form {
        fields: hidden.filter_map(value).collect(),
    }
    .with("do", button)
}

/// Text without the escapes of HTML.
fn plain(text: &str) -> String {
    let escapes = [
        ("&#x2f;", "/"),
        ("&#x27;", "'"),
        ("&quot;", "\""),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&amp;", "&"),
    ];
    escapes.iter().fold(text.to_owned(), |text, (escape, plain)| {
        text.replace(escape, plain)
    })
}
