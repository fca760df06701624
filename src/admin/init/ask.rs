//! The questions of `init`, for what no flag says.

use std::io::{BufRead, Write};
use std::path::PathBuf;

use anyhow::bail;
use clap::ValueEnum;

use crate::command::operator::operate::is_userid;
use crate::mail::Address;

use super::{Mta, Wanted};

/// Asks for what is missing. An empty answer chooses what stands in brackets.
///
/// # Errors
/// The input ends before everything is answered.
pub(super) fn ask(
    wanted: &mut Wanted,
    input: &mut impl BufRead,
    output: &mut impl Write,
) -> anyhow::Result<()> {
    let mut asked = Asked { input, output };
    let is_address = |text: &str| Address::parse(text).is_ok();
    if wanted.address.is_none() {
        let question = "The server's address, which players write to";
        wanted.address = Some(asked.answer(question, "", is_address)?);
    }
    if wanted.data.is_none() {
        let folder = asked.answer("The data folder", "/var/lib/pbmserv", |_| true)?;
        wanted.data = Some(PathBuf::from(folder));
    }
    if wanted.director.is_none() {
        wanted.director = Some(asked.answer("The userid of the first director", "", is_userid)?);
    }
    if wanted.director_address.is_none() {
        wanted.director_address = Some(asked.answer("The director's own mail address", "", is_address)?);
    }
    if wanted.mta.is_none() {
        let names: Vec<_> = Mta::value_variants()
            .iter()
            .filter_map(ValueEnum::to_possible_value)
            .map(|value| value.get_name().to_owned())
            .collect();
        let question = format!("What brings the mail: {}", names.join(", "));
        let mta = |name: &str| Mta::from_str(name, false).ok();
        let name = asked.answer(&question, "postfix", |text| mta(text).is_some())?;
        wanted.mta = mta(&name);
    }
    if wanted.mta == Some(Mta::Mailbox) {
        if wanted.imap.is_none() {
            let question = "The mailbox, as imaps://user@host/INBOX with @ in the user as %40";
            wanted.imap = Some(asked.answer(question, "", |_| true)?);
        }
        if wanted.relay.is_none() && wanted.sendmail.is_none() {
            let question = "The provider's server for sending, as smtps://user@host:465";
            wanted.relay = Some(asked.answer(question, "", |_| true)?);
        }
        if wanted.password_file.is_none() {
            let question = "The file whose first line is the password";
            wanted.password_file = Some(asked.answer(question, "", |_| true)?.into());
        }
    }
    Ok(())
}

struct Asked<'a, I, O> {
    input: &'a mut I,
    output: &'a mut O,
}

impl<I: BufRead, O: Write> Asked<'_, I, O> {
    fn answer(
        &mut self,
        question: &str,
        usual: &str,
        is_good: impl Fn(&str) -> bool,
    ) -> anyhow::Result<String> {
        loop {
            match usual {
                "" => write!(self.output, "{question}: ")?,
                usual => write!(self.output, "{question} [{usual}]: ")?,
            }
            self.output.flush()?;
            let mut line = String::new();
            if self.input.read_line(&mut line)? == 0 {
                bail!("the input ended before all was answered: nothing was made");
            }
            let answer = match line.trim() {
                "" => usual,
                said => said,
            };
            if !answer.is_empty() && is_good(answer) {
                return Ok(answer.to_owned());
            }
            writeln!(self.output, "That cannot be used.")?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_missing_is_asked_and_asked_again_until_it_can_be_used() {
        let mut wanted = Wanted {
            director: Some("alice".into()),
            ..Wanted::default()
        };
        let mut said = Vec::new();
        let answers = "nowhere\nplay@chess.example\n\nalice@example.org\npigeon\nexim\n";
        ask(&mut wanted, &mut answers.as_bytes(), &mut said).unwrap();
        assert_eq!(wanted.address.as_deref(), Some("play@chess.example"));
        assert_eq!(wanted.data, Some(PathBuf::from("/var/lib/pbmserv")));
        assert_eq!(wanted.director_address.as_deref(), Some("alice@example.org"));
        assert_eq!(wanted.mta, Some(Mta::Exim));
        let said = String::from_utf8(said).unwrap();
        assert_eq!(said.matches("That cannot be used.").count(), 2, "{said}");
        assert!(!said.contains("userid"), "{said}");
    }

    #[test]
    fn an_end_of_input_is_an_error() {
        let mut said = Vec::new();
        assert!(ask(&mut Wanted::default(), &mut "".as_bytes(), &mut said).is_err());
    }
}
