//! Which keys two configurations set to different values.

use toml::{Table, Value};

use super::Config;

impl Config {
    /// The keys, as `section.key`, in the order of the alphabet.
    #[must_use]
    pub fn differences(&self, other: &Self) -> Vec<String> {
        let (Ok(own), Ok(other)) = (Table::try_from(self), Table::try_from(other)) else {
            return Vec::new();
        };
        let mut keys = Vec::new();
        for (section, own) in &own {
            let other = other.get(section).and_then(Value::as_table);
            for (key, value) in own.as_table().into_iter().flatten() {
                if other.and_then(|other| other.get(key)) != Some(value) {
                    keys.push(format!("{section}.{key}"));
                }
            }
        }
        keys.sort();
        keys
    }
}
