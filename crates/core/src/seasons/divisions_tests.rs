use proptest::prelude::*;

use super::*;

#[test]
fn divisions_are_of_ten_at_most_and_as_equal_as_they_can_be() {
    for (players, sizes) in [
        (0, &[][..]),
        (1, &[1]),
        (2, &[2]),
        (10, &[10]),
        (11, &[6, 5]),
        (20, &[10, 10]),
        (21, &[7, 7, 7]),
        (25, &[9, 8, 8]),
        (31, &[8, 8, 8, 7]),
    ] {
        assert_eq!(divisions(players), sizes, "{players} players");
    }
    for players in 3..2000 {
        let sizes = divisions(players);
        assert_eq!(sizes.iter().sum::<usize>(), players);
        assert!(
            sizes.iter().all(|size| (3..=10).contains(size)),
            "{players}: {sizes:?}"
        );
        assert!(sizes.is_sorted_by(|one, other| one >= other) && sizes[0] - sizes[sizes.len() - 1] <= 1);
    }
}

fn everybody(_: i32) -> bool {
    true
}

#[test]
fn two_go_up_and_two_go_down() {
    let last = [
        vec![1, 2, 3, 4, 5, 6],
        vec![7, 8, 9, 10, 11],
        vec![12, 13, 14, 15, 16],
    ];
    let next = [1, 2, 3, 4, 7, 8, 5, 6, 9, 12, 13, 10, 11, 14, 15, 16];
    assert_eq!(reordered(&last, everybody, &[]), next);
}

#[test]
fn between_small_divisions_one_goes_each_way() {
    let last = [vec![1, 2, 3, 4, 5], vec![6, 7, 8, 9]];
    assert_eq!(reordered(&last, everybody, &[]), [1, 2, 3, 4, 6, 5, 7, 8, 9]);
}

#[test]
fn if_somebody_who_would_go_up_leaves_the_next_goes_up() {
    let last = [vec![1, 2, 3, 4, 5], vec![6, 7, 8, 9, 10]];
    assert_eq!(
        reordered(&last, |player| player != 6, &[]),
        [1, 2, 3, 7, 8, 4, 5, 9, 10]
    );
}

#[test]
fn who_leaves_from_the_foot_is_one_of_those_who_go_down() {
    let last = [vec![1, 2, 3, 4, 5], vec![6, 7, 8, 9, 10]];
    assert_eq!(
        reordered(&last, |player| player != 5, &[]),
        [1, 2, 3, 6, 7, 4, 8, 9, 10]
    );
}

#[test]
fn newcomers_come_last_and_nobody_comes_twice() {
    let last = [vec![1, 2, 3]];
    assert_eq!(reordered(&last, |player| player != 2, &[4, 3, 2]), [1, 3, 4, 2]);
    assert_eq!(reordered(&[], everybody, &[4, 3]), [4, 3]);
}

proptest! {
    #[test]
    fn everybody_who_stays_is_there_once(
        sizes in prop::collection::vec(0..12usize, 0..6),
        leavers in prop::collection::hash_set(0..60usize, 0..30),
    ) {
        let mut number = 0;
        let last: Vec<Vec<usize>> = sizes
            .into_iter()
            .map(|size| { number += size; (number - size..number).collect() })
            .collect();
        let mut order = reordered(&last, |player| !leavers.contains(&player), &[1000, 1001]);
        order.sort_unstable();
        let staying: Vec<usize> =
            (0..number).filter(|player| !leavers.contains(player)).chain([1000, 1001]).collect();
        prop_assert_eq!(order, staying);
    }
}
