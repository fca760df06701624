use proptest::prelude::*;

use super::super::facts::Score;
use super::super::made::{contest, drawn, hour, running, won_by};
use super::*;
use pbmserv_games::Seat;

const FORMATS: [Format; 4] = [
    Format::League,
    Format::Swiss { rounds: 4 },
    Format::Knockout,
    Format::Groups,
];

/// What may happen to a contest between two of its rounds: to the game or entrant of a number.
#[derive(Clone, Copy, Debug)]
enum Event {
    Ends(usize, Option<Seat>),
    BothLose(usize),
    /// Also of games that are over.
    IsVoid(usize),
    Leaves(usize),
    /// A ruling on a game that is over.
    IsCorrected(usize, Option<Seat>),
    Begins,
}

fn event() -> impl Strategy<Value = Event> {
    let winner = prop_oneof![Just(None), Just(Some(Seat::First)), Just(Some(Seat::Second))];
    prop_oneof![
        10 => (any::<usize>(), winner.clone()).prop_map(|(number, winner)| Event::Ends(number, winner)),
        1 => any::<usize>().prop_map(Event::BothLose),
        1 => any::<usize>().prop_map(Event::IsVoid),
        1 => any::<usize>().prop_map(Event::Leaves),
        1 => (any::<usize>(), winner).prop_map(|(number, winner)| Event::IsCorrected(number, winner)),
        4 => Just(Event::Begins),
    ]
}

impl Event {
    fn happen(self, contest: &mut Contest, at: i64) {
        let of = |number: usize, count: usize| number.checked_rem(count);
        let is_game = |pairing: &&mut Pairing| pairing.second.is_some();
        let games = |contest: &mut Contest, number: usize, is_running: bool| {
            let mut games: Vec<usize> = Vec::new();
            for (index, pairing) in contest.pairings.iter_mut().enumerate() {
                if is_game(&pairing) && (pairing.score == Score::Running) == is_running {
                    games.push(index);
                }
            }
            of(number, games.len()).map(|at| games[at])
        };
        let over = |winner: Option<Seat>| winner.map_or(drawn(at), |winner| won_by(winner, at));
        let (index, score) = match self {
            Self::Ends(number, winner) => (games(contest, number, true), over(winner)),
            Self::BothLose(number) => (games(contest, number, true), Score::BothLost { at: hour(at) }),
            Self::IsVoid(number) => (games(contest, number, number.is_multiple_of(2)), Score::Void),
            Self::IsCorrected(number, winner) => (games(contest, number, false), over(winner)),
            Self::Leaves(number) => {
                if let Some(entrant) = of(number, contest.entrants.len()) {
                    contest.entrants[entrant].left_at.get_or_insert(hour(at));
                }
                return;
            }
            Self::Begins => {
                if let Next::Round(planned) = contest.next() {
                    contest.pairings.extend(planned.into_iter().map(running));
                }
                return;
            }
        };
        if let Some(index) = index {
            contest.pairings[index].score = score;
        }
    }
}

/// Ends what runs and begins what is to be begun until the contest is over, and says in how many rounds.
fn finish(contest: &mut Contest, at: i64) -> usize {
    for round in 0..40 {
        match contest.next() {
            Next::Over => return round,
            Next::Wait => {
                let runs = contest
                    .pairings
                    .iter()
                    .filter(|pairing| pairing.score == Score::Running);
                assert!(
                    runs.clone().any(|pairing| pairing.second.is_some()),
                    "waits for nothing"
                );
                contest.better_numbers_win(at);
            }
            Next::Round(planned) => {
                assert!(!planned.is_empty());
                contest.pairings.extend(planned.into_iter().map(running));
            }
        }
    }
    panic!("does not end");
}

