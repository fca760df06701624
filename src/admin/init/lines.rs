//! The configuration of the mail server: the lines of the pages in `deploy/`, with this server's values.
//!
//! `tests/peers/` plays by mail with the same lines.

use std::fmt::Write as _;

use crate::config::Config;
use pbmserv_mail::{Address, OwnAddresses};

use super::Mta;

const POSTFIX: &str = include_str!("../../../deploy/postfix.md");
const EXIM: &str = include_str!("../../../deploy/exim.md");
const OPENSMTPD: &str = include_str!("../../../deploy/opensmtpd.md");

/// The place of each block's lines. A block has a name and a variant, in which `*` is `lmtp-unix` or `lmtp-tcp`.
type Belongs = [(&'static str, &'static str)];

const FOLDER: (&str, &str) = (
    "tmpfiles.d *",
    "/etc/tmpfiles.d/pbmserv.conf, then systemd-tmpfiles --create",
);

const IN_POSTFIX: &Belongs = &[
    FOLDER,
    ("transport *", "/etc/postfix/pbmserv"),
    ("master.cf *", "/etc/postfix/master.cf, at its end"),
    ("main.cf", "/etc/postfix/main.cf"),
    (
        "main.cf own-domain",
        "/etc/postfix/main.cf too, if the domain is there for the games alone",
    ),
    (
        "main.cf shared-domain",
        "/etc/postfix/main.cf instead, if people of this machine have mailboxes in the domain",
    ),
];

const IN_EXIM: &Belongs = &[
    FOLDER,
    ("exim.main", "/etc/exim4/conf.d/main/50_pbmserv"),
    ("exim.router *", "/etc/exim4/conf.d/router/150_pbmserv"),
    ("exim.transport *", "/etc/exim4/conf.d/transport/30_pbmserv"),
];

const IN_OPENSMTPD: &Belongs = &[FOLDER, ("smtpd.conf *", "/etc/smtpd.conf")];

/// For mail to each of the addresses.
pub(super) fn of(mta: Mta, own: &OwnAddresses, config: &Config, account: &str) -> String {
    let (page, belongs, name, after) = match mta {
        Mta::Postfix => (POSTFIX, IN_POSTFIX, "postfix", "Then postfix reload."),
        Mta::Exim => (
            EXIM,
            IN_EXIM,
            "exim",
            "Each domain must be Exim's (dc_other_hostnames). Then update-exim4.conf, and restart Exim.",
        ),
        Mta::Opensmtpd => (OPENSMTPD, IN_OPENSMTPD, "opensmtpd", "Then restart OpenSMTPD."),
        Mta::Mailbox => {
            return "Nothing else is needed but an empty mailbox (deploy/mailbox.md): what lies in it is answered.\n"
                .to_owned();
        }
        Mta::None if config.smtp.listen.is_empty() => {
            return "No mail server needs to be configured.\n".to_owned();
        }
        Mta::None => {
            return format!(
                "No mail server needs to be configured: pbmserv receives mail for {} by SMTP at {}.\n",
                own.present(),
                config.smtp.listen
            );
        }
    };
    let places = places(own, &config.lmtp.listen, account);
    let way = if config.lmtp.listen.starts_with("unix:") {
        "lmtp-unix"
    } else {
        "lmtp-tcp"
    };
    let mut out = format!("The lines for the mail server (deploy/{name}.md says why):\n");
    for (block, place) in belongs {
        let Some(lines) = block_of(page, &block.replace('*', way)) else {
            continue;
        };
        let _ = write!(out, "\nInto {place}:\n\n");
        if block.starts_with("transport ") {
            // A table, with a line for each address.
            for address in own.all() {
                let address = ("pbmserv@games.example.org", address.to_string());
                out.push_str(&filled(lines, &[&places[..], &[address]].concat()));
            }
        } else {
            out.push_str(&filled(lines, &places));
        }
    }
    if mta == Mta::Postfix && domains(own).len() > 1 {
        out.push_str("\nIf only one of the domains has mailboxes of people, take both, without that domain in relay_domains.\n");
    }
    out + "\n" + after + "\n"
}

/// The lines of the block of this name and variant.
fn block_of<'page>(page: &'page str, block: &str) -> Option<&'page str> {
    let (_, from) = page.split_once(&format!("```{block}\n"))?;
    from.split_once("```").map(|(lines, _)| lines)
}

