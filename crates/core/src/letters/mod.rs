//! Writes mails from data: one typed struct for each mail; its fields are the contract with its template.
//!
//! A template is a folder of `templates/`, embedded in the program. A file with the same name in the operator's folder
//! overrides it. At startup every template is rendered once with sample data, so that mistakes appear at once.

mod accounts;
mod answers;
pub mod blocks;
mod board;
mod built_in;
mod days;
mod digest;
mod draft;
mod dress;
mod error;
mod facts;
mod inbox;
mod letter;
mod notice;
mod page;
mod page_link;
mod preheader;
mod text;

use std::path::Path;

use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment, State, UndefinedBehavior, Value, context};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::table::Preferences;
use pbmserv_mail::{Address, LetterWords};

use built_in::BUILT_IN;
use facts::Facts;

pub use accounts::{
    Announcement, Forgot, Guesses, Message, Opening, Postmaster, Proposed, Question, Unreachable, Welcome,
};
pub use answers::{Apology, Dead, Done, Drawn, Help, Listing, Near, NotDone, Transcript};
pub use board::{BoardMail, Button, Comment, Head, LastTurns, News, ReplyWord, Status, Step, TurnRow};
pub use days::Times;
pub use digest::{Digest, DigestBoard};
pub use draft::{Draft, DraftError, Links};
pub use error::Error;
pub use inbox::Headline;
pub use letter::Mail;
pub use notice::{last_answer, last_refusal, last_unproven_answer};
pub use page::{Frame, mailto};
pub use page_link::PageLink;
pub use preheader::preheader;
pub use text::{MAX_TEXT_BYTES, columns, shortened, wrap};

/// Stands between the records of several pictures. A record has no control characters but line ends.
pub const BETWEEN_RECORDS: &str = "\u{c}";

/// The data of a mail, ready for its template.
#[derive(Clone, Debug)]
pub struct Content {
    /// The folder in `templates/`.
    pub kind: &'static str,
    /// `None`: they cannot be written as JSON.
    facts: Option<Facts>,
    /// The display name in `From`, unless the letter is about a board; empty for the name of the server.
    pub sender_name: String,
    /// The record of the game that its picture shows, or several with [`BETWEEN_RECORDS`] between them; `None` for a
    /// mail without a picture.
    pub picture: Option<String>,
}

impl Content {
    /// Adds a picture of the position after this record, if there is one.
    #[must_use]
    pub fn showing(self, record: impl Into<Option<String>>) -> Self {
        Self {
            picture: record.into(),
            ..self
        }
    }

    /// Adds a small picture of the position after each of these records, one for each board that is drawn.
    #[must_use]
    pub fn showing_each(self, records: &[String]) -> Self {
        let records = (!records.is_empty()).then(|| records.join(BETWEEN_RECORDS));
        self.showing(records)
    }

    /// The event on a board, for the digest; `None` if the mail is not about a board.
    #[must_use]
    pub fn news(&self) -> Option<News> {
        let of_board = self.facts.as_ref().filter(|_| self.kind == BoardMail::KIND)?;
        serde_json::from_str(of_board.json().get()).ok()
    }

    /// The letter about what came next on a board: it says how the game ended, if an earlier letter said so.
    #[must_use]
    pub fn with_result_of(self, earlier: &Self) -> Self {
        match (earlier.field("result"), self.field("result")) {
            (Some(result), None) => self.with("result", &result),
            _ => self,
        }
    }

    /// Adds what happened on the board before.
    #[must_use]
    pub fn with_earlier(self, earlier: &[News]) -> Self {
        match earlier {
            [] => self,
            _ => self.with("earlier", &earlier),
        }
    }

    /// The text in a field of the struct; `None` if it has no such field, or an empty one.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<String> {
        let fields: serde_json::Value = serde_json::from_str(self.facts.as_ref()?.json().get()).ok()?;
        let text = fields.get(name)?.as_str()?;
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// Sets a field. It must be one of the struct.
    fn with(mut self, field: &str, value: &impl Serialize) -> Self {
        let set = |facts: &Facts| {
            let mut fields: serde_json::Map<_, _> = serde_json::from_str(facts.json().get()).ok()?;
            fields.insert(field.to_owned(), serde_json::to_value(value).ok()?);
            Facts::of(&fields).ok()
        };
        self.facts = self.facts.as_ref().and_then(set);
        self
    }

