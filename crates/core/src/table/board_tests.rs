//! Tests of the transitions, without a database.

use pbmserv_games::{By, GAMES, Outcome};
use proptest::prelude::*;
use rand::SeedableRng;
use rand::rngs::StdRng;

use super::*;

const HERE: Presence = Presence::HERE;

const AWAY: Presence = Presence {
    is_timeless: true,
    ..HERE
};
const NOBODY: [Presence; 2] = [HERE; 2];

fn at(hours: i64) -> DateTime<Utc> {
    let start: DateTime<Utc> = "2026-11-20T08:00:00Z".parse().unwrap();
    start + TimeDelta::hours(hours)
}

fn seated(id: i64) -> Seated {
    Seated {
        id: PlayerId(id),
        userid: format!("player{id}"),
    }
}

/// A new board of this game, and its position.
fn begun(game: &'static Game, terms: Terms, presence: [Presence; 2]) -> (Board, Position) {
    let options = Options::none(game.facts);
    let position = Position {
        game: game.start(&options).unwrap(),
        turns: Vec::new(),
    };
    let new = NewBoard {
        game,
        number: 101,
        options,
        players: [seated(1), seated(2)],
        terms,
        dice: None,
    };
    let board = Board::begun(new, position.to_move(), presence, at(0));
    (board, position)
}

/// Plays one random turn.
fn play(
    board: &mut Board,
    position: &mut Position,
    rng: &mut StdRng,
    presence: [Presence; 2],
    now: DateTime<Utc>,
) {
    let seat = position.to_move().unwrap();
    let text = position.game.random_turn(rng).unwrap();
    let text = position.game.play(&text).unwrap();
    let event = board.events.next();
    position.turns.push(Played {
        seat,
        text,
        at: now,
        event,
    });
    board.played(position, 1, presence, now);
}

/// A board of the first game after this many turns, one each hour, as read from the store; and its position.
fn after(turns: i64) -> (Board, Position) {
    let (mut board, mut position) = begun(&GAMES[0], Terms::default(), NOBODY);
    let mut rng = StdRng::seed_from_u64(1);
    for turn in 1..=turns {
        play(&mut board, &mut position, &mut rng, NOBODY, at(turn));
    }
    board.unsaved = Unsaved::default();
    assert_eq!(board.end, None);
    (board, position)
}

/// Adds everything that can be pending: an offer and a plan of the player who is not to move, and a submitted turn.
fn waiting(mut board: Board) -> Board {
    let other = board.to_move.unwrap().other();
    board.offered(Some((Offer::Draw, other)));
    board.planned(other, Some(queue()));
    board.submitted("b1".into());
    board
}

fn queue() -> Plan {
    Plan::queue(3, vec!["a1".into(), "a2".into()])
}

fn hours(clock: &Clock) -> [i64; 2] {
    clock.used.map(|used| used.num_hours())
}

#[test]
fn a_board_begins_with_the_thinking_of_its_first_player() {
    let (board, _) = begun(&GAMES[0], Terms::default(), NOBODY);
    assert_eq!(board.to_move, Some(Seat::First));
    assert_eq!(board.clock, Clock::started(at(0)));
    assert_eq!(board.due_at, Some(at(7 * 24)));
    let (away, _) = begun(&GAMES[0], Terms::default(), [AWAY, HERE]);
    assert_eq!((away.clock.since, away.due_at), (None, None));
    let (other_away, _) = begun(&GAMES[0], Terms::default(), [HERE, AWAY]);
    assert_eq!(other_away, board);
}

#[test]
fn a_turn_ends_offer_and_submission_and_keeps_the_opponents_plan() {
    let (board, mut position) = after(3);
    let mut board = waiting(board);
    let mover = board.to_move.unwrap();
    play(
        &mut board,
        &mut position,
        &mut StdRng::seed_from_u64(2),
        NOBODY,
        at(10),
    );
    assert_eq!((board.turns, board.to_move), (4, position.to_move()));
    assert_eq!((board.offer, board.submitted.as_deref()), (None, None));
    assert_eq!(board.plan_of(mover.other()), Some(&queue()));
    assert_eq!(board.dropped_of(mover.other()), None);
    assert_eq!(
        hours(&board.clock),
        [2, 8],
        "the first has thought twice for an hour, the second for 1 and 7"
    );
    assert_eq!((board.moved_at, board.clock.since), (at(10), Some(at(10))));
    assert_eq!(board.unsaved.played, position.turns[3..]);
    assert_eq!(board.unsaved.stale, Some(Stale::Turn));
    assert!(!board.unsaved.is_taken_back);
}

