//! A relay on a real socket whose behaviour a test sets: it accepts mail, refuses, or stops responding.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use super::tls;

const GREETING: &str = "220 relay.example ESMTP";

/// Its behaviour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mood {
    /// It accepts all mail.
    Well,
    /// It sends this instead of its greeting, and hangs up.
    Greets(&'static str),
    /// It replies to MAIL with this.
    AtMail(&'static str),
    /// It sends its greeting one character at a time, without end.
    Drips,
    /// It reads the whole message, and does not reply.
    SilentAtTheEnd,
    /// It accepts all mail after STARTTLS, none before.
    Encrypts,
    /// It accepts all mail under TLS from the first byte.
    Wrapped,
    /// It sends this without end as its greeting, up to 256 MB.
    Babbles(&'static str),
}

/// The relay.
pub(crate) struct Relay {
    pub(crate) port: u16,
    mood: Arc<Mutex<Mood>>,
    taken: Arc<Mutex<Vec<String>>>,
}

impl Relay {
    /// A relay at this port, or at any free one if it is 0.
    pub(crate) fn listen(port: u16, mood: Mood) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
        let relay = Self {
            port: listener.local_addr().unwrap().port(),
            mood: Arc::new(Mutex::new(mood)),
            taken: Arc::default(),
        };
        let (mood, taken) = (relay.mood.clone(), relay.taken.clone());
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (mood, taken) = (*mood.lock().unwrap(), taken.clone());
                thread::spawn(move || drop(converse(stream, mood, &taken)));
            }
        });
        relay
    }

    /// Sets the behaviour for new connections.
    pub(crate) fn is(&self, mood: Mood) {
        *self.mood.lock().unwrap() = mood;
    }

    /// The Message-IDs of all messages received whole, whatever it replied.
    pub(crate) fn message_ids(&self) -> Vec<String> {
        self.taken.lock().unwrap().clone()
    }
}

fn converse(stream: TcpStream, mood: Mood, taken: &Mutex<Vec<String>>) -> std::io::Result<()> {
    if mood == Mood::Wrapped {
        let mut stream = BufReader::new(tls::encrypted(stream));
        say(&mut stream, GREETING)?;
        return session(&mut stream, Mood::Well, taken).map(drop);
    }
    let mut stream = BufReader::new(stream);
    match mood {
        Mood::Greets(reply) => return say(&mut stream, reply),
        Mood::Drips => loop {
            stream.get_mut().write_all(b"2")?;
            thread::sleep(Duration::from_millis(100));
        },
        Mood::Babbles(words) => {
            let words = words.repeat((1 << 20) / words.len());
            for _ in 0..256 {
                stream.get_mut().write_all(words.as_bytes())?;
            }
            return Ok(());
        }
        _ => say(&mut stream, GREETING)?,
    }
    if session(&mut stream, mood, taken)? {
        let mut stream = BufReader::new(tls::encrypted(stream.into_inner()));
        session(&mut stream, Mood::Well, taken)?;
    }
    Ok(())
}

fn say(stream: &mut BufReader<impl Read + Write>, reply: &str) -> std::io::Result<()> {
    stream.get_mut().write_all(format!("{reply}\r\n").as_bytes())
}

/// Returns whether the client wants a handshake now; otherwise it has gone.
fn session(
    stream: &mut BufReader<impl Read + Write>,
    mood: Mood,
    taken: &Mutex<Vec<String>>,
) -> std::io::Result<bool> {
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line)? == 0 {
            return Ok(false);
        }
        match (line.split([' ', ':', '\r']).next().unwrap_or_default(), mood) {
            ("EHLO", Mood::Encrypts) => say(stream, "250-relay.example\r\n250 STARTTLS")?,
            ("STARTTLS", Mood::Encrypts) => {
                say(stream, "220 go ahead")?;
                return Ok(true);
            }
            ("MAIL", Mood::Encrypts) => say(stream, "530 STARTTLS first")?,
            ("MAIL", Mood::AtMail(reply)) => say(stream, reply)?,
            ("DATA", _) => {
                say(stream, "354 go ahead")?;
                let mut message = String::new();
                while !message.ends_with("\r\n.\r\n") {
                    if stream.read_line(&mut message)? == 0 {
                        return Ok(false);
                    }
                }
                let id = message.lines().find_map(|line| line.strip_prefix("Message-ID: "));
                taken.lock().unwrap().push(id.unwrap_or_default().to_owned());
                if mood == Mood::SilentAtTheEnd {
                    // Until the client disconnects.
                    return stream.read_line(&mut line).map(|_| false);
                }
                say(stream, "250 taken")?;
            }
            _ => say(stream, "250 ok")?,
        }
    }
}
