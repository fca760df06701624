//! How we log in to a server to which we are the client: where the secret comes from. `sasl.rs` says how a token is sent.

mod sasl;
mod secret;

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::Command;
use tokio::sync::Mutex;
use tokio::time::timeout;
use zeroize::Zeroizing;

use crate::process_group::ProcessGroup;

pub(crate) use sasl::Mechanism;
pub use secret::Secret;

/// How long the command for a secret may take. It may ask a provider on the network.
const PATIENCE: Duration = Duration::from_secs(30);
/// The most bytes that it may print. A token has some thousand.
const MAX_PRINTED: u64 = 64 * 1024;

/// What a server wants to see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Auth {
    /// A password, by whatever the server offers for one.
    Password,
    /// An OAuth 2.0 access token, as Google and Microsoft have it: <https://developers.google.com/gmail/imap/xoauth2-protocol>.
    Xoauth2,
    /// An OAuth 2.0 access token (RFC 7628).
    Oauthbearer,
}

impl Auth {
    const ALL: [(&str, Self); 3] = [
        ("password", Self::Password),
        ("xoauth2", Self::Xoauth2),
        ("oauthbearer", Self::Oauthbearer),
    ];

    /// The mechanism that sends a token; `None` for a password.
    pub(crate) const fn token_mechanism(self) -> Option<Mechanism> {
        match self {
            Self::Password => None,
            Self::Xoauth2 => Some(Mechanism::Xoauth2),
            Self::Oauthbearer => Some(Mechanism::Oauthbearer),
        }
    }
}

/// The secret cannot be had; the message says what to change, and names the key of the configuration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NoSecret(String);

/// Where a secret comes from.
#[derive(Debug)]
enum Source {
    /// The first line of this file. It is read at each login, so a correction takes effect without a restart.
    File(PathBuf),
    /// The first line that this command prints. It is kept until a server refuses it.
    Command(String),
    /// `init` has read it from its file already.
    Known(Secret),
}

/// How to log in to one server.
pub struct Login {
    /// The section of the configuration, for messages.
    section: &'static str,
    auth: Auth,
    source: Source,
    kept: Mutex<Option<Secret>>,
    patience: Duration,
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Login")
            .field("auth", &self.auth)
            .finish_non_exhaustive()
    }
}

impl Login {
    /// With a password that is known.
    #[must_use]
    pub fn with_password(section: &'static str, password: impl Into<String>) -> Self {
        Self::new(
            section,
            Auth::Password,
            Source::Known(Secret::of(password.into())),
        )
    }

    fn new(section: &'static str, auth: Auth, source: Source) -> Self {
        Self {
            section,
            auth,
            source,
            kept: Mutex::default(),
            patience: PATIENCE,
        }
    }

    /// As a section of the configuration has it in `auth`, `password_file` and `password_command`; `None`: it has no secret. The
    /// file is read once, to find mistakes; the command is not run.
    ///
    /// # Errors
    /// [`NoSecret`]
    pub fn configured(
        section: &'static str,
        auth: &str,
        file: &Path,
        command: &str,
    ) -> Result<Option<Self>, NoSecret> {
        let Some((_, auth)) = Auth::ALL.into_iter().find(|(name, _)| *name == auth) else {
            let names = Auth::ALL.map(|(name, _)| name).join(", ");
            return Err(NoSecret(format!("{section}.auth is not one of {names}")));
        };
        let source = match (file.as_os_str().is_empty(), command.is_empty()) {
            (true, true) => return Ok(None),
            (false, true) => Source::File(file.to_owned()),
            (true, false) => Source::Command(command.to_owned()),
            (false, false) => {
                return Err(NoSecret(format!(
                    "{section}.password_file and {section}.password_command are both set: keep one of them"
                )));
            }
        };
        let login = Self::new(section, auth, source);
        if let Source::File(file) = &login.source {
            login.read(file)?;
        }
        Ok(Some(login))
    }

    /// What the server wants.
    #[must_use]
    pub(crate) const fn auth(&self) -> Auth {
        self.auth
    }