/// What holds of all tables.
fn check(contest: &Contest) {
    for table in contest.tables() {
        let mut entrants: Vec<usize> = table.rows.iter().map(|row| row.entrant).collect();
        entrants.sort_unstable();
        entrants.dedup();
        assert_eq!(entrants.len(), table.rows.len(), "nobody stands in a table twice");
        let places: Vec<u32> = table
            .rows
            .iter()
            .map(|row| row.place.unwrap_or(u32::MAX))
            .collect();
        assert!(places.is_sorted(), "{places:?}");
        for (at, row) in table.rows.iter().enumerate() {
            let Some(place) = row.place else {
                assert!(row.has_left && row.halves == 0);
                continue;
            };
            let first = places.iter().position(|other| *other == place).unwrap();
            assert_eq!(first + 1, place as usize);
            let level = places.iter().filter(|other| **other == place).count();
            assert_eq!(row.is_shared, level > 1, "row {at}");
            assert!(row.wins <= row.played && 2 * row.wins <= row.halves);
        }
        if matches!(contest.format, Format::League) {
            let halves: u32 = table.rows.iter().map(|row| row.halves).sum();
            let played: u32 = table.rows.iter().map(|row| row.played).sum();
            assert!(
                halves <= played && played.is_multiple_of(2),
                "a game is worth two halves at most"
            );
        }
    }
}

proptest! {
    #[test]
    fn whatever_happens_a_contest_ends(
        format in prop::sample::select(&FORMATS[..]),
        entrants in 0..20usize,
        events in prop::collection::vec(event(), 0..120),
    ) {
        let mut contest = contest(format, entrants);
        for (at, event) in events.into_iter().enumerate() {
            event.happen(&mut contest, at as i64);
            check(&contest);
        }
        finish(&mut contest, 1000);
        check(&contest);
        prop_assert_eq!(contest.next(), Next::Over);
    }

    #[test]
    fn the_order_in_which_games_end_changes_no_table(
        format in prop::sample::select(&FORMATS[..]),
        entrants in 2..14usize,
        events in prop::collection::vec(event(), 0..60),
        times in prop::collection::vec(2000..3000i64, 300),
    ) {
        let mut contest = contest(format, entrants);
        for (at, event) in events.into_iter().enumerate() {
            if !matches!(event, Event::Leaves(_)) {
                event.happen(&mut contest, at as i64);
            }
        }
        finish(&mut contest, 1000);
        let (next, tables) = (contest.next(), contest.tables());
        for (pairing, time) in contest.pairings.iter_mut().zip(times) {
            if let Score::Over { at, .. } | Score::BothLost { at } = &mut pairing.score {
                *at = hour(time);
            }
        }
        prop_assert_eq!((contest.next(), contest.tables()), (next, tables));
    }

    #[test]
    fn facts_that_cannot_be_change_nothing(
        format in prop::sample::select(&FORMATS[..]),
        entrants in 0..6usize,
        pairings in prop::collection::vec((0..5u32, 0..3u32, 0..9usize, prop::option::of(0..9usize), 0..4u8), 0..30),
    ) {
        let mut contest = contest(format, entrants);
        contest.pairings = pairings
            .into_iter()
            .map(|(round, group, first, second, score)| Pairing {
                round,
                group,
                first,
                second,
                score: match score {
                    0 => Score::Running,
                    1 => Score::Void,
                    2 => drawn(1),
                    _ => won_by(Seat::First, 1),
                },
            })
            .collect();
        let (_, _) = (contest.next(), contest.tables());
    }
}

/// In a league and in groups what is void is not played again.
#[test]
fn in_a_league_a_void_game_is_not_played_again() {
    let mut league = contest(Format::League, 4);
    assert_eq!(league.begin().len(), 6);
    league.pairings[2].score = Score::Void;
    assert_eq!(league.next(), Next::Wait);
    league.better_numbers_win(1);
    assert_eq!(league.next(), Next::Over);
}

#[test]
fn who_had_left_before_the_beginning_is_not_in_the_table_of_berger() {
    let mut league = contest(Format::League, 4);
    league.leaves(1, 0);
    assert_eq!(league.begin(), [(2, Some(3)), (0, Some(2)), (3, Some(0))]);
    league.better_numbers_win(1);
    assert_eq!(
        league.rows(0).last().map(|row| (row.entrant, row.place)),
        Some((1, None))
    );
}
