//! The results of the operator's mail server about the sender (`Authentication-Results`, RFC 8601).

use super::Address;

/// Whether the topmost value from our own mail server says that the visible sender passed DMARC.
///
/// Only values with our authserv-id count: anybody can add the field, and our mail server removes those that claim its
/// name. It may not know other spellings of that as its own, and leave them: so it counts in that of the RFC's examples
/// alone.
pub(super) fn dmarc_passed(results: &[String], authserv_id: &str, from: &Address) -> bool {
    let Some(own) = results.iter().find(|value| is_of(value, authserv_id)) else {
        return false;
    };
    let own = plain(own);
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

/// Whether a value begins with this id, alone or with the only version that there is. A comment may follow it.
fn is_of(value: &str, authserv_id: &str) -> bool {
    let value = value.trim_start();
    let begins = value
        .get(..authserv_id.len())
        .is_some_and(|id| id.eq_ignore_ascii_case(authserv_id));
    let head = before_results(value);
    let mut words = head.split_whitespace();
    let is_id = words
        .next()
        .is_some_and(|id| id.eq_ignore_ascii_case(authserv_id));
    begins && is_id && words.next().is_none_or(|version| version == "1") && words.next().is_none()
}

/// What stands before the first semicolon, with a blank in the place of each comment.
fn before_results(value: &str) -> String {
    let mut depth = 0_usize;
    let mut is_escaped = false;
    let mut kept = String::new();
    for c in value.chars() {
        match c {
            _ if std::mem::take(&mut is_escaped) => {}
            '\\' if depth > 0 => is_escaped = true,
            '(' => {
                depth += 1;
                kept.push(' ');
            }
            ')' if depth > 0 => depth -= 1,
            ';' if depth == 0 => break,
            c if depth == 0 => kept.push(c),
            _ => {}
        }
    }
    kept
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
        for own in [
            "mx.host.example (amavisd-new; 2.13) ; dmarc=pass header.from=b.example",
            " mx.host.example (a (b;) \\) c) 1; dmarc=pass header.from=b.example",
        ] {
            assert!(passed(&[own]), "{own}");
        }
        // The server in front may leave these, as it does not know its name in them.
        for odd in [
            "\"mx.host.example\"; dmarc=pass header.from=b.example",
            "\"\"mx.host.example; dmarc=pass header.from=b.example",
            "mx.host.example\"\"; dmarc=pass header.from=b.example",
            "mx.host.example \"\"; dmarc=pass header.from=b.example",
            "mx.host.example \"1\"; dmarc=pass header.from=b.example",
            "mx.host.example 2; dmarc=pass header.from=b.example",
            "mx.host.example 1 1; dmarc=pass header.from=b.example",
            "mx.host.example 01; dmarc=pass header.from=b.example",
            "mx.host.example/1; dmarc=pass header.from=b.example",
            "mx.host.example x; dmarc=pass header.from=b.example",
            "(x) mx.host.example; dmarc=pass header.from=b.example",
            "mx.host(x).example; dmarc=pass header.from=b.example",
            "mx.host.\\example; dmarc=pass header.from=b.example",
            "mx.host.example.; dmarc=pass header.from=b.example",
            "; mx.host.example; dmarc=pass header.from=b.example",
        ] {
            assert!(!passed(&[odd]), "{odd}");
            assert!(
                passed(&[odd, pass]),
                "it is nobody's, so the next one counts: {odd}"
            );
        }
        for bad in [
            "",
            "other.example; dmarc=pass header.from=b.example",
            "mx.host.example; dmarc=pass",
            "mx.host.example; dmarc=pass header.from=c.example",
            "mx.host.example; spf=pass (dmarc=pass header.from=b.example)",
            "mx.host.example; none",
            "mx.host.example (; dmarc=pass header.from=b.example",
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
