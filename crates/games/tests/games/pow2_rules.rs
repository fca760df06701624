//! The engine of The Power of Two against a slow and simple one, written here from the text of the rules and the
//! table of lines only.

use std::collections::{BTreeMap, BTreeSet};

use pbmserv_games::{Match, Options, Outcome, Seat};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

/// Every way to combine the options.
const OPTIONS: [&str; 12] = [
    "",
    "-noborder",
    "-exact",
    "-exact -noborder",
    "-fast",
    "-noborder -fast",
    "-exact -fast",
    "-exact -noborder -fast",
    "-middle",
    "-noborder -middle",
    "-exact -middle",
    "-exact -noborder -middle",
];

type Cells = BTreeMap<String, char>;

struct Plain {
    lines: Vec<Vec<String>>,
    adjacent: BTreeSet<(String, String)>,
    points: BTreeSet<String>,
    exact: bool,
    noborder: bool,
}

impl Plain {
    fn new(options: &str) -> Self {
        let table: serde_json::Value =
            serde_json::from_str(include_str!("../oracles/pow2-board.json")).unwrap();
        let lines: Vec<Vec<String>> = (table["lines"].as_array().unwrap().iter())
            .map(|line| line.as_str().unwrap().split(' ').map(str::to_owned).collect())
            .collect();
        let mut adjacent = BTreeSet::new();
        for pair in lines.iter().flat_map(|line| line.windows(2)) {
            adjacent.insert((pair[0].clone(), pair[1].clone()));
            adjacent.insert((pair[1].clone(), pair[0].clone()));
        }
        Self {
            points: lines.iter().flatten().cloned().collect(),
            lines,
            adjacent,
            exact: options.contains("-exact"),
            noborder: options.contains("-noborder"),
        }
    }

    fn adjacent(&self, a: &str, b: &str) -> bool {
        self.adjacent.contains(&(a.to_owned(), b.to_owned()))
    }

    fn triangle(&self, a: &str, b: &str, c: &str) -> bool {
        self.adjacent(a, b) && self.adjacent(b, c) && self.adjacent(a, c)
    }

    fn travelled(&self, line: &[String]) -> bool {
        let on_edge = |edge: fn(&str) -> bool| line.iter().all(|point| edge(point));
        let edge = on_edge(|p| p.starts_with('a'))
            || on_edge(|p| p.starts_with('m'))
            || on_edge(|p| &p[1..] == "1")
            || on_edge(|p| &p[1..] == "13");
        !(self.noborder && edge)
    }

    fn moves(&self, cells: &Cells, from: &str) -> Vec<String> {
        let mut to = Vec::new();
        for line in self.lines.iter().filter(|line| self.travelled(line)) {
            let Some(at) = line.iter().position(|p| p == from) else {
                continue;
            };
            let empty = |p: &&String| !cells.contains_key(*p);
            to.extend(line[at + 1..].iter().take_while(empty).cloned());
            to.extend(line[..at].iter().rev().take_while(empty).cloned());
        }
        to
    }

    /// Each neighbour in turn takes each point that makes a triangle and is not taken.
    fn choices(&self, to: &str, neighbours: &[&String], free: &[&String]) -> BTreeSet<BTreeSet<String>> {
        let Some((neighbour, others)) = neighbours.split_first() else {
            return BTreeSet::from([BTreeSet::new()]);
        };
        let mut all = BTreeSet::new();
        for point in free.iter().filter(|point| self.triangle(to, neighbour, point)) {
            let rest: Vec<_> = free.iter().copied().filter(|p| p != point).collect();
            for mut choice in self.choices(to, others, &rest) {
                choice.insert((*point).clone());
                all.insert(choice);
            }
        }
        all
    }

