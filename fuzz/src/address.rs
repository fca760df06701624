//! What names a place: a mailbox in any script, a mailbox with a token, the URL of a relay; and a text that is cut.

use pbmserv_mail::login::Login;
use pbmserv_mail::outbox::Relay;
use pbmserv_mail::{Address, cut};

/// Reads the bytes as each of them.
pub fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let text = text.trim_end_matches('\n');
    for most in [0, 1, 7, 40] {
        let (kept, bytes) = (cut::chars(text, most), cut::bytes(text, most));
        assert!(text.starts_with(kept) && kept.chars().count() <= most);
        assert!(text.starts_with(bytes) && bytes.len() <= most);
    }
    if let Ok(address) = Address::parse(text) {
        assert_eq!(Address::parse(address.as_str()).as_ref(), Ok(&address));
        assert!(!text.is_ascii() || address.as_str() == text);
        assert!(address.as_str().len() <= Address::LONGEST);
        assert!(address.ascii_domain().is_ascii());
        let wire = address.on_the_wire();
        assert!(wire.len() <= Address::LONGEST && wire.is_ascii() != address.needs_utf8());
        assert!(
            !address
                .as_str()
                .contains(|c: char| c.is_control() || c.is_whitespace())
        );
        // What is sent is the same mailbox.
        let sent = Address::parse(&wire).expect("what is sent is an address");
        assert_eq!(sent.key(), address.key());
        // Lower case may be longer.
        if let Ok(key) = Address::parse(&address.key()) {
            assert_eq!(key.key(), address.key());
        } else {
            assert!(!address.local().is_ascii(), "a key in ASCII is an address");
        }
        let own = Address::parse("pbmserv@games.example").expect("an address");
        assert!(!address.is_delivered_to(&own) || address.ascii_domain() == own.ascii_domain());
        let _ = (address.detail(), address.limit_key());
        let shown = address.with_scripts();
        assert!(
            shown.contains(address.as_str())
                && shown.matches('\u{2068}').count() == shown.matches('\u{2069}').count()
        );
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
