//! How times and sizes stand on the pages.

use chrono::{DateTime, Utc};

/// The longest text in a list, in characters.
const MAX_SHOWN: usize = 300;

/// A time in milliseconds since 1970: `2026-01-31 14:05`, in UTC.
pub(super) fn when(millis: i64) -> String {
    let at = DateTime::<Utc>::from_timestamp_millis(millis).unwrap_or_default();
    at.format("%Y-%m-%d %H:%M").to_string()
}

/// So many seconds: `3 hours`.
pub(super) fn span(seconds: i64) -> String {
    let seconds = seconds.max(0);
    let (number, unit) = match seconds {
        ..120 => (seconds, "second"),
        120..7200 => (seconds / 60, "minute"),
        7200..172_800 => (seconds / 3600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    let end = if number == 1 { "" } else { "s" };
    format!("{number} {unit}{end}")
}

/// So many bytes: `1.5 GiB`.
pub(super) fn size(bytes: i64) -> String {
    let mut shown = bytes as f64;
    for unit in ["bytes", "KiB", "MiB", "GiB"] {
        if shown < 1024.0 {
            let places = usize::from(unit != "bytes");
            return format!("{shown:.places$} {unit}");
        }
        shown /= 1024.0;
    }
    format!("{shown:.1} TiB")
}

/// The beginning of a text that may be long.
pub(super) fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

/// A text as a part of an address.
pub(super) fn in_address(text: &str) -> String {
    let shown = |byte: u8| match byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    text.bytes().map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_between_characters_and_addresses_have_no_other_sign() {
        assert_eq!(cut("short"), "short");
        assert_eq!(cut(&"é".repeat(301)), "é".repeat(300) + "...");
        assert_eq!(in_address("Pow2 101/é?"), "Pow2%20101%2F%C3%A9%3F");
    }

    #[test]
    fn times_and_sizes_have_the_unit_that_fits() {
        assert_eq!(when(0), "1970-01-01 00:00");
        assert_eq!(when(i64::MAX), "1970-01-01 00:00");
        for (seconds, shown) in [
            (-5, "0 seconds"),
            (1, "1 second"),
            (300, "5 minutes"),
            (3 * 3600, "3 hours"),
            (4 * 86_400, "4 days"),
        ] {
            assert_eq!(span(seconds), shown);
        }
        for (bytes, shown) in [
            (0, "0 bytes"),
            (1536, "1.5 KiB"),
            (3 << 30, "3.0 GiB"),
            (5 << 40, "5.0 TiB"),
        ] {
            assert_eq!(size(bytes), shown);
        }
    }
}
