//! A second count of tables: from rows, without the program's arithmetic.

use std::collections::BTreeMap;

use super::{House, database};

/// A game of a division: its two entrants, and what each got, in half points; `None`: it runs.
struct Counted {
    players: [usize; 2],
    halves: Option<[i64; 2]>,
    at: i64,
}

/// What a row of a table says.
#[derive(Clone, Debug, PartialEq)]
struct Stands {
    userid: String,
    /// Half points, and quarters of Sonneborn-Berger.
    sums: (i64, i64),
    /// Whether it has a place.
    counts: bool,
}

/// Every division's table as it is mailed is what its games give, best first.
pub(super) async fn all_tables_are_right(house: &mut House) {
    let divisions = rows(
        house,
        "SELECT id, game, season, division FROM contests WHERE season IS NOT NULL ORDER BY id",
    );
    let mut by_season: BTreeMap<(String, i64), Vec<i64>> = BTreeMap::new();
    for row in &divisions {
        let key = (row[1].clone(), number(&row[2]));
        by_season.entry(key).or_default().push(number(&row[0]));
    }
    pairs_meet_once(house);
    for ((game, season), contests) in by_season {
        let text = mailed(house, &format!("{game} tables {season}")).await;
        let tables = shown(&text);
        assert!(tables.len() >= contests.len(), "{text}");
        for (contest, table) in contests.into_iter().zip(tables) {
            let expected = counted(house, contest);
            let mut sorted = table.clone();
            sorted.sort_by(|a, b| a.userid.cmp(&b.userid));
            assert_eq!(sorted, expected, "{game} season {season}: {text}");
            let places: Vec<_> = table
                .iter()
                .filter(|row| row.counts)
                .map(|row| row.sums)
                .collect();
            assert!(places.is_sorted_by(|a, b| a >= b), "{text}");
        }
    }
}

fn rows(house: &House, sql: &str) -> Vec<Vec<String>> {
    database::rows(house.stage().data(), sql)
}

fn number(text: &str) -> i64 {
    text.parse().unwrap()
}

async fn mailed(house: &mut House, line: &str) -> String {
    let letters = house.command(0, line).await;
    let [letter] = letters.as_slice() else {
        panic!("{line}: {} letters", letters.len())
    };
    letter.text.clone()
}

/// Two entrants of a division have one game, and each has all of them.
fn pairs_meet_once(house: &House) {
    let twice = "SELECT p.contest FROM pairings p JOIN contests c ON c.id = p.contest WHERE c.season IS NOT NULL \
                 GROUP BY p.contest, CASE WHEN p.first < p.second THEN p.first ELSE p.second END, \
                 CASE WHEN p.first < p.second THEN p.second ELSE p.first END HAVING COUNT(*) > 1";
    assert_eq!(rows(house, twice), Vec::<Vec<String>>::new());
    let strange = "SELECT p.id FROM pairings p JOIN boards b ON b.id = p.board JOIN entrants e ON e.contest = p.contest AND \
                   e.number = p.first JOIN entrants f ON f.contest = p.contest AND f.number = p.second \
                   WHERE b.first_player <> e.player OR b.second_player <> f.player";
    assert_eq!(rows(house, strange), Vec::<Vec<String>>::new());
}

/// The rows of a division by userid, from its games.
fn counted(house: &House, contest: i64) -> Vec<Stands> {
    let sql = format!(
        "SELECT e.number, p.userid, COALESCE(e.left_at, 0) FROM entrants e JOIN players p ON p.id = e.player \
         WHERE e.contest = {contest} ORDER BY e.number"
    );
    let entrants: Vec<(String, i64)> = rows(house, &sql)
        .into_iter()
        .map(|row| (row[1].clone(), number(&row[2])))
        .collect();
    let games = games(house, contest, &entrants);
    let gone = annulled(&entrants, &games);
    let counts = |game: &&Counted| game.players.iter().all(|player| !gone[*player]);
    let mut halves = vec![0; entrants.len()];
    for game in games.iter().filter(counts) {
        for (player, got) in game.players.iter().zip(game.halves.unwrap_or_default()) {
            halves[*player] += got;
        }
    }
    let mut all: Vec<_> = (0..entrants.len())
        .map(|own| {
            let mut quarters = 0;
            let mut played = 0;
            for game in games.iter().filter(counts) {
                let Some(got) = game.halves else { continue };
                for (seat, player) in game.players.iter().enumerate() {
                    if *player == own {
                        quarters += got[seat] * halves[game.players[1 - seat]];
                        played += 1;
                    }
                }
            }
            let has_left = entrants[own].1 > 0;
            let is_out = gone[own] || (has_left && played == 0 && halves[own] == 0);
            Stands {
                userid: entrants[own].0.clone(),
                sums: if gone[own] {
                    (0, 0)
                } else {
                    (halves[own], quarters)
                },
                counts: !is_out,
            }
        })
        .collect();
    all.sort_by(|a, b| a.userid.cmp(&b.userid));
    all
}

