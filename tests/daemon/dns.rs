//! A name server on loopback, over UDP and TCP, that publishes what a test gives it: honestly, not at all, or lying.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mail_auth::hickory_resolver::proto::op::{Message, ResponseCode};
use mail_auth::hickory_resolver::proto::rr::rdata::{A, AAAA, CNAME, MX, PTR, TXT};
use mail_auth::hickory_resolver::proto::rr::{Name, RData, Record, RecordType};

/// The longest answer over UDP.
const DATAGRAM: usize = 1232;

/// What the server does when it is asked for a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mood {
    /// It says that it has failed.
    Fails,
    /// It says nothing.
    Silent,
    /// It answers after this many milliseconds.
    Slow(u64),
}

/// What is published.
#[derive(Default)]
struct Zone {
    records: HashMap<String, Vec<RData>>,
    moods: HashMap<String, Mood>,
    asked: Vec<String>,
}

/// The server. It ends when this is dropped.
pub(crate) struct Dns {
    pub(crate) address: SocketAddr,
    zone: Arc<Mutex<Zone>>,
    is_over: Arc<AtomicBool>,
}

impl Drop for Dns {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        let _ = TcpStream::connect(self.address);
    }
}

fn name(text: &str) -> Name {
    Name::from_ascii(format!("{}.", text.trim_end_matches('.'))).unwrap()
}

impl Dns {
    /// A server that publishes nothing yet.
    pub(crate) fn open() -> Self {
        let (udp, tcp) = (0..100)
            .find_map(|_| {
                let tcp = TcpListener::bind("127.0.0.1:0").ok()?;
                Some((UdpSocket::bind(tcp.local_addr().ok()?).ok()?, tcp))
            })
            .unwrap();
        let server = Self {
            address: tcp.local_addr().unwrap(),
            zone: Arc::default(),
            is_over: Arc::default(),
        };
        udp.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
        let (zone, is_over) = (server.zone.clone(), server.is_over.clone());
        std::thread::spawn(move || serve_udp(&udp, &zone, &is_over));
        let (zone, is_over) = (server.zone.clone(), server.is_over.clone());
        std::thread::spawn(move || serve_tcp(&tcp, &zone, &is_over));
        server
    }

    fn add(&self, at: &str, data: RData) {
        let mut zone = self.zone.lock().unwrap();
        zone.records.entry(at.to_lowercase()).or_default().push(data);
    }

    /// Publishes a text, in pieces if it is long.
    pub(crate) fn text(&self, at: &str, text: &str) -> &Self {
        let pieces = text.as_bytes().chunks(255).collect();
        self.add(at, RData::TXT(TXT::from_bytes(pieces)));
        self
    }

    /// Publishes an address.
    pub(crate) fn host(&self, at: &str, address: &str) -> &Self {
        self.add(
            at,
            match address.parse().unwrap() {
                IpAddr::V4(address) => RData::A(A(address)),
                IpAddr::V6(address) => RData::AAAA(AAAA(address)),
            },
        );
        self
    }

    /// Publishes a mail server.
    pub(crate) fn mail_server(&self, at: &str, host: &str) -> &Self {
        self.add(at, RData::MX(MX::new(10, name(host))));
        self
    }

    /// Publishes the name of an address.
    pub(crate) fn reverse(&self, address: &str, host: &str) -> &Self {
        let at = Name::from(address.parse::<IpAddr>().unwrap()).to_ascii();
        self.add(at.trim_end_matches('.'), RData::PTR(PTR(name(host))));
        self
    }

    /// Publishes that a name is another.
    pub(crate) fn alias(&self, at: &str, other: &str) -> &Self {
        self.add(at, RData::CNAME(CNAME(name(other))));
        self
    }

    /// What happens to questions about a name, whatever is published.
    pub(crate) fn is(&self, at: &str, mood: Mood) -> &Self {
        self.zone.lock().unwrap().moods.insert(at.to_lowercase(), mood);
        self
    }

    /// Takes back what is published under a name.
    pub(crate) fn forget(&self, at: &str) -> &Self {
        let mut zone = self.zone.lock().unwrap();
        zone.records.remove(&at.to_lowercase());
        zone.moods.remove(&at.to_lowercase());
        drop(zone);
        self
    }

