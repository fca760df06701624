//! An SMTP session: any bytes from a peer, over a socket of the loopback, to a server that keeps nothing.

use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use pbmserv_mail::Address;
use pbmserv_mail::doors::Listener;
use pbmserv_mail::doors::smtp::{Admission, Door, Protocol, Settings, serve};
use pbmserv_mail::doors::{Intake, Message, Verdict};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;

/// No session takes longer.
const PATIENCE: Duration = Duration::from_secs(10);
/// The longest message, small so that the limit is met.
const LONGEST: usize = 2000;

struct Server {
    runtime: Runtime,
    address: std::net::SocketAddr,
    intake: Arc<Judge>,
    // Dropped, they would end the server.
    _stop: watch::Sender<bool>,
    _settings: watch::Sender<Settings>,
}

/// Takes messages by the first byte of their text, and counts them.
#[derive(Default)]
struct Judge(Mutex<Vec<Message>>);

impl Intake for Judge {
    fn is_ours(&self, recipient: &Address) -> bool {
        recipient.is_delivered_to(&Address::parse("pbmserv@games.example").expect("an address"))
    }

    fn domain(&self) -> &'static str {
        "games.example"
    }

    async fn submit(&self, message: Message) -> Verdict {
        let first = message.bytes.first().copied().unwrap_or_default();
        self.0.lock().expect("no panic").push(message);
        match first % 4 {
            0 => Verdict::Unusable("It says\r\nnothing.".into()),
            1 => Verdict::TryLater("The disk is full.".into()),
            _ => Verdict::Accepted(1),
        }
    }
}

fn server() -> &'static Server {
    static SERVER: OnceLock<Server> = OnceLock::new();
    SERVER.get_or_init(|| {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime");
        let listener = runtime
            .block_on(TcpListener::bind("127.0.0.1:0"))
            .expect("a port");
        let address = listener.local_addr().expect("an address");
        let (stop, stopped) = watch::channel(false);
        let (settings, current) = watch::channel(Settings {
            max_message_bytes: LONGEST,
            max_recipients: 3,
            max_commands: 50,
            max_errors: 10,
            ..Settings::default()
        });
        let intake = Arc::new(Judge::default());
        let (_, tls) = watch::channel(None);
        runtime.spawn(serve(Door {
            listener: Listener::Tcp(listener),
            protocol: Protocol::Smtp,
            hostname: "games.example".to_owned(),
            settings: current,
            tls,
            admission: Admission::default(),
            intake: Arc::clone(&intake),
            stop: stopped,
        }));
        Server {
            runtime,
            address,
            intake,
            _stop: stop,
            _settings: settings,
        }
    })
}

/// Says the bytes to the server.
pub fn run(bytes: &[u8]) {
    let server = server();
    let said = server.runtime.block_on(async {
        let mut stream = TcpStream::connect(server.address).await.expect("a connection");
        let (mut from, mut to) = stream.split();
        let mut said = Vec::new();
        let talk = async {
            // Either fails if the server has hung up.
            let (_, _) = tokio::join!(
                async {
                    to.write_all(bytes).await?;
                    to.shutdown().await
                },
                from.read_to_end(&mut said)
            );
        };
        let ended = tokio::time::timeout(PATIENCE, talk).await;
        assert!(ended.is_ok(), "the session does not end");
        said
    });
    let messages = std::mem::take(&mut *server.intake.0.lock().expect("no panic"));
    let said = String::from_utf8(said).expect("replies are text");
    for line in said.split_inclusive("\r\n") {
        let (code, rest) = line.split_at_checked(3).expect("a reply has a code");
        assert!(code.bytes().all(|c| c.is_ascii_digit()), "{line:?}");
        assert!(rest.starts_with([' ', '-']), "{line:?}");
        let text = rest.trim_end_matches("\r\n");
        assert!(!text.contains(char::is_control) && line.len() <= 512, "{line:?}");
    }
    let allowed = said.lines().filter(|line| line.starts_with("354")).count();
    assert!(messages.len() <= 3 * allowed, "{} of {allowed}", messages.len());
    for message in &messages {
        assert!(message.bytes.len() <= LONGEST);
        // Nothing in a message can end it for another server.
        for (at, &c) in message.bytes.iter().enumerate() {
            match c {
                b'\n' => assert!(at > 0 && message.bytes[at - 1] == b'\r'),
                b'\r' => assert_eq!(message.bytes.get(at + 1), Some(&b'\n')),
                _ => {}
            }
        }
    }
}
