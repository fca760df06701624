//! Renders the HTML part of a mail at the moment of sending: text from the templates, pictures from the game
//! record. This runs outside the engine's thread. If rendering fails, the mail goes out as plain text.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use crate::dispatch::{Purpose, seat_generation, token};
use crate::games::record::Record;
use crate::kit::picture::png;
use crate::letters::{Frame, Letters};
use crate::mail::{Address, Key};
use crate::outbox::{Draft, Outgoing, Page};

/// The longest HTML part, in bytes.
const LONGEST_PAGE_BYTES: usize = 1 << 20;

/// Width of the pictures in pixels: more than the 520 of `templates/layout.html`, and almost twice what a telephone shows.
/// Drawing them is the dearest part of a letter, and each pixel costs time.
const PICTURE_WIDTH: u32 = 640;

/// The largest picture accepted, in bytes. The largest full board, of Forms, needs a little more than a third of it.
const LARGEST_PICTURE_BYTES: usize = 256 * 1024;

/// Size of the picture cache: players and watchers of a board get the same picture within moments.
const KEPT_PICTURES: usize = 32;

/// The renderer, with its templates and picture cache.
#[derive(Debug)]
pub(super) struct Pages {
    address: Address,
    key: Arc<Key>,
    letters: Mutex<Arc<Letters>>,
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
    /// `key` makes the tokens of seats.
    pub(super) fn new(address: Address, key: Arc<Key>, letters: Arc<Letters>) -> Self {
        Self {
            address,
            key,
            letters: Mutex::new(letters),
            pictures: Mutex::default(),
        }
    }

    /// Replaces the templates.
    pub(super) fn change(&self, letters: Arc<Letters>) {
        *lock(&self.letters) = letters;
    }

    /// The mail with its HTML part, if it has one.
    pub(super) fn render(&self, mail: Outgoing) -> Outgoing {
        let Some(draft) = &mail.draft else {
            return mail;
        };
        let page = catch_unwind(AssertUnwindSafe(|| self.page(&mail, draft)));
        let why = match page {
            Ok(Ok(page)) => {
                return Outgoing {
                    page: Some(page),
                    ..mail
                };
            }
            Ok(Err(why)) => why,
            Err(_) => "a fault of the program".to_owned(),
        };
        tracing::warn!(
            mail = mail.id,
            kind = draft.kind,
            "sent as plain text, since the HTML part could not be made: {why}"
        );
        mail
    }

    fn page(&self, mail: &Outgoing, draft: &Draft) -> Result<Page, String> {
        let picture = draft
            .record
            .as_deref()
            .and_then(|record| self.picture(mail.id, record));
        let at = |detail: &str| self.address.with_detail(detail).to_string();
        let generation = seat_generation(draft.player, draft.generation);
        let answer_from = |seat| at(&token(&self.key, Purpose::Seat, seat, generation));
        let frame = Frame {
            subject: mail.subject.clone(),
            answer: mail.reply_detail.as_deref().map_or_else(String::new, at),
            picture: match &picture {
                Some(_) => format!("cid:{}", mail.picture_id()),
                None => String::new(),
            },
            description: match &picture {
                Some(drawn) => drawn.description.to_string(),
                None => String::new(),
            },
        };
        let letters = lock(&self.letters).clone();
        let html = letters
            .page(&draft.kind, &draft.facts, &frame, &answer_from)
            .map_err(|error| error.to_string())?;
        if html.len() > LONGEST_PAGE_BYTES {
            return Err(format!("its HTML has {} bytes", html.len()));
        }
        Ok(Page {
            html,
            picture: picture.map(|drawn| drawn.png),
        })
    }

    /// The picture of the position at the end of this record.
    fn picture(&self, mail: i64, record: &str) -> Option<Drawn> {
        let picture = self.place(record);
        let drawn = picture.get_or_init(|| match draw(record) {
            Ok(picture) => Some(picture),
            Err(why) => {
                tracing::warn!(mail, "sent without a picture, since it could not be drawn: {why}");
                None
            }
        });
        drawn.clone()
    }

    /// The place of this record's picture in the cache.
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

fn draw(record: &str) -> Result<Drawn, String> {
    let record: Record = record.parse().map_err(|error| format!("{error}"))?;
    let replayed = record.replay().map_err(|error| error.to_string())?;
    let picture = replayed.picture();
    let png = png(&picture.svg(), PICTURE_WIDTH).map_err(|error| error.to_string())?;
    if png.len() > LARGEST_PICTURE_BYTES {
        return Err(format!("it has {} bytes", png.len()));
    }
    Ok(Drawn {
        png: png.into(),
        description: picture.description.into(),
    })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
