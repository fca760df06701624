//! How bad a finding is, and the sentence about it.

use serde::Serialize;

/// The state of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum State {
    /// It works.
    Ok,
    /// It works, but somebody should check it; the page is still 200.
    Degraded,
    /// Another server has the engine; the page is 503, so that a load balancer sends clicks to that one.
    Waiting,
    /// It does not work; the page is 503.
    Down,
}

/// A problem; on the page it is its sentence.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub(super) struct Trouble {
    /// The part of the page that it is about.
    #[serde(skip)]
    pub(super) part: &'static str,
    #[serde(skip)]
    pub(super) state: State,
    pub(super) sentence: String,
}

/// Collects the problems and the worst state.
#[derive(Debug)]
pub(super) struct Judge {
    pub(super) worst: State,
    pub(super) trouble: Vec<Trouble>,
}

impl Judge {
    pub(super) fn say(&mut self, part: &'static str, state: State, sentence: impl Into<String>) -> State {
        self.worst = self.worst.max(state);
        let sentence = sentence.into();
        self.trouble.push(Trouble {
            part,
            state,
            sentence,
        });
        state
    }
}
