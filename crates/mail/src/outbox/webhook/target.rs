//! The web address that a notice goes to.

use url::{Host, Url};

const MAX_CHARS: usize = 300;

/// In which form a notice is posted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WebhookForm {
    /// Its line alone, with the link in `Click`: ntfy shows a body as it comes.
    Text,
    /// An object: programs that take webhooks expect one.
    Json,
}

/// A web address to which notices can be posted: HTTPS on its own port, at a host with a name.
#[derive(Clone, PartialEq, Eq)]
pub struct Webhook {
    pub(super) url: Url,
    /// The form for its host, unless another is asked for.
    pub form: WebhookForm,
}

impl std::fmt::Debug for Webhook {
    /// Without the path: whoever knows it can post there.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Webhook")
            .field("host", &self.host())
            .finish_non_exhaustive()
    }
}

/// Why notices cannot be posted to an address, as a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadWebhook {
    /// It is none, or not one of HTTPS.
    #[error("A web address for notices begins with https://.")]
    NotHttps,
    /// It has more than 300 characters.
    #[error("A web address for notices has at most {MAX_CHARS} characters.")]
    Long,
    /// It names a port.
    #[error("A web address for notices has no port: only the usual one, 443, is used.")]
    Port,
    /// It holds a userid or a password.
    #[error("A web address for notices holds no userid and no password.")]
    Login,
    /// Its host is a number, or a name of this network.
    #[error("A web address for notices has the full name of a host, such as ntfy.sh.")]
    Host,
}

impl Webhook {
    /// Parses an address.
    ///
    /// # Errors
    /// Nothing may be posted there.
    pub fn parse(text: &str) -> Result<Self, BadWebhook> {
        if text.chars().count() > MAX_CHARS {
            return Err(BadWebhook::Long);
        }
        let mut url = Url::parse(text).map_err(|_| BadWebhook::NotHttps)?;
        url.set_fragment(None);
        if url.scheme() != "https" {
            return Err(BadWebhook::NotHttps);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(BadWebhook::Login);
        }
        if url.port().is_some() {
            return Err(BadWebhook::Port);
        }
        let Some(Host::Domain(host)) = url.host() else {
            return Err(BadWebhook::Host);
        };
        if !host.contains('.') || host.ends_with('.') {
            return Err(BadWebhook::Host);
        }
        // Nobody names another program so.
        let form = match host.split('.').any(|label| label.contains("ntfy")) {
            true => WebhookForm::Text,
            false => WebhookForm::Json,
        };
        Ok(Self { url, form })
    }

    /// The name of its host, which is no secret.
    #[must_use]
    pub fn host(&self) -> &str {
        self.url.host_str().unwrap_or_default()
    }

    /// The address, as it is stored.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.url.as_str()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_https_at_a_named_host() {
        let form = |text: &str| Webhook::parse(text).map(|webhook| webhook.form);
        assert_eq!(form("https://ntfy.sh/my-topic"), Ok(WebhookForm::Text));
        assert_eq!(form("https://ntfy.example.org:443/a"), Ok(WebhookForm::Text));
        assert_eq!(form("https://hooks.example.org/a?b=c#d"), Ok(WebhookForm::Json));
        for (text, expected) in [
            ("ntfy.sh/a", BadWebhook::NotHttps),
            ("http://ntfy.sh/a", BadWebhook::NotHttps),
            ("file:///etc/passwd", BadWebhook::NotHttps),
            ("https://", BadWebhook::NotHttps),
            ("https://ntfy.sh:8443/a", BadWebhook::Port),
            ("https://a:b@ntfy.sh/a", BadWebhook::Login),
            ("https://a@ntfy.sh/a", BadWebhook::Login),
            ("https://127.0.0.1/a", BadWebhook::Host),
            ("https://2130706433/a", BadWebhook::Host),
            ("https://0x7f.1/a", BadWebhook::Host),
            ("https://[::1]/a", BadWebhook::Host),
            ("https://1.1.1.1/a", BadWebhook::Host),
            ("https://localhost/a", BadWebhook::Host),
            ("https://localhost./a", BadWebhook::Host),
        ] {
            assert_eq!(form(text), Err(expected), "{text}");
        }
        assert_eq!(
            form(&format!("https://ntfy.sh/{}", "a".repeat(300))),
            Err(BadWebhook::Long)
        );
    }

    #[test]
    fn its_path_is_not_shown() {
        let webhook = Webhook::parse("https://ntfy.sh/secret-topic").unwrap();
        assert!(!format!("{webhook:?}").contains("secret"));
    }
}
