//! The style sheet of all pages.

use std::sync::LazyLock;

use sha2::{Digest, Sha256};

/// The style sheet.
pub(crate) const STYLE: &str = include_str!("../../templates/web/style.css");

/// The version of the style sheet, in its address.
pub(super) static STYLE_VERSION: LazyLock<String> = LazyLock::new(|| version(STYLE));

/// A short digest of a style sheet.
pub(crate) fn version(sheet: &str) -> String {
    let digest: [u8; 32] = Sha256::digest(sheet).into();
    data_encoding::HEXLOWER.encode(&digest[..6])
}
