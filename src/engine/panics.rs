//! Logs panics: the location, and the message only if it is a literal in the source.
//!
//! A formatted message may quote its input. A slice that cuts a character in two quotes the whole text, and
//! that text may contain a password.

use std::any::Any;
use std::panic::{self, PanicHookInfo};

/// The message of a panic, if it is a literal.
#[must_use]
pub fn words(payload: &(dyn Any + Send)) -> &'static str {
    words_of(payload)
}

fn words_of(payload: &dyn Any) -> &'static str {
    let literal = payload.downcast_ref::<&'static str>().copied();
    literal.unwrap_or("its words may quote a mail")
}

/// Installs a hook for all threads that logs panics instead of printing them.
pub fn log() {
    panic::set_hook(Box::new(|info: &PanicHookInfo<'_>| {
        let words = words_of(info.payload());
        let place = info.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(place, "a panic: {words}");
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_message_is_logged_only_if_it_is_a_literal() {
        let caught = |panics: fn(&str)| panic::catch_unwind(|| panics("s\u{e4}cret1")).unwrap_err();
        let quoted = caught(|text| assert!(text[..2].is_empty()));
        assert_eq!(words(quoted.as_ref()), "its words may quote a mail");
        let literal = caught(|_| panic!("a table is empty"));
        assert_eq!(words(literal.as_ref()), "a table is empty");
    }
}
