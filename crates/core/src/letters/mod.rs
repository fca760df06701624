//! Writes mails from data: one typed struct for each mail; its fields are the contract with its template, which has the
//! blocks of the letter in order. Text and HTML are two printers of these blocks.
//!
//! A template is a file of `templates/`, embedded in the program. A file with the same name in the operator's folder
//! overrides it, unless it does not fit: then the built-in one stays. At startup every template is rendered once with sample
//! data, so that mistakes appear at once.

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
mod export;
mod facts;
mod gazette;
mod inbox;
mod kind;
mod letter;
mod notice;
mod overrides;
mod own_subjects;
mod page;
mod page_link;
mod preheader;
mod short;
mod subject_mark;
mod templates;
mod text;
mod tried;

use std::path::Path;

use minijinja::{Value, context};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::table::Preferences;
use pbmserv_mail::{Address, LetterWords};

use built_in::built_in;
use facts::Facts;
use templates::Templates;

pub use accounts::{
    Announcement, Forgot, FriendInvited, Guesses, Join, Message, Opening, Postmaster, Proposed, Question,
    Unreachable, Welcome,
};
pub use answers::{Apology, Dead, Done, Drawn, Help, Listing, Near, NotDone, Transcript};
pub use board::{BoardMail, Button, Comment, Head, LastTurns, News, ReplyWord, Status, Step, TurnRow};
pub use days::Times;
pub use digest::{Digest, DigestBoard, DigestQuestion};
pub use draft::{Draft, DraftError, Links};
pub use error::Error;
pub use export::Export;
pub use gazette::{Gazette, GazetteBoard, GazetteSeek};
pub use inbox::Headline;
pub use kind::LetterKind;
pub use letter::Mail;
pub use notice::{last_answer, last_refusal, last_unproven_answer};
pub use own_subjects::{is_board_subject, is_own_subject};
pub use page::{Frame, mailto};
pub use page_link::PageLink;
pub use preheader::preheader;
pub use short::Short;
pub use subject_mark::SubjectMark;
pub use text::{MAX_TEXT_BYTES, columns, shortened, wrap};
pub use tried::TriedMail;

/// Stands between the records of several pictures. A record has no control characters but line ends.
pub const BETWEEN_RECORDS: &str = "\u{c}";

/// The data of a mail, ready for its template.
#[derive(Clone, Debug)]
pub struct Content {
    /// Which letter it is.
    pub kind: LetterKind,
    /// `None`: they cannot be written as JSON.
    facts: Option<Facts>,
    /// The display name in `From`, unless the letter is about a board; empty for the name of the server.
    pub sender_name: String,
    /// The record of the game that its picture shows, or several with [`BETWEEN_RECORDS`] between them; `None` for a
    /// mail without a picture.
    pub picture: Option<String>,
}

impl Content {
    /// From a sender who says what the subject does.
    #[must_use]
    pub fn marked(self, mark: SubjectMark) -> Self {
        Self {
            sender_name: mark.words().to_owned(),
            ..self
        }
    }

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
        let of_board = self.facts.as_ref().filter(|_| self.kind == LetterKind::Board)?;
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
    templates: Templates,
    faults: Vec<Error>,
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
    /// A built-in template cannot be rendered, which is a programming error.
    pub fn load(overrides: Option<&Path>, server: &Address) -> Result<Self, Error> {
        let mut letters = Self {
            templates: Templates::built_in(server)?,
            faults: Vec::new(),
        };
        letters.try_out(None)?;
        if let Some(folder) = overrides {
            letters.override_from(folder)?;
        }
        Ok(letters)
    }

    /// What is wrong with the operator's files; built-in ones stand in their place.
    #[must_use]
    pub fn faults(&self) -> &[Error] {
        &self.faults
    }

    /// Renders the sample of the mail of this kind, or of each.
    fn try_out(&self, kind: Option<LetterKind>) -> Result<(), Error> {
        for sample in samples()
            .iter()
            .filter(|sample| kind.is_none_or(|kind| sample.kind == kind))
        {
            self.write(sample, Preferences::default().width)?;
            let draft = sample.facts().and_then(|facts| {
                let draft = Draft::of(facts, Preferences::default().width);
                Draft::unpacked(&draft.packed()?)
            });
            let draft = draft.map_err(|error| unprintable(sample.kind.name(), &error))?;
            self.text(sample.kind, &draft)?;
            for frame in Frame::samples() {
                self.page(sample.kind, &draft, &frame)?;
            }
        }
        Ok(())
    }

    /// Teaches the words of all templates, also of the built-in ones that a file of the operator replaces: an older letter may
    /// be made of them.
    ///
    /// # Errors
    /// As [`Letters::text`].
    pub fn teach(&self, words: &mut LetterWords) -> Result<(), Error> {
        let built_in = built_in().map(|(_, source)| source.to_owned());
        for source in built_in.chain(self.templates.sources()) {
            words.learn(&templates::said(&source));
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
            .map_err(|error| unprintable(content.kind.name(), &error))?;
        let facts = Value::from_object(facts.clone());
        let subject = self.templates.subject(content.kind, &facts)?;
        Ok(subject.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    /// Renders a mail that becomes a part of another, with prose wrapped at `width` columns.
    ///
    /// # Errors
    /// As [`Letters::text`].
    pub fn write(&self, content: &Content, width: u32) -> Result<Written, Error> {
        let facts = content.fields().and_then(|facts| Ok(facts.all()?));
        let facts = facts.map_err(|error| unprintable(content.kind.name(), &error))?;
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
    pub fn text(&self, kind: LetterKind, draft: &Draft) -> Result<String, Error> {
        let facts = Value::from(minijinja::value::Serde(&draft.facts));
        let text = self.body(kind, facts, draft.width, &draft.links)?;
        Ok(finished(text, draft))
    }

    /// The words of a mail without a template, for a letter that no template fits.
    #[must_use]
    pub fn bare(draft: &Draft) -> String {
        finished(text::tidy(&draft.words(), MAX_TEXT_BYTES), draft)
    }

    fn body(&self, kind: LetterKind, facts: Value, width: u32, links: &Links) -> Result<String, Error> {
        let links = Value::from(minijinja::value::Serde(links));
        let text = self.templates.text(kind, &context! { width, links, ..facts })?;
        Ok(text::tidy(&text, MAX_TEXT_BYTES))
    }

    /// Renders the HTML part of a mail of this kind. In a mail about several boards the small pictures belong to those that
    /// are drawn, in order.
    ///
    /// # Errors
    /// As [`Letters::text`].
    pub fn page(&self, kind: LetterKind, draft: &Draft, frame: &Frame) -> Result<String, Error> {
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
        Ok(page::squeezed(&self.templates.html(kind, &value)?))
    }
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
        Join::sample().into(),
        FriendInvited::sample().into(),
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
        Short::sample().into(),
        Export::sample().into(),
        Gazette::sample().into(),
        TriedMail::sample().into(),
    ]
}

#[cfg(test)]
mod tests;
