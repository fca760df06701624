//! What names a place: a mailbox, a mailbox with a token, the URL of a relay.

use pbmserv::login::Login;
use pbmserv::mail::Address;
use pbmserv::outbox::Relay;

/// Reads the bytes as each of them.
pub fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let text = text.trim_end_matches('\n');
    if let Ok(address) = Address::parse(text) {
        assert_eq!(address.as_str(), text);
        let key = Address::parse(&address.key()).expect("a key is an address");
        assert_eq!(key.key(), address.key());
        let own = Address::parse("pbmserv@games.example").expect("an address");
        assert!(!address.is_delivered_to(&own) || address.domain().eq_ignore_ascii_case(own.domain()));
        let _ = address.detail();
    }
    // With a password where the URL names no user, or without one where it does, nothing is set up for it.
    let password = (!text.contains('@')).then(|| Login::with_password("delivery", "secret of the relay"));
    if let Err(bad) = Relay::new(text, password) {
        let sentence = bad.to_string();
        assert!(
            !sentence.is_empty() && !sentence.contains("secret of"),
            "{sentence:?}"
        );
    }
}
