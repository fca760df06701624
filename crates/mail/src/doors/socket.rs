//! The address of a listener: a TCP port or a unix socket.

use std::fmt;
use std::fs::{self, File, Permissions, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::Path;

use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tracing::debug;

use crate::stream::Stream;

/// The prefix of a unix socket's path.
const UNIX: &str = "unix:";

/// An open listener.
#[derive(Debug)]
pub enum Listener {
    /// A TCP port.
    Tcp(TcpListener),
    /// A unix socket. Its file remains when the server stops; the next start replaces it.
    Unix(UnixListener),
}

impl Listener {
    /// Opens `HOST:PORT` or `unix:PATH`.
    ///
    /// A unix socket has mode 0660. If its folder has the set-group-ID bit (mode 2750), the socket belongs to
    /// the folder's group. That admits the MTA's group, of which this process need not be a member. Postfix
    /// keeps only its primary group, so the reverse, adding the MTA to our group, would not work. A socket
    /// left by a dead process is replaced; one in use is not.
    ///
    /// # Errors
    /// Those of the system calls; [`ErrorKind::AddrInUse`] if a process listens there,
    /// [`ErrorKind::AlreadyExists`] if the file is no socket.
    pub async fn bind(place: &str) -> io::Result<Self> {
        match place.strip_prefix(UNIX) {
            Some(path) => Ok(Self::Unix(bind_unix(Path::new(path)).await?)),
            None => Ok(Self::Tcp(TcpListener::bind(place).await?)),
        }
    }

    /// The address of a TCP port.
    #[must_use]
    pub fn tcp_address(&self) -> Option<SocketAddr> {
        match self {
            Self::Tcp(listener) => listener.local_addr().ok(),
            Self::Unix(_) => None,
        }
    }

    pub(super) async fn accept(&self) -> io::Result<(Connection, Peer)> {
        match self {
            Self::Tcp(listener) => {
                let (stream, address) = listener.accept().await?;
                Ok((Connection::Tcp(stream), Peer::Tcp(address)))
            }
            Self::Unix(listener) => {
                let (stream, _) = listener.accept().await?;
                Ok((Connection::Unix(stream), Peer::Local))
            }
        }
    }
}

impl fmt::Display for Listener {
    /// As configured, but with the actual port instead of port 0.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(listener) => match listener.local_addr() {
                Ok(address) => address.fmt(f),
                Err(_) => f.write_str("a TCP port"),
            },
            Self::Unix(listener) => {
                let address = listener.local_addr().ok();
                let path = address.as_ref().and_then(|address| address.as_pathname());
                write!(f, "{UNIX}{}", path.unwrap_or(Path::new("")).display())
            }
        }
    }
}

async fn bind_unix(path: &Path) -> io::Result<UnixListener> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    // Held until the socket is open. Otherwise two processes that start at once could each take the other's
    // socket for a leftover.
    let folder = File::open(folder)?;
    match folder.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(in_use("another program opens a socket in that folder")),
        Err(TryLockError::Error(error)) => return Err(error),
    }
    let listener = bind_alone(path).await;
    // Closing is not enough: a child process that was forked at this moment has the folder open until its program begins.
    folder.unlock()?;
    listener
}

async fn bind_alone(path: &Path) -> io::Result<UnixListener> {
    make_room(path).await?;
    let listener = UnixListener::bind(path)?;
    fs::set_permissions(path, Permissions::from_mode(0o660))?;
    Ok(listener)
}

/// Removes the socket of a dead process.
async fn make_room(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
        Ok(file) if !file.file_type().is_socket() => {
            return Err(io::Error::new(
                ErrorKind::AlreadyExists,
                "it exists, but is not a socket",
            ));
        }
        Ok(_) => {}
    }
    match UnixStream::connect(path).await {
        Err(error) if error.kind() == ErrorKind::ConnectionRefused => fs::remove_file(path),
        // WouldBlock: a live process with a full queue.
        Err(error) if error.kind() != ErrorKind::WouldBlock => Err(error),
        _ => Err(in_use("a running program listens there")),
    }
}

fn in_use(why: &'static str) -> io::Error {
    io::Error::new(ErrorKind::AddrInUse, why)
}

/// The other side of a connection.
#[derive(Clone, Copy, Debug)]
pub(super) enum Peer {
    /// At this address.
    Tcp(SocketAddr),
    /// A local process, at a unix socket.
    Local,
}

impl Peer {
    /// For connection limits; the loopback address for a local process.
    pub(super) fn ip(self) -> IpAddr {
        match self {
            Self::Tcp(address) => address.ip(),
            Self::Local => IpAddr::V4(Ipv4Addr::LOCALHOST),
        }
    }
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => address.fmt(f),
            Self::Local => f.write_str("local"),
        }
    }
}

/// One accepted connection.
#[derive(Debug)]
pub(super) enum Connection {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Connection {
    /// The connection as a byte stream.
    pub(super) fn into_stream(self) -> Stream {
        match self {
            Self::Tcp(stream) => {
                // Replies are small, and each is written at once: no need to wait for more (Nagle).
                if let Err(error) = stream.set_nodelay(true) {
                    debug!(%error, "replies may be slow");
                }
                Box::new(stream)
            }
            Self::Unix(stream) => Box::new(stream),
        }
    }

    /// Sends one sentence and closes. A new socket has buffer space for it, so this never blocks.
    pub(super) fn turn_away(self, sentence: &[u8]) -> io::Result<()> {
        match self {
            Self::Tcp(stream) => stream.into_std()?.write_all(sentence),
            Self::Unix(stream) => stream.into_std()?.write_all(sentence),
        }
    }
}
