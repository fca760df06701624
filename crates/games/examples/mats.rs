//! Matches of backgammon for `tests/lockstep/gnubg_mat.py`: `mats write SEED COUNT FOLDER` writes matches at random, some of which stop
//! or have games that are given up; `mats rewrite FOLDER OTHER` reads the files of a folder and writes them to another; `mats compare
//! FOLDER OTHER` reads the files of both and prints what differs.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Error, Result, Write as _};
use std::path::{Path, PathBuf};

use pbmserv_games::record::Record;
use pbmserv_games::{Ending, Options};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt as _, SeedableRng as _};

const OFFERS: [&str; 3] = ["concede", "concede gammon", "concede backgammon"];

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let number = |text: &str| text.parse::<u64>().map_err(Error::other);
    match words.as_slice() {
        ["write", seed, count, folder] => write(number(seed)?, number(count)?, Path::new(folder)),
        ["compare", folder, other] => compare(Path::new(folder), Path::new(other)),
        ["rewrite", folder, other] => {
            for (name, record) in read_all(Path::new(folder))? {
                let text = record.mat().ok_or_else(|| Error::other("no .mat"))?;
                fs::write(Path::new(other).join(name), text)?;
            }
            Ok(())
        }
        _ => Err(Error::other(
            "write SEED COUNT FOLDER, rewrite FOLDER OTHER, or compare FOLDER OTHER",
        )),
    }
}

fn write(seed: u64, count: u64, folder: &Path) -> Result<()> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    for number in 0..count {
        let names = ["Backgammon", "Backgammon", "Nackgammon", "Hypergammon"];
        let name = names[rng.random_range(0..names.len())];
        let points = [3, 5, 7][rng.random_range(0..3)];
        // Games at random are long.
        let stops = rng.random_range(0..4) == 0;
        let record = random(&mut rng, name, points, stops)?;
        let text = record.mat().ok_or_else(|| Error::other("no .mat"))?;
        fs::write(folder.join(format!("{number:03}.mat")), text)?;
    }
    Ok(())
}

fn random(rng: &mut ChaCha8Rng, name: &str, points: u32, stops: bool) -> Result<Record> {
    let game = pbmserv_games::find(name).ok_or_else(|| Error::other("no such game"))?;
    let options = Options::parse(game.facts, [format!("-points={points}").as_str()]).map_err(Error::other)?;
    let mut position = game.start(&options).map_err(Error::other)?;
    let mut record = Record::new(game, options);
    (record.first, record.second) = (Some("ann".to_owned()), Some("ben".to_owned()));
    while let Some(turn) = position.random_turn(rng) {
        if let Some(due) = position.due_roll() {
            position.roll_as_written(&turn);
            if due.must_differ && position.due_roll().is_some() {
                continue;
            }
        }
        let offer = position.read(OFFERS[rng.random_range(0..3)]);
        let turn = offer
            .ok()
            .filter(|_| rng.random_range(0..20) == 0)
            .unwrap_or(turn);
        record.turns.push(position.play(&turn).map_err(Error::other)?);
        let is_played = record.turns.last().is_some_and(|turn| turn.contains('/'));
        if stops && is_played && record.turns.len() > 60 {
            break;
        }
    }
    record.ending = position.outcome().map(Ending::by_rules);
    Ok(record)
}

/// The matches of a folder by the names of their files.
fn read_all(folder: &Path) -> Result<BTreeMap<PathBuf, Record>> {
    let mut records = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|end| end == "mat") {
            let said = |error| Error::other(format!("{}: {error}", path.display()));
            let record = Record::read(&fs::read(&path)?).map_err(said)?;
            let name = path.file_name().unwrap_or_default();
            records.insert(PathBuf::from(name), record);
        }
    }
    Ok(records)
}

fn print(records: &BTreeMap<PathBuf, Record>) -> Result<()> {
    let count = |is: &dyn Fn(&str) -> bool| {
        let turns = records.values().flat_map(|record| &record.turns);
        turns.filter(|turn| is(turn)).count()
    };
    writeln!(
        std::io::stdout(),
        "{} matches, {} of them ended, {} plays, {} doubles, {} dropped, {} games given up, {} of them as gammons",
        records.len(),
        records.values().filter(|record| record.ending.is_some()).count(),
        count(&|turn| turn.contains(':')),
        count(&|turn| turn == "double"),
        count(&|turn| turn == "drop"),
        count(&|turn| turn == "accept"),
        count(&|turn| turn.contains("gammon")),
    )
}

fn compare(folder: &Path, other: &Path) -> Result<()> {
    let (ours, theirs) = (read_all(folder)?, read_all(other)?);
    let mut different = 0;
    for (name, record) in &ours {
        let same = theirs.get(name).is_some_and(|their| {
            (record.game, &record.options, &record.turns, record.ending)
                == (their.game, &their.options, &their.turns, their.ending)
        });
        if !same {
            different += 1;
            let turns = theirs.get(name).map(|their| {
                let pairs = record.turns.iter().zip(&their.turns);
                let equal = pairs.take_while(|(one, other)| one == other).count();
                (
                    equal,
                    record.turns.get(equal),
                    their.turns.get(equal),
                    their.ending,
                )
            });
            writeln!(std::io::stdout(), "{}: {turns:?}", name.display())?;
        }
    }
    print(&ours)?;
    writeln!(std::io::stdout(), "{different} different")?;
    match different {
        0 => Ok(()),
        _ => Err(Error::other("the matches differ")),
    }
}
