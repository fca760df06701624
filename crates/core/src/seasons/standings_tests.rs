use super::super::facts::{Format, Score};
use super::super::made::{contest, drawn, hour, places, won_by};
use super::*;
use pbmserv_games::Seat;

/// A league whose games are those of a crosstable: each line a player, in the order of the places printed; in each column the
/// games against one opponent, `=` for a draw.
fn crosstable(table: &str) -> Contest {
    let lines: Vec<Vec<&str>> = table
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    let mut league = contest(Format::League, lines.len());
    for (first, line) in lines.iter().enumerate() {
        assert_eq!(line.len(), lines.len());
        for second in first + 1..lines.len() {
            let back = lines[second][first];
            assert_eq!(line[second].len(), back.len());
            for (result, back) in line[second].chars().zip(back.chars()) {
                let score = match (result, back) {
                    ('1', '0') => won_by(Seat::First, 1),
                    ('0', '1') => won_by(Seat::Second, 1),
                    ('=', '=') => drawn(1),
                    _ => panic!("{first} against {second}: {result} and {back}"),
                };
                league.pairings.push(Pairing {
                    round: 1,
                    group: 0,
                    first,
                    second: Some(second),
                    score,
                });
            }
        }
    }
    league
}

/// Of each row the points and Sonneborn-Berger, as they are printed.
fn sums(contest: &Contest) -> Vec<(f64, f64)> {
    let printed = |row: &Row| (f64::from(row.halves) / 2.0, f64::from(row.sonneborn_berger) / 4.0);
    contest.rows(0).iter().map(printed).collect()
}

/// The table of a club's tournament of 2013, with its column of Sonneborn-Berger (www.wsc1887.de, "Spontan-Turnier 2013"). Two pairs
/// are level by points; of one, Sonneborn-Berger is level, too.
#[test]
fn a_tournament_of_seven_has_the_table_that_its_club_printed() {
    let played = crosstable(
        "* 1 1 1 1 1 1
         0 * 1 1 1 0 1
         0 0 * 1 1 1 1
         0 0 0 * = 1 1
         0 0 0 = * 1 1
         0 1 0 0 0 * 1
         0 0 0 0 0 0 *",
    );
    let printed = [
        (6.0, 15.0),
        (4.0, 9.0),
        (4.0, 7.0),
        (2.5, 3.25),
        (2.5, 3.25),
        (2.0, 4.0),
        (0.0, 0.0),
    ];
    assert_eq!(sums(&played), printed);
    let order: Vec<_> = (0..7)
        .map(|entrant| (entrant, Some(entrant as u32 + 1)))
        .collect();
    assert_eq!(places(&played.rows(0)), order);
}

/// The table of another club's tournament (sv-bad-bevensen.de, "Rangliste: Stand nach der 7. Runde"). The fourth and the fifth are
/// level by points, and the fifth has beaten the fourth: Sonneborn-Berger stands before the direct game.
#[test]
fn a_tournament_of_eight_has_the_table_that_its_club_printed() {
    let played = crosstable(
        "* 1 1 1 1 1 1 1
         0 * 1 = 1 1 1 1
         0 0 * = 1 1 1 1
         0 = = * 0 1 1 1
         0 0 0 1 * 1 1 1
         0 0 0 0 0 * 1 1
         0 0 0 0 0 0 * 1
         0 0 0 0 0 0 0 *",
    );
    let printed = [
        (7.0, 21.0),
        (5.5, 13.5),
        (4.5, 9.0),
        (4.0, 8.0),
        (4.0, 7.0),
        (2.0, 1.0),
        (1.0, 0.0),
        (0.0, 0.0),
    ];
    assert_eq!(sums(&played), printed);
    let order: Vec<_> = (0..8)
        .map(|entrant| (entrant, Some(entrant as u32 + 1)))
        .collect();
    assert_eq!(places(&played.rows(0)), order);
}

/// AVRO 1938, two games each pair: Keres was placed before Fine, with as many points.
#[test]
fn keres_was_first_at_avro() {
    let played = crosstable(
        "** 1= == == == 1= 1= ==
         0= ** 1= 11 10 10 == 1=
         == 0= ** 1= =0 1= =1 ==
         == 00 0= ** 1= == =1 =1
         == 01 =1 0= ** 0= 01 1=
         0= 01 0= == 1= ** == 1=
         0= == =0 =0 10 == ** 1=
         == 0= == =0 0= 0= 0= **",
    );
    let rows = played.rows(0);
    let points: Vec<f64> = rows.iter().map(|row| f64::from(row.halves) / 2.0).collect();
    assert_eq!(points, [8.5, 8.5, 7.5, 7.0, 7.0, 7.0, 6.0, 4.5]);
    assert_eq!(places(&rows)[..3], [(0, Some(1)), (1, Some(2)), (2, Some(3))]);
    assert!(rows[0].sonneborn_berger > rows[1].sonneborn_berger);
    assert!(rows.iter().all(|row| row.played == 14));
}

