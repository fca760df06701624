use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use super::*;
use crate::stream::roots_of;

/// An address that everybody can reach, which the tests bring to this machine.
const PUBLIC: IpAddr = IpAddr::V4(Ipv4Addr::new(9, 9, 9, 9));

// The port of the server of this thread: the place for an address is a plain function.
thread_local! {
    static PORT: std::cell::Cell<u16> = const { std::cell::Cell::new(0) };
}

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/daemon")
        .join(name)
}

fn brought_here(address: IpAddr) -> Option<SocketAddr> {
    let port = PORT.with(std::cell::Cell::get);
    public::is_public(address).then(|| SocketAddr::new(Ipv4Addr::LOCALHOST.into(), port))
}

fn poster(found: &'static [&'static str]) -> Poster {
    let names = move |_: &str| -> Found {
        Box::pin(async move { Ok(found.iter().map(|one| one.parse().unwrap()).collect()) })
    };
    Poster::with(names, brought_here, roots_of(&file("hooks.crt")).unwrap())
}

/// A server of HTTPS that gives each connection this answer; returns what it was sent.
async fn server(answer: &'static str) -> Arc<Mutex<Vec<String>>> {
    let chain = vec![CertificateDer::from_pem_file(file("hooks.crt")).unwrap()];
    let key = PrivateKeyDer::from_pem_file(file("hooks.key")).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    PORT.with(|port| port.set(listener.local_addr().unwrap().port()));
    let requests = Arc::new(Mutex::new(Vec::new()));
    let log = requests.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let Ok(mut stream) = acceptor.accept(stream).await else {
                continue;
            };
            let mut bytes = [0; 4096];
            let count = stream.read(&mut bytes).await.unwrap_or_default();
            log.lock()
                .unwrap()
                .push(String::from_utf8_lossy(&bytes[..count]).into_owned());
            if answer.is_empty() {
                // It never says a word.
                std::future::pending::<()>().await;
            }
            let _ = stream.write_all(answer.as_bytes()).await;
            let _ = stream.shutdown().await;
        }
    });
    requests
}

fn notice() -> Notice {
    Notice {
        title: "Your turn".into(),
        line: "Your turn: Hex 101, until Sat".into(),
        click: "https://games.example/board/Hex/101".into(),
    }
}

async fn post(poster: &Poster, url: &str) -> Result<(), String> {
    let to = Webhook::parse(url).unwrap();
    let posted = poster.post(&to, to.form, &notice()).await;
    posted.map_err(|error| error.to_string())
}

#[tokio::test]
async fn a_notice_is_one_post() {
    let requests = server("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").await;
    let poster = poster(&["9.9.9.9"]);
    post(&poster, "https://ntfy.example/my-topic").await.unwrap();
    post(&poster, "https://hooks.example/in?to=a%0d%0ab")
        .await
        .unwrap();
    let requests = requests.lock().unwrap();
    let [text, json] = requests.as_slice() else {
        panic!("{requests:?}")
    };
    assert_eq!(
        text,
        "POST /my-topic HTTP/1.1\r\nHost: ntfy.example\r\nUser-Agent: pbmserv\r\nContent-Type: text/plain; charset=utf-8\r\n\
         Content-Length: 29\r\nClick: https://games.example/board/Hex/101\r\nConnection: close\r\n\r\n\
         Your turn: Hex 101, until Sat"
    );
    let (header, body) = json.split_once("\r\n\r\n").unwrap();
    assert!(
        header.starts_with("POST /in?to=a%0d%0ab HTTP/1.1\r\nHost: hooks.example\r\n"),
        "{header}"
    );
    let body: serde_json::Value = serde_json::from_str(body).unwrap();
    assert_eq!(body["message"], "Your turn: Hex 101, until Sat");
    assert_eq!(body["click"], "https://games.example/board/Hex/101");
}

#[tokio::test]
async fn what_is_no_success_is_not_taken() {
    for (answer, expected) in [
        ("HTTP/1.1 404 Not Found\r\n\r\n", "it answered 404"),
        (
            "HTTP/1.1 302 Found\r\nLocation: https://127.0.0.1/\r\n\r\n",
            "it redirects to another address",
        ),
        ("SSH-2.0-OpenSSH\r\n", "it did not answer as a web server does"),
        ("HTTP/1.1 2\r\n", "it did not answer as a web server does"),
    ] {
        let requests = server(answer).await;
        assert_eq!(
            post(&poster(&["9.9.9.9"]), "https://hooks.example/").await,
            Err(expected.into())
        );
        assert_eq!(requests.lock().unwrap().len(), 1, "{answer}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_silent_server_is_given_up() {
    server("").await;
    let silent = post(&poster(&["9.9.9.9"]), "https://hooks.example/").await;
    assert_eq!(silent, Err("it did not answer within five seconds".into()));
}

#[tokio::test]
async fn of_a_long_answer_only_the_beginning_is_read() {
    let long: &'static str = Box::leak("x".repeat(1 << 20).into_boxed_str());
    server(long).await;
    let answer = post(&poster(&["9.9.9.9"]), "https://hooks.example/").await;
    assert_eq!(answer, Err("it did not answer as a web server does".into()));
}

#[tokio::test]
async fn nothing_goes_to_an_address_that_is_not_public() {
    let requests = server("HTTP/1.1 200 OK\r\n\r\n").await;
    let refused = Err("its host has no public address".to_owned());
    for found in [
        &["127.0.0.1"] as &[_],
        &["10.0.0.1"],
        &["169.254.169.254"],
        &["::1"],
        &["::ffff:127.0.0.1"],
        &["64:ff9b::7f00:1"],
        &["2002:7f00:1::"],
        // One of several is enough.
        &["9.9.9.9", "127.0.0.1"],
        &["127.0.0.1", "9.9.9.9"],
    ] {
        assert_eq!(
            post(&poster(found), "https://hooks.example/").await,
            refused,
            "{found:?}"
        );
    }
    assert_eq!(
        post(&poster(&[]), "https://hooks.example/").await,
        Err("it could not be reached".into())
    );
    assert!(requests.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_name_is_looked_up_once() {
    server("HTTP/1.1 200 OK\r\n\r\n").await;
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    // The second answer would lead to this machine.
    let rebinding = poster(&[]).with_names(move |_| {
        let first = count.fetch_add(1, Ordering::Relaxed) == 0;
        let address = if first {
            PUBLIC
        } else {
            IpAddr::V4(Ipv4Addr::LOCALHOST)
        };
        Box::pin(async move { Ok(vec![address]) })
    });
    post(&rebinding, "https://hooks.example/").await.unwrap();
    assert_eq!(asked.load(Ordering::Relaxed), 1);
    let next = post(&rebinding, "https://hooks.example/").await;
    assert_eq!(next, Err("its host has no public address".into()));
}

#[tokio::test]
async fn the_certificate_must_be_for_the_name() {
    let requests = server("HTTP/1.1 200 OK\r\n\r\n").await;
    let other = post(&poster(&["9.9.9.9"]), "https://other.example/").await;
    assert_eq!(other, Err("its certificate is for another name".into()));
    assert!(requests.lock().unwrap().is_empty());
}

#[tokio::test]
async fn the_world_s_poster_does_not_reach_this_machine() {
    let places = Poster::default().places;
    for address in ["127.0.0.1", "::1", "192.168.0.1", "fe80::1"] {
        assert_eq!(places(address.parse().unwrap()), None, "{address}");
    }
    assert_eq!(places(PUBLIC), Some(SocketAddr::new(PUBLIC, 443)));
}
