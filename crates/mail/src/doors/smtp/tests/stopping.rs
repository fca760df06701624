//! The server stops: everybody who waits for a reply gets one.

use super::*;

#[tokio::test]
async fn idle_sessions_get_421_and_a_message_being_handled_is_answered_first() {
    let server = Server::over(Settings::default(), Recorder::with_gate(0)).await;
    let mut idle = server.client().await;
    let mut unfinished = server.client().await;
    unfinished.begin().await;
    unfinished.say("the first half, ").await;
    let mut waiting = server.client().await;
    waiting.begin().await;
    waiting.say("hello\r\n.\r\n").await;
    timeout(PATIENCE, async {
        while server.intake.seen().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await
    .unwrap();

    server.stop.send(true).unwrap();
    assert!(idle.rest().await.starts_with("421 4.3.2"));
    assert!(
        TcpStream::connect(server.address).await.is_err(),
        "a new connection was taken"
    );
    assert!(!server.task.is_finished());
    server.intake.gate.add_permits(2);
    let heard = waiting.rest().await;
    assert!(
        heard.starts_with("250 2.0.0 Accepted, number 1\r\n421 4.3.2"),
        "{heard}"
    );
    unfinished.say("the second\r\n.\r\n").await;
    let heard = unfinished.rest().await;
    assert!(
        heard.starts_with("250 2.0.0 Accepted, number 2\r\n421 4.3.2"),
        "{heard}"
    );
    drop((idle, waiting, unfinished));
    timeout(PATIENCE, server.task).await.unwrap().unwrap();
}

#[tokio::test]
async fn what_is_not_over_after_the_grace_time_is_cut_off() {
    let settings = Settings {
        grace_seconds: 1,
        ..Settings::default()
    };
    let server = Server::over(settings, Recorder::with_gate(0)).await;
    let mut waiting = server.client().await;
    waiting.begin().await;
    waiting.say("hello\r\n.\r\n").await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    server.stop.send(true).unwrap();
    timeout(Duration::from_secs(5), server.task)
        .await
        .unwrap()
        .unwrap();
    // No reply: the sender must not believe that the message was accepted.
    assert_eq!(waiting.rest().await, "");
}

#[tokio::test]
async fn it_stops_when_nobody_could_tell_it_to() {
    let server = Server::start(Settings::default()).await;
    let mut client = server.client().await;
    drop(server.stop);
    assert!(client.rest().await.starts_with("421 4.3.2"));
    drop(client);
    timeout(PATIENCE, server.task).await.unwrap().unwrap();
}