    fn turns(&self, cells: &Cells, side: [char; 2]) -> BTreeSet<String> {
        let supply = 16 - cells.values().filter(|c| side.contains(c)).count();
        let mut turns = BTreeSet::new();
        for (from, _) in cells.iter().filter(|(_, c)| side.contains(c)) {
            for to in self.moves(cells, from) {
                let occupied = |p: &&String| cells.contains_key(*p) && *p != from;
                let neighbours: Vec<_> = cells
                    .keys()
                    .filter(occupied)
                    .filter(|p| self.adjacent(p, &to))
                    .collect();
                let free: Vec<_> = self
                    .points
                    .iter()
                    .filter(|p| !occupied(p) && **p != to)
                    .filter(|p| self.adjacent(p, &to))
                    .collect();
                let complete = self.choices(&to, &neighbours, &free);
                let choices = if neighbours.len() <= supply {
                    complete
                } else if self.exact {
                    BTreeSet::new()
                } else {
                    complete.iter().flat_map(|choice| parts(choice, supply)).collect()
                };
                turns.extend(choices.iter().map(|choice| text(from, &to, choice)));
            }
        }
        turns
    }

    fn play(&self, cells: &mut Cells, side: [char; 2], turn: &str) {
        let (points, placed) = turn.split_once(':').unwrap_or((turn, ""));
        let (from, to) = points.split_once('-').unwrap();
        let piece = cells.remove(from).unwrap();
        let near = |p: &&String| self.adjacent(p, to);
        let any = cells.keys().any(|p| near(&p));
        let older: Vec<_> = (cells.iter())
            .filter(|(p, c)| near(p) && side.contains(c))
            .map(|(p, _)| p.clone())
            .chain([to.to_owned()])
            .collect();
        cells.insert(to.to_owned(), piece);
        for point in placed.split(',').filter(|point| !point.is_empty()) {
            assert_eq!(cells.insert(point.to_owned(), side[0]), None);
        }
        for point in older.iter().filter(|_| any) {
            if cells[point] == side[0] {
                cells.insert(point.clone(), side[1]);
            } else {
                cells.remove(point);
            }
        }
    }
}

fn parts(of: &BTreeSet<String>, size: usize) -> BTreeSet<BTreeSet<String>> {
    let mut sets = BTreeSet::from([of.clone()]);
    for _ in size..of.len() {
        let without = |set: BTreeSet<String>| {
            let each: Vec<_> = set.iter().cloned().collect();
            each.into_iter().map(move |point| {
                let mut less = set.clone();
                less.remove(&point);
                less
            })
        };
        sets = sets.into_iter().flat_map(without).collect();
    }
    sets
}

fn text(from: &str, to: &str, placed: &BTreeSet<String>) -> String {
    let mut placed: Vec<_> = placed.iter().collect();
    placed.sort_by_key(|point| (point[1..].parse::<u32>().unwrap(), point[..1].to_owned()));
    let mut text = format!("{from}-{to}");
    for (at, point) in placed.into_iter().enumerate() {
        text.push(if at == 0 { ':' } else { ',' });
        text.push_str(point);
    }
    text
}

fn start(options: &str) -> Box<dyn Match> {
    let game = pbmserv_games::find("Pow2").unwrap();
    game.start(&Options::parse(game.facts, options.split_whitespace()).unwrap())
        .unwrap()
}

fn cells(position: &dyn Match) -> Cells {
    position.cells().into_iter().collect()
}

const SIDES: [[char; 2]; 2] = [['O', 'o'], ['X', 'x']];

