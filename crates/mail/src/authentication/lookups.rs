//! What the DNS says of a mail server, for its operator.

use std::net::{IpAddr, SocketAddr};

use data_encoding::BASE64;
use mail_auth::common::cache::NoCache;
use mail_auth::common::verify::DomainKey;
use mail_auth::dmarc::{Dmarc, Policy};
use mail_auth::hickory_resolver::proto::rr::{Name, RData};
use mail_auth::spf::verify::SpfParameters;
use mail_auth::{DnsError, Error, IpLookupStrategy, MessageAuthenticator, SpfResult};

use super::resolver::{NoResolver, resolver};

/// An answer, `None` if there is no such record, or why there is no answer, in words.
pub type Found<T> = Result<Option<T>, String>;

/// The addresses of a host that are looked at.
const ADDRESSES: usize = 20;

/// What SPF says of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spf {
    /// It may send for the domain.
    Pass,
    /// It may not, and its mail is to be refused (`-all`).
    Fail,
    /// It may not, but its mail is only suspicious (`~all`).
    SoftFail,
    /// The record says nothing about it.
    Neutral,
    /// There is no record.
    None,
    /// The record is wrong, or asks for more than ten lookups.
    Wrong,
    /// No answer.
    Unknown,
}

/// What a DMARC record asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// Nothing is done with mail that fails (`p=none`).
    Nothing,
    /// It is refused or set aside.
    Something,
}

/// Asks name servers.
pub struct Lookups(MessageAuthenticator);

impl std::fmt::Debug for Lookups {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lookups").finish_non_exhaustive()
    }
}

impl Lookups {
    /// Asks these name servers; with none of them those of `/etc/resolv.conf`.
    ///
    /// # Errors
    /// [`NoResolver`].
    pub fn new(servers: &[SocketAddr]) -> Result<Self, NoResolver> {
        Ok(Self(MessageAuthenticator(resolver(servers)?)))
    }

    /// The mail servers of a domain, the preferred ones first. A single empty name: it takes no mail (RFC 7505).
    ///
    /// # Errors
    /// See [`Found`].
    pub async fn mail_servers(&self, domain: &str) -> Found<Vec<String>> {
        let found = self.0.mx_lookup(domain, no_cache()).await;
        let names = |found: mail_auth::RecordSet<mail_auth::MX>| {
            let all = found.rrset.iter().flat_map(|mx| mx.exchanges.iter());
            all.map(|name| bare(name)).collect()
        };
        answer(found.map(names))
    }

    /// The addresses of a host.
    ///
    /// # Errors
    /// See [`Found`].
    pub async fn addresses(&self, host: &str) -> Found<Vec<IpAddr>> {
        let mut all = Vec::new();
        for strategy in [IpLookupStrategy::Ipv4Only, IpLookupStrategy::Ipv6Only] {
            let found = self
                .0
                .ip_lookup(host, strategy, ADDRESSES, no_cache(), no_cache());
            all.extend(answer(found.await)?.unwrap_or_default());
        }
        Ok((!all.is_empty()).then_some(all))
    }

    /// The names of an address (PTR).
    ///
    /// # Errors
    /// See [`Found`].
    pub async fn names(&self, address: IpAddr) -> Found<Vec<String>> {
        let found = self.0.ptr_lookup(address, no_cache()).await;
        answer(found.map(|found| found.rrset.iter().map(|name| bare(name)).collect()))
    }

    /// The SPF records of a domain: there must not be two.
    ///
    /// # Errors
    /// See [`Found`].
    pub async fn spf_records(&self, domain: &str) -> Found<Vec<String>> {
        let is_spf = |text: &String| text == "v=spf1" || text.starts_with("v=spf1 ");
        let all = self.texts(domain).await?;
        let all = all.map(|all| all.into_iter().filter(is_spf).collect::<Vec<_>>());
        Ok(all.filter(|all| !all.is_empty()))
    }

