//! Remembers where each key was set, so that an error found after parsing can still name the line or
//! variable.

use std::collections::BTreeMap;

use toml::de::{DeTable, DeValue};

/// Where each key was set, in the file or the environment.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// The name of the file, if there is one.
    file: Option<String>,
    /// By `section.key`; sections by their name.
    found: BTreeMap<String, String>,
}

impl Places {
    /// The keys of a file. Invalid TOML gives none: the parser reports the error.
    pub(super) fn of(file: &str, text: &str) -> Self {
        let mut places = Self {
            file: Some(file.to_owned()),
            found: BTreeMap::new(),
        };
        let Ok(table) = DeTable::parse(text) else {
            return places;
        };
        let place = |start| format!("{file}, line {}", line(text, start));
        for (section, keys) in table.get_ref() {
            let name = section.get_ref();
            places.found.insert(name.to_string(), place(section.span().start));
            let DeValue::Table(keys) = keys.get_ref() else {
                continue;
            };
            for key in keys.keys() {
                let full = format!("{name}.{}", key.get_ref());
                places.found.insert(full, place(key.span().start));
            }
        }
        places
    }

    /// Notes that this variable has set the key.
    pub(super) fn set(&mut self, section: &str, key: &str, variable: &str) {
        let place = format!("environment, {variable}");
        self.found.insert(format!("{section}.{key}"), place);
    }

    /// Where the key was set, or where it would be set.
    pub(super) fn of_key(&self, key: &str) -> &str {
        let section = key.split('.').next().unwrap_or_default();
        let found = self.found.get(key).or_else(|| self.found.get(section));
        found
            .map(String::as_str)
            .or(self.file.as_deref())
            .unwrap_or("no configuration file")
    }

    /// The name of the file, if there is one.
    #[must_use]
    pub fn file(&self) -> Option<&str> {
        self.file.as_deref()
    }

    /// Whether the file or a variable sets this key.
    #[must_use]
    pub fn has(&self, key: &str) -> bool {
        self.found.contains_key(key)
    }
}

/// The line number of a byte offset, from 1.
pub(super) fn line(text: &str, start: usize) -> usize {
    text.get(..start)
        .map_or(1, |before| before.matches('\n').count() + 1)
}
