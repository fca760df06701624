//! A TCP proxy between a server and its database, which stalls and cuts connections.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// What becomes of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Line {
    /// They arrive.
    Good,
    /// Neither side hears the other.
    Silent,
    /// The database hears the server, and its answers are lost.
    Deaf,
    /// New connections are closed at once.
    Closed,
    /// Sessions that only read hear nothing.
    SilentToReaders,
}

/// What a session that only reads says at its start.
const READS: &[u8] = b"default_transaction_read_only";

/// A proxy, until it is dropped.
pub(crate) struct Proxy {
    shared: Arc<Shared>,
    pub(crate) port: u16,
}

struct Shared {
    to: u16,
    line: AtomicU8,
    is_over: AtomicBool,
    /// Both ends of all connections.
    open: Mutex<Vec<TcpStream>>,
}

impl Proxy {
    /// Begins to pass connections on to this port.
    pub(crate) fn to(port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let own = listener.local_addr().unwrap().port();
        let shared = Arc::new(Shared {
            to: port,
            line: AtomicU8::new(Line::Good as u8),
            is_over: AtomicBool::new(false),
            open: Mutex::default(),
        });
        let listening = shared.clone();
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if listening.is_over.load(Ordering::SeqCst) {
                    return;
                }
                listening.pass(stream);
            }
        });
        Self { shared, port: own }
    }

    pub(crate) fn set(&self, line: Line) {
        self.shared.line.store(line as u8, Ordering::SeqCst);
    }

    /// Closes all connections.
    pub(crate) fn cut(&self) {
        for stream in self.shared.open.lock().unwrap().drain(..) {
            // It may be closed already.
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::SeqCst);
        self.cut();
        // Wakes the thread that listens.
        let _ = TcpStream::connect(("127.0.0.1", self.port));
    }
}

impl Shared {
    fn is(&self, line: Line) -> bool {
        self.line.load(Ordering::SeqCst) == line as u8
    }

    fn pass(self: &Arc<Self>, client: TcpStream) {
        if self.is(Line::Closed) {
            return;
        }
        let Ok(server) = TcpStream::connect(("127.0.0.1", self.to)) else {
            return;
        };
        let is_reader = Arc::new(AtomicBool::new(false));
        for (from, to, is_answer) in [(&client, &server, false), (&server, &client, true)] {
            from.set_nodelay(true).unwrap();
            let (from, to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
            let (own, is_reader) = (self.clone(), is_reader.clone());
            thread::spawn(move || own.copy(from, to, is_answer, &is_reader));
        }
        self.open.lock().unwrap().extend([client, server]);
    }

    fn copy(&self, mut from: TcpStream, mut to: TcpStream, is_answer: bool, is_reader: &AtomicBool) {
        let mut bytes = [0; 16 * 1024];
        while let Ok(read @ 1..) = from.read(&mut bytes) {
            if !is_answer && bytes[..read].windows(READS.len()).any(|said| said == READS) {
                is_reader.store(true, Ordering::SeqCst);
            }
            while self.is(Line::Silent)
                || (self.is(Line::SilentToReaders) && is_reader.load(Ordering::SeqCst))
            {
                thread::sleep(Duration::from_millis(1));
            }
            if is_answer && self.is(Line::Deaf) {
                continue;
            }
            if to.write_all(&bytes[..read]).is_err() {
                break;
            }
        }
        let _ = from.shutdown(Shutdown::Both);
        let _ = to.shutdown(Shutdown::Both);
    }
}
