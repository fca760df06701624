//! Players whose mail servers know two servers, as two MX: they send to the one that greets with 220, until it says 250.

use std::io::{self, BufRead, BufReader, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use crate::book::pair::Pair;
use crate::book::{Entry, Fate, Mail};
use crate::crash::relay::Relay;
use crate::daemon::smtp::stuffed;
use crate::daemon::{PATIENCE, SERVER, until};
use pbmserv_games::Seat;

pub(crate) const PAIRS: usize = 4;

/// How long a greeting may take. Mail servers wait for minutes, and a round would last as long.
const GREETING: Duration = Duration::from_secs(3);

/// State shared by all pairs.
pub(crate) struct Traffic {
    pub(crate) relay: Relay,
    pub(crate) ports: [u16; 2],
    is_over: AtomicBool,
    /// The test has failed.
    is_lost: AtomicBool,
    book: Mutex<Vec<Entry>>,
    accepted: [AtomicUsize; PAIRS],
    /// Mails that were sent again after their final dot.
    pub(crate) repeated: AtomicUsize,
}

impl Traffic {
    pub(crate) fn new(ports: [u16; 2]) -> Self {
        Self {
            relay: Relay::start(),
            ports,
            is_over: AtomicBool::new(false),
            is_lost: AtomicBool::new(false),
            book: Mutex::default(),
            accepted: Default::default(),
            repeated: AtomicUsize::new(0),
        }
    }

    /// All mails so far, with the replies.
    pub(crate) fn book(&self) -> Vec<Entry> {
        self.book.lock().unwrap().clone()
    }

    pub(crate) fn accepted(&self) -> usize {
        self.accepted
            .iter()
            .map(|count| count.load(Ordering::SeqCst))
            .sum()
    }

    /// Waits until each pair has had some more mails accepted, so that no mail meets two losses in a row.
    pub(crate) fn progress(&self, mails: usize) {
        let counts = || self.accepted.each_ref().map(|count| count.load(Ordering::SeqCst));
        let before = counts();
        until("the traffic goes on", || {
            let mut both = before.iter().zip(counts());
            both.all(|(before, now)| now >= before + mails).then_some(())
        });
    }

    /// Lets the pairs play while `losses` runs.
    pub(crate) fn run(&self, seed: u64, losses: impl FnOnce()) {
        thread::scope(|scope| {
            let pairs: Vec<_> = (0..PAIRS)
                .map(|index| scope.spawn(move || self.play(Pair::new(index, seed))))
                .collect();
            // Also if it fails, or the threads would never end.
            let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(losses));
            self.is_over.store(true, Ordering::SeqCst);
            self.is_lost.store(caught.is_err(), Ordering::SeqCst);
            let ends: Vec<_> = pairs.into_iter().map(thread::ScopedJoinHandle::join).collect();
            caught.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            for end in ends {
                end.unwrap();
            }
        });
    }

    fn play(&self, mut pair: Pair) {
        let mut session = None;
        while !self.is_over.load(Ordering::SeqCst) {
            for (in_reply_to, subject) in self.relay.read(&pair.address(Seat::First)) {
                pair.letter(&in_reply_to, &subject);
            }
            let mail = Arc::new(pair.next());
            let place = {
                let mut book = self.book.lock().unwrap();
                book.push(Entry {
                    mail: mail.clone(),
                    fate: Fate::Open,
                });
                book.len() - 1
            };
            self.send(&mail, &mut session);
            self.book.lock().unwrap()[place].fate = Fate::Accepted;
            self.accepted[pair.index].fetch_add(1, Ordering::SeqCst);
        }
    }

    /// Sends one mail, always the same bytes, until the reply is 250.
    fn send(&self, mail: &Mail, session: &mut Option<Session>) {
        let (start, mut dots) = (Instant::now(), 0);
        for turn in 0.. {
            let is_lost = self.is_lost.load(Ordering::SeqCst) || start.elapsed() > 2 * PATIENCE;
            assert!(!is_lost, "{} was never answered", mail.subject);
            let mut open = match session.take() {
                Some(open) => Ok(open),
                None => Session::open(self.ports[turn % 2]),
            };
            let reply = open
                .as_mut()
                .map_err(|error| error.to_string())
                .and_then(|open| open.send(mail, &mut dots).map_err(|error| error.to_string()));
            match reply {
                Ok(reply) if reply.starts_with("250") => {
                    *session = open.ok();
                    break;
                }
                Ok(reply) => assert!(reply.starts_with('4'), "{}: {reply}", mail.subject),
                Err(error) => assert!(!error.starts_with('5'), "{}: {error}", mail.subject),
            }
            thread::sleep(Duration::from_millis(20));
        }
        self.repeated.fetch_add(dots - 1, Ordering::SeqCst);
    }
}

/// What a server greets with; an error if it does not within some seconds.
pub(crate) fn greeting(port: u16) -> io::Result<String> {
    Session::connect(port)?.reply()
}

/// An SMTP session.
struct Session(BufReader<TcpStream>);

impl Session {
    fn connect(port: u16) -> io::Result<Self> {
        let stream = TcpStream::connect_timeout(&([127, 0, 0, 1], port).into(), GREETING)?;
        stream.set_read_timeout(Some(GREETING))?;
        stream.set_nodelay(true)?;
        Ok(Self(BufReader::new(stream)))
    }

    fn open(port: u16) -> io::Result<Self> {
        let mut session = Self::connect(port)?;
        let greeting = session.reply()?;
        if !greeting.starts_with("220") {
            return Err(io::Error::other(greeting));
        }
        session.0.get_ref().set_read_timeout(Some(PATIENCE))?;
        session.say("EHLO home.example\r\n")?;
        Ok(session)
    }

    fn send(&mut self, mail: &Mail, dots: &mut usize) -> io::Result<String> {
        for line in [
            format!("MAIL FROM:<{}>\r\n", mail.from),
            format!("RCPT TO:<{SERVER}>\r\n"),
            "DATA\r\n".to_owned(),
        ] {
            let reply = self.say(&line)?;
            if !reply.starts_with(['2', '3']) {
                return Err(io::Error::other(reply));
            }
        }
        self.0.get_mut().write_all(&stuffed(&mail.bytes(SERVER)))?;
        *dots += 1;
        self.reply()
    }

    fn say(&mut self, line: &str) -> io::Result<String> {
        self.0.get_mut().write_all(line.as_bytes())?;
        self.reply()
    }

    fn reply(&mut self) -> io::Result<String> {
        loop {
            let mut line = String::new();
            if self.0.read_line(&mut line)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            if line.as_bytes().get(3) != Some(&b'-') {
                return Ok(line);
            }
        }
    }
}
