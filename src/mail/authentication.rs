//! The results of the operator's mail server about the sender (`Authentication-Results`, RFC 8601).

use super::Address;

/// Whether the topmost value from our own mail server says that the visible sender passed DMARC.
///
/// Only values with our authserv-id count: anybody can add the field, and our mail server removes those that claim its
/// name.
pub(super) fn dmarc_passed(results: &[String], authserv_id: &str, from: &Address) -> bool {
    let own = results.iter().map(|value| plain(value)).find(|value| {
        let id = value.split([';', ' ']).find(|word| !word.is_empty());
        id.is_some_and(|id| id.eq_ignore_ascii_case(authserv_id))
    });
    let Some(own) = own else {
        return false;
    };
    let mut results = own.split(';').skip(1).filter_map(|result| {
        let mut words = result.split_whitespace();
        let (method, verdict) = words.next()?.split_once('=')?;
        // A version may follow the method.
        let method = method.split('/').next().unwrap_or_default();
        method.eq_ignore_ascii_case("dmarc").then(|| {
            let names_it = words.any(|word| {
                word.split_once('=').is_some_and(|(name, domain)| {
                    name.eq_ignore_ascii_case("header.from") && from.is_in(domain)
                })
            });
            verdict.eq_ignore_ascii_case("pass") && names_it
        })
    });
    // Normally there is exactly one DMARC result; if there are more, all must pass.
    results.next() == Some(true) && results.all(|passes| passes)
}

/// The value without comments in (nested) parentheses and without blanks around `=`. Of quoted strings only characters
/// of a domain remain: the sender chooses such strings, and a `;` in one must not begin a result.
fn plain(value: &str) -> String {
    let mut depth = 0_usize;
    let (mut is_quoted, mut is_escaped) = (false, false);
    let mut kept = String::with_capacity(value.len());
    for c in value.chars() {
        if std::mem::take(&mut is_escaped) {
            continue;
        }
        match c {
            '\\' if depth > 0 || is_quoted => is_escaped = true,
            '"' if depth == 0 => is_quoted = !is_quoted,
            '(' if !is_quoted => depth += 1,
            ')' if !is_quoted => depth = depth.saturating_sub(1),
            c if is_quoted => kept.extend(Some(c).filter(|c| c.is_ascii_alphanumeric() || ".-".contains(*c))),
            c if depth == 0 => kept.push(c),
            _ => {}
        }
    }
    kept.replace(" =", "=").replace("= ", "=")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passed(values: &[&str]) -> bool {
        let values: Vec<String> = values.iter().map(|&value| value.to_owned()).collect();
        dmarc_passed(
            &values,
            "mx.host.example",
            &Address::parse("bob@b.example").unwrap(),
        )
    }

    #[test]
    fn only_our_own_topmost_word_counts() {
        let pass = "mx.host.example 1; spf=fail; dmarc=pass (p=none; x) header.from=B.example";
        let fail = "MX.host.example; dmarc=fail header.from=b.example";
        assert!(passed(&[pass]));
        assert!(passed(&["other.example; dmarc=fail header.from=b.example", pass]));
        assert!(!passed(&[fail, pass]));
        assert!(passed(&[
            "mx.host.example; dmarc/1=pass header.from=\"b.example\""
        ]));
        for bad in [
            "",
            "other.example; dmarc=pass header.from=b.example",
            "mx.host.example; dmarc=pass",
            "mx.host.example; dmarc=pass header.from=c.example",
            "mx.host.example; spf=pass (dmarc=pass header.from=b.example)",
            "mx.host.example; none",
            "mx.host.example; dmarc=pass header.from=b.example; dmarc=fail header.from=b.example",
            "mx.host.example; dmarc=fail header.from=b.example; dmarc=pass header.from=b.example",
            "mx.host.example; spf=pass smtp.mailfrom=\"x; dmarc=pass header.from=b.example \"@c.example",
            "mx.host.example; spf=pass (x \\) ; dmarc=pass header.from=b.example ); dmarc=none",
            "mx.host.example; dmarc=pass (header.from=b.example)",
            "mx.host.example.c.example; dmarc=pass header.from=b.example",
        ] {
            assert!(!passed(&[bad]), "{bad}");
        }
    }
}
