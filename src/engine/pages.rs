//! Renders a mail at the moment of sending: text and HTML from its facts and the templates, pictures from the game record.
//! This runs outside the engine's thread. Nothing here knows the time, so that each attempt to send a mail gives the same.
//!
//! Text and HTML come from the same blocks, those of the template in force when the mail is sent. If they do not fit the mail, because an
//! older version wrote it or an operator's file has a fault that its samples do not show, the built-in ones are used; if
//! these do not fit either, the mail goes out with its bare words: it is never lost, and never waits for a repair. If only HTML
//! cannot be made, the mail goes out as plain text.

use std::collections::VecDeque;
use std::iter::{once, once_with};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use pbmserv_games::kit::picture::{Picture as Board, png};
use pbmserv_games::record::Record;

use pbmserv_core::command::is_typed;
use pbmserv_core::letters::{BETWEEN_RECORDS, Draft, Frame, LetterKind, Letters, shortened};
use pbmserv_core::store::Outgoing;
use pbmserv_mail::outbox::{self, Page, wire_bytes};
use pbmserv_mail::{Address, LetterWords};

/// The longest HTML part, in bytes.
const MAX_PAGE_BYTES: usize = 1 << 20;

/// Width of the pictures in pixels: more than the 520 of `templates/layout.html`, and almost twice what a telephone shows.
/// Drawing them is the most expensive part of a letter, and each pixel costs time.
const PICTURE_WIDTH: u32 = 640;

/// Width of the small pictures in a mail about several boards: three times what the mail shows.
const THUMBNAIL_WIDTH: u32 = 288;

/// The largest small picture accepted, in bytes. A mail has ten at most.
const LARGEST_THUMBNAIL_BYTES: usize = 48 * 1024;

/// The largest picture accepted, in bytes. The largest full board, of Forms, needs a little more than a third of it.
const LARGEST_PICTURE_BYTES: usize = 256 * 1024;

/// Size of the picture cache: players and watchers of a board get the same picture within moments.
const KEPT_PICTURES: usize = 32;

/// The renderer, with its templates and picture cache.
#[derive(Debug)]
pub(super) struct Pages {
    address: Address,
    letters: Mutex<(Arc<Letters>, Arc<LetterWords>)>,
    /// The built-in templates, once a letter has needed them; `None` if they cannot be loaded, which is a programming error.
    built_in: OnceLock<Option<Arc<Letters>>>,
    pictures: Mutex<VecDeque<(String, Arc<Picture>)>>,
}

/// A picture, once it is drawn; `None` if it cannot be. Who comes while it is being drawn waits, since the letters to both
/// players are sent at the same time.
type Picture = OnceLock<Option<Drawn>>;

/// A picture and what it shows in words.
#[derive(Clone, Debug)]
struct Drawn {
    png: Arc<[u8]>,
    description: Arc<str>,
}

impl Pages {
    pub(super) fn new(address: Address, letters: Arc<Letters>) -> Self {
        Self {
            address,
            letters: Mutex::new(with_words(letters)),
            built_in: OnceLock::new(),
            pictures: Mutex::default(),
        }
    }

    /// Replaces the templates.
    pub(super) fn change(&self, letters: Arc<Letters>) {
        *lock(&self.letters) = with_words(letters);
    }

    /// The words that letters have by their templates.
    pub(super) fn words(&self) -> Arc<LetterWords> {
        lock(&self.letters).1.clone()
    }

    /// The same, and those of these letters in full.
    pub(super) fn words_of(&self, quoted: &[(Option<LetterKind>, Draft)]) -> LetterWords {
        let mut words = LetterWords::clone(&self.words());
        for (kind, draft) in quoted {
            let draft = &without_own_words(draft);
            let (text, fitting) = self.written(*kind, draft);
            words.learn(&text);
            let page = fitting.map(|(kind, letters)| {
                caught(|| {
                    let page = letters.page(kind, draft, &Frame::default());
                    page.map_err(|error| error.to_string())
                })
            });
            if let Some(Ok(page)) = page {
                words.learn_html(&page);
            }
        }
        words
    }