#[test]
fn the_listed_turns_and_what_they_do_are_those_of_the_plain_rules_under_all_options() {
    let mut short = 0;
    let mut ended = [0; 2];
    for (seed, options) in (0..).zip(OPTIONS.iter().cycle().take(24)) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let plain = Plain::new(options);
        let mut position = start(options);
        let mut played = 0;
        while let Some(seat) = position.to_move() {
            let side = SIDES[seat.index()];
            let mut before = cells(&*position);
            let supply = 16 - before.values().filter(|c| side.contains(c)).count();
            // Games differ little at their beginning; rare situations come late.
            if played % 4 == 0 || supply < 5 {
                let turns = position.turns(usize::MAX);
                let expected = plain.turns(&before, side);
                assert_eq!(turns.len() as u64, position.perft(1), "{options} {before:?}");
                assert_eq!(turns.len(), expected.len(), "each once: {options} {before:?}");
                assert_eq!(
                    turns.into_iter().collect::<BTreeSet<_>>(),
                    expected,
                    "{options} {before:?}"
                );
                let unlimited = Plain {
                    exact: false,
                    ..Plain::new(options)
                };
                let calls_for = |turn: &String| turn.matches([':', ',']).count();
                short += u32::from(expected.iter().any(|t| calls_for(t) == supply));
                short += u32::from(plain.exact && expected != unlimited.turns(&before, side));
            }
            let turn = position.random_turn(&mut rng).unwrap();
            assert_eq!(position.play(&turn).as_ref(), Ok(&turn));
            plain.play(&mut before, side, &turn);
            assert_eq!(before, cells(&*position), "{options} after {turn}");
            played += 1;
            assert!(played < position.facts().longest_random_game);
        }
        let last = cells(&*position);
        let Some(Outcome::Won(winner)) = position.outcome() else {
            panic!("a game without a winner")
        };
        ended[winner.index()] += 1;
        let complete = last
            .values()
            .filter(|c| SIDES[winner.index()].contains(c))
            .count()
            == 16;
        let stuck = plain.turns(&last, SIDES[winner.other().index()]).is_empty();
        assert!(complete || stuck);
    }
    assert!(
        short > 20,
        "the games came to positions with a short supply: {short}"
    );
    assert!(ended.iter().all(|games| *games > 0), "{ended:?}");
}

#[test]
fn the_reader_accepts_exactly_the_listed_turns() {
    for (seed, options) in (0..).zip(["", "-exact -noborder -fast", "-middle"]) {
        let mut rng = ChaCha8Rng::seed_from_u64(100 + seed);
        let mut position = start(options);
        let plain = Plain::new(options);
        let mut played = 0;
        while position.to_move().is_some() {
            if played % 12 == 5 {
                reader_agrees(&*position, &plain.points);
            }
            let turn = position.random_turn(&mut rng).unwrap();
            position.play(&turn).unwrap();
            played += 1;
        }
    }
}

fn reader_agrees(position: &dyn Match, points: &BTreeSet<String>) {
    let turns = position.turns(usize::MAX);
    let mut by_move: BTreeMap<&str, Vec<&String>> = BTreeMap::new();
    for turn in &turns {
        assert_eq!(position.read(turn).as_ref(), Ok(turn));
        let (points, placed) = turn.split_once(':').unwrap_or((turn, ""));
        by_move.entry(points).or_default().push(turn);
        let mut placed: Vec<_> = placed.split(',').collect();
        placed.reverse();
        let points = points.to_uppercase().replace('-', " -> ");
        let other = match placed.as_slice() {
            [""] => points,
            placed => format!(" {points} : {} ", placed.join(" ,")),
        };
        assert_eq!(position.read(&other).as_ref(), Ok(turn), "{other}");
        assert!(
            position
                .read(&format!("{turn}{}a1", if turn.contains(':') { ',' } else { ':' }))
                .is_err()
        );
    }
    for (from, to) in points
        .iter()
        .flat_map(|from| points.iter().map(move |to| (from, to)))
    {
        let text = format!("{from}-{to}");
        match (
            by_move.get(text.as_str()).map(Vec::as_slice),
            position.read(&text),
        ) {
            (None, Err(refusal)) => {
                assert_eq!(refusal.kind, pbmserv_games::Kind::Illegal);
                assert_eq!(refusal.choices, Vec::<String>::new());
            }
            (Some([only]), Ok(turn)) => assert_eq!(&turn, *only),
            (Some(all @ [_, _, ..]), Err(refusal)) => {
                assert_eq!(refusal.kind, pbmserv_games::Kind::Ambiguous);
                assert_eq!(refusal.choices.iter().collect::<Vec<_>>(), *all);
            }
            (listed, read) => panic!("{text}: listed {listed:?}, read {read:?}"),
        }
    }
}

#[test]
fn the_seats_are_light_and_dark() {
    assert_eq!(start("").to_move(), Some(Seat::First));
    assert_eq!(start("").facts().sides, ["Light", "Dark"]);
}
