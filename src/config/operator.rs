//! `[operator]`: the pages for the operator.

use std::net::SocketAddr;

use super::Operator;

impl Operator {
    /// What is wrong with `listen` and what to do; `None` if it is valid. No other machine reaches these pages, not even with their
    /// key: what comes over a network comes through ssh, which encrypts and asks who it is.
    pub(super) fn fault(&self) -> Option<&'static str> {
        let is_here = match self.listen.strip_prefix("unix:") {
            Some(path) => !path.is_empty(),
            None => self
                .listen
                .parse::<SocketAddr>()
                .is_ok_and(|place| place.ip().is_loopback()),
        };
        (!self.listen.is_empty() && !is_here).then_some(
            "is no place of this machine alone: name 127.0.0.1 or [::1] with a port, such as 127.0.0.1:2590, or unix: and a path",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_reaches_the_pages() {
        for (listen, is_fit) in [
            ("", true),
            ("127.0.0.1:2590", true),
            ("127.8.9.1:0", true),
            ("[::1]:2590", true),
            ("unix:/run/pbmserv/operator.sock", true),
            ("unix:", false),
            ("0.0.0.0:2590", false),
            ("[::]:2590", false),
            ("192.0.2.1:2590", false),
            ("[::ffff:192.0.2.1]:2590", false),
            ("localhost:2590", false),
            ("127.0.0.1", false),
            ("2590", false),
        ] {
            let listen = listen.to_owned();
            assert_eq!(
                Operator {
                    listen: listen.clone()
                }
                .fault()
                .is_none(),
                is_fit,
                "{listen}"
            );
        }
    }
}
