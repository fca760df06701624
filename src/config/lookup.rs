//! Which configuration file is read, and whether a file may name a command.

use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::Config;

/// The variable that names the configuration file. Set but empty: no file is read.
pub const VARIABLE: &str = "PBMSERV_CONFIG";

/// The file that `init` writes, read if nothing names another.
pub const SYSTEM: &str = "/etc/pbmserv.toml";

/// The bits of a mode that let others than the owner write.
const WRITABLE_BY_OTHERS: u32 = 0o022;

/// The configuration file: the one named on the command line, the one that [`VARIABLE`] names, or `system` if it is there.
/// `None`: the defaults for a trial.
#[must_use]
pub fn find(named: Option<PathBuf>, variable: Option<OsString>, system: &Path) -> Option<PathBuf> {
    match (named, variable) {
        (Some(named), _) => Some(named),
        (None, Some(variable)) if variable.is_empty() => None,
        (None, Some(variable)) => Some(variable.into()),
        // A file that may not be looked at is one that may not be read: the reader says so.
        (None, None) => match fs::symlink_metadata(system) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            _ => Some(system.to_owned()),
        },
    }
}

impl Config {
    /// Which file and which data folder are used, for `--verbose`.
    #[must_use]
    pub fn used(&self) -> String {
        let file = self.places.file().unwrap_or("none, so the defaults for a trial");
        let data = std::path::absolute(&self.server.data);
        let data = data.as_ref().unwrap_or(&self.server.data).display();
        format!("configuration: {file}; data folder: {data}")
    }
}

/// Whether commands may be taken from a file: it belongs to root or to this process's account, and nobody else can write
/// it.
pub(super) fn may_name_commands(about: &Metadata) -> bool {
    let is_trusted = [0, rustix::process::geteuid().as_raw()].contains(&about.uid());
    is_trusted && about.mode() & WRITABLE_BY_OTHERS == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_goes_before_the_variable_and_that_before_the_systems_file() {
        let folder = tempfile::tempdir().unwrap();
        let system = folder.path().join("pbmserv.toml");
        let named = || Some(PathBuf::from("named"));
        let variable = |text: &str| Some(OsString::from(text));
        assert_eq!(find(None, None, &system), None);
        fs::write(&system, "").unwrap();
        assert_eq!(find(None, None, &system), Some(system.clone()));
        assert_eq!(find(None, variable("other"), &system), Some("other".into()));
        assert_eq!(find(None, variable(""), &system), None);
        assert_eq!(find(named(), variable("other"), &system), named());
        assert_eq!(find(named(), variable(""), &system), named());
    }

    #[test]
    fn a_file_that_others_can_write_names_no_command() {
        use std::os::unix::fs::PermissionsExt;
        let file = tempfile::NamedTempFile::new().unwrap();
        for (mode, expected) in [(0o600, true), (0o644, true), (0o664, false), (0o602, false)] {
            fs::set_permissions(file.path(), fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(
                may_name_commands(&fs::metadata(file.path()).unwrap()),
                expected,
                "{mode:o}"
            );
        }
    }
}
