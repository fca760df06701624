//! A verb on a terminal, by util-linux's `script`.

use std::io::Write;
use std::process::{Command, Stdio};

use crate::daemon::{PROGRAM, Setup};

/// Runs the verb with these lines typed. Returns what the terminal showed, and the exit code.
pub(crate) fn on_terminal(setup: &Setup, words: &[&str], typed: &str) -> (String, i32) {
    let quoted: Vec<_> = [PROGRAM]
        .iter()
        .chain(words)
        .map(|word| format!("'{word}'"))
        .collect();
    let of_setup = setup.command();
    let settings = of_setup
        .get_envs()
        .filter_map(|(name, value)| Some((name, value?)));
    let mut child = Command::new("script")
        .args(["--quiet", "--return", "--command", &quoted.join(" "), "/dev/null"])
        .envs(settings)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(typed.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let shown = String::from_utf8_lossy(&output.stdout).replace('\r', "");
    (shown, output.status.code().unwrap())
}
