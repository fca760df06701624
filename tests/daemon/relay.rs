//! A relay over a real socket, which does as a test says: it takes mail, refuses, or falls silent.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// What it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mood {
    /// It takes all mail.
    Well,
    /// It says this in place of its greeting, and hangs up.
    Greets(&'static str),
    /// It answers MAIL with this.
    AtMail(&'static str),
    /// It says its greeting a letter at a time, for ever.
    Drips,
    /// It has all of the message, and says nothing.
    SilentAtTheEnd,
}

/// The relay.
pub(crate) struct Relay {
    pub(crate) port: u16,
    mood: Arc<Mutex<Mood>>,
    taken: Arc<Mutex<Vec<String>>>,
}

impl Relay {
    /// One at this port, or at any if that is 0.
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

    /// From now on, on new connections.
    pub(crate) fn is(&self, mood: Mood) {
        *self.mood.lock().unwrap() = mood;
    }

    /// The Message-IDs of what it was sent whole, whatever it said to it.
    pub(crate) fn message_ids(&self) -> Vec<String> {
        self.taken.lock().unwrap().clone()
    }
}

fn converse(stream: TcpStream, mood: Mood, taken: &Mutex<Vec<String>>) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    let say = |stream: &mut BufReader<TcpStream>, reply: &str| {
        stream.get_mut().write_all(format!("{reply}\r\n").as_bytes())
    };
    match mood {
        Mood::Greets(reply) => return say(&mut stream, reply),
        Mood::Drips => loop {
            stream.get_mut().write_all(b"2")?;
            thread::sleep(Duration::from_millis(100));
        },
        _ => say(&mut stream, "220 relay.example ESMTP")?,
    }
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line)? == 0 {
            return Ok(());
        }
        match (line.split([' ', ':', '\r']).next().unwrap_or_default(), mood) {
            ("MAIL", Mood::AtMail(reply)) => say(&mut stream, reply)?,
            ("DATA", _) => {
                say(&mut stream, "354 go ahead")?;
                let mut message = String::new();
                while !message.ends_with("\r\n.\r\n") {
                    if stream.read_line(&mut message)? == 0 {
                        return Ok(());
                    }
                }
                let id = message.lines().find_map(|line| line.strip_prefix("Message-ID: "));
                taken.lock().unwrap().push(id.unwrap_or_default().to_owned());
                if mood == Mood::SilentAtTheEnd {
                    // Until the other side goes.
                    return stream.read_line(&mut line).map(drop);
                }
                say(&mut stream, "250 taken")?;
            }
            _ => say(&mut stream, "250 ok")?,
        }
    }
}
