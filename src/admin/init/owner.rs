//! The account that the files belong to.

use std::fs;
use std::os::unix::fs::{MetadataExt, chown};
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, ensure};

#[derive(Clone, Debug)]
pub(super) struct Owner {
    pub(super) name: String,
    pub(super) uid: u32,
    pub(super) gid: u32,
    /// Whether this process runs as another account, which must be root.
    pub(super) is_other: bool,
}

impl Owner {
    /// # Errors
    /// There is no such account, or this process may make no files for it.
    pub(super) fn of(user: Option<&str>) -> anyhow::Result<Self> {
        let own = fs::metadata("/proc/self").context("/proc is needed to find the account that runs this")?;
        let named = match user {
            Some(user) => user.to_owned(),
            None if own.uid() == 0 => anyhow::bail!(
                "--user is missing: as root, name the account that pbmserv will run as (or root itself)"
            ),
            None => own.uid().to_string(),
        };
        let number = |option| id(option, &named);
        let (Some(uid), Some(gid)) = (number("-u"), number("-g")) else {
            anyhow::bail!(
                "there is no account {named}: useradd --system --home-dir /var/lib/pbmserv --shell /usr/sbin/nologin {named}"
            );
        };
        ensure!(
            own.uid() == 0 || own.uid() == uid,
            "only root can make files for {named}: run this as root, or as {named} without --user"
        );
        Ok(Self {
            is_other: own.uid() != uid,
            name: named,
            uid,
            gid,
        })
    }

    pub(super) fn takes(&self, path: &Path) -> anyhow::Result<()> {
        if self.is_other {
            chown(path, Some(self.uid), Some(self.gid))
                .with_context(|| format!("{} cannot be given to {}", path.display(), self.name))?;
        }
        Ok(())
    }
}

/// A number of an account, from the system's own program, which knows every source of accounts.
fn id(option: &str, account: &str) -> Option<u32> {
    let output = Command::new("id").args([option, "--", account]).output().ok()?;
    let text = String::from_utf8(output.stdout)
        .ok()
        .filter(|_| output.status.success())?;
    text.trim().parse().ok()
}
