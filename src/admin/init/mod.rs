//! `init`: the first configuration, the data folder and the first director, and what the mail server needs.
//!
//! All is looked at before anything is written. Then come the data folder, the configuration under another name, and
//! the director's account; the configuration gets its own name last. So whoever finds a configuration finds a server
//! that can start, and after a crash before that the same command goes on where it was.

mod ask;
mod configuration;
mod lines;

use std::fs::{self, DirBuilder, File};
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::str::FromStr;

use anyhow::{Context as _, ensure};

use crate::command::operator::operate::is_userid;
use crate::config::Config;
use crate::engine::sending::transport;
use crate::mail::Address;

pub use ask::ask;

/// What hands the mail over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mta {
    /// Postfix, by LMTP.
    Postfix,
    /// Exim, by LMTP.
    Exim,
    /// `OpenSMTPD`, by LMTP.
    Opensmtpd,
    /// A mailbox at a provider.
    Mailbox,
    /// Nothing, or something else: the SMTP door listens.
    None,
}

impl Mta {
    /// Their names on the command line.
    pub const NAMES: [&'static str; 5] = ["postfix", "exim", "opensmtpd", "mailbox", "none"];
}

impl FromStr for Mta {
    type Err = anyhow::Error;

    fn from_str(name: &str) -> anyhow::Result<Self> {
        let all = [
            Self::Postfix,
            Self::Exim,
            Self::Opensmtpd,
            Self::Mailbox,
            Self::None,
        ];
        let found = Self::NAMES.iter().position(|known| *known == name);
        let mta = found.and_then(|at| all.get(at).copied());
        mta.with_context(|| format!("{name} is none of {}", Self::NAMES.join(", ")))
    }
}

/// What is wanted, as far as it was said.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// The configuration that is written.
    pub file: PathBuf,
    /// The server's address.
    pub address: Option<String>,
    /// The name beside it.
    pub name: Option<String>,
    /// The data folder.
    pub data: Option<PathBuf>,
    /// The relay that answers leave through.
    pub relay: Option<String>,
    /// The file of the password of the relay, and of the mailbox.
    pub password_file: Option<PathBuf>,
    /// The program that answers leave through.
    pub sendmail: Option<PathBuf>,
    /// Where mail is taken: LMTP behind an MTA, otherwise SMTP.
    pub listen: Option<String>,
    /// The mailbox that mail is fetched from.
    pub imap: Option<String>,
    /// The first director.
    pub director: Option<String>,
    /// The director's own address.
    pub director_address: Option<String>,
    /// What hands the mail over.
    pub mta: Option<Mta>,
    /// The account that the files are to belong to.
    pub user: Option<String>,
    /// Whether a configuration that is there is replaced.
    pub force: bool,
}

/// What is wanted, complete.
#[derive(Debug)]
struct Choice {
    address: Address,
    data: PathBuf,
    director: String,
    director_address: String,
    mta: Mta,
}

impl Wanted {
    /// # Errors
    /// One sentence that names what is missing, or what is no address.
    fn complete(&self) -> anyhow::Result<Choice> {
        let address = self.address.as_deref().context(missing("--address"))?;
        let data = self.data.as_deref().context(missing("--data"))?;
        let director = self.director.clone().context(missing("--director"))?;
        let director_address = self.director_address.clone();
        let director_address = director_address.context(missing("--director-address"))?;
        let mta = self.mta.context(missing("--mta"))?;
        if mta == Mta::Mailbox {
            for (flag, is_there) in [
                ("--imap", self.imap.is_some()),
                ("--relay", self.relay.is_some() || self.sendmail.is_some()),
                ("--password-file", self.password_file.is_some()),
            ] {
                ensure!(is_there, missing(flag));
            }
        }
        ensure!(
            is_userid(&director),
            "--director: {director} is no userid: it has 2 to 20 letters, digits, - or _, begins with a letter, and is no command"
        );
        let address = Address::parse(address)
            .ok()
            .filter(|address| address.detail().is_none())
            .with_context(|| {
                format!(
                    "--address: {address} is no mail address, or has a +: write it as pbmserv@example.org"
                )
            })?;
        let is_another = Address::parse(&director_address).is_ok_and(|own| !own.is_delivered_to(&address));
        ensure!(
            is_another,
            "--director-address: {director_address} is no mail address of a person: write it as alice@example.org"
        );
        Ok(Choice {
            address,
            data: std::path::absolute(data)?,
            director,
            director_address,
            mta,
        })
    }
}

fn missing(flag: &str) -> String {
    format!("{flag} is missing: pbmserv init --help tells what it is")
}

/// The account that the files belong to.
#[derive(Clone, Debug)]
struct Owner {
    name: String,
    uid: u32,
    gid: u32,
    /// Whether this process is another one, and so must be root.
    is_other: bool,
}