#[test]
fn who_is_level_by_all_games_stands_by_rating_or_shares_the_place() {
    // The first three beat each other in a circle, all beat the last.
    let mut played = crosstable(
        "* 1 0 1
         0 * 1 1
         1 0 * 1
         0 0 0 *",
    );
    let rows = played.rows(0);
    assert!(
        rows[..3]
            .iter()
            .all(|row| (row.halves, row.sonneborn_berger, row.direct, row.wins) == (4, 8, 2, 2))
    );
    assert_eq!(
        places(&rows),
        [(0, Some(1)), (1, Some(2)), (2, Some(3)), (3, Some(4))],
        "by rating"
    );

    played.entrants[1].rating = 2000.0;
    let rows = played.rows(0);
    assert_eq!(
        places(&rows),
        [(0, Some(1)), (1, Some(1)), (2, Some(3)), (3, Some(4))]
    );
    let shared: Vec<bool> = rows.iter().map(|row| row.is_shared).collect();
    assert_eq!(shared, [true, true, false, false]);
}

#[test]
fn a_direct_game_decides_between_two_who_are_level() {
    let played = crosstable(
        "* = 1 1
         = * 0 1
         0 1 * =
         0 0 = *",
    );
    let rows = played.rows(0);
    let of = |row: &Row| (row.halves, row.sonneborn_berger, row.direct);
    assert_eq!([of(&rows[1]), of(&rows[2])], [(3, 7, 2), (3, 7, 0)]);
    assert_eq!(
        places(&rows),
        [(0, Some(1)), (2, Some(2)), (1, Some(3)), (3, Some(4))]
    );
}

/// All games run.
fn league_of_five() -> Contest {
    let mut league = contest(Format::League, 5);
    league.begin();
    league
}

#[test]
fn who_leaves_before_half_of_the_games_is_out_of_the_table_and_so_are_the_games() {
    let mut league = league_of_five();
    league.wins(4, 0, 1);
    league.leaves(4, 2);
    for (winner, loser) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
        league.wins(winner, loser, 3);
    }
    let rows = league.rows(0);
    assert_eq!(
        places(&rows),
        [(0, Some(1)), (1, Some(2)), (2, Some(3)), (3, Some(4)), (4, None)]
    );
    let points: Vec<(u32, u32)> = rows.iter().map(|row| (row.halves, row.played)).collect();
    assert_eq!(points, [(6, 3), (4, 3), (2, 3), (0, 3), (0, 0)]);
    assert!(rows[4].has_left);
}

#[test]
fn who_leaves_later_has_lost_what_still_runs() {
    let mut league = league_of_five();
    league.wins(4, 0, 1);
    league.wins(4, 1, 1);
    league.leaves(4, 2);
    let rows = league.rows(0);
    let row = rows.iter().find(|row| row.entrant == 4).unwrap();
    assert_eq!((row.halves, row.played, row.has_left), (4, 4, true));
    assert_eq!(row.place, Some(1), "nobody else has more yet: {rows:?}");
    for opponent in [2, 3] {
        let opponent = rows.iter().find(|row| row.entrant == opponent).unwrap();
        assert_eq!((opponent.halves, opponent.wins), (2, 1));
    }
}

#[test]
fn the_boards_that_leaving_has_ended_do_not_count_for_the_half() {
    let mut league = league_of_five();
    league.wins(4, 0, 1);
    league.leaves(4, 2);
    let before = league.rows(0);
    for opponent in [1, 2, 3] {
        league.wins(opponent, 4, 2);
    }
    assert_eq!(league.rows(0), before);
    assert_eq!(before.last().map(|row| (row.entrant, row.place)), Some((4, None)));
}

#[test]
fn of_two_who_leave_the_first_loses_their_game() {
    let mut league = contest(Format::League, 3);
    league.begin();
    league.wins(0, 2, 1);
    league.wins(1, 2, 1);
    league.leaves(1, 2);
    league.leaves(0, 3);
    let rows = league.rows(0);
    assert_eq!(places(&rows), [(0, Some(1)), (1, Some(2)), (2, Some(3))]);
    assert_eq!(rows[0].halves, 4);
}

#[test]
fn a_void_game_is_as_if_it_had_not_been_and_both_may_lose() {
    let mut league = contest(Format::League, 3);
    league.begin();
    league.better_numbers_win(1);
    league.pairings[0].score = Score::Void;
    let (one, other) = (league.pairings[0].first, league.pairings[0].second.unwrap());
    let rows = league.rows(0);
    for row in rows
        .iter()
        .filter(|row| row.entrant == one || row.entrant == other)
    {
        assert_eq!(row.played, 1);
    }
    for pairing in &mut league.pairings {
        pairing.score = Score::BothLost { at: hour(1) };
    }
    let rows = league.rows(0);
    assert!(
        rows.iter()
            .all(|row| (row.halves, row.played, row.wins) == (0, 2, 0))
    );
}

#[test]
fn in_a_swiss_a_bye_counts_as_an_opponent_with_the_own_points() {
    let mut swiss = contest(Format::Swiss { rounds: 2 }, 3);
    swiss.begin();
    swiss.better_numbers_win(1);
    swiss.begin();
    swiss.better_numbers_win(2);
    // First 1 beats 2 and 3 has the bye, then 1 beats 3 and 2 has it.
    let rows = swiss.rows(0);
    let of = |row: &Row| (row.entrant, row.halves, row.buchholz, row.sonneborn_berger);
    assert_eq!(
        rows.iter().map(of).collect::<Vec<_>>(),
        [(0, 4, 4, 8), (1, 2, 6, 4), (2, 2, 6, 4)]
    );
}
