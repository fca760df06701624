//! The templates, compiled for both printers: one prints the blocks of a letter as text, the other as HTML.
//!
//! A letter has one file, `NAME.letter`. Above an empty line it has fields: its subject, what a mailbox shows below it
//! (`Preview`), and the head of the page (`Head` and `Place`). Below it are the blocks in order, each a call of a macro that
//! has its words: `parts.prose("...")`. `parts.txt` and `parts.html` have each of these macros. So a block needs no type and no
//! code of its own here, its words stand once, and an operator can read and replace them. What only one printer shows, such as
//! a button, prints nothing in the other.

use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment, UndefinedBehavior, Value};

use pbmserv_mail::Address;

use super::built_in::built_in;
use super::error::Error;
use super::{LetterKind, page, text, wrap};

/// How a letter names the macros of its printer. It stands in the first line, as the fields do, so that all lines of an error
/// are those of the file.
const PARTS: &str = "{% import \"parts\" as parts %}";

/// The templates of both printers.
pub(super) struct Templates {
    text: Environment<'static>,
    html: Environment<'static>,
}

impl Templates {
    /// The built-in ones.
    ///
    /// # Errors
    /// A built-in template does not parse, which is a programming error.
    pub(super) fn built_in(server: &Address) -> Result<Self, Error> {
        let mut text = environment(server, AutoEscape::None)?;
        text.add_filter("wrap", |text: &str, width: usize| wrap(text, width));
        text.add_filter("indent", |text: &str, width: usize| {
            text::indent(text, "  ", width)
        });
        let mut html = environment(server, AutoEscape::Html)?;
        page::add_to(&mut html);
        let mut templates = Self { text, html };
        for (name, source) in built_in() {
            templates.put(name, source)?;
        }
        Ok(templates)
    }

    /// Puts a file of this name in the place of the one before.
    ///
    /// # Errors
    /// It is no template.
    pub(super) fn put(&mut self, name: &str, source: &str) -> Result<(), Error> {
        let add = |to: &mut Environment<'static>, part: &str, source: String| {
            to.add_template_owned(part.to_owned(), source)
                .map_err(|error| Error::of(name, &error))
        };
        let source = source.replace("\r\n", "\n");
        if let Some(kind) = LetterKind::of_file(name) {
            let Parsed { subject, text, html } = parsed(name, &source)?;
            add(&mut self.text, &subject_of(kind), subject)?;
            add(&mut self.text, kind.name(), text)?;
            return add(&mut self.html, kind.name(), html);
        }
        match name.split_once('.') {
            Some((part, "txt")) => add(&mut self.text, part, source),
            Some((part, _)) => add(&mut self.html, part, source),
            None => Ok(()),
        }
    }

    pub(super) fn subject(&self, kind: LetterKind, facts: &Value) -> Result<String, Error> {
        render(&self.text, kind, &subject_of(kind), facts)
    }

    pub(super) fn text(&self, kind: LetterKind, facts: &Value) -> Result<String, Error> {
        render(&self.text, kind, kind.name(), facts)
    }

    pub(super) fn html(&self, kind: LetterKind, facts: &Value) -> Result<String, Error> {
        render(&self.html, kind, kind.name(), facts)
    }

    /// A name that the letter of this kind uses, and that neither it nor every letter has.
    pub(super) fn unknown(&self, kind: LetterKind, facts: &serde_json::Value) -> Option<String> {
        let subject = self.text.get_template(&subject_of(kind)).ok()?;
        let blocks = self.html.get_template(kind.name()).ok()?;
        let is_known = |name: &str| {
            ["links", "parts"].contains(&name)
                || facts.get(name).is_some()
                || self.text.globals().any(|(global, _)| global == name)
        };
        [subject, blocks]
            .iter()
            .flat_map(|template| template.undeclared_variables(false))
            .find(|name| !is_known(name))
    }

    /// All sources that are in force.
    pub(super) fn sources(&self) -> impl Iterator<Item = String> {
        let all = [&self.text, &self.html].map(Environment::templates);
        all.into_iter()
            .flatten()
            .map(|(_, template)| template.source().to_owned())
    }
}

