//! `[web]`: the pages for players.

use url::Url;

use super::Web;
use super::http::is_place;

impl Web {
    /// The pages on this machine, for a server without a configuration.
    #[must_use]
    pub(super) fn here() -> Self {
        Self {
            listen: "127.0.0.1:2580".into(),
            ..Self::default()
        }
    }

    /// Where browsers find the pages, with a slash at the end; `None` without pages.
    #[must_use]
    pub fn base(&self) -> Option<Url> {
        if self.listen.is_empty() {
            return None;
        }
        let text = match (self.url.as_str(), self.listen.starts_with("unix:")) {
            ("", true) => return None,
            ("", false) => format!("http://{}/", self.listen),
            (url, _) => url.to_owned(),
        };
        let mut url = Url::parse(&text).ok()?;
        if !url.path().ends_with('/') {
            url.set_path(&format!("{}/", url.path()));
        }
        let is_fit = matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && url.query().is_none()
            && url.fragment().is_none()
            && url.username().is_empty()
            && is_plain(url.path());
        is_fit.then_some(url)
    }

    /// The key that is wrong, what is wrong with it, and what to do; `None` if all are valid.
    pub(super) fn fault(&self) -> Option<(&'static str, &'static str)> {
        if self.listen.is_empty() {
            return None;
        }
        if !is_place(&self.listen) {
            return Some((
                "web.listen",
                "is no place: name an address and a port, such as 127.0.0.1:2580, or unix: and a path",
            ));
        }
        self.base().is_none().then_some((
            "web.url",
            "is no address of pages: name where browsers find them, such as https://example.org/games/",
        ))
    }
}

/// Whether a path can be the beginning of all paths: no character of it has a meaning for the router.
fn is_plain(path: &str) -> bool {
    path.bytes()
        .all(|c| c.is_ascii_alphanumeric() || b"/-._~".contains(&c))
}
