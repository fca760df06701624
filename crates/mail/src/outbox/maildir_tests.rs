use std::os::unix::fs::PermissionsExt;

use super::*;
use crate::outbox::build;
use crate::outbox::tests::{identity, mail};

fn address(text: &str) -> Address {
    Address::parse(text).unwrap()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    files
}

#[tokio::test]
async fn a_mail_lies_in_new_with_its_envelope_on_top_and_lf_line_ends() {
    let folder = tempfile::tempdir().unwrap();
    let maildirs = Maildirs::new(folder.path().join("deep/mail"));
    let mail = mail(5);
    let built = build(&mail, &identity()).unwrap();
    maildirs.deliver(&built, &mail).await.unwrap();

    let mailbox = maildirs.mailbox(&mail.to);
    assert_eq!(mailbox, folder.path().join("deep/mail/alice@example.org"));
    let new = files(&mailbox.join("new"));
    assert_eq!(new.len(), 1);
    assert!(files(&mailbox.join("tmp")).is_empty());
    assert!(mailbox.join("cur").is_dir());
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&mailbox), mode(&new[0])), (0o700, 0o600));
    let text = fs::read_to_string(&new[0]).unwrap();
    assert!(!text.contains('\r'));
    let sender = identity().envelope_sender(5);
    assert!(text.starts_with(&format!(
        "Return-Path: <{sender}>\nDelivered-To: Alice@example.org\nDate: "
    )));
    assert_eq!(
        text.lines().skip(2).collect::<Vec<_>>(),
        String::from_utf8(built.bytes)
            .unwrap()
            .lines()
            .collect::<Vec<_>>()
    );
}

#[tokio::test]
async fn a_second_delivery_replaces_the_first_and_another_mail_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let maildirs = Maildirs::new(folder.path());
    let (one, two) = (mail(1), mail(2));
    for mail in [&one, &one, &two] {
        maildirs
            .deliver(&build(mail, &identity()).unwrap(), mail)
            .await
            .unwrap();
    }
    // As after a crash: the sender knows nothing of the first delivery, and tmp holds half a file.
    let again = Maildirs::new(folder.path());
    let mailbox = again.mailbox(&one.to);
    fs::write(mailbox.join("tmp").join(file_name(&one)), "half").unwrap();
    again
        .deliver(&build(&one, &identity()).unwrap(), &one)
        .await
        .unwrap();
    assert_eq!(files(&mailbox.join("new")).len(), 2);
    assert!(files(&mailbox.join("tmp")).is_empty());

    let mut reborn = one.clone();
    reborn.message_id = "other@games.example".to_owned();
    again
        .deliver(&build(&reborn, &identity()).unwrap(), &reborn)
        .await
        .unwrap();
    assert_eq!(files(&mailbox.join("new")).len(), 3);
}

#[tokio::test]
async fn a_removed_mailbox_is_created_again() {
    let folder = tempfile::tempdir().unwrap();
    let maildirs = Maildirs::new(folder.path());
    let mail = mail(1);
    let built = build(&mail, &identity()).unwrap();
    maildirs.deliver(&built, &mail).await.unwrap();
    fs::remove_dir_all(maildirs.mailbox(&mail.to)).unwrap();
    maildirs.deliver(&built, &mail).await.unwrap();
    assert_eq!(files(&maildirs.mailbox(&mail.to).join("new")).len(), 1);
}

#[tokio::test]
async fn a_mailbox_that_is_a_file_stops_its_own_mail_only() {
    let folder = tempfile::tempdir().unwrap();
    let maildirs = Maildirs::new(folder.path());
    let mail = mail(1);
    fs::write(maildirs.mailbox(&mail.to), "").unwrap();
    let failure = maildirs
        .deliver(&build(&mail, &identity()).unwrap(), &mail)
        .await
        .unwrap_err();
    assert!(matches!(failure, Failure::Temporary(_)), "{failure:?}");
}

#[test]
fn a_full_disk_affects_all_mails() {
    for kind in [
        ErrorKind::StorageFull,
        ErrorKind::ReadOnlyFilesystem,
        ErrorKind::QuotaExceeded,
    ] {
        assert!(matches!(classify(&kind.into()), Failure::Down(_)));
    }
    for kind in [ErrorKind::NotADirectory, ErrorKind::PermissionDenied] {
        assert!(matches!(classify(&kind.into()), Failure::Temporary(_)));
    }
}

#[test]
fn addresses_are_safe_and_different_folder_names() {
    let name = |text: &str| folder_name(&address(text));
    assert_eq!(name("Alice.B+x@Example.org"), "alice.b+x@example.org");
    assert_eq!(name("a/b@c"), "a%2Fb@c");
    assert_eq!(name("-rf@c"), "%2Drf@c");
    assert_eq!(name("a%2f@c"), "a%252f@c");
    assert_eq!(name("~@c"), "%7E@c");
    let long = |first: char| address(&format!("{first}{}@{}c", "/".repeat(63), "b.".repeat(90)));
    assert!(folder_name(&long('a')).len() <= 200);
    assert_ne!(folder_name(&long('a')), folder_name(&long('b')));
    let (mut one, mut two) = (long('a').as_str().to_owned(), long('a').as_str().to_owned());
    one.push_str(".one");
    two.push_str(".two");
    assert_ne!(name(&one), name(&two));
}
