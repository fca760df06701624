use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::*;
use crate::outbox::build;
use crate::outbox::tests::{identity, mail};

/// A shell script in a temporary folder.
fn program(folder: &Path, script: &str) -> Sendmail {
    let path = folder.join("sendmail");
    fs::write(
        &path,
        format!("#!/bin/sh\ncd '{}' || exit 1\n{script}\n", folder.display()),
    )
    .unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    Sendmail::new(path).unwrap()
}

/// Delivers one mail by this script.
async fn outcome(script: &str) -> Result<(), Failure> {
    let folder = tempfile::tempdir().unwrap();
    let mut mail = mail(7);
    mail.reply_detail = Some("2k-mfzwizdfmzsgk3lqn5xgk4tfmy".to_owned());
    let built = build(&mail, &identity()).unwrap();
    program(folder.path(), script).deliver(&built, &mail).await
}

/// The text of a failure, without the path of the program.
fn said(failure: &Failure) -> String {
    let text = failure.to_string();
    text.split_once("/sendmail, ").unwrap().1.to_owned()
}

#[tokio::test]
async fn the_program_gets_the_envelope_as_words_and_the_mail_with_lf() {
    let folder = tempfile::tempdir().unwrap();
    let script = "printf '%s\\n' \"$@\" >words; pwd >where; cat >mail";
    let mail = mail(7);
    let built = build(&mail, &identity()).unwrap();
    program(folder.path(), script)
        .deliver(&built, &mail)
        .await
        .unwrap();
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(
        read("words"),
        format!("-i\n-f\n{}\n--\nAlice@example.org\n", built.envelope_sender)
    );
    let expected = String::from_utf8(built.bytes).unwrap().replace("\r\n", "\n");
    assert!(expected.contains("\n.\nYour turn.\n"), "a dot alone ends nothing");
    assert_eq!(read("mail"), expected);
}

#[tokio::test]
async fn exit_codes_tell_the_mail_s_fault_from_the_program_s() {
    let temporary = |why: &str| Err(Failure::Temporary(why.to_owned()));
    let permanent = |why: &str| Err(Failure::Permanent(why.to_owned()));
    let down = |why: &str| Err(Failure::Down(why.to_owned()));
    let without_path = |result: Result<(), Failure>| {
        result.map_err(|failure| match &failure {
            Failure::Temporary(_) => Failure::Temporary(said(&failure)),
            Failure::Permanent(_) => Failure::Permanent(said(&failure)),
            Failure::Down(_) => Failure::Down(said(&failure)),
            Failure::Unsupported(_) => Failure::Unsupported(said(&failure)),
        })
    };
    for (script, expected) in [
        ("cat >mail; exit 0", Ok(())),
        ("cat >mail; exit 75", temporary("exit status: 75")),
        ("cat >mail; exit 67", permanent("exit status: 67")),
        ("cat >mail; exit 68", permanent("exit status: 68")),
        ("cat >mail; exit 65", permanent("exit status: 65")),
        ("cat >mail; exit 64", down("exit status: 64")),
        ("cat >mail; exit 69", down("exit status: 69")),
        ("cat >mail; exit 77", down("exit status: 77")),
        ("cat >mail; exit 1", down("exit status: 1")),
        ("kill -KILL $$", down("signal: 9 (SIGKILL)")),
        (
            "echo >&2; echo ' Queue is full' >&2; echo more >&2; exit 75",
            temporary("exit status: 75: Queue is full"),
        ),
        ("echo yes; exit 1", down("exit status: 1")),
    ] {
        assert_eq!(without_path(outcome(script).await), expected, "{script}");
    }
}

#[tokio::test]
async fn a_program_that_ends_before_the_mail_does_has_not_taken_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut mail = mail(7);
    mail.text = "More than a pipe holds.\n".repeat(10_000);
    let built = build(&mail, &identity()).unwrap();
    let taken = program(folder.path(), "exit 0").deliver(&built, &mail).await;
    assert!(matches!(taken, Err(Failure::Temporary(_))), "{taken:?}");
    let taken = program(folder.path(), "exit 67").deliver(&built, &mail).await;
    assert!(matches!(taken, Err(Failure::Permanent(_))), "{taken:?}");
}

