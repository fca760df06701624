//! The forms of leagues, ladders and cups, and who sees a private cup.

use super::PATH;
use super::club::Club;
use super::house::said;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_private_cup_is_for_its_players_alone() {
    let club = Club::played().await;
    let board = club.cup("secret").pairings[0].board.unwrap().number;
    let board = format!("board/Hex/{board}");
    for page in ["cups/secret", "cups/secret/feed.atom", "cups/secret/dates.ics"] {
        for (root, status) in [
            (PATH.to_owned(), 404),
            (club.house.pages.own("dora"), 404),
            (club.house.pages.own("bob"), 200),
            (club.house.pages.own("alice"), 200),
        ] {
            let answer = club.house.get(&format!("{root}{page}")).await;
            assert_eq!(answer.status, status, "{root}{page}: {}", answer.body);
        }
    }
    for (root, is_seen) in [
        (PATH.to_owned(), false),
        (club.house.pages.own("dora"), false),
        (club.house.pages.own("bob"), true),
    ] {
        for page in ["cups", "players/bob", &board] {
            let answer = club.house.get(&format!("{root}{page}")).await;
            assert_eq!(answer.status, 200, "{root}{page}");
            let names_it = answer.body.contains("secret");
            assert!(is_seen || !names_it, "{root}{page}: {}", answer.body);
            assert!(
                !is_seen || names_it || page == "players/bob",
                "{root}{page}: {}",
                answer.body
            );
        }
    }
    // Its address is not offered for sharing.
    let page = club
        .house
        .get(&format!("{}cups/secret", club.house.pages.own("bob")))
        .await
        .body;
    assert!(!page.contains("To share:"), "{page}");
    // To a stranger a form says no more than of a cup that is not there.
    let form = |name: &str| club.house.form(&format!("do=join&name={name}"));
    let cup = format!("{}cup", club.house.pages.own("dora"));
    let (secret, none) = (form("secret"), form("nothing"));
    let (_, of_secret) = club.house.press(&cup, &secret).await;
    let (_, of_none) = club.house.press(&cup, &none).await;
    assert_eq!(of_secret.status, 409);
    assert_eq!(said(&of_secret.body, "alert"), said(&of_none.body, "alert"));
    club.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_ladder_has_a_button_for_each_who_can_be_challenged() {
    let club = Club::played().await;
    let public = club.house.get(&format!("{PATH}games/Hex/ladder")).await.body;
    assert!(
        !public.contains("<form") && public.contains("(someone)"),
        "{public}"
    );
    assert!(public.contains("emil</a> challenges <a"), "{public}");
    let own = club.house.pages.own("gina");
    let page = club.house.get(&format!("{own}games/Hex/ladder")).await.body;
    assert!(page.contains("You are number 7 of 7"), "{page}");
    // Carol is met already, and alice is too far above.
    for (userid, is_open) in [
        ("alice", false),
        ("bob", true),
        ("carol", false),
        ("dora", true),
        ("emil", true),
        ("fred", true),
    ] {
        let button = page.contains(&format!("aria-label=\"Challenge {userid}\""));
        assert_eq!(button, is_open, "{userid}: {page}");
    }
    let form = club.house.form("game=Hex&do=challenge&userid=dora");
    let (is_done, after) = club.house.press(&format!("{own}ladder"), &form).await;
    assert!(
        is_done && said(&after.body, "status").contains("challenge dora on the Hex ladder"),
        "{}",
        after.body
    );
    assert!(
        after.body.contains("You have two challenges that are not over"),
        "{}",
        after.body
    );
    let form = club.house.form("game=Hex&do=challenge&userid=emil");
    let (is_done, after) = club.house.press(&format!("{own}ladder"), &form).await;
    assert!(!is_done && after.status == 409, "{}", after.body);
    club.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_ends_games_is_asked_once_more() {
    let club = Club::played().await;
    let own = club.house.pages.own("bob");
    let home = club.house.get(&own).await.body;
    for part in [
        "The Hex league, division ",
        "games&#x2f;Hex&#x2f;league&#x2f;withdraw",
        "cups&#x2f;spring&#x2f;leave",
    ] {
        assert!(home.contains(part), "{part}: {home}");
    }
    let page = club
        .house
        .get(&format!("{own}games/Hex/league/withdraw"))
        .await
        .body;
    assert!(
        page.contains("Do you leave the Hex league and its season?")
            && page.contains("This cannot be taken back"),
        "{page}"
    );
    assert!(page.contains("value=\"withdraw\""), "{page}");
    let leave = club.house.get(&format!("{own}cups/spring/leave")).await.body;
    assert!(
        leave.contains("Do you leave the Power of Two cup spring?"),
        "{leave}"
    );
    let form = club.house.form("do=leave&name=spring");
    let (is_done, after) = club.house.press(&format!("{own}cup"), &form).await;
    assert!(is_done && said(&after.body, "status").starts_with("You have left the Power of Two cup spring"));
    let form = club.house.form("game=Hex&do=withdraw");
    let (is_done, after) = club.house.press(&format!("{own}league"), &form).await;
    assert!(is_done && said(&after.body, "status").starts_with("You have left the Hex league"));
    for (page, said) in [
        (
            "games/Hex/league/withdraw",
            "You play in no season of the Hex league now.",
        ),
        ("cups/spring/leave", "You do not play in it now."),
        ("cups/pokal/end", "It is not yours."),
        ("cups/secret/leave", "It is over."),
    ] {
        let page = club.house.get(&format!("{own}{page}")).await.body;
        assert!(page.contains(said) && !page.contains("<form"), "{page}");
    }
    club.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_form_does_what_has_no_button_and_a_refusal_keeps_what_was_typed() {
    let club = Club::open().await;
    let own = club.house.pages.own("alice");
    for (page, fields) in [
        ("league", "game=Hex&do=challenge"),
        ("league", "game=Hex&do="),
        ("league", "game=Shogi&do=join"),
        ("ladder", "game=Hex&do=withdraw"),
        ("cup", "do=show&name=spring"),
        ("cup", ""),
    ] {
        let (is_done, answer) = club
            .house
            .press(&format!("{own}{page}"), &club.house.form(fields))
            .await;
        assert!(
            !is_done && answer.status == 400,
            "{page} {fields}: {}",
            answer.body
        );
    }
    let form = club
        .house
        .form("do=new&name=two+words&game=Hex&format=groups&size=9&private=on&options=-size%3D99");
    let (is_done, page) = club.house.press(&format!("{own}cup"), &form).await;
    assert!(
        !is_done && page.status == 409 && !said(&page.body, "alert").is_empty(),
        "{}",
        page.body
    );
    for part in [
        "value=\"two words\"",
        "<option selected>Hex",
        "value=\"groups\" selected",
        "value=\"9\"",
        "value=\"on\" selected",
        "value=\"-size=99\"",
    ] {
        assert!(page.body.contains(part), "{part}: {}", page.body);
    }
    let form = club
        .house
        .form("do=new&name=autumn&game=Hex&format=knockout&rounds=5&size=9&from=2026-12-24&private=on");
    let (is_done, page) = club.house.press(&format!("{own}cup"), &form).await;
    assert!(
        is_done && page.body.contains("0 of 9 seats are taken"),
        "{}",
        page.body
    );
    assert!(
        page.body.contains("as a knockout") && page.body.contains("cup, private"),
        "{}",
        page.body
    );
    // Somebody else's cup cannot be taken back.
    let form = club.house.form("do=end&name=autumn");
    let (is_done, _) = club
        .house
        .press(&format!("{}cup", club.house.pages.own("bob")), &form)
        .await;
    assert!(!is_done);
    let end = club.house.get(&format!("{own}cups/autumn/end")).await.body;
    assert!(end.contains("Do you take back the Hex cup autumn?"), "{end}");
    club.close().await;
}
