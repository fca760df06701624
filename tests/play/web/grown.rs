//! A house that has grown: long games of all kinds, players with a hundred boards.

use chrono::TimeDelta;
use pbmserv_core::store::{NewPlayer, Store};
use pbmserv_core::table::{Board, End, NewBoard, Played, Player, Position, Presence, Seated, Terms};
use pbmserv_games::{By, Ending, GAMES, Game, Options, Outcome, Seat};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use super::{ALICE, BOB, Pages};

/// The most turns of a long game.
const LONG: usize = 160;

/// Boards that run between alice and bob beside the long ones, and boards of others that are over.
const RUNNING: u32 = 110;
const FINISHED: usize = 120;

/// The number of the long board of each game.
pub(super) const LONG_BOARD: u32 = 1000;

/// The turns of a random game that goes on, with the first player to move: of some games the longest.
fn turns(game: &'static Game) -> Vec<(Seat, String)> {
    let game_of = |seed| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut position = game.start(&Options::none(game.facts)).unwrap();
        let (mut turns, mut kept) = (Vec::new(), 0);
        while let Some(seat) = position.to_move().filter(|_| turns.len() < LONG) {
            if seat == Seat::First {
                kept = turns.len();
            }
            for turn in position
                .play_all(&position.random_turn(&mut rng).unwrap())
                .unwrap()
            {
                turns.push((seat, turn));
            }
        }
        turns.truncate(kept);
        turns
    };
    (0..5).map(game_of).max_by_key(Vec::len).unwrap()
}

