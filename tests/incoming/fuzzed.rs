//! The fuzz targets over their seeds in `fuzz/seeds/TARGET/`, which include all inputs that a fuzzer found, and
//! for messages also over `tests/mails/`. `make fuzz` searches further.

#[expect(unreachable_pub, reason = "it is the library of another package")]
#[path = "../../fuzz/src/lib.rs"]
pub(crate) mod fuzz;

use std::fs;
use std::path::{Path, PathBuf};

/// The files of a folder without subfolders.
fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut files: Vec<PathBuf> = fs::read_dir(&folder)
        .expect("a folder of seeds")
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files
}

#[test]
fn every_seed_holds_to_what_its_target_states() {
    for (name, run) in fuzz::TARGETS {
        let mut seeds = files(&format!("fuzz/seeds/{name}"));
        if *name == "mail" {
            seeds.extend(files("tests/mails"));
        }
        assert!(!seeds.is_empty(), "{name}");
        for seed in seeds {
            let bytes = fs::read(&seed).unwrap();
            let found = std::panic::catch_unwind(|| run(&bytes));
            assert!(found.is_ok(), "{name}: {}", seed.display());
        }
    }
}
