//! Manual pages and completions, as the maintainer of a package uses them.

use std::process::Command;

use crate::daemon::PROGRAM;

#[test]
fn each_verb_has_a_manual_page() {
    let folder = tempfile::tempdir().unwrap();
    let made = Command::new(PROGRAM)
        .arg("man")
        .arg(folder.path())
        .status()
        .unwrap();
    assert!(made.success());
    let help = Command::new(PROGRAM).arg("--help").output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let verbs = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let verbs: Vec<_> = verbs
        .take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|verb| *verb != "help")
        .collect();
    assert!(verbs.len() > 10, "{help}");
    for verb in verbs {
        let page = folder.path().join(format!("pbmserv-{verb}.1"));
        let page = std::fs::read_to_string(page).unwrap_or_else(|error| panic!("{verb}: {error}"));
        assert!(page.contains(".SH NAME"), "{verb}");
    }
}

#[test]
fn the_completions_for_bash_are_a_script_that_bash_reads() {
    let script = Command::new(PROGRAM)
        .args(["completions", "bash"])
        .output()
        .unwrap();
    assert!(script.status.success());
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pbmserv.bash");
    std::fs::write(&file, script.stdout).unwrap();
    let read = Command::new("bash").arg("-n").arg(&file).status().unwrap();
    assert!(read.success());
}
