//! From facts to the text of a mail: one typed struct a mail, whose fields are its template's contract.
//!
//! A template is a folder of `templates/`, built in; a file of the same name in the operator's folder takes
//! its place. Every one is rendered once at the start with its sample, so that a mistake shows then.

mod accounts;
mod answers;
mod board;
mod text;

use std::path::Path;

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, UndefinedBehavior, Value};
use serde::Serialize;

use crate::mail::Address;

pub use accounts::{Announcement, Forgot, Message, Question, Unreachable, Welcome};
pub use answers::{Apology, Dead, Done, Help, Listing, NotDone, Transcript};
pub use board::{BoardMail, Saying, Step};
pub use text::{columns, wrap};

/// A mail as a struct: its fields are what its template may name.
pub trait Mail: Serialize {
    /// The folder in `templates/`.
    const KIND: &'static str;
}

/// What a mail says, ready for its template.
#[derive(Clone, Debug)]
pub struct Content {
    /// The folder in `templates/`.
    pub kind: &'static str,
    value: Value,
}

impl<M: Mail> From<M> for Content {
    fn from(mail: M) -> Self {
        Self {
            kind: M::KIND,
            value: Value::from(minijinja::value::Serde(mail)),
        }
    }
}

/// A mail in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The subject, one line.
    pub subject: String,
    /// The text part, lines ended by `\n`.
    pub text: String,
}

/// A template that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The operator's file cannot be read.
    #[error("template {file} cannot be read")]
    Read {
        /// Which file.
        file: String,
        /// Why.
        source: std::io::Error,
    },
    /// It is no template, or names what its mail does not have.
    #[error("template {name}, line {line}: {reason}")]
    Template {
        /// Such as `board/body.txt`.
        name: String,
        /// From 1; 0 if unknown.
        line: usize,
        /// What the template engine says.
        reason: String,
    },
}

const BUILT_IN: &[(&str, &str)] = &[
    (
        "announcement/body.txt",
        include_str!("../../templates/announcement/body.txt"),
    ),
    (
        "announcement/subject.txt",
        include_str!("../../templates/announcement/subject.txt"),
    ),
    (
        "apology/body.txt",
        include_str!("../../templates/apology/body.txt"),
    ),
    (
        "apology/subject.txt",
        include_str!("../../templates/apology/subject.txt"),
    ),
    ("board/body.txt", include_str!("../../templates/board/body.txt")),
    (
        "board/subject.txt",
        include_str!("../../templates/board/subject.txt"),
    ),
    ("dead/body.txt", include_str!("../../templates/dead/body.txt")),
    (
        "dead/subject.txt",
        include_str!("../../templates/dead/subject.txt"),
    ),
    ("done/body.txt", include_str!("../../templates/done/body.txt")),
    (
        "done/subject.txt",
        include_str!("../../templates/done/subject.txt"),
    ),
    ("forgot/body.txt", include_str!("../../templates/forgot/body.txt")),
    (
        "forgot/subject.txt",
        include_str!("../../templates/forgot/subject.txt"),
    ),
    ("help/body.txt", include_str!("../../templates/help/body.txt")),
    (
        "help/subject.txt",
        include_str!("../../templates/help/subject.txt"),
    ),
    (
        "listing/body.txt",
        include_str!("../../templates/listing/body.txt"),
    ),
    (
        "listing/subject.txt",
        include_str!("../../templates/listing/subject.txt"),
    ),
    (
        "message/body.txt",
        include_str!("../../templates/message/body.txt"),
    ),
    (
        "message/subject.txt",
        include_str!("../../templates/message/subject.txt"),
    ),
    (
        "notdone/body.txt",
        include_str!("../../templates/notdone/body.txt"),
    ),
    (
        "notdone/subject.txt",
        include_str!("../../templates/notdone/subject.txt"),
    ),
    (
        "question/body.txt",
        include_str!("../../templates/question/body.txt"),
    ),
    (
        "question/subject.txt",
        include_str!("../../templates/question/subject.txt"),
    ),
    (
        "transcript/body.txt",
        include_str!("../../templates/transcript/body.txt"),
    ),
    (
        "transcript/subject.txt",
        include_str!("../../templates/transcript/subject.txt"),
    ),
    (
        "unreachable/body.txt",
        include_str!("../../templates/unreachable/body.txt"),
    ),
    (
        "unreachable/subject.txt",
        include_str!("../../templates/unreachable/subject.txt"),
    ),
    (
        "welcome/body.txt",
        include_str!("../../templates/welcome/body.txt"),
    ),
    (
        "welcome/subject.txt",
        include_str!("../../templates/welcome/subject.txt"),
    ),
];

/// The longest text of a mail, in bytes; what is longer is cut, and says so.
pub const LONGEST_TEXT_BYTES: usize = 256 * 1024;

/// The templates, ready to write with.
pub struct Letters {
    templates: Environment<'static>,
}

