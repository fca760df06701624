//! The boards for programs: with a key in the header the own turns, without one what everybody may see.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::smaller::{key, to, with_two_boards};
use super::{ALICE, Answer, BOB, PATH, Pages};

impl Pages {
    fn bearer(&self, userid: &str) -> String {
        format!("Authorization: Bearer {}\r\n", self.key(userid))
    }

    async fn api(&self, place: &str, fields: &str) -> (u16, Value) {
        read(&self.get_with(&format!("{PATH}api/{place}"), fields).await)
    }

    async fn play(&self, board: &str, fields: &str, body: &Value) -> (u16, Value) {
        let body = body.to_string();
        let length = body.len();
        let request = format!(
            "POST {PATH}api/boards/{board}/turns HTTP/1.1\r\nHost: games.example\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\n{fields}\r\n{body}"
        );
        read(&self.raw(request.as_bytes()).await)
    }
}

fn read(answer: &Answer) -> (u16, Value) {
    assert_eq!(
        answer.field("content-type"),
        Some("application/json"),
        "{answer:?}"
    );
    (answer.status, serde_json::from_str(&answer.body).unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_plays_with_the_key_of_its_player() {
    let pages = Pages::with_a_board().await;
    let alice = pages.bearer("alice");
    let (status, me) = pages.api("me", &alice).await;
    assert_eq!((status, &me["userid"]), (200, &json!("alice")));
    assert_eq!(me["waiting"][0]["number"], 101);
    let (_, board) = pages.api("boards/Pow2/101", &alice).await;
    assert_eq!((&board["you"], &board["to_move"]), (&json!(0), &json!(0)));
    assert_eq!(board["players"], json!(["alice", "bob"]));
    let (_, legal) = pages.api("boards/Pow2/101/legal", &alice).await;
    let turn = &legal["turns"][0];
    let event = &board["event"];
    let said = json!({ "event": event, "turn": turn, "words": "Good luck!" });
    let (status, played) = pages.play("Pow2/101", &alice, &said).await;
    assert_eq!(status, 200, "{played}");
    assert_eq!(
        (&played["again"], &played["board"]["turn_count"]),
        (&json!(false), &json!(3))
    );
    // An answer that was lost: the same is sent again, and played once.
    let (status, again) = pages.play("Pow2/101", &alice, &said).await;
    assert_eq!((status, &again["again"]), (200, &json!(true)));
    assert_eq!(again["board"]["turn_count"], 3);
    // The board has gone on.
    let (status, refused) = pages
        .play("Pow2/101", &alice, &json!({ "event": event, "turn": "a1-a2" }))
        .await;
    assert_eq!(status, 409);
    assert!(!refused["error"].as_str().unwrap().is_empty());
    let (_, turns) = pages.api("boards/Pow2/101/turns", "").await;
    assert_eq!((turns.as_array().unwrap().len(), &turns[2]["turn"]), (3, turn));
    let letters = pages.ask(BOB, "Pow2 show 101").await;
    assert!(to(&letters, BOB).text.contains("Good luck!"));
    pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everybody_reads_what_the_pages_show_and_plays_nothing() {
    let pages = Pages::with_a_board().await;
    for (place, has) in [
        ("games", "Hex"),
        ("boards", "alice"),
        ("boards?game=Pow2&player=bob&running=true&limit=1", "bob"),
        ("boards/Pow2/101", "drawing"),
        ("boards/Pow2/101/turns", "m13-j7"),
        ("boards/Pow2/101/legal", "turns"),
        ("boards/Pow2/101/record", "m13-j7"),
        ("players/alice", "ratings"),
        ("standings/Pow2", "alice"),
    ] {
        let (status, found) = pages.api(place, "").await;
        assert_eq!(status, 200, "{place}: {found}");
        assert!(found.to_string().contains(has), "{place}: {found}");
    }
    let (_, board) = pages.api("boards/Pow2/101", "").await;
    assert_eq!((&board["you"], &board["event"]), (&Value::Null, &Value::Null));
    pages.ask(BOB, "set web off bob oak4jay").await;
    pages.say(BOB, "set bob oak4jay web off", "").await;
    let (status, _) = pages.api("players/bob", "").await;
    assert_eq!(status, 404);
    let (_, board) = pages.api("boards/Pow2/101", "").await;
    assert_eq!(board["players"], json!(["alice", null]));
    let (_, places) = pages.api("standings/Pow2", "").await;
    assert!(!places.to_string().contains("bob"), "{places}");
    for place in ["me", "boards/Pow2/101/turns"] {
        let fields = "Authorization: Bearer kae-mfzwizdfmzsgk3lqn5xgk4tfmy\r\n";
        let answer = pages.get_with(&format!("{PATH}api/{place}"), fields).await;
        assert_eq!(
            (answer.status, answer.field("www-authenticate")),
            (401, Some("Bearer"))
        );
        assert_eq!(answer.field("cache-control"), Some("no-store"));
    }
    let (status, _) = pages
        .play("Pow2/101", "", &json!({ "event": 3, "turn": "a1-a2" }))
        .await;
    assert_eq!(status, 401);
    let basic = "Authorization: Basic YTpi\r\n";
    assert_eq!(pages.api("me", basic).await.0, 401);
    let two = format!("{}{}", pages.bearer("alice"), pages.bearer("bob"));
    assert_eq!(pages.api("me", &two).await.0, 401);
    // The key stands in no address, and no page elsewhere may read or send.
    let place = format!("{PATH}k/{}/api/me", pages.key("alice"));
    assert_eq!(pages.get(&place).await.status, 404);
    let elsewhere = format!("Origin: https://evil.example\r\n{}", pages.bearer("alice"));
    let (status, _) = pages
        .play("Pow2/101", &elsewhere, &json!({ "event": 3, "turn": "a1-a2" }))
        .await;
    assert_eq!(status, 403);
    let answer = pages
        .get_with(&format!("{PATH}api/me"), &pages.bearer("alice"))
        .await;
    assert_eq!(answer.field("access-control-allow-origin"), None);
    assert_eq!(answer.field("cache-control"), Some("no-store"));
    pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bodies_and_numbers_that_are_wrong_get_a_sentence_and_change_nothing() {
    let pages = Pages::with_a_board().await;
    pages.ask("carol@home.example", "signup carol bay5owl").await;
    let alice = pages.bearer("alice");
    for body in [
        json!({}),
        json!([]),
        json!({ "event": 3 }),
        json!({ "event": -1, "turn": "a1-a2" }),
        json!({ "event": 3.5, "turn": "a1-a2" }),
        json!({ "event": 1e300, "turn": "a1-a2" }),
        json!({ "event": "3", "turn": "a1-a2" }),
        json!({ "event": 3, "turn": "a1-a2", "more": 1 }),
        json!({ "event": 3, "turn": "x".repeat(20_000) }),
    ] {
        let (status, refused) = pages.play("Pow2/101", &alice, &body).await;
        assert_eq!(status, 400, "{body}");
        assert!(refused["error"].as_str().unwrap().ends_with('.'), "{refused}");
    }
    let long = json!({ "event": 3, "turn": "a1", "words": "x".repeat(100_000) });
    assert_eq!(pages.play("Pow2/101", &alice, &long).await.0, 413);
    let form = pages
        .post_with(
            &format!("{PATH}api/boards/Pow2/101/turns"),
            &alice,
            "event=3&turn=a1",
        )
        .await;
    assert_eq!(read(&form).0, 415);
    for turn in ["", "hello", "a1-a1", "a1-a2\r\nresign", "\u{0}"] {
        let body = json!({ "event": 3, "turn": turn });
        let (status, refused) = pages.play("Pow2/101", &alice, &body).await;
        assert_eq!(status, 409, "{turn:?}: {refused}");
    }
    let body = json!({ "event": 3, "turn": "m13-m12" });
    assert_eq!(pages.play("Pow2/101", &pages.bearer("carol"), &body).await.0, 403);
    assert_eq!(pages.play("Pow2/999", &alice, &body).await.0, 404);
    for (place, expected) in [
        ("boards?limit=0", 400),
        ("boards?limit=101", 400),
        ("boards?limit=x", 400),
        ("boards?running=perhaps", 400),
        ("boards?sort=up", 400),
        ("boards?game=Chess1", 404),
        ("boards?player=nobody", 404),
        ("boards/Pow2/007", 404),
        ("boards/Pow2/99999999999", 404),
        ("boards/Chess1/1", 404),
        ("standings/Chess1", 404),
        ("players/%00", 404),
        ("nothing", 404),
    ] {
        assert_eq!(pages.api(place, "").await.0, expected, "{place}");
    }
    let (_, turns) = pages.api("boards/Pow2/101/turns", "").await;
    assert_eq!(turns.as_array().unwrap().len(), 2);
    pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_key_of_a_letter_reaches_its_board_only() {
    let (pages, own) = with_two_boards().await;
    let fields = format!("Authorization: Bearer {}\r\n", key(&own));
    assert_eq!(pages.api("boards/Pow2/101", &fields).await.0, 200);
    for place in ["boards/LOA/101", "me", "boards", "players/bob", "standings/Pow2"] {
        assert_eq!(pages.api(place, &fields).await.0, 404, "{place}");
    }
    pages.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn where_the_pages_are_private_a_key_is_needed() {
    let pages = Pages::configured(|config| config.web.public = false).await;
    pages.begin().await;
    assert_eq!(pages.api("boards", "").await.0, 404);
    assert_eq!(pages.api("boards", &pages.bearer("bob")).await.0, 200);
    pages.close().await;
}

/// The names of the fields of a body, as far as it is described by this schema.
fn described<'a>(document: &'a Value, mut schema: &'a Value) -> BTreeSet<&'a str> {
    if schema["items"].is_object() {
        schema = &schema["items"];
    }
    let name = schema["$ref"].as_str().unwrap().rsplit('/').next().unwrap();
    let fields = document["components"]["schemas"][name]["properties"]
        .as_object()
        .unwrap();
    fields.keys().map(String::as_str).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_description_says_what_the_answers_have() {
    let pages = Pages::with_a_board().await;
    pages.ask(ALICE, "Pow2 resign 101 alice fig7elk").await;
    let (_, document) = pages.api("openapi.json", "").await;
    let alice = pages.bearer("alice");
    for (path, methods) in document["paths"].as_object().unwrap() {
        let place = path.replace("{game}", "Pow2").replace("{number}", "101");
        let place = place.replace("{userid}", "alice");
        let (status, found) = pages.api(place.trim_start_matches('/'), &alice).await;
        assert_eq!(status, 200, "{place}: {found}");
        let content = &methods["get"]["responses"]["200"]["content"];
        let body = if found.is_array() { &found[0] } else { &found };
        let fields: BTreeSet<&str> = body.as_object().unwrap().keys().map(String::as_str).collect();
        let schema = &content["application/json"]["schema"];
        assert_eq!(fields, described(&document, schema), "{path}");
    }
    pages.close().await;
}
