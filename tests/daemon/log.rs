//! What a daemon has written to standard error.

use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::Stdio;
use std::sync::{Arc, Mutex};

use rustix::net::{RecvFlags, recv};

/// A thread reads along, so that the daemon never waits for a reader.
pub(crate) struct Log(Arc<Mutex<Received>>);

struct Received {
    bytes: Vec<u8>,
    /// A socket rather than a pipe: it can be read without waiting, while the thread waits for more.
    socket: UnixStream,
}

impl Log {
    /// A log, and what is to be the standard error of the process that writes it.
    pub(crate) fn new() -> (Self, Stdio) {
        let (socket, writer) = UnixStream::pair().unwrap();
        let waits = socket.try_clone().unwrap();
        let received = Arc::new(Mutex::new(Received {
            bytes: Vec::new(),
            socket,
        }));
        let log = Self(received.clone());
        std::thread::spawn(move || {
            // It only looks at the next byte, since bytes are read under the lock.
            while recv(&waits, &mut [0_u8; 1], RecvFlags::PEEK).is_ok_and(|(bytes, _)| bytes > 0) {
                received.lock().unwrap().read_on();
            }
        });
        (log, OwnedFd::from(writer).into())
    }

    /// All lines that were written before this call.
    pub(crate) fn text(&self) -> String {
        let mut received = self.0.lock().unwrap();
        received.read_on();
        let whole = received.bytes.iter().rposition(|byte| *byte == b'\n');
        let lines = whole.map_or(0, |last| last + 1);
        String::from_utf8_lossy(&received.bytes[..lines]).into_owned()
    }
}

impl Received {
    fn read_on(&mut self) {
        let mut piece = [0; 64 * 1024];
        while let Ok((length @ 1.., _)) = recv(&self.socket, &mut piece, RecvFlags::DONTWAIT) {
            self.bytes.extend_from_slice(&piece[..length]);
        }
    }
}
