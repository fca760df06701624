//! What is told of a panic: where it was, and its words only if they stand in the source.
//!
//! A message made at run time may quote what it met: that of a text cut within a character quotes the text,
//! and with it a password.

use std::any::Any;
use std::panic::{self, PanicHookInfo};

/// The words of a panic that stand in the source; others may quote a mail.
#[must_use]
pub fn words(payload: &(dyn Any + Send)) -> &'static str {
    words_of(payload)
}

fn words_of(payload: &dyn Any) -> &'static str {
    let literal = payload.downcast_ref::<&'static str>().copied();
    literal.unwrap_or("its words may quote a mail")
}

/// From now on a panic is logged, not printed, in all threads.
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
    fn the_words_of_a_panic_are_told_only_if_they_stand_in_the_source() {
        let caught = |panics: fn(&str)| panic::catch_unwind(|| panics("s\u{e4}cret1")).unwrap_err();
        let quoted = caught(|text| assert!(text[..2].is_empty()));
        assert_eq!(words(quoted.as_ref()), "its words may quote a mail");
        let literal = caught(|_| panic!("a table is empty"));
        assert_eq!(words(literal.as_ref()), "a table is empty");
    }
}
