//! A man in the middle of a connection that is to be encrypted by STARTTLS.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// What he does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Deed {
    /// He passes everything on.
    Nothing,
    /// He takes the offer of STARTTLS out of what the server says.
    Strips,
    /// He adds this to the server's answer to STARTTLS, and keeps from the server what the client says once the
    /// handshake has begun.
    Adds(String),
    /// The same in a packet of its own.
    AddsLater(String),
}

/// The man in the middle.
pub(crate) struct Middle {
    pub(crate) port: u16,
    deed: Arc<Mutex<Deed>>,
    done: Arc<AtomicU32>,
}

impl Middle {
    /// He stands before the server at this port of this machine.
    pub(crate) fn before(server: u16, deed: Deed) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let middle = Self {
            port: listener.local_addr().unwrap().port(),
            deed: Arc::new(Mutex::new(deed)),
            done: Arc::default(),
        };
        let (deed, done) = (middle.deed.clone(), middle.done.clone());
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let deed = deed.lock().unwrap().clone();
                let server = TcpStream::connect(("127.0.0.1", server)).unwrap();
                between(&client, &server, &deed, &done);
            }
        });
        middle
    }

    /// What he does with new connections.
    pub(crate) fn does(&self, deed: Deed) {
        *self.deed.lock().unwrap() = deed;
    }

    /// How often he has done it.
    pub(crate) fn times(&self) -> u32 {
        self.done.load(Ordering::Relaxed)
    }
}

fn between(client: &TcpStream, server: &TcpStream, deed: &Deed, done: &Arc<AtomicU32>) {
    let asked = Arc::new(AtomicBool::new(false));
    let up = (client.try_clone().unwrap(), server.try_clone().unwrap());
    let down = (server.try_clone().unwrap(), client.try_clone().unwrap());
    let (is_honest, shared) = (*deed == Deed::Nothing, asked.clone());
    thread::spawn(move || {
        let _ = to_server(&up.0, &up.1, is_honest, &shared);
        let _ = up.1.shutdown(Shutdown::Both);
    });
    let (deed, done) = (deed.clone(), done.clone());
    thread::spawn(move || {
        let _ = to_client(&down.0, &down.1, &deed, &asked, &done);
        let _ = down.1.shutdown(Shutdown::Both);
    });
}

fn to_server(
    client: &TcpStream,
    mut server: &TcpStream,
    is_honest: bool,
    asked: &AtomicBool,
) -> std::io::Result<()> {
    let mut client = BufReader::new(client);
    let mut line = Vec::new();
    while !is_honest && !asked.load(Ordering::SeqCst) && client.read_until(b'\n', &mut line)? > 0 {
        asked.store(line.ends_with(b"STARTTLS\r\n"), Ordering::SeqCst);
        server.write_all(&line)?;
        line.clear();
    }
    let mut bytes = vec![0; 16 * 1024];
    let mut is_first = true;
    loop {
        let count = client.read(&mut bytes)?;
        if count == 0 {
            return Ok(());
        }
        if is_honest || is_first {
            server.write_all(&bytes[..count])?;
        }
        is_first = false;
    }
}

fn to_client(
    mut server: &TcpStream,
    mut client: &TcpStream,
    deed: &Deed,
    asked: &AtomicBool,
    done: &AtomicU32,
) -> std::io::Result<()> {
    let mut bytes = vec![0; 16 * 1024];
    let mut has_answered = false;
    loop {
        let count = server.read(&mut bytes)?;
        if count == 0 {
            return Ok(());
        }
        let mut said = bytes[..count].to_vec();
        let is_answer = asked.load(Ordering::SeqCst) && !has_answered;
        has_answered |= is_answer;
        match deed {
            Deed::Strips => {
                let text = String::from_utf8_lossy(&said);
                if text.contains("STARTTLS") {
                    said = text.replace("STARTTLS", "XSTARTTL").into_bytes();
                    done.fetch_add(1, Ordering::Relaxed);
                }
            }
            Deed::Adds(words) if is_answer => {
                said.extend_from_slice(words.as_bytes());
                done.fetch_add(1, Ordering::Relaxed);
            }
            Deed::AddsLater(words) if is_answer => {
                client.write_all(&said)?;
                thread::sleep(Duration::from_millis(20));
                said = words.clone().into_bytes();
                done.fetch_add(1, Ordering::Relaxed);
            }
            Deed::Nothing | Deed::Adds(_) | Deed::AddsLater(_) => {}
        }
        client.write_all(&said)?;
    }
}
