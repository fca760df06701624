//! A configuration file, and below a line `#environment` the variables that go over it.

use std::path::PathBuf;
use std::sync::OnceLock;

use pbmserv::config::Config;

/// A file of this process, in memory where the system has such a folder.
fn file() -> &'static PathBuf {
    static FILE: OnceLock<PathBuf> = OnceLock::new();
    FILE.get_or_init(|| {
        let memory = PathBuf::from("/dev/shm");
        let folder = if memory.is_dir() {
            memory
        } else {
            std::env::temp_dir()
        };
        folder.join(format!("pbmserv-fuzz-{}.toml", std::process::id()))
    })
}

/// Reads the bytes as a configuration.
pub fn run(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (toml, environment) = text.split_once("#environment\n").unwrap_or((&text, ""));
    std::fs::write(file(), toml).expect("a file can be written");
    let environment = environment
        .lines()
        .filter_map(|line| line.split_once('='))
        .map(|(name, value)| (name.to_owned(), value.to_owned()));
    let loaded = Config::load(Some(file()), environment);
    std::fs::remove_file(file()).expect("a file can be removed");
    match loaded {
        Ok(config) => assert!(config.address().is_some()),
        Err(error) => {
            let sentence = error.to_string();
            assert!(!sentence.is_empty() && !sentence.contains('\n'), "{sentence:?}");
        }
    }
}
