//! The flags of `init`, whose doc comments are lines of the help, and the check of their values.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use crate::config::lookup::SYSTEM;
use pbmserv_core::command::operator::operate::is_userid;
use pbmserv_mail::Address;
use pbmserv_mail::doors::imap;
use pbmserv_mail::login::Login;
use pbmserv_mail::outbox::Relay;

use super::ask::Asker;
use super::owner::{Owner, is_root};

/// The account of the package, which is suggested.
pub(super) const ACCOUNT: &str = "pbmserv";

#[derive(Clone, Debug, Default, Args)]
pub struct Wanted {
    /// The server's address, which players write to.
    #[arg(long)]
    pub address: Option<String>,
    /// The display name in From.
    #[arg(long)]
    pub name: Option<String>,
    /// The data folder, such as /var/lib/pbmserv.
    #[arg(long, value_name = "FOLDER")]
    pub data: Option<String>,
    /// The relay that sends the mail, such as smtps://user@host:465. Default behind an MTA: the one on this machine.
    #[arg(long, value_name = "URL", conflicts_with = "sendmail")]
    pub relay: Option<String>,
    /// A file whose first line is the password for the relay and the mailbox.
    #[arg(long, value_name = "FILE")]
    pub password_file: Option<String>,
    /// A command that prints it, in place of the file.
    #[arg(long, value_name = "COMMAND", conflicts_with = "password_file")]
    pub password_command: Option<String>,
    /// What they want: password, or a token by xoauth2 or oauthbearer.
    #[arg(long, value_name = "WHAT", value_parser = ["password", "xoauth2", "oauthbearer"])]
    pub auth: Option<String>,
    /// Send with this program instead of a relay.
    #[arg(long, value_name = "PROGRAM", num_args = 0..=1, require_equals = true,
          default_missing_value = "/usr/sbin/sendmail")]
    pub sendmail: Option<PathBuf>,
    /// Where to listen for mail: LMTP behind an MTA (unix:PATH or HOST:PORT), otherwise SMTP.
    #[arg(long, value_name = "PLACE")]
    pub listen: Option<String>,
    /// The mailbox to fetch mail from, such as imaps://user@host/INBOX.
    #[arg(long, value_name = "URL")]
    pub imap: Option<String>,
    /// The database at a server of PostgreSQL, in place of a file in the data folder: postgres://user@host/database.
    #[arg(long, value_name = "URL")]
    pub database: Option<String>,
    /// A file whose first line is the password for that database.
    #[arg(long, value_name = "FILE", requires = "database")]
    pub database_password_file: Option<String>,
    /// The userid of the first director.
    #[arg(long, value_name = "USERID")]
    pub director: Option<String>,
    /// The director's own mail address.
    #[arg(long, value_name = "ADDRESS")]
    pub director_address: Option<String>,
    /// Where the mail comes from: an MTA on this machine, a mailbox, or none for direct SMTP.
    #[arg(long)]
    pub mta: Option<Mta>,
    /// The account that pbmserv runs as. Required if you run this as root.
    #[arg(long, value_name = "ACCOUNT")]
    pub user: Option<String>,
    /// Only print the lines for the mail server, for the addresses of the present configuration. Needs --mta.
    #[arg(long, requires = "mta")]
    pub lines: bool,
    /// Replace an existing configuration, of which a copy is kept.
    #[arg(long)]
    pub force: bool,
}

// Postfix, Exim and OpenSMTPD hand mail over by LMTP. `Mailbox` is one at a provider. With `None` the SMTP door
// listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Mta {
    Postfix,
    Exim,
    Opensmtpd,
    Mailbox,
    None,
}

impl Mta {
    /// Whether it hands mail over by LMTP.
    pub(super) const fn speaks_lmtp(self) -> bool {
        matches!(self, Self::Postfix | Self::Exim | Self::Opensmtpd)
    }

