//! Whether the DNS has what other mail servers look for before they take our mail.

use std::net::IpAddr;

use crate::config::Config;
use pbmserv_mail::Address;
use pbmserv_mail::authentication::{Asked, Found, Lookups, Spf};

use super::findings::{Findings, Subject};

/// An address that is nobody's (RFC 5737): a record that lets it send lets everybody send.
const NOBODY: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1));

/// The names of an address that are looked at.
const NAMES: usize = 5;

/// What is looked at.
struct Look<'a> {
    lookups: Lookups,
    findings: &'a mut Findings,
    address: &'a Address,
    domain: String,
}

/// Looks at the records of our domain; at those that depend on the address and the selector only if these are given.
pub(super) async fn check(
    config: &Config,
    ip: Option<IpAddr>,
    selector: Option<&str>,
    findings: &mut Findings,
) {
    let Some(address) = config.address() else {
        return;
    };
    let lookups = match Lookups::new(&config.auth.name_servers()) {
        Ok(lookups) => lookups,
        Err(error) => return findings.bad(Subject::Mx, format!("{error}: name one in auth.dns")),
    };
    let mut look = Look {
        lookups,
        findings,
        domain: address.domain().to_lowercase(),
        address: &address,
    };
    look.mx().await;
    match ip {
        Some(ip) => look.spf(ip.to_canonical()).await,
        None => look.left_out(Subject::Spf, "--ip ADDRESS, the one from which our mail leaves"),
    }
    match selector {
        Some(selector) => look.dkim(selector).await,
        None => look.left_out(
            Subject::Dkim,
            "--selector NAME, that of the key that signs our mail",
        ),
    }
    look.dmarc().await;
    match ip {
        Some(ip) => look.ptr(ip.to_canonical()).await,
        None => look.left_out(Subject::Ptr, "--ip ADDRESS, the one from which our mail leaves"),
    }
}

/// Whether senders can be verified.
pub(super) async fn senders(config: &Config, findings: &mut Findings) {
    let Some(address) = config.address().filter(|_| config.auth.verify) else {
        return;
    };
    match Lookups::new(&config.auth.name_servers()) {
        Err(error) => findings.stops(Subject::Senders, format!("{error}: name one in auth.dns")),
        Ok(lookups) => match lookups.mail_servers(address.domain()).await {
            Ok(_) => findings.good(Subject::Senders, "the name servers answer"),
            Err(why) => findings.bad(
                Subject::Senders,
                format!(
                    "the name servers do not answer ({why}), so only passwords and tokens count: do those in auth.dns or \
                     /etc/resolv.conf work?"
                ),
            ),
        },
    }
}

