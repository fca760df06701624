//! Any text as words that another player reads: no token behind it stays.

use std::sync::LazyLock;

use pbmserv_mail::{Address, OwnAddresses, without_secrets};

static OWN: LazyLock<OwnAddresses> = LazyLock::new(|| {
    Address::parse("pbmserv@games.example")
        .expect("an address")
        .into()
});

const TAG: &str = "mfzwizdfmzsgk3lqn5xgk4tfmy";

/// Masks the text alone, and with a private link behind it.
pub fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let _ = without_secrets(text, &OWN);
    let shown = without_secrets(&format!("{text}\nhttps://games.example/k/kae-{TAG}/board"), &OWN);
    assert!(!shown.contains(TAG));
}
