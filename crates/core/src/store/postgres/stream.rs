//! The byte stream of a session: TCP, TLS over it, or a unix socket.

use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use rustix::net::RecvFlags;
use rustix::net::sockopt;
use tokio_rustls::rustls::{ClientConnection, StreamOwned};

use super::server::Host;

/// After so long without an answer to what was sent, or to a keepalive, the system gives a connection up.
const SILENCE: Duration = Duration::from_secs(10);

pub(super) enum Stream {
    Tcp(TcpStream),
    Tls(Box<StreamOwned<ClientConnection, TcpStream>>),
    Unix(UnixStream),
}

/// What there is to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Readable {
    Nothing,
    Bytes,
    End,
}

impl Stream {
    /// Connects without TLS.
    pub(super) fn connect(host: &Host, within: Duration) -> io::Result<Self> {
        match host {
            Host::Socket(path) => Ok(Self::Unix(UnixStream::connect(path)?)),
            Host::Name(name, port) => {
                let mut fault = io::ErrorKind::NotFound.into();
                for address in (name.as_str(), *port).to_socket_addrs()? {
                    match TcpStream::connect_timeout(&address, within) {
                        Ok(stream) => {
                            prepare(&stream)?;
                            return Ok(Self::Tcp(stream));
                        }
                        Err(error) => fault = error,
                    }
                }
                Err(fault)
            }
        }
    }

    /// How long a read or a write may wait.
    pub(super) fn wait_at_most(&self, time: Option<Duration>) -> io::Result<()> {
        match self {
            Self::Tcp(stream) => stream
                .set_read_timeout(time)
                .and_then(|()| stream.set_write_timeout(time)),
            Self::Tls(stream) => {
                let stream = &stream.sock;
                stream
                    .set_read_timeout(time)
                    .and_then(|()| stream.set_write_timeout(time))
            }
            Self::Unix(stream) => stream
                .set_read_timeout(time)
                .and_then(|()| stream.set_write_timeout(time)),
        }
    }

    /// What there is to read now.
    pub(super) fn waiting(&self) -> Readable {
        let socket = match self {
            Self::Tcp(stream) => stream.as_fd(),
            Self::Tls(stream) => stream.sock.as_fd(),
            Self::Unix(stream) => stream.as_fd(),
        };
        let mut byte = [0; 1];
        match rustix::net::recv(socket, &mut byte, RecvFlags::PEEK | RecvFlags::DONTWAIT) {
            Ok((_, 0)) => Readable::End,
            Ok(_) => Readable::Bytes,
            Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => Readable::Nothing,
            Err(_) => Readable::End,
        }
    }
}

fn prepare(stream: &TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let silence = u32::try_from(SILENCE.as_millis()).unwrap_or(u32::MAX);
    sockopt::set_tcp_user_timeout(stream, silence)?;
    sockopt::set_socket_keepalive(stream, true)?;
    sockopt::set_tcp_keepidle(stream, SILENCE / 2)?;
    sockopt::set_tcp_keepintvl(stream, Duration::from_secs(1))?;
    sockopt::set_tcp_keepcnt(stream, 5)?;
    Ok(())
}

impl Read for Stream {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.read(bytes),
            Self::Tls(stream) => stream.read(bytes),
            Self::Unix(stream) => stream.read(bytes),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.write(bytes),
            Self::Tls(stream) => stream.write(bytes),
            Self::Unix(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Tcp(stream) => stream.flush(),
            Self::Tls(stream) => stream.flush(),
            Self::Unix(stream) => stream.flush(),
        }
    }
}
