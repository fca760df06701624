//! The look of all letters: colours, type and links. Templates use it as `look`; there is no other place.
//!
//! Every style that matters stands inline, since a mail program may ignore the style sheet. That of `layout.html` adds the
//! telephone, the dark and paper.

use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::Serialize;

/// The colours of one scheme.
#[derive(Debug, Serialize)]
struct Colours {
    /// The ground of the letter.
    paper: &'static str,
    /// The ground of what is set off: the words of a player, a faulty line.
    panel: &'static str,
    ink: &'static str,
    /// Heads of tables, hints and the foot.
    soft: &'static str,
    link: &'static str,
    button: &'static str,
    /// The words in a button.
    on_button: &'static str,
    /// Too pale for words: it marks what words say too.
    mark: &'static str,
    /// Lines between parts.
    rule: &'static str,
    /// The frame of pictures and panels.
    frame: &'static str,
}

/// Colours and fonts.
struct Look {
    light: Colours,
    dark: Colours,
    /// For what is told and said.
    serif: &'static str,
    /// For what is to be done.
    sans: &'static str,
    /// For turns and boards.
    mono: &'static str,
}

const LOOK: Look = Look {
    light: Colours {
        paper: "#fdfbf6",
        panel: "#f3ecdd",
        ink: "#2b2f36",
        soft: "#665d4b",
        link: "#9a4300",
        button: "#b24a00",
        on_button: "#ffffff",
        mark: "#d95f02",
        rule: "#dccfb2",
        frame: "#c9b98f",
    },
    dark: Colours {
        paper: "#1c1a17",
        panel: "#292520",
        ink: "#ece5d6",
        soft: "#b5ab97",
        link: "#f0a561",
        button: "#f0a561",
        on_button: "#1c1a17",
        mark: "#d95f02",
        rule: "#4a4338",
        frame: "#c9b98f",
    },
    serif: "Georgia, 'Iowan Old Style', 'Times New Roman', serif",
    sans: "-apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif",
    mono: "Menlo, Consolas, 'DejaVu Sans Mono', 'Courier New', monospace",
};

/// What templates know as `look`.
pub(super) fn look() -> Value {
    let font = |font: &str| Value::from_safe_string(font.to_owned());
    context! {
        light => Value::from(Serde(LOOK.light)),
        dark => Value::from(Serde(LOOK.dark)),
        serif => font(LOOK.serif),
        sans => font(LOOK.sans),
        mono => font(LOOK.mono),
    }
}

/// The ways in which a link is shown.
#[derive(Clone, Copy, Debug)]
pub(super) enum Dress {
    /// In a sentence.
    Link,
    /// In a line of verbs that are 36 pixels apart.
    Verb,
    /// A turn or a word that is the whole answer.
    Turn,
    /// The words of a button.
    Button,
}

impl Dress {
    /// As templates name it.
    pub(super) fn named(name: &str) -> Self {
        match name {
            "button" => Self::Button,
            "turn" => Self::Turn,
            "verb" => Self::Verb,
            _ => Self::Link,
        }
    }

    /// The attributes of the link. A finger finds 44 pixels: space above and below a word inside a line does not move
    /// the lines.
    pub(super) fn attributes(self) -> String {
        let Colours { link, on_button, .. } = LOOK.light;
        match self {
            Self::Link => format!("class=\"link\" style=\"padding: 14px 0; color: {link};\""),
            Self::Verb => format!(
                "class=\"link\" style=\"display: inline-block; min-width: 28px; margin: -4px 0; padding: 4px 16px \
                 4px 0; line-height: 36px; color: {link};\""
            ),
            Self::Turn => format!(
                "class=\"link\" style=\"display: inline-block; min-width: 44px; margin: -10px 0; padding: 10px 0; font: \
                 15px/24px {}; color: {link};\"",
                LOOK.mono
            ),
            Self::Button => format!(
                "style=\"display: inline-block; min-width: 88px; padding: 12px 28px; font: bold 17px/24px {}; text-align: \
                 center; text-decoration: none; color: {on_button};\"",
                LOOK.sans
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The relative luminance of the Web Content Accessibility Guidelines.
    fn luminance(colour: &str) -> f64 {
        let channel = |at: usize| {
            let value = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
            if value <= 0.03928 {
                value / 12.92
            } else {
                ((value + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
    }

    fn contrast(one: &str, other: &str) -> f64 {
        let (one, other) = (luminance(one), luminance(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    #[test]
    fn all_words_stand_out_from_their_ground() {
        for colours in [&LOOK.light, &LOOK.dark] {
            for ground in [colours.paper, colours.panel] {
                for words in [colours.ink, colours.soft, colours.link] {
                    assert!(contrast(words, ground) >= 4.5, "{words} on {ground}");
                }
            }
            assert!(contrast(colours.on_button, colours.button) >= 4.5);
            assert!(contrast(colours.mark, colours.paper) >= 3.0);
        }
    }
}
