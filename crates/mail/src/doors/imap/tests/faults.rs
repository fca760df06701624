//! A message that the server does not give, or does not mark, keeps no other from being handled.

use tokio::task::JoinSet;

use super::server::Fault;
use super::*;

/// Three mails, of which something is wrong with the second.
async fn with_fault(fault: Fault, done_folder: &str) -> Scene {
    let server = Server::start(Traits {
        fault: Some(fault),
        ..Traits::default()
    })
    .await;
    for name in ["one", "two", "three"] {
        server.put(&format!("Subject: {name}\r\n\r\n"));
    }
    Scene::new(server, done_folder, "").await
}

async fn one_is_put_aside(fault: Fault) {
    let scene = with_fault(fault, "").await;
    let what = format!("{fault:?}");
    for uid in [1, 3] {
        scene
            .until(&what, |s| s.server.has_flag(uid, mailbox::DONE))
            .await;
    }
    scene.until(&what, |s| s.health.borrow().aside.count == 1).await;
    let aside = scene.health.borrow().aside.clone();
    assert_eq!(aside.mails[0].name, "mail 2", "{what}");
    assert!(aside.mails[0].why.contains("the server"), "{what}: {aside:?}");
    // A mail that comes later is taken too.
    scene.server.put("Subject: four\r\n\r\n");
    scene.until(&what, |s| s.server.has_flag(4, mailbox::DONE)).await;
    assert!(!scene.server.has_flag(2, mailbox::DONE), "{what}");
    scene.server.heal();
    scene.until(&what, |s| s.server.has_flag(2, mailbox::DONE)).await;
    scene
        .until(&what, |s| {
            s.health.borrow().aside.count == 0 && s.health.borrow().down_since.is_none()
        })
        .await;
    let mut subjects = scene.taken();
    subjects.sort();
    subjects.dedup();
    assert_eq!(subjects.len(), 4, "{what}");
    scene.stop().await;
}

#[tokio::test]
async fn whatever_is_wrong_with_one_mail_it_is_put_aside_and_all_others_go_on() {
    let mut all = JoinSet::new();
    for fault in Fault::ALL {
        all.spawn(one_is_put_aside(fault));
    }
    all.join_all().await;
}

#[tokio::test]
async fn a_server_that_gives_no_mail_at_all_is_down_and_not_asked_without_end() {
    let server = Server::start(Traits {
        abilities: "GIVES-NOTHING",
        ..Traits::default()
    })
    .await;
    for number in 0..50 {
        server.put(&format!("Subject: {number}\r\n\r\n"));
    }
    let scene = Scene::new(server, "", "").await;
    scene
        .until("an error", |s| s.last_error().contains("20 mails in a row"))
        .await;
    assert!(scene.taken().is_empty());
    scene.stop().await;
}

#[tokio::test]
async fn a_folder_that_somebody_removed_is_made_again() {
    let server = Server::start(Traits::default()).await;
    server.put("Subject: one\r\n\r\n");
    let scene = Scene::new(server, "Done", "").await;
    scene.until("the first", |s| s.server.moved().len() == 1).await;
    scene.server.remove_folders();
    scene.server.put("Subject: two\r\n\r\n");
    scene.until("the second", |s| s.server.moved().len() == 2).await;
    scene.stop().await;
}

#[tokio::test]
async fn a_provider_that_asks_who_we_are_is_answered_before_the_mailbox_is_opened() {
    let server = Server::start(Traits {
        abilities: "IDLE ID MOVE UIDPLUS",
        wants_id: true,
        ..Traits::default()
    })
    .await;
    server.put("Subject: help\r\n\r\n");
    let scene = Scene::new(server, "", "").await;
    scene
        .until("the mail", |s| s.server.has_flag(1, mailbox::DONE))
        .await;
    assert_eq!(scene.server.connections(), 1);
    scene.stop().await;
}