    fn name(self) -> String {
        let value = self.to_possible_value();
        value.map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

/// The checked values.
#[derive(Debug)]
pub(super) struct Choice {
    pub(super) owner: Owner,
    pub(super) address: Address,
    pub(super) data: PathBuf,
    pub(super) director: String,
    pub(super) director_address: String,
    pub(super) mta: Mta,
}

impl Wanted {
    /// Checks what is given and asks for what is missing. `look_at` checks the data folder.
    ///
    /// # Errors
    /// Flags are missing, or the value of one cannot be used.
    pub(super) fn complete(
        &mut self,
        asker: &mut Asker<'_>,
        look_at: impl Fn(&Path, &Owner) -> anyhow::Result<()>,
    ) -> anyhow::Result<Choice> {
        // First, since the other files are for it.
        let owner = if is_root() || self.user.is_some() {
            let question = ("The account that pbmserv runs as", ACCOUNT);
            let of = |user: &str| Owner::of(Some(user)).map_err(|error| format!("{error:#}"));
            asker.take("--user", &mut self.user, question, of)?
        } else {
            Some(Owner::of(None)?)
        };
        let question = ("The server's address, which players write to", "");
        let address = asker.take("--address", &mut self.address, question, server_address)?;
        let data = asker.take(
            "--data",
            &mut self.data,
            ("The data folder", "/var/lib/pbmserv"),
            |data| {
                let data = std::path::absolute(data).map_err(|error| format!("{data}: {error}"))?;
                if let Some(owner) = &owner {
                    look_at(&data, owner).map_err(|error| format!("{error:#}"))?;
                }
                Ok(data)
            },
        )?;
        let question = ("The userid of the first director", "");
        let director = asker.take("--director", &mut self.director, question, userid)?;
        let question = ("The director's own mail address", "");
        let director_address = asker.take(
            "--director-address",
            &mut self.director_address,
            question,
            |text| persons_address(text, address.as_ref()),
        )?;
        let names: Vec<_> = Mta::value_variants().iter().map(|mta| mta.name()).collect();
        let names = names.join(", ");
        let mut named = self.mta.map(Mta::name);
        let question = format!("What brings the mail: {names}");
        self.mta = asker.take("--mta", &mut named, (&question, "postfix"), |text| {
            Mta::from_str(text, true).map_err(|_| format!("{text} is unknown: it is one of {names}"))
        })?;
        self.sending(asker, owner.as_ref())?;
        asker.is_complete()?;
        let (Some(owner), Some(address), Some(data), Some(director), Some(director_address), Some(mta)) =
            (owner, address, data, director, director_address, self.mta)
        else {
            anyhow::bail!("values are missing");
        };
        Ok(Choice {
            owner,
            address,
            data,
            director,
            director_address,
            mta,
        })
    }

    /// The mailbox and the relay, with the password for both.
    fn sending(&mut self, asker: &mut Asker<'_>, owner: Option<&Owner>) -> anyhow::Result<()> {
        let is_mailbox = self.mta == Some(Mta::Mailbox);
        let mut password = None;
        if self.password_command.is_some() {
            // It is run when the server first logs in.
            password = Some(String::new());
        } else if is_mailbox || self.password_file.is_some() {
            let question = ("The file whose first line is the password", "");
            password = asker.take("--password-file", &mut self.password_file, question, |file| {
                password_in(file, owner)
            })?;
        }
        if is_mailbox {
            let question = (
                "The mailbox, as imaps://user@host/INBOX with @ in the user as %40",
                "",
            );
            let login = || {
                password
                    .as_deref()
                    .map(|password| Login::with_password("imap", password))
            };
            let check = |url: &str| match imap::Account::new(url, login(), "") {
                Ok(_) => Ok(()),
                Err(error) => Err(format!("{url}: {error}")),
            };
            asker.take("--imap", &mut self.imap, question, check)?;
        }
        if self.sendmail.is_none() && (is_mailbox || self.relay.is_some()) {
            let question = ("The provider's server for sending, as smtps://user@host:465", "");
            let login = || {
                password
                    .as_deref()
                    .map(|password| Login::with_password("delivery", password))
            };
            let check = |url: &str| match Relay::new(url, login()) {
                Ok(_) => Ok(()),
                Err(error) => Err(format!("{url}: {error}")),
            };
            asker.take("--relay", &mut self.relay, question, check)?;
        }
        Ok(())
    }

    /// The command with all values that are known, for another attempt.
    pub(super) fn command(&self, file: &Path) -> String {
        let mta = self.mta.map(Mta::name);
        let mut words = "pbmserv init".to_owned();
        if file != Path::new(SYSTEM) {
            words.push_str(&format!(" --config {}", quoted(&file.to_string_lossy())));
        }
        for (flag, value) in [
            ("--user", &self.user),
            ("--address", &self.address),
            ("--name", &self.name),
            ("--data", &self.data),
            ("--database", &self.database),
            ("--database-password-file", &self.database_password_file),
            ("--director", &self.director),
            ("--director-address", &self.director_address),
            ("--mta", &mta),
            ("--listen", &self.listen),
            ("--password-file", &self.password_file),
            ("--password-command", &self.password_command),
            ("--auth", &self.auth),
            ("--imap", &self.imap),
            ("--relay", &self.relay),
        ] {
            if let Some(value) = value {
                words.push_str(&format!(" {flag} {}", quoted(value)));
            }
        }
        if let Some(sendmail) = &self.sendmail {
            words.push_str(&format!(" --sendmail={}", quoted(&sendmail.to_string_lossy())));
        }
        if self.force {
            words.push_str(" --force");
        }
        words
    }
}

/// As a shell reads it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "@%+=:,./_-".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

fn server_address(text: &str) -> Result<Address, String> {
    let fit = |address: &Address| address.detail().is_none() && !address.needs_utf8();
    let parsed = Address::parse(text).ok().filter(fit);
    parsed.ok_or_else(|| {
        format!("{text} is not a mail address in ASCII, or has a +: write it as pbmserv@example.org")
    })
}

fn persons_address(text: &str, server: Option<&Address>) -> Result<String, String> {
    let parsed = Address::parse(text);
    if parsed.is_ok_and(|own| server.is_none_or(|server| !own.is_delivered_to(server))) {
        return Ok(text.to_owned());
    }
    Err(format!(
        "{text} is not a mail address of a person: write it as alice@example.org"
    ))
}

fn userid(text: &str) -> Result<String, String> {
    if is_userid(text) {
        return Ok(text.to_owned());
    }
    Err(format!(
        "{text} is not a userid: it has 2 to 20 letters, digits, - or _, begins with a letter, and is not a command"
    ))
}

fn password_in(file: &str, owner: Option<&Owner>) -> Result<String, String> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    if let Some(owner) = owner
        && !owner.may_read(Path::new(file))
    {
        let name = &owner.name;
        return Err(format!("{file} cannot be read by {name}: chown {name} {file}"));
    }
    match text.lines().next().unwrap_or_default() {
        "" => Err(format!("{file} is empty: put the password into its first line")),
        password => Ok(password.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The account that runs the test.
    fn own() -> Option<String> {
        Some(rustix::process::geteuid().as_raw().to_string())
    }

    #[test]
    fn only_what_is_missing_is_asked_and_a_refused_answer_is_told_why() {
        let mut wanted = Wanted {
            director: Some("alice".into()),
            user: own(),
            ..Wanted::default()
        };
        let mut said = Vec::new();
        let answers = "nowhere\nplay@chess.example\n\nplay@chess.example\nalice@example.org\npigeon\nexim\n";
        let (mut input, output) = (answers.as_bytes(), &mut said);
        let mut asker = Asker::new(Some((&mut input, output)));
        let choice = wanted.complete(&mut asker, |_, _| Ok(())).unwrap();
        assert_eq!(choice.address.as_str(), "play@chess.example");
        assert_eq!(choice.data, PathBuf::from("/var/lib/pbmserv"));
        assert_eq!(choice.director_address, "alice@example.org");
        assert_eq!(choice.mta, Mta::Exim);
        let said = String::from_utf8(said).unwrap();
        for reason in [
            "nowhere is not a mail address",
            "play@chess.example is not a mail address of a person",
            "pigeon is unknown: it is one of postfix, exim",
        ] {
            assert!(said.contains(reason), "{said}");
        }
        assert!(!said.contains("userid"), "{said}");
        assert!(wanted.command(Path::new("here.toml")).ends_with(
            "--address play@chess.example --data /var/lib/pbmserv --director alice --director-address \
             alice@example.org --mta exim"
        ));
    }

    #[test]
    fn an_end_of_input_is_an_error_that_keeps_the_answers() {
        let mut wanted = Wanted {
            user: own(),
            ..Wanted::default()
        };
        let mut said = Vec::new();
        let (mut input, output) = ("play@chess.example\n".as_bytes(), &mut said);
        let mut asker = Asker::new(Some((&mut input, output)));
        assert!(wanted.complete(&mut asker, |_, _| Ok(())).is_err());
        assert!(
            wanted
                .command(Path::new(SYSTEM))
                .ends_with(" --address play@chess.example")
        );
    }

    #[test]
    fn a_value_is_quoted_for_the_shell() {
        assert_eq!(quoted("imaps://a%40b@c/INBOX"), "imaps://a%40b@c/INBOX");
        assert_eq!(quoted("it's mine"), r"'it'\''s mine'");
    }
}