#[test]
fn several_turns_in_a_row_are_saved_in_their_order() {
    let (mut board, mut position) = after(1);
    let mut rng = StdRng::seed_from_u64(3);
    play(&mut board, &mut position, &mut rng, NOBODY, at(5));
    play(&mut board, &mut position, &mut rng, NOBODY, at(5));
    assert_eq!(board.turns, 3);
    assert_eq!(board.unsaved.played, position.turns[1..]);
    assert_eq!(
        hours(&board.clock),
        [1, 4],
        "the second of two turns takes no time"
    );
}

#[test]
fn the_clock_of_a_player_on_vacation_stands_still() {
    let (mut board, mut position) = after(0);
    let mut rng = StdRng::seed_from_u64(4);
    play(&mut board, &mut position, &mut rng, [HERE, AWAY], at(5));
    assert_eq!((board.clock.since, board.due_at), (None, None));
    assert_eq!(board.clock.thinking(at(50)), TimeDelta::zero());
    board.vacation_over(at(100));
    assert_eq!(board.clock.since, Some(at(100)));
    assert_eq!(board.due_at, Some(at(100 + 7 * 24)));
    board.vacation_begun(at(110));
    assert_eq!((board.clock.since, board.due_at), (None, None));
    assert_eq!(board.clock.thinking(at(200)), TimeDelta::hours(10));
    board.vacation_over(at(200));
    assert_eq!(board.due_at, Some(at(200 - 10 + 7 * 24)));
    assert_eq!(
        board.unsaved.stale,
        Some(Stale::Turn),
        "that of the turn: a vacation changes no warning"
    );
    play(&mut board, &mut position, &mut rng, [HERE, AWAY], at(202));
    assert_eq!(hours(&board.clock), [5, 12]);
    assert_eq!(board.clock.since, Some(at(202)), "the other is here");
}

#[test]
fn a_turn_taken_back_drops_the_queue_and_says_so() {
    let (board, position) = after(3);
    let mut board = waiting(board);
    let mover = board.to_move.unwrap();
    let mut turns = position.turns;
    turns.pop();
    let position = board.replay(turns, usize::MAX).unwrap();
    board.taken_back(&position, NOBODY, at(10));
    assert_eq!((board.turns, board.to_move), (2, Some(mover.other())));
    assert_eq!(
        (&board.offer, &board.plan, &board.submitted),
        (&None, &None, &None)
    );
    assert_eq!(board.dropped_of(mover.other()), Some(&queue()));
    assert_eq!(board.dropped_of(mover), None);
    assert!(board.unsaved.is_taken_back && board.unsaved.played.is_empty());
    assert_eq!(
        hours(&board.clock),
        [2, 8],
        "who would have answered has thought for it"
    );
    assert_eq!(board.unsaved.stale, Some(Stale::Turn));
}

#[test]
fn nothing_waits_on_a_board_that_is_over() {
    let by_resignation = End::Finished(Ending {
        outcome: Outcome::Won(Seat::First),
        by: By::Resignation,
    });
    for end in [End::Removed(Seat::Second), End::Void, by_resignation] {
        let (board, _) = after(3);
        let mut board = waiting(board);
        let (owner, used) = (board.plan.as_ref().unwrap().0, board.clock.used);
        board.ended(end, at(10));
        assert_eq!(
            (board.end, board.ended_at, board.to_move),
            (Some(end), Some(at(10)), None)
        );
        assert_eq!(
            (&board.offer, &board.plan, &board.submitted),
            (&None, &None, &None)
        );
        assert_eq!(board.dropped_of(owner), Some(&queue()));
        assert_eq!((board.clock.since, board.due_at), (None, None));
        assert_eq!(
            board.clock.used, used,
            "the time of the last turn counts for nobody"
        );
        assert_eq!(board.unsaved.stale, Some(Stale::All));
        assert_eq!((board.turns, board.moved_at), (3, at(3)));
    }
}

#[test]
fn a_game_that_is_over_by_its_rules_ends_the_board() {
    let (mut board, mut position) = begun(&GAMES[0], Terms::default(), NOBODY);
    let mut rng = StdRng::seed_from_u64(5);
    let mut now = 0;
    while let Some(mover) = board.to_move {
        board.planned(mover.other(), Some(queue()));
        now += 1;
        play(&mut board, &mut position, &mut rng, NOBODY, at(now));
    }
    let outcome = position.outcome().unwrap();
    assert_eq!(board.end, Some(End::Finished(Ending::by_rules(outcome))));
    assert_eq!((board.ended_at, board.due_at), (Some(at(now)), None));
    assert_eq!(board.plan, None);
    assert_eq!(board.unsaved.stale, Some(Stale::All));
    assert_eq!(
        board.unsaved.played, position.turns,
        "the last turn is saved with the end"
    );
}