    async fn texts(&self, name: &str) -> Found<Vec<String>> {
        let Ok(name) = Name::from_ascii(format!("{}.", name.trim_end_matches('.'))) else {
            return Ok(None);
        };
        let found = self.0.resolver().txt_lookup(name).await.map_err(Error::from);
        answer(found.map(|found| {
            let texts = found.answers().iter().filter_map(|record| match &record.data {
                RData::TXT(text) => Some(text.txt_data.concat()),
                _ => None,
            });
            texts
                .map(|text| String::from_utf8_lossy(&text).into_owned())
                .collect()
        }))
    }

    /// What SPF says of mail from this address that a client with this name brings.
    pub async fn spf(&self, client: IpAddr, helo: &str, sender: &str) -> Spf {
        let asked = SpfParameters::verify_mail_from(client, helo, helo, sender);
        match self.0.verify_spf(asked).await.result() {
            SpfResult::Pass => Spf::Pass,
            SpfResult::Fail => Spf::Fail,
            SpfResult::SoftFail => Spf::SoftFail,
            SpfResult::Neutral => Spf::Neutral,
            SpfResult::None => Spf::None,
            SpfResult::PermError => Spf::Wrong,
            SpfResult::TempError => Spf::Unknown,
        }
    }

    /// Whether a key for DKIM is published under this name, such as `s1._domainkey.example.org`. `Some(false)`: what is there is
    /// no key.
    ///
    /// # Errors
    /// See [`Found`].
    pub async fn has_key(&self, name: &str) -> Found<bool> {
        let Some(texts) = self.texts(name).await? else {
            return Ok(None);
        };
        let found = self.0.txt_lookup::<DomainKey>(name, no_cache()).await;
        let is_whole = texts.first().is_some_and(|text| has_whole_key(text));
        is_there(found.map(|_| is_whole))
    }

    /// What the DMARC record of a domain asks for.
    ///
    /// # Errors
    /// See [`Found`].
    pub async fn policy(&self, domain: &str) -> Found<Asked> {
        let found = self
            .0
            .txt_lookup::<Dmarc>(format!("_dmarc.{domain}"), no_cache())
            .await;
        match found {
            Err(Error::Dns(DnsError::InvalidRecordType) | Error::ParseError) => Ok(None),
            found => answer(found.map(|record| match record.p {
                Policy::None | Policy::Unspecified => Asked::Nothing,
                Policy::Quarantine | Policy::Reject => Asked::Something,
            })),
        }
    }
}

const fn no_cache<K: 'static, V: 'static>() -> Option<&'static NoCache<K, V>> {
    None
}

fn bare(name: &str) -> String {
    name.trim_end_matches('.').to_owned()
}

/// Whether the value `p=` of a record can be a key: 32 bytes for Ed25519, or the DER of an RSA key of 1024 bits or more
/// (RFC 8301, section 3.2). `mail-auth` reads it only when it verifies a signature.
fn has_whole_key(record: &str) -> bool {
    let tag = |name: &str| {
        let tags = record.split(';').filter_map(|tag| tag.split_once('='));
        let mut named = tags.filter(|(known, _)| known.trim() == name);
        named
            .next()
            .map(|(_, value)| value.split_whitespace().collect::<String>())
    };
    let key = tag("p")
        .and_then(|key| BASE64.decode(key.as_bytes()).ok())
        .unwrap_or_default();
    match tag("k").as_deref() {
        Some("ed25519") => key.len() == 32,
        _ => key.first() == Some(&0x30) && key.len() > 128,
    }
}

/// A record that is there but cannot be read is `Some(false)`.
fn is_there(found: mail_auth::Result<bool>) -> Found<bool> {
    match found {
        Err(error)
            if !matches!(
                error,
                Error::Dns(DnsError::Resolver(_) | DnsError::RecordNotFound(_))
            ) =>
        {
            Ok(Some(false))
        }
        found => answer(found),
    }
}

fn answer<T>(found: mail_auth::Result<T>) -> Found<T> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(Error::Dns(DnsError::RecordNotFound(_))) => Ok(None),
        Err(error) => Err(error.to_string()),
    }
}
