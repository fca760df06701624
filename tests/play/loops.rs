//! Mail loops: whatever program is at the other end, the loop ends, and after how many mails.

use crate::returned;
use crate::stage::{Mail, SERVER, Stage};
use pbmserv_core::store::Outgoing;
use pbmserv_mail::doors::Message;
use pbmserv_mail::outbox::{Identity, build};
use pbmserv_mail::{Address, Envelope, LOOP_FIELD};

const OTHER: &str = "pbmserv@other.example";
const ROBOT: &str = "robot@example.org";
const ALICE: &str = "alice@example.org";

/// A person's mail.
fn mail<'a>(from: &'a str, to: &str, id: &str, subject: &str) -> Mail<'a> {
    Mail {
        from,
        to: Address::parse(to).unwrap(),
        header: format!("Message-ID: <{id}@players.example>\r\nSubject: {subject}\r\n"),
        body: "",
    }
}

/// The mail of one server as another one receives it, without the fields whose names begin with these: some relays
/// remove fields that they do not know.
fn as_received(from: &Stage, mail: &Outgoing, without: &[&str]) -> Message {
    let key = (*from.server.key).clone();
    let identity = Identity::new(from.server.address.clone(), "Games", key).unwrap();
    let built = build(&mail.clone().with_draft(()), &identity).unwrap();
    let text = String::from_utf8(built.bytes).unwrap();
    let (header, body) = text.split_once("\r\n\r\n").unwrap();
    let is_kept = |line: &&str| !without.iter().any(|name| line.starts_with(name));
    let header: Vec<&str> = header.split("\r\n").filter(is_kept).collect();
    Message {
        client: None,
        mark: None,
        envelope: Envelope {
            sender: Some(built.envelope_sender),
            recipients: vec![mail.to.clone()],
        },
        bytes: format!("{}\r\n\r\n{body}", header.join("\r\n"))
            .into_bytes()
            .into(),
    }
}

/// Two servers, each a player on the other, and alice a player on both.
async fn two_servers() -> [Stage; 2] {
    let servers = [SERVER, OTHER].map(|address| {
        Stage::open(|config| {
            config.server.address = address.into();
            config.accounts.confirm = false;
        })
    });
    for (own, other, server) in [(SERVER, OTHER, &servers[0]), (OTHER, SERVER, &servers[1])] {
        let alice = mail(ALICE, own, "alice", "signup alice fig7elk");
        assert_eq!(server.send(&alice).await.1.len(), 1);
        let robot = mail(ALICE, own, "robot", &format!("signup robot oak4jay {other}"));
        assert_eq!(server.send(&robot).await.1.len(), 1);
        let begun = mail(ALICE, own, "board", "Forms challenge robot alice -size=4");
        assert_eq!(server.send(&begun).await.1.len(), 2);
    }
    servers
}

