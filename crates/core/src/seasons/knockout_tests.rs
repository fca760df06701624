use super::super::facts::{Format, Score};
use super::super::made::{contest, drawn, hour, places};
use super::*;

fn cup(entrants: usize) -> Contest {
    contest(Format::Knockout, entrants)
}

/// Each pair by its numbers, the smaller first.
fn unordered(pairs: &[(usize, Option<usize>)]) -> Vec<(usize, Option<usize>)> {
    let of = |(first, second): &(usize, Option<usize>)| match second {
        Some(second) => (*first.min(second), Some(*first.max(second))),
        None => (*first, None),
    };
    pairs.iter().map(of).collect()
}

#[test]
fn seeds_meet_as_the_bracket_says() {
    assert_eq!(seeded(8), [0, 7, 3, 4, 1, 6, 2, 5]);
    for size in [2, 4, 8, 16, 32, 64] {
        let mut left = seeded(size);
        while left.len() > 1 {
            let last = left.len() - 1;
            assert!(left.chunks(2).all(|pair| pair[0] + pair[1] == last), "{left:?}");
            left = left.chunks(2).map(|pair| pair[0].min(pair[1])).collect();
        }
    }
}

#[test]
fn eight_play_three_rounds() {
    let mut cup = cup(8);
    assert_eq!(
        cup.begin(),
        [(7, Some(0)), (4, Some(3)), (6, Some(1)), (5, Some(2))]
    );
    assert_eq!(cup.next(), Next::Wait);
    cup.better_numbers_win(1);
    assert_eq!(cup.begin(), [(3, Some(0)), (2, Some(1))]);
    cup.better_numbers_win(2);
    assert_eq!(cup.begin(), [(1, Some(0))], "neither has had the first seat");
    cup.better_numbers_win(3);
    assert_eq!(cup.next(), Next::Over);
    let rows = cup.rows(0);
    let of = |row: &Row| (row.entrant, row.place, row.is_shared);
    assert_eq!(
        rows.iter().map(of).collect::<Vec<_>>(),
        [
            (0, Some(1), false),
            (1, Some(2), false),
            (2, Some(3), true),
            (3, Some(3), true),
            (4, Some(5), true),
            (5, Some(5), true),
            (6, Some(5), true),
            (7, Some(5), true),
        ]
    );
    assert_eq!((rows[0].wins, rows[1].wins, rows[1].played), (3, 2, 3));
}

#[test]
fn the_best_seeds_have_the_byes() {
    let mut cup = cup(6);
    assert_eq!(
        unordered(&cup.begin()),
        [(0, None), (3, Some(4)), (1, None), (2, Some(5))]
    );
    cup.wins(4, 3, 1);
    cup.wins(5, 2, 1);
    assert_eq!(unordered(&cup.begin()), [(0, Some(4)), (1, Some(5))]);
}

#[test]
fn a_draw_is_played_again_with_the_seats_exchanged_and_then_the_better_seed_goes_on() {
    let mut cup = cup(4);
    assert_eq!(cup.begin(), [(3, Some(0)), (2, Some(1))]);
    cup.game(3, 0).score = drawn(1);
    assert_eq!(cup.begin(), [(0, Some(3))], "while the other game runs");
    assert_eq!(cup.next(), Next::Wait);
    cup.game(0, 3).score = drawn(2);
    assert_eq!(cup.next(), Next::Wait);
    cup.wins(2, 1, 3);
    assert_eq!(cup.begin(), [(2, Some(0))], "both have had the first seat once");
}

#[test]
fn a_void_game_is_played_again() {
    let mut cup = cup(2);
    cup.begin();
    cup.game(0, 1).score = Score::Void;
    assert_eq!(cup.begin(), [(1, Some(0))]);
    cup.wins(1, 0, 1);
    assert_eq!(cup.next(), Next::Over);
    assert_eq!(places(&cup.rows(0)), [(1, Some(1)), (0, Some(2))]);
}

#[test]
fn the_opponent_of_who_leaves_goes_on() {
    let mut cup = cup(8);
    cup.leaves(6, 0);
    assert_eq!(
        unordered(&cup.begin()),
        [(0, Some(7)), (3, Some(4)), (1, None), (2, Some(5))]
    );
    cup.leaves(0, 1);
    cup.better_numbers_win(2);
    // The board of 0 against 7 says later what the table knows already.
    cup.pairings[0].score = Score::Running;
    assert_eq!(unordered(&cup.begin()), [(3, Some(7)), (1, Some(2))]);
    cup.leaves(3, 3);
    cup.leaves(7, 4);
    cup.wins(2, 1, 5);
    // 7 left after 3 and has won, but is not there.
    assert_eq!(cup.begin(), [(2, None)]);
    assert_eq!(cup.next(), Next::Over);
    assert_eq!(
        places(&cup.rows(0))[..3],
        [(2, Some(1)), (7, Some(2)), (1, Some(3))]
    );
}

#[test]
fn where_both_lose_nobody_goes_on() {
    let mut cup = cup(4);
    cup.begin();
    cup.game(0, 3).score = Score::BothLost { at: hour(1) };
    cup.wins(2, 1, 1);
    assert_eq!(cup.begin(), [(2, None)]);
    assert_eq!(cup.next(), Next::Over);
    assert_eq!(cup.rows(0)[0].entrant, 2);
}

#[test]
fn a_ruling_after_the_next_round_has_begun_changes_nobodys_way() {
    let mut cup = cup(4);
    cup.begin();
    cup.better_numbers_win(1);
    cup.begin();
    let before = cup.rows(0);
    for score in [Score::Void, Score::BothLost { at: hour(1) }, drawn(1)] {
        cup.pairings[0].score = score;
        assert_eq!(cup.next(), Next::Wait, "{score:?}");
        assert_eq!(places(&cup.rows(0)), places(&before));
    }
    cup.better_numbers_win(2);
    assert_eq!(cup.next(), Next::Over);
    assert_eq!(places(&cup.rows(0))[0], (0, Some(1)));
}

#[test]
fn a_cup_of_nobody_or_one_is_over() {
    assert_eq!((cup(0).next(), cup(1).next()), (Next::Over, Next::Over));
    assert_eq!(cup(0).rows(0), []);
    assert_eq!(places(&cup(1).rows(0)), [(0, Some(1))]);
}
