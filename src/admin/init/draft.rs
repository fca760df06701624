//! The new configuration under a temporary name.

use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use super::owner::Owner;

/// Removed when dropped.
pub(super) struct Draft {
    pub(super) path: PathBuf,
}

impl Draft {
    pub(super) fn write(file: &Path, text: &str, owner: &Owner) -> anyhow::Result<Self> {
        let mut name = file.as_os_str().to_owned();
        name.push(".new");
        let draft = Self { path: name.into() };
        let written = || -> std::io::Result<()> {
            // A crash may have left one. Another user may have put a link there.
            if draft.path.symlink_metadata().is_ok() {
                fs::remove_file(&draft.path)?;
            }
            let mut file = File::options()
                .create_new(true)
                .write(true)
                .mode(0o640)
                .open(&draft.path)?;
            if owner.is_other {
                // The account may read it, not write it.
                chown(&draft.path, None, Some(owner.gid))?;
            }
            file.set_permissions(fs::Permissions::from_mode(0o640))?;
            file.write_all(text.as_bytes())?;
            file.sync_all()
        };
        let shown = file.display();
        written().with_context(|| format!("{shown} cannot be written; --config names another place"))?;
        Ok(draft)
    }

    /// Gives the configuration its name. Replaces an old one only by force.
    pub(super) fn take_its_place(&self, file: &Path, force: bool) -> anyhow::Result<()> {
        let placed = || -> std::io::Result<()> {
            if force {
                fs::rename(&self.path, file)?;
            } else {
                fs::hard_link(&self.path, file)?;
            }
            File::open(file.parent().unwrap_or(Path::new("/")))?.sync_all()
        };
        placed().with_context(|| format!("{} cannot be written", file.display()))
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}
