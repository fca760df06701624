//! What `ARCHITECTURE.md` says of the source, held where reading the source can hold it.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod absent;
mod imports;
mod walk;

use std::path::{Path, PathBuf};

/// Every Rust file below a folder of the repository, and its text.
fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                found.push((path, text));
            }
        }
    }
    found
}

/// The sources of all boxes.
fn product() -> Vec<(PathBuf, String)> {
    let boxes = ["crates/games/src", "crates/mail/src", "crates/core/src", "src"];
    boxes.map(sources).concat()
}

fn is_test(path: &Path) -> bool {
    let name = path.to_string_lossy();
    name.contains("/tests/") || name.ends_with("tests.rs")
}
