//! A small file system that a test can fill, in a mount namespace of the test, which needs root.

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Set in the process that has the private mounts.
const INSIDE: &str = "TEST_MOUNT_NAMESPACE";

/// Whether a file system can be mounted here.
pub(crate) fn may_mount() -> bool {
    Command::new("unshare")
        .args(["-m", "mount", "-t", "tmpfs", "none", "/mnt"])
        .output()
        .is_ok_and(|output| output.status.success())
}

/// Runs the test of this name again in a new mount namespace, and returns true there. Outside it returns false
/// after that run, and the test is over.
pub(crate) fn is_inside(name: &str) -> bool {
    if std::env::var_os(INSIDE).is_some() {
        return true;
    }
    let test = std::env::current_exe().unwrap();
    let output = Command::new("unshare")
        .arg("-m")
        .arg(test)
        .args([
            name,
            "--exact",
            "--include-ignored",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(INSIDE, "1")
        // Output is passed on while the test runs.
        .stderr(Stdio::inherit())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    eprintln!("{said}");
    assert!(output.status.success(), "it failed in its namespace");
    assert!(said.contains("1 passed"), "there is no test of this name");
    false
}

/// A small file system.
pub(crate) struct Disk {
    pub(crate) path: PathBuf,
}

impl Disk {
    pub(crate) fn mount(path: &Path, kilobytes: u32) -> Self {
        fs::create_dir(path).unwrap();
        let status = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={kilobytes}k"), "none"])
            .arg(path)
            .status()
            .unwrap();
        assert!(status.success());
        Self { path: path.into() }
    }

    fn filler(&self) -> PathBuf {
        self.path.join("filler")
    }

    /// Fills it up to this many free bytes.
    pub(crate) fn fill(&self, room: u64) {
        let mut file = File::create(self.filler()).unwrap();
        let mut block = 4096;
        while block > 0 {
            match file.write(&vec![0; block]) {
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::StorageFull => block /= 2,
                Err(error) => panic!("{error}"),
            }
        }
        let length = file.metadata().unwrap().len();
        file.set_len(length.saturating_sub(room)).unwrap();
    }

    pub(crate) fn free(&self) {
        fs::remove_file(self.filler()).unwrap();
    }
}
