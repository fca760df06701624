//! The style sheet of all pages.

use std::sync::LazyLock;

use sha2::{Digest, Sha256};

/// The style sheet.
pub(super) const STYLE: &str = include_str!("../../templates/web/style.css");

/// The version of the style sheet, in its address.
pub(super) static STYLE_VERSION: LazyLock<String> = LazyLock::new(|| {
    let digest: [u8; 32] = Sha256::digest(STYLE).into();
    data_encoding::HEXLOWER.encode(&digest[..6])
});
