//! STARTTLS (RFC 3207): offered with a certificate; nothing said in plain text survives it.

use std::path::{Path, PathBuf};

use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use super::*;

/// Files in this folder. `host.crt` is a self-signed certificate of `host.example`, valid until 2199;
/// `host.key` is its key, `other.key` is not.
fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("src/doors/smtp/tests")
        .join(name)
}

fn certificate() -> Tls {
    Tls::load(&file("host.crt"), &file("host.key")).unwrap()
}

async fn server() -> Server {
    let server = Server::start(Settings::default()).await;
    server.tls.send_replace(Some(certificate()));
    server
}

/// The client's side of the handshake, which trusts only that certificate.
async fn encrypt(plain: Stream) -> std::io::Result<Client> {
    let mut roots = RootCertStore::empty();
    let own = CertificateDer::from_pem_file(file("host.crt")).unwrap();
    roots.add(own).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from("host.example").unwrap();
    let shaken = TlsConnector::from(Arc::new(config)).connect(name, plain);
    let stream = timeout(PATIENCE, shaken).await.expect("the handshake hangs")?;
    Ok(Client::over(Box::new(stream)))
}

/// A client that has said EHLO and STARTTLS.
async fn encrypted(server: &Server) -> Client {
    let mut client = server.client().await;
    client.expect("STARTTLS", "220 ").await;
    encrypt(client.stream).await.unwrap()
}

#[tokio::test]
async fn a_message_is_taken_under_encryption() {
    let server = server().await;
    let mut client = server.connect().await;
    client.reply().await;
    assert_eq!(
        client.ask("EHLO me.example").await,
        "250-host.example\r\n250-PIPELINING\r\n250-SIZE 1048576\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n250-STARTTLS\r\n250 ENHANCEDSTATUSCODES"
    );
    client.expect("STARTTLS", "220 2.0.0").await;
    let mut client = encrypt(client.stream).await.unwrap();
    let offered = client.ask("EHLO me.example").await;
    assert!(
        offered.contains("250-SIZE") && !offered.contains("STARTTLS"),
        "{offered}"
    );
    client.expect("STARTTLS", "502 5.5.1").await;
    let text: String = (0..5000).map(|n| format!("line {n} of many\r\n")).collect();
    client.begin().await;
    client.say(&text).await;
    client.expect(".", "250 2.0.0 Accepted, number 1").await;
    client.begin().await;
    client.expect(".", "250 2.0.0 Accepted, number 2").await;
    assert_eq!(client.ask("QUIT").await, "221 2.0.0 Goodbye");
    assert_eq!(client.rest().await, "");
    assert_eq!(
        server.intake.seen()[0],
        format!("alice@example.org>pbmserv@host.example:{text}")
    );
}

#[tokio::test]
async fn what_was_said_in_plain_text_is_forgotten() {
    let server = server().await;
    let mut client = server.client().await;
    client.expect("MAIL FROM:<a@b>", "250 ").await;
    client.expect("RCPT TO:<pbmserv@host.example>", "250 ").await;
    client.expect("STARTTLS", "220 ").await;
    let mut client = encrypt(client.stream).await.unwrap();
    client.expect("DATA", "503 5.5.1 Say MAIL").await;
    client.expect("MAIL FROM:<a@b>", "503 5.5.1 Say EHLO").await;
    client.expect("EHLO me", "250-").await;
    client
        .expect("RCPT TO:<pbmserv@host.example>", "503 5.5.1 Say MAIL")
        .await;
    client.begin().await;
    client.expect(".", "250 2.0.0").await;
}

#[tokio::test]
async fn plain_text_right_behind_the_command_ends_the_session() {
    let server = server().await;
    let mut client = server.client().await;
    client
        .say("NOOP\r\nSTARTTLS\r\nEHLO evil\r\nMAIL FROM:<a@b>\r\nRCPT TO:<pbmserv@host.example>\r\nDATA\r\n")
        .await;
    let heard = client.rest().await;
    assert_eq!(
        heard,
        "250 2.0.0 Yes\r\n501 5.5.1 Nothing may follow STARTTLS before its answer, closing the connection\r\n"
    );
    // One byte is as bad as a whole command.
    let mut client = server.client().await;
    client.say("STARTTLS\r\nR").await;
    assert!(client.rest().await.starts_with("501 5.5.1"));
    assert!(server.intake.seen().is_empty());
}

