//! Senders that this server verifies itself (`[auth] verify`): real signatures, real records, and a name server that is slow,
//! broken or lies. A forged `From` is never taken for authenticated, and nobody who proves himself waits for the DNS.

mod forged;
mod played;
mod trouble;
mod unlocked;

use std::net::IpAddr;
use std::sync::Arc;

use mail_auth::common::crypto::{Ed25519Key, RsaKey, Sha256};
use mail_auth::common::headers::HeaderWriter;
use mail_auth::dkim::DkimSigner;
use pbmserv_mail::Address;
use pbmserv_mail::authentication::{Claim, Verdict, Verifier};
use tokio_rustls::rustls::pki_types::PrivateKeyDer;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;

use crate::dns::Dns;

/// A key of 2048 bits.
const RSA: &str = include_str!("../../daemon/dkim.key");

const ALICE: &str = "alice@home.example";

/// A mail of Alice.
const MAIL: &str = "From: Alice <alice@home.example>\r\n\
                    To: pbmserv@games.example\r\n\
                    Subject: help\r\n\
                    Message-ID: <1@home.example>\r\n\
                    \r\n\
                    Hello.\r\n";

/// A key of Ed25519, the same at each call.
fn ed25519() -> Ed25519Key {
    // RFC 8032, section 7.1, test 1.
    let seed = data_encoding::HEXLOWER
        .decode(b"9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
        .unwrap();
    let public = data_encoding::HEXLOWER
        .decode(b"d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
        .unwrap();
    Ed25519Key::from_seed_and_public_key(&seed, &public).unwrap()
}

fn rsa() -> RsaKey<Sha256> {
    RsaKey::from_key_der(PrivateKeyDer::from_pem_slice(RSA.as_bytes()).unwrap()).unwrap()
}

fn base64(bytes: &[u8]) -> String {
    data_encoding::BASE64.encode(bytes)
}

/// The record of that key.
fn ed25519_record() -> String {
    format!("v=DKIM1; k=ed25519; p={}", base64(&ed25519().public_key()))
}

/// A mail with a signature of this domain on top.
fn signed(domain: &str, mail: &str) -> String {
    signed_by(domain, mail, |signer| signer)
}

type Signer = DkimSigner<Ed25519Key, mail_auth::dkim::Done>;

/// The same with changes to the signature.
fn signed_by(domain: &str, mail: &str, change: impl FnOnce(Signer) -> Signer) -> String {
    let signer = DkimSigner::from_key(ed25519())
        .domain(domain)
        .selector("ed")
        .headers(["From", "To", "Subject", "Message-ID"]);
    let signature = change(signer).sign(mail.as_bytes()).unwrap();
    format!("{}{mail}", signature.to_header())
}

/// A name server that publishes the key and the policy of Alice's domain, and that mail of it comes from 192.0.2.1.
fn home() -> Dns {
    let dns = Dns::open();
    dns.text("ed._domainkey.home.example", &ed25519_record())
        .text("_dmarc.home.example", "v=DMARC1; p=reject")
        .text("home.example", "v=spf1 ip4:192.0.2.1 -all");
    dns
}

/// What is found out about a mail that claims to be Alice's.
struct Asked<'a> {
    mail: &'a str,
    sender: Option<&'a str>,
    client: Option<&'a str>,
    from: &'a str,
}

impl<'a> Asked<'a> {
    /// A mail that came through another server, as from a mailbox.
    const fn of(mail: &'a str) -> Self {
        Self {
            mail,
            sender: Some(ALICE),
            client: None,
            from: ALICE,
        }
    }

    /// The same from this client.
    const fn by_client(self, client: &'a str) -> Self {
        Self {
            client: Some(client),
            ..self
        }
    }

    const fn sent_by(self, sender: &'a str) -> Self {
        Self {
            sender: Some(sender),
            ..self
        }
    }

    async fn by(&self, verifier: &Verifier) -> Verdict {
        let client: Option<IpAddr> = self.client.map(|client| client.parse().unwrap());
        let claim = Claim {
            from: Address::parse(self.from).unwrap(),
            sender: self.sender.map(|sender| Address::parse(sender).unwrap()),
            client,
            realm: self.client.unwrap_or_default().to_owned(),
            is_known: false,
            bytes: Arc::from(self.mail.as_bytes()),
        };
        verifier.verify(claim).await
    }

    /// By a verifier that has asked nothing before.
    async fn at(&self, dns: &Dns) -> Verdict {
        self.by(&verifier(dns)).await
    }
}

fn verifier(dns: &Dns) -> Verifier {
    Verifier::new(&[dns.address]).unwrap()
}