    /// The mail with its text and, if it has one, its HTML part.
    ///
    /// # Errors
    /// It has no draft. For the operator.
    pub(super) fn render(&self, mail: Outgoing) -> Result<outbox::Outgoing, String> {
        let Some(draft) = &mail.draft else {
            return Err("its letter is missing or damaged".to_owned());
        };
        let (text, fitting) = self.written(LetterKind::of(&mail.kind), draft);
        let page = fitting.filter(|_| draft.has_html).and_then(|(kind, letters)| {
            let page = caught(|| self.page(&letters, kind, &mail, draft));
            let failed = |why: &String| {
                tracing::warn!(
                    mail = mail.id,
                    kind = mail.kind,
                    "sent as plain text, since the HTML part could not be made: {why}"
                );
            };
            page.inspect_err(failed).ok()
        });
        Ok(outbox::Outgoing {
            text,
            page,
            ..mail.with_draft(())
        })
    }

    /// The text of a letter of this kind, if it is known.
    pub(super) fn text(&self, kind: Option<LetterKind>, draft: &Draft) -> String {
        self.written(kind, draft).0
    }

    /// The text of a letter, and the templates that fitted it. A kind that only a newer version knows has none.
    fn written(
        &self,
        kind: Option<LetterKind>,
        draft: &Draft,
    ) -> (String, Option<(LetterKind, Arc<Letters>)>) {
        let within = |text: String| match draft.most_bytes {
            Some(most) => shortened(&text, most, wire_bytes),
            None => text,
        };
        let Some(kind) = kind else {
            tracing::error!("a letter that this version does not know is sent with its bare words");
            return (within(Letters::bare(draft)), None);
        };
        let in_force = lock(&self.letters).0.clone();
        let built_in = || {
            let load = || Letters::load(None, &self.address).ok().map(Arc::new);
            self.built_in.get_or_init(load).clone()
        };
        for letters in once(Some(in_force)).chain(once_with(built_in)).flatten() {
            match caught(|| letters.text(kind, draft).map_err(|error| error.to_string())) {
                Ok(text) => return (within(text), Some((kind, letters))),
                Err(why) => tracing::warn!(kind = kind.name(), "templates do not fit a letter: {why}"),
            }
        }
        tracing::error!(
            kind = kind.name(),
            "a letter is sent with its bare words, since no template fits it"
        );
        (within(Letters::bare(draft)), None)
    }

    fn page(
        &self,
        letters: &Letters,
        kind: LetterKind,
        mail: &Outgoing,
        draft: &Draft,
    ) -> Result<Page, String> {
        let record = draft.record.as_deref();
        let has_several = kind.has_several_pictures();
        let picture = record
            .filter(|_| !has_several)
            .and_then(|record| self.picture(mail.id, record));
        let (thumbnails, several) = match record.filter(|_| has_several) {
            Some(records) if kind == LetterKind::Gazette => self.shared(mail, draft, records),
            Some(records) => thumbnails(mail, records),
            None => (Vec::new(), Vec::new()),
        };
        let at = |detail: &str| self.address.with_detail(detail).to_string();
        let frame = Frame {
            subject: mail.subject.clone(),
            answer: mail.reply_detail.as_deref().map_or_else(String::new, at),
            picture: match &picture {
                Some(_) => format!("cid:{}", mail.picture_id(0)),
                None => String::new(),
            },
            description: match &picture {
                Some(drawn) => drawn.description.to_string(),
                None => String::new(),
            },
            thumbnails,
        };
        let html = letters
            .page(kind, draft, &frame)
            .map_err(|error| error.to_string())?;
        if html.len() > MAX_PAGE_BYTES {
            return Err(format!("its HTML has {} bytes", html.len()));
        }
        Ok(Page {
            html,
            pictures: picture
                .map(|drawn| drawn.png)
                .into_iter()
                .chain(several)
                .collect(),
        })
    }

    /// The pictures of an issue of the gazette, which many readers get: the URL of each, empty if it cannot be drawn, and the PNGs.
    fn shared(&self, mail: &Outgoing, draft: &Draft, records: &str) -> (Vec<String>, Vec<Arc<[u8]>>) {
        let boards = draft.facts["boards"].as_array().into_iter().flatten();
        let are_large = boards.map(|board| board["is_large"] == true);
        let mut pngs: Vec<Arc<[u8]>> = Vec::new();
        let urls = records
            .split(BETWEEN_RECORDS)
            .zip(are_large)
            .map(|(record, is_large)| {
                let drawn = match is_large {
                    true => self.picture(mail.id, record),
                    false => self.drawn(mail.id, &format!("{SMALL}{record}"), || small(record)),
                };
                drawn.map_or_else(String::new, |drawn| {
                    pngs.push(drawn.png);
                    format!("cid:{}", mail.picture_id(pngs.len() - 1))
                })
            });
        (urls.collect(), pngs)
    }