    /// The key of the configuration that the secret comes from.
    #[must_use]
    pub(crate) fn key(&self) -> String {
        let key = match self.source {
            Source::File(_) | Source::Known(_) => "password_file",
            Source::Command(_) => "password_command",
        };
        format!("{}.{key}", self.section)
    }

    /// The secret; for a command the one that was kept, if any.
    ///
    /// # Errors
    /// [`NoSecret`]
    pub(crate) async fn secret(&self) -> Result<Secret, NoSecret> {
        match &self.source {
            Source::Known(secret) => Ok(secret.clone()),
            Source::File(file) => self.read(file),
            Source::Command(command) => {
                let mut kept = self.kept.lock().await;
                if let Some(secret) = &*kept {
                    return Ok(secret.clone());
                }
                Ok(kept.insert(self.ask(command).await?).clone())
            }
        }
    }

    /// The secret, for who cannot wait for a command.
    ///
    /// # Errors
    /// [`NoSecret`]
    pub fn secret_at_once(&self) -> Result<Secret, NoSecret> {
        match &self.source {
            Source::Known(secret) => Ok(secret.clone()),
            Source::File(file) => self.read(file),
            Source::Command(_) => Err(self.fault("no command is run for this secret: name a file")),
        }
    }

    /// Another secret, after a server has refused this one: the command is run again. `None`: there is no other. A token that
    /// was kept has often expired, so its refusal is no fault.
    ///
    /// # Errors
    /// [`NoSecret`]
    pub(crate) async fn another(&self, refused: &Secret) -> Result<Option<Secret>, NoSecret> {
        let Source::Command(command) = &self.source else {
            return Ok(None);
        };
        let mut kept = self.kept.lock().await;
        if kept.as_ref().is_some_and(|kept| kept != refused) {
            return Ok(kept.clone());
        }
        *kept = None;
        let secret = self.ask(command).await?;
        if secret == *refused {
            return Ok(None);
        }
        Ok(Some(kept.insert(secret).clone()))
    }

    fn read(&self, file: &Path) -> Result<Secret, NoSecret> {
        let text = std::fs::read_to_string(file).map_err(|error| {
            self.fault(&format!(
                "{}: name a file that this account can read: {error}",
                file.display()
            ))
        })?;
        first_line(&Zeroizing::new(text))
            .ok_or_else(|| self.fault(&format!("{}: its first line is empty", file.display())))
    }

    /// Runs the command. What it prints elsewhere is not read: it may be the secret.
    async fn ask(&self, command: &str) -> Result<Secret, NoSecret> {
        let cannot = |error: std::io::Error| self.fault(&format!("it cannot be run: {error}"));
        let mut child = Command::new("/bin/sh")
            .args(["-c", command])
            .current_dir("/")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0)
            .kill_on_drop(true)
            .spawn()
            .map_err(cannot)?;
        let group = ProcessGroup::of(&child);
        let stdout = child.stdout.take();
        let run = async {
            let text = printed(stdout).await?;
            Ok::<_, std::io::Error>((text, child.wait().await?))
        };
        let ended = timeout(self.patience, run).await;
        // Nothing that it has started is meant to go on.
        drop(group);
        let Ok(ended) = ended else {
            let _ = child.wait().await;
            let seconds = self.patience.as_secs_f32();
            return Err(self.fault(&format!("it did not end within {seconds} seconds")));
        };
        let (text, status) = ended.map_err(cannot)?;
        if !status.success() {
            return Err(self.fault(&format!(
                "it ended with {status}: run it as the account of the server to see why"
            )));
        }
        let secret = text.map(Zeroizing::new).and_then(|text| first_line(&text));
        secret.ok_or_else(|| self.fault("the first line that it printed is no secret"))
    }

    fn fault(&self, why: &str) -> NoSecret {
        NoSecret(format!("{}: {why}", self.key()))
    }
}

