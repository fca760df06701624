//! Progress of long work on the operator's terminal: one line on standard error, after a second, cleared at the end.
//!
//! Nothing is written if standard error is no terminal, or one that cannot move its cursor (`TERM=dumb`). Lines of the log
//! go through [`StdErr`], which takes the line of progress away while they are written.

mod terminal;

use std::borrow::Cow;
use std::io::{self, Write};
use std::sync::LazyLock;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use tokio::sync::watch;

use pbmserv_core::store::Copying;

/// What takes less shows nothing.
const AFTER: Duration = Duration::from_secs(1);

/// How often the line moves, so that one sees that the work goes on.
const TICK: Duration = Duration::from_millis(200);

/// Without a total. The characters are US-ASCII, for any locale.
const UNKNOWN: &str = "{spinner} {msg} ({elapsed})";

/// With a total.
const KNOWN: &str = "{spinner} {msg} [{bar:24}] {percent}% ({eta} left)";

/// All lines of progress: there is one terminal.
static LINES: LazyLock<MultiProgress> =
    LazyLock::new(|| MultiProgress::with_draw_target(terminal::of_standard_error()));

/// Where a verb that copies the database says how far it is.
pub type CopyReporter = watch::Sender<Option<Copying>>;

/// The line of one piece of work. It ends when this is dropped.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    showing: Option<Showing>,
}

/// The thread that shows the line after a while, unless the work has ended.
#[derive(Debug)]
struct Showing {
    ended: Sender<()>,
    thread: JoinHandle<()>,
}

impl Progress {
    /// Begins work whose total is not known (yet). `what` says in a few words what is done: "copying the database".
    #[must_use]
    pub fn begin(what: impl Into<Cow<'static, str>>) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        bar.set_style(style(UNKNOWN));
        bar.set_message(what);
        let showing = Showing::begin(&bar);
        Self { bar, showing }
    }

    /// Another part of the work begins, its total not known (yet).
    pub fn say(&self, what: impl Into<Cow<'static, str>>) {
        self.bar.set_style(style(UNKNOWN));
        self.bar.unset_length();
        self.bar.reset();
        self.bar.set_message(what);
    }

    /// A copy of the database is at this.
    pub fn copying(&self, at: Copying) {
        match at {
            Copying::Pages { done, total } => self.at(done, total),
            Copying::Check => self.say("checking the copy"),
        }
    }

    /// So much of the total is done. A total of 0 is not known.
    pub fn at(&self, done: u64, total: u64) {
        if self.showing.is_none() || total == 0 {
            return;
        }
        if self.bar.length() != Some(total) {
            self.bar.set_style(style(KNOWN));
            self.bar.set_length(total);
        }
        self.bar.set_position(done);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        let Some(Showing { ended, thread }) = self.showing.take() else {
            return;
        };
        drop(ended);
        // It ends at once, and cannot have failed: it only draws.
        drop(thread.join());
        self.bar.finish_and_clear();
        LINES.remove(&self.bar);
    }
}

impl Showing {
    fn begin(bar: &ProgressBar) -> Option<Self> {
        if LINES.is_hidden() {
            return None;
        }
        let bar = bar.clone();
        let (ended, end) = mpsc::channel();
        let show = move || {
            if end.recv_timeout(AFTER) == Err(RecvTimeoutError::Timeout) {
                LINES.add(bar.clone());
                bar.enable_steady_tick(TICK);
            }
        };
        let thread = thread::Builder::new().name("progress".to_owned()).spawn(show);
        // Without a thread the work is done all the same.
        thread.ok().map(|thread| Self { ended, thread })
    }
}

/// Standard error for lines of text, such as those of the log, that do not mix with a line of progress.
#[derive(Clone, Copy, Debug, Default)]
pub struct StdErr;

impl Write for StdErr {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        LINES.suspend(|| io::stderr().write(bytes))
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        LINES.suspend(|| io::stderr().write_all(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

/// Clears all lines and does what ends the process: nothing is drawn meanwhile.
pub(super) fn clear_and(end: impl FnOnce()) {
    LINES.suspend(end);
}

fn style(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner());
    style.tick_chars("|/-\\ ").progress_chars("=> ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_templates_are_ones() {
        for template in [UNKNOWN, KNOWN] {
            assert!(ProgressStyle::with_template(template).is_ok(), "{template}");
        }
    }

    #[test]
    fn a_total_may_be_known_later_and_change() {
        let bar = ProgressBar::hidden();
        let (ended, _end) = mpsc::channel();
        let thread = thread::spawn(|| {});
        let showing = Some(Showing { ended, thread });
        let progress = Progress { bar, showing };
        progress.at(1, 0);
        assert_eq!(progress.bar.length(), None);
        progress.at(3, 10);
        assert_eq!((progress.bar.position(), progress.bar.length()), (3, Some(10)));
        progress.at(4, 20);
        assert_eq!((progress.bar.position(), progress.bar.length()), (4, Some(20)));
        progress.say("another part");
        assert_eq!((progress.bar.position(), progress.bar.length()), (0, None));
    }
}
