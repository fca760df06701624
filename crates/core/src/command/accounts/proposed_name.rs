//! Names that are proposed to newcomers: two words that say nothing about their address.

use sha2::{Digest as _, Sha256};

use crate::command::{Context, InternalError};
use pbmserv_mail::Address;

#[rustfmt::skip]
const FIRST: [&str; 40] = [
    "amber", "autumn", "blue", "brave", "bright", "calm", "clever", "copper", "coral", "early", "evening", "fair", "gentle", "golden",
    "green", "happy", "hazel", "honest", "ivory", "keen", "kind", "late", "light", "lucky", "merry", "misty", "noble", "patient",
    "plain", "quiet", "red", "silver", "slow", "snowy", "sunny", "swift", "tidy", "warm", "wild", "winter",
];

#[rustfmt::skip]
const SECOND: [&str; 40] = [
    "badger", "beaver", "bison", "crane", "curlew", "deer", "dove", "eagle", "falcon", "finch", "fox", "hare", "hawk", "heron",
    "ibis", "jay", "kestrel", "kite", "lark", "linnet", "lynx", "magpie", "marten", "merlin", "mole", "moose", "newt", "otter",
    "owl", "plover", "quail", "raven", "robin", "rook", "seal", "snipe", "stork", "swan", "tern", "wren",
];

/// How many names are looked at before a longer number is taken.
const TRIES: u8 = 20;

/// A name that nobody has now, such as `quiet-heron` or `quiet-heron-27`.
pub(crate) fn proposed_name(context: &Context<'_>, address: &Address) -> Result<String, InternalError> {
    let mut digest = Sha256::new();
    digest.update(address.key());
    digest.update(context.now.timestamp_millis().to_be_bytes());
    let mut name = String::new();
    for round in 0..TRIES {
        let hash = digest.clone().chain_update([round]).finalize();
        let pick = |words: &[&'static str; 40], byte: u8| words[usize::from(byte) % words.len()];
        name = format!("{}-{}", pick(&FIRST, hash[0]), pick(&SECOND, hash[1]));
        // Rarely needed: there are 1,600 of two words alone.
        if round > 2 {
            name.push_str(&format!("-{}", u16::from_be_bytes([hash[2], hash[3]]) % 10_000));
        }
        if context.store.player(&name)?.is_none() {
            break;
        }
    }
    Ok(name)
}