/// The games that count, with the results of boards and rulings.
fn games(house: &House, contest: i64, entrants: &[(String, i64)]) -> Vec<Counted> {
    let sql = format!(
        "SELECT p.first, p.second, COALESCE(p.ruling, ''), COALESCE(b.result, ''), COALESCE(b.result_by, ''), \
         COALESCE(p.ruled_at, b.ended_at, 0) FROM pairings p LEFT JOIN boards b ON b.id = p.board \
         WHERE p.contest = {contest} ORDER BY p.id"
    );
    let mut games = Vec::new();
    for row in rows(house, &sql) {
        let players = [number(&row[0]), number(&row[1])].map(|one| usize::try_from(one - 1).unwrap());
        let won_by = |word: &str| match word {
            "first" => Some([2, 0]),
            "second" => Some([0, 2]),
            "draw" => Some([1, 1]),
            "none" => Some([0, 0]),
            _ => None,
        };
        let result = match (row[2].as_str(), row[3].as_str()) {
            ("void", _) | ("", "void") => continue,
            // Who did not begin has lost.
            ("", "removed") => won_by(if row[4] == "first" { "second" } else { "first" }),
            ("", result) => won_by(result),
            (ruling, _) => won_by(ruling),
        };
        let mut at = number(&row[5]);
        let left = players.map(|player| entrants[player].1);
        let result = result.or_else(|| {
            // The one who left first has lost what was not over.
            at = left.into_iter().filter(|at| *at > 0).min()?;
            Some(match (left[0] == at, left[1] == at) {
                (true, true) => [0, 0],
                (true, false) => [0, 2],
                _ => [2, 0],
            })
        });
        games.push(Counted {
            players,
            halves: result,
            at,
        });
    }
    games
}

/// Who left before half of their games were over, in the order of leaving.
fn annulled(entrants: &[(String, i64)], games: &[Counted]) -> Vec<bool> {
    let mut gone = vec![false; entrants.len()];
    let mut leavers: Vec<_> = (0..entrants.len()).filter(|one| entrants[*one].1 > 0).collect();
    leavers.sort_by_key(|one| (entrants[*one].1, *one));
    for own in leavers {
        let mut of_own = games
            .iter()
            .filter(|game| game.players.contains(&own))
            .collect::<Vec<_>>();
        of_own.retain(|game| !game.players.iter().any(|player| *player != own && gone[*player]));
        let over = of_own
            .iter()
            .filter(|game| game.halves.is_some() && game.at < entrants[own].1)
            .count();
        gone[own] = over * 2 < of_own.len();
    }
    gone
}

/// The tables of a mail, in its order.
fn shown(text: &str) -> Vec<Vec<Stands>> {
    let mut tables: Vec<Vec<Stands>> = Vec::new();
    let mut is_table = false;
    for line in text.lines() {
        let words: Vec<_> = line.split_whitespace().collect();
        if words.first() == Some(&"Player") {
            tables.push(Vec::new());
            is_table = true;
        } else if let ([place, userid, points, .., berger], true) = (words.as_slice(), is_table)
            && berger.contains('.')
        {
            let (whole, half) = match points.strip_suffix('½') {
                Some(whole) => (whole, 1),
                None => (*points, 0),
            };
            let (units, hundredths) = berger.split_once('.').unwrap();
            tables.last_mut().unwrap().push(Stands {
                userid: (*userid).to_owned(),
                sums: (
                    2 * whole.parse().unwrap_or(0) + half,
                    4 * number(units) + number(hundredths) / 25,
                ),
                counts: *place != "-",
            });
        } else {
            is_table = false;
        }
    }
    tables
}