/// Writes a board on which these turns were played, one an hour.
fn add(
    store: &Store,
    (game, number): (&'static Game, u32),
    players: [&Player; 2],
    turns: &[(Seat, String)],
    begun: chrono::DateTime<chrono::Utc>,
    end: Option<End>,
) {
    let options = Options::none(game.facts);
    let mut position = Position {
        game: game.start(&options).unwrap(),
        turns: Vec::new(),
    };
    let new = NewBoard {
        game,
        number,
        options,
        players: players.map(|player| Seated {
            id: player.id,
            userid: player.userid.clone(),
        }),
        terms: Terms::default(),
        dice: None,
    };
    let mut board = Board::begun(new, position.to_move(), [Presence::HERE; 2], begun);
    board.id = store.add_board(&board).unwrap();
    let mut at = begun;
    for (seat, turn) in turns {
        at += TimeDelta::hours(1);
        position.game.play(turn).unwrap();
        position.turns.push(Played {
            seat: *seat,
            text: turn.clone(),
            at,
            event: board.events.next(),
        });
        board.played(&position, 1, [Presence::HERE; 2], at);
    }
    if let Some(end) = end {
        board.ended(end, at);
    }
    store.save_board(&board).unwrap();
}

/// A server with such a house.
pub(super) async fn house() -> Pages {
    let pages = Pages::open().await;
    pages.ask(ALICE, "signup alice fig7elk").await;
    pages.ask(BOB, "signup bob oak4jay").await;
    let reader = pages.stage.server.reader().unwrap();
    let [alice, bob] = ["alice", "bob"].map(|userid| reader.player(userid).unwrap().unwrap());
    let grown = pages.stage.server.engine.write(move |store, now| {
        let others: Vec<Player> = (0..=FINISHED)
            .map(|number| {
                let userid = format!("somebody{number}");
                let new = NewPlayer {
                    userid: userid.clone(),
                    password_hash: "none".into(),
                    created_at: now,
                };
                store.add_player(&new).unwrap();
                store.player(&userid).unwrap().unwrap()
            })
            .collect();
        for game in GAMES {
            let begun = now - TimeDelta::days(300);
            add(
                store,
                (game, LONG_BOARD),
                [&alice, &bob],
                &turns(game),
                begun,
                None,
            );
        }
        let pow2 = &GAMES[0];
        let beginning = [
            (Seat::First, "m13-j7".to_owned()),
            (Seat::Second, "a1-e1".to_owned()),
        ];
        for number in 0..RUNNING {
            let begun = now - TimeDelta::days(i64::from(number) % 20);
            add(
                store,
                (pow2, 2000 + number),
                [&alice, &bob],
                &beginning,
                begun,
                None,
            );
        }
        for (number, pair) in (0..).zip(others.windows(2)) {
            let begun = now - TimeDelta::days(3 * i64::from(number));
            let by = By::Resignation;
            let end = End::Finished(Ending {
                outcome: Outcome::Won(Seat::First),
                by,
            });
            let players = [&pair[0], if number % 2 == 0 { &alice } else { &pair[1] }];
            add(
                store,
                (pow2, 3000 + number),
                players,
                &beginning,
                begun,
                Some(end),
            );
        }
        Ok(())
    });
    grown.await.unwrap();
    pages
}

/// The players and the boards of [`year`].
pub(super) const PLAYERS: usize = 100;
pub(super) const BOARDS: u32 = 1000;

/// Game, number and players of a board of [`year`].
pub(super) fn board_of_year(number: u32) -> (&'static Game, u32, [usize; 2]) {
    let at = number as usize;
    let first = at * 7 % PLAYERS;
    let second = (first + 1 + at % (PLAYERS - 1)) % PLAYERS;
    (&GAMES[at % GAMES.len()], number, [first, second])
}

/// The userid of a player of [`year`].
pub(super) fn player_of_year(number: usize) -> String {
    format!("somebody{number}")
}

/// A server after a year in which the boards of all games began one after the other, the last of which go on.
pub(super) async fn year() -> Pages {
    let pages = Pages::open().await;
    let written = pages.stage.server.engine.write(move |store, now| {
        let player = |number| {
            let userid = player_of_year(number);
            let new = NewPlayer {
                userid: userid.clone(),
                password_hash: "none".into(),
                created_at: now - TimeDelta::days(365),
            };
            store.add_player(&new).unwrap();
            store.player(&userid).unwrap().unwrap()
        };
        let players: Vec<Player> = (0..PLAYERS).map(player).collect();
        let played: Vec<_> = GAMES.iter().map(turns).collect();
        for number in 0..BOARDS {
            let (game, _, seats) = board_of_year(number);
            let turns = &played[number as usize % GAMES.len()];
            let turns = &turns[..turns.len().min(number as usize % 13)];
            let begun =
                now - TimeDelta::minutes(i64::from(BOARDS - number) * 365 * 24 * 60 / i64::from(BOARDS));
            let won = End::Finished(Ending {
                outcome: Outcome::Won(Seat::BOTH[number as usize % 2]),
                by: By::Resignation,
            });
            let end = match number {
                _ if number > BOARDS - 50 => None,
                // Declined.
                _ if number % 40 == 0 => Some(End::Removed(Seat::Second)),
                _ => Some(won),
            };
            add(
                store,
                (game, number),
                seats.map(|seat| &players[seat]),
                turns,
                begun,
                end,
            );
        }
        Ok(())
    });
    written.await.unwrap();
    pages
}

/// The bytes of a page but for its pictures.
pub(super) fn without_pictures(page: &str) -> usize {
    let mut parts = page.split("<svg");
    let first = parts.next().unwrap().len();
    first
        + parts
            .map(|part| part.split_once("</svg>").unwrap().1.len())
            .sum::<usize>()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_page_of_a_house_that_has_grown_is_small() {
    let pages = house().await;
    let own = pages.own("alice");
    let mut places = vec![
        own.clone(),
        format!("{own}house"),
        format!("{own}players"),
        format!("{own}games/Pow2"),
        format!("{own}players/alice"),
    ];
    for game in GAMES {
        let board = format!("{own}board/{}/{LONG_BOARD}", game.facts.name);
        let turn = pages.get(&format!("{board}/turn")).await.body;
        let first = super::attributes(&turn, "href");
        let first = first
            .iter()
            .find(|link| link.starts_with("?turn=") && link.len() > 6)
            .unwrap();
        places.extend([
            board.clone(),
            format!("{board}/1"),
            format!("{board}/words"),
            format!("{board}/turn"),
            format!("{board}/turn{first}"),
            format!("{board}/turn?turn=nothing"),
            format!("{own}games/{}", game.facts.name),
        ]);
    }
    let mut sizes = Vec::new();
    for place in places {
        let answer = pages.get(&place).await;
        assert_eq!(answer.status, 200, "{place}: {}", answer.body);
        sizes.push((
            without_pictures(&answer.body),
            answer.body.len(),
            place.replace(&own, ""),
        ));
    }
    sizes.sort_unstable();
    let largest: Vec<_> = sizes.iter().rev().take(12).collect();
    assert!(largest[0].0 < super::pages::LARGEST, "{largest:#?}");
    println!("the largest: bytes but for pictures, bytes in all, page: {largest:#?}");
    pages.close().await;
}
