//! Ten first hours. Each newcomer writes one mail in their own words, and from then on does only what the last letter
//! offers: its buttons, and the lines that it says to answer with. Nobody is ever refused, and each game comes to its end.

use pbmserv_core::store::Outgoing;
use pbmserv_mail::Address;
use pbmserv_mail::outbox::Queue as _;

use super::mail;
use crate::stage::{Mail, SERVER, Stage};

/// What each writes first, as the subject or as the text, and the game that they choose from the welcome.
const NEWCOMERS: [(&str, &str, &str); 10] = [
    ("hello, how can I play?", "", "Pow2"),
    ("play", "", "Forms"),
    (
        "",
        "I would like to try a shape game\n\nKind regards\nRuth",
        "ShapeChess",
    ),
    ("I want to play against bot-easy", "", "Ringworm"),
    ("join", "", "Breakthrough"),
    ("Reversi", "", "Reversi"),
    ("", "Guten Tag, ich möchte mitspielen.", "Amazons"),
    ("bot-easy", "", "LOA"),
    ("Hi", "My friend told me about this. What do I have to do?", "Hex"),
    ("a game of gomoku please", "", "Gomoku"),
];

/// More turns than a game against a computer takes; after them a newcomer gives up, by the word that the letter names.
const TURNS: usize = 120;

/// A letter as the newcomer has it open.
struct Open {
    letter: Outgoing,
    /// What its buttons and links write: the address, the subject and the text.
    buttons: Vec<(Address, String, String)>,
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let hex: String = rest.by_ref().take(2).map(char::from).collect();
            bytes.push(u8::from_str_radix(&hex, 16).unwrap());
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).unwrap()
}

impl Open {
    async fn new(stage: &Stage, letter: Outgoing) -> Self {
        let shown = stage.server.rows.render(letter.clone()).await.unwrap();
        let html = shown.page.map(|page| page.html).unwrap_or_default();
        let links = html.split("href=\"mailto:").skip(1);
        let buttons = links.filter_map(|link| {
            let link = link.split('"').next()?.replace("&amp;", "&");
            let (to, fields) = link.split_once('?')?;
            let field = |name: &str| {
                let found = fields.split('&').find_map(|field| field.strip_prefix(name));
                decoded(found.unwrap_or_default())
            };
            let to = Address::parse(&decoded(to)).unwrap();
            Some((to, field("subject="), field("body=")))
        });
        let buttons = buttons.collect();
        Self { letter, buttons }
    }

    /// The text, its lines joined.
    fn words(&self) -> String {
        self.letter.text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// The line that stands alone, indented, after a paragraph with these words.
    fn line_after(&self, words: &str) -> Option<&str> {
        let (_, after) = self.letter.text.split_once(words)?;
        after.split("\n\n").nth(1).map(str::trim)
    }

    /// An answer with this line.
    fn answer(&self, line: &str) -> (Address, String, String) {
        let server = Address::parse(SERVER).unwrap();
        let to = match &self.letter.reply_detail {
            Some(detail) => server.with_detail(detail),
            None => server,
        };
        (to, format!("Re: {}", self.letter.subject), format!("{line}\n"))
    }

    /// The button that begins this game, and otherwise the line.
    fn begin(&self, game: &str) -> (Address, String, String) {
        let wanted = format!("{game} challenge bot-easy");
        let is_it =
            |(_, subject, body): &&(Address, String, String)| body.trim() == wanted || subject == &wanted;
        if let Some(button) = self.buttons.iter().find(is_it) {
            return button.clone();
        }
        assert!(
            self.letter.text.contains(&wanted),
            "nothing begins {game} in:\n{}",
            self.letter.text
        );
        self.answer(&wanted)
    }
}

/// No letter that a newcomer gets says that something was not done.
fn is_welcoming(open: &Open, history: &[String]) {
    let Outgoing {
        sender_name, text, ..
    } = &open.letter;
    let refused = ["Not done", "Not played", "What now?", "Sorry"];
    assert!(
        !refused.iter().any(|word| sender_name.starts_with(word)) && !text.contains("Nothing was changed"),
        "{}\n{sender_name}:\n{text}",
        history.join("\n")
    );
    assert!(!text.contains("PASSWORD"), "{text}");
}

/// Plays a first hour; returns how many mails the newcomer wrote.
async fn hour(stage: &Stage, number: usize) -> usize {
    let (subject, text, game) = NEWCOMERS[number];
    let address = format!("newcomer{number}@example.org");
    let mut next = (
        Address::parse(SERVER).unwrap(),
        subject.to_owned(),
        format!("{text}\n"),
    );
    let mut history = Vec::new();
    let mut has_begun = false;
    loop {
        let (to, subject, body) = &next;
        history.push(format!("{to} | {subject} | {}", body.trim()));
        let mail = Mail {
            to: to.clone(),
            ..mail(&address, subject, body)
        };
        let (_, letters) = stage.send(&mail).await;
        let last = letters.into_iter().rfind(|letter| letter.to.as_str() == address);
        let last = last.unwrap_or_else(|| panic!("no letter after\n{}", history.join("\n")));
        let open = Open::new(stage, last).await;
        is_welcoming(&open, &history);
        let words = open.words();
        next = if words.starts_with("You won,")
            || words.starts_with("You lost,")
            || words.starts_with("A draw,")
        {
            assert!(has_begun, "{}", history.join("\n"));
            return history.len();
        } else if words.contains("or with yes to play as") {
            open.answer(if number.is_multiple_of(2) {
                "yes"
            } else {
                "Ruth\n\nBest wishes"
            })
        } else if words.contains("Your first game:") {
            has_begun = true;
            open.begin(game)
        } else if history.len() > TURNS && words.contains("resign (gives the game up)") {
            open.answer("resign")
        } else if let Some(turn) = open.line_after("For example") {
            open.answer(turn)
        } else {
            panic!("what now?\n{}\n\n{}", history.join("\n"), open.letter.text);
        };
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes long: make long"]
async fn of_ten_newcomers_each_ends_a_game_and_none_is_refused() {
    for (number, (.., game)) in NEWCOMERS.iter().enumerate() {
        let stage = Stage::open(|_| ());
        let mails = hour(&stage, number).await;
        println!("{game}: {mails} mails");
        stage.close().await;
    }
}
