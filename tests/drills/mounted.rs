//! Drills with a file system of their own, in a private mount namespace, which needs root.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use rusqlite::Connection;

use crate::checks::{ALICE, check, finds, start_fails, with_alice};
use crate::copies::is_a_copy;
use crate::daemon::disk::{Disk, is_inside};
use crate::daemon::smtp::Client;
use crate::daemon::{Setup, count, until};
use crate::lookup::{run, said, server, written};
use crate::migrations::{played, upgraded};

#[test]
#[ignore = "mounts a file system: needs root"]
fn a_full_disk_is_a_fault() {
    if !is_inside("mounted::a_full_disk_is_a_fault") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let disk = Disk::mount(&folder.path().join("data"), 32 * 1024);
    fs::set_permissions(&disk.path, fs::Permissions::from_mode(0o700)).unwrap();
    let setup = Setup::new(folder.path())
        .with("PBMSERV_SERVER_MIN_FREE_BYTES", "8000000")
        .with(
            "PBMSERV_DELIVERY_MAILDIR",
            folder.path().join("mail").to_str().unwrap(),
        );
    let (there, daemon) = with_alice(&setup);
    disk.fill(4_000_000);
    finds(&there, &["disk: ", "remove files, or give it a larger disk"]);
    disk.fill(0);
    // A page that SQLite has already taken is written without room.
    until("a write has failed", || {
        let mut client = Client::connect(daemon.port).unwrap();
        client.begin(ALICE).err()
    });
    finds(&there, &["disk: "]);
    disk.free();
    until("it is found well again", || {
        (check(&there, &[]).1 == 0).then_some(())
    });
}

#[test]
#[ignore = "mounts a file system: needs root"]
fn a_read_only_disk_is_a_fault_with_the_words_of_the_start() {
    if !is_inside("mounted::a_read_only_disk_is_a_fault_with_the_words_of_the_start") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let disk = Disk::mount(&folder.path().join("data"), 32 * 1024);
    fs::set_permissions(&disk.path, fs::Permissions::from_mode(0o700)).unwrap();
    let setup = Setup::new(folder.path()).with(
        "PBMSERV_DELIVERY_MAILDIR",
        folder.path().join("mail").to_str().unwrap(),
    );
    let (there, daemon) = with_alice(&setup);
    daemon.stop_well();
    let remounted = Command::new("mount")
        .args(["-o", "remount,ro"])
        .arg(&disk.path)
        .status();
    assert!(remounted.unwrap().success());
    let said = start_fails(&setup);
    let (_, said) = said.split_once("server.data: ").unwrap();
    assert!(said.contains("mounted read-only"), "{said}");
    finds(&there, &[said, "a start would fail: data folder"]);
}

#[test]
#[ignore = "mounts a file system: needs root"]
fn a_disk_without_room_for_a_migration_is_said_before_anything_is_changed() {
    if !is_inside("mounted::a_disk_without_room_for_a_migration_is_said_before_anything_is_changed") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let disk = Disk::mount(&folder.path().join("data"), 32 * 1024);
    fs::set_permissions(&disk.path, fs::Permissions::from_mode(0o700)).unwrap();
    let setup = Setup::new(folder.path());
    played(&setup);
    let setup = upgraded(&setup);
    // A verb may leave its WAL, which the next one that opens the file folds in.
    Connection::open(setup.database())
        .and_then(|conn| conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())))
        .unwrap();
    let before = fs::read(setup.database()).unwrap();
    disk.fill(before.len() as u64 * 2);
    let room = "has too little room to migrate the database, which was not touched: ";
    let error = start_fails(&setup);
    assert!(
        error.contains(room) && error.contains("remove files, or give it a larger disk"),
        "{error}"
    );
    let output = setup.run(&["migrate"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(said(&output).contains(room), "{output:?}");
    finds(&setup, &[room, "a start would fail: disk"]);
    assert!(fs::read(setup.database()).unwrap() == before);
    disk.free();
    setup.serve().stop_well();
    assert!(setup.done(&["user", "list"]).contains("alice"));
}

#[test]
#[ignore = "mounts a file system: needs root"]
fn without_a_name_the_systems_configuration_is_taken() {
    if !is_inside("mounted::without_a_name_the_systems_configuration_is_taken") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let text = server(folder.path(), "alice");
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "none", "/etc"])
        .status();
    assert!(mounted.unwrap().success());
    written(Path::new("/etc"), "pbmserv.toml", &text);
    let listed = run(folder.path(), &[], &["user", "list"]);
    assert!(
        String::from_utf8_lossy(&listed.stdout).contains("alice"),
        "{listed:?}"
    );
    assert!(!folder.path().join("pbmserv-data").exists());
    let gone = text.replace("/data\"", "/elsewhere\"");
    written(Path::new("/etc"), "pbmserv.toml", &gone);
    let listed = run(folder.path(), &[], &["user", "list"]);
    let error = said(&listed);
    assert!(
        error.starts_with("pbmserv: /etc/pbmserv.toml, line 2: server.data: there is no data folder"),
        "{error}"
    );
}

#[test]
#[ignore = "mounts a file system: needs root"]
fn a_disk_of_another_machine_is_not_served_until_it_is_adopted() {
    if !is_inside("mounted::a_disk_of_another_machine_is_not_served_until_it_is_adopted") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for place in ["/etc", "/var/lib/dbus"] {
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "none", place])
            .status();
        assert!(mounted.unwrap().success() || !Path::new(place).exists());
    }
    let is = |id: &str| fs::write("/etc/machine-id", format!("{id}\n")).unwrap();
    is(&"1".repeat(32));
    let setup = Setup::new(folder.path()).begun();
    is(&"2".repeat(32));
    let error = is_a_copy(&setup);
    assert!(error.contains("was in use on another machine"), "{error}");
    // As in a container.
    is("");
    setup.serve().stop_well();
    is(&"2".repeat(32));
    is_a_copy(&setup);
    let said = setup.done(&["adopt"]);
    assert!(said.contains("was in use on another machine"), "{said}");
    setup.serve().stop_well();
    let known = setup.look();
    let sql = "SELECT COUNT(*) FROM notes WHERE instr(value, '2222222222')";
    assert_eq!(count(&known, sql), 0, "the id is kept hashed");
}