    /// The data for a [`Draft`].
    ///
    /// # Errors
    /// It cannot be written as JSON, which is a programming error.
    pub fn facts(&self) -> Result<&RawValue, DraftError> {
        Ok(self.fields()?.json())
    }

    fn fields(&self) -> Result<&Facts, DraftError> {
        self.facts.as_ref().ok_or(DraftError::Facts)
    }
}

impl<M: Mail> From<M> for Content {
    fn from(mail: M) -> Self {
        Self {
            kind: M::KIND,
            sender_name: mail.sender_name(),
            facts: Facts::of(&mail).ok(),
            picture: None,
        }
    }
}

/// A rendered mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// On one line.
    pub subject: String,
    /// The plain text part; its lines end with a line feed.
    pub text: String,
}

/// The compiled templates.
pub struct Letters {
    templates: Environment<'static>,
}

impl std::fmt::Debug for Letters {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Letters").finish_non_exhaustive()
    }
}

impl Letters {
    /// Loads all templates and renders each mail once with its sample.
    ///
    /// # Errors
    /// An operator's file cannot be read or rendered; the error has its name and line.
    pub fn load(overrides: Option<&Path>, server: &Address) -> Result<Self, Error> {
        let mut templates = Environment::new();
        templates.set_undefined_behavior(UndefinedBehavior::Strict);
        let syntax = SyntaxConfig::builder()
            .trim_blocks(true)
            .lstrip_blocks(true)
            .keep_trailing_newline(true)
            .build();
        templates.set_syntax(syntax.map_err(|error| template("syntax", &error))?);
        templates.set_auto_escape_callback(|name| match name.ends_with(".html") {
            true => AutoEscape::Html,
            false => AutoEscape::None,
        });
        templates.add_filter("wrap", |state: &State<'_, '_>, text: &str| {
            wrap(text, width(state))
        });
        templates.add_filter("indent", |state: &State<'_, '_>, text: &str| {
            text::indent(text, "  ", width(state))
        });
        page::add_to(&mut templates);
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
            letters.write(&sample, Preferences::default().width)?;
            let draft = sample.facts().and_then(|facts| {
                let draft = Draft::of(facts, Preferences::default().width);
                Draft::unpacked(&draft.packed()?)
            });
            let draft = draft.map_err(|error| unprintable(sample.kind, &error))?;
            letters.text(sample.kind, &draft)?;
            for frame in Frame::samples() {
                letters.page(sample.kind, &draft, &frame)?;
            }
        }
        Ok(letters)
    }

    /// Teaches the words of all templates, also of the built-in ones that a file of the operator replaces: an older letter may
    /// be made of them.
    ///
    /// # Errors
    /// As [`Letters::text`].
    pub fn teach(&self, words: &mut LetterWords) -> Result<(), Error> {
        for (name, built_in) in BUILT_IN {
            words.learn(built_in);
            let in_force = self.templates.get_template(name);
            words.learn(in_force.map_err(|error| template(name, &error))?.source());
        }
        for sentence in Links::ALONE.into_iter().chain([Links::SHARE]) {
            words.learn(sentence);
        }
        for sample in samples() {
            words.learn(&self.write(&sample, Preferences::default().width)?.text);
        }
        Ok(())
    }

    /// The subject of a mail, on one line.
    ///
    /// # Errors
    /// As [`Letters::text`].
    pub fn subject(&self, content: &Content) -> Result<String, Error> {
        let facts = content
            .fields()
            .map_err(|error| unprintable(content.kind, &error))?;
        let facts = Value::from_object(facts.clone());
        let subject = self.render(&format!("{}/subject.txt", content.kind), &facts)?;
        Ok(subject.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    /// Renders a mail that becomes a part of another, with prose wrapped at `width` columns.
    ///
    /// # Errors
    /// As [`Letters::text`].
    pub fn write(&self, content: &Content, width: u32) -> Result<Written, Error> {
        let facts = content.fields().and_then(|facts| Ok(facts.all()?));
        let facts = facts.map_err(|error| unprintable(content.kind, &error))?;
        Ok(Written {
            subject: self.subject(content)?,
            text: self.body(content.kind, facts, width, &Links::NONE)?,
        })
    }

    /// Renders the text part of a mail of this kind. It depends on nothing but the draft and the templates.
    ///
    /// # Errors
    /// The template uses a name that the mail does not have; for built-in templates that is a programming error, unless an
    /// older version wrote the mail.
    pub fn text(&self, kind: &str, draft: &Draft) -> Result<String, Error> {
        let facts = Value::from(minijinja::value::Serde(&draft.facts));
        let text = self.body(kind, facts, draft.width, &draft.links)?;
        Ok(finished(text, draft))
    }

    /// The words of a mail without a template, for a letter that no template fits.
    #[must_use]
    pub fn bare(draft: &Draft) -> String {
        finished(text::tidy(&draft.words(), MAX_TEXT_BYTES), draft)
    }

    fn body(&self, kind: &str, facts: Value, width: u32, links: &Links) -> Result<String, Error> {
        let links = Value::from(minijinja::value::Serde(links));
        let text = self.render(&format!("{kind}/body.txt"), &context! { width, links, ..facts })?;
        Ok(text::tidy(&text, MAX_TEXT_BYTES))
    }

    /// Renders the HTML part of a mail of this kind. In a mail about several boards the small pictures belong to those that
    /// are drawn, in order.
    ///
    /// # Errors
    /// As [`Letters::text`].
    pub fn page(&self, kind: &str, draft: &Draft, frame: &Frame) -> Result<String, Error> {
        let mut facts = draft.facts.clone();
        let boards = facts.get_mut("boards").and_then(|boards| boards.as_array_mut());
        let mut pictures = frame.thumbnails.iter().peekable();
        for board in boards.into_iter().flatten() {
            let is_drawn = board["board"] != "";
            let picture = pictures.next_if(|_| is_drawn).cloned().unwrap_or_default();
            board["picture"] = picture.into();
        }
        let facts = Value::from(minijinja::value::Serde(facts));
        let (notice, with_text_board) = (&draft.notice, draft.has_text_board);
        let Frame {
            subject,
            answer,
            picture,
            description,
            thumbnails: _,
        } = frame;
        let links = Value::from(minijinja::value::Serde(&draft.links));
        let value =
            context! { links, subject, answer, picture, description, notice, with_text_board, ..facts };
        Ok(page::squeezed(
            &self.render(&format!("{kind}/body.html"), &value)?,
        ))
    }

    fn render(&self, name: &str, value: &Value) -> Result<String, Error> {
        let found = self.templates.get_template(name);
        let found = found.map_err(|error| template(name, &error))?;
        found.render(value).map_err(|error| template(name, &error))
    }
}

/// The text width of the mail that is being rendered.
fn width(state: &State<'_, '_>) -> usize {
    let width = state
        .lookup("width")
        .and_then(|width| usize::try_from(width).ok());
    width.unwrap_or(Preferences::WIDEST as usize)
}

/// The text with what stands below it.
fn finished(mut text: String, draft: &Draft) -> String {
    let width = usize::try_from(draft.width).unwrap_or(Preferences::WIDEST as usize);
    let mut say = |said: &str| {
        if !said.is_empty() {
            text.push_str(&format!("\n{}\n", wrap(said, width)));
        }
    };
    let Links { alone, public, .. } = &draft.links;
    say(alone);
    if !alone.is_empty() && !public.is_empty() {
        say(Links::SHARE);
        text.push_str(&format!("\n  {public}\n"));
    }
    if !draft.notice.is_empty() {
        text.push_str(&format!("\n{}\n", wrap(&draft.notice, width)));
    }
    text
}

fn unprintable(name: &str, error: &DraftError) -> Error {
    Error::Template {
        name: name.to_owned(),
        line: 0,
        reason: error.to_string(),
    }
}

/// A sample of each mail, for the check at startup.
pub fn samples() -> Vec<Content> {
    vec![
        Question::sample().into(),
        Proposed::sample().into(),
        Welcome::sample().into(),
        Forgot::sample().into(),
        Guesses::sample().into(),
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
        Digest::sample().into(),
        Unreachable::sample().into(),
        Postmaster::sample().into(),
        PageLink::sample().into(),
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
            .filter_map(|(name, _)| Some(name.split_once('/')?.0))
            .collect();
        built_in.dedup();
        assert_eq!(kinds, built_in);
        for sample in samples() {
            let written = letters.write(&sample, 72).unwrap();
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
        let written = letters.write(&Content::from(Apology::sample()), 72).unwrap();
        assert!(written.subject.starts_with("Sorry about "));
    }

    #[test]
    fn a_template_with_an_unknown_name_stops_the_start_with_its_file_and_line() {
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