#[test]
fn an_offer_stands_until_it_is_withdrawn() {
    let (board, _) = after(2);
    let mut offering = board.clone();
    offering.offered(Some((Offer::Undo, Seat::Second)));
    assert_eq!(offering.offer, Some((Offer::Undo, Seat::Second)));
    offering.offered(None);
    let events = Events {
        offer: board.events.next(),
        ..board.events
    };
    assert_eq!(
        offering,
        Board { events, ..board },
        "the next offer is another one"
    );
}

#[test]
fn a_substitute_begins_with_a_new_clock_and_nothing_of_the_player_before() {
    // After three turns, at hours 1 to 3, the second player is to move, and the first one has planned.
    for (seat, on_vacation) in [
        (Seat::First, false),
        (Seat::First, true),
        (Seat::Second, false),
        (Seat::Second, true),
    ] {
        let (board, _) = after(3);
        let mut board = waiting(board);
        let is_to_move = seat == Seat::Second;
        assert_eq!(board.to_move, Some(Seat::Second));
        board.reseated(seat, seated(3), if on_vacation { AWAY } else { HERE }, at(10));
        let case = format!("{seat:?}, on vacation: {on_vacation}");
        assert_eq!(board.at(seat), &seated(3), "{case}");
        assert_eq!(board.offer, None, "{case}");
        assert_eq!(board.plan.is_some(), is_to_move, "{case}");
        assert_eq!(board.submitted.is_some(), !is_to_move, "{case}");
        assert!(
            board.unsaved.dropped.is_empty(),
            "{case}: a mail would be sent about it"
        );
        let [used, since] = match (is_to_move, on_vacation) {
            (false, _) => [[0, 1], [3, 10]],
            (true, false) => [[2, 0], [10, 10]],
            (true, true) => [[2, 0], [10, -1]],
        };
        assert_eq!(hours(&board.clock), used, "{case}");
        assert_eq!(board.moved_at, at(since[0]), "{case}");
        assert_eq!(board.clock.since, (since[1] >= 0).then(|| at(since[1])), "{case}");
        assert_eq!(board.due_at.is_some(), board.clock.since.is_some(), "{case}");
        assert_eq!(board.unsaved.stale, Some(Stale::All), "{case}");
        assert!(board.unsaved.is_reseated, "{case}");
    }
}

#[test]
fn more_time_is_given_once_and_no_more_than_the_terms_give() {
    let (board, _) = after(1);
    let day = TimeDelta::days(1);
    // 20 of the 21 days of the turn have passed.
    let now = at(1) + day * 20;
    for (left, is_given) in [(1, false), (5, true), (21, true), (22, false)] {
        let mut board = board.clone();
        assert_eq!(board.extended(day * left, now), is_given, "{left} days");
        if is_given {
            let ends_at = board.clock.ends_at(&board.terms, Seat::Second);
            assert_eq!(ends_at, Some(now + day * left));
            assert_eq!(board.due_at, board.clock.due_at(&board.terms, Seat::Second));
            assert_eq!(board.unsaved.stale, Some(Stale::All));
        }
    }
    let mut over = board;
    over.ended(End::Void, now);
    assert!(!over.extended(day * 5, now), "it is nobody's turn");
}

#[test]
fn a_reminder_is_noted_with_the_time_that_was_thought() {
    let (mut board, _) = after(1);
    board.reminded(at(1 + 7 * 24));
    assert_eq!(board.clock.reminded, Some(TimeDelta::days(7)));
    assert_eq!(board.unsaved, Unsaved::default(), "warnings hold");
}

