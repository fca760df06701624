//! Networks of IP addresses: by which clients are counted, and which clients are trusted.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The number of bits before an IPv4 address that is mapped into IPv6 (RFC 4291, 2.5.5.2).
const MAPPED: u32 = 96;

/// The addresses that share their first bits. An IPv4 network is kept as IPv4-mapped IPv6.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Network {
    /// The first address.
    first: u128,
    /// How many bits are shared, from 0 to 128.
    prefix: u32,
}

impl Network {
    fn new(address: IpAddr, prefix: u32) -> Self {
        Self {
            first: bits(address) & mask(prefix),
            prefix,
        }
    }

    /// One customer of a provider: an IPv4 address or an IPv6 /64.
    pub(super) fn of_customer(address: IpAddr) -> Self {
        Self::near(address, 32, 64)
    }

    /// What one customer easily gets: an IPv4 /24 or an IPv6 /48, which has 65536 networks of a customer.
    pub(super) fn around(address: IpAddr) -> Self {
        Self::near(address, 24, 48)
    }

    fn near(address: IpAddr, v4: u32, v6: u32) -> Self {
        match address.to_canonical() {
            IpAddr::V4(_) => Self::new(address, MAPPED + v4),
            IpAddr::V6(_) => Self::new(address, v6),
        }
    }

    fn contains(self, address: IpAddr) -> bool {
        bits(address) & mask(self.prefix) == self.first
    }
}

fn bits(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(v4) => v4.to_ipv6_mapped().to_bits(),
        IpAddr::V6(v6) => v6.to_bits(),
    }
}

fn mask(prefix: u32) -> u128 {
    u128::MAX.checked_shl(128 - prefix).unwrap_or(0)
}

impl FromStr for Network {
    type Err = BadNetwork;

    fn from_str(text: &str) -> Result<Self, BadNetwork> {
        let bad = || BadNetwork(text.to_owned());
        let (address, prefix) = match text.split_once('/') {
            Some((address, prefix)) => (address, Some(prefix.parse::<u32>().map_err(|_| bad())?)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_| bad())?;
        let before = if address.is_ipv4() { MAPPED } else { 0 };
        let prefix = prefix.map_or(Some(128), |prefix| prefix.checked_add(before));
        Ok(Self::new(
            address,
            prefix.filter(|&prefix| prefix <= 128).ok_or_else(bad)?,
        ))
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first = Ipv6Addr::from_bits(self.first);
        match first.to_ipv4_mapped() {
            Some(v4) if self.prefix >= MAPPED => write!(f, "{v4}/{}", self.prefix - MAPPED),
            _ => write!(f, "{first}/{}", self.prefix),
        }
    }
}

/// A text that is not a network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "\"{0}\" is not a network: write an address such as 192.0.2.25, or a network such as 192.0.2.0/24 or 2001:db8::/48"
)]
pub struct BadNetwork(String);

/// A list of networks, as configured.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
pub struct Networks(Vec<Network>);

impl Networks {
    /// This machine, and private networks (RFC 1918, 3927, 4193, 4291): a client there is a mail server before
    /// this one, or a container's gateway, and no sender's machine.
    pub(super) fn private() -> Self {
        let v4 = |octets: [u8; 4], prefix| Network::new(octets.into(), MAPPED + prefix);
        let v6 = |first: u16, prefix| Network::new([first, 0, 0, 0, 0, 0, 0, 0].into(), prefix);
        Self(vec![
            v4([127, 0, 0, 0], 8),
            v4([10, 0, 0, 0], 8),
            v4([172, 16, 0, 0], 12),
            v4([192, 168, 0, 0], 16),
            v4([169, 254, 0, 0], 16),
            Network::new(Ipv6Addr::LOCALHOST.into(), 128),
            v6(0xfc00, 7),
            v6(0xfe80, 10),
        ])
    }

    /// Whether the address is in one of them.
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(address))
    }
}

impl TryFrom<Vec<String>> for Networks {
    type Error = BadNetwork;

