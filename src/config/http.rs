//! `[http]`: the pages for a monitoring.

use serde::{Deserialize, Serialize};

/// The pages for a monitoring: `/healthz` and `/metrics`.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Http {
    /// Where they are served, `127.0.0.1:9225` or `unix:/run/pbmserv/http.sock`; empty: nowhere.
    pub listen: String,
}

impl Http {
    /// What is wrong with `listen` as it is written, with the remedy; `None` if it names a place.
    pub(super) fn fault(&self) -> Option<&'static str> {
        let place = self.listen.as_str();
        let is_place = match place.strip_prefix("unix:") {
            Some(path) => !path.is_empty(),
            None => place
                .rsplit_once(':')
                .is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok()),
        };
        (!place.is_empty() && !is_place)
            .then_some("is no place: name an address and a port, such as 127.0.0.1:9225, or unix: and a path")
    }
}
