//! The modes of the data folder's files: only the account of the server reads them.
//!
//! Each file is created with its mode, whatever the umask. This module finds those with a wider one, from another program.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The bits of a mode that let other accounts in.
const OTHERS: u32 = 0o077;

/// Files of the server. Whatever else is in the folder may be the operator's.
const NAMES: [&str; 3] = ["key", "operator.key", "failed"];

/// The same by how their names begin: the database with what SQLite keeps beside it, copies of it, and what a restore or a migration
/// replaced.
const BEGINNINGS: [&str; 4] = [
    "pbmserv.sqlite",
    "pbmserv.saved-",
    "before-restore-",
    "before-migration-",
];

/// How the operator closes the data folder, if other accounts may enter it now.
#[must_use]
pub fn remedy(folder: &Path) -> Option<String> {
    let mode = fs::metadata(folder).ok()?.permissions().mode() & 0o777;
    let shown = folder.display();
    (mode & OTHERS != 0)
        .then(|| format!("other accounts may enter {shown}, its mode is {mode:04o}: chmod 700 {shown}"))
}

/// The server's files in this folder that other accounts may read or write, sorted.
///
/// # Errors
/// The folder cannot be listed.
pub fn open_to_others(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let is_ours =
            NAMES.contains(&name.as_ref()) || BEGINNINGS.iter().any(|start| name.starts_with(start));
        // A file may be a link to another disk. Its target may be gone by now.
        let is_wide = || fs::metadata(entry.path()).is_ok_and(|meta| meta.permissions().mode() & OTHERS != 0);
        if is_ours && is_wide() {
            found.push(entry.path());
        }
    }
    found.sort();
    Ok(found)
}

/// Closes the server's files in this folder to other accounts, and logs which were open.
///
/// # Errors
/// The folder cannot be listed. A file whose mode cannot be changed is only logged.
pub fn close_to_others(folder: &Path) -> io::Result<()> {
    let mut closed = Vec::new();
    for path in open_to_others(folder)? {
        match close(&path) {
            Ok(()) => closed.push(path.display().to_string()),
            Err(error) => {
                let shown = path.display();
                tracing::warn!(%error, "other accounts may read {shown}: as its owner, chmod go= {shown}");
            }
        }
    }
    if !closed.is_empty() {
        let files = closed.join(" ");
        tracing::warn!(%files, "the modes of these files let other accounts read them, and were changed");
    }
    Ok(())
}

fn close(path: &Path) -> io::Result<()> {
    let mode = fs::metadata(path)?.permissions().mode();
    fs::set_permissions(path, Permissions::from_mode(mode & !OTHERS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_the_operators_keeps_its_mode() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["pbmserv.sqlite", "pbmserv.sqlite-wal", "key", "pbmserv.toml"] {
            fs::write(at(name), "").unwrap();
            fs::set_permissions(at(name), Permissions::from_mode(0o664)).unwrap();
        }
        for name in ["failed", "mail"] {
            fs::create_dir(at(name)).unwrap();
            fs::set_permissions(at(name), Permissions::from_mode(0o755)).unwrap();
        }
        close_to_others(folder.path()).unwrap();
        let mode = |name: &str| fs::metadata(at(name)).unwrap().permissions().mode() & 0o777;
        for (name, expected) in [
            ("pbmserv.sqlite", 0o600),
            ("pbmserv.sqlite-wal", 0o600),
            ("key", 0o600),
            ("failed", 0o700),
            ("pbmserv.toml", 0o664),
            ("mail", 0o755),
        ] {
            assert_eq!(mode(name), expected, "{name}");
        }
        assert!(open_to_others(folder.path()).unwrap().is_empty());
    }

    #[test]
    fn a_folder_that_others_may_enter_has_a_remedy() {
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), Permissions::from_mode(0o700)).unwrap();
        assert_eq!(remedy(folder.path()), None);
        fs::set_permissions(folder.path(), Permissions::from_mode(0o710)).unwrap();
        let said = remedy(folder.path()).unwrap();
        assert!(said.contains("0710: chmod 700 /"), "{said}");
    }
}