    /// The picture of the position at the end of this record.
    fn picture(&self, mail: i64, record: &str) -> Option<Drawn> {
        self.drawn(mail, record, || draw(record))
    }

    /// The picture with this key in the cache, which is drawn the first time.
    fn drawn(&self, mail: i64, key: &str, draw: impl FnOnce() -> Result<Drawn, String>) -> Option<Drawn> {
        let picture = self.place(key);
        let drawn = picture.get_or_init(|| match draw() {
            Ok(picture) => Some(picture),
            Err(why) => {
                tracing::warn!(mail, "sent without a picture, since it could not be drawn: {why}");
                None
            }
        });
        drawn.clone()
    }

    /// The place in the cache of the picture with this key: its record.
    fn place(&self, record: &str) -> Arc<Picture> {
        let mut pictures = lock(&self.pictures);
        if let Some((_, picture)) = pictures.iter().find(|(of, _)| of == record) {
            return picture.clone();
        }
        let picture = Arc::default();
        pictures.truncate(KEPT_PICTURES - 1);
        pictures.push_front((record.to_owned(), Arc::clone(&picture)));
        picture
    }
}

/// A letter without the words of its reader, who may write them again.
fn without_own_words(draft: &Draft) -> Draft {
    let mut draft = draft.clone();
    let by = draft.facts["saying"]["by"].as_str().unwrap_or_default();
    let subject = draft.facts["subject"].as_str().unwrap_or_default();
    if !by.is_empty() && subject.split(' ').next_back() == Some(by) {
        draft.facts["saying"] = serde_json::Value::Null;
    }
    draft
}

/// The templates and the words that letters have by them.
fn with_words(letters: Arc<Letters>) -> (Arc<Letters>, Arc<LetterWords>) {
    for fault in letters.faults() {
        tracing::warn!("the built-in template is used, since that of the operator does not fit: {fault}");
    }
    let mut words = LetterWords::new(is_typed);
    if let Err(error) = letters.teach(&mut words) {
        tracing::error!(
            "the words of the letters are not known, so that quotations may be taken for words: {error}"
        );
    }
    (letters, Arc::new(words))
}

/// The result, or why there is none, be it a panic.
fn caught<T>(make: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(make)).unwrap_or_else(|_| Err("a fault of the program".to_owned()))
}

fn draw(record: &str) -> Result<Drawn, String> {
    let picture = replayed(record)?;
    let png = png(&picture.svg(), PICTURE_WIDTH).map_err(|error| error.to_string())?;
    if png.len() > LARGEST_PICTURE_BYTES {
        return Err(format!("it has {} bytes", png.len()));
    }
    Ok(Drawn {
        png: png.into(),
        description: picture.description.into(),
    })
}

/// The small pictures of these records: the URL of each, empty if it cannot be drawn, and the PNGs. They are not cached,
/// since a daily mail has one reader.
fn thumbnails(mail: &Outgoing, records: &str) -> (Vec<String>, Vec<Arc<[u8]>>) {
    let mut pngs: Vec<Arc<[u8]>> = Vec::new();
    let urls = records
        .split(BETWEEN_RECORDS)
        .map(|record| match thumbnail(record) {
            Ok(png) => {
                pngs.push(png.into());
                format!("cid:{}", mail.picture_id(pngs.len() - 1))
            }
            Err(why) => {
                tracing::warn!(
                    mail = mail.id,
                    "sent without a picture, since it could not be drawn: {why}"
                );
                String::new()
            }
        });
    (urls.collect(), pngs)
}

/// Stands before the record in the key of a small picture.
const SMALL: &str = "small ";

/// A small picture that many readers get.
fn small(record: &str) -> Result<Drawn, String> {
    Ok(Drawn {
        png: thumbnail(record)?.into(),
        description: "".into(),
    })
}

fn thumbnail(record: &str) -> Result<Vec<u8>, String> {
    let svg = replayed(record)?.board_alone().svg();
    let png = png(&svg, THUMBNAIL_WIDTH).map_err(|error| error.to_string())?;
    match png.len() > LARGEST_THUMBNAIL_BYTES {
        true => Err(format!("it has {} bytes", png.len())),
        false => Ok(png),
    }
}

fn replayed(record: &str) -> Result<Board, String> {
    let record: Record = record.parse().map_err(|error| format!("{error}"))?;
    Ok(record.replay().map_err(|error| error.to_string())?.picture())
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
#[path = "pages_tests.rs"]
mod tests;
