//! How the text of a turn that is begun can go on: a point, or a word such as `pass`, at a time.

use std::collections::HashMap;
use std::ops::ControlFlow;

use crate::kit::reading::shown;
use crate::kit::refusal::Refusal;

/// The longest beginning in bytes: no game has a longer turn.
const LONGEST: usize = 1000;

/// How a turn that is begun can go on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Continuations {
    /// The canonical text of the turn, if what is begun is already a legal one.
    pub whole: Option<String>,
    /// What may follow. Empty only if the turn is whole.
    pub steps: Vec<Step>,
}

/// One more point or word of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The beginning with this step: a turn, or what can go on to one.
    pub text: String,
    /// The point of the board that the step names; `None` for a word such as `pass`.
    pub point: Option<String>,
    /// What a list of the steps shows.
    pub label: String,
}

impl Continuations {
    /// A turn to which nothing can be added.
    #[must_use]
    pub fn whole(turn: &impl ToString) -> Self {
        Self {
            whole: Some(turn.to_string()),
            steps: Vec::new(),
        }
    }

    /// A beginning that needs one of these steps.
    #[must_use]
    pub fn steps(steps: Vec<Step>) -> Self {
        Self { whole: None, steps }
    }

    /// The same after this text, which ends with the sign that stands between the two.
    #[must_use]
    pub fn after(mut self, before: &str) -> Self {
        let texts = self.steps.iter_mut().map(|step| &mut step.text);
        texts
            .chain(&mut self.whole)
            .for_each(|text| text.insert_str(0, before));
        self
    }
}

impl Step {
    /// A step to this point.
    #[must_use]
    pub fn to(point: &impl ToString, text: String) -> Self {
        let point = point.to_string();
        Self {
            text,
            label: point.clone(),
            point: Some(point),
        }
    }

    /// A step that is a word.
    #[must_use]
    pub fn word(word: &str, text: String) -> Self {
        Self {
            text,
            point: None,
            label: word.to_owned(),
        }
    }
}

/// The beginning before the last step of this one; empty before the first.
#[must_use]
pub fn back(begun: &str) -> &str {
    let last = words(begun).last().and_then(|word| begun.rfind(word));
    let kept = begun.get(..last.unwrap_or_default()).unwrap_or_default();
    // After a comma anything can follow that can follow without it, and without it the turn may be whole.
    kept.trim_end_matches([',', ' '])
}

/// The points and words of a turn, or of the beginning of one. An x between two of them is the sign of a capture: it stands
/// behind a digit, as no x of a name does.
pub fn words(turn: &str) -> impl Iterator<Item = &str> {
    let mut before = ' ';
    let is_between = move |c: char| {
        let is_capture = c == 'x' && before.is_ascii_digit();
        before = c;
        is_capture || !c.is_alphanumeric()
    };
    turn.split(is_between).filter(|word| !word.is_empty())
}

/// Passes the text of every legal turn, until it breaks.
type Turns<'a> = dyn Fn(&mut dyn FnMut(&str) -> ControlFlow<()>) + 'a;

/// A position whose turns can be listed.
pub(super) struct Listed<'a> {
    /// Whether small and capital letters differ.
    pub(super) capitals: bool,
    /// The names of the points of the board.
    pub(super) points: &'a [&'a str],
    pub(super) turns: &'a Turns<'a>,
    /// The canonical text of what a player wrote, or why it is not a turn here.
    pub(super) read: &'a dyn Fn(&str) -> Result<String, Refusal>,
}

