//! Which server a verb works on: the configuration that is named, or the system's, and never a new one by mistake.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::daemon::{PROGRAM, Setup};

/// Runs a verb in this folder with these variables.
pub(crate) fn run(folder: &Path, variables: &[(&str, &str)], words: &[&str]) -> Output {
    let mut command = Command::new(PROGRAM);
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("PBMSERV_")) {
        command.env_remove(name);
    }
    command
        .args(words)
        .envs(variables.iter().copied())
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// No configuration, not even the system's.
const NONE: &[(&str, &str)] = &[("PBMSERV_CONFIG", "")];

pub(crate) fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

pub(crate) fn written(folder: &Path, name: &str, text: &str) -> String {
    let file = folder.join(name);
    fs::write(&file, text).unwrap();
    file.to_str().unwrap().to_owned()
}

/// A data folder with a player, and the text of a configuration that names it.
pub(crate) fn server(folder: &Path, player: &str) -> String {
    let setup = Setup::new(&folder.join(player));
    fs::create_dir(folder.join(player)).unwrap();
    let signup = format!("signup {player} fig7elk");
    setup.done(&["mail", &format!("{player}@home.example"), &signup]);
    format!("[server]\ndata = \"{}\"\n", setup.data.display())
}

#[test]
fn a_verb_that_finds_no_data_folder_says_so_and_makes_none() {
    let folder = tempfile::tempdir().unwrap();
    let backups = tempfile::tempdir().unwrap();
    let target = backups.path().to_str().unwrap();
    for words in [
        &["user", "list"][..],
        &["user", "add", "alice", "alice@home.example", "--why", "x"],
        &["board", "list"],
        &["queue", "list"],
        &["stats"],
        &["audit"],
        &["announce"],
        &["backup", target],
        &["restore", target],
        &["ingest"],
    ] {
        let output = run(folder.path(), NONE, words);
        let expected = if words == ["ingest"] { 75 } else { 1 };
        assert_eq!(output.status.code(), Some(expected), "{words:?}: {output:?}");
        let error = said(&output);
        let missing = format!(
            "there is no data folder {}",
            folder.path().join("pbmserv-data").display()
        );
        assert!(
            error.contains(&missing) && error.contains("--config"),
            "{words:?}: {error}"
        );
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is made");
    assert_eq!(
        fs::read_dir(backups.path()).unwrap().count(),
        0,
        "no empty backup"
    );

    let mailed = run(
        folder.path(),
        NONE,
        &["mail", "a@home.example", "signup alice fig7elk"],
    );
    assert!(mailed.status.success(), "{mailed:?}");
    let listed = run(folder.path(), NONE, &["user", "list"]);
    assert!(
        String::from_utf8_lossy(&listed.stdout).contains("alice"),
        "{listed:?}"
    );
}

#[test]
fn an_empty_data_folder_is_no_server() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    fs::create_dir(&data).unwrap();
    let variables = [
        ("PBMSERV_CONFIG", ""),
        ("PBMSERV_SERVER_DATA", data.to_str().unwrap()),
    ];
    let output = run(
        folder.path(),
        &variables,
        &["backup", folder.path().to_str().unwrap()],
    );
    assert_eq!(output.status.code(), Some(1));
    assert!(
        said(&output).contains("has no database: the first start"),
        "{}",
        said(&output)
    );
    assert_eq!(fs::read_dir(&data).unwrap().count(), 0);
}

#[test]
fn the_command_line_goes_before_the_variable_and_the_verb_says_what_it_took() {
    let folder = tempfile::tempdir().unwrap();
    let alices = written(folder.path(), "alice.toml", &server(folder.path(), "alice"));
    let bobs = written(folder.path(), "bob.toml", &server(folder.path(), "bob"));
    let variable = [("PBMSERV_CONFIG", alices.as_str())];
    let listed = run(folder.path(), &variable, &["user", "list", "--verbose"]);
    assert!(
        String::from_utf8_lossy(&listed.stdout).contains("alice"),
        "{listed:?}"
    );
    let data = folder.path().join("alice/data");
    let used = format!(
        "pbmserv: configuration: {alices}; data folder: {}\n",
        data.display()
    );
    assert_eq!(said(&listed), used);
    let listed = run(folder.path(), &variable, &["--config", &bobs, "user", "list"]);
    assert!(
        String::from_utf8_lossy(&listed.stdout).contains("bob"),
        "{listed:?}"
    );
    assert_eq!(said(&listed), "");
}

#[test]
fn a_file_that_others_can_write_names_no_command() {
    let folder = tempfile::tempdir().unwrap();
    let data = server(folder.path(), "alice");
    let file = written(
        folder.path(),
        "pbmserv.toml",
        &format!("{data}[delivery]\ntransport = \"sendmail\"\npath = \"/bin/true\"\n"),
    );
    let variable = [("PBMSERV_CONFIG", file.as_str())];
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
    let output = run(folder.path(), &variable, &["stats"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let error = said(&output);
    assert!(
        error.contains("pbmserv.toml, line 4: delivery.transport: "),
        "{error}"
    );
    assert!(error.contains("chmod go-w"), "{error}");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    let output = run(folder.path(), &variable, &["stats"]);
    assert!(output.status.success(), "{output:?}");
}
