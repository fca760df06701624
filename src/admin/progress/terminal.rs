//! The terminal to which progress is drawn.

use std::io;

use console::{Term, is_dumb};
use indicatif::{ProgressDrawTarget, TermLike};

/// How often a second a line is drawn at most.
const HERTZ: u8 = 10;

/// Columns that stay free at the right, for the `^C` that the terminal echoes: it would begin another line.
const ECHO: u16 = 3;

/// Standard error, if it is a terminal that can move its cursor; otherwise nothing is drawn.
pub(super) fn of_standard_error() -> ProgressDrawTarget {
    let term = Term::buffered_stderr();
    if term.is_term() && !is_dumb() {
        ProgressDrawTarget::term_like_with_hz(Box::new(Terminal(term)), HERTZ)
    } else {
        ProgressDrawTarget::hidden()
    }
}

/// A terminal whose errors nobody sees: one that was closed must not stop the work, and indicatif panics on some.
#[derive(Debug)]
struct Terminal(Term);

#[expect(clippy::unnecessary_wraps, reason = "what `TermLike` asks for")]
fn seen_or_not(written: io::Result<()>) -> io::Result<()> {
    drop(written);
    Ok(())
}

impl TermLike for Terminal {
    fn width(&self) -> u16 {
        self.0.size().1.saturating_sub(ECHO).max(1)
    }

    fn height(&self) -> u16 {
        self.0.size().0
    }

    fn move_cursor_up(&self, lines: usize) -> io::Result<()> {
        seen_or_not(self.0.move_cursor_up(lines))
    }

    fn move_cursor_down(&self, lines: usize) -> io::Result<()> {
        seen_or_not(self.0.move_cursor_down(lines))
    }

    fn move_cursor_right(&self, columns: usize) -> io::Result<()> {
        seen_or_not(self.0.move_cursor_right(columns))
    }

    fn move_cursor_left(&self, columns: usize) -> io::Result<()> {
        seen_or_not(self.0.move_cursor_left(columns))
    }

    fn write_line(&self, text: &str) -> io::Result<()> {
        seen_or_not(self.0.write_line(text))
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        seen_or_not(self.0.write_str(text))
    }

    fn clear_line(&self) -> io::Result<()> {
        seen_or_not(self.0.clear_line())
    }

    fn flush(&self) -> io::Result<()> {
        seen_or_not(self.0.flush())
    }
}