proptest! {
    /// A turn that is played and taken back leaves the board unchanged except for the times and what the turn had
    /// ended; the event is another one; and all time is charged to one of the players.
    #[test]
    fn a_turn_that_is_taken_back_was_never_played(
        game in 0..GAMES.len(), turns in 0..8_i64, thought in 0..100_i64, regret in 0..100_i64, seed: u64,
    ) {
        let (mut board, mut position) = begun(&GAMES[game], Terms::default(), NOBODY);
        let mut rng = StdRng::seed_from_u64(seed);
        for turn in 1..=turns {
            play(&mut board, &mut position, &mut rng, NOBODY, at(turn));
            prop_assume!(board.end.is_none());
        }
        board.unsaved = Unsaved::default();
        let before = board.clone();
        let (played_at, back_at) = (at(turns + thought), at(turns + thought + regret));
        play(&mut board, &mut position, &mut rng, NOBODY, played_at);
        prop_assume!(board.end.is_none());
        position.turns.pop();
        let position = board.replay(position.turns, usize::MAX).unwrap();
        board.taken_back(&position, NOBODY, back_at);
        prop_assert_eq!(hours(&board.clock).iter().sum::<i64>(), turns + thought + regret);
        prop_assert_eq!(board.clock, Clock { used: board.clock.used, ..Clock::started(back_at) });
        let expected = Board {
            clock: board.clock,
            due_at: board.due_at,
            moved_at: back_at,
            events: Events { position: before.events.position + 2, ..before.events },
            unsaved: Unsaved { stale: Some(Stale::Turn), ..Unsaved::default() },
            ..before
        };
        prop_assert_eq!(board, expected);
    }
}

#[test]
fn a_pause_stops_every_clock_until_its_date_and_a_vacation_in_it_starts_none() {
    let (mut board, mut position) = after(0);
    let mut rng = StdRng::seed_from_u64(4);
    board.paused(Some(at(200)), at(10));
    assert_eq!((board.clock.since, board.due_at), (None, Some(at(200))));
    assert_eq!(board.clock.thinking(at(150)), TimeDelta::hours(10));
    // A turn is played all the same, and the other one's clock does not begin.
    play(&mut board, &mut position, &mut rng, NOBODY, at(20));
    assert_eq!((board.clock.since, board.due_at), (None, Some(at(200))));
    assert_eq!(hours(&board.clock), [10, 0]);
    board.vacation_begun(at(30));
    board.vacation_over(at(40));
    assert_eq!((board.clock.since, board.due_at), (None, Some(at(200))));
    // The pause ends during a vacation.
    let mut away = board.clone();
    away.vacation_begun(at(50));
    away.pause_over(true, at(200));
    assert_eq!((away.clock.since, away.due_at), (None, None));
    away.vacation_over(at(300));
    assert_eq!(away.clock.since, Some(at(300)));
    // One of them ends it early; it ends once.
    for _ in 0..2 {
        board.pause_over(false, at(100));
        assert_eq!((board.paused_until, board.clock.since), (None, Some(at(100))));
        assert_eq!(board.due_at, Some(at(100 + 7 * 24)));
    }
    // Without a date it lasts for a year, and so does one with a later date.
    for until in [None, Some(at(99_999))] {
        board.paused(until, at(110));
        assert_eq!(board.paused_until, Some(at(110) + crate::table::MAX_PAUSE));
    }
    board.ended(End::Removed(Seat::First), at(120));
    assert_eq!((board.paused_until, board.due_at), (None, None));
    board.paused(None, at(130));
    assert_eq!((board.paused_until, board.due_at), (None, None), "it is over");
}

#[test]
fn a_turn_has_the_quiet_days_with_which_it_began_and_a_bank_comes_back() {
    let words = ["--days=2+1", "--unrated"];
    let (mut board, mut position) = begun(&GAMES[0], Terms::read(words).unwrap(), NOBODY);
    let mut rng = StdRng::seed_from_u64(4);
    let weekend = Presence {
        calendar: "Sat Sun Europe/Berlin".parse().unwrap(),
        reminders: "3".parse().unwrap(),
        ..HERE
    };
    // Friday at eight: the first player has no quiet days in this turn.
    assert_eq!(board.clock.ends_at(&board.terms, Seat::First), Some(at(48)));
    play(&mut board, &mut position, &mut rng, [weekend; 2], at(40));
    // On Sunday begins the turn of the other, whose two days are Monday and Tuesday in Berlin.
    let end = "2026-11-24T23:00:00Z".parse().unwrap();
    assert_eq!(board.clock.ends_at(&board.terms, Seat::Second), Some(end));
    assert_eq!(hours(&board.clock), [40 - 24, 0]);
    play(&mut board, &mut position, &mut rng, NOBODY, at(90));
    assert_eq!(
        hours(&board.clock),
        [40 - 24, 3],
        "Monday, and three hours of Tuesday: a day comes back"
    );
    let left = board.clock.ends_at(&board.terms, Seat::First).unwrap() - at(90);
    assert_eq!(left, TimeDelta::hours(48 - 16));
}
