//! What a check has found, a line each.

use std::fmt::Write as _;

use crate::admin::Answer;

/// What was found, a line each.
#[derive(Debug, Default)]
pub(super) struct Findings {
    pub(super) lines: String,
    pub(super) faults: usize,
}

impl Findings {
    pub(super) fn good(&mut self, what: &str, found: impl std::fmt::Display) {
        let _ = writeln!(self.lines, "ok     {what}: {found}");
    }

    pub(super) fn bad(&mut self, what: &str, found: impl std::fmt::Display) {
        self.faults += 1;
        let _ = writeln!(self.lines, "FAULT  {what}: {found}");
    }
}

impl From<Findings> for Answer {
    fn from(findings: Findings) -> Self {
        let sum = match findings.faults {
            0 => "all is well".to_owned(),
            1 => "one fault".to_owned(),
            many => format!("{many} faults"),
        };
        Self {
            code: u8::from(findings.faults > 0),
            out: format!("{}{sum}\n", findings.lines),
            err: String::new(),
        }
    }
}
