//! Where each key of the configuration was set: an error that is found after reading names the place too.

use std::collections::BTreeMap;

use toml::de::{DeTable, DeValue};

/// The place of each key that the file or the environment sets.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// The file's name, if there is one.
    file: Option<String>,
    /// By `section.key`, and the sections by their name alone.
    found: BTreeMap<String, String>,
}

impl Places {
    /// The keys of a file. A text that is no TOML has none: its reader says so.
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

    /// This variable has set the key.
    pub(super) fn set(&mut self, section: &str, key: &str, variable: &str) {
        let place = format!("environment, {variable}");
        self.found.insert(format!("{section}.{key}"), place);
    }

    /// Where the key is set; if it is nowhere, where it would stand.
    pub(super) fn of_key(&self, key: &str) -> &str {
        let section = key.split('.').next().unwrap_or_default();
        let found = self.found.get(key).or_else(|| self.found.get(section));
        found
            .map(String::as_str)
            .or(self.file.as_deref())
            .unwrap_or("configuration")
    }
}

/// The line of a byte of the text, from 1.
pub(super) fn line(text: &str, start: usize) -> usize {
    text.get(..start)
        .map_or(1, |before| before.matches('\n').count() + 1)
}