/// Lets the two reply to each other until they stop; returns the number of mails. A mail of alice to each starts
/// the loop.
async fn between(servers: &[Stage; 2], subject: &str, id: &str, without: &[&str]) -> usize {
    let mut said = 0;
    let mut at = 0;
    let mut letters = servers[0].send(&mail(ALICE, SERVER, id, subject)).await.1;
    while !letters.is_empty() && said < 10_000 {
        let other = servers[1 - at].server.address.clone();
        let mut answers = Vec::new();
        for letter in letters.iter().filter(|letter| letter.to.is_delivered_to(&other)) {
            said += 1;
            let message = as_received(&servers[at], letter, without);
            answers.extend(servers[1 - at].take(&message).await.1);
        }
        letters = answers;
        at = 1 - at;
    }
    said
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_servers_say_one_thing_to_each_other() {
    let servers = two_servers().await;
    // Each of the three header fields ends it alone.
    for (number, without) in [
        [].as_slice(),
        &["Auto-Submitted", "List-"],
        &[LOOP_FIELD, "List-"],
        &["Auto-Submitted", LOOP_FIELD],
    ]
    .into_iter()
    .enumerate()
    {
        let id = format!("say-{number}");
        let said = between(&servers, "Forms challenge robot alice -size=4", &id, without).await;
        assert_eq!(said, 1, "without {without:?}");
    }
    for server in servers {
        server.close().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_servers_whose_marks_are_all_lost_stop_at_their_daily_limits() {
    let servers = two_servers().await;
    let without = ["Auto-Submitted", LOOP_FIELD, "List-"];
    let said = between(&servers, "Forms challenge robot alice -size=4", "say", &without).await;
    // Each takes the other for its player. All plus addresses of one mailbox together get 100 answers a day, a fifth of
    // answers_a_day, to what is not proven.
    assert!(said > 1, "{said}");
    let again = between(&servers, "Forms challenge robot alice -size=4", "again", &without).await;
    assert!(said + again <= 2 + 2 * 100, "{said}, {again}");
    for server in servers {
        server.close().await;
    }
}

/// How a program replies to mail.
struct Robot {
    /// The header fields that mark its replies as automatic.
    marks: &'static str,
    /// The address from which it replies.
    from: &'static str,
    /// Whether it replies to `Reply-To` instead of the envelope sender.
    to_reply_to: bool,
    /// Whether each reply has another subject.
    is_restless: bool,
    text: &'static str,
}

impl Robot {
    fn answer(&self, stage: &Stage, mail: &Outgoing, number: usize) -> Message {
        let plain = stage.server.address.clone();
        let to = match &mail.reply_detail {
            Some(detail) if self.to_reply_to => plain.with_detail(detail),
            None if self.to_reply_to => plain,
            _ => returned::envelope_sender(stage, mail.id),
        };
        let subject = if self.is_restless {
            format!("[Ticket {number}] {}", mail.subject)
        } else {
            format!("Re: {}", mail.subject)
        };
        let Self { marks, from, .. } = self;
        Mail {
            from,
            to,
            header: format!(
                "{marks}Message-ID: <{number}@robots.example>\r\nIn-Reply-To: <{}>\r\nSubject: {subject}\r\n",
                mail.message_id
            ),
            body: self.text,
        }
        .message()
    }

    /// The number of replies it sends until it gets no more answers.
    async fn converse(&self, stage: &Stage, mut letters: Vec<Outgoing>) -> usize {
        let mut given = 0;
        while !letters.is_empty() && given < 10_000 {
            let mut next = Vec::new();
            for letter in &letters {
                if [ROBOT, self.from].contains(&letter.to.as_str()) {
                    given += 1;
                    let (_, answers) = stage.take(&self.answer(stage, letter, given)).await;
                    next.extend(answers);
                }
            }
            letters = next;
        }
        given
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_player_who_is_a_program_is_answered_a_bounded_number_of_times() {
    const AWAY: &str = "I am away until Monday.\n";
    let plain = Robot {
        marks: "",
        from: ROBOT,
        to_reply_to: true,
        is_restless: false,
        text: AWAY,
    };
    // The daily limits, the default ones but for the answers, of which fewer say the same: each reply except the first
    // answers a mail of ours. A reply to a token is proven.
    let (answers, strangers, chats) = (300, 30, 50);
    for (what, robot, most) in [
        (
            "it marks its answers",
            Robot {
                marks: "Auto-Submitted: auto-replied\r\n",
                ..plain
            },
            1,
        ),
        (
            "it marks them in the old way",
            Robot {
                marks: "Precedence: bulk\r\n",
                ..plain
            },
            1,
        ),
        // The third answer about one board that says nothing is not answered.
        ("it marks nothing", Robot { ..plain }, 3),
        (
            "it answers the envelope sender",
            Robot {
                to_reply_to: false,
                ..plain
            },
            3,
        ),
        (
            "each subject is another one",
            Robot {
                is_restless: true,
                ..plain
            },
            3,
        ),
        (
            "it answers from elsewhere",
            Robot {
                from: "elsewhere@example.net",
                ..plain
            },
            3,
        ),
        (
            "it answers the envelope sender from elsewhere",
            Robot {
                from: "elsewhere@example.net",
                to_reply_to: false,
                is_restless: true,
                ..plain
            },
            // These prove nothing and answer no board: one question for a name, five refusals.
            7,
        ),
        (
            "what it says is a command",
            Robot {
                text: "show\n",
                ..plain
            },
            1 + answers,
        ),
        (
            "what it says is a command that proves who it is",
            Robot {
                text: "chat I am away.\n",
                ..plain
            },
            // The refusal of a chat bears no token, so that what replies to it is about no board.
            1 + chats + 5,
        ),
        (
            "what it says is a command of anybody",
            Robot {
                from: "elsewhere@example.net",
                to_reply_to: false,
                text: "help\n",
                ..plain
            },
            1 + strangers,
        ),
    ] {
        let stage = Stage::open(|config| {
            config.accounts.confirm = false;
            config.limits.answers_a_day = answers;
        });
        for (from, id, line) in [
            (ALICE, "1", "signup alice fig7elk"),
            (ROBOT, "2", "signup robot oak4jay"),
        ] {
            stage.send(&mail(from, SERVER, id, line)).await;
        }
        let begun = mail(ALICE, SERVER, "3", "Forms challenge robot alice -size=4");
        let letters = stage.send(&begun).await.1;
        let given = robot.converse(&stage, letters).await;
        assert_eq!(given, most as usize, "{what}");
        // Alice, the victim, can still play.
        let letters = stage.send(&mail(ALICE, SERVER, "4", "Forms show 101")).await.1;
        assert_eq!(letters.len(), 1, "{what}");
        stage.close().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_came_from_here_is_not_answered_here() {
    let stage = Stage::open(|config| config.accounts.confirm = false);
    let letters = stage
        .send(&mail(ALICE, SERVER, "1", "signup alice fig7elk"))
        .await
        .1;
    for without in [
        [].as_slice(),
        &["Auto-Submitted", LOOP_FIELD],
        &["From", "Auto-Submitted"],
    ] {
        let mut message = as_received(&stage, &letters[0], without);
        message.envelope.recipients = vec![Address::parse(SERVER).unwrap()];
        assert!(stage.take(&message).await.1.is_empty(), "without {without:?}");
    }
    stage.close().await;
}
