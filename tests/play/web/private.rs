//! The pages behind a player's link, and the link itself.

use super::house::House;
use super::{ALICE, BASE, BOB, PATH, Pages};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_link_is_mailed_and_a_new_one_or_another_password_ends_it() {
    let pages = Pages::with_a_board().await;
    let own = pages.own("alice");
    assert_eq!(pages.get(&own).await.status, 200);
    let letters = pages.ask(ALICE, "page alice fig7elk").await;
    let [letter] = letters.as_slice() else {
        panic!("{letters:?}")
    };
    assert!(
        letter.text.contains("Here is your page, alice."),
        "{}",
        letter.text
    );
    let link = own.trim_start_matches(PATH);
    assert!(
        letter.text.contains(&format!("  {BASE}{link}")),
        "{}",
        letter.text
    );
    // A key is made when the letter is sent, and nowhere stored.
    let token = link.trim_start_matches("k/").trim_end_matches('/');
    for file in std::fs::read_dir(pages.stage.data()).unwrap() {
        let path = file.unwrap().path();
        let bytes = std::fs::read(&path).unwrap_or_default();
        assert!(
            !bytes.windows(token.len()).any(|part| part == token.as_bytes()),
            "{path:?}"
        );
    }
    pages.ask(ALICE, "page alice fig7elk new").await;
    assert_eq!(pages.get(&own).await.status, 404);
    let renewed = pages.own("alice");
    assert_ne!(renewed, own);
    assert_eq!(pages.get(&renewed).await.status, 200);
    pages.ask(ALICE, "change password alice fig7elk bay5owl").await;
    assert_eq!(pages.get(&renewed).await.status, 404);
    assert_eq!(pages.get(&pages.own("alice")).await.status, 200);
    pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn home_has_the_boards_that_wait_first_and_the_times_of_its_player() {
    let pages = Pages::with_a_board().await;
    pages.ask(BOB, "Forms challenge bob alice").await;
    let own = pages.own("alice");
    let home = pages.get(&own).await.body;
    for part in [
        "One board waits for you, alice.",
        "Waiting for others",
        "Until Fri 11 December",
        "Forms 101",
    ] {
        assert!(home.contains(part), "{part}: {home}");
    }
    let play = format!("href=\"{own}board/Pow2/101/turn\" aria-label=\"Play ");
    assert!(home.contains(&play), "{home}");
    pages.ask(ALICE, "set alice fig7elk zone america/new_york").await;
    let board = pages.get(&format!("{own}board/Pow2/101")).await.body;
    assert!(board.contains("Fri 11 December, 03:00 EST"), "{board}");
    let public = pages.get(&format!("{PATH}board/Pow2/101")).await.body;
    assert!(public.contains("Fri 11 December, 08:00 UTC"));
    // Letters follow.
    let letters = pages.ask(BOB, "Pow2 move 101 bob oak4jay undo").await;
    let letter = letters.iter().find(|letter| letter.to.as_str() == ALICE).unwrap();
    assert!(letter.text.contains("03:00 EST"), "{}", letter.text);
    let letters = pages.ask(ALICE, "set alice fig7elk zone Lisbon").await;
    assert!(
        letters[0].text.contains("the name of a zone"),
        "{}",
        letters[0].text
    );
    pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn opening_every_link_changes_nothing() {
    let pages = Pages::with_a_board().await;
    let own = pages.own("alice");
    let contents = || {
        let reader = pages.stage.server.reader().unwrap();
        let alice = reader.player("alice").unwrap().unwrap();
        let board = reader.board(pbmserv_games::find("Pow2").unwrap(), 101).unwrap();
        (
            format!("{board:?}"),
            reader.preferences(alice.id).unwrap(),
            reader.stats(0).unwrap(),
        )
    };
    let before = contents();
    for place in [
        "",
        "set",
        "begin",
        "house",
        "board/Pow2/101",
        "turns.atom",
        "deadlines.ics",
    ] {
        pages.get(&format!("{own}{place}")).await;
        pages.get(&format!("{own}{place}?option=digest+on&form=x")).await;
    }
    assert_eq!(contents(), before);
    pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_has_no_mail_program_gets_the_link_on_the_screen() {
    let house = House::open().await;
    let (base, own) = (BASE.trim_end_matches(PATH), house.pages.own("alice"));
    let mail = ["mail", ALICE, "page alice fig7elk"];
    let printed = house.operate(&mail).await;
    assert!(printed.contains(&format!("  {base}{own}\n")), "{printed}");
    let tried = house.operate(&[&mail[..], &["--dry-run"]].concat()).await;
    assert!(tried.contains(&format!("  {BASE}k/.../\n")), "{tried}");
    house.pages.close().await;
}