impl Listed<'_> {
    /// How a turn goes on: as the legal turns do whose text begins so. A short form is whole.
    pub(super) fn continuations(&self, begun: &str) -> Result<Continuations, Refusal> {
        let start = plain(begun, self.capitals)?;
        let mut found = LegalTurns::default();
        (self.turns)(&mut |turn| {
            found.add(&start, turn);
            ControlFlow::Continue(())
        });
        if found.whole.is_none() && found.steps.is_empty() {
            // It may be a turn in other words, such as a short form.
            return (self.read)(begun)
                .map(|turn| Continuations::whole(&turn))
                .map_err(|_| self.refusal(begun));
        }
        let step = |(text, sign): (String, Option<char>)| {
            let word = text.get(back(&text).len()..).unwrap_or_default();
            let word = word.trim_start_matches(is_sign).to_owned();
            let text = text.chars().chain(sign).collect();
            match self.points.contains(&word.as_str()) {
                true => Step::to(&word, text),
                false => Step::word(&word, text),
            }
        };
        Ok(Continuations {
            whole: found.whole,
            steps: found.steps.into_iter().map(step).collect(),
        })
    }

    /// Why no legal turn begins so: what is said of it as a turn, or of the turn that it becomes with the end of another.
    fn refusal(&self, begun: &str) -> Refusal {
        let length = begun.trim_end().len();
        let mut other = String::new();
        (self.turns)(&mut |turn| {
            turn.clone_into(&mut other);
            ControlFlow::Break(())
        });
        let said = begun.split(is_sign).filter(|word| !word.trim().is_empty());
        let mut rest = other.as_str();
        for _ in said {
            rest = rest
                .trim_start_matches(is_sign)
                .trim_start_matches(|c| !is_sign(c));
        }
        if begun.trim_end().ends_with(is_sign) {
            rest = rest.trim_start_matches(is_sign);
        }
        let of_this = |refusal: &Refusal| refusal.at.as_ref().is_none_or(|at| at.start < length);
        let refused = |text: &str| (self.read)(text).err().filter(of_this);
        match refused(begun).or_else(|| refused(&format!("{begun}{rest}"))) {
            Some(refusal) => Refusal {
                at: refusal.at.map(|at| at.start..at.end.min(length)),
                ..refusal
            },
            None => Refusal::illegal(format!("No legal turn begins with {}.", shown(begun))),
        }
    }
}

/// The legal turns with a beginning.
#[derive(Default)]
struct LegalTurns {
    whole: Option<String>,
    /// The beginnings with one word more, and the sign that must follow each.
    steps: Vec<(String, Option<char>)>,
    places: HashMap<String, usize>,
}

impl LegalTurns {
    fn add(&mut self, start: &str, turn: &str) {
        let Some(rest) = turn.strip_prefix(start) else {
            return;
        };
        let Some(next) = rest.chars().next() else {
            self.whole = Some(turn.to_owned());
            return;
        };
        // `e1` begins `e1-e3`, not `e11-e13`.
        if start.ends_with(|c| !is_sign(c)) && !is_sign(next) {
            return;
        }
        let word = rest.trim_start_matches(is_sign);
        let after = word.find(is_sign).unwrap_or(word.len());
        let end = turn.len() - word.len() + after;
        let (text, sign) = (turn.get(..end).unwrap_or(turn), word[after..].chars().next());
        match self.places.get(text) {
            // Some turns end here, so the sign may be missing.
            Some(place) => self.steps[*place].1 = self.steps[*place].1.filter(|had| Some(*had) == sign),
            None => {
                self.places.insert(text.to_owned(), self.steps.len());
                self.steps.push((text.to_owned(), sign));
            }
        }
    }
}

/// The beginning as a canonical text would have it.
fn plain(begun: &str, capitals: bool) -> Result<String, Refusal> {
    if begun.len() > LONGEST {
        return Err(Refusal::unreadable(format!(
            "A turn is no longer than {LONGEST} characters."
        )));
    }
    let mut plain = String::new();
    for piece in begun.split_whitespace() {
        // A blank between two words remains, and no turn has one.
        if !plain.is_empty() && !plain.ends_with(is_sign) && !piece.starts_with(is_sign) {
            plain.push(' ');
        }
        plain.push_str(piece);
    }
    let plain = plain.replace("->", "-");
    Ok(match capitals {
        true => plain,
        false => plain.to_ascii_lowercase(),
    })
}

fn is_sign(c: char) -> bool {
    matches!(c, '-' | '>' | ':' | ',' | '@' | '/')
}