#[tokio::test]
async fn plain_text_after_the_answer_is_no_handshake() {
    let server = server().await;
    let mut client = server.client().await;
    client.expect("STARTTLS", "220 ").await;
    client
        .say("MAIL FROM:<a@b>\r\nRCPT TO:<pbmserv@host.example>\r\nDATA\r\n.\r\n")
        .await;
    let mut heard = Vec::new();
    // The answer is an alert or a connection reset.
    drop(
        timeout(PATIENCE, client.stream.read_to_end(&mut heard))
            .await
            .unwrap(),
    );
    assert!(!heard.windows(3).any(|three| three == b"250"), "{heard:?}");
    assert!(server.intake.seen().is_empty());
}

#[tokio::test]
async fn the_command_takes_no_parameter() {
    let server = server().await;
    let mut client = server.client().await;
    let reply = client.ask("STARTTLS now").await;
    assert!(reply.starts_with('5'), "{reply}");
    client.expect("NOOP", "250 ").await;
}

#[tokio::test]
async fn an_unfinished_handshake_has_no_more_time_than_silence() {
    let settings = Settings {
        silence_seconds: 1,
        ..Settings::default()
    };
    let server = Server::start(settings).await;
    server.tls.send_replace(Some(certificate()));
    let mut client = server.client().await;
    client.expect("STARTTLS", "220 ").await;
    // The first bytes of a handshake that stalls.
    client.say([0x16, 3, 1, 2, 0]).await;
    let mut heard = Vec::new();
    drop(
        timeout(PATIENCE, client.stream.read_to_end(&mut heard))
            .await
            .expect("it stays open"),
    );
}

#[tokio::test]
async fn a_stop_ends_encrypted_sessions_with_a_word_and_handshakes_without() {
    let server = server().await;
    let mut idle = encrypted(&server).await;
    let mut shaking = server.client().await;
    shaking.expect("STARTTLS", "220 ").await;
    server.stop.send(true).unwrap();
    assert!(idle.rest().await.starts_with("421 4.3.2"));
    assert_eq!(shaking.rest().await, "");
    timeout(PATIENCE, server.task).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_new_certificate_holds_for_new_sessions() {
    let server = Server::start(Settings::default()).await;
    let mut before = server.client().await;
    server.tls.send_replace(Some(certificate()));
    before.expect("STARTTLS", "502 ").await;
    let mut after = encrypted(&server).await;
    after.expect("NOOP", "250 ").await;
}

#[test]
fn files_that_cannot_be_used_are_named_with_the_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let (certificate, key) = (file("host.crt"), file("host.key"));
    let empty = write("empty.pem", "");
    let cut = write("cut.pem", "-----BEGIN CERTIFICATE-----\nMIIB\n");
    let junk = write(
        "junk.pem",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n",
    );
    let other = file("other.key");
    let nowhere = folder.path().join("nowhere.pem");
    let locked = "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIB\n-----END ENCRYPTED PRIVATE KEY-----\n";
    let locked = write("locked.pem", locked);
    for (chain, secret, file, why, remedy) in [
        (&nowhere, &key, &nowhere, "No such file", "certificate"),
        (
            &empty,
            &key,
            &empty,
            "holds no certificate",
            "intermediate certificates",
        ),
        (
            &key,
            &key,
            &key,
            "holds no certificate",
            "intermediate certificates",
        ),
        (&cut, &key, &cut, "is not a PEM file", "intermediate certificates"),
        (&junk, &key, &junk, "invalid", "intermediate certificates"),
        (&certificate, &nowhere, &nowhere, "No such file", "private key"),
        (
            &certificate,
            &certificate,
            &certificate,
            "holds no private key",
            "private key",
        ),
        (
            &certificate,
            &locked,
            &locked,
            "holds no private key",
            "without a passphrase",
        ),
        (
            &certificate,
            &other,
            &other,
            "is not the key of",
            "belong together",
        ),
    ] {
        let error = Tls::load(chain, secret).unwrap_err().to_string();
        let file = file.display().to_string();
        assert!(
            error.starts_with("smtp.")
                && error.contains(&file)
                && error.contains(why)
                && error.contains(remedy),
            "{error}"
        );
        assert!(!error.contains("MIGHAgEA") && !error.contains('\n'), "{error}");
    }
}