#[tokio::test]
async fn what_it_says_is_kept_short_and_without_tokens() {
    let script = "echo \"bad: $3 2k-mfzwizdfmzsgk3lqn5xgk4tfmy $5\" >&2; exit 70";
    let text = said(&outcome(script).await.unwrap_err());
    assert_eq!(
        text,
        "exit status: 70: bad: pbmserv+******@games.example ****** Alice@example.org"
    );
    let endless = "head -c 3000000 /dev/zero | tr '\\0' x >&2; exit 70";
    let text = said(&outcome(endless).await.unwrap_err());
    assert_eq!(text, format!("exit status: 70: {}", "x".repeat(MAX_LINE_CHARS)));
    let text = said(
        &outcome("printf 'a\\033[1mb\\377\\n' >&2; exit 70")
            .await
            .unwrap_err(),
    );
    assert_eq!(text, "exit status: 70: a [1mb\u{fffd}");
}

#[tokio::test]
async fn one_that_hangs_is_killed_with_what_it_started() {
    let folder = tempfile::tempdir().unwrap();
    let script = "sleep 600 & echo $! >child; wait";
    let sendmail = program(folder.path(), script).with_patience(Duration::from_millis(500));
    let mail = mail(7);
    let built = build(&mail, &identity()).unwrap();
    let failure = timeout(Duration::from_secs(20), sendmail.deliver(&built, &mail))
        .await
        .expect("it hangs")
        .unwrap_err();
    assert!(
        matches!(&failure, Failure::Down(why) if why.ends_with("did not end within 0.5 seconds and was killed")),
        "{failure:?}"
    );
    assert_is_gone(folder.path()).await;
}

#[tokio::test]
async fn a_delivery_that_is_broken_off_leaves_no_process() {
    let folder = tempfile::tempdir().unwrap();
    let sendmail = program(folder.path(), "sleep 600 & echo $! >child; wait");
    let mail = mail(7);
    let built = build(&mail, &identity()).unwrap();
    let delivery = tokio::spawn(async move { sendmail.deliver(&built, &mail).await });
    timeout(Duration::from_secs(20), async {
        while fs::read_to_string(folder.path().join("child"))
            .unwrap_or_default()
            .is_empty()
        {
            sleep(Duration::from_millis(5)).await;
        }
    })
    .await
    .unwrap();
    delivery.abort();
    assert!(delivery.await.unwrap_err().is_cancelled());
    assert_is_gone(folder.path()).await;
}

/// Waits until the process whose number is in the file `child` has exited.
async fn assert_is_gone(folder: &Path) {
    let child = fs::read_to_string(folder.join("child")).unwrap();
    let status = Path::new("/proc").join(child.trim()).join("status");
    timeout(Duration::from_secs(20), async {
        while fs::read_to_string(&status).is_ok_and(|status| !status.contains("State:\tZ")) {
            sleep(Duration::from_millis(5)).await;
        }
    })
    .await
    .expect("what it started is still there");
}

#[tokio::test]
async fn what_it_leaves_running_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    // Like an MTA that delivers in the background and keeps our pipe open.
    let script = "cat >mail; (sleep 3; echo done >later) & echo said >&2; exit 75";
    let mail = mail(7);
    let built = build(&mail, &identity()).unwrap();
    let begun = std::time::Instant::now();
    let failure = program(folder.path(), script)
        .deliver(&built, &mail)
        .await
        .unwrap_err();
    assert_eq!(said(&failure), "exit status: 75: said");
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    timeout(Duration::from_secs(20), async {
        while !folder.path().join("later").exists() {
            sleep(Duration::from_millis(20)).await;
        }
    })
    .await
    .expect("it was killed");
}

#[tokio::test]
async fn a_program_that_is_gone_is_the_operator_s_matter() {
    let folder = tempfile::tempdir().unwrap();
    let sendmail = program(folder.path(), "exit 0");
    fs::remove_file(folder.path().join("sendmail")).unwrap();
    let mail = mail(7);
    let built = build(&mail, &identity()).unwrap();
    let failure = sendmail.deliver(&built, &mail).await.unwrap_err();
    assert!(
        matches!(&failure, Failure::Down(why) if why.contains("No such file")),
        "{failure:?}"
    );
}

#[test]
fn a_wrong_path_is_refused_with_the_remedy() {
    for (path, expected) in [
        (
            "sendmail",
            "sendmail is not an absolute path: name one such as /usr/sbin/sendmail",
        ),
        (
            "/nowhere/sendmail",
            "/nowhere/sendmail is not a file: name the sendmail of this machine's MTA",
        ),
        (
            "/usr",
            "/usr is not a file: name the sendmail of this machine's MTA",
        ),
    ] {
        assert_eq!(Sendmail::new(path).unwrap_err().to_string(), expected);
    }
}