impl Look<'_> {
    fn left_out(&mut self, subject: Subject, flag: &str) {
        self.findings.advise(subject, format!("left out: say {flag}"));
    }

    /// What was found. A missing answer is reported, and is `None`.
    fn answered<T>(&mut self, subject: Subject, name: &str, found: Found<T>) -> Option<Option<T>> {
        match found {
            Ok(found) => Some(found),
            Err(why) => {
                let found = format!(
                    "the DNS does not answer about {name} ({why}): do the name servers in auth.dns or /etc/resolv.conf work?"
                );
                self.findings.bad(subject, found);
                None
            }
        }
    }

    async fn mx(&mut self) {
        let domain = self.domain.clone();
        let found = self.lookups.mail_servers(&domain).await;
        let Some(found) = self.answered(Subject::Mx, &domain, found) else {
            return;
        };
        let Some(hosts) = found else {
            return self.without_mx().await;
        };
        if hosts.iter().all(String::is_empty) {
            return self.findings.bad(
                Subject::Mx,
                format!("{domain} says that it takes no mail: replace its MX record by {domain}. MX 10 and the name of your server"),
            );
        }
        for host in &hosts {
            let found = self.lookups.addresses(host).await;
            match self.answered(Subject::Mx, host, found) {
                None => return,
                Some(Some(_)) => {}
                Some(None) => {
                    return self.findings.bad(
                        Subject::Mx,
                        format!("mail for {domain} goes to {host}, which has no address: publish an A or AAAA record of it"),
                    );
                }
            }
        }
        self.findings.good(
            Subject::Mx,
            format!("mail for {domain} goes to {}", hosts.join(", ")),
        );
    }

    async fn without_mx(&mut self) {
        let domain = self.domain.clone();
        let found = self.lookups.addresses(&domain).await;
        match self.answered(Subject::Mx, &domain, found) {
            None => {}
            Some(Some(_)) => self.findings.advise(
                Subject::Mx,
                format!("{domain} has no MX record, so mail goes to its address: publish {domain}. MX 10 and the name of your server"),
            ),
            Some(None) => self.findings.bad(
                Subject::Mx,
                format!(
                    "no server takes mail for {domain}, so no answer to a letter arrives: publish {domain}. MX 10 and the name of your \
                     server"
                ),
            ),
        }
    }

    async fn spf(&mut self, ip: IpAddr) {
        let domain = self.domain.clone();
        let mechanism = match ip {
            IpAddr::V4(_) => format!("ip4:{ip}"),
            IpAddr::V6(_) => format!("ip6:{ip}"),
        };
        let found = self.lookups.spf_records(&domain).await;
        let Some(records) = self.answered(Subject::Spf, &domain, found) else {
            return;
        };
        let records = records.unwrap_or_default();
        let (verdict, of_nobody) = (
            self.lookups.spf(ip, &domain, self.address.as_str()).await,
            self.lookups.spf(NOBODY, &domain, self.address.as_str()).await,
        );
        let fault = match verdict {
            _ if records.len() > 1 => format!(
                "{domain} has {} records, so none counts: make one of them",
                records.len()
            ),
            Spf::None => format!(
                "{domain} has no record: publish the TXT record \"v=spf1 {mechanism} -all\" at {domain}"
            ),
            Spf::Pass if of_nobody == Spf::Pass && ip != NOBODY => {
                format!(
                    "the record of {domain} lets everybody send: end it with -all, not with +all or a wide range"
                )
            }
            Spf::Pass => {
                return self
                    .findings
                    .good(Subject::Spf, format!("{domain} lets {ip} send its mail"));
            }
            Spf::Fail | Spf::SoftFail | Spf::Neutral => {
                format!(
                    "{domain} does not let {ip} send its mail: add {mechanism} to its record, before the last word"
                )
            }
            Spf::Wrong => format!(
                "the record of {domain} is wrong, or needs more than ten lookups: correct it, and name addresses instead of includes"
            ),
            Spf::Unknown => format!(
                "a name in the record of {domain} has no answer: remove it, or repair its name server"
            ),
        };
        self.findings.bad(Subject::Spf, fault);
    }

    async fn dkim(&mut self, selector: &str) {
        let name = format!("{selector}._domainkey.{}", self.domain);
        let found = self.lookups.has_key(&name).await;
        match self.answered(Subject::Dkim, &name, found) {
            None => {}
            Some(Some(true)) => self.findings.good(Subject::Dkim, format!("a key is published at {name}")),
            Some(Some(false)) => self.findings.bad(
                Subject::Dkim,
                format!("what is published at {name} is no key: copy the record whole from the program that signs"),
            ),
            Some(None) => self.findings.bad(
                Subject::Dkim,
                format!("no key is published at {name}: publish the TXT record that the program that signs gives for it"),
            ),
        }
    }

    /// The record may stand at a domain above ours (RFC 9989, section 4.10).
    async fn dmarc(&mut self) {
        let own = self.domain.clone();
        let above = own.match_indices('.').map(|(at, _)| &own[at + 1..]);
        for domain in std::iter::once(own.as_str())
            .chain(above)
            .filter(|name| name.contains('.'))
        {
            let found = self.lookups.policy(domain).await;
            match self.answered(Subject::Dmarc, domain, found) {
                None => return,
                Some(None) => {}
                Some(Some(Asked::Something)) => {
                    let found = format!("{domain} asks that mail which forges it is set aside or refused");
                    return self.findings.good(Subject::Dmarc, found);
                }
                Some(Some(Asked::Nothing)) => {
                    return self.findings.advise(
                        Subject::Dmarc,
                        format!(
                            "{domain} asks for nothing (p=none): when your mail passes everywhere, publish p=quarantine or p=reject at \
                             _dmarc.{domain}"
                        ),
                    );
                }
            }
        }
        self.findings.bad(
            Subject::Dmarc,
            format!("{own} has no record: publish the TXT record \"v=DMARC1; p=none\" at _dmarc.{own}"),
        );
    }

    async fn ptr(&mut self, ip: IpAddr) {
        let found = self.lookups.names(ip).await;
        let Some(names) = self.answered(Subject::Ptr, &ip.to_string(), found) else {
            return;
        };
        let names = names.unwrap_or_default();
        for name in names.iter().take(NAMES) {
            let found = self.lookups.addresses(name).await;
            match self.answered(Subject::Ptr, name, found) {
                None => return,
                Some(Some(addresses)) if addresses.contains(&ip) => {
                    let found = format!("{ip} is {name}, and {name} is {ip}");
                    return self.findings.good(Subject::Ptr, found);
                }
                Some(_) => {}
            }
        }
        let fault = match names.first() {
            None => format!(
                "{ip} has no name: have whoever provides the address publish that of the server, as a PTR record"
            ),
            Some(name) => format!(
                "{ip} is called {name}, which does not lead back to it: publish {name} with the address {ip}"
            ),
        };
        self.findings.bad(Subject::Ptr, fault);
    }
}