    /// The names that were asked for since the last call.
    pub(crate) fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.zone.lock().unwrap().asked)
    }
}

/// The answer to a question; `None`: silence.
fn answer(zone: &Mutex<Zone>, question: &[u8]) -> Option<(Message, Vec<u8>)> {
    let question = Message::from_vec(question).ok()?;
    let query = question.queries.first()?.clone();
    let at = query
        .name()
        .to_lowercase()
        .to_ascii()
        .trim_end_matches('.')
        .to_owned();
    let mut answer = Message::response(question.metadata.id, question.metadata.op_code);
    answer.metadata.recursion_available = true;
    answer.metadata.recursion_desired = true;
    answer.add_query(query.clone());
    let mood = {
        let mut zone = zone.lock().unwrap();
        zone.asked.push(at.clone());
        let mut at = at.clone();
        // An alias is followed, as a resolver does; a loop of them is followed for a while.
        for _ in 0..30 {
            let here = zone.records.get(&at).cloned().unwrap_or_default();
            if here.is_empty()
                && !zone
                    .records
                    .keys()
                    .any(|known| known.ends_with(&format!(".{at}")))
            {
                answer.metadata.response_code = ResponseCode::NXDomain;
            }
            let mut next = None;
            for data in here {
                match &data {
                    RData::CNAME(alias) if query.query_type() != RecordType::CNAME => {
                        next = Some(alias.0.clone());
                    }
                    data if data.record_type() != query.query_type() => continue,
                    _ => {}
                }
                answer.add_answer(Record::from_rdata(name(&at), 60, data));
            }
            match next {
                Some(next) => at = next.to_lowercase().to_ascii().trim_end_matches('.').to_owned(),
                None => break,
            }
        }
        zone.moods.get(&at).copied()
    };
    match mood {
        Some(Mood::Silent) => return None,
        Some(Mood::Fails) => {
            answer.answers.clear();
            answer.metadata.response_code = ResponseCode::ServFail;
        }
        Some(Mood::Slow(milliseconds)) => std::thread::sleep(Duration::from_millis(milliseconds)),
        None => {}
    }
    let bytes = answer.to_vec().ok()?;
    Some((answer, bytes))
}

fn serve_udp(socket: &UdpSocket, zone: &Arc<Mutex<Zone>>, is_over: &AtomicBool) {
    let mut buffer = [0; 4096];
    while !is_over.load(Ordering::Relaxed) {
        let Ok((length, from)) = socket.recv_from(&mut buffer) else {
            continue;
        };
        let (question, zone, socket) = (
            buffer[..length].to_vec(),
            zone.clone(),
            socket.try_clone().unwrap(),
        );
        // One slow answer holds up no other.
        std::thread::spawn(move || {
            let Some((answer, bytes)) = answer(&zone, &question) else {
                return;
            };
            let bytes = match bytes.len() {
                0..=DATAGRAM => bytes,
                _ => answer.truncate().to_vec().unwrap(),
            };
            let _ = socket.send_to(&bytes, from);
        });
    }
}

fn serve_tcp(listener: &TcpListener, zone: &Arc<Mutex<Zone>>, is_over: &AtomicBool) {
    for stream in listener.incoming() {
        if is_over.load(Ordering::Relaxed) {
            return;
        }
        let (Ok(mut stream), zone) = (stream, zone.clone()) else {
            continue;
        };
        std::thread::spawn(move || {
            let mut length = [0; 2];
            while stream.read_exact(&mut length).is_ok() {
                let mut question = vec![0; usize::from(u16::from_be_bytes(length))];
                if stream.read_exact(&mut question).is_err() {
                    return;
                }
                let Some((_, bytes)) = answer(&zone, &question) else {
                    continue;
                };
                let Ok(length) = u16::try_from(bytes.len()) else {
                    return;
                };
                if stream
                    .write_all(&[&length.to_be_bytes(), bytes.as_slice()].concat())
                    .is_err()
                {
                    return;
                }
            }
        });
    }
}
