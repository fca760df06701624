//! Listening on unix sockets, and files that are in the way.

use std::io::ErrorKind;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};

use tokio::net::UnixStream;

use super::*;

async fn fault(place: &str) -> ErrorKind {
    Listener::bind(place).await.unwrap_err().kind()
}

#[tokio::test]
async fn a_message_comes_through_a_unix_socket() {
    let folder = tempfile::tempdir().unwrap();
    let place = format!("unix:{}/lmtp.sock", folder.path().display());
    let listener = Listener::bind(&place).await.unwrap();
    assert_eq!(listener.to_string(), place);
    let (_stop, stop) = watch::channel(false);
    let intake = Recorder::open();
    tokio::spawn(serve(Door {
        listener,
        protocol: Protocol::Lmtp,
        hostname: "host.example".into(),
        settings: watch::channel(Settings::default()).1,
        tls: watch::channel(None).1,
        admission: Admission::default(),
        intake: Arc::clone(&intake),
        stop,
    }));
    let stream = UnixStream::connect(folder.path().join("lmtp.sock"))
        .await
        .unwrap();
    let mut client = Client::over(Box::new(stream));
    assert_eq!(client.reply().await, "220 host.example LMTP pbmserv");
    client.expect("LHLO me.example", "250-").await;
    client.begin().await;
    client.expect("hello\r\n.", "250 2.0.0 Accepted, number 1").await;
    assert_eq!(
        intake.seen(),
        ["alice@example.org>pbmserv@host.example:hello\r\n"]
    );
}

#[tokio::test]
async fn a_crowd_of_local_peers_is_turned_away_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lmtp.sock");
    let listener = Listener::bind(&format!("unix:{}", path.display())).await.unwrap();
    let (_stop, stop) = watch::channel(false);
    let settings = Settings {
        max_connections: 1,
        ..Settings::default()
    };
    tokio::spawn(serve(Door {
        listener,
        protocol: Protocol::Lmtp,
        hostname: "host.example".into(),
        settings: watch::channel(settings).1,
        tls: watch::channel(None).1,
        admission: Admission::default(),
        intake: Recorder::open(),
        stop,
    }));
    let mut first = Client::over(Box::new(UnixStream::connect(&path).await.unwrap()));
    first.reply().await;
    let mut second = Client::over(Box::new(UnixStream::connect(&path).await.unwrap()));
    assert!(second.rest().await.starts_with("421 4.7.0 Too many connections"));
}

#[tokio::test]
async fn a_socket_is_for_its_owner_and_the_group_of_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let mode = std::fs::Permissions::from_mode(0o2750);
    std::fs::set_permissions(folder.path(), mode).unwrap();
    let path = folder.path().join("lmtp.sock");
    let _listener = Listener::bind(&format!("unix:{}", path.display())).await.unwrap();
    let socket = std::fs::metadata(&path).unwrap();
    assert_eq!(socket.mode() & 0o7777, 0o660);
    assert_eq!(socket.gid(), std::fs::metadata(folder.path()).unwrap().gid());
}

#[tokio::test]
async fn a_dead_socket_is_replaced_and_a_live_one_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lmtp.sock");
    let place = format!("unix:{}", path.display());
    let first = Listener::bind(&place).await.unwrap();
    assert_eq!(fault(&place).await, ErrorKind::AddrInUse);
    assert!(UnixStream::connect(&path).await.is_ok(), "the live one is dead");
    drop(first);
    assert!(path.exists(), "as a killed process leaves it");
    let _second = Listener::bind(&place).await.unwrap();
    assert!(UnixStream::connect(&path).await.is_ok());
}

#[tokio::test]
async fn what_is_no_socket_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("precious");
    std::fs::write(&path, "text").unwrap();
    let place = format!("unix:{}", path.display());
    assert_eq!(fault(&place).await, ErrorKind::AlreadyExists);
    assert_eq!(std::fs::read(&path).unwrap(), b"text");
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    let place = format!("unix:{}", link.display());
    assert_eq!(fault(&place).await, ErrorKind::AlreadyExists);
    let place = format!("unix:{}/nowhere/lmtp.sock", folder.path().display());
    assert_eq!(fault(&place).await, ErrorKind::NotFound);
}

#[test]
fn of_many_that_start_at_once_one_has_the_socket() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lmtp.sock");
    let place = format!("unix:{}", path.display());
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    for _ in 0..20 {
        let starts: Vec<_> = (0..8)
            .map(|_| {
                let place = place.clone();
                std::thread::spawn(move || {
                    let runtime = tokio::runtime::Builder::new_current_thread()
                        .enable_io()
                        .build()
                        .unwrap();
                    let bound = runtime.block_on(Listener::bind(&place)).ok();
                    // The runtime must outlive the listener.
                    bound.map(|bound| (bound, runtime))
                })
            })
            .collect();
        let bound: Vec<_> = starts
            .into_iter()
            .filter_map(|start| start.join().unwrap())
            .collect();
        assert_eq!(bound.len(), 1);
        assert!(std::fs::metadata(&path).unwrap().file_type().is_socket());
        assert!(std::os::unix::net::UnixStream::connect(&path).is_ok());
    }
}
