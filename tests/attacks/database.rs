//! Who stands between this server and its database, and takes its password.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::mpsc::{self, Sender};
use std::thread;

use crate::daemon::{PATIENCE, Setup};

/// The first eight bytes of a client that asks for TLS.
const SSL_REQUEST: [u8; 8] = [0, 0, 0, 8, 4, 210, 22, 47];

/// A server that has no TLS: it sends on what each client said after it was answered so.
fn without_tls(listener: &TcpListener, heard: &Sender<Vec<u8>>) {
    for client in listener.incoming() {
        let mut client = client.unwrap();
        client.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut request = [0; 8];
        client.read_exact(&mut request).unwrap();
        assert_eq!(request, SSL_REQUEST);
        client.write_all(b"N").unwrap();
        let mut rest = Vec::new();
        let _ = client.read_to_end(&mut rest);
        if heard.send(rest).is_err() {
            return;
        }
    }
}

#[test]
fn a_server_elsewhere_that_refuses_tls_gets_no_byte_of_a_login() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (hears, heard) = mpsc::channel();
    thread::spawn(move || without_tls(&listener, &hears));
    let folder = tempfile::tempdir().unwrap();
    // It leads to this machine, but is no name that must.
    let url = format!("postgres://pbmserv:the-password@0.0.0.0:{port}/pbmserv");
    let setup = Setup::new(folder.path()).with("PBMSERV_STORE_URL", &url);
    let error = setup.does_not_start();
    assert!(error.contains("the server has no TLS"), "{error}");
    assert!(!error.contains("the-password"), "{error}");
    assert_eq!(
        heard.recv_timeout(PATIENCE).unwrap(),
        b"",
        "neither userid nor password"
    );
    assert!(heard.try_iter().all(|said| said.is_empty()));
}
