//! `init`: creates the first configuration, the data folder and the first director, and prints what the mail server
//! needs.
//!
//! Everything is checked before anything is written. Then come the data folder, the configuration under another name,
//! and the director's account. The configuration gets its own name last. So if there is a configuration, the server
//! can start; and after an earlier crash the same command finishes the work.

mod ask;
mod configuration;
mod draft;
mod lines;
mod owner;
mod wanted;

use std::fs::{self, DirBuilder};
use std::io::{self, BufRead, IsTerminal, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context as _, ensure};
use chrono::Utc;

use crate::config::Config;
use crate::config::lookup::SYSTEM;
use crate::engine::sending::transport;

use ask::Asker;
use draft::Draft;
use owner::Owner;
pub(super) use wanted::Wanted;
use wanted::{ACCOUNT, Choice, Mta};

/// Makes everything, with `file` as the configuration. Asks on a terminal for what no flag says. Returns what to print.
///
/// # Errors
/// The error is one sentence. Then no new configuration exists, and an old one is unchanged.
pub fn run(mut wanted: Wanted, file: Option<PathBuf>) -> anyhow::Result<String> {
    let file = std::path::absolute(file.unwrap_or_else(|| SYSTEM.into()))?;
    if let Some(mta) = wanted.mta.filter(|_| wanted.lines) {
        return present_lines(mta, wanted.user.as_deref(), &file);
    }
    let is_there = file.symlink_metadata().is_ok();
    ensure!(
        wanted.force || !is_there,
        "{} is there already: --force replaces it and keeps a copy, --config names another",
        file.display()
    );
    let (mut input, mut output) = (io::stdin().lock(), io::stderr());
    let is_asked = io::stdin().is_terminal();
    let terminal: Option<(&mut dyn BufRead, &mut dyn Write)> = if is_asked {
        Some((&mut input, &mut output))
    } else {
        None
    };
    let made = make(&mut wanted, &file, is_there, &mut Asker::new(terminal));
    if made.is_err() && is_asked {
        writeln!(
            output,
            "With your answers, to go on from here: {}",
            wanted.command(&file)
        )?;
    }
    made
}

/// The lines for a configuration that is there, such as one with another address than before.
fn present_lines(mta: Mta, user: Option<&str>, file: &Path) -> anyhow::Result<String> {
    let config = Config::load(Some(file), [])?;
    ensure!(
        !mta.speaks_lmtp() || !config.lmtp.listen.is_empty(),
        config.placed(
            "lmtp.listen is empty, and the lines are for LMTP: the pages in deploy/ have those for other ways"
        )
    );
    let own = config.own_addresses().context("the server has no address")?;
    Ok(lines::of(mta, &own, &config, user.unwrap_or(ACCOUNT)))
}

fn make(wanted: &mut Wanted, file: &Path, is_there: bool, asker: &mut Asker<'_>) -> anyhow::Result<String> {
    let choice = wanted.complete(asker, look_at)?;
    let owner = &choice.owner;
    let shown = file.display().to_string();
    let text = configuration::write(wanted, &choice)?;
    // The file is not there yet.
    let config = Config::of_text("the configuration to be written", &text)?;
    transport(&config)?;
    config.mailboxes()?;
    config.database_server()?;

    let is_new = make_folder(&choice.data, owner)?;
    let draft = Draft::write(file, &text, owner)?;
    let account = match director(&draft.path, &choice) {
        Ok(account) => account,
        Err(error) => {
            if is_new {
                // This removes an empty folder only.
                let _ = fs::remove_dir(&choice.data);
            }
            return Err(error);
        }
    };
    let kept = match is_there {
        true => format!("The former one is kept as {}.\n", keep(file)?.display()),
        false => String::new(),
    };
    draft.take_its_place(file, wanted.force)?;
    let lines = lines::of(choice.mta, &choice.address.clone().into(), &config, &owner.name);
    Ok(format!(
        "{account}\nThe configuration is {shown}, the data folder {}.\n{kept}\n{lines}\n\
         Then: pbmserv --config {shown} check --offline, and pbmserv --config {shown} serve (or systemctl enable --now pbmserv).\n",
        choice.data.display()
    ))
}

/// Gives the present configuration a second name, under which it stays when it is replaced.
fn keep(file: &Path) -> anyhow::Result<PathBuf> {
    let mut name = file.as_os_str().to_owned();
    name.push(Utc::now().format(".%Y%m%d-%H%M%S%.3f").to_string());
    let kept = PathBuf::from(name);
    fs::hard_link(file, &kept).with_context(|| format!("{} cannot be kept", file.display()))?;
    Ok(kept)
}

/// The data folder must be missing, empty, or a data folder that belongs to the account.
fn look_at(data: &Path, owner: &Owner) -> anyhow::Result<()> {
    let shown = data.display();
    let Ok(meta) = fs::metadata(data) else {
        return Ok(());
    };
    ensure!(meta.is_dir(), "{shown} is not a folder: name another");
    let mut names = fs::read_dir(data)
        .with_context(|| format!("{shown} cannot be read"))?
        .filter_map(|entry| Some(entry.ok()?.file_name()))
        .peekable();
    let is_empty = names.peek().is_none();
    // A crash of an earlier run may have left no more than these.
    let is_ours = names.any(|name| name == "pbmserv.sqlite" || name == "key");
    ensure!(
        is_empty || is_ours,
        "{shown} holds other files: name a folder for pbmserv alone"
    );
    let may_be_given = is_empty && owner.is_other && meta.uid() == 0;
    ensure!(
        meta.uid() == owner.uid || may_be_given,
        "{shown} belongs to another account than {}: name another folder, or chown it",
        owner.name
    );
    Ok(())
}

/// Makes the data folder, for the account alone. Returns whether it is new.
fn make_folder(data: &Path, owner: &Owner) -> anyhow::Result<bool> {
    let shown = data.display();
    let is_new = !data.exists();
    let made = || -> io::Result<()> {
        if is_new {
            // The account must be able to pass through the folders above.
            let above = data.parent().unwrap_or(Path::new("/"));
            DirBuilder::new().recursive(true).mode(0o755).create(above)?;
            DirBuilder::new().mode(0o700).create(data)?;
        }
        fs::set_permissions(data, fs::Permissions::from_mode(0o700))
    };
    made().with_context(|| format!("--data: {shown} cannot be made; name another folder"))?;
    owner.takes(data)?;
    Ok(is_new)
}

/// Makes the director's account. Returns what to print.
fn director(config: &Path, choice: &Choice) -> anyhow::Result<String> {
    let (userid, owner) = (&choice.director, &choice.owner);
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
    let error = String::from_utf8_lossy(&made.stderr);
    let why = error.lines().last().unwrap_or_default();
    let why = why.strip_prefix("pbmserv: ").unwrap_or(why);
    ensure!(
        made.status.success(),
        "the account of {userid} cannot be made: {why}"
    );
    Ok(String::from_utf8_lossy(&made.stdout).into_owned())
}

/// Runs a verb of this program as the owner, so that the owner owns every file from its first byte.
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