impl Owner {
    /// # Errors
    /// There is no such account, or this process may make no files for it.
    fn of(user: Option<&str>) -> anyhow::Result<Self> {
        let own = fs::metadata("/proc/self").context("/proc is needed to tell the account that runs this")?;
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

    fn takes(&self, path: &Path) -> anyhow::Result<()> {
        if self.is_other {
            chown(path, Some(self.uid), Some(self.gid))
                .with_context(|| format!("{} cannot be given to {}", path.display(), self.name))?;
        }
        Ok(())
    }
}

/// A number of an account, as the system's own program tells: it knows all that accounts may come from.
fn id(option: &str, account: &str) -> Option<u32> {
    let told = Command::new("id").args([option, "--", account]).output().ok()?;
    let text = String::from_utf8(told.stdout)
        .ok()
        .filter(|_| told.status.success())?;
    text.trim().parse().ok()
}

/// Makes all; gives what to print.
///
/// # Errors
/// One sentence. Then there is no new configuration, and an old one is as it was.
pub fn run(wanted: &Wanted) -> anyhow::Result<String> {
    let choice = wanted.complete()?;
    let owner = Owner::of(wanted.user.as_deref())?;
    let file = std::path::absolute(&wanted.file)?;
    let shown = file.display().to_string();
    ensure!(
        wanted.force || file.symlink_metadata().is_err(),
        "{shown} is there already: --force replaces it, --config names another"
    );
    let text = configuration::write(wanted, &choice)?;
    let config = Config::of_text(&shown, &text)?;
    transport(&config)?;
    config.mailboxes()?;
    look_at(&choice.data, &owner)?;

    let is_new = make_folder(&choice.data, &owner)?;
    let draft = Draft::write(&file, &text, &owner)?;
    let account = match director(&draft.path, &choice, &owner) {
        Ok(account) => account,
        Err(error) => {
            if is_new {
                // Only if nothing is in it yet.
                let _ = fs::remove_dir(&choice.data);
            }
            return Err(error);
        }
    };
    draft.take_its_place(&file, wanted.force)?;
    let lines = lines::of(choice.mta, &choice.address, &config, &owner.name);
    Ok(format!(
        "{account}\nThe configuration is {shown}, the data folder {}.\n\n{lines}\n\
         Then: pbmserv --config {shown} check, and pbmserv --config {shown} serve (or systemctl enable --now pbmserv).\n",
        choice.data.display()
    ))
}

/// The data folder is not there, is empty, or is a data folder that belongs to the account.
fn look_at(data: &Path, owner: &Owner) -> anyhow::Result<()> {
    let shown = data.display();
    let Ok(meta) = fs::metadata(data) else {
        return Ok(());
    };
    ensure!(meta.is_dir(), "--data: {shown} is no folder: name another");
    let mut names = fs::read_dir(data)
        .with_context(|| format!("--data: {shown} cannot be read"))?
        .filter_map(|entry| Some(entry.ok()?.file_name()))
        .peekable();
    let is_empty = names.peek().is_none();
    // A crash of an earlier try may have left no more than these.
    let is_ours = names.any(|name| name == "pbmserv.sqlite" || name == "lock" || name == "key");
    ensure!(
        is_empty || is_ours,
        "--data: {shown} holds other files: name a folder for pbmserv alone"
    );
    let may_be_given = is_empty && owner.is_other && meta.uid() == 0;
    ensure!(
        meta.uid() == owner.uid || may_be_given,
        "--data: {shown} belongs to another account than {}: name another folder, or chown it",
        owner.name
    );
    Ok(())
}

/// Makes the data folder, for the account alone; tells whether it was not there.
fn make_folder(data: &Path, owner: &Owner) -> anyhow::Result<bool> {
    let shown = data.display();
    let is_new = !data.exists();
    let made = || -> std::io::Result<()> {
        if is_new {
            // Only the last one is for the account alone: it must get through the others.
            fs::create_dir_all(data.parent().unwrap_or(Path::new("/")))?;
            DirBuilder::new().mode(0o700).create(data)?;
        }
        fs::set_permissions(data, fs::Permissions::from_mode(0o700))
    };
    made().with_context(|| format!("--data: {shown} cannot be made; name another folder"))?;
    owner.takes(data)?;
    Ok(is_new)
}

/// The configuration before it has its name; removed when dropped.
struct Draft {
    path: PathBuf,
}

impl Draft {
    fn write(file: &Path, text: &str, owner: &Owner) -> anyhow::Result<Self> {
        let mut name = file.as_os_str().to_owned();
        name.push(".new");
        let draft = Self { path: name.into() };
        let written = || -> std::io::Result<()> {
            // One that a crash has left, or a link of somebody else's.
            if draft.path.symlink_metadata().is_ok() {
                fs::remove_file(&draft.path)?;
            }
            let mut file = File::options()
                .create_new(true)
                .write(true)
                .mode(0o640)
                .open(&draft.path)?;
            if owner.is_other {
                // The account reads it, and does not write it.
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

    /// Gives the configuration its name, which an old one loses only by force.
    fn take_its_place(&self, file: &Path, force: bool) -> anyhow::Result<()> {
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

/// The director's account; gives what to print of it.
fn director(config: &Path, choice: &Choice, owner: &Owner) -> anyhow::Result<String> {
    let userid = &choice.director;
    if verb(config, owner, &["user", "show", userid])?.status.success() {
        return Ok(format!(
            "{userid} has an account already and keeps its password; pbmserv user passwd {userid} --why REASON gives another.\n"
        ));
    }
    let words = [
        "user",
        "add",
        "--confirmed",
        "--why",
        "the first director",
        "--",
        userid,
        &choice.director_address,
    ];
    let made = verb(config, owner, &words)?;
    let said = String::from_utf8_lossy(&made.stderr);
    let why = said.lines().last().unwrap_or_default();
    let why = why.strip_prefix("pbmserv: ").unwrap_or(why);
    ensure!(
        made.status.success(),
        "the account of {userid} cannot be made: {why}"
    );
    Ok(String::from_utf8_lossy(&made.stdout).into_owned())
}

/// Runs a verb of this program as the owner, so that every file is the owner's from its first byte.
fn verb(config: &Path, owner: &Owner, words: &[&str]) -> anyhow::Result<Output> {
    let program = std::env::current_exe()?;
    let mut command = Command::new(&program);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("PBMSERV_") {
            command.env_remove(name);
        }
    }
    command.arg("--config").arg(config).args(words).current_dir("/");
    if owner.is_other {
        command.uid(owner.uid).gid(owner.gid);
    }
    command
        .output()
        .with_context(|| format!("{} cannot be run as {}", program.display(), owner.name))
}
