//! Why there is no page.

use axum::body::Body;
use axum::extract::rejection::FormRejection;
use axum::response::{IntoResponse, Response};
use hyper::StatusCode;

use crate::engine::Unavailable;
use pbmserv_core::command::InternalError;
use pbmserv_core::store;
use pbmserv_core::table::Unreplayable;

use super::keyed::Keyed;

/// Why a request has no page. The page that says so is written by `answer::finish`.
#[derive(Clone, Debug)]
pub struct Fault {
    pub(crate) status: StatusCode,
    pub(crate) title: &'static str,
    pub(crate) sentence: String,
    /// The key that does not open the page.
    pub(super) key: Option<Box<Keyed>>,
}

impl Fault {
    pub(crate) fn new(status: StatusCode, title: &'static str, sentence: impl Into<String>) -> Self {
        let sentence = sentence.into();
        Self {
            status,
            title,
            sentence,
            key: None,
        }
    }

    /// Nothing is there.
    #[must_use]
    pub fn not_found() -> Self {
        let sentence = "The address may be misspelt.";
        Self::new(StatusCode::NOT_FOUND, "There is no such page", sentence)
    }

    /// The key in the link opens nothing. It says the same of every key, so that nobody learns which was once good.
    pub(super) fn no_key() -> Self {
        let sentence = "It may be cut off, or it has ended: a new password and new links end those before. To get another, \
                        answer any of your letters about a board with the word page: the link to all your boards then comes \
                        by mail.";
        Self::new(StatusCode::NOT_FOUND, "This link opens nothing", sentence)
    }

    /// The same of a link to the data of a player.
    pub(super) fn no_data() -> Self {
        let sentence = "It may be cut off, or it has ended: it works for a day, and a new password or new links end it. To get \
                        another, write the command export to this server.";
        Self::new(StatusCode::NOT_FOUND, "This link opens nothing", sentence)
    }

    /// The key of a letter does not open this.
    pub(super) fn out_of_reach(key: Keyed) -> Self {
        let sentence = "It is that of a letter, and opens what an answer to the letter reaches.";
        Self {
            key: Some(Box::new(key)),
            ..Self::new(
                StatusCode::NOT_FOUND,
                "Your link does not open this page",
                sentence,
            )
        }
    }

    /// The player whose key it is does not play there.
    pub(super) fn no_seat(key: Keyed) -> Self {
        let sentence =
            "Nothing was done: only its two players play, write and offer there. You can watch it.";
        Self {
            key: Some(Box::new(key)),
            ..Self::new(StatusCode::FORBIDDEN, "You do not play on this board", sentence)
        }
    }

    /// The page is there, and does not take that.
    #[must_use]
    pub fn no_method() -> Self {
        let sentence = "This address does not take such a request. Nothing was done.";
        Self::new(StatusCode::METHOD_NOT_ALLOWED, "Not done", sentence)
    }

    /// A POST from a page elsewhere.
    #[must_use]
    pub fn foreign() -> Self {
        let sentence = "It was sent from a page elsewhere, so nothing was done. Open the page from your mail, and try again.";
        Self::new(StatusCode::FORBIDDEN, "Not done", sentence)
    }

    /// The fields of a form cannot be read.
    pub(crate) fn of_form(rejection: &FormRejection) -> Self {
        Self::unreadable(match rejection.status() {
            StatusCode::PAYLOAD_TOO_LARGE => "The form is too long, so nothing was done.",
            _ => "The form is not complete, so nothing was done. Open the page again, and try once more.",
        })
    }

    /// The form cannot be read.
    #[must_use]
    pub fn unreadable(sentence: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "Not done", sentence)
    }

    /// Too many requests.
    #[must_use]
    pub fn hurried() -> Self {
        let sentence = "There were too many requests from your network. Wait a minute, and try again.";
        Self::new(StatusCode::TOO_MANY_REQUESTS, "Too many requests", sentence)
    }

    /// The server failed; the cause is in its log.
    #[must_use]
    pub fn internal(error: &dyn std::fmt::Display) -> Self {
        tracing::error!(%error, "a page could not be made");
        let sentence = "It is not your fault, and it is in the log of this server.";
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "This page could not be made",
            sentence,
        )
    }
}

impl IntoResponse for Fault {
    fn into_response(self) -> Response {
        let mut answer = Response::new(Body::empty());
        *answer.status_mut() = self.status;
        answer.extensions_mut().insert(self);
        answer
    }
}

impl From<store::Error> for Fault {
    fn from(error: store::Error) -> Self {
        if !error.is_away() {
            return Self::internal(&error);
        }
        tracing::debug!(%error, "a page could not be read");
        let sentence = "The database of this server does not answer now. Try again in a minute.";
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "Not now", sentence)
    }
}

impl From<InternalError> for Fault {
    fn from(error: InternalError) -> Self {
        match error {
            InternalError::Store(error) => error.into(),
            error => Self::internal(&error),
        }
    }
}

impl From<Unreplayable> for Fault {
    fn from(error: Unreplayable) -> Self {
        Self::internal(&error)
    }
}

impl From<Unavailable> for Fault {
    fn from(error: Unavailable) -> Self {
        tracing::warn!(%error, "a page could not have a command carried out");
        let sentence = "Nothing was done. Try again in a minute: the same form never acts twice.";
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "Not done yet", sentence)
    }
}
