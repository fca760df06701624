use super::super::facts::{Format, Score};
use super::super::made::{contest, places};
use super::*;

#[test]
fn groups_are_of_four_or_of_three_or_five_where_it_does_not_divide() {
    let sizes = |seeds: usize| {
        let groups = snake(&(0..seeds).collect::<Vec<_>>());
        groups.iter().map(Vec::len).collect::<Vec<_>>()
    };
    assert_eq!(sizes(3), [3]);
    assert_eq!(sizes(5), [5]);
    assert_eq!(sizes(6), [3, 3]);
    assert_eq!(sizes(16), [4, 4, 4, 4]);
    for seeds in 3..300 {
        let sizes = sizes(seeds);
        assert!(
            sizes.iter().all(|size| (3..=5).contains(size)),
            "{seeds}: {sizes:?}"
        );
        assert_eq!(sizes.iter().sum::<usize>(), seeds);
        assert!(sizes.iter().filter(|size| **size != 4).count() <= 2);
    }
}

#[test]
fn the_row_of_seeds_turns() {
    let groups = snake(&(0..12).collect::<Vec<_>>());
    assert_eq!(groups, [[0, 5, 6, 11], [1, 4, 7, 10], [2, 3, 8, 9]]);
}

/// The first round of the knockout, if in each group the better numbers win.
fn knockout_of(entrants: usize) -> (Contest, Vec<(usize, Option<usize>)>) {
    let mut cup = contest(Format::Groups, entrants);
    cup.begin();
    cup.better_numbers_win(1);
    let pairs = cup.begin();
    (cup, pairs)
}

#[test]
fn two_of_each_group_go_on_and_meet_in_the_final_at_the_earliest() {
    for entrants in 3..=64 {
        let (mut cup, _) = knockout_of(entrants);
        let group_of: Vec<(usize, u32)> = cup
            .tables()
            .iter()
            .filter(|table| table.group > 0)
            .flat_map(|table| table.rows[..2].iter().map(|row| (row.entrant, table.group)))
            .collect();
        let mut rounds = 0;
        loop {
            rounds += 1;
            let begun: Vec<Pairing> = cup
                .pairings
                .iter()
                .filter(|pairing| pairing.round == 1 + rounds)
                .copied()
                .collect();
            let group = |entrant: usize| group_of.iter().find(|(one, _)| *one == entrant).unwrap().1;
            for pairing in &begun {
                if let Some(second) = pairing.second {
                    let is_final = begun.len() == 1;
                    assert!(
                        is_final || group(pairing.first) != group(second),
                        "{entrants}: {pairing:?}"
                    );
                }
            }
            cup.better_numbers_win(2);
            if cup.next() == Next::Over {
                break;
            }
            cup.begin();
        }
        let groups = cup.tables().len() - 1;
        assert_eq!(rounds, (2 * groups).next_power_of_two().ilog2(), "{entrants}");
        assert_eq!(cup.rows(groups)[0].entrant, 0);
        assert_eq!(cup.rows(groups).len(), 2 * groups);
    }
}

#[test]
fn the_winner_of_a_group_plays_the_second_of_another() {
    let (_, pairs) = knockout_of(8);
    assert_eq!(pairs, [(2, Some(0)), (3, Some(1))]);
}

#[test]
fn the_knockout_waits_for_all_groups() {
    let mut cup = contest(Format::Groups, 8);
    cup.begin();
    cup.better_numbers_win(1);
    let last = cup.pairings.len() - 1;
    cup.pairings[last].score = Score::Running;
    assert_eq!(cup.next(), Next::Wait);
    assert_eq!(cup.tables().len(), 2, "no knockout yet");
}

#[test]
fn for_who_has_left_the_third_of_the_group_goes_on() {
    let mut cup = contest(Format::Groups, 8);
    cup.begin();
    cup.better_numbers_win(1);
    cup.leaves(0, 2);
    let pairs = cup.begin();
    assert_eq!(
        places(&cup.rows(0))[..3],
        [(0, Some(1)), (3, Some(2)), (4, Some(3))]
    );
    let players: Vec<usize> = pairs
        .iter()
        .flat_map(|(first, second)| [*first, second.unwrap()])
        .collect();
    assert!(
        players.contains(&3) && players.contains(&4) && !players.contains(&0),
        "{players:?}"
    );
}

#[test]
fn a_ruling_in_a_group_changes_no_knockout_that_has_begun() {
    let (mut cup, _) = knockout_of(8);
    let knockout = cup.tables().len() - 1;
    let before = cup.rows(knockout);
    for pairing in cup.pairings.iter_mut().filter(|pairing| pairing.group == 1) {
        pairing.score = Score::Void;
    }
    assert_eq!(cup.rows(knockout), before);
    assert_eq!(cup.next(), Next::Wait);
}

#[test]
fn a_group_that_all_leave_sends_nobody() {
    let mut cup = contest(Format::Groups, 8);
    cup.begin();
    for entrant in [0, 3, 4, 7] {
        cup.leaves(entrant, 0);
    }
    cup.better_numbers_win(1);
    assert_eq!(cup.begin().len(), 1, "the final of the other group");
    cup.better_numbers_win(2);
    assert_eq!(cup.next(), Next::Over);
    assert_eq!(places(&cup.rows(2)), [(1, Some(1)), (2, Some(2))]);
}
