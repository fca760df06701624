//! `check`: its findings when something is wrong, or soon will be.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;

use crate::daemon::Setup;
use rusqlite::Connection;

/// The lines of `check`, and whether it found no fault. That no server runs is none.
fn check(setup: &Setup) -> (String, bool) {
    let output = setup.run(&["check", "--offline"]);
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(
        output.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    (printed, output.status.success())
}

#[track_caller]
fn finds(setup: &Setup, fault: &str) {
    let (printed, is_well) = check(setup);
    assert!(!is_well, "{printed}");
    let found = printed
        .lines()
        .any(|line| line.starts_with("FAULT") && line.contains(fault));
    assert!(found, "{fault}: {printed}");
}

#[test]
fn a_healthy_server_is_well_before_it_starts_while_it_runs_and_after() {
    let folder = tempfile::tempdir().unwrap();
    let lmtp = format!("unix:{}/lmtp.sock", folder.path().display());
    let setup = Setup::new(folder.path()).with("PBMSERV_LMTP_LISTEN", &lmtp);
    let (printed, is_well) = check(&setup);
    assert!(is_well && printed.ends_with("all is well\n"), "{printed}");
    let daemon = setup.serve();
    setup.done(&["mail", "alice@home.example", "signup alice fig7elk"]);
    let there = setup.with("PBMSERV_SMTP_LISTEN", &format!("127.0.0.1:{}", daemon.port));
    let (printed, is_well) = check(&there);
    assert!(
        is_well && printed.contains("it runs and answers") && printed.matches("greets").count() == 2,
        "{printed}"
    );
    daemon.stop_well();
    let (printed, is_well) = check(&setup);
    assert!(is_well && printed.contains("ok     database: whole"), "{printed}");
}

#[test]
fn each_fault_is_told_with_its_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::new(folder.path());
    setup.done(&["mail", "alice@home.example", "signup alice fig7elk"]);
    setup.done(&["mail", "bob@home.example", "signup bob oak4jay"]);
    setup.done(&["mail", "bob@home.example", "Pow2 challenge alice bob"]);
    setup.done(&["mail", "alice@home.example", "Pow2 move 101 alice fig7elk m13-m5"]);

    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let listen = taken.local_addr().unwrap().to_string();
    finds(
        &setup.with("PBMSERV_SMTP_LISTEN", &listen),
        "stop the program that listens there",
    );

    let socket = folder.path().join("lmtp.sock");
    let there = setup.with("PBMSERV_LMTP_LISTEN", &format!("unix:{}", socket.display()));
    let (printed, is_well) = check(&there);
    assert!(is_well && printed.contains("lmtp.sock is free"), "{printed}");
    assert!(!socket.exists(), "a look changes nothing");
    let taken = UnixListener::bind(&socket).unwrap();
    finds(
        &there,
        "stop the program that listens there, or change lmtp.listen",
    );
    drop(taken);
    let (printed, is_well) = check(&there);
    assert!(is_well && printed.contains("lmtp.sock is free"), "{printed}");
    let nowhere = folder.path().join("nowhere/lmtp.sock");
    let nowhere = format!("unix:{}", nowhere.display());
    finds(
        &setup.with("PBMSERV_LMTP_LISTEN", &nowhere),
        "nowhere/lmtp.sock: No such file or directory",
    );

    let key = setup.data.join("key");
    let certificate = setup
        .with("PBMSERV_SMTP_CERTIFICATE", &key.to_string_lossy())
        .with("PBMSERV_SMTP_KEY", &key.to_string_lossy());
    finds(&certificate, "it holds no certificate: name a PEM file");

    let maildir = folder.path().join("Maildir");
    let there = setup.with("PBMSERV_MAILDIR_PATH", &maildir.to_string_lossy());
    finds(
        &there,
        "Maildir/new: No such file or directory (os error 2): mkdir -p",
    );
    for part in ["new", "cur"] {
        fs::create_dir_all(maildir.join(part)).unwrap();
    }
    let (printed, is_well) = check(&there);
    assert!(is_well && printed.contains("ok     maildir: "), "{printed}");
    assert!(!maildir.join(".Done").exists(), "a look changes nothing");

    let imap = setup.with("PBMSERV_IMAP_URL", "imap://games@127.0.0.1:1");
    finds(&imap, "imap.password_file is missing");
    let password = folder.path().join("password");
    fs::write(&password, "hunter2\n").unwrap();
    let imap = imap.with("PBMSERV_IMAP_PASSWORD_FILE", &password.to_string_lossy());
    finds(&imap, "does the server run?");

    let sendmail = setup.with("PBMSERV_DELIVERY_TRANSPORT", "sendmail");
    finds(
        &sendmail.with("PBMSERV_DELIVERY_PATH", "/nowhere/sendmail"),
        "name the sendmail of this machine's MTA",
    );

    let relay = setup.with("PBMSERV_DELIVERY_TRANSPORT", "smtp");
    finds(
        &relay.with("PBMSERV_DELIVERY_URL", "smtp://127.0.0.1:1"),
        "does the relay run?",
    );

    let templates = folder.path().join("templates");
    fs::create_dir_all(templates.join("done")).unwrap();
    fs::write(templates.join("done/body.txt"), "Done.").unwrap();
    let blocks = "Subject: Done\n\n{{ parts.news(nothing_of_this_name) }}\n";
    fs::write(templates.join("done.letter"), blocks).unwrap();
    let overridden = setup.with("PBMSERV_TEMPLATES_FOLDER", templates.to_str().unwrap());
    finds(&overridden, "template done/body.txt: there is none of this name");
    finds(
        &overridden,
        "template done.letter, line 3: this letter has no nothing_of_this_name",
    );

    fs::set_permissions(&setup.data, fs::Permissions::from_mode(0o755)).unwrap();
    finds(&setup, "chmod 700");
    fs::set_permissions(&setup.data, fs::Permissions::from_mode(0o700)).unwrap();
    fs::set_permissions(setup.data.join("key"), fs::Permissions::from_mode(0o644)).unwrap();
    finds(&setup, "chmod go=");
    fs::set_permissions(setup.data.join("key"), fs::Permissions::from_mode(0o600)).unwrap();

    let conn = Connection::open(setup.database()).unwrap();
    conn.execute("UPDATE turns SET turn = 'a1-a1'", []).unwrap();
    finds(&setup, "pbmserv board void Pow2 101");
    conn.pragma_update(None, "foreign_keys", 0).unwrap();
    conn.execute("UPDATE displays SET player = 77", []).unwrap();
    conn.execute(
        "INSERT INTO displays (player, game, display) VALUES (77, 'Pow2', 'small')",
        [],
    )
    .unwrap();
    finds(&setup, "displays names a row of players that is not there");
    drop(conn);

    let mut bytes = fs::read(setup.database()).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 8192].fill(0x5a);
    fs::write(setup.database(), bytes).unwrap();
    finds(&setup, "restore a backup");
}