/// Each example value of the pages, and what replaces it.
fn places(own: &OwnAddresses, listen: &str, account: &str) -> Vec<(&'static str, String)> {
    let address = own.present();
    let domains = domains(own);
    let locals = unique(own.all().map(Address::local));
    let accounts: Vec<_> = own
        .all()
        .map(|address| format!("\"{address}\" = {account}"))
        .collect();
    let quoted: Vec<_> = domains.iter().map(|domain| format!("\"{domain}\"")).collect();
    let quoted = match quoted.as_slice() {
        [one] => one.clone(),
        several => format!("{{ {} }}", several.join(", ")),
    };
    let socket = listen.strip_prefix("unix:").unwrap_or("/run/pbmserv/lmtp.sock");
    let folder = socket.rsplit_once('/').map_or("/", |(folder, _)| folder);
    let (host, port) = listen.rsplit_once(':').unwrap_or(("127.0.0.1", "2424"));
    let host = host.trim_start_matches('[').trim_end_matches(']');
    vec![
        ("pbmserv@games.example.org", address.to_string()),
        ("games.example.org", address.domain().to_owned()),
        // For Postfix.
        (
            "relay_domains = games.example.org",
            format!("relay_domains = {}", domains.join(", ")),
        ),
        // For Exim.
        (
            "domains = games.example.org",
            format!("domains = {}", domains.join(" : ")),
        ),
        (
            "local_parts = pbmserv",
            format!("local_parts = {}", locals.join(" : ")),
        ),
        // For OpenSMTPD.
        ("\"pbmserv@games.example.org\" = pbmserv", accounts.join(", ")),
        ("for domain \"games.example.org\"", format!("for domain {quoted}")),
        ("/run/pbmserv/lmtp.sock", socket.to_owned()),
        ("/run/pbmserv 2750 pbmserv", format!("{folder} 2750 {account}")),
        ("inet:[127.0.0.1]:2424", format!("inet:[{host}]:{port}")),
        ("127.0.0.1:2424", format!("{host}:{port}")),
        ("route_list = * 127.0.0.1", format!("route_list = * {host}")),
        ("port = 2424", format!("port = {port}")),
    ]
}

/// The domains of the addresses, each once.
fn domains(own: &OwnAddresses) -> Vec<String> {
    unique(own.all().map(Address::domain))
}

fn unique<'own>(parts: impl Iterator<Item = &'own str>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for part in parts {
        if !found.iter().any(|known| known.eq_ignore_ascii_case(part)) {
            found.push(part.to_owned());
        }
    }
    found
}

/// Replaces all examples in one pass, the longest first, so that no replacement is itself replaced.
fn filled(text: &str, places: &[(&'static str, String)]) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let found = places
            .iter()
            .filter(|(example, _)| rest.starts_with(example))
            .max_by_key(|(example, _)| example.len());
        let taken = match found {
            Some((example, value)) => {
                filled.push_str(value);
                example.len()
            }
            None => {
                filled.push(first);
                first.len_utf8()
            }
        };
        rest = rest.get(taken..).unwrap_or_default();
    }
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(mta: Mta, listen: &str) -> String {
        lines_of(mta, listen, &[])
    }

    fn lines_of(mta: Mta, listen: &str, former: &[&str]) -> String {
        let mut config = Config::default();
        config.lmtp.listen = listen.to_owned();
        let address = |text: &str| Address::parse(text).unwrap();
        let former = former.iter().map(|text| address(text)).collect();
        let own = OwnAddresses::new(address("play@chess.example"), former);
        of(mta, &own, &config, "games")
    }

    #[test]
    fn every_way_of_every_page_has_its_lines_and_no_example_is_left() {
        for mta in [Mta::Postfix, Mta::Exim, Mta::Opensmtpd] {
            for (listen, is_socket) in [("unix:/run/games/mail.sock", true), ("127.0.0.1:4242", false)] {
                let text = lines(mta, listen);
                for example in ["example.org", "/run/pbmserv", "2424", "pbmserv@"] {
                    assert!(!text.contains(example), "{mta:?} {listen}: {example}:\n{text}");
                }
                assert_eq!(text.contains("/run/games/mail.sock"), is_socket, "{text}");
                assert_eq!(text.contains("4242"), !is_socket, "{text}");
                assert!(text.contains("chess.example"), "{text}");
            }
        }
    }

    #[test]
    fn the_lines_for_postfix_are_those_of_the_page() {
        let text = lines(Mta::Postfix, "unix:/run/games/lmtp.sock");
        for line in [
            "d /run/games 2750 games postfix",
            "play@chess.example  pbmserv-lmtp:unix:/run/games/lmtp.sock",
            "pbmserv-lmtp unix - - n - - lmtp",
            "relay_domains = chess.example",
            "transport_maps = texthash:/etc/postfix/pbmserv",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}:\n{text}");
        }
    }

    #[test]
    fn former_addresses_are_routed_as_the_present_one() {
        let former = ["pbmserv@old.example", "play@old.example", "play@CHESS.example"];
        for (mta, expected) in [
            (
                Mta::Postfix,
                &[
                    "play@chess.example  pbmserv-lmtp:unix:/run/games/lmtp.sock",
                    "pbmserv@old.example  pbmserv-lmtp:unix:/run/games/lmtp.sock",
                    "play@old.example  pbmserv-lmtp:unix:/run/games/lmtp.sock",
                    "relay_domains = chess.example, old.example",
                ][..],
            ),
            (
                Mta::Exim,
                &[
                    "  domains = chess.example : old.example",
                    "  local_parts = play : pbmserv",
                ],
            ),
            (
                Mta::Opensmtpd,
                &["match from any for domain { \"chess.example\", \"old.example\" } action \"pbmserv\""],
            ),
        ] {
            let text = lines_of(mta, "unix:/run/games/lmtp.sock", &former);
            for line in expected {
                assert!(text.lines().any(|found| found == *line), "{line}:\n{text}");
            }
            assert!(!text.contains("example.org"), "{text}");
        }
        let text = lines_of(Mta::Opensmtpd, "127.0.0.1:4242", &former[..1]);
        let accounts = "virtual { \"play@chess.example\" = games, \"pbmserv@old.example\" = games }";
        assert!(text.contains(accounts), "{text}");
    }
}
