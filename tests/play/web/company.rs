//! The pages of leagues, ladders and cups.

use std::collections::BTreeSet;

use pbmserv_core::seasons::Format;
use pbmserv_core::store::{ContestKind, NewContest, NewPlayer};
use pbmserv_core::table::Terms;
use pbmserv_games::{Options, find};

use super::club::{Club, PLAYERS, Share};
use super::grown::without_pictures;
use super::{PATH, links, unescaped};

/// The rows of the first table of a page, each as its cells.
fn rows(page: &str) -> Vec<Vec<String>> {
    let (_, table) = page.split_once("<table").unwrap();
    let table = table.split("</table>").next().unwrap();
    let cell = |text: &str| {
        let text = text.split_once('>').map_or("", |(_, text)| text);
        let mut plain = String::new();
        for part in text.split('<') {
            plain.push_str(part.split_once('>').map_or(part, |(_, text)| text));
        }
        unescaped(plain.trim())
    };
    let rows = table.split("<tr>").skip(1);
    rows.map(|row| {
        let row = row.split("</tr>").next().unwrap();
        let cells = row.replace("</th>", "</td>").replace("<th", "<td");
        cells.split("<td").skip(1).map(cell).collect()
    })
    .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_season_has_its_tables_with_each_result_a_link_to_its_board() {
    let club = Club::played().await;
    let league = format!("{PATH}games/Hex/league");
    let page = club.house.get(&league).await;
    assert_eq!(page.status, 200, "{}", page.body);
    for part in [
        "Season 1 of the Hex league",
        "Division 1",
        "Division 2",
        "12 players are in",
        "The next season begins on <time datetime=\"2027-05-01T08:00Z\">",
        "Hex%20league%20join",
    ] {
        assert!(page.body.contains(part), "{part}: {}", page.body);
    }
    assert!(!page.body.contains("<form"), "{}", page.body);
    // The page shows what the arithmetic gives, in its order.
    let contest = club.division(1, 1);
    let table = contest.facts().tables().remove(0);
    let shown = rows(&page.body);
    assert_eq!(shown.len(), table.rows.len() + 1);
    for (cells, row) in shown[1..].iter().zip(&table.rows) {
        let userid = &contest.entrants[row.entrant].userid;
        let expected = if userid == "fred" { "(someone)" } else { userid };
        assert_eq!(cells[1], expected, "{cells:?}");
        let games = &cells[3..3 + table.rows.len()];
        let halves: u32 = games
            .iter()
            .map(|cell| match cell.as_str() {
                "1" => 2,
                "½" => 1,
                _ => 0,
            })
            .sum();
        assert_eq!(halves, row.halves, "{cells:?}");
        assert_eq!(games.iter().filter(|cell| *cell == "*").count(), 1);
    }
    let boards: BTreeSet<String> = links(&page.body)
        .into_iter()
        .filter(|link| link.contains("/board/"))
        .collect();
    assert_eq!(boards.len(), 30, "{boards:?}");
    for board in &boards {
        let board = club.house.get(board).await;
        assert_eq!(board.status, 200);
        assert!(
            board.body.contains("league&#x2f;1#division-")
                && board.body.contains("The Hex league, division "),
            "{}",
            board.body
        );
    }
    for wrong in [
        "/0",
        "/2",
        "/-1",
        "/x",
        "/99999999999",
        "?from=11",
        "?from=4294967295",
        "?from=-1",
        "?from=x",
    ] {
        let answer = club.house.get(&format!("{league}{wrong}")).await;
        assert_eq!(answer.status, 404, "{wrong}: {}", answer.body);
    }
    assert_eq!(club.house.get(&format!("{league}/1")).await.status, 200);
    club.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_earlier_season_stays_in_the_history_and_its_winner_has_a_trophy() {
    let club = Club::open().await;
    club.live(42).await;
    for division in [1, 2] {
        club.first_turns(&club.division(1, division)).await;
        club.end_games(&club.division(1, division), Share::All).await;
    }
    club.live(120).await;
    let page = club.house.get(&format!("{PATH}games/Hex/league")).await.body;
    assert!(page.contains("Season 2 of the Hex league"), "{page}");
    let contest = club.division(1, 1);
    assert!(contest.row.ended_at.is_some());
    let table = contest.facts().tables().remove(0);
    let winner = &contest.entrants[table.rows[0].entrant].userid;
    let (_, history) = page.split_once("Other seasons").unwrap();
    assert!(
        history.contains("league/1\">Season 1</a>") && history.contains(&format!(">{winner}</a>")),
        "{history}"
    );
    let old = club.house.get(&format!("{PATH}games/Hex/league/1")).await.body;
    assert!(old.contains("Division 1: the final table"), "{old}");
    assert!(old.contains("league/2\">Season 2</a>"), "{old}");
    let of = |userid: &str| format!("{PATH}players/{userid}");
    let page = club.house.get(&of(winner)).await.body;
    assert!(
        page.contains("First in the Hex league, division 1, season 1</a>, 2027"),
        "{page}"
    );
    for row in &table.rows[1..] {
        let page = club
            .house
            .get(&of(&contest.entrants[row.entrant].userid))
            .await
            .body;
        assert!(!page.contains("division 1, season 1"), "{page}");
    }
    let feed = club
        .house
        .get(&format!("{PATH}games/Hex/league/feed.atom"))
        .await
        .body;
    for part in [
        "Season 2 of the Hex league has begun, in 2 divisions",
        &format!("The Hex league, division 1, season 1, is over: 1. {winner}"),
    ] {
        assert!(feed.contains(part), "{part}: {feed}");
    }
    club.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_format_of_a_cup_has_a_page_that_says_who_played_whom_and_how() {
    let club = Club::played().await;
    let of = |name: &str| format!("{PATH}cups/{name}");
    let swiss = club.house.get(&of("spring")).await.body;
    assert!(
        swiss.contains("by the Swiss system, in 4 rounds") && swiss.contains("Buchholz"),
        "{swiss}"
    );
    assert!(
        swiss.contains("<h2>Round 2</h2>") && swiss.contains("a bye, which is a point"),
        "{swiss}"
    );
    let first = club.house.get(&format!("{}?round=1", of("spring"))).await.body;
    assert!(first.contains("<h2>Round 1</h2>"), "{first}");
    let contest = club.cup("spring");
    for row in contest.pairings.iter().filter(|row| row.pairing.round == 1) {
        if let Some(board) = row.board {
            assert!(
                first.contains(&format!("board/Pow2/{}\"", board.number)),
                "{first}"
            );
        }
    }
    let knockout = club.house.get(&of("trophy")).await.body;
    for part in [
        "Quarter-finals",
        "Semi-finals",
        "Final",
        "goes on without a game",
        // A draw is played again.
        ">½–½</a>, then <a",
        "class=\"on\"",
    ] {
        assert!(knockout.contains(part), "{part}: {knockout}");
    }
    let groups = club.house.get(&of("pokal")).await.body;
    for part in ["Group 1", "Group 2", "Semi-finals", "Final"] {
        assert!(groups.contains(part), "{part}: {groups}");
    }
    let open = club.house.get(&of("open-cup")).await.body;
    for part in ["3 of 16 seats are taken", "Who is in", "cup%20join%20open-cup"] {
        assert!(open.contains(part), "{part}: {open}");
    }
    let list = club.house.get(&format!("{PATH}cups")).await.body;
    for name in ["spring", "trophy", "pokal", "open-cup"] {
        assert!(list.contains(&format!("cups/{name}\"")), "{name}: {list}");
    }
    // A name is found in any case, as by mail; a page that is not there is none.
    assert_eq!(club.house.get(&of("SPRING")).await.status, 200);
    for wrong in [
        "cups/none",
        "cups/spring?round=99",
        "cups/spring?round=x",
        "cups?before=x",
        "cups/spring/none",
        "games/Hex/ladder?from=99",
        "games/None/league",
        "games/None/ladder",
    ] {
        let answer = club.house.get(&format!("{PATH}{wrong}")).await;
        assert_eq!(answer.status, 404, "{wrong}: {}", answer.body);
    }
    club.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_own_calendar_has_the_season_and_the_cups_that_were_joined_each_once() {
    let club = Club::played().await;
    let own = club
        .house
        .get(&format!("{}deadlines.ics", club.house.pages.own("carol")))
        .await
        .body;
    assert_eq!(own.matches("UID:league-Hex-2@games.example").count(), 1, "{own}");
    assert!(own.contains("Season 2 of the Hex league begins"), "{own}");
    assert!(own.contains("The Hex cup open-cup begins"), "{own}");
    // What is played has deadlines, and begins no more.
    assert!(!own.contains("cup spring begins"), "{own}");
    let league = club
        .house
        .get(&format!("{PATH}games/Hex/league/dates.ics"))
        .await
        .body;
    assert!(
        league.contains("DTSTART:20270501T080000Z") && league.contains("UID:league-Hex-2@games.example"),
        "{league}"
    );
    let cup = club
        .house
        .get(&format!("{PATH}cups/open-cup/dates.ics"))
        .await
        .body;
    assert!(cup.contains("DTSTART:20270220T080000Z"), "{cup}");
    for place in [
        "games/Hex/league/feed.atom",
        "games/Hex/ladder/feed.atom",
        "cups/spring/feed.atom",
        "cups/trophy/feed.atom",
    ] {
        let feed = club.house.get(&format!("{PATH}{place}")).await;
        assert_eq!(feed.status, 200, "{place}");
        assert!(!feed.body.contains("fred"), "{place}: {}", feed.body);
        assert!(feed.body.contains("<entry>"), "{place}: {}", feed.body);
    }
    let spring = club.house.get(&format!("{PATH}cups/spring/feed.atom")).await.body;
    for part in [
        "Round 1 of the Power of Two cup spring has begun",
        "Round 2 of the Power of Two cup spring has begun",
    ] {
        assert!(spring.contains(part), "{part}: {spring}");
    }
    club.close().await;
}

/// A season of 5,000 players has ten divisions on a page, and each page leads to the next.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_season_of_five_hundred_divisions_is_shown_ten_at_a_time() {
    const DIVISIONS: u32 = 500;
    let club = Club::open().await;
    let hex = find("Hex").unwrap();
    let made = club.house.pages.stage.server.engine.write(move |store, now| {
        let league = store.league(hex).unwrap().unwrap();
        store.set_season(league.id, 1, league.due_at).unwrap();
        let players: Vec<_> = (0..10)
            .map(|number| {
                let userid = format!("somebody{number}");
                let new = NewPlayer {
                    userid: userid.clone(),
                    password_hash: "none".into(),
                    created_at: now,
                };
                store.add_player(&new).unwrap();
                store.player(&userid).unwrap().unwrap().id
            })
            .collect();
        for division in 1..=DIVISIONS {
            let contest = store
                .add_contest(&NewContest {
                    game: hex,
                    kind: ContestKind::Division { season: 1, division },
                    format: Format::League,
                    seats: 10,
                    options: Options::none(hex.facts),
                    terms: Terms::default(),
                    begins_at: now,
                })
                .unwrap();
            for player in &players {
                store.add_entrant(contest, *player, now).unwrap();
            }
            let rated: Vec<_> = players.iter().map(|player| (*player, 1500.0)).collect();
            store.begin_contest(contest, &rated, now).unwrap();
        }
        Ok(())
    });
    made.await.unwrap();
    let league = format!("{PATH}games/Hex/league/1");
    let page = club.house.get(&league).await.body;
    assert_eq!(page.matches("<section id=\"division-").count(), 10, "{page}");
    assert!(page.contains("divisions 1 to 10 of 500"), "{page}");
    assert!(
        page.contains("?from=11\">Forward") && page.contains("?from=491\">Last"),
        "{page}"
    );
    assert!(without_pictures(&page) < 150_000, "{}", page.len());
    let last = club.house.get(&format!("{league}?from=500")).await.body;
    assert!(
        last.contains("divisions 491 to 500 of 500") && !last.contains(">Forward<"),
        "{last}"
    );
    club.close().await;
}

/// Each page that a private link leads to answers, and no page names more than it may.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_link_of_these_pages_leads_somewhere() {
    let club = Club::played().await;
    for root in [PATH.to_owned(), club.house.pages.own("bob")] {
        let mut seen = BTreeSet::new();
        for page in [
            "cups",
            "games/Hex/league",
            "games/Hex/ladder",
            "cups/spring",
            "cups/trophy",
            "cups/pokal",
            "cups/open-cup",
        ] {
            let answer = club.house.get(&format!("{root}{page}")).await;
            assert_eq!(answer.status, 200, "{page}");
            assert_eq!(answer.body.matches("<h1>").count(), 1, "{page}");
            assert!(!answer.body.contains("@home.example"), "{page}");
            let hidden = PLAYERS[5];
            assert!(
                root != PATH || !answer.body.contains(hidden),
                "{page}: {}",
                answer.body
            );
            seen.extend(links(&answer.body));
        }
        for link in &seen {
            let status = club.house.get(link).await.status;
            assert_eq!(status, 200, "{link}");
        }
    }
    club.close().await;
}