fn subject_of(kind: LetterKind) -> String {
    format!("{} subject", kind.name())
}

fn environment(server: &Address, escape: AutoEscape) -> Result<Environment<'static>, Error> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    let syntax = SyntaxConfig::builder()
        .trim_blocks(true)
        .lstrip_blocks(true)
        .keep_trailing_newline(true)
        .build();
    environment.set_syntax(syntax.map_err(|error| Error::of("syntax", &error))?);
    environment.set_auto_escape_callback(move |_| escape.clone());
    environment.add_global("server", server.as_str().to_owned());
    Ok(environment)
}

/// A letter as the printers take it.
struct Parsed {
    subject: String,
    text: String,
    html: String,
}

fn parsed(name: &str, source: &str) -> Result<Parsed, Error> {
    let (fields, blocks) = source.split_once("\n\n").unwrap_or((source, ""));
    let mut subject = None;
    let mut text = PARTS.to_owned();
    let mut html = format!("{{% extends \"layout\" %}}{PARTS}");
    for (at, line) in fields.lines().enumerate() {
        match line.split_once(':').map(|(field, value)| (field, value.trim())) {
            Some(("Subject", value)) => subject = Some(value.to_owned()),
            Some((field @ ("Preview" | "Head" | "Place"), value)) => {
                let block = field.to_lowercase();
                html.push_str(&format!("{{% block {block} %}}{value}{{% endblock %}}"));
            }
            _ => {
                return Err(Error::Template {
                    name: name.to_owned(),
                    line: at + 1,
                    reason: "only Subject, Preview, Head and Place stand above the first empty line, each with a colon".into(),
                });
            }
        }
        text.push('\n');
        html.push('\n');
    }
    let subject = subject.ok_or_else(|| Error::Template {
        name: name.to_owned(),
        line: 1,
        reason: "it has no Subject".into(),
    })?;
    text.push_str(&format!("\n{blocks}"));
    html.push_str(&format!("{{% block body %}}\n{blocks}{{% endblock %}}"));
    Ok(Parsed { subject, text, html })
}

/// What a template says itself: its text and the strings in its tags. The names of variables are words too, which a player
/// may write.
pub(super) fn said(source: &str) -> String {
    let mut said = String::new();
    let mut rest = source;
    while let Some(at) = ["{{", "{%", "{#"].iter().filter_map(|open| rest.find(open)).min() {
        let (text, tag) = rest.split_at(at);
        let close = match &tag[..2] {
            "{{" => "}}",
            "{%" => "%}",
            _ => "#}",
        };
        let (mut tag, after) = tag.split_once(close).unwrap_or((tag, ""));
        said.push_str(text);
        while let Some((_, string)) = tag.split_once(['"', '\'']).filter(|_| close != "#}") {
            let quote = char::from(tag.as_bytes()[tag.len() - string.len() - 1]);
            let (string, after) = string.split_once(quote).unwrap_or((string, ""));
            said.push(' ');
            said.push_str(string);
            tag = after;
        }
        said.push(' ');
        rest = after;
    }
    said + rest
}

/// Errors name the file of the letter.
fn render(printer: &Environment<'_>, kind: LetterKind, part: &str, facts: &Value) -> Result<String, Error> {
    let of_letter = |error: minijinja::Error| {
        let within = error.name().filter(|name| *name != part);
        let within = within.map_or_else(String::new, |name| format!(", in {name}"));
        Error::of(&format!("{}{within}", kind.file()), &error)
    };
    let found = printer.get_template(part).map_err(of_letter)?;
    found.render(facts).map_err(of_letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_says_its_text_and_its_strings() {
        let source = "Here: {# a note #}{{ word ~ \"It's \" ~ word.word ~ 'said \"so\"' }}{% if word == \"x\" %} & there";
        let said = said(source);
        let words: Vec<_> = said.split_whitespace().collect();
        assert_eq!(words, ["Here:", "It's", "said", "\"so\"", "x", "&", "there"]);
    }
}