impl std::fmt::Debug for Letters {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Letters").finish_non_exhaustive()
    }
}

impl Letters {
    /// Loads the templates, and writes each mail once with its sample.
    ///
    /// # Errors
    /// A file of the operator that cannot be read or rendered, with its name and line.
    pub fn load(overrides: Option<&Path>, server: &Address) -> Result<Self, Error> {
        let mut templates = Environment::new();
        templates.set_undefined_behavior(UndefinedBehavior::Strict);
        let syntax = SyntaxConfig::builder()
            .trim_blocks(true)
            .lstrip_blocks(true)
            .keep_trailing_newline(true)
            .build();
        templates.set_syntax(syntax.map_err(|error| template("syntax", &error))?);
        templates.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
        templates.add_filter("wrap", |text: &str| wrap(text, 72));
        templates.add_filter("indent", |text: &str| text::indent(text, "  "));
        templates.add_global("server", server.as_str().to_owned());
        for (name, built_in) in BUILT_IN {
            let file = overrides
                .map(|folder| folder.join(name))
                .filter(|file| file.exists());
            let source = match file {
                None => (*built_in).to_owned(),
                Some(file) => std::fs::read_to_string(&file).map_err(|source| Error::Read {
                    file: file.display().to_string(),
                    source,
                })?,
            };
            templates
                .add_template_owned((*name).to_owned(), source)
                .map_err(|error| template(name, &error))?;
        }
        let letters = Self { templates };
        for sample in samples() {
            letters.write(&sample)?;
        }
        Ok(letters)
    }

    /// Writes a mail.
    ///
    /// # Errors
    /// The template names what the mail does not have; for the built-in ones a fault of the program.
    pub fn write(&self, content: &Content) -> Result<Written, Error> {
        let part = |file: &str| {
            let name = format!("{}/{file}", content.kind);
            let found = self
                .templates
                .get_template(&name)
                .map_err(|error| template(&name, &error))?;
            found
                .render(&content.value)
                .map_err(|error| template(&name, &error))
        };
        let subject = part("subject.txt")?
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        Ok(Written {
            subject,
            text: text::tidy(&part("body.txt")?, LONGEST_TEXT_BYTES),
        })
    }
}

/// One of each mail, for the check at the start.
fn samples() -> Vec<Content> {
    vec![
        Question::sample().into(),
        Welcome::sample().into(),
        Forgot::sample().into(),
        Message::sample().into(),
        Announcement::sample().into(),
        BoardMail::sample().into(),
        NotDone::sample().into(),
        Help::sample().into(),
        Listing::sample().into(),
        Done::sample().into(),
        Apology::sample().into(),
        Dead::sample().into(),
        Transcript::sample().into(),
        Unreachable::sample().into(),
    ]
}

fn template(name: &str, error: &minijinja::Error) -> Error {
    let reason = error
        .detail()
        .map_or_else(|| error.kind().to_string(), str::to_owned);
    Error::Template {
        name: name.to_owned(),
        line: error.line().unwrap_or_default(),
        reason,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server() -> Address {
        Address::parse("pbmserv@localhost").unwrap()
    }

    #[test]
    fn every_folder_of_templates_is_loaded_and_every_sample_written() {
        let letters = Letters::load(None, &server()).unwrap();
        let mut kinds: Vec<_> = samples().iter().map(|sample| sample.kind).collect();
        kinds.sort_unstable();
        let mut built_in: Vec<_> = BUILT_IN
            .iter()
            .filter_map(|(name, _)| name.split('/').next())
            .collect();
        built_in.dedup();
        assert_eq!(kinds, built_in);
        for sample in samples() {
            let written = letters.write(&sample).unwrap();
            assert!(!written.subject.is_empty(), "{}", sample.kind);
            for line in written.text.lines() {
                assert!(
                    line.len() <= 80 && line.trim_end() == line,
                    "{}: {line}",
                    sample.kind
                );
            }
            assert!(
                !written.text.contains("\n\n\n"),
                "{}:\n{}",
                sample.kind,
                written.text
            );
        }
    }

    #[test]
    fn a_file_of_the_operator_takes_the_place_of_a_template() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("apology")).unwrap();
        std::fs::write(
            folder.path().join("apology/subject.txt"),
            "Sorry about {{ number }}",
        )
        .unwrap();
        let letters = Letters::load(Some(folder.path()), &server()).unwrap();
        let written = letters.write(&Content::from(Apology::sample())).unwrap();
        assert!(written.subject.starts_with("Sorry about "));
    }

    #[test]
    fn a_template_that_names_what_is_not_there_stops_the_start_with_its_file_and_line() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("apology")).unwrap();
        std::fs::write(
            folder.path().join("apology/body.txt"),
            "first line\n{{ nowhere }}\n",
        )
        .unwrap();
        let error = Letters::load(Some(folder.path()), &server()).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("template apology/body.txt, line 2:"),
            "{error}"
        );
    }
}
