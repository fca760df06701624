//! The account that the files belong to.

use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
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
        let own = rustix::process::geteuid().as_raw();
        let named = user.map_or_else(|| own.to_string(), str::to_owned);
        let number = |option| id(option, &named);
        let (Some(uid), Some(gid)) = (number("-u"), number("-g")) else {
            anyhow::bail!(
                "there is no account {named}: useradd --system --home-dir /var/lib/pbmserv --shell /usr/sbin/nologin {named}"
            );
        };
        ensure!(
            is_root() || own == uid,
            "only root can make files for {named}: run this as root, or as {named} without --user"
        );
        Ok(Self {
            is_other: own != uid,
            name: named,
            uid,
            gid,
        })
    }

    /// Whether the account can read this file.
    pub(super) fn may_read(&self, path: &Path) -> bool {
        let mut test = Command::new("test");
        test.arg("-r").arg(path);
        if self.is_other {
            test.uid(self.uid).gid(self.gid);
        }
        test.status().is_ok_and(|status| status.success())
    }

    pub(super) fn takes(&self, path: &Path) -> anyhow::Result<()> {
        if self.is_other {
            chown(path, Some(self.uid), Some(self.gid))
                .with_context(|| format!("{} cannot be given to {}", path.display(), self.name))?;
        }
        Ok(())
    }
}

/// Whether this process may make files for other accounts.
pub(super) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// A number of an account, from the system's own program, which knows every source of accounts.
fn id(option: &str, account: &str) -> Option<u32> {
    let output = Command::new("id").args([option, "--", account]).output().ok()?;
    let text = String::from_utf8(output.stdout)
        .ok()
        .filter(|_| output.status.success())?;
    text.trim().parse().ok()
}
