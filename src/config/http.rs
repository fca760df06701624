//! `[http]`: the pages for monitoring.

use super::Http;

impl Http {
    /// What is wrong with `listen` and what to do; `None` if it is valid.
    pub(super) fn fault(&self) -> Option<&'static str> {
        (!self.listen.is_empty() && !is_place(&self.listen))
            .then_some("is no place: name an address and a port, such as 127.0.0.1:9225, or unix: and a path")
    }
}

/// Whether something can listen there: at an address and a port, or at `unix:` and a path.
pub(super) fn is_place(place: &str) -> bool {
    match place.strip_prefix("unix:") {
        Some(path) => !path.is_empty(),
        None => place
            .rsplit_once(':')
            .is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok()),
    }
}