    fn try_from(texts: Vec<String>) -> Result<Self, BadNetwork> {
        texts
            .iter()
            .map(|text| text.parse())
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

impl From<Networks> for Vec<String> {
    fn from(networks: Networks) -> Self {
        networks.0.iter().map(Network::to_string).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    fn networks(texts: &[&str]) -> Networks {
        let texts: Vec<String> = texts.iter().map(|&text| text.to_owned()).collect();
        texts.try_into().unwrap()
    }

    #[test]
    fn a_network_contains_its_addresses_however_they_are_written() {
        let trusted = networks(&["192.0.2.0/24", "198.51.100.7", "2001:db8::/48"]);
        for inside in [
            "192.0.2.0",
            "192.0.2.255",
            "::ffff:192.0.2.9",
            "198.51.100.7",
            "2001:db8:0:9::1",
        ] {
            assert!(trusted.contains(ip(inside)), "{inside}");
        }
        for outside in ["192.0.3.0", "198.51.100.8", "2001:db8:1::1", "::1", "0.0.0.0"] {
            assert!(!trusted.contains(ip(outside)), "{outside}");
        }
        assert!(networks(&["0.0.0.0/0"]).contains(ip("203.0.113.1")));
        assert!(!networks(&["0.0.0.0/0"]).contains(ip("2001:db8::1")));
        assert!(networks(&["::/0"]).contains(ip("2001:db8::1")));
        assert!(!networks(&[]).contains(ip("127.0.0.1")));
    }

    #[test]
    fn this_machine_and_private_networks_are_written_as_documented() {
        let private = Networks::private();
        assert_eq!(
            Vec::from(private.clone()),
            [
                "127.0.0.0/8",
                "10.0.0.0/8",
                "172.16.0.0/12",
                "192.168.0.0/16",
                "169.254.0.0/16",
                "::1/128",
                "fc00::/7",
                "fe80::/10"
            ]
        );
        for near in [
            "127.9.9.9",
            "::ffff:127.0.0.1",
            "172.31.0.1",
            "fd12::1",
            "fe80::1",
        ] {
            assert!(private.contains(ip(near)), "{near}");
        }
        for far in ["128.0.0.1", "172.32.0.1", "192.0.2.1", "2001:db8::1", "::2"] {
            assert!(!private.contains(ip(far)), "{far}");
        }
    }

    #[test]
    fn a_client_is_counted_by_two_networks() {
        let counted = |text| (Network::of_customer(ip(text)), Network::around(ip(text)));
        let (customer, around) = counted("192.0.2.77");
        assert_eq!(
            (customer.to_string(), around.to_string()),
            ("192.0.2.77/32".into(), "192.0.2.0/24".into())
        );
        assert_eq!(counted("::ffff:192.0.2.77"), (customer, around));
        let (customer, around) = counted("2001:db8:7:8:9::1");
        assert_eq!(
            (customer.to_string(), around.to_string()),
            ("2001:db8:7:8::/64".into(), "2001:db8:7::/48".into())
        );
    }

    #[test]
    fn what_is_no_network_is_refused_with_an_example() {
        for text in [
            "",
            "192.0.2.0/33",
            "192.0.2/24",
            "2001:db8::/129",
            "example.org",
            "192.0.2.0/-1",
            "192.0.2.0/",
        ] {
            let error = text.parse::<Network>().unwrap_err().to_string();
            assert!(error.contains("192.0.2.0/24"), "{error}");
        }
    }

    proptest! {
        #[test]
        fn a_network_is_read_as_it_is_written(address: u128, prefix in 0_u32..=128) {
            let network = Network::new(Ipv6Addr::from_bits(address).into(), prefix);
            prop_assert_eq!(network.to_string().parse(), Ok(network));
            prop_assert!(network.contains(Ipv6Addr::from_bits(address).into()));
        }

        #[test]
        fn so_is_one_of_ipv4(address: u32, prefix in 0_u32..=32) {
            let address = IpAddr::V4(address.into());
            let network = Network::new(address, MAPPED + prefix);
            prop_assert_eq!(network.to_string().parse(), Ok(network));
            prop_assert!(network.contains(address));
        }
    }
}
