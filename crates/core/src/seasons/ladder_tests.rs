use proptest::prelude::*;

use super::*;

fn ids(numbers: &[i64]) -> Vec<PlayerId> {
    numbers.iter().copied().map(PlayerId).collect()
}

fn won(challenger: i64, defender: i64) -> LadderEvent {
    LadderEvent::Won {
        challenger: PlayerId(challenger),
        defender: PlayerId(defender),
    }
}

fn five() -> Vec<LadderEvent> {
    (1..=5)
        .map(|number| LadderEvent::Joined(PlayerId(number)))
        .collect()
}

#[test]
fn a_challenger_who_wins_takes_the_place_and_those_between_move_down() {
    let events = [five(), vec![won(4, 2)]].concat();
    assert_eq!(ranks(events), ids(&[1, 4, 2, 3, 5]));
}

#[test]
fn a_challenger_who_has_come_above_the_defender_meanwhile_stays_there() {
    let events = [five(), vec![won(4, 1), won(4, 1), won(4, 2)]].concat();
    assert_eq!(ranks(events), ids(&[4, 1, 2, 3, 5]));
}

#[test]
fn who_leaves_and_comes_back_begins_at_the_foot() {
    let left = LadderEvent::Left(PlayerId(1));
    let back = LadderEvent::Joined(PlayerId(1));
    assert_eq!(
        ranks([five(), vec![left, won(1, 2), won(5, 1)]].concat()),
        ids(&[2, 3, 4, 5])
    );
    assert_eq!(ranks([five(), vec![left, back]].concat()), ids(&[2, 3, 4, 5, 1]));
    assert_eq!(
        ranks([five(), vec![back]].concat()),
        ids(&[1, 2, 3, 4, 5]),
        "joined twice"
    );
}

#[test]
fn one_may_challenge_five_ranks_up_and_the_frozen_are_passed_over() {
    let ladder = ids(&[1, 2, 3, 4, 5, 6, 7, 8]);
    let may = |player, frozen: &[i64]| {
        challengeable(&ladder, PlayerId(player), 5, |other| frozen.contains(&other.0))
    };
    assert_eq!(may(8, &[]), ids(&[3, 4, 5, 6, 7]));
    assert_eq!(may(8, &[7, 4]), ids(&[1, 2, 3, 5, 6]));
    assert_eq!(may(3, &[]), ids(&[1, 2]));
    assert_eq!(may(1, &[]), []);
    assert_eq!(may(9, &[]), [], "who is not on the ladder");
}

proptest! {
    #[test]
    fn the_ladder_has_those_who_joined_and_did_not_leave(
        events in prop::collection::vec((0..3u8, 0..8i64, 0..8i64), 0..60)
    ) {
        let events = events.into_iter().map(|(kind, one, other)| match kind {
            0 => LadderEvent::Joined(PlayerId(one)),
            1 => LadderEvent::Left(PlayerId(one)),
            _ => won(one, other),
        });
        let mut present = std::collections::BTreeSet::new();
        for event in events.clone() {
            match event {
                LadderEvent::Joined(player) => { present.insert(player.0); }
                LadderEvent::Left(player) => { present.remove(&player.0); }
                LadderEvent::Won { .. } => {}
            }
        }
        let mut ladder: Vec<i64> = ranks(events).into_iter().map(|player| player.0).collect();
        ladder.sort_unstable();
        prop_assert_eq!(ladder, present.into_iter().collect::<Vec<_>>());
    }
}