/// All that is printed; `None` if it is too much, or not text.
async fn printed(stdout: Option<impl AsyncRead + Unpin>) -> std::io::Result<Option<String>> {
    let Some(stdout) = stdout else {
        return Ok(None);
    };
    let mut bytes = Vec::new();
    stdout.take(MAX_PRINTED + 1).read_to_end(&mut bytes).await?;
    let is_short = u64::try_from(bytes.len()).is_ok_and(|length| length <= MAX_PRINTED);
    Ok(String::from_utf8(bytes).ok().filter(|_| is_short))
}

/// The secret in the first line, if that has no control characters.
fn first_line(text: &str) -> Option<Secret> {
    let line = text.lines().next().unwrap_or_default();
    let is_secret = !line.is_empty() && !line.contains(char::is_control);
    is_secret.then(|| Secret::of(line.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(line: &str) -> Login {
        Login::configured("imap", "xoauth2", Path::new(""), line)
            .unwrap()
            .unwrap()
    }

    #[tokio::test]
    async fn a_token_is_asked_for_once_and_again_when_it_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let count = folder.path().join("count");
        let login = command(&format!("echo x >> {0}; wc -l < {0}", count.display()));
        let first = login.secret().await.unwrap();
        assert_eq!(first, login.secret().await.unwrap());
        let second = login.another(&first).await.unwrap().unwrap();
        assert_eq!((first.expose().trim(), second.expose().trim()), ("1", "2"));
        // Another connection was refused with the first one too.
        assert_eq!(login.another(&first).await.unwrap(), Some(second.clone()));
        assert_eq!(login.secret().await.unwrap(), second);
    }

    #[tokio::test]
    async fn the_same_token_again_is_no_other() {
        let login = command("echo token");
        let refused = login.secret().await.unwrap();
        assert_eq!(login.another(&refused).await.unwrap(), None);
        let login = Login::with_password("imap", "hunter2");
        let refused = login.secret().await.unwrap();
        assert_eq!(login.another(&refused).await.unwrap(), None);
    }

    #[tokio::test]
    async fn a_command_that_gives_no_secret_is_a_sentence_without_its_output() {
        for (line, why) in [
            ("echo hunter2; exit 3", "it ended with exit status: 3"),
            ("echo hunter2 >&2; exit 1", "it ended with exit status: 1"),
            ("true", "the first line that it printed is no secret"),
            (
                "printf '\\nhunter2\\n'",
                "the first line that it printed is no secret",
            ),
            (
                "printf 'hunter2\\033[1m\\n'",
                "the first line that it printed is no secret",
            ),
            (
                "printf 'hunter2\\377\\n'",
                "the first line that it printed is no secret",
            ),
            ("yes hunter2", "it ended with "),
        ] {
            let error = command(line).secret().await.unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("imap.password_command: {why}")),
                "{line}: {error}"
            );
            assert!(!error.contains("hunter2"), "{error}");
        }
    }

    #[tokio::test]
    async fn a_command_that_does_not_end_is_killed_with_its_children() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pid");
        let mut login = command(&format!("sleep 1000 & echo $! > {}; wait", file.display()));
        login.patience = Duration::from_secs(1);
        let error = login.secret().await.unwrap_err().to_string();
        assert_eq!(error, "imap.password_command: it did not end within 1 seconds");
        let child = std::fs::read_to_string(&file).unwrap();
        let stat = PathBuf::from(format!("/proc/{}/stat", child.trim()));
        // It is gone, or a zombie that nobody has waited for.
        while std::fs::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") Z ")) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    #[test]
    fn a_wrong_configuration_is_refused() {
        let refusal = |auth: &str, file: &str, command: &str| {
            Login::configured("delivery", auth, Path::new(file), command)
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            refusal("oauth", "", "x"),
            "delivery.auth is not one of password, xoauth2, oauthbearer"
        );
        assert_eq!(
            refusal("password", "/x", "x"),
            "delivery.password_file and delivery.password_command are both set: keep one of them"
        );
        assert!(refusal("password", "/nowhere", "").starts_with("delivery.password_file: /nowhere: "));
        let none = Login::configured("delivery", "password", Path::new(""), "").unwrap();
        assert!(none.is_none());
    }
}
