//! SASL mechanisms (RFC 4422) that send a token.

use data_encoding::BASE64;

use super::secret::Secret;

/// A SASL mechanism for tokens. The client speaks first; a server that refuses says why in a challenge, which the client must
/// answer to hear the refusal itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mechanism {
    Xoauth2,
    Oauthbearer,
}

impl Mechanism {
    /// The registered name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Xoauth2 => "XOAUTH2",
            Self::Oauthbearer => "OAUTHBEARER",
        }
    }

    /// The client's message, in base64.
    pub(crate) fn message(self, user: &str, token: &Secret, host: &str, port: u16) -> String {
        let token = token.expose();
        let words = match self {
            Self::Xoauth2 => format!("user={user}\x01auth=Bearer {token}\x01\x01"),
            Self::Oauthbearer => {
                // The name in a GS2 header (RFC 5801, section 4).
                let user = user.replace('=', "=3D").replace(',', "=2C");
                format!("n,a={user},\x01host={host}\x01port={port}\x01auth=Bearer {token}\x01\x01")
            }
        };
        BASE64.encode(words.as_bytes())
    }

    /// The answer to the challenge in which the server refuses (RFC 7628, section 3.2.3), in base64.
    pub(crate) const fn answer_to_refusal(self) -> &'static str {
        match self {
            Self::Xoauth2 => "",
            Self::Oauthbearer => "AQ==",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_messages_are_those_of_their_specifications() {
        let token = Secret::of("vF9dft4qmTc2Nvb3RlckBhdHRhdmlzdGEuY29tCg==".to_owned());
        // The example of Google's page, and that of RFC 7628, section 4.1.
        assert_eq!(
            Mechanism::Xoauth2.message(
                "someuser@example.com",
                &Secret::of("ya29.vF9dft4qmTc2Nvb3RlckBhdHRhdmlzdGEuY29tCg".to_owned()),
                "",
                0
            ),
            "dXNlcj1zb21ldXNlckBleGFtcGxlLmNvbQFhdXRoPUJlYXJlciB5YTI5LnZGOWRmdDRxbVRjMk52YjNSbGNrQmhkSFJoZG1semRHRXVZMjl0Q2cBAQ=="
        );
        assert_eq!(
            Mechanism::Oauthbearer.message("user@example.com", &token, "server.example.com", 143),
            "bixhPXVzZXJAZXhhbXBsZS5jb20sAWhvc3Q9c2VydmVyLmV4YW1wbGUuY29tAXBvcnQ9MTQzAWF1dGg9QmVhcmVyIHZGOWRmdDRxbVRjMk52YjNSbGNrQmhkSFJoZG1semRHRXVZMjl0Q2c9PQEB"
        );
        let quoted = Mechanism::Oauthbearer.message("a,b=c", &token, "h", 1);
        let quoted = String::from_utf8(BASE64.decode(quoted.as_bytes()).unwrap()).unwrap();
        assert!(quoted.starts_with("n,a=a=2Cb=3Dc,\x01host=h\x01port=1\x01"));
    }
}
