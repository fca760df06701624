//! A relay: takes letters over SMTP and keeps them. It can also refuse, hang, die before or after it has accepted
//! a letter, or not listen.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use mail_parser::MessageParser;
use rand::RngExt;

use crate::book::{Delivered, digest};

/// A relay, until it is dropped.
pub(crate) struct Relay {
    shared: Arc<Shared>,
    pub(crate) port: u16,
}

#[derive(Default)]
struct Shared {
    is_in_trouble: AtomicBool,
    /// Whether it does not listen.
    is_down: AtomicBool,
    is_over: AtomicBool,
    /// Received letters, whether confirmed or not.
    taken: Mutex<Vec<Delivered>>,
    count: AtomicUsize,
    /// By address, the unread letters: In-Reply-To and subject.
    unread: Mutex<HashMap<String, Vec<(String, String)>>>,
    /// Letters after which the relay died without a reply, or that it refused.
    faults: AtomicUsize,
}

/// The fault of a relay for one letter.
enum Fate {
    Takes,
    RefusesSender,
    RefusesRecipient,
    RefusesData,
    /// In the middle of the letter.
    DiesBefore,
    /// After the whole letter.
    DiesAfter,
    /// The same, later.
    Hangs,
}

impl Relay {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared = Arc::new(Shared::default());
        let own = shared.clone();
        thread::spawn(move || own.listen(listener, port));
        Self { shared, port }
    }

    pub(crate) fn set_trouble(&self, is_in_trouble: bool) {
        self.shared.is_in_trouble.store(is_in_trouble, Ordering::SeqCst);
    }

    /// Whether it listens.
    pub(crate) fn set_down(&self, is_down: bool) {
        self.shared.is_down.store(is_down, Ordering::SeqCst);
    }

    pub(crate) fn taken(&self) -> Vec<Delivered> {
        self.shared.taken.lock().unwrap().clone()
    }

    pub(crate) fn count(&self) -> usize {
        self.shared.count.load(Ordering::SeqCst)
    }

    pub(crate) fn faults(&self) -> usize {
        self.shared.faults.load(Ordering::SeqCst)
    }

    /// New letters for an address since the last call: In-Reply-To and subject.
    pub(crate) fn read(&self, address: &str) -> Vec<(String, String)> {
        self.shared
            .unread
            .lock()
            .unwrap()
            .remove(address)
            .unwrap_or_default()
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::SeqCst);
    }
}

impl Shared {
    fn listen(self: Arc<Self>, listener: TcpListener, port: u16) {
        let mut listener = Some(listener);
        while !self.is_over.load(Ordering::SeqCst) {
            if self.is_down.load(Ordering::SeqCst) {
                listener = None;
            } else if listener.is_none() {
                listener = TcpListener::bind(("127.0.0.1", port)).ok();
            }
            let Some(open) = &listener else {
                thread::sleep(Duration::from_millis(1));
                continue;
            };
            open.set_nonblocking(true).unwrap();
            match open.accept() {
                Ok((stream, _)) => {
                    stream.set_nonblocking(false).unwrap();
                    stream.set_nodelay(true).unwrap();
                    let own = self.clone();
                    // The client may disconnect at any moment.
                    thread::spawn(move || _ = own.session(stream));
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    thread::sleep(Duration::from_millis(1));
                }
                Err(_) => {}
            }
        }
    }

    fn fate(&self) -> Fate {
        if !self.is_in_trouble.load(Ordering::SeqCst) {
            return Fate::Takes;
        }
        let fate = match rand::rng().random_range(0..12) {
            0 => Fate::RefusesSender,
            1 => Fate::RefusesRecipient,
            2 => Fate::RefusesData,
            3 => Fate::DiesBefore,
            4 | 5 => Fate::DiesAfter,
            6 => Fate::Hangs,
            _ => return Fate::Takes,
        };
        self.faults.fetch_add(1, Ordering::SeqCst);
        fate
    }

    fn session(&self, stream: TcpStream) -> std::io::Result<()> {
        let mut stream = BufReader::new(stream);
        let say = |stream: &mut BufReader<TcpStream>, reply: &str| {
            stream.get_mut().write_all(format!("{reply}\r\n").as_bytes())
        };
        say(&mut stream, "220 relay.example")?;
        let mut to = String::new();
        let mut fate = Fate::Takes;
        let mut line = String::new();
        loop {
            line.clear();
            if stream.read_line(&mut line)? == 0 {
                return Ok(());
            }
            let reply = match line.get(..4).unwrap_or_default().to_ascii_uppercase().as_str() {
                "MAIL" => {
                    fate = self.fate();
                    match fate {
                        Fate::RefusesSender => "451 4.3.0 not now",
                        _ => "250 ok",
                    }
                }
                "RCPT" => {
                    let address = line.split(['<', '>']).nth(1).unwrap_or_default();
                    to = address.to_lowercase();
                    match fate {
                        Fate::RefusesRecipient => "452 4.2.2 not now",
                        _ => "250 ok",
                    }
                }
                "DATA" => {
                    say(&mut stream, "354 go on")?;
                    if matches!(fate, Fate::DiesBefore) {
                        return Ok(());
                    }
                    let letter = data(&mut stream)?;
                    if matches!(fate, Fate::RefusesData) {
                        "451 4.3.0 not now"
                    } else {
                        self.take(&to, &letter);
                        match fate {
                            Fate::DiesAfter => return Ok(()),
                            Fate::Hangs => return self.hang(),
                            _ => "250 ok",
                        }
                    }
                }
                "QUIT" => {
                    say(&mut stream, "221 bye")?;
                    return Ok(());
                }
                _ => "250 ok",
            };
            say(&mut stream, reply)?;
        }
    }

    fn hang(&self) -> std::io::Result<()> {
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(3) && !self.is_over.load(Ordering::SeqCst) {
            thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    fn take(&self, to: &str, letter: &[u8]) {
        let mail = MessageParser::default().parse(letter).unwrap();
        let text = mail.body_text(0).unwrap_or_default();
        let delivered = Delivered {
            message_id: mail.message_id().unwrap_or_default().to_owned(),
            in_reply_to: mail.in_reply_to().as_text().unwrap_or_default().to_owned(),
            to: to.to_owned(),
            subject: mail.subject().unwrap_or_default().to_owned(),
            digest: digest(text.as_bytes()),
        };
        let read = (delivered.in_reply_to.clone(), delivered.subject.clone());
        self.taken.lock().unwrap().push(delivered);
        self.count.fetch_add(1, Ordering::SeqCst);
        let mut unread = self.unread.lock().unwrap();
        unread.entry(to.to_owned()).or_default().push(read);
    }
}

/// Everything up to the final dot, without removing doubled dots (RFC 5321, 4.5.2).
fn data(stream: &mut impl BufRead) -> std::io::Result<Vec<u8>> {
    let mut letter = Vec::new();
    loop {
        let start = letter.len();
        if stream.read_until(b'\n', &mut letter)? == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        if letter[start..] == *b".\r\n" {
            letter.truncate(start);
            return Ok(letter);
        }
        if letter[start] == b'.' {
            letter.remove(start);
        }
    }
}
