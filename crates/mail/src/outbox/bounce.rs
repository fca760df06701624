//! The envelope sender of each mail. It identifies the mail in a bounce and cannot be forged.

use data_encoding::{BASE32_NOPAD, Encoding};

use crate::{Address, Key};

use super::Identity;

/// Domain separation: no other tag made with the same key is valid here.
const DOMAIN: &str = "bounce";

/// Bytes of the tag: 80 bits, exactly 16 letters in base32.
const TAG_BYTES: usize = 10;

/// The detail of a mail's envelope sender: `b`, the row number, a hyphen, the tag of the number.
pub(super) fn detail(key: &Key, id: i64) -> String {
    let number = number_bytes(id);
    let tag = key.tag(DOMAIN, &number);
    format!("b{}-{}", lower(&number), lower(&tag[..TAG_BYTES]))
}

/// The row number of such a detail, if the tag is valid. Case is ignored, since mail servers change it.
pub(super) fn read_detail(key: &Key, detail: &str) -> Option<i64> {
    let detail = detail.to_ascii_lowercase();
    let (number, tag) = detail.strip_prefix('b')?.split_once('-')?;
    let number = decode(number)?;
    let tag = decode(tag)?;
    if tag.len() != TAG_BYTES || !key.agrees(DOMAIN, &number, &tag) {
        return None;
    }
    let mut bytes = [0; 8];
    let start = bytes.len().checked_sub(number.len())?;
    bytes[start..].copy_from_slice(&number);
    Some(i64::from_be_bytes(bytes))
}

/// The number in big-endian order, without leading zero bytes.
fn number_bytes(id: i64) -> Vec<u8> {
    id.to_be_bytes()
        .into_iter()
        .skip_while(|byte| *byte == 0)
        .collect()
}

fn lower(bytes: &[u8]) -> String {
    BASE32_NOPAD.encode(bytes).to_ascii_lowercase()
}

fn decode(text: &str) -> Option<Vec<u8>> {
    // The tag has 16 letters and the longest number 13. Longer input is not decoded.
    const BASE32: Encoding = BASE32_NOPAD;
    (text.len() <= 16)
        .then(|| BASE32.decode(text.to_ascii_uppercase().as_bytes()).ok())
        .flatten()
}

impl Identity {
    /// The envelope sender of the mail with this row number: `pbmserv+bNUMBER-TAG@host`.
    #[must_use]
    pub fn envelope_sender(&self, id: i64) -> Address {
        self.address().with_detail(&detail(self.key(), id))
    }

    /// The row number of the mail that a message to this address is about, if the address is an envelope
    /// sender of ours.
    ///
    /// The tag is compared in constant time. Case is ignored.
    #[must_use]
    pub fn bounced(&self, recipient: &Address) -> Option<i64> {
        if !self.own().has(recipient) {
            return None;
        }
        read_detail(self.key(), recipient.detail()?)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn identity() -> Identity {
        let address = Address::parse("pbmserv@games.example").unwrap();
        Identity::new(address, "Games", Key::from_bytes([3; 32])).unwrap()
    }

    #[test]
    fn a_bounce_names_its_mail() {
        let identity = identity();
        for id in [0, 1, 255, 256, 1_000_000, i64::MAX, -1] {
            let sender = identity.envelope_sender(id);
            assert!(sender.local().len() <= 64, "{sender}");
            assert_eq!(Address::parse(sender.as_str()).as_ref(), Ok(&sender));
            assert_eq!(identity.bounced(&sender), Some(id));
            let shouted = Address::parse(&sender.as_str().to_ascii_uppercase()).unwrap();
            assert_eq!(identity.bounced(&shouted), Some(id));
        }
    }

    #[test]
    fn an_address_that_we_did_not_make_is_no_bounce() {
        let identity = identity();
        let sender = identity.envelope_sender(77);
        let (detail, other) = (sender.detail().unwrap(), identity.envelope_sender(78));
        let tag_of_78 = other.detail().unwrap().split_once('-').unwrap().1;
        let number = detail.split_once('-').unwrap().0;
        let parse = |text: &str| Address::parse(text).unwrap();
        for forged in [
            identity.address().clone(),
            identity.address().with_detail("b"),
            identity.address().with_detail("b-"),
            identity.address().with_detail(number),
            identity.address().with_detail(&format!("{number}-")),
            identity.address().with_detail(&format!("{number}-{tag_of_78}")),
            identity.address().with_detail(&detail[..detail.len() - 1]),
            identity.address().with_detail(&format!("{detail}a")),
            identity.address().with_detail(&format!("baa{}", &detail[1..])),
            parse(&format!("other+{detail}@games.example")),
            parse(&format!("pbmserv+{detail}@elsewhere.example")),
        ] {
            assert_eq!(identity.bounced(&forged), None, "{forged}");
        }
        let stranger = Identity::new(identity.address().clone(), "", Key::from_bytes([4; 32])).unwrap();
        assert_eq!(stranger.bounced(&sender), None);
    }

    proptest! {
        #[test]
        fn every_number_comes_back_and_no_changed_letter_passes(id: i64, at in 0usize..30, letter in "[a-z2-7]") {
            let identity = identity();
            let detail = detail(identity.key(), id);
            prop_assert_eq!(read_detail(identity.key(), &detail), Some(id));
            let at = at % detail.len();
            let mut changed = detail.clone();
            changed.replace_range(at..=at, &letter);
            if changed != detail {
                prop_assert_eq!(read_detail(identity.key(), &changed), None);
            }
        }

        #[test]
        fn junk_is_no_bounce(detail in "[!-~]{0,64}") {
            prop_assert_eq!(read_detail(identity().key(), &detail), None);
        }
    }
}
