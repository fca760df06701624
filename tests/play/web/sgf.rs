//! The record of a board in SGF.

use super::{ALICE, PATH, Pages};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_board_of_a_game_that_is_written_in_sgf_is_downloaded_in_it() {
    let pages = Pages::with_a_board().await;
    pages.ask(ALICE, "Hex challenge alice bob -size=5").await;
    pages.ask(ALICE, "Hex move 101 alice fig7elk c2").await;
    let board = format!("{PATH}board/Hex/101");
    let sgf = pages.get(&format!("{board}/record.sgf")).await;
    assert_eq!(sgf.field("content-type"), Some("text/plain; charset=utf-8"));
    assert!(
        sgf.body.contains("GM[11]SZ[5]") && sgf.body.contains(";B[c2]"),
        "{}",
        sgf.body
    );
    let link = format!("{board}/record.sgf");
    assert!(pages.get(&board).await.body.contains(&link));
    // The Power of Two has no custom there.
    let other = format!("{PATH}board/Pow2/101");
    assert_eq!(pages.get(&format!("{other}/record.sgf")).await.status, 404);
    assert!(!pages.get(&other).await.body.contains("record.sgf"));
    pages.close().await;
}
